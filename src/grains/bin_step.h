/// A step of a bin as loops over grains. The first finds who touches whom, and computes the law for the pairs that each
/// grain owns and for the surfaces it touches; the last sums in a fixed order what acts on each, and moves it. Neither
/// the order of grains nor the number of threads matters.
///
/// On processors the first loop is gr_push_grains(), in lanes over many grains; on a GPU it is gr_push_pairs() and then
/// gr_push_surfaces(), a contact at a time in each thread. Both give the same bits.
#ifndef GR_BIN_STEP_H
#define GR_BIN_STEP_H

#include "bin_view.h"
#include "grain_law.h"

/// A place where a grain touches a wall or a body.
typedef struct GrOuterContact {
    GrVec3f d;  ///< from the surface to the grain's centre
    float dist; ///< its length
    int32_t surface, key;
} GrOuterContact;

/// Names a wall (0 .. 5), or a body and the direction of its surface, in steps of 1/127.
GR_INLINE int32_t gr_outer_key(int32_t surface, GrVec3f n)
{
    const uint32_t x = (uint8_t)gr_nearest(127 * n.x), y = (uint8_t)gr_nearest(127 * n.y),
                   z = (uint8_t)gr_nearest(127 * n.z);
    return surface < GR_PLANES ? surface : (int32_t)((uint32_t)surface << 24 | x << 16 | y << 8 | z);
}

/// One of the three numbers in a key, by the bit where it begins, with its sign.
GR_INLINE int32_t gr_key_part(int32_t key, int shift)
{
    return (int32_t)((uint32_t)key << (24 - shift)) >> 24;
}

/// Two contacts of a grain with one body are one if their directions differ by less than 30°: the pieces of a flat or
/// round face, or a face and its own edge. A corner that the grain lies in gives two.
#define GR_SAME_FACE 0.866f

GR_INLINE int gr_outer_same(int32_t a, int32_t b)
{
    if (((a ^ b) >> 24) != 0 || (a >> 24) == 0) {
        return a == b;
    }
    const int32_t ax = gr_key_part(a, 16), ay = gr_key_part(a, 8), az = gr_key_part(a, 0);
    const int32_t bx = gr_key_part(b, 16), by = gr_key_part(b, 8), bz = gr_key_part(b, 0);
    return (float)(ax * bx + ay * by + az * bz) > GR_SAME_FACE * (127 * 127);
}

/// Closest point of the triangle a, a + e, a + f to the point p, relative to p (Ericson 2005, 5.1.5).
GR_INLINE GrVec3f gr_to_triangle(const float *t, GrVec3f p)
{
    const GrVec3f a = gr_v3f(t[0], t[1], t[2]), e = gr_v3f(t[3], t[4], t[5]), f = gr_v3f(t[6], t[7], t[8]);
    const GrVec3f ap = gr_v3f_sub(p, a);
    const float d1 = gr_v3f_dot(e, ap), d2 = gr_v3f_dot(f, ap);
    const float ee = gr_v3f_dot(e, e), ff = gr_v3f_dot(f, f), ef = gr_v3f_dot(e, f);
    const float d3 = d1 - ee, d4 = d2 - ef, d5 = d1 - ef, d6 = d2 - ff;
    const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    float v, w;
    if (d1 <= 0 && d2 <= 0) {
        v = 0, w = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1, w = 0;
    } else if (d6 >= 0 && d5 <= d6) {
        v = 0, w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3), w = 0;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        v = 0, w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    } else {
        const float all = va + vb + vc;
        v = vb / all, w = vc / all;
    }
    return gr_v3f_sub(gr_v3f_add(gr_v3f_scale(v, e), gr_v3f_scale(w, f)), ap);
}

enum { GR_CANDIDATES = 16 };

/// Adds the contacts of a sphere with a body, deepest first; returns their new count.
GR_INLINE int gr_body_contacts(const GrBinView *s, int body, const GrGrain *g, GrOuterContact *out, int count)
{
    const GrBinBodyView *b = &s->bodies[body];
    const GrVec3f d = gr_body_diff(s, b, g);
    const float reach = b->bound + g->radius;
    if (gr_v3f_dot(d, d) >= reach * reach) {
        return count;
    }
    const GrVec3f p = gr_v3f(b->row[0].x * d.x + b->row[1].x * d.y + b->row[2].x * d.z,
                             b->row[0].y * d.x + b->row[1].y * d.y + b->row[2].y * d.z,
                             b->row[0].z * d.x + b->row[1].z * d.y + b->row[2].z * d.z);
    const float cx = (p.x - b->low.x) * b->cell, cy = (p.y - b->low.y) * b->cell, cz = (p.z - b->low.z) * b->cell;
    if (!(cx >= 0 && cy >= 0 && cz >= 0 && cx < (float)b->nx && cy < (float)b->ny && cz < (float)b->nz)) {
        return count;
    }
    const int32_t cell = ((int32_t)cz * b->ny + (int32_t)cy) * b->nx + (int32_t)cx;
    GrVec3f to[GR_CANDIDATES];
    float far2[GR_CANDIDATES];
    int found = 0;
    for (int32_t k = b->start[cell]; k < b->start[cell + 1]; k++) {
        const GrVec3f c = gr_to_triangle(b->triangles + 9 * (int64_t)b->list[k], p);
        const float c2 = gr_v3f_dot(c, c);
        if (c2 >= g->radius * g->radius || c2 < 1e-20f) {
            continue;
        }
        if (found == GR_CANDIDATES && far2[found - 1] <= c2) {
            continue;
        }
        int m = found < GR_CANDIDATES ? found++ : GR_CANDIDATES - 1;
        for (; m > 0 && far2[m - 1] > c2; m--) { // sorted: nearest first
            far2[m] = far2[m - 1], to[m] = to[m - 1];
        }
        far2[m] = c2, to[m] = c;
    }
    const int first = count;
    for (int m = 0; m < found && count < GR_OUTER; m++) {
        const float dist = __builtin_sqrtf(far2[m]);
        const GrVec3f l = gr_v3f_scale(-1, to[m]);
        const GrVec3f v = gr_v3f(gr_v3f_dot(b->row[0], l), gr_v3f_dot(b->row[1], l), gr_v3f_dot(b->row[2], l));
        int same = 0;
        for (int q = first; q < count; q++) {
            same |= gr_v3f_dot(v, out[q].d) > GR_SAME_FACE * dist * out[q].dist;
        }
        if (!same) {
            const GrVec3f n = gr_v3f_scale(1 / dist, v);
            out[count++] = (GrOuterContact){v, dist, GR_PLANES + body, gr_outer_key(GR_PLANES + body, n)};
        }
    }
    return count;
}

/// All walls and bodies that a grain touches.
GR_INLINE int gr_outer_contacts(const GrBinView *s, const GrGrain *g, GrOuterContact out[GR_OUTER])
{
    const GrFixed at[3] = {g->x, g->y, g->z};
    int count = 0;
    for (int k = 0; k < GR_PLANES; k++) {
        if (s->planes[k].present) {
            const float gap = gr_axis_diff(s, k / 2, at[k / 2], s->planes[k].at);
            const float into = k % 2 == 0 ? gap : -gap;
            if (into < g->radius && count < GR_OUTER) {
                const float d[3] = {k / 2 == 0 ? gap : 0, k / 2 == 1 ? gap : 0, k / 2 == 2 ? gap : 0};
                out[count++] = (GrOuterContact){gr_v3f(d[0], d[1], d[2]), into, k, k};
            }
        }
    }
    for (int k = 0; k < GR_BODIES; k++) {
        if (s->bodies[k].present && count < GR_OUTER) {
            count = gr_body_contacts(s, k, g, out, count);
        }
    }
    return count;
}

/// What a contact needs of its own grain, and where its history is; none: zero history.
GR_INLINE void gr_batch_own(GrContactBatch *b, int n, const GrGrain *g, const GrHistory *old, int32_t slot)
{
    b->radius[n] = g->radius, b->light[n] = g->light;
    b->wx[n] = g->wx, b->wy[n] = g->wy, b->wz[n] = g->wz;
    b->hx[n] = old ? old->hx : 0, b->hy[n] = old ? old->hy : 0, b->hz[n] = old ? old->hz : 0;
    b->rx[n] = old ? old->rx : 0, b->ry[n] = old ? old->ry : 0, b->rz[n] = old ? old->rz : 0;
    b->slot[n] = slot;
}

/// Which of the pairs that grain i owns touch, as bits. Without a branch: who touches is not predictable.
GR_INLINE uint64_t gr_touching(const GrBinView *s, int32_t i, const GrGrain *g)
{
    const int32_t *near = s->near + s->first[i];
    const int count = s->first[i + 1] - s->first[i];
    uint64_t now = 0;
    for (int k = 0; k < count; k++) {
        const GrGrain *q = &s->now[near[k]];
        const GrVec3f d = gr_grain_diff(s, g, q);
        const float sum = g->radius + q->radius;
        now |= (uint64_t)(gr_v3f_dot(d, d) < sum * sum) << k;
    }
    return now;
}

/// Gathers the pair in a slot. `goes_on`: its contact existed in the last step.
GR_INLINE void gr_gather_pair(const GrBinView *s, const GrGrain *g, int32_t slot, int goes_on, GrContactBatch *b, int n)
{
    const GrGrain *q = &s->now[s->near[slot]];
    const GrQuad v = ((const GrQuad *)q)[1];
    const GrVec3f d = gr_grain_diff(s, g, q);
    const GrHistory old = goes_on ? gr_history_load(&s->history[slot]) : (GrHistory){0};
    gr_batch_own(b, n, g, &old, slot);
    b->dx[n] = d.x, b->dy[n] = d.y, b->dz[n] = d.z;
    b->other_radius[n] = q->radius, b->curved[n] = 1, b->other_light[n] = q->light;
    b->vx[n] = g->vx - v[0], b->vy[n] = g->vy - v[1], b->vz[n] = g->vz - v[2];
    b->ox[n] = q->wx, b->oy[n] = q->wy, b->oz[n] = q->wz;
    b->friction[n] = s->friction, b->rolling[n] = s->rolling, b->surface[n] = -1;
}

/// Gathers the pairs of grain i that touch, in the order of its list; returns the new size of the batch.
GR_INLINE int gr_gather_pairs(const GrBinView *s, int32_t i, const GrGrain *g, GrContactBatch *b, int n, uint64_t now)
{
    const int32_t first = s->first[i];
    const uint64_t mask = s->mask[i];
    for (; now != 0; now &= now - 1, n++) {
        const int k = __builtin_ctzll(now);
        gr_gather_pair(s, g, first + k, (int)(mask >> k & 1), b, n);
    }
    return n;
}

/// Velocity and spin of a surface at a place that is `at` from the origin of its body.
GR_INLINE void gr_surface_motion(const GrBinView *s, int surface, GrVec3f at, GrVec3f *v, GrVec3f *w)
{
    if (surface < GR_PLANES) {
        *v = s->planes[surface].velocity, *w = gr_v3f(0, 0, 0);
    } else {
        const GrBinBodyView *body = &s->bodies[surface - GR_PLANES];
        *w = body->spin;
        *v = gr_v3f_add(body->velocity, gr_v3f_cross(body->spin, at));
    }
}

/// From the origin of a body to where the grain touches it; walls: 0.
GR_INLINE GrVec3f gr_surface_place(const GrBinView *s, int surface, const GrGrain *g, GrVec3f d)
{
    if (surface < GR_PLANES) {
        return gr_v3f(0, 0, 0);
    }
    return gr_v3f_sub(gr_body_diff(s, &s->bodies[surface - GR_PLANES], g), d);
}

/// Walls and bodies that a grain touches, and the histories of those that it touched.
typedef struct GrOuterList {
    GrOuterContact found[GR_OUTER];
    GrHistory old[GR_OUTER];
    uint64_t held; ///< bits of histories that hold
} GrOuterList;

/// Fills the list; returns the number of contacts.
GR_INLINE int gr_list_outer(const GrBinView *s, int32_t i, const GrGrain *g, GrOuterList *list)
{
    const int count = gr_outer_contacts(s, g, list->found);
    if (count > 0) {
        list->held = s->mask[i] >> GR_NEIGHBOURS_MOST;
        for (int k = 0; k < GR_OUTER; k++) {
            list->old[k] = s->outer[i * GR_OUTER + k];
        }
    }
    return count;
}

/// Gathers contact c of the list. It goes on where an old one had its key.
GR_INLINE void gr_gather_outer(const GrBinView *s, int32_t i, const GrGrain *g, const GrOuterList *list, int c,
                               GrContactBatch *b, int n)
{
    const GrOuterContact *found = &list->found[c];
    const GrHistory *was = 0;
    for (int k = 0; k < GR_OUTER; k++) {
        if ((list->held >> k & 1) && gr_outer_same(list->old[k].key, found->key)) {
            was = &list->old[k];
            break;
        }
    }
    const int32_t slot = i * GR_OUTER + c;
    const int surface = found->surface;
    GrVec3f v, w;
    gr_surface_motion(s, surface, gr_surface_place(s, surface, g, found->d), &v, &w);
    gr_batch_own(b, n, g, was, slot);
    s->outer[slot].key = found->key;
    b->dx[n] = found->d.x, b->dy[n] = found->d.y, b->dz[n] = found->d.z;
    b->other_radius[n] = 1, b->curved[n] = 0, b->other_light[n] = 0;
    b->vx[n] = g->vx - v.x, b->vy[n] = g->vy - v.y, b->vz[n] = g->vz - v.z;
    b->ox[n] = w.x, b->oy[n] = w.y, b->oz[n] = w.z;
    b->friction[n] = surface < GR_PLANES ? s->planes[surface].friction : s->bodies[surface - GR_PLANES].friction;
    b->rolling[n] = surface < GR_PLANES ? s->planes[surface].rolling : s->bodies[surface - GR_PLANES].rolling;
    b->surface[n] = surface;
}

/// Bits of a mask for `count` contacts with walls and bodies.
GR_INLINE uint64_t gr_outer_bits(int count)
{
    return ((1ull << count) - 1) << GR_NEIGHBOURS_MOST;
}

/// Adds in whole units. What has no value adds nothing: its grain is found when it next moves.
GR_INLINE void gr_add_whole(int64_t *sum, double units)
{
    if (units > -9e18 && units < 9e18) {
        GR_ADD_WHOLE(sum, (int64_t)units);
    }
}

GR_INLINE void gr_sum_surface(const GrBinView *s, const GrContactBatch *b, int n, const GrGrain *g, GrBinSums *sums)
{
    const int surface = b->surface[n];
    const GrVec3f f = gr_v3f(-b->fx[n], -b->fy[n], -b->fz[n]);
    const GrVec3f at = gr_surface_place(s, surface, g, gr_v3f(b->dx[n], b->dy[n], b->dz[n]));
    // the grain's torque without that of its friction is the rolling couple, which acts on the surface too
    const GrVec3f m =
        gr_v3f_sub(gr_v3f_cross(at, f), gr_v3f_sub(gr_v3f(b->tx[n], b->ty[n], b->tz[n]),
                                                   gr_v3f_cross(gr_v3f(b->dx[n], b->dy[n], b->dz[n]), f)));
    const float force[3] = {f.x, f.y, f.z}, moment[3] = {m.x, m.y, m.z};
    for (int k = 0; k < 3; k++) {
        gr_add_whole(&sums->force[surface][k], (double)force[k] / s->force_unit);
        gr_add_whole(&sums->moment[surface][k], (double)moment[k] / s->moment_unit);
    }
}

/// Keeps the history of contact n of grain i, and adds what it does to the grain.
GR_INLINE void gr_keep_contact(const GrBinView *s, const GrContactBatch *b, int n, const GrGrain *g, GrPush *own,
                               GrBinSums *sums)
{
    const int slot = b->slot[n];
    own->fx += b->fx[n], own->fy += b->fy[n], own->fz += b->fz[n];
    own->tx += b->tx[n], own->ty += b->ty[n], own->tz += b->tz[n];
    if (b->surface[n] < 0) {
        s->history[slot] = (GrHistory){b->hx[n], b->hy[n], b->hz[n], 0, b->rx[n], b->ry[n], b->rz[n], 0};
        s->push[slot] = (GrPush){-b->fx[n], -b->fy[n], -b->fz[n], b->qx[n], b->qy[n], b->qz[n], {0, 0}};
    } else {
        GrHistory *h = &s->outer[slot];
        h->hx = b->hx[n], h->hy = b->hy[n], h->hz = b->hz[n];
        h->rx = b->rx[n], h->ry = b->ry[n], h->rz = b->rz[n];
        gr_sum_surface(s, b, n, g, sums);
    }
}

#ifndef GR_ONE_CONTACT
/// Contacts of the grains [from, to): batches of them, then the law in full lanes, then sums.
GR_INLINE void gr_push_grains(const GrBinView *s, int32_t from, int32_t to, GrContactBatch *b, GrBinSums *sums)
{
    int32_t last[GR_BATCH];
    GrOuterList list;
    for (int32_t i = from; i < to;) {
        const int32_t first = i;
        int n = 0;
        for (; i < to && n < GR_BATCH && i - first < GR_BATCH; i++) {
            const GrGrain g = s->now[i];
            const uint64_t now = gr_touching(s, i, &g);
            n = gr_gather_pairs(s, i, &g, b, n, now);
            const int outer = gr_list_outer(s, i, &g, &list);
            for (int c = 0; c < outer; c++, n++) {
                gr_gather_outer(s, i, &g, &list, c, b, n);
            }
            s->mask[i] = now | gr_outer_bits(outer);
            last[i - first] = n;
        }
        for (int at = 0; at < n; at += GR_LANES) {
            gr_contact_law(&s->law, b, at);
        }
        __builtin_memset(s->push + s->first[first], 0, (size_t)(s->first[i] - s->first[first]) * sizeof *s->push);
        for (int32_t j = first, at = 0; j < i; at = last[j - first], j++) {
            GrPush own = {0};
            for (int c = at; c < last[j - first]; c++) {
                gr_keep_contact(s, b, c, &s->now[j], &own, sums);
            }
            s->own[j] = own;
        }
    }
}
#else
/// Whether a grain is near enough to a wall or a body to touch it.
GR_INLINE int gr_near_surface(const GrBinView *s, const GrGrain *g)
{
    const GrFixed at[3] = {g->x, g->y, g->z};
    int near = 0;
    for (int k = 0; k < GR_PLANES; k++) {
        const float gap = gr_axis_diff(s, k / 2, at[k / 2], s->planes[k].at);
        near |= s->planes[k].present && (k % 2 == 0 ? gap : -gap) < g->radius;
    }
    for (int k = 0; k < GR_BODIES; k++) {
        const GrVec3f d = gr_body_diff(s, &s->bodies[k], g);
        const float reach = s->bodies[k].bound + g->radius;
        near |= s->bodies[k].present && gr_v3f_dot(d, d) < reach * reach;
    }
    return near;
}

/// The pairs that grain i owns. Notes the grain for gr_push_surfaces() if it is near a wall or a body.
GR_INLINE void gr_push_pairs(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    const GrGrain g = s->now[i];
    const int32_t first = s->first[i];
    const uint64_t outer = ~0ull << GR_NEIGHBOURS_MOST, mask = s->mask[i], now = gr_touching(s, i, &g);
    GrPush own = {0};
    GrContactBatch b;
    for (uint64_t rest = now; rest != 0; rest &= rest - 1) {
        const int k = __builtin_ctzll(rest);
        gr_gather_pair(s, &g, first + k, (int)(mask >> k & 1), &b, 0);
        gr_contact_law(&s->law, &b, 0);
        gr_keep_contact(s, &b, 0, &g, &own, sums);
    }
    for (uint64_t rest = mask & ~now & ~outer; rest != 0; rest &= rest - 1) { // what has parted; the others are 0
        s->push[first + __builtin_ctzll(rest)] = (GrPush){0};
    }
    s->own[i] = own;
    const int near = gr_near_surface(s, &g);
    s->mask[i] = near ? now | (mask & outer) : now;
    if (near) {
        s->found_count[GR_COUNT_UP(&sums->near) * GR_SUM_COPIES + i % GR_SUM_COPIES] = i;
    }
}

/// The walls and bodies that a grain touches, after its pairs: the k-th of those near one. Each copy of the sums counts
/// its own, whose numbers lie in every GR_SUM_COPIES-th place of the list.
GR_INLINE void gr_push_surfaces(const GrBinView *s, int32_t k, GrBinSums *sums)
{
    if (k / GR_SUM_COPIES >= sums->near) {
        return;
    }
    const int32_t i = s->found_count[k];
    const GrGrain g = s->now[i];
    GrOuterList list;
    const int count = gr_list_outer(s, i, &g, &list);
    s->mask[i] = (s->mask[i] & ~(~0ull << GR_NEIGHBOURS_MOST)) | gr_outer_bits(count);
    if (count > 0) {
        GrPush own = s->own[i];
        GrContactBatch b;
        for (int c = 0; c < count; c++) {
            gr_gather_outer(s, i, &g, &list, c, &b, 0);
            gr_contact_law(&s->law, &b, 0);
            gr_keep_contact(s, &b, 0, &g, &own, sums);
        }
        s->own[i] = own;
    }
}
#endif

/// What acts on grain i: its own contacts and those that others own.
GR_INLINE GrPush gr_sum_pushes(const GrBinView *s, int32_t i)
{
    GrPush p = s->own[i];
    for (int32_t k = s->back_first[i]; k < s->back_first[i + 1]; k++) {
        const GrPush *q = &s->push[s->back[k]];
        p.fx += q->fx, p.fy += q->fy, p.fz += q->fz;
        p.tx += q->tx, p.ty += q->ty, p.tz += q->tz;
    }
    return p;
}

/// Whether a grain is too far from where the lists were made.
GR_INLINE int gr_strayed(const GrBinView *s, int32_t i, const GrGrain *g)
{
    const GrGrainMark mark = s->mark[i];
    const GrVec3f moved = gr_place_diff(s, g->x, g->y, g->z, &mark);
    return !(gr_v3f_dot(moved, moved) < s->stray2);
}

GR_INLINE void gr_move_grain(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    GrGrain g = s->now[i];
    const GrPush p = gr_sum_pushes(s, i);
    const float dt = s->law.dt, push = dt * g.light, turn = push / (0.4f * g.radius * g.radius);
    g.vx = s->keep * g.vx + (dt * s->gravity[0] + push * p.fx);
    g.vy = s->keep * g.vy + (dt * s->gravity[1] + push * p.fy);
    g.vz = s->keep * g.vz + (dt * s->gravity[2] + push * p.fz);
    g.wx = s->keep * g.wx + turn * p.tx;
    g.wy = s->keep * g.wy + turn * p.ty;
    g.wz = s->keep * g.wz + turn * p.tz;
    g.x = gr_fixed_add(g.x, gr_place_step(g.vx * dt * s->per_unit[0]));
    g.y = gr_fixed_add(g.y, gr_place_step(g.vy * dt * s->per_unit[1]));
    g.z = gr_fixed_add(g.z, gr_place_step(g.vz * dt * s->per_unit[2]));
    s->now[i] = g;
    if (gr_strayed(s, i, &g)) {
        sums->rebuild = 1;
    }
}

#endif

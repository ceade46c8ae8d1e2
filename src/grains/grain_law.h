/// Force and torque between two grains, or a grain and a wall: Hertz's normal force with a dashpot, Mindlin's
/// tangential spring with Coulomb's limit, rolling resistance of type C (Ai et al. 2011: spring, dashpot and slider),
/// and adhesion after Derjaguin, Muller and Toporov.
///
/// A contact is computed once, for the grain that owns it; the other gets exactly the opposite force, so that momentum
/// is kept. Exchanging the two grains changes no bit.
#ifndef GR_GRAIN_LAW_H
#define GR_GRAIN_LAW_H

#include "bin_view.h"
#include "lanes.h"

/// Contacts as arrays, so that lanes are loaded without gathering. `other`: the second grain, or the wall.
#ifdef GR_ONE_CONTACT // for a GPU: threads have no lanes
enum { GR_BATCH_ROOM = 1 };
#else
enum { GR_BATCH = 192, GR_BATCH_ROOM = GR_BATCH + 64 + 16 };
#endif

typedef struct GrContactBatch {
    float dx[GR_BATCH_ROOM], dy[GR_BATCH_ROOM], dz[GR_BATCH_ROOM]; ///< from the other to this one [m]
    float radius[GR_BATCH_ROOM];
    float other_radius[GR_BATCH_ROOM];                             ///< wall: 1
    float curved[GR_BATCH_ROOM];                                   ///< 1; wall: 0
    float light[GR_BATCH_ROOM];                                    ///< 1 / mass
    float other_light[GR_BATCH_ROOM];                              ///< wall: 0
    float vx[GR_BATCH_ROOM], vy[GR_BATCH_ROOM], vz[GR_BATCH_ROOM]; ///< relative velocity
    float wx[GR_BATCH_ROOM], wy[GR_BATCH_ROOM], wz[GR_BATCH_ROOM]; ///< spin
    float ox[GR_BATCH_ROOM], oy[GR_BATCH_ROOM], oz[GR_BATCH_ROOM]; ///< spin of the other
    float friction[GR_BATCH_ROOM], rolling[GR_BATCH_ROOM];
    float hx[GR_BATCH_ROOM], hy[GR_BATCH_ROOM], hz[GR_BATCH_ROOM]; ///< in and out: tangential displacement [m]
    float rx[GR_BATCH_ROOM], ry[GR_BATCH_ROOM], rz[GR_BATCH_ROOM]; ///< in and out: rolling angle [rad]
    float fx[GR_BATCH_ROOM], fy[GR_BATCH_ROOM], fz[GR_BATCH_ROOM]; ///< out: force on this one
    float tx[GR_BATCH_ROOM], ty[GR_BATCH_ROOM], tz[GR_BATCH_ROOM]; ///< out: torque on this one
    float qx[GR_BATCH_ROOM], qy[GR_BATCH_ROOM], qz[GR_BATCH_ROOM]; ///< out: torque on the other
    int slot[GR_BATCH_ROOM];                                       ///< where the history is kept
    int surface[GR_BATCH_ROOM];                                    ///< of walls and bodies; −1: a grain
} GrContactBatch;

/// Spring and dashpot in parallel, with a slider in series: q = −k x − c u, at most `limit`; a slider that gives way
/// leaves x where spring and dashpot carry the limit.
GR_INLINE GrLane3 gr_slider(GrLane3 *x, GrLane3 n, GrLane3 u, GrLane dt, GrLane k, GrLane c, GrLane limit)
{
    const GrLane one = (GrLane){0} + 1.0f;
    const GrLane3 there = gr_lane3_add(gr_lane3_across(*x, n), gr_lane3_scale(dt, u));
    const GrLane3 viscous = gr_lane3_scale(c, u);
    const GrLane3 stuck = gr_lane3_sub(gr_lane3_scale(-k, there), viscous);
    const GrLane q2 = gr_lane3_dot(stuck, stuck);
    const GrLaneMask slides = q2 > limit * limit;
    *x = there;
    if (!gr_lane_any(slides)) { // most contacts of a bed at rest
        return stuck;
    }
    const GrLane3 sliding = gr_lane3_scale(limit / gr_lane_sqrt(q2), stuck);
    *x = gr_lane3_pick(slides, gr_lane3_scale(-one / k, gr_lane3_add(sliding, viscous)), there);
    return gr_lane3_pick(slides, sliding, stuck);
}

/// Contacts [at, at + GR_LANES) of a batch.
GR_INLINE void gr_contact_law(const GrContactCoefs *s, GrContactBatch *b, int at)
{
    const GrLane zero = {0}, one = zero + 1.0f, dt = zero + s->dt;
    const GrLane3 d = gr_lane3_load(b->dx + at, b->dy + at, b->dz + at);
    const GrLane3 v = gr_lane3_load(b->vx + at, b->vy + at, b->vz + at);
    const GrLane3 w = gr_lane3_load(b->wx + at, b->wy + at, b->wz + at);
    const GrLane3 o = gr_lane3_load(b->ox + at, b->oy + at, b->oz + at);
    const GrLane ri = gr_lane_load(b->radius + at), curved = gr_lane_load(b->curved + at);
    const GrLane rj = gr_lane_load(b->other_radius + at);
    const GrLane dist = gr_lane_sqrt(gr_lane3_dot(d, d)), sum = ri + rj * curved;
    // what touched in the frame of a body may be a rounding error away from it in that of the bin
    const GrLane delta = gr_lane_pick(sum > dist, sum - dist, zero);
    const GrLane3 n = gr_lane3_scale(one / dist, d);
    const GrLane radius = ri * rj / (rj + ri * curved);
    const GrLane mass = one / (gr_lane_load(b->light + at) + gr_lane_load(b->other_light + at));

    const GrLane a = gr_lane_sqrt(radius * delta), g = gr_lane_sqrt(mass * a), vn = gr_lane3_dot(v, n);
    const GrLane pushed = s->kn * a * delta - s->gn * g * vn, fn = gr_lane_pick(pushed < zero, zero, pushed);

    // The contact point divides the distance as the radii do, so that angular momentum is kept too.
    const GrLane part = dist / sum, arm = ri * part, other_arm = rj * curved * part;
    const GrLane3 turn = gr_lane3_add(gr_lane3_scale(arm, w), gr_lane3_scale(other_arm, o));
    const GrLane3 u = gr_lane3_sub(gr_lane3_across(v, n), gr_lane3_cross(turn, n));
    const GrLane k = s->kt * a, c = s->gt * g;
    GrLane3 h = gr_lane3_load(b->hx + at, b->hy + at, b->hz + at);
    const GrLane3 ft = gr_slider(&h, n, u, dt, k, c, gr_lane_load(b->friction + at) * fn);
    gr_lane3_store(b->hx + at, b->hy + at, b->hz + at, h);

    // Stiffness of rolling: kt R², as for an arm of the effective radius (Iwashita & Oda 1998).
    const GrLane arm2 = radius * radius;
    const GrLane3 rate = gr_lane3_across(gr_lane3_sub(w, o), n);
    GrLane3 angle = gr_lane3_load(b->rx + at, b->ry + at, b->rz + at);
    const GrLane3 mr = gr_slider(&angle, n, rate, dt, k * arm2, c * arm2, gr_lane_load(b->rolling + at) * radius * fn);
    gr_lane3_store(b->rx + at, b->ry + at, b->rz + at, angle);

    const GrLane3 f = gr_lane3_add(gr_lane3_scale(fn - s->adhesion * radius, n), ft);
    gr_lane3_store(b->fx + at, b->fy + at, b->fz + at, f);
    const GrLane3 couple = gr_lane3_cross(ft, n); // of the friction, over its arm: the same on both grains
    gr_lane3_store(b->tx + at, b->ty + at, b->tz + at, gr_lane3_add(gr_lane3_scale(arm, couple), mr));
    gr_lane3_store(b->qx + at, b->qy + at, b->qz + at, gr_lane3_sub(gr_lane3_scale(other_arm, couple), mr));
}

#endif

/// What a step leaves in the ruts: pressed nodes, soil that rises at the rim, and slopes that slump.
#include "scm_grid.h"

#include "ruts.h"

#include <string.h>

/// Nodes around the touched ones that soil can flow to, and how often it is swept for each cell that the body goes on.
enum { RIM = 8, SWEEPS = 6 };

/// Nodes from the first on that lie side by side in one row of a tile, of `count`. The list is in the order of rows, so
/// that the last one tells for all before it.
static int run_length(const GrScmNode *nodes, int count)
{
    const int left = GR_RUT_NODES - (nodes->i & (GR_RUT_NODES - 1));
    int run = left < count ? left : count;
    while (nodes[run - 1].j != nodes->j || nodes[run - 1].i != nodes->i + run - 1) {
        run--;
    }
    return run;
}

/// Where two bodies press one node in the same step the deeper one counts. Returns the sum of what the heights lost.
static double press_row(const GrScmNode *restrict nodes, int count, double *restrict heights, float *restrict sinkages,
                        int states)
{
    double lowered = 0;
    for (int k = 0; k < count; k++) {
        const double before = heights[k], after = nodes[k].height < before ? nodes[k].height : before;
        float *sinkage = &sinkages[(ptrdiff_t)k * states];
        lowered += before - after;
        heights[k] = after;
        *sinkage = nodes[k].sinkage > *sinkage ? nodes[k].sinkage : *sinkage;
    }
    return lowered;
}

double gr_scm_commit(const GrScmBody *body, GrRuts *ruts, const GrScmNodes *nodes, GrScmLedger *ledger)
{
    const int states = ruts->def.state_count;
    GrRutsTile tile = {NULL, NULL};
    int64_t ti = INT64_MAX, tj = INT64_MAX;
    double lowered = 0;
    for (int k = 0, run = 1; k < nodes->count; k += run) {
        const GrScmNode *node = &nodes->nodes[k];
        run = run_length(node, nodes->count - k);
        if (node->i >> GR_RUT_SHIFT != ti || node->j >> GR_RUT_SHIFT != tj) {
            ti = node->i >> GR_RUT_SHIFT;
            tj = node->j >> GR_RUT_SHIFT;
            tile = gr_ruts_tile_make(ruts, node->i, node->j);
        }
        if (tile.heights == NULL) {
            ledger->missing += run;
            continue;
        }
        const ptrdiff_t at =
            (ptrdiff_t)(node->j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (ptrdiff_t)(node->i & (GR_RUT_NODES - 1));
        lowered += press_row(node, run, tile.heights + at, tile.states + at * states + GR_SCM_SINKAGE, states);
    }
    lowered *= body->cell * body->cell;
    ledger->displaced += lowered;
    return lowered;
}

/// Slope that no pair of nodes has: soil under a body does not flow.
static const double HELD = 1e9;

/// Box of the touched nodes and the rim around it, inside the box of the scratch; marks the touched ones, in `slot` and
/// as steepness in `depth`.
static GrScmRange mark_touched(const GrScmNodes *nodes, GrScmScratch *s, int rim)
{
    GrScmRange r = {s->side, 0, s->side, 0};
    for (int k = 0; k < nodes->count; k++) {
        const int i = (int)(nodes->nodes[k].i - s->i0), j = (int)(nodes->nodes[k].j - s->j0);
        s->slot[j * s->side + i] = 1;
        r.i0 = i < r.i0 ? i : r.i0;
        r.i1 = i > r.i1 ? i : r.i1;
        r.j0 = j < r.j0 ? j : r.j0;
        r.j1 = j > r.j1 ? j : r.j1;
    }
    r = (GrScmRange){r.i0 > rim ? r.i0 - rim : 0, r.i1 + rim + 1 < s->side ? r.i1 + rim + 1 : s->side,
                     r.j0 > rim ? r.j0 - rim : 0, r.j1 + rim + 1 < s->side ? r.j1 + rim + 1 : s->side};
    for (int j = r.j0; j < r.j1; j++) {
        memset(s->depth + j * s->side + r.i0, 0, sizeof *s->depth * (size_t)(r.i1 - r.i0));
        s->dirty[j] = 0;
    }
    for (int k = 0; k < nodes->count; k++) {
        s->depth[(nodes->nodes[k].j - s->j0) * s->side + (nodes->nodes[k].i - s->i0)] = HELD;
    }
    return r;
}

/// Part of a wheel's radius before and behind its axle where no soil falls: the gap below the rim is small there.
static const double ARCH = 0.6;

/// Nodes under the body that it does not touch: soil falls there only when the body has gone.
static void hold_footprint(const GrScmBody *body, const GrScmPose *pose, GrScmRange r, GrScmScratch *s)
{
    if (!gr_scm_is_wheel(body)) {
        const GrScmRange under = body->mesh.triangle_count > 0 ? gr_scm_lower_mesh(body, NULL, pose, s)
                                                               : gr_scm_lower_convex(body, NULL, pose, s);
        for (int j = under.j0; j < under.j1; j++) {
            for (int at = j * s->side + under.i0; at < j * s->side + under.i1; at++) {
                s->depth[at] = s->cover[at] > 0 ? HELD : 0;
            }
        }
        return;
    }
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], tip = body->radius + body->lug_height;
    const double half = 0.5 * (body->width + body->cell), arch = ARCH * tip;
    const double *places = s->offset_x + r.i0;
    for (int j = r.j0; j < r.j1; j++) {
        const double y = s->offset_y[j];
        double *restrict held = s->depth + j * s->side + r.i0;
#pragma omp simd
        for (int i = 0; i < r.i1 - r.i0; i++) {
            const double x = places[i], across = fabs(x * ax + y * ay), ahead = fabs(x * ay - y * ax);
            held[i] = across < half && ahead < arch ? HELD : held[i];
        }
    }
}

static void clear_touched(const GrScmNodes *nodes, GrScmScratch *s)
{
    for (int k = 0; k < nodes->count; k++) {
        s->slot[(nodes->nodes[k].j - s->j0) * s->side + (nodes->nodes[k].i - s->i0)] = 0;
    }
}

/// Adds (or takes) height at a node. Loose soil over a compacted bottom: the bottom is as much deeper, so the node
/// remembers less of it.
static inline void raise(GrScmScratch *s, int at, double by)
{
    s->change[at] += by;
    if (by > 0 && s->sinkage[at] > 0) {
        s->sinkage[at] = s->sinkage[at] > by ? s->sinkage[at] - by : 0;
    }
}

/// Share of a unit of rim in front of a body, against one beside it: what a wheel presses down gives way sideways, and
/// only a little is pushed ahead. All of it ahead would be rolled over again and lift the wheel.
static const double AHEAD = 0.1;

/// Directions of the heap: pressed soil goes to the sides and the front, dug soil to the back.
typedef struct Heap {
    double ahead_x, ahead_y; ///< unit vector of travel
    double moving;           ///< 0 at rest (all around), 1 in motion
    double back_x, back_y;   ///< unit vector in which the surface of the body drags the soil
    double dragging;
} Heap;

static Heap make_heap(const GrScmPose *pose)
{
    // Speeds below this are rest [m/s].
    const double slow = 1e-4;
    Heap h = {0};
    const double speed = sqrt(pose->velocity.x * pose->velocity.x + pose->velocity.y * pose->velocity.y);
    if (speed > 0) {
        h.ahead_x = pose->velocity.x / speed;
        h.ahead_y = pose->velocity.y / speed;
        h.moving = speed / (speed + slow);
    }
    // A point below the centre moves with spin × (−z).
    const GrVec3 drag = gr_vec3(-pose->spin.y, pose->spin.x, 0);
    const double turning = gr_norm(drag);
    if (turning > 0) {
        h.back_x = drag.x / turning;
        h.back_y = drag.y / turning;
        h.dragging = turning / (turning + slow);
    }
    return h;
}

/// Weights of a rim node that lies in direction (x, y), a unit vector, from a touched one; added to what it has.
static void add_weights(const Heap *h, double x, double y, double *front, double *back)
{
    const double ahead = x * h->ahead_x + y * h->ahead_y, dragged = x * h->back_x + y * h->back_y;
    const double beside = 1 - ahead * ahead, before = ahead > 0 ? AHEAD * ahead * ahead : 0;
    *front += 1 - h->moving + h->moving * (beside + before);
    *back += 1 - h->dragging + h->dragging * (dragged > 0 ? dragged : 0);
}

/// Whether a free node lies beside touched ones, and with what weights.
static bool rim_weights(const GrScmScratch *s, const Heap *h, int at, double *front, double *back)
{
    const int32_t *slot = s->slot + at;
    const int side = s->side;
    if (slot[0] != 0 || (slot[-1] | slot[1] | slot[-side] | slot[side]) == 0) {
        return false;
    }
    *front = *back = 0;
    if (slot[-1] != 0) {
        add_weights(h, 1, 0, front, back);
    }
    if (slot[1] != 0) {
        add_weights(h, -1, 0, front, back);
    }
    if (slot[-side] != 0) {
        add_weights(h, 0, 1, front, back);
    }
    if (slot[side] != 0) {
        add_weights(h, 0, -1, front, back);
    }
    return true;
}

/// Nodes of the rim, with the sums of their weights; `beside` is that of nodes that are not under the body.
typedef struct Rim {
    int count;
    double front, back, beside;
} Rim;

static Rim find_rim(const Heap *h, GrScmRange r, int width, GrScmScratch *s)
{
    Rim found = {0};
    for (int j = r.j0 + width - 1; j < r.j1 - width + 1; j++) {
        for (int i = r.i0 + width - 1; i < r.i1 - width + 1; i++) {
            const int at = j * s->side + i;
            double *weight = s->weights + (ptrdiff_t)2 * found.count;
            if (found.count < s->node_max && rim_weights(s, h, at, &weight[0], &weight[1])) {
                s->at[found.count++] = at;
                s->dirty[j] = 1;
                found.front += weight[0];
                found.back += weight[1];
                found.beside += s->cover[at] > 0 ? 0 : weight[0] + weight[1];
            }
        }
    }
    return found;
}

/// Under the body, on the side that it goes to.
static bool is_before(const GrScmScratch *s, const Heap *h, int at)
{
    const int j = at / s->side, i = at - j * s->side;
    return s->cover[at] > 0 && s->offset_x[i] * h->ahead_x + s->offset_y[j] * h->ahead_y > 0;
}

/// Raises a node, under the body no further than to its surface; the rest. Pressed into the body soil would carry a
/// part of the load, the larger the longer the step.
static double raise_within(GrScmScratch *s, int at, double by)
{
    const double gap = s->lower[at] - (s->first[at] + s->change[at]), room = gap > 0 ? gap : 0;
    const double held = s->cover[at] > 0 && by > room ? room : by;
    raise(s, at, held);
    return by - held;
}

/// Soil that found no room, before the body and elsewhere, as heights; and the weights of nodes before it that have
/// some.
typedef struct Surplus {
    double before, elsewhere, open;
} Surplus;

/// Raises the rim by the heights of unit weights, front and back; nodes that are full lose their weight.
static Surplus raise_rim(const Heap *h, int count, double front, double back, GrScmScratch *s)
{
    Surplus left = {0};
    for (int k = 0; k < count; k++) {
        double *weight = s->weights + (ptrdiff_t)2 * k;
        const double rest = raise_within(s, s->at[k], front * weight[0] + back * weight[1]);
        if (!is_before(s, h, s->at[k])) {
            left.elsewhere += rest;
            continue;
        }
        weight[0] = rest > 0 ? 0 : weight[0];
        left.before += rest;
        left.open += weight[0];
    }
    return left;
}

/// What found no room before the body goes on to where there is some before it, as when it had filled the one and come
/// to the other within the step; what is left, and all else, rises beside it.
static void raise_surplus(const Heap *h, const Rim *rim, Surplus left, GrScmScratch *s)
{
    const double *weights = s->weights;
    for (int k = 0; k < rim->count && left.before > 0 && left.open > 0; k++) {
        if (is_before(s, h, s->at[k])) {
            left.elsewhere += raise_within(s, s->at[k], left.before * weights[2 * k] / left.open);
        }
    }
    left.elsewhere += left.open > 0 ? 0 : left.before;
    for (int k = 0; k < rim->count && left.elsewhere > 0; k++) {
        if (!(s->cover[s->at[k]] > 0)) {
            raise(s, s->at[k], left.elsewhere * (weights[2 * k] + weights[2 * k + 1]) / rim->beside);
        }
    }
}

/// Spreads the volume over the rim; what was raised.
static double heap_up(const GrScmBody *body, const Heap *h, GrScmRange r, int width, double pressed, double dug,
                      GrScmScratch *s)
{
    const Rim rim = find_rim(h, r, width, s);
    const double by_area = 1 / (body->cell * body->cell);
    const double front = rim.front > 0 ? pressed * by_area / rim.front : 0;
    const double back = rim.back > 0 ? dug * by_area / rim.back : 0;
    if (rim.beside > 0) {
        raise_surplus(h, &rim, raise_rim(h, rim.count, front, back, s), s);
    } else {
        for (int k = 0; k < rim.count; k++) {
            raise(s, s->at[k], front * s->weights[2 * k] + back * s->weights[2 * k + 1]);
        }
    }
    return (rim.front > 0 ? pressed : 0) + (rim.back > 0 ? dug : 0);
}

/// One pair of neighbours: a quarter of what is steeper than the angle of repose, and than the ground was at first,
/// moves down. `repose` is the rise between them.
static inline void slump_pair(GrScmScratch *s, int a, int b, double repose)
{
    const double first = s->first[a] - s->first[b], fall = first + (s->change[a] - s->change[b]), was = fabs(first);
    const double excess = fabs(fall) - (was > repose ? was : repose) - s->depth[a] - s->depth[b];
    if (excess > 0) {
        const double move = fall > 0 ? 0.25 * excess : -0.25 * excess;
        raise(s, a, -move);
        raise(s, b, move);
    }
}

/// Whether any of `count` pairs from (at, at + to) on is too steep. A row at a time: most are not, and this vectorises.
static bool any_steep(const GrScmScratch *s, int at, int to, int count, double repose)
{
    const double *first_a = s->first + at, *first_b = first_a + to, *change_a = s->change + at,
                 *change_b = change_a + to;
    const double *held_a = s->depth + at, *held_b = held_a + to;
    double worst = 0;
#pragma omp simd reduction(max : worst)
    for (int i = 0; i < count; i++) {
        const double first = first_a[i] - first_b[i], fall = first + (change_a[i] - change_b[i]);
        const double was = fabs(first), excess = fabs(fall) - (was > repose ? was : repose) - held_a[i] - held_b[i];
        worst = excess > worst ? excess : worst;
    }
    return worst > 0;
}

/// One sweep over the range, each node with its neighbours to the east and in the row to the north.
static void slump(const GrScmBody *body, GrScmRange r, GrScmScratch *s)
{
    const double straight = body->tan_repose * body->cell, diagonal = 1.4142135623730951 * straight;
    const struct {
        int to;
        double repose;
    } near[4] = {{1, straight}, {s->side, straight}, {s->side + 1, diagonal}, {s->side - 1, diagonal}};
    const int count = r.i1 - r.i0 - 2;
    for (int j = r.j0; j < r.j1 - 1; j++) {
        const int at = j * s->side + r.i0 + 1;
        for (int q = 0; q < 4; q++) {
            if (any_steep(s, at, near[q].to, count, near[q].repose)) {
                s->dirty[j] = s->dirty[j + 1] = 1;
                for (int i = 0; i < count; i++) {
                    slump_pair(s, at + i, at + i + near[q].to, near[q].repose);
                }
            }
        }
    }
}

/// Writes the range back where it differs from what the ruts hold, so that no tile is made for nothing.
static void write_back(GrRuts *ruts, GrScmScratch *s, GrScmRange r, GrScmLedger *ledger)
{
    const int states = ruts->def.state_count;
    for (int j = r.j0; j < r.j1; j++) {
        for (int i = r.i0; i < r.i1 && s->dirty[j] != 0;) {
            const int64_t wi = s->i0 + i, wj = s->j0 + j;
            const int column = (int)(wi & (GR_RUT_NODES - 1));
            const int run = GR_RUT_NODES - column < r.i1 - i ? GR_RUT_NODES - column : r.i1 - i;
            const double *change = s->change + j * s->side + i, *sinkage = s->sinkage + j * s->side + i;
            GrRutsTile tile = gr_ruts_tile_change(ruts, wi, wj);
            const ptrdiff_t at = (ptrdiff_t)(wj & (GR_RUT_NODES - 1)) * GR_RUT_NODES + column;
            for (int k = 0; k < run; k++) {
                if (tile.heights == NULL && change[k] != 0) {
                    tile = gr_ruts_tile_make(ruts, wi, wj);
                    ledger->missing += tile.heights == NULL;
                }
                if (tile.heights != NULL) {
                    tile.heights[at + k] = change[k];
                    tile.states[(at + k) * states + GR_SCM_SINKAGE] = (float)sinkage[k];
                }
            }
            i += run;
        }
    }
}

/// Whether a body has come to another cell in the last dt, or its rim has turned by one. Slopes are swept then, and not
/// at every step: a step is a small part of a cell, and soil that slumps later slumps as far.
static bool has_moved_on(const GrScmBody *body, const GrScmPose *pose, double dt)
{
    const double by_cell = 1 / body->cell, rim = body->radius * gr_norm(pose->spin) * dt;
    const double x = pose->centre.x, y = pose->centre.y, turned = body->radius * pose->wheel_angle;
    return floor(x * by_cell) != floor((x - dt * pose->velocity.x) * by_cell) ||
           floor(y * by_cell) != floor((y - dt * pose->velocity.y) * by_cell) ||
           floor(turned * by_cell) != floor((turned - rim) * by_cell) || !gr_scm_is_wheel(body);
}

void gr_scm_flow(const GrScmBody *body, GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *nodes,
                 double lowered, double dug, GrScmScratch *s, GrScmLedger *ledger)
{
    const bool sweep = has_moved_on(body, pose, dt);
    if (!body->flow || nodes->count == 0 || !(lowered > 0 || sweep)) {
        return;
    }
    gr_scm_box_place(body, pose, s);
    const GrScmRange range = mark_touched(nodes, s, sweep ? RIM : 1);
    gr_scm_box_read(ruts, s, range);
    if (lowered > 0) {
        const Heap heap = make_heap(pose);
        const double bulking = body->soil.bulking, behind = dug < lowered ? dug : lowered;
        ledger->raised +=
            heap_up(body, &heap, range, sweep ? RIM : 1, bulking * (lowered - behind), bulking * behind, s);
    }
    if (sweep) {
        hold_footprint(body, pose, range, s);
        for (int k = 0; k < SWEEPS; k++) {
            slump(body, range, s);
        }
    }
    write_back(ruts, s, range, ledger);
    clear_touched(nodes, s);
}

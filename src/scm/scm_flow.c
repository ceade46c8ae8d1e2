/// Where the soil goes that a step has displaced: it rises at the rim of the contact, and slopes that are too steep
/// slump.
#include "scm_grid.h"

#include "ruts.h"

#include <string.h>

/// Number of sweeps over slopes for each cell that the body advances, times the cell size [m]. A sweep moves soil by a
/// fraction of a cell; as in a random walk, half the cell size needs four times as many sweeps for the same distance.
static const double SWEEP_LENGTH = 0.06;

/// Larger than any slope between nodes: soil under a body does not flow.
static const double HELD_SLOPE = 1e9;

/// Box of the touched nodes with a rim around it, extended by the bands if there are any, within the box of the
/// scratch. Marks the touched nodes in `slot`, and by their steepness in `depth`.
static GrScmRange mark_touched(const GrScmNodes *nodes, GrScmScratch *s, int rim, const GrScmRange *bands)
{
    GrScmRange r = {s->side, 0, s->side, 0};
    for (int k = 0; k < nodes->count; k++) {
        const int i = (int)(nodes->i[k] - s->i0), j = (int)(nodes->j[k] - s->j0);
        r.i0 = i < r.i0 ? i : r.i0;
        r.i1 = i > r.i1 ? i : r.i1;
        r.j0 = j < r.j0 ? j : r.j0;
        r.j1 = j > r.j1 ? j : r.j1;
    }
    r = (GrScmRange){r.i0 > rim ? r.i0 - rim : 0, r.i1 + rim + 1 < s->side ? r.i1 + rim + 1 : s->side,
                     r.j0 > rim ? r.j0 - rim : 0, r.j1 + rim + 1 < s->side ? r.j1 + rim + 1 : s->side};
    if (bands != NULL) {
        r = (GrScmRange){bands->i0 < r.i0 ? bands->i0 : r.i0, bands->i1 > r.i1 ? bands->i1 : r.i1,
                         bands->j0 < r.j0 ? bands->j0 : r.j0, bands->j1 > r.j1 ? bands->j1 : r.j1};
    }
    for (int j = r.j0; j < r.j1; j++) {
        memset(s->depth + j * s->side + r.i0, 0, sizeof *s->depth * (size_t)(r.i1 - r.i0));
        memset(s->slot + j * s->side + r.i0, 0, sizeof *s->slot * (size_t)(r.i1 - r.i0));
        s->dirty[j] = 0;
    }
    for (int k = 0; k < nodes->count; k++) {
        const int64_t at = (nodes->j[k] - s->j0) * s->side + (nodes->i[k] - s->i0);
        s->depth[at] = HELD_SLOPE;
        s->slot[at] = 1;
    }
    return r;
}

/// Holds nodes under the body that it does not touch: soil slumps there only after the body has moved away. `under` is
/// the range of a body that is not a wheel.
static void hold_footprint(const GrScmBody *body, const GrScmPose *pose, GrScmRange r, GrScmRange under,
                           GrScmScratch *s)
{
    if (!gr_scm_is_wheel(body)) {
        for (int j = under.j0; j < under.j1; j++) {
            for (int at = j * s->side + under.i0; at < j * s->side + under.i1; at++) {
                s->depth[at] = s->cover[at] > 0 ? HELD_SLOPE : 0;
            }
        }
        return;
    }
    const GrScmStrip strip = gr_scm_strip_of(body, pose);
    const double ax = strip.across_x, ay = strip.across_y, half = strip.half;
    const double arch = GR_SCM_ARCH * (body->radius + body->lug_height);
    const double *places = s->offset_x + r.i0;
    for (int j = r.j0; j < r.j1; j++) {
        const double y = s->offset_y[j];
        double *restrict held = s->depth + j * s->side + r.i0;
#pragma omp simd
        for (int i = 0; i < r.i1 - r.i0; i++) {
            const double x = places[i], across = fabs(x * ax + y * ay), ahead = fabs(x * ay - y * ax);
            held[i] = across < half && ahead < arch ? HELD_SLOPE : held[i];
        }
    }
}

/// Whether a free node is adjacent to touched ones, and its weights.
static bool rim_weights(const GrScmScratch *s, const GrScmHeap *h, int at, double *front, double *back)
{
    const int32_t *slot = s->slot + at;
    const int side = s->side;
    if (slot[0] != 0 || (slot[-1] | slot[1] | slot[-side] | slot[side]) == 0) {
        return false;
    }
    *front = *back = 0;
    if (slot[-1] != 0) {
        gr_scm_heap_weights(h, 1, 0, front, back);
    }
    if (slot[1] != 0) {
        gr_scm_heap_weights(h, -1, 0, front, back);
    }
    if (slot[-side] != 0) {
        gr_scm_heap_weights(h, 0, 1, front, back);
    }
    if (slot[side] != 0) {
        gr_scm_heap_weights(h, 0, -1, front, back);
    }
    return true;
}

/// Nodes of the rim, with the sums of their weights; `beside` is the sum over nodes that are not under the body.
typedef struct Rim {
    int count;
    double front, back, beside;
} Rim;

static Rim find_rim(const GrScmHeap *h, GrScmRange r, int rim, GrScmScratch *s)
{
    Rim found = {0};
    for (int j = r.j0 + rim - 1; j < r.j1 - rim + 1; j++) {
        for (int i = r.i0 + rim - 1; i < r.i1 - rim + 1; i++) {
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

/// Height by which soil can rise at a node: under the body, up to its surface.
static double room_at(const GrScmScratch *s, int at)
{
    const double gap = s->lower[at] - (s->first[at] + s->change[at]);
    return s->cover[at] > 0 ? (gap > 0 ? gap : 0) : GR_SCM_NOWHERE;
}

/// Spreads the volume over the rim and returns the raised volume. Soil without room under the body rises beside it:
/// pressed into the body it would carry part of the load, more so with longer steps.
static double heap_up(const GrScmBody *body, const GrScmHeap *h, GrScmRange r, int rim, double pressed, double dug,
                      GrScmScratch *s)
{
    const Rim found = find_rim(h, r, rim, s);
    const double by_area = 1 / (body->cell * body->cell);
    const double front = found.front > 0 ? pressed * by_area / found.front : 0;
    const double back = found.back > 0 ? dug * by_area / found.back : 0;
    double left = 0;
    for (int k = 0; k < found.count; k++) {
        const double rise = front * s->weights[2 * k] + back * s->weights[2 * k + 1];
        const double room = found.beside > 0 ? room_at(s, s->at[k]) : rise, held = rise < room ? rise : room;
        gr_scm_raise(s, s->at[k], held);
        left += rise - held;
    }
    const double more = left > 0 ? left / found.beside : 0;
    for (int k = 0; k < found.count && more > 0; k++) {
        if (!(s->cover[s->at[k]] > 0)) {
            gr_scm_raise(s, s->at[k], more * (s->weights[2 * k] + s->weights[2 * k + 1]));
        }
    }
    return (found.front > 0 ? pressed : 0) + (found.back > 0 ? dug : 0);
}

/// Writes `count` nodes of a tile's row.
static void write_row(GrRutsTile tile, int states, ptrdiff_t at, int count, const double *restrict change,
                      const double *restrict sinkage)
{
    double *restrict heights = tile.heights + at;
    float *restrict state = tile.states + at * states + GR_SCM_SINKAGE;
    for (int k = 0; k < count; k++) {
        heights[k] = change[k];
    }
    if (states == 1) {
        for (int k = 0; k < count; k++) {
            state[k] = (float)sinkage[k];
        }
    } else {
        for (int k = 0; k < count; k++) {
            state[(ptrdiff_t)k * states] = (float)sinkage[k];
        }
    }
}

/// Number of leading nodes of `count` whose height has not changed.
static int count_unchanged(const double *change, int count)
{
    int k = 0;
    while (k < count && change[k] == 0) {
        k++;
    }
    return k;
}

/// Writes the range back where it differs from the ruts, so that no tile is created unnecessarily.
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
            int first = 0; // a tile is made at the first node that has changed
            while (tile.heights == NULL && (first += count_unchanged(change + first, run - first)) < run) {
                tile = gr_ruts_tile_make(ruts, wi, wj);
                ledger->missing += tile.heights == NULL;
                first += tile.heights == NULL;
            }
            if (tile.heights != NULL) {
                write_row(tile, states, at + first, run - first, change + first, sinkage + first);
            }
            i += run;
        }
    }
}

/// Whether a body has moved to another cell in the last dt, or its rim has turned by one. Slopes are swept only then
/// and not at every step: a step is a small fraction of a cell, and soil that slumps later slumps as far.
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
    const bool sweep = body->flow && has_moved_on(body, pose, dt);
    if (!body->flow || nodes->count == 0 || !(lowered > 0 || sweep)) {
        return;
    }
    gr_scm_box_place(body, pose, s);
    const bool wheel = gr_scm_is_wheel(body);
    const int rim = sweep ? gr_scm_rim(body->cell) : 1;
    GrScmBands bands = {.range = {0}};
    if (wheel) {
        gr_scm_bands_find(body, pose, nodes, s, &bands);
    }
    GrScmRange range = bands.range;
    for (int j = range.j0; j < range.j1; j++) {
        s->dirty[j] = 0;
    }
    if (!wheel || sweep) { // else only the bands change
        range = mark_touched(nodes, s, rim, wheel ? &bands.range : NULL);
    }
    gr_scm_box_read(ruts, s, range);
    // other bodies have used the arrays since the evaluation
    GrScmRange under = {0};
    if (!wheel) {
        under = body->lower(body, NULL, pose, s);
    }
    if (lowered > 0) {
        const GrScmHeap heap = gr_scm_heap_of(pose);
        const double bulking = body->soil.bulking, behind = dug < lowered ? dug : lowered;
        const double pressed = bulking * (lowered - behind), thrown = bulking * behind;
        ledger->raised += wheel ? gr_scm_bands_raise(body, &heap, &bands, pressed, thrown, s)
                                : heap_up(body, &heap, range, rim, pressed, thrown, s);
    }
    if (sweep) {
        const int sweeps = (int)ceil(SWEEP_LENGTH / body->cell - 1e-9);
        hold_footprint(body, pose, range, under, s);
        gr_scm_slump(body, pose->centre.z, range, sweeps, s);
    }
    write_back(ruts, s, range, ledger);
}

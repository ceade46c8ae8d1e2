/// Writes the result of a step to the ruts: pressed nodes, soil that rises at the rim, and slopes that slump.
#include "scm_grid.h"

#include "ruts.h"

#include <string.h>

/// Number of sweeps over slopes for each cell that the body advances, times the cell size [m]. A sweep moves soil by a
/// fraction of a cell; as in a random walk, half the cell size needs four times as many sweeps for the same distance.
static const double SWEEP_LENGTH = 0.06;

/// Number of nodes, from k on, that are adjacent in one row of a tile. The list is sorted by rows, so checking the last
/// node of a run checks all before it. `guess`: that of the row before.
static int run_length(const GrScmNodes *nodes, int k, int guess)
{
    const int32_t *i = nodes->i + k, *j = nodes->j + k;
    const int left = GR_RUT_NODES - (i[0] & (GR_RUT_NODES - 1)), rest = nodes->count - k;
    const int most = left < rest ? left : rest;
    int run = guess < most ? guess : most;
    while (j[run - 1] != j[0] || i[run - 1] != i[0] + run - 1) {
        run--;
    }
    while (run < most && j[run] == j[0] && i[run] == i[0] + run) {
        run++;
    }
    return run;
}

/// Where two bodies press one node in the same step, the deeper one counts. Returns the sum of the decreases in height.
static double press_row(const GrScmNodes *nodes, int from, int count, double *restrict heights,
                        float *restrict sinkages, int states)
{
    const double *height = nodes->height + from;
    const float *sinkage = nodes->sinkage + from;
    double lowered = 0;
#pragma omp simd reduction(+ : lowered)
    for (int k = 0; k < count; k++) {
        const double before = heights[k], after = height[k] < before ? height[k] : before;
        lowered += before - after;
        heights[k] = after;
    }
    if (states == 1) {
#pragma omp simd
        for (int k = 0; k < count; k++) {
            sinkages[k] = sinkage[k] > sinkages[k] ? sinkage[k] : sinkages[k];
        }
    } else {
        for (int k = 0; k < count; k++) {
            float *to = &sinkages[(ptrdiff_t)k * states];
            *to = sinkage[k] > *to ? sinkage[k] : *to;
        }
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
        const int32_t i = nodes->i[k], j = nodes->j[k];
        run = run_length(nodes, k, run);
        if (i >> GR_RUT_SHIFT != ti || j >> GR_RUT_SHIFT != tj) {
            ti = i >> GR_RUT_SHIFT;
            tj = j >> GR_RUT_SHIFT;
            tile = gr_ruts_tile_make(ruts, i, j);
        }
        if (tile.heights == NULL) {
            ledger->missing += run;
            continue;
        }
        const ptrdiff_t at = (ptrdiff_t)(j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (ptrdiff_t)(i & (GR_RUT_NODES - 1));
        lowered += press_row(nodes, k, run, tile.heights + at, tile.states + at * states + GR_SCM_SINKAGE, states);
    }
    lowered *= body->cell * body->cell;
    ledger->displaced += lowered;
    return lowered;
}

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

/// Changes the height of a node. Raised soil is loose, over a compacted bottom that is now deeper by that amount, so
/// the node's sinkage decreases.
static inline void raise(GrScmScratch *s, int at, double by)
{
    s->change[at] += by;
    if (by > 0 && s->sinkage[at] > 0) {
        s->sinkage[at] = s->sinkage[at] > by ? s->sinkage[at] - by : 0;
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
        raise(s, s->at[k], held);
        left += rise - held;
    }
    const double more = left > 0 ? left / found.beside : 0;
    for (int k = 0; k < found.count && more > 0; k++) {
        if (!(s->cover[s->at[k]] > 0)) {
            raise(s, s->at[k], more * (s->weights[2 * k] + s->weights[2 * k + 1]));
        }
    }
    return (found.front > 0 ? pressed : 0) + (found.back > 0 ? dug : 0);
}

/// Neighbours of the nodes in a row, `to` behind them in the box; `repose` is the height difference at the angle of
/// repose. A pair moves down a quarter of the height by which it is steeper than that and than the undisturbed ground.
typedef struct Pairs {
    int to;
    double repose;
} Pairs;

/// Height by which a pair with these heights is too steep; `held` is the sum of those of its nodes.
static inline double excess_of(double first, double fall, double repose, double held)
{
    const double was = fabs(first);
    return fabs(fall) - (was > repose ? was : repose) - held;
}

/// Nodes of a row and their neighbours in the same row: each pair changes the next one. Returns whether any moved.
static bool slump_along(GrScmScratch *s, int at, int count, const Pairs *pairs)
{
    bool moved = false;
    for (int a = at; a < at + count; a++) {
        const int b = a + pairs->to;
        const double first = s->first[a] - s->first[b], fall = first + (s->change[a] - s->change[b]);
        const double excess = excess_of(first, fall, pairs->repose, s->depth[a] + s->depth[b]);
        if (excess > 0) {
            const double move = fall > 0 ? 0.25 * excess : -0.25 * excess;
            raise(s, a, -move);
            raise(s, b, move);
            moved = true;
        }
    }
    return moved;
}

/// Nodes of a row and their neighbours in the next one: no two pairs have a node in common.
static inline __attribute__((always_inline)) bool slump_across(GrScmScratch *s, int at, int count, const Pairs *pairs)
{
    const double *first_a = s->first + at, *first_b = first_a + pairs->to;
    const double *held_a = s->depth + at, *held_b = held_a + pairs->to, repose = pairs->repose;
    double *restrict change_a = s->change + at, *restrict change_b = s->change + at + pairs->to;
    double *restrict sinkage_a = s->sinkage + at, *restrict sinkage_b = s->sinkage + at + pairs->to;
    double most = 0;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < count; i++) {
        const double first = first_a[i] - first_b[i], fall = first + (change_a[i] - change_b[i]);
        const double excess = excess_of(first, fall, repose, held_a[i] + held_b[i]);
        const double part = excess > 0 ? 0.25 * excess : 0, down = fall > 0 ? part : 0, up = fall > 0 ? 0 : part;
        const double left_a = sinkage_a[i] - up, left_b = sinkage_b[i] - down;
        change_a[i] += up - down;
        change_b[i] += down - up;
        sinkage_a[i] = left_a > 0 ? left_a : 0;
        sinkage_b[i] = left_b > 0 ? left_b : 0;
        most = part > most ? part : most;
    }
    return most > 0;
}

/// Sweeps over the slopes of a range. Few of them move, those around the rut, and a sweep looks only at pairs whose
/// nodes have changed since they were last found flat enough; the others would not move. Rows are cut into segments,
/// and the visits of rows are counted.
///
/// A look is in single precision, at heights from a base and with limits that are lowered by more than its error: where
/// no pair exceeds them, none is too steep.
typedef struct Sweeps {
    GrScmRange range;
    int segments;   ///< of a row
    int32_t visit;  ///< number of the present one
    int from, to;   ///< segments of the present row, both included, between which nodes have changed
    double base;    ///< [m]
    Pairs pairs[4]; ///< with the neighbours to the east and in the next row to the north
    GrScmScratch *s;
} Sweeps;

/// Relative error of a difference of two heights in single precision, and of what it is compared with.
static const double SINGLE_ERROR = 2.5e-7;

/// Height of a node above the base. Outside the map it is the change alone: pairs across the edge have an unbounded
/// limit.
static inline double over_base(double first, double change, double base)
{
    return (first > -0.5 * GR_SCM_NOWHERE ? first - base : 0) + change;
}

/// Takes over heights of `count` nodes.
static inline void set_heights(const Sweeps *w, int at, int count)
{
    const double *first = w->s->first + at, *change = w->s->change + at, base = w->base;
    float *restrict height = w->s->height + at;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        height[i] = (float)over_base(first[i], change[i], base);
    }
}

/// Limits of `count` pairs, lowered by `slack`.
static void set_limits(const GrScmScratch *s, int at, int count, const Pairs *pairs, double slack,
                       float *restrict limit)
{
    const double *first_a = s->first + at, *first_b = first_a + pairs->to, repose = pairs->repose;
    const double *held_a = s->depth + at, *held_b = held_a + pairs->to;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const double was = fabs(first_a[i] - first_b[i]), most = (was > repose ? was : repose) + held_a[i] + held_b[i];
        limit[i] = (float)(most * (1 - 4 * SINGLE_ERROR) - slack);
    }
}

/// Largest distance of the heights from the base.
static double span_of(const Sweeps *w)
{
    const GrScmScratch *s = w->s;
    double span = 1e-3; // [m], far above the rounding errors of heights
    for (int j = w->range.j0; j < w->range.j1; j++) {
        const double *first = s->first + j * s->side, *change = s->change + j * s->side;
#pragma omp simd reduction(max : span)
        for (int i = w->range.i0; i < w->range.i1; i++) {
            const double off = fabs(over_base(first[i], change[i], w->base));
            span = off > span ? off : span;
        }
    }
    return span;
}

static Sweeps sweeps_of(const GrScmBody *body, double base, GrScmRange r, GrScmScratch *s)
{
    const double straight = body->tan_repose * body->cell, diagonal = 1.4142135623730951 * straight;
    const Sweeps w = {.range = r,
                      .segments = (r.i1 - r.i0 - 2 + GR_SCM_SEGMENT - 1) / GR_SCM_SEGMENT,
                      .base = base,
                      .pairs = {{1, straight}, {s->side, straight}, {s->side + 1, diagonal}, {s->side - 1, diagonal}},
                      .s = s};
    const double slack = SINGLE_ERROR * span_of(&w);
    for (int j = r.j0; j < r.j1; j++) {
        const int at = j * s->side + r.i0;
        set_heights(&w, at, r.i1 - r.i0);
        for (int q = 0; q < 4 && j < r.j1 - 1; q++) {
            set_limits(s, at + 1, r.i1 - r.i0 - 2, &w.pairs[q], slack, s->limit[q] + at + 1);
        }
        for (int k = j * w.segments; k < (j + 1) * w.segments; k++) {
            s->fresh[k] = 0;
            s->calm[k] = -1;
        }
    }
    return w;
}

/// Whether any of `count` pairs may be too steep. Most are not; inlined with a constant count, the loop unrolls whole.
static inline __attribute__((always_inline)) bool any_steep(const Sweeps *w, int at, int count, int kind)
{
    const float *a = w->s->height + at, *b = a + w->pairs[kind].to, *limit = w->s->limit[kind] + at;
    float worst = 0;
#pragma omp simd reduction(max : worst)
    for (int i = 0; i < count; i++) {
        const float excess = __builtin_fabsf(a[i] - b[i]) - limit[i];
        worst = excess > worst ? excess : worst;
    }
    return worst > 0;
}

/// Changes of height at both ends of a segment and next to it, in its row and in the next one.
typedef struct Ends {
    double left[4], right[4];
} Ends;

static inline Ends ends_of(const GrScmScratch *s, int at, int count)
{
    const double *low = s->change + at, *high = low + s->side, *low_end = low + count, *high_end = high + count;
    return (Ends){{low[-1], low[0], high[-1], high[0]}, {low_end[-1], low_end[0], high_end[-1], high_end[0]}};
}

static inline bool differ(const double a[4], const double b[4])
{
    return a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[3] != b[3];
}

/// Notes that pairs of a segment of row j have moved. The segments beside it have pairs with the nodes at its ends.
static void note_change(Sweeps *w, int j, int segment, const Ends *before, const Ends *after)
{
    int32_t *fresh = w->s->fresh + j * w->segments, *above = fresh + w->segments;
    fresh[segment] = above[segment] = w->visit;
    if (segment > 0 && differ(before->left, after->left)) {
        fresh[segment - 1] = above[segment - 1] = w->visit;
        w->from = segment - 1 < w->from ? segment - 1 : w->from;
    }
    if (segment + 1 < w->segments && differ(before->right, after->right)) {
        fresh[segment + 1] = above[segment + 1] = w->visit;
        w->to = segment + 1 > w->to ? segment + 1 : w->to;
    }
    w->s->dirty[j] = w->s->dirty[j + 1] = 1;
}

/// Moves those of `count` pairs that are too steep; whether there are any.
static bool slump_segment(Sweeps *w, int j, int segment, int at, int count, int kind)
{
    GrScmScratch *s = w->s;
    const Pairs *pairs = &w->pairs[kind];
    const Ends before = ends_of(s, at, count);
    const bool moved = kind == 0                 ? slump_along(s, at, count, pairs)
                       : count == GR_SCM_SEGMENT ? slump_across(s, at, GR_SCM_SEGMENT, pairs)
                                                 : slump_across(s, at, count, pairs);
    if (!moved) {
        return false;
    }
    const Ends after = ends_of(s, at, count);
    note_change(w, j, segment, &before, &after);
    set_heights(w, at, count + 1);
    if (kind != 0) {
        set_heights(w, at + s->side - 1, count + 2);
    }
    return true;
}

/// One kind of pairs of row j; whether any moved.
static bool slump_pairs(Sweeps *w, int j, int kind)
{
    const GrScmScratch *s = w->s;
    const int32_t *fresh = s->fresh + j * w->segments, *above = fresh + w->segments, *calm = s->calm + j * w->segments;
    const int start = j * s->side + w->range.i0 + 1, count = w->range.i1 - w->range.i0 - 2;
    bool moved = false;
    for (int k = w->from; k <= w->to; k++) {
        if (fresh[k] <= calm[k] && above[k] <= calm[k]) {
            continue;
        }
        const int at = start + k * GR_SCM_SEGMENT, left = count - k * GR_SCM_SEGMENT;
        const bool whole = left >= GR_SCM_SEGMENT;
        if (whole ? any_steep(w, at, GR_SCM_SEGMENT, kind) : any_steep(w, at, left, kind)) {
            moved = slump_segment(w, j, k, at, whole ? GR_SCM_SEGMENT : left, kind) || moved;
        }
    }
    return moved;
}

/// Finds the segments of row j whose nodes have changed since they were last found flat enough; false: there are none.
static bool find_changed(Sweeps *w, int j)
{
    const int32_t *fresh = w->s->fresh + j * w->segments, *above = fresh + w->segments;
    const int32_t *calm = w->s->calm + j * w->segments;
    w->from = 0;
    w->to = w->segments - 1;
    while (w->from <= w->to && fresh[w->from] <= calm[w->from] && above[w->from] <= calm[w->from]) {
        w->from++;
    }
    while (w->to > w->from && fresh[w->to] <= calm[w->to] && above[w->to] <= calm[w->to]) {
        w->to--;
    }
    return w->from <= w->to;
}

/// One sweep; whether any soil moved.
static bool slump(Sweeps *w)
{
    bool moved = false;
    for (int j = w->range.j0; j < w->range.j1 - 1; j++) {
        w->visit++;
        if (!find_changed(w, j)) {
            continue;
        }
        for (int q = 0; q < 4; q++) {
            moved = slump_pairs(w, j, q) || moved;
        }
        const int32_t *fresh = w->s->fresh + j * w->segments, *above = fresh + w->segments;
        int32_t *calm = w->s->calm + j * w->segments;
        for (int k = w->from; k <= w->to; k++) {
            calm[k] = fresh[k] == w->visit || above[k] == w->visit ? calm[k] : w->visit;
        }
    }
    return moved;
}

void gr_scm_slump(const GrScmBody *body, double base, GrScmRange range, int sweeps, GrScmScratch *s)
{
    Sweeps w = sweeps_of(body, base, range, s);
    bool moved = true;
    for (int k = 0; k < sweeps && moved; k++) {
        moved = slump(&w);
    }
}

/// Writes the range back where it differs from the ruts, so that no tile is created unnecessarily.
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

/// Slopes steeper than the angle of repose slump, in sweeps over pairs of neighbouring nodes.
#include "scm_grid.h"
#include "vmath.h"

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
            gr_scm_raise(s, a, -move);
            gr_scm_raise(s, b, move);
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

// ---- Distribution of the soil that a wheel displaces: over bands beside its contact, in front of it and behind it.
// All lengths are in metres along the wheel's own directions, so that the result depends neither on the cells nor on
// the heading.

/// Weight of a unit length of rim in front of a body, relative to one beside it. Soil pressed down by a wheel moves
/// sideways, and little is pushed ahead. If all were pushed ahead, the wheel would roll over it again and be lifted.
static const double FRONT_WEIGHT = 0.1;

/// Width of a band, divided by the wheel's radius; and its least width in cells.
static const double BAND = 0.2, BAND_CELLS = 1.5;

GrScmHeap gr_scm_heap_of(const GrScmPose *pose)
{
    // Speeds below this count as rest [m/s].
    const double slow = 1e-4;
    GrScmHeap h = {0};
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

void gr_scm_heap_weights(const GrScmHeap *h, double x, double y, double *front, double *back)
{
    const double ahead = x * h->ahead_x + y * h->ahead_y, dragged = x * h->back_x + y * h->back_y;
    const double beside = 1 - ahead * ahead, before = ahead > 0 ? FRONT_WEIGHT * ahead * ahead : 0;
    *front += 1 - h->moving + h->moving * (beside + before);
    *back += 1 - h->dragging + h->dragging * (dragged > 0 ? dragged : 0);
}

GrScmStrip gr_scm_strip_of(const GrScmBody *body, const GrScmPose *pose)
{
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], flat = 1 / sqrt(ax * ax + ay * ay);
    GrScmStrip strip = {.across_x = ax * flat, .across_y = ay * flat};
    strip.ramp = body->cell * (fabs(strip.across_x) + fabs(strip.across_y));
    strip.half = 0.5 * (body->width + strip.ramp);
    return strip;
}

/// The four bands: in front, behind, to the left (along the axle) and to the right.
enum { BEFORE, BEHIND, LEFT, RIGHT, BANDS };

/// Range of nodes that the bands may cover, within the box.
static GrScmRange range_of(const GrScmBody *body, const GrScmPose *pose, const GrScmBands *b, const GrScmScratch *s)
{
    const GrScmStrip *strip = &b->strip;
    const double middle = 0.5 * (b->front - b->behind), length = 0.5 * (b->front + b->behind) + b->width;
    const double side = strip->half + b->width, x = fabs(strip->across_x), y = fabs(strip->across_y);
    const double u = (pose->centre.x + middle * strip->across_y) / body->cell - (double)s->i0;
    const double v = (pose->centre.y - middle * strip->across_x) / body->cell - (double)s->j0;
    const double eu = (length * y + side * x) / body->cell, ev = (length * x + side * y) / body->cell,
                 end = s->side - 1;
    return (GrScmRange){(int)fmax(1, ceil(u - eu)), (int)fmin(end, floor(u + eu) + 1), (int)fmax(1, ceil(v - ev)),
                        (int)fmin(end, floor(v + ev) + 1)};
}

void gr_scm_bands_find(const GrScmBody *body, const GrScmPose *pose, const GrScmNodes *nodes, const GrScmScratch *s,
                       GrScmBands *b)
{
    b->strip = gr_scm_strip_of(body, pose);
    const GrScmStrip *strip = &b->strip;
    const double tip = body->radius + body->lug_height, arch = GR_SCM_ARCH * tip, by_ramp = 1 / strip->ramp;
    double first = 1e9, last = -1e9, covered = 0;
    for (int k = 0; k < nodes->count; k++) {
        const double x = s->offset_x[nodes->i[k] - s->i0], y = s->offset_y[nodes->j[k] - s->j0];
        const double t = x * strip->across_y - y * strip->across_x;
        const double part = (strip->half - fabs(x * strip->across_x + y * strip->across_y)) * by_ramp;
        first = t < first ? t : first;
        last = t > last ? t : last;
        covered += part < 1 ? part : 1;
    }
    const double more = 0.5 * strip->ramp, least = BAND_CELLS * strip->ramp;
    b->front = last + more;
    b->rear = more - first;
    b->width = BAND * tip > least ? BAND * tip : least;
    b->behind = b->rear > arch ? b->rear : arch;
    b->length = covered * body->cell * body->cell / body->width;
    b->range = range_of(body, pose, b, s);
}

/// Weights of the nodes in their band, which decrease to zero over its width, and their sum for each band.
static void weigh(const GrScmBands *b, GrScmScratch *s, double sums[BANDS])
{
    const GrScmStrip *strip = &b->strip;
    const GrScmRange r = b->range;
    const double by_width = 1 / b->width, by_ramp = 1 / strip->ramp, ax = strip->across_x, ay = strip->across_y;
    const double half = strip->half, front = b->front, rear = -b->rear, behind = b->behind;
    const double *places = s->offset_x + r.i0;
    const int count = r.i1 - r.i0;
    double sum_before = 0, sum_behind = 0, sum_left = 0, sum_right = 0;
    for (int j = r.j0; j < r.j1; j++) {
        const double y = s->offset_y[j], ty = -y * ax, qy = y * ay;
        double *restrict weights = s->cover + j * s->side + r.i0;
#pragma omp simd reduction(+ : sum_before, sum_behind, sum_left, sum_right)
        for (int i = 0; i < count; i++) {
            const double t = places[i] * ay + ty, q = places[i] * ax + qy, off = gr_abs(q) - half;
            const uint64_t ahead = gr_mask_greater(t, 0), within = gr_mask_greater(0, off);
            const uint64_t along = gr_mask_greater(front, t) & gr_mask_greater(t, rear);
            const double far = gr_select(within, gr_select(ahead, t - front, -t - behind), off);
            const double part = -off * by_ramp;
            const double across = gr_select(within, part < 1 ? part : 1, gr_keep(along, 1));
            const double left = 1 - far * by_width;
            const double weight = gr_keep(gr_mask_greater(left, 0) & ~gr_mask_greater(0, far), left * across);
            const double beside = gr_keep(~within, weight), ends = gr_keep(within, weight);
            const uint64_t leftward = gr_mask_greater(q, 0);
            sum_left += gr_keep(leftward, beside);
            sum_right += gr_keep(~leftward, beside);
            sum_before += gr_keep(ahead, ends);
            sum_behind += gr_keep(~ahead, ends);
            weights[i] = weight;
        }
    }
    sums[BEFORE] = sum_before;
    sums[BEHIND] = sum_behind;
    sums[LEFT] = sum_left;
    sums[RIGHT] = sum_right;
}

/// Heights of the four bands at weight 1, from the pressed and dug volumes.
static void share_out(const GrScmBody *body, const GrScmHeap *h, const GrScmBands *b, double pressed, double dug,
                      const double sums[BANDS], double heights[BANDS])
{
    const double ax = b->strip.across_x, ay = b->strip.across_y;
    const double normals[BANDS][2] = {{ay, -ax}, {-ay, ax}, {ax, ay}, {-ax, -ay}};
    double front[BANDS] = {0}, back[BANDS] = {0}, fronts = 0, backs = 0;
    for (int k = 0; k < BANDS; k++) {
        const double length = sums[k] > 0 ? (k < LEFT ? body->width : b->length) : 0;
        gr_scm_heap_weights(h, normals[k][0], normals[k][1], &front[k], &back[k]);
        front[k] *= length;
        back[k] *= length;
        fronts += front[k];
        backs += back[k];
    }
    const double by_area = 1 / (body->cell * body->cell);
    for (int k = 0; k < BANDS; k++) {
        const double volume = (fronts > 0 ? pressed * front[k] / fronts : 0) + (backs > 0 ? dug * back[k] / backs : 0);
        heights[k] = sums[k] > 0 ? volume * by_area / sums[k] : 0;
    }
}

double gr_scm_bands_raise(const GrScmBody *body, const GrScmHeap *h, const GrScmBands *b, double pressed, double dug,
                          GrScmScratch *s)
{
    double sums[BANDS], heights[BANDS];
    weigh(b, s, sums);
    share_out(body, h, b, pressed, dug, sums, heights);
    const double ax = b->strip.across_x, ay = b->strip.across_y, half = b->strip.half;
    const double before = heights[BEFORE], behind = heights[BEHIND], left = heights[LEFT], right = heights[RIGHT];
    const double *places = s->offset_x + b->range.i0;
    const int count = b->range.i1 - b->range.i0;
    for (int j = b->range.j0; j < b->range.j1; j++) {
        const int row = j * s->side + b->range.i0;
        const double y = s->offset_y[j], ty = -y * ax, qy = y * ay, *weights = s->cover + row;
        double *restrict change = s->change + row, *restrict sinkage = s->sinkage + row, any = 0;
#pragma omp simd reduction(max : any)
        for (int i = 0; i < count; i++) {
            const double t = places[i] * ay + ty, q = places[i] * ax + qy, weight = weights[i];
            const double beside = q > 0 ? left : right, ends = t > 0 ? before : behind;
            const double by = weight * (gr_abs(q) >= half ? beside : ends), rest = sinkage[i] - by;
            change[i] += by;
            sinkage[i] = rest > 0 ? rest : 0;
            any = by > any ? by : any;
        }
        s->dirty[j] = any > 0 ? 1 : s->dirty[j];
    }
    double raised = 0;
    for (int k = 0; k < BANDS; k++) {
        raised += heights[k] * sums[k];
    }
    return raised * body->cell * body->cell;
}

/// Distribution of the soil that a wheel displaces: over bands beside its contact, in front of it and behind it. All
/// lengths are in metres along the wheel's own directions, so that the result depends neither on the cells nor on the
/// heading.
#include "scm_grid.h"
#include "vmath.h"

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

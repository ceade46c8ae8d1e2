#include "rft_wheel.h"

#include "elementary.h"
#include "rft_batch.h"
#include "rft_surface.h"

#include <math.h>
#include <string.h>

/// A line of `count` pieces, at most GR_RFT_LINE. With e_r = (d sin, 0, −cos) away from the axle and e_t =
/// (cos, 0, d sin) along the rim, d = 1 ahead of the axle and −1 behind it:
///   p = far e_r + y ŷ,  n = radial e_r + tangential e_t + axial ŷ
enum { GR_RFT_LINE = 128 };

typedef struct GrRftLine {
    int count;
    const double *sin, *cos; ///< of the angle from the lowest point
    const double *far;       ///< distance from the axle over the body's size
    double side;             ///< d, 1 or −1
    double y;                ///< place across over the body's size
    double radial, tangential, axial;
    double friction; ///< as in GrRftElement
} GrRftLine;

/// As in GrRftElement. A piece above the ground has zeros.
typedef struct GrRftLoads {
    double load[GR_RFT_LINE], load_h[GR_RFT_LINE];
    double cohesive[GR_RFT_LINE], cohesive_h[GR_RFT_LINE];
} GrRftLoads;

/// Pieces from … to − 1.
typedef struct GrRftRange {
    int from, to;
} GrRftRange;

/// A count of pieces up to whole vectors. Rows of sines, cosines and distances have finite numbers up to there.
static inline int gr_rft_line_padded(int count)
{
    enum { LANES = 4 };
    return (count + LANES - 1) / LANES * LANES;
}

/// The range of those pieces that have a stress (gr_rft_meets()). False where there is none.
static bool rft_line_meets(const GrRftBatch *b, const GrRftLine *line, GrRftRange *range)
{
    const GrRftLine l = *line;
    const double q1 = b->q[1], q3 = b->q[3], q4 = b->q[4], q5 = b->q[5];
    const double qx = gr_fma(-q5, l.y, b->q[0]), qz = gr_fma(q3, l.y, b->q[2]);
    const int whole = gr_rft_line_padded(l.count);
    double met[GR_RFT_LINE]; // above 0 where a piece has a stress, see gr_rft_meets()
#pragma omp simd
    for (int i = 0; i < whole; i++) {
        const double ahead = l.side * l.sin[i], cos = l.cos[i], px = l.far[i] * ahead, pz = -l.far[i] * cos;
        const double dx = gr_fma(q4, pz, qx), dz = gr_fma(-q4, px, qz), dy = gr_fma(q5, px, gr_fma(-q3, pz, q1));
        const double out = gr_fma(-cos, dz, ahead * dx), along = gr_fma(cos, dx, ahead * dz);
        const double m = gr_fma(l.radial, out, gr_fma(l.tangential, along, l.axial * dy));
        const double square = gr_fma(dx, dx, gr_fma(dy, dy, dz * dz));
        met[i] = gr_max(m, gr_fma(-m, m, GR_RFT_FADE * GR_RFT_FADE * square));
    }
    int from = 0, to = l.count;
    // cppcheck-suppress uninitvar  ; the padded line is at least as long
    while (from < to && !(met[from] > 0)) {
        from++;
    }
    while (from < to && !(met[to - 1] > 0)) {
        to--;
    }
    *range = (GrRftRange){from, to};
    return from < to;
}

/// Adds pieces that fit into the batch.
static void push(GrRftBatch *b, const GrRftLine *line, const GrRftLoads *loads, int from, int count)
{
    const GrRftLine l = *line;
    const double q1 = b->q[1], q3 = b->q[3], q4 = b->q[4], q5 = b->q[5];
    const double qx = gr_fma(-q5, l.y, b->q[0]), qz = gr_fma(q3, l.y, b->q[2]);
    const int at = b->count;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const int k = from + i, e = at + i;
        const double ahead = l.side * l.sin[k], cos = l.cos[k], px = l.far[k] * ahead, pz = -l.far[k] * cos;
        b->n[0][e] = gr_fma(l.radial, ahead, l.tangential * cos);
        b->n[1][e] = l.axial;
        b->n[2][e] = gr_fma(-l.radial, cos, l.tangential * ahead);
        b->p[0][e] = px;
        b->p[1][e] = l.y;
        b->p[2][e] = pz;
        b->d[0][e] = gr_fma(q4, pz, qx);
        b->d[1][e] = gr_fma(q5, px, gr_fma(-q3, pz, q1));
        b->d[2][e] = gr_fma(-q4, px, qz);
        b->load[e] = loads->load[k];
        b->load_h[e] = loads->load_h[k];
        b->cohesive[e] = loads->cohesive[k];
        b->cohesive_h[e] = loads->cohesive_h[k];
        b->friction[e] = l.friction;
    }
    b->count += count;
    if (b->count == GR_RFT_BATCH) {
        gr_rft_flush(b);
    }
}

static bool carries(const GrRftLoads *loads, int i)
{
    return loads->load[i] > 0 || loads->cohesive[i] > 0;
}

/// Adds the pieces of a line that have a stress and a load.
static void rft_line_push(GrRftBatch *b, const GrRftLine *line, const GrRftRange *range, const GrRftLoads *loads)
{
    int from = range->from, to = range->to;
    while (from < to && !carries(loads, from)) {
        from++;
    }
    while (from < to && !carries(loads, to - 1)) {
        to--;
    }
    while (from < to) {
        const int room = GR_RFT_BATCH - b->count, count = to - from < room ? to - from : room;
        push(b, line, loads, from, count);
        from += count;
    }
}

// ---- wheels

/// A ring is divided at fixed angles, so that a piece does not move when the wheel sinks: its stress is that at its
/// middle, its depth is integrated exactly. Angles are graded, θ = Θ (x + 3 x²)/4, and end well above the axle's
/// height.
static const double LAST_ANGLE = 2; // Θ [rad]

/// Grousers that stand out to the side are outside the law: the free surface is not flat there.
static const double LAST_GROUSER = 1.5; // [rad]

enum { RIM_STRIPS = 16, SIDE_STRIPS = 4, SIDE_RINGS = 12, STRIPS_MAX = RIM_STRIPS };
_Static_assert(RIM_STRIPS % 4 == 0 && SIDE_STRIPS % 4 == 0, "strips are padded");
_Static_assert(RIM_STRIPS <= (int)GR_RFT_LINE && SIDE_STRIPS * SIDE_RINGS <= (int)GR_RFT_LINE, "lines have room");

/// Places across the width: Gauss's two points, so that tilting and steering see the right lever arm.
static const double ACROSS = 0.28867513459481287; // 1/√12

static double graded(double x)
{
    return x * (1 + 3 * x) * 0.25;
}

/// The strips of one side of the wheel, from the bottom up.
typedef struct Strips {
    int count;
    double edge[STRIPS_MAX + 1], edge_sin[STRIPS_MAX + 1], edge_cos[STRIPS_MAX + 1];
    double sin[STRIPS_MAX], cos[STRIPS_MAX];     ///< at the middle
    double dark[STRIPS_MAX], dark_h[STRIPS_MAX]; ///< share of the soil that grousers hold, see shadow()
} Strips;

/// Strips up to `angle`, of `all` up to LAST_ANGLE.
static void make_strips(int all, double angle, Strips *s)
{
    double middle[STRIPS_MAX];
    s->edge[0] = 0;
    int n = 0;
    while (n < all && s->edge[n] < angle) {
        n++;
        s->edge[n] = LAST_ANGLE * graded((double)n / all);
    }
    s->count = n;
    s->edge_sin[0] = 0;
    s->edge_cos[0] = 1;
    for (; n < gr_rft_line_padded(s->count); n++) {
        s->edge[n + 1] = LAST_ANGLE * graded((n + 1.0) / all);
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        middle[i] = 0.5 * (s->edge[i] + s->edge[i + 1]);
        s->sin[i] = gr_fast_sin(middle[i]);
        s->cos[i] = gr_fast_cos(middle[i]);
        s->edge_sin[i + 1] = gr_fast_sin(s->edge[i + 1]);
        s->edge_cos[i + 1] = gr_fast_cos(s->edge[i + 1]);
    }
}

/// Everything that the parts of a wheel share.
typedef struct Shape {
    const GrSoilWheel *w;
    const GrPatchInput *in;
    GrRftBatch *batch;
    double bottom;   ///< height of the ground below the axle [m], above 0 where the axle is above it
    double inverse;  ///< 1/(size of the body), its outer radius [1/m]
    double xi;       ///< ξ_n [N/m³]
    double friction; ///< of the surface
    double by_gap;   ///< 1/(gap between grousers); 0 without [1/m]
    // Trench of a ploughing wheel
    double along, across; ///< direction of ploughing
    double trench;        ///< U
    double depth;         ///< U h [m]
    double rear;          ///< of the contact, along that direction, < 0 [m]
    double per_length;    ///< 1/(length of the contact in that direction); 0 without ploughing [1/m]
    double longer;        ///< derivative of that length by h, over it [1/m]
    // Ground around the wheel
    bool uneven;       ///< it is not level
    double per_half;   ///< 1/(half the length of the contact) [1/m]
    double half_grows; ///< derivative of that half by h, over it [1/m]
} Shape;

GrRftPloughing gr_rft_ploughing(const GrSoilWheel *w, const GrPatchInput *in)
{
    const double side = in->side, drag = in->slip < 0 ? -in->slip : 0;
    const double x = in->roll * drag * sqrt(1 - side * side);
    return (GrRftPloughing){.x = x, .y = side, .square = w->soil.own[GR_RFT_PLOUGHING] * (x * x + side * side)};
}

/// Half the length of a contact along x, and its derivative by the sinkage.
static double half_length(const Shape *s, double *by_h)
{
    const double h = s->in->h, r = s->w->radius, half = h < r ? sqrt(h * (2 * r - h)) : r;
    *by_h = h < r ? (r - h) / half : 0;
    return half;
}

/// The contact reaches from the lowest line of the rim to its front end along x, and over the whole width along y.
static void dig_trench(const GrRftPloughing *ploughing, Shape *s)
{
    const double size = sqrt(ploughing->x * ploughing->x + ploughing->y * ploughing->y);
    if (!(ploughing->square > 0)) {
        return;
    }
    const double width = s->w->wheel.width;
    double half_h;
    const double half = half_length(s, &half_h);
    s->along = ploughing->x / size;
    s->across = ploughing->y / size;
    const double length = fabs(s->along) * half + fabs(s->across) * width;
    s->trench = ploughing->square;
    s->depth = ploughing->square * s->in->h;
    s->rear = -0.5 * fabs(s->across) * width;
    s->per_length = 1 / length;
    s->longer = fabs(s->along) * half_h * s->per_length;
}

/// Prepares for ground that is not level around the wheel. Returns the largest height of it above the contact plane.
static double look_around(Shape *s)
{
    const GrGroundAround *g = &s->in->around;
    s->uneven = g->known && (g->before != 0 || g->behind != 0 || g->left != 0 || g->right != 0);
    double by_h;
    const double half = half_length(s, &by_h);
    s->per_half = 1 / half;
    s->half_grows = by_h / half;
    return s->uneven ? fmax(fmax(g->before, g->behind), fmax(fmax(g->left, g->right), 0)) : 0;
}

/// How much lower than level the surface over a piece at (x, y) from the middle of the wheel is, U h (1 − σ) n_z² less
/// the height of the ground where the piece is or looks to, and its derivative by the sinkage. The ground before the
/// contact covers a piece at its front end, and none at its middle: (x/half)². The ground beside covers upright sides.
static inline double lowered(const Shape *s, double x, double y, double ny, double nz, double *by_h)
{
    const double sigma = (s->along * x + s->across * y - s->rear) * s->per_length;
    const double square = nz * nz, share = square * (1 - gr_min(gr_max(sigma, 0), 1));
    const double moving = sigma > 0 && sigma < 1 ? sigma : 0;
    const GrGroundAround *g = &s->in->around;
    const double u = x * s->per_half, end = gr_min(u * u, 1), beside = ny * ny, inside = u * u < 1 ? 2 : 0;
    const double ends = (1 - beside) * end * (x > 0 ? g->before : g->behind);
    *by_h = share * s->trench + square * s->depth * moving * s->longer + inside * ends * s->half_grows;
    return share * s->depth - ends - beside * (ny > 0 ? g->left : g->right);
}

static void fill(double *row, int count, double value)
{
    for (int i = 0; i < count; i++) {
        row[i] = value;
    }
}

/// The surface over the pieces of a line: how much lower than level it is, and the derivative by the sinkage.
typedef struct Surface {
    bool known;
    double lower[GR_RFT_LINE], lower_h[GR_RFT_LINE];
} Surface;

/// False where it is the same as over the last line: level ground without a trench.
static bool find_surface(const Shape *s, const GrRftLine *line, Surface *o)
{
    const GrRftLine l = *line;
    const double r = s->w->radius, y = l.y * r + s->in->y;
    if (o->known && !(s->depth > 0) && !s->uneven) {
        return false;
    }
    o->known = true;
#pragma omp simd
    for (int i = 0; i < gr_rft_line_padded(l.count); i++) {
        const double ahead = l.side * l.sin[i];
        double by_h;
        o->lower[i] = lowered(s, l.far[i] * ahead * r, y, l.axial, l.tangential * ahead - l.radial * l.cos[i], &by_h);
        o->lower_h[i] = by_h;
    }
    return true;
}

/// Share of the soil between two grousers that moves with the wheel, 0 … 1, and its derivative by the sinkage. The
/// wedge that a grouser pushes ahead of it reaches z tan(π/4 + φ/2) far where its tip is at depth z (Rankine): the next
/// grouser shadows it when the gap is not much longer.
static inline double shadow(const Shape *s, double cos, double *by_h)
{
    const double z = gr_max(s->w->radius * cos - s->bottom, 0), slope = s->w->own[GR_RFT_REACH] * s->by_gap;
    const double x = slope * z, two = x * x, four = two * two, share = 1 / (1 + four);
    *by_h = 4 * slope * two * x * share * share;
    return four * share;
}

static void find_shadows(const Shape *s, const double *cos, int count, double *dark, double *dark_h)
{
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double by_h;
        dark[i] = shadow(s, cos[i], &by_h);
        dark_h[i] = by_h;
    }
}

/// Takes a share of the loads that changes with the sinkage.
static inline void take_share(double share, double by_h, int i, GrRftLoads *o)
{
    o->load_h[i] = share * o->load_h[i] + by_h * o->load[i];
    o->cohesive_h[i] = share * o->cohesive_h[i] + by_h * o->cohesive[i];
    o->load[i] *= share;
    o->cohesive[i] *= share;
}

/// Part of the wheel's surface at radius R about the axle, where the depth is R cos θ − bottom. `width` is along its
/// generator: across the rim, or along the radius of a side disc.
typedef struct Ring {
    double radius, width;
    double pressure, cohesion; ///< ξ_n and c, or a share of them
} Ring;

/// Loads of strip i of a ring under a surface at height `bottom` below the axle, where ∂depth/∂h = `rise`. The strip is
/// in the ground as a whole.
static inline void load_strip(const Ring *r, const Strips *strips, double bottom, double rise, int i, int to,
                              GrRftLoads *o)
{
    const double angle = strips->edge[i + 1] - strips->edge[i], area = r->radius * r->width;
    const double depth = r->radius * (strips->edge_sin[i + 1] - strips->edge_sin[i]) - angle * bottom; // ∫ depth dθ
    o->load[to] = r->pressure * area * depth;
    o->load_h[to] = r->pressure * area * angle * rise;
    o->cohesive[to] = r->cohesion * area * angle;
    o->cohesive_h[to] = 0;
}

/// The same for a strip that may be above the ground, in part or as a whole.
static void cut_strip(const Ring *r, const Strips *strips, double bottom, double rise, int i, int to, GrRftLoads *o)
{
    const double c = bottom / r->radius, area = r->radius * r->width;
    const double end_sin = c < 1 ? sqrt(1 - c * c) : 0,
                 angle = c < strips->edge_cos[i] ? gr_acos(c) - strips->edge[i] : 0;
    const double depth = r->radius * (end_sin - strips->edge_sin[i]) - angle * bottom;
    o->load[to] = angle > 0 && depth > 0 ? r->pressure * area * depth : 0;
    o->load_h[to] = r->pressure * area * angle * rise;
    o->cohesive[to] = r->cohesion * area * angle;
    o->cohesive_h[to] = angle > 0 ? r->cohesion * r->width * rise / end_sin : 0;
}

/// Loads of the strips of a rim. `held`: see add_rim().
static void load_rim(const Shape *s, const Ring *r, const Strips *strips, const Surface *over, bool held, GrRftLoads *o)
{
    const int whole = gr_rft_line_padded(strips->count);
#pragma omp simd
    for (int i = 0; i < whole; i++) {
        load_strip(r, strips, s->bottom + over->lower[i], 1 - over->lower_h[i], i, i, o);
    }
    for (int i = 0; i < strips->count; i++) {
        const double bottom = s->bottom + over->lower[i];
        if (bottom > r->radius * strips->edge_cos[i + 1]) {
            cut_strip(r, strips, bottom, 1 - over->lower_h[i], i, i, o);
        }
    }
    const double base = held ? 0 : 1, sense = held ? 1 : -1;
#pragma omp simd
    for (int i = 0; i < whole; i++) {
        take_share(base + sense * strips->dark[i], sense * strips->dark_h[i], i, o);
    }
}

/// The outside of a ring, front and back, at two places across. `held`: it is the hull over the grousers' tips, and
/// counts as far as the floor below it is shadowed; the floor counts with the rest.
static void add_rim(const Shape *s, const Strips *strips, double radius, bool held)
{
    const Ring ring = {radius, 0.5 * s->in->width, s->xi, s->w->soil.cohesion};
    const double friction = held ? fmax(s->w->tan_phi, GR_RFT_LEAST_FRICTION) : s->friction;
    double far[STRIPS_MAX];
    fill(far, gr_rft_line_padded(strips->count), radius * s->inverse);
    GrRftLine line = {strips->count, strips->sin, strips->cos, far, .radial = 1, .friction = friction};
    GrRftRange range;
    GrRftLoads loads;
    Surface over;
    over.known = false; // not the rest: rows are long
    for (int k = 0; k < 4; k++) {
        line.side = k & 1 ? 1 : -1;
        line.y = (k & 2 ? ACROSS : -ACROSS) * s->in->width * s->inverse;
        if (rft_line_meets(s->batch, &line, &range)) {
            if (find_surface(s, &line, &over)) {
                load_rim(s, &ring, strips, &over, held, &loads);
            }
            rft_line_push(s->batch, &line, &range, &loads);
        }
    }
}

/// Pieces of a side disc.
typedef struct Side {
    int count;
    double sin[GR_RFT_LINE], cos[GR_RFT_LINE], far[GR_RFT_LINE];
    GrRftLoads loads;
} Side;

/// The pieces of a disc in ground of height `bottom` below the axle.
static void make_side(const Shape *s, const Strips *strips, double bottom, Side *o)
{
    const double radius = s->w->wheel.radius, share = 1.0 / s->w->slices;
    double outer = radius;
    int n = 0;
    for (int j = 0; j < SIDE_RINGS; j++) {
        const double inner = radius * (1 - graded((j + 1.0) / SIDE_RINGS)), middle = 0.5 * (inner + outer);
        const Ring r = {middle, outer - inner, share * s->xi, share * s->w->soil.cohesion};
        outer = inner;
        for (int i = 0; i < strips->count && bottom < middle * strips->edge_cos[i]; i++, n++) {
            if (bottom > middle * strips->edge_cos[i + 1]) {
                cut_strip(&r, strips, bottom, 1, i, n, &o->loads);
            } else {
                load_strip(&r, strips, bottom, 1, i, n, &o->loads);
            }
            o->sin[n] = strips->sin[i];
            o->cos[n] = strips->cos[i];
            o->far[n] = middle * s->inverse;
        }
    }
    o->count = n;
    fill(o->sin + n, gr_rft_line_padded(n) - n, 0);
    fill(o->cos + n, gr_rft_line_padded(n) - n, 1);
    fill(o->far + n, gr_rft_line_padded(n) - n, 0);
}

/// The two side discs, of which a wheel of several slices has its share in each. Upright: a trench does not change
/// their depth, but the ground beside the wheel does.
static void add_sides(const Shape *s, double angle)
{
    const double y = 0.5 * s->in->width * s->inverse, beside[2] = {s->in->around.right, s->in->around.left};
    Strips strips;
    Side side;
    make_strips(SIDE_STRIPS, angle, &strips);
    make_side(s, &strips, s->bottom - beside[0], &side);
    for (int k = 0; k < 4; k++) {
        if (k == 2 && beside[0] != beside[1]) {
            make_side(s, &strips, s->bottom - beside[1], &side);
        }
        const GrRftLine line = {side.count,
                                side.sin,
                                side.cos,
                                side.far,
                                .side = k & 1 ? 1 : -1,
                                .y = k & 2 ? y : -y,
                                .axial = k & 2 ? 1 : -1,
                                .friction = s->friction};
        GrRftRange range;
        if (side.count > 0 && rft_line_meets(s->batch, &line, &range)) {
            rft_line_push(s->batch, &line, &range, &side.loads);
        }
    }
}

/// Grousers that are added at once.
enum { GROUSERS = 32 };

typedef struct Grousers {
    int count;
    double sin[GROUSERS], cos[GROUSERS];
    double dark[GROUSERS], dark_h[GROUSERS];
} Grousers;

/// Loads of a part of the faces between two radii: the depth is linear along it, so that its integral is a difference
/// of squares.
static void load_faces(const Shape *s, const Grousers *g, double from, double to, const Surface *over, GrRftLoads *o)
{
    const double width = 0.5 * s->in->width, weight = s->xi * width, hold = s->w->soil.cohesion * width;
#pragma omp simd
    for (int i = 0; i < gr_rft_line_padded(g->count); i++) {
        const double cos = g->cos[i], bottom = s->bottom + over->lower[i], rise = 1 - over->lower_h[i];
        const double deep = gr_max(to * cos - bottom, 0), shallow = from * cos - bottom, top = gr_max(shallow, 0);
        const double inverse = 1 / cos, in = (deep - top) * inverse; // length in the ground
        const uint64_t cut = gr_mask_greater(deep, 0) & ~gr_mask_greater(shallow, 0);
        o->load[i] = weight * 0.5 * (deep + top) * in;
        o->load_h[i] = weight * in * rise;
        o->cohesive[i] = hold * in;
        o->cohesive_h[i] = gr_keep(cut, hold * rise * inverse);
        take_share(1 - g->dark[i], -g->dark_h[i], i, o);
    }
}

/// Both faces of the grousers between two radii.
static void add_faces(const Shape *s, const Grousers *g, double from, double to)
{
    double far[GROUSERS];
    fill(far, gr_rft_line_padded(g->count), 0.5 * (from + to) * s->inverse);
    GrRftLine line = {g->count, g->sin, g->cos, far, .side = 1, .friction = s->friction};
    GrRftRange range;
    GrRftLoads loads;
    Surface over;
    over.known = false; // not the rest: rows are long
    for (int k = 0; k < 4; k++) {
        line.tangential = k & 1 ? 1 : -1;
        line.y = (k & 2 ? ACROSS : -ACROSS) * s->in->width * s->inverse;
        if (rft_line_meets(s->batch, &line, &range)) {
            if (find_surface(s, &line, &over)) {
                load_faces(s, g, from, to, &over, &loads);
            }
            rft_line_push(s->batch, &line, &range, &loads);
        }
    }
}

/// The tips of the grousers, as wide as the grousers are thick.
static void add_tips(const Shape *s, const Grousers *g)
{
    const double weight = s->xi * 0.5 * s->in->width * s->w->wheel.grouser_thickness;
    double far[GROUSERS];
    fill(far, gr_rft_line_padded(g->count), 1);
    GrRftLine line = {g->count, g->sin, g->cos, far, .side = 1, .radial = 1, .friction = s->friction};
    GrRftRange range;
    GrRftLoads loads;
    Surface over;
    over.known = false; // not the rest: rows are long
    for (int k = 0; k < 2; k++) {
        line.y = (k ? ACROSS : -ACROSS) * s->in->width * s->inverse;
        if (rft_line_meets(s->batch, &line, &range)) {
            if (find_surface(s, &line, &over)) {
                for (int i = 0; i < g->count; i++) {
                    const double deep = s->w->radius * g->cos[i] - s->bottom - over.lower[i];
                    loads.load[i] = deep > 0 ? weight * deep : 0;
                    loads.load_h[i] = deep > 0 ? weight * (1 - over.lower_h[i]) : 0;
                    loads.cohesive[i] = loads.cohesive_h[i] = 0;
                }
            }
            rft_line_push(s->batch, &line, &range, &loads);
        }
    }
}

/// All grousers are alike, so that those between −angle and +angle follow from the phase of the wheel. Rolling forward
/// moves a grouser at the bottom backwards.
static void add_grousers(const Shape *s, double angle)
{
    const GrSoilWheelDef *wheel = &s->w->wheel;
    const double pitch = 2 * GR_PI / wheel->grouser_count, middle = 0.5 * (wheel->radius + s->w->radius);
    const double end = fmin(angle, LAST_GROUSER), phase = s->in->wheel_angle / pitch;
    const double shift = phase - floor(phase);
    const int last = (int)floor(shift + end / pitch);
    Grousers g;
    for (int at = (int)ceil(shift - end / pitch); at <= last; at += GROUSERS) {
        g.count = last + 1 - at < GROUSERS ? last + 1 - at : GROUSERS;
        const int whole = gr_rft_line_padded(g.count);
#pragma omp simd
        for (int i = 0; i < whole; i++) {
            const double turn = (at + (i < g.count ? i : 0) - shift) * pitch;
            g.sin[i] = gr_fast_sin(turn);
            g.cos[i] = gr_fast_cos(turn);
        }
        find_shadows(s, g.cos, whole, g.dark, g.dark_h);
        add_faces(s, &g, wheel->radius, middle);
        add_faces(s, &g, middle, s->w->radius);
        add_tips(s, &g);
    }
}

/// A piece of a wheel of any shape, turned by an angle of sine n and cosine c. The wheel rolls forward: what is at the
/// bottom moves back.
static void add_piece(const Shape *s, const GrSurfacePiece *k, double n, double c)
{
    const double x = c * k->middle.x + n * k->middle.z, z = c * k->middle.z - n * k->middle.x;
    double d[3], lower_h, dark_h, depth[3];
    GrRftElement e = {
        .n = {c * k->normal.x + n * k->normal.z, k->normal.y, c * k->normal.z - n * k->normal.x},
        .p = {x * s->inverse, k->middle.y * s->inverse, z * s->inverse},
        .friction = s->friction,
    };
    if (-z - s->bottom < -k->reach || !gr_rft_meets(s->batch, &e, d)) {
        return;
    }
    const double bottom = s->bottom + lowered(s, x, k->middle.y + s->in->y, e.n[1], e.n[2], &lower_h),
                 rise = 1 - lower_h;
    for (int j = 0; j < 3; j++) {
        depth[j] = n * k->corner[j].x - c * k->corner[j].z - bottom;
    }
    const GrWetted wet = gr_wetted(depth);
    const double weight = s->xi * k->area, hold = s->w->soil.cohesion * k->area;
    e.load = weight * wet.depth;
    e.load_h = weight * wet.share * rise;
    e.cohesive = hold * wet.share;
    e.cohesive_h = hold * wet.share_d * rise;
    if (k->recessed) {
        const double dark = shadow(s, -z / sqrt(x * x + z * z), &dark_h);
        e.load_h = (1 - dark) * e.load_h - dark_h * e.load;
        e.cohesive_h = (1 - dark) * e.cohesive_h - dark_h * e.cohesive;
        e.load *= 1 - dark;
        e.cohesive *= 1 - dark;
    }
    if (wet.share > 0) {
        gr_rft_push(s->batch, &e, d);
    }
}

/// A wheel of any shape. Pieces outside the arc in the ground are passed over, unless the axle is near the ground and
/// pieces at any angle may be in it. The margin is for those whose corners are in the arc.
static void add_surface(const Shape *s, const GrWheelSurface *surface, double angle)
{
    static const double NEAR = 0.3, MARGIN = 0.25;
    const double turn = s->in->wheel_angle, n = gr_sin(turn), c = gr_cos(turn);
    const bool all = s->bottom < NEAR * s->w->radius || angle + MARGIN > 3;
    const int from = all ? 0 : gr_wheel_surface_from(surface, turn - angle - MARGIN);
    const int to = all ? surface->count : gr_wheel_surface_from(surface, turn + angle + MARGIN);
    for (int i = from; i < (to < from ? surface->count : to); i++) {
        add_piece(s, &surface->pieces[i], n, c);
    }
    for (int i = 0; to < from && i < to; i++) {
        add_piece(s, &surface->pieces[i], n, c);
    }
}

void gr_rft_add_wheel(const GrSoilWheel *w, const GrPatchInput *in, const GrRftPloughing *ploughing, GrRftBatch *b)
{
    Strips strips;
    const bool grousers = w->radius > w->wheel.radius && w->wheel.grouser_count > 0;
    Shape s = {.w = w,
               .in = in,
               .batch = b,
               .bottom = w->radius - in->h,
               .inverse = w->inverse_radius,
               .xi = w->pressure,
               .friction = w->soil.own[GR_RFT_FRICTION]};
    dig_trench(ploughing, &s);
    const double highest = look_around(&s);
    if (grousers) {
        const double gap = 2 * GR_PI * w->wheel.radius / w->wheel.grouser_count - w->wheel.grouser_thickness;
        s.by_gap = 1 / fmax(gap, 1e-3 * w->wheel.grouser_height);
    }
    const double c = (s.bottom - highest) * w->inverse_radius, angle = c > -1 ? gr_acos(c) : GR_PI;
    make_strips(RIM_STRIPS, angle, &strips);
    find_shadows(&s, strips.cos, gr_rft_line_padded(strips.count), strips.dark, strips.dark_h);
    if (grousers) {
        add_rim(&s, &strips, w->radius, true);
    }
    if (w->wheel.surface != NULL) {
        add_surface(&s, w->wheel.surface, angle);
        return;
    }
    add_rim(&s, &strips, grousers ? w->wheel.radius : w->radius, false);
    if (grousers) {
        add_grousers(&s, angle);
    }
    add_sides(&s, angle);
}

#include "rft_wheel.h"

#include "rft_surface.h"

#include <math.h>
#include <string.h>

/// A ring is divided at fixed angles, so that a piece does not move when the wheel sinks: its stress is that at its
/// middle, its depth is integrated exactly. Angles are graded, θ = Θ (x + 3 x²)/4, and end well above the axle's
/// height.
static const double LAST_ANGLE = 2; // Θ [rad]

/// Grousers that stand out to the side are outside the law: the free surface is not flat there.
static const double LAST_GROUSER = 1.5; // [rad]

enum { RIM_STRIPS = 34, SIDE_STRIPS = 12, SIDE_RINGS = 16, STRIPS_MAX = RIM_STRIPS };

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
    double sin[STRIPS_MAX], cos[STRIPS_MAX]; ///< at the middle
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
    double depth;         ///< U h [m]
    double rear;          ///< of the contact, along that direction, < 0 [m]
    double per_length;    ///< 1/(length of the contact in that direction); 0 without ploughing [1/m]
    double longer;        ///< derivative of that length by h, over it [1/m]
} Shape;

GrRftPloughing gr_rft_ploughing(const GrSoilWheel *w, const GrPatchInput *in)
{
    const double side = in->side, drag = in->slip < 0 ? -in->slip : 0;
    const double x = in->roll * drag * sqrt(1 - side * side);
    return (GrRftPloughing){.x = x, .y = side, .square = w->soil.own[GR_RFT_PLOUGHING] * (x * x + side * side)};
}

/// The contact reaches from the lowest line of the rim to its front end along x, and over the whole width along y.
static void dig_trench(const GrRftPloughing *ploughing, Shape *s)
{
    const double size = sqrt(ploughing->x * ploughing->x + ploughing->y * ploughing->y);
    if (!(ploughing->square > 0)) {
        return;
    }
    const double h = s->in->h, r = s->w->radius, width = s->w->wheel.width;
    const double half = h < r ? sqrt(h * (2 * r - h)) : r, half_h = h < r ? (r - h) / half : 0;
    s->along = ploughing->x / size;
    s->across = ploughing->y / size;
    const double length = fabs(s->along) * half + fabs(s->across) * width;
    s->depth = ploughing->square * h;
    s->rear = -0.5 * fabs(s->across) * width;
    s->per_length = 1 / length;
    s->longer = fabs(s->along) * half_h * s->per_length;
}

/// How much lower than level the surface over a piece is, U h (1 − σ) n_z², and its derivative by the sinkage.
static inline double lowered(const Shape *s, const GrRftElement *e, double *by_h)
{
    *by_h = 0;
    if (!(s->depth > 0)) { // no trench
        return 0;
    }
    const double x = e->p[0] * s->w->radius, y = e->p[1] * s->w->radius + s->in->y;
    const double sigma = (s->along * x + s->across * y - s->rear) * s->per_length, n = e->n[2];
    const bool inside = sigma > 0 && sigma < 1;
    const double front = inside ? sigma : sigma > 0 ? 1 : 0, share = n * n * (1 - front);
    *by_h = share * s->depth / s->in->h + (inside ? n * n * s->depth * sigma * s->longer : 0);
    return share * s->depth;
}

/// Share of the soil between two grousers that moves with the wheel, 0 … 1, and its derivative by the sinkage. The
/// wedge that a grouser pushes ahead of it reaches z tan(π/4 + φ/2) far where its tip is at depth z (Rankine): the next
/// grouser shadows it when the gap is not much longer.
static double shadow(const Shape *s, double cos, double *by_h)
{
    const double z = s->w->radius * cos - s->bottom, reach = s->w->own[GR_RFT_REACH] * (z > 0 ? z : 0);
    const double two = reach * reach * s->by_gap * s->by_gap, four = two * two, share = 1 / (1 + four);
    *by_h = z > 0 ? 4 * four * share * share / z : 0;
    return four * share;
}

/// Part of the wheel's surface at radius R about the axle, where the depth is R cos θ − bottom. `width` is along its
/// generator: across the rim, or along the radius of a side disc.
typedef struct Ring {
    double radius, width;
    double bottom, bottom_h; ///< height of the ground's surface below the axle [m], and its derivative by the sinkage
} Ring;

/// Loads of strip i of a ring. False above the ground.
static bool load_strip(const Shape *s, const Ring *r, const Strips *strips, int i, GrRftElement *e)
{
    const double from = strips->edge[i], c = r->bottom / r->radius;
    if (!(c < strips->edge_cos[i])) {
        return false;
    }
    const bool last = c > strips->edge_cos[i + 1];
    const double end = last ? acos(c) : strips->edge[i + 1], end_sin = last ? sqrt(1 - c * c) : strips->edge_sin[i + 1];
    const double angle = end - from, area = r->radius * r->width, rise = -r->bottom_h;
    const double depth = r->radius * (end_sin - strips->edge_sin[i] - angle * c); // ∫ depth dθ
    e->load = s->xi * area * (depth > 0 ? depth : 0);
    e->load_h = s->xi * area * angle * rise;
    e->cohesive = s->w->soil.cohesion * area * angle;
    e->cohesive_h = last ? s->w->soil.cohesion * r->width * rise / end_sin : 0;
    return true;
}

/// Takes a share of a piece that changes with the sinkage.
static void take_share(double share, double by_h, GrRftElement *e)
{
    e->load_h = share * e->load_h + by_h * e->load;
    e->cohesive_h = share * e->cohesive_h + by_h * e->cohesive;
    e->load *= share;
    e->cohesive *= share;
}

/// The outside of a ring, front and back, at two places across. `held`: it is the hull over the grousers' tips, and
/// counts as far as the floor below it is shadowed; the floor counts with the rest.
static void add_rim(const Shape *s, const Strips *strips, double radius, bool held)
{
    const double far = radius * s->inverse, top = s->bottom / radius;
    GrRftElement e = {.friction = held ? fmax(s->w->tan_phi, GR_RFT_LEAST_FRICTION) : s->friction};
    for (int i = 0; i < strips->count && strips->edge_cos[i] > top; i++) {
        double dark_h, lower_h, d[3], known = -1; // loads are known for this lowering of the surface
        bool in = false;
        const double dark = shadow(s, strips->cos[i], &dark_h), cos = strips->cos[i];
        for (int k = 0; k < 4; k++) {
            const double sin = k & 1 ? strips->sin[i] : -strips->sin[i];
            e.n[0] = sin, e.n[1] = 0, e.n[2] = -cos;
            e.p[0] = far * sin, e.p[1] = (k & 2 ? ACROSS : -ACROSS) * s->in->width * s->inverse, e.p[2] = -far * cos;
            if (!gr_rft_meets(s->batch, &e, d)) {
                continue;
            }
            const double lower = lowered(s, &e, &lower_h);
            if (lower != known) {
                const Ring r = {radius, 0.5 * s->in->width, s->bottom + lower, lower_h - 1};
                in = load_strip(s, &r, strips, i, &e);
                take_share(held ? dark : 1 - dark, held ? dark_h : -dark_h, &e);
                known = lower;
            }
            if (in) {
                gr_rft_push(s->batch, &e, d);
            }
        }
    }
}

/// The two side discs, of which a wheel of several slices has its share in each.
static void add_sides(const Shape *s, double angle)
{
    Strips strips;
    make_strips(SIDE_STRIPS, angle, &strips);
    const double radius = s->w->wheel.radius, share = 1.0 / s->w->slices, y = 0.5 * s->in->width * s->inverse;
    double outer = radius;
    for (int j = 0; j < SIDE_RINGS; j++) {
        const double inner = radius * (1 - graded((j + 1.0) / SIDE_RINGS)), middle = 0.5 * (inner + outer);
        const Ring r = {middle, outer - inner, s->bottom, -1};
        outer = inner;
        const double far = middle * s->inverse;
        GrRftElement e = {.friction = s->friction};
        for (int i = 0; i < strips.count && load_strip(s, &r, &strips, i, &e); i++) {
            take_share(share, 0, &e);
            for (int k = 0; k < 4; k++) {
                const double left = k & 2 ? 1 : -1;
                e.n[0] = 0, e.n[1] = left, e.n[2] = 0;
                e.p[0] = far * (k & 1 ? strips.sin[i] : -strips.sin[i]), e.p[1] = left * y;
                e.p[2] = -far * strips.cos[i];
                gr_rft_add(s->batch, &e);
            }
        }
    }
}

/// Loads of a part of a grouser's face between two radii: the depth is linear along it, so that its integral is a
/// difference of squares. `bottom` is the height of the surface below the axle, `rise` the derivative of the depth by
/// the sinkage. False above the ground.
static bool load_face(const Shape *s, double cos, double from, double to, double bottom, double rise, GrRftElement *e)
{
    const double deep = to * cos - bottom, shallow = from * cos - bottom, width = 0.5 * s->in->width;
    if (!(deep > 0)) {
        return false;
    }
    const double top = shallow > 0 ? shallow : 0, in = (deep - top) / cos; // length in the ground
    const double c = s->w->soil.cohesion;
    e->load = s->xi * width * 0.5 * (deep + top) * in;
    e->load_h = s->xi * width * in * rise;
    e->cohesive = c * width * in;
    e->cohesive_h = shallow > 0 ? 0 : c * width * rise / cos;
    return true;
}

/// Both faces of a grouser between two radii.
static void add_face(const Shape *s, double sin, double cos, double from, double to)
{
    const double middle = 0.5 * (from + to) * s->inverse;
    double dark_h, d[3], lower_h;
    const double dark = shadow(s, cos, &dark_h);
    for (int k = 0; k < 4; k++) {
        const double ahead = k & 1 ? 1 : -1, y = (k & 2 ? ACROSS : -ACROSS) * s->in->width * s->inverse;
        GrRftElement e = {.n = {ahead * cos, 0, ahead * sin}, .p = {middle * sin, y, -middle * cos}};
        e.friction = s->friction;
        if (!gr_rft_meets(s->batch, &e, d)) {
            continue;
        }
        const double lower = lowered(s, &e, &lower_h);
        if (load_face(s, cos, from, to, s->bottom + lower, 1 - lower_h, &e)) {
            take_share(1 - dark, -dark_h, &e);
            gr_rft_push(s->batch, &e, d);
        }
    }
}

/// The tip of a grouser, as wide as the grouser is thick.
static void add_tip(const Shape *s, double sin, double cos)
{
    const double area = 0.5 * s->in->width * s->w->wheel.grouser_thickness;
    GrRftElement e = {.friction = s->friction, .n = {sin, 0, -cos}, .p = {sin, 0, -cos}};
    for (int k = 0; k < 2; k++) {
        double lower_h;
        e.p[1] = (k ? ACROSS : -ACROSS) * s->in->width * s->inverse;
        const double deep = s->w->radius * cos - s->bottom - lowered(s, &e, &lower_h);
        if (deep > 0 && area > 0) {
            e.load = s->xi * area * deep;
            e.load_h = s->xi * area * (1 - lower_h);
            gr_rft_add(s->batch, &e);
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
    for (int i = (int)ceil(shift - end / pitch); i <= last; i++) {
        const double at = (i - shift) * pitch, sin = gr_fast_sin(at), cos = gr_fast_cos(at);
        add_face(s, sin, cos, wheel->radius, middle);
        add_face(s, sin, cos, middle, s->w->radius);
        add_tip(s, sin, cos);
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
    const double bottom = s->bottom + lowered(s, &e, &lower_h), rise = 1 - lower_h;
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
        take_share(1 - dark, -dark_h, &e);
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
    const double turn = s->in->wheel_angle, n = sin(turn), c = cos(turn);
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
    if (grousers) {
        const double gap = 2 * GR_PI * w->wheel.radius / w->wheel.grouser_count - w->wheel.grouser_thickness;
        s.by_gap = 1 / fmax(gap, 1e-3 * w->wheel.grouser_height);
    }
    const double c = s.bottom * w->inverse_radius, angle = c > -1 ? acos(c) : GR_PI;
    make_strips(RIM_STRIPS, angle, &strips);
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

/// The lower surface of a wheel over the grid, in closed form: a cylinder, its crown, its lugs.
#include "elementary.h"
#include "scm_grid.h"

#include "ruts.h"
#include "vmath.h"

/// Radius at position s along the axle and angle θ in the wheel's frame, with its derivatives.
typedef struct Profile {
    double radius, by_angle, by_place;
} Profile;

/// Lugs are averaged over a cell: a box of the lug's width, averaged over one cell, is a trapezoid of the same area.
static Profile profile_at(const GrScmBody *b, double wheel_angle, double angle, double place)
{
    const double part = 2 * place / b->width;
    Profile p = {b->radius - b->crown * part * part, 0, -4 * b->crown * part / b->width};
    if (b->lugs > 0) {
        const double pitch = 2 * GR_PI / b->lugs;
        const double turn = (angle + wheel_angle - b->lug_twist * place) / pitch;
        // distance along the rim from the lug's middle
        const double off = (turn - floor(turn + 0.5)) * pitch * b->radius;
        const double top = b->lug_width < b->cell ? b->lug_width / b->cell : 1;
        const double rise = (0.5 * (b->lug_width + b->cell) - fabs(off)) / b->cell;
        const bool flank = rise > 0 && rise < top;
        const double slope = flank ? (off > 0 ? -1 : 1) * b->lug_height / b->cell : 0;
        p.radius += b->lug_height * (rise <= 0 ? 0 : flank ? rise : top);
        p.by_angle = slope * b->radius;
        p.by_place -= slope * b->radius * b->lug_twist;
    }
    return p;
}

/// Angle θ of a point in the wheel's frame.
static double angle_of(const GrScmPose *pose, GrVec3 radial)
{
    return gr_atan2(gr_dot(radial, gr_mat3_column(&pose->axes, 0)), -gr_dot(radial, gr_mat3_column(&pose->axes, 2)));
}

/// Height of the lowest point of a cylinder about the axle, at (x, y) from the centre: the vertical line meets it where
///   (1 − a_z²) z² − 2 a_z q z + x² + y² − q² − R² = 0,   q = x a_x + y a_y
static double cylinder_height(GrVec3 a, double x, double y, double radius)
{
    const double q = x * a.x + y * a.y, upright = 1 - a.z * a.z, b = a.z * q;
    const double c = x * x + y * y - q * q - radius * radius, under = b * b - upright * c;
    return under > 0 ? (b - sqrt(under)) / upright : GR_SCM_NOWHERE;
}

/// Crown and lugs: the radius where the vertical line meets the surface, by fixed-point iteration.
static double refine_height(const GrScmBody *b, const GrScmPose *pose, GrVec3 a, double x, double y, double z)
{
    for (int k = 0; k < 3 && z < GR_SCM_NOWHERE; k++) {
        const GrVec3 d = gr_vec3(x, y, z);
        const double place = gr_dot(d, a);
        const double angle = b->lugs > 0 ? angle_of(pose, gr_madd(d, -place, a)) : 0;
        z = cylinder_height(a, x, y, profile_at(b, pose->wheel_angle, angle, place).radius);
    }
    return z;
}

static int clamp_node(double x, int side)
{
    return x < 1 ? 1 : x > side - 1 ? side - 1 : (int)x;
}

/// Nodes of a rectangle in the wheel's axes, [rear, front] x [−half, half], with one more in front and behind, whose
/// slopes the outline needs, and one more all around.
static GrScmRange range_of(const GrScmBody *b, const GrScmPose *pose, const GrScmScratch *s, GrVec3 a, double rear,
                           double front, double half)
{
    // forward = axle × up
    const double flat = 1 / sqrt(a.x * a.x + a.y * a.y), fx = a.y * flat, fy = -a.x * flat;
    const double middle = 0.5 * (front + rear), long_half = 0.5 * (front - rear) + b->cell * (fabs(fx) + fabs(fy));
    const double ex = long_half * fabs(fx) + half * fabs(fy), ey = long_half * fabs(fy) + half * fabs(fx);
    const double u = (pose->centre.x + middle * fx) / b->cell - (double)s->i0;
    const double v = (pose->centre.y + middle * fy) / b->cell - (double)s->j0;
    return (GrScmRange){clamp_node(floor(u - ex / b->cell), s->side), clamp_node(ceil(u + ex / b->cell) + 1, s->side),
                        clamp_node(floor(v - ey / b->cell), s->side), clamp_node(ceil(v + ey / b->cell) + 1, s->side)};
}

/// A row of cylinder heights and covers at positions x and y from the centre, which is at height z; without branches,
/// so that it vectorises. With t the horizontal distance forward, perpendicular to the axle, z = (a_z q − √((1 −
/// a_z²)(R² − t²)))/(1 − a_z²).
static void cylinder_row(const GrScmBody *b, GrVec3 a, const double *places, double y, double centre, int count,
                         double *restrict lower, double *restrict cover)
{
    const double by_upright = 1 / (1 - a.z * a.z), r2 = b->radius * b->radius * by_upright;
    const double fx = a.y * by_upright, fy = -a.x * by_upright, lean = a.z * by_upright, qy = y * a.y, ty = y * fy;
    const double by_ramp = 1 / (b->cell * (fabs(a.x) + fabs(a.y))), half = 0.5 + 0.5 * b->width * by_ramp;
    const int whole = gr_scm_whole(count);
#pragma omp simd
    for (int i = 0; i < whole; i++) {
        const double q = gr_fma(places[i], a.x, qy), t = gr_fma(places[i], fx, ty);
        const double under = gr_fma(-t, t, r2);
        const double z = gr_fma(lean, q, -sqrt(under > 0 ? under : 0));
        const double ramp = gr_fma(-by_ramp, gr_abs(gr_fma(z, a.z, q)), half), held = ramp < 1 ? ramp : 1;
        lower[i] = centre + z;
        cover[i] = under > 0 && held > 1e-6 ? held : 0; // ignore cover from rounding errors
    }
}

/// Number of nodes compared in parallel.
enum { LANES = 4 };

/// Highest ground under the tread, in front of and behind the axle.
typedef struct Tops {
    double front[LANES], rear[LANES];
} Tops;

/// Area under a wheel in the top view: a strip of this half width about the line through the centre, perpendicular to
/// the axle.
typedef struct Strip {
    GrVec3 axle;
    double half;       ///< [m]
    double by_x, by_y; ///< inverses of the axle's components, 0 where these are nearly 0
} Strip;

/// Number of nodes below x in a row of `count` nodes that starts at `first`.
static int nodes_below(double x, double first, double by_cell, int count)
{
    const double k = (x - first) * by_cell;
    return k > 0 ? (k < count ? (int)k + 1 : count) : 0;
}

static inline void compare(const double *first, const double *change, double top[LANES])
{
    for (int k = 0; k < LANES; k++) {
        const double z = first[k] + change[k];
        top[k] = z > top[k] ? z : top[k];
    }
}

/// Compares nodes [from, to) of a row; the last few may be compared twice.
static inline void raise_top(const double *first, const double *change, int from, int to, double top[LANES])
{
    int i = from;
    for (; i + LANES <= to; i += LANES) {
        compare(first + i, change + i, top);
    }
    if (i < to && to - from >= LANES) {
        compare(first + to - LANES, change + to - LANES, top);
        return;
    }
    for (; i < to; i++) {
        const double z = first[i] + change[i];
        top[0] = z > top[0] ? z : top[0];
    }
}

static double highest_lane(const double top[LANES])
{
    double z = top[0];
    for (int k = 1; k < LANES; k++) {
        z = top[k] > z ? top[k] : z;
    }
    return z;
}

/// Updates the tops from the part of the strip in `count` nodes of row j from i on; `change` is their change of height.
static void raise_tops(const GrScmScratch *s, const Strip *strip, double cell, int i, int j, int count,
                       const double *change, Tops *tops)
{
    const double by_cell = 1 / cell, start = s->offset_x[i], far = 1e6, slack = 1e-3 * cell, y = s->offset_y[j];
    const GrVec3 a = strip->axle;
    const double *first = s->first + j * s->side + i, middle = -y * a.y * strip->by_x;
    const double beside = fabs(y * a.y) - strip->half;
    const double aside = strip->by_x != 0 ? strip->half * fabs(strip->by_x) : beside < slack ? far : -far;
    const double axle = strip->by_y != 0 ? y * a.x * strip->by_y : y * a.x < 0 ? -far : far;
    const int from = nodes_below(middle - aside - slack, start, by_cell, count);
    const int to = nodes_below(middle + aside + slack, start, by_cell, count);
    const int under = nodes_below(axle, start, by_cell, count);
    const int split = under < from ? from : under > to ? to : under;
    const bool turned = strip->by_y < 0; // columns run from front to rear
    raise_top(first, change, from, split, turned ? tops->front : tops->rear);
    raise_top(first, change, split, to, turned ? tops->rear : tops->front);
}

/// Searches only between the sides of the strip: soil beside the rut stays high behind the wheel.
static Tops highest(const GrScmBody *b, const GrRuts *ruts, const GrScmScratch *s, GrScmRange r, GrVec3 a, double half)
{
    static const double UNCHANGED[GR_RUT_NODES];
    const double thin = 1e-6;
    const Strip strip = {a, half, fabs(a.x) > thin ? 1 / a.x : 0, fabs(a.y) > thin ? 1 / a.y : 0};
    const int mask = GR_RUT_NODES - 1;
    Tops tops;
    for (int k = 0; k < LANES; k++) {
        tops.front[k] = tops.rear[k] = -GR_SCM_NOWHERE;
    }
    for (int j = r.j0, rows = 0; j < r.j1; j += rows) {
        rows = gr_scm_run_in_tile(s->j0, j, r.j1);
        for (int i = r.i0, columns = 0; i < r.i1; i += columns) {
            columns = gr_scm_run_in_tile(s->i0, i, r.i1);
            const double *heights = gr_ruts_tile_find(ruts, s->i0 + i, s->j0 + j).heights;
            const ptrdiff_t corner = (ptrdiff_t)((s->j0 + j) & mask) * GR_RUT_NODES + (ptrdiff_t)((s->i0 + i) & mask);
            for (int k = 0; k < rows; k++) {
                raise_tops(s, &strip, b->cell, i, j + k, columns,
                           heights != NULL ? heights + corner + (ptrdiff_t)k * GR_RUT_NODES : UNCHANGED, &tops);
            }
        }
    }
    return tops;
}

/// Horizontal distance from the axle to where the wheel leaves ground of this height.
static double reach_of(double tip, double axle, double ground)
{
    const double clear = axle - ground;
    return clear >= tip ? 0 : clear > 0 ? sqrt(tip * tip - clear * clear) : tip;
}

GrScmRange gr_scm_lower_wheel(const GrScmBody *b, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s)
{
    const GrVec3 a = gr_mat3_column(&pose->axes, 1);
    const double tip = b->radius + b->lug_height;
    if (1 - a.z * a.z < 0.1) { // lies on its side: handled as a cylinder (scm_convex.c)
        return (GrScmRange){0};
    }
    // A tilted wheel extends sideways by r a_z, and cells are covered up to half a cell beside it.
    const double half = 0.5 * b->width + 0.5 * b->cell * (fabs(a.x) + fabs(a.y)) + tip * fabs(a.z);
    const GrScmRange all = range_of(b, pose, s, a, -tip, tip, half);
    const Tops tops = highest(b, ruts, s, all, a, half);
    const double axle = pose->centre.z - 0.5 * b->width * fabs(a.z);
    const double front = reach_of(tip, axle, highest_lane(tops.front));
    const double rear = reach_of(tip, axle, highest_lane(tops.rear));
    if (front == 0 && rear == 0) {
        return (GrScmRange){0};
    }
    const GrScmRange range = range_of(b, pose, s, a, -rear, front, half);
    gr_scm_box_read(ruts, s, range);
    const double *places = s->offset_x + range.i0;
    const int count = range.i1 - range.i0;
    const bool smooth = b->crown == 0 && b->lugs == 0;
    for (int j = range.j0; j < range.j1; j++) {
        double *lower = s->lower + j * s->side + range.i0, *cover = s->cover + j * s->side + range.i0;
        const double y = s->offset_y[j];
        cylinder_row(b, a, places, y, pose->centre.z, count, lower, cover);
        for (int i = 0; !smooth && i < count; i++) {
            if (cover[i] > 0) {
                const double z = refine_height(b, pose, a, places[i], y, lower[i] - pose->centre.z);
                lower[i] = pose->centre.z + z;
                cover[i] = z < GR_SCM_NOWHERE ? cover[i] : 0;
            }
        }
    }
    return range;
}

void gr_scm_slope_wheel(const GrScmBody *b, const GrScmPose *pose, GrVec3 d, double *slope_x, double *slope_y)
{
    const GrVec3 a = gr_mat3_column(&pose->axes, 1);
    const double place = gr_dot(d, a);
    // Outward normal ∇F of F = |radial| − R(θ, s); z = z(x, y) on it has slopes −F_x/F_z, −F_y/F_z.
    GrVec3 outward = gr_madd(d, -place, a);
    if (b->crown > 0 || b->lugs > 0) {
        const double angle = angle_of(pose, outward), r = gr_norm(outward);
        const Profile p = profile_at(b, pose->wheel_angle, angle, place);
        const GrVec3 around = gr_madd(gr_scale(gr_cos(angle), gr_mat3_column(&pose->axes, 0)), gr_sin(angle),
                                      gr_mat3_column(&pose->axes, 2));
        outward = gr_madd(gr_madd(gr_scale(1 / r, outward), -p.by_angle / r, around), -p.by_place, a);
    }
    const double down = outward.z < 0 ? outward.z : -1e-300;
    const double zx = -outward.x / down, zy = -outward.y / down, size = sqrt(zx * zx + zy * zy);
    const double keep = size > GR_SCM_STEEPEST ? GR_SCM_STEEPEST / size : 1;
    *slope_x = keep * zx;
    *slope_y = keep * zy;
}

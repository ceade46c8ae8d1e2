/// The lower surface of a convex body over the grid: a polyhedron by the half-spaces of its faces, sphere and cylinder
/// in closed form.
///
///        outline of the corners, seen from above       cells inside it: the highest plane at the middle,
///            ______                                    z = max over faces that look down
///          /|      \                                   cells across the outline or an edge: cut into the
///         / |       \__                                parts of single faces, so that cover, mean height
///        /__|__________|                               and mean slope are exact
///
/// For polyhedra this gives the same as cutting triangles by the cells (tests/support/scm_mesh.h), at the cost of a few
/// planes per node.
#include "elementary.h"
#include "ruts.h"
#include "scm_grid.h"

#include <string.h>

enum {
    POLYGON_MAX = GR_SCM_CORNERS + 8,
    FACES_MAX = 2 * GR_SCM_CORNERS,
    ROUND_CORNERS = 64, ///< corners of the outline of a circle
};

/// Upward component of a wheel's axle at which its sides begin to press the soil, and at which they press it fully.
static const double LEANING_AXLE = 0.5, LYING_AXLE = 0.8;

/// Largest slope of the side of an upright cylinder: nearly a wall, cut by the cells like a face of a polyhedron.
static const double STEEPEST_SIDE = 50;

/// A polygon; lengths in cells, relative to the node nearest to the body's centre.
typedef struct Polygon {
    int count;
    double x[POLYGON_MAX], y[POLYGON_MAX];
} Polygon;

/// Faces that look down: z = z0 + zx x + zy y; only the fraction `share` of their area counts.
typedef struct Faces {
    int count;
    double z0[FACES_MAX], zx[FACES_MAX], zy[FACES_MAX], share[FACES_MAX];
} Faces;

/// A body at its pose, lengths in cells.
typedef struct Placed {
    const GrScmConvex *convex;
    GrVec3 centre, axis; ///< of the body; of a cylinder
    double radius, half;
    double sides; ///< fraction of a cylinder's caps that counts
    Faces faces;
} Placed;

/// The part of the body over one cell.
typedef struct Piece {
    double cover, z, zx, zy;
} Piece;

/// The part of a polygon with a + b x + c y ≥ 0 (Sutherland & Hodgman 1974).
static void cut(Polygon *p, double a, double b, double c)
{
    Polygon out;
    out.count = 0;
    for (int k = 0; k < p->count; k++) {
        const int n = k + 1 < p->count ? k + 1 : 0;
        const double here = a + b * p->x[k] + c * p->y[k], next = a + b * p->x[n] + c * p->y[n];
        if (here >= 0 && out.count < POLYGON_MAX) {
            out.x[out.count] = p->x[k];
            out.y[out.count++] = p->y[k];
        }
        if (((here > 0 && next < 0) || (here < 0 && next > 0)) && out.count < POLYGON_MAX) {
            const double t = here / (here - next);
            out.x[out.count] = p->x[k] + t * (p->x[n] - p->x[k]);
            out.y[out.count++] = p->y[k] + t * (p->y[n] - p->y[k]);
        }
    }
    p->count = out.count;
    for (int k = 0; k < out.count; k++) {
        p->x[k] = out.x[k];
        p->y[k] = out.y[k];
    }
}

/// Area and centroid; 0 for a polygon without area.
static double measure(const Polygon *p, double *cx, double *cy)
{
    double area = 0, mx = 0, my = 0;
    for (int k = 1; k + 1 < p->count; k++) {
        const double ax = p->x[k] - p->x[0], ay = p->y[k] - p->y[0];
        const double bx = p->x[k + 1] - p->x[0], by = p->y[k + 1] - p->y[0], part = 0.5 * (ax * by - ay * bx);
        area += part;
        mx += part * (ax + bx) / 3;
        my += part * (ay + by) / 3;
    }
    if (!(area > 0)) {
        return 0;
    }
    *cx = p->x[0] + mx / area;
    *cy = p->y[0] + my / area;
    return area;
}

// ---- the outline

/// Twice the area of the triangle of two corners of the hull and a third; > 0 when it turns left.
static double turns(const Polygon *p, int a, int b, double x, double y)
{
    return (p->x[b] - p->x[a]) * (y - p->y[a]) - (p->y[b] - p->y[a]) * (x - p->x[a]);
}

/// Convex hull, counterclockwise (Andrew 1979).
static void hull(Polygon *points, Polygon *out)
{
    const int n = points->count;
    for (int i = 1; i < n; i++) { // insertion sort, for few points
        const double x = points->x[i], y = points->y[i];
        int k = i;
        for (; k > 0 && (points->x[k - 1] > x || (points->x[k - 1] == x && points->y[k - 1] > y)); k--) {
            points->x[k] = points->x[k - 1];
            points->y[k] = points->y[k - 1];
        }
        points->x[k] = x;
        points->y[k] = y;
    }
    out->count = 0;
    for (int pass = 0, floor = 2; pass < 2; pass++, floor = out->count + 1) {
        for (int i = pass; i < n; i++) {
            const int at = pass == 0 ? i : n - 1 - i;
            while (out->count >= floor &&
                   turns(out, out->count - 2, out->count - 1, points->x[at], points->y[at]) <= 0) {
                out->count--;
            }
            out->x[out->count] = points->x[at];
            out->y[out->count++] = points->y[at];
        }
    }
    out->count -= out->count > 1; // the last is the first
}

static void add_point(Polygon *p, double x, double y)
{
    p->x[p->count] = x;
    p->y[p->count++] = y;
}

/// Polygon of a circle about a unit axis, with corners at its widest points in the top view, and with the area of the
/// circle.
static void add_circle(GrVec3 centre, GrVec3 axis, double radius, int corners, Polygon *p)
{
    const GrVec3 level = gr_cross(axis, gr_vec3(0, 0, 1));
    const GrVec3 wide = gr_norm(level) > 1e-9 ? gr_normalize(level) : gr_vec3(1, 0, 0), other = gr_cross(axis, wide);
    const double step = 2 * GR_PI / corners, size = radius * sqrt(step / gr_sin(step));
    for (int k = 0; k < corners; k++) {
        const GrVec3 at = gr_madd(gr_madd(centre, size * gr_cos(k * step), wide), size * gr_sin(k * step), other);
        add_point(p, at.x, at.y);
    }
}

static void find_outline(const Placed *b, const GrScmPose *pose, double by_cell, Polygon *out)
{
    Polygon points;
    points.count = 0;
    if (b->convex->kind == GR_SCM_SPHERE) {
        add_circle(b->centre, gr_vec3(0, 0, 1), b->radius, ROUND_CORNERS, &points);
    } else if (b->convex->kind == GR_SCM_CYLINDER) {
        add_circle(gr_madd(b->centre, b->half, b->axis), b->axis, b->radius, ROUND_CORNERS, &points);
        add_circle(gr_madd(b->centre, -b->half, b->axis), b->axis, b->radius, ROUND_CORNERS, &points);
    } else {
        for (int k = 0; k < b->convex->corner_count; k++) {
            const GrVec3 at = gr_mat3_mul_vec(&pose->axes, b->convex->corners[k]);
            add_point(&points, b->centre.x + at.x * by_cell, b->centre.y + at.y * by_cell);
        }
    }
    hull(&points, out);
}

// ---- polyhedra

static void add_face(Faces *f, double z0, double zx, double zy, double share)
{
    f->z0[f->count] = z0;
    f->zx[f->count] = zx;
    f->zy[f->count] = zy;
    f->share[f->count++] = share;
}

/// Planes of the faces that look down; coplanar faces count once.
static void find_faces(const GrScmConvex *c, const GrScmPose *pose, double by_cell, GrVec3 centre, Faces *out)
{
    out->count = 0;
    for (int k = 0; k < c->face_count; k++) {
        const GrVec3 n = gr_mat3_mul_vec(&pose->axes, c->normals[k]);
        if (!(n.z < -1e-6)) {
            continue;
        }
        const double zx = -n.x / n.z, zy = -n.y / n.z;
        const double z0 = c->offsets[k] * by_cell / n.z - zx * centre.x - zy * centre.y;
        bool known = false;
        for (int q = 0; q < out->count; q++) {
            known = known || fabs(out->z0[q] - z0) + fabs(out->zx[q] - zx) + fabs(out->zy[q] - zy) <
                                 1e-9 * (1 + fabs(zx) + fabs(zy));
        }
        if (!known) {
            add_face(out, z0, zx, zy, 1);
        }
    }
}

static double height_of(const Faces *f, int k, double x, double y)
{
    return f->z0[k] + f->zx[k] * x + f->zy[k] * y;
}

static int highest_at(const Faces *f, double x, double y)
{
    int best = 0;
    for (int k = 1; k < f->count; k++) {
        best = height_of(f, k, x, y) > height_of(f, best, x, y) ? k : best;
    }
    return best;
}

/// Whether face k can be the highest anywhere within a cell of (x, y) in either direction, where face `best` is the
/// highest.
static bool may_reach(const Faces *f, int k, int best, double x, double y)
{
    const double range = (fabs(f->zx[k] - f->zx[best]) + fabs(f->zy[k] - f->zy[best]));
    return height_of(f, best, x, y) - height_of(f, k, x, y) < range;
}

static bool is_on_one_face(const Faces *f, int best, double x, double y)
{
    for (int k = 0; k < f->count; k++) {
        if (k != best && may_reach(f, k, best, x, y)) {
            return false;
        }
    }
    return true;
}

/// Cuts a part of a cell with centroid (x, y) into the parts of single faces.
static Piece cut_by_faces(const Faces *f, const Polygon *part, double cover, double x, double y)
{
    if (f->count == 0) {
        return (Piece){0, 0, 0, 0};
    }
    const int best = highest_at(f, x, y);
    if (is_on_one_face(f, best, x, y)) {
        return (Piece){f->share[best] * cover, height_of(f, best, x, y), f->zx[best], f->zy[best]};
    }
    Piece out = {0, 0, 0, 0};
    for (int k = 0; k < f->count; k++) {
        if (k != best && !may_reach(f, k, best, x, y)) {
            continue;
        }
        Polygon p = *part;
        for (int q = 0; q < f->count && p.count > 2; q++) {
            if (q != k && (q == best || may_reach(f, q, best, x, y))) {
                cut(&p, f->z0[k] - f->z0[q], f->zx[k] - f->zx[q], f->zy[k] - f->zy[q]);
            }
        }
        double cx = 0, cy = 0;
        const double area = f->share[k] * measure(&p, &cx, &cy);
        out.cover += area;
        out.z += area * height_of(f, k, cx, cy);
        out.zx += area * f->zx[k];
        out.zy += area * f->zy[k];
    }
    const double scale = out.cover > 0 ? 1 / out.cover : 0;
    return (Piece){out.cover, out.z * scale, out.zx * scale, out.zy * scale};
}

// ---- round bodies

/// Tangent plane at (x, y, z) with the outward normal n, n.z < 0.
static void add_tangent(Faces *f, double x, double y, double z, GrVec3 n, double steepest)
{
    const double down = n.z < -1e-300 ? n.z : -1e-300, zx = -n.x / down, zy = -n.y / down;
    const double size = sqrt(zx * zx + zy * zy), keep = size > steepest ? steepest / size : 1;
    add_face(f, z - keep * (zx * x + zy * y), keep * zx, keep * zy, 1);
}

/// Tangent plane of a sphere, limited to GR_SCM_STEEPEST and continued as a cone.
static void sphere_at(const Placed *b, double x, double y, Faces *out)
{
    const double r = sqrt(x * x + y * y), by_steep = 1 / sqrt(1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double most = b->radius * GR_SCM_STEEPEST * by_steep, at = r < most ? r : most;
    const double z = -sqrt(b->radius * b->radius - at * at);
    add_tangent(out, x, y, z + GR_SCM_STEEPEST * (r - at), gr_vec3(x, y, r < most ? z : -r / GR_SCM_STEEPEST),
                GR_SCM_STEEPEST);
}

/// The vertical line meets the side where (1 − a_z²) z² − 2 a_z q z + x² + y² − q² − R² = 0, q = x a_x + y a_y, and the
/// lower cap where m · (x, y, z) = half; the higher of both is the surface.
static void cylinder_at(const Placed *b, double x, double y, Faces *out)
{
    const GrVec3 a = b->axis, m = a.z < 0 ? a : gr_neg(a);
    const double q = x * a.x + y * a.y, upright = 1 - a.z * a.z, by = a.z * q;
    const double under = by * by - upright * (x * x + y * y - q * q - b->radius * b->radius);
    if (upright > 1e-9) {
        const GrVec3 p = gr_vec3(x, y, (by - sqrt(under > 0 ? under : 0)) / upright);
        add_tangent(out, x, y, p.z, gr_madd(p, -gr_dot(p, a), a), STEEPEST_SIDE);
    }
    if (m.z < -1e-6) {
        add_face(out, b->half / m.z, -m.x / m.z, -m.y / m.z, b->sides);
    }
}

// ---- cells

/// The body over a whole cell around (x, y), or over the `part` of one with its centroid there. A round body is
/// replaced by its tangent plane.
static Piece piece_at(const Placed *b, const Polygon *part, double cover, double x, double y)
{
    if (b->convex->kind == GR_SCM_POLYHEDRON) {
        return cut_by_faces(&b->faces, part, cover, x, y);
    }
    const double cx = b->centre.x, cy = b->centre.y;
    Faces local;
    local.count = 0;
    if (b->convex->kind == GR_SCM_SPHERE) {
        sphere_at(b, x - cx, y - cy, &local);
    } else {
        cylinder_at(b, x - cx, y - cy, &local);
    }
    for (int k = 0; k < local.count; k++) {
        local.z0[k] -= local.zx[k] * cx + local.zy[k] * cy;
    }
    return cut_by_faces(&local, part, cover, x, y);
}

/// Interval of the outline on a line of constant y; false where they do not meet.
static bool chord(const Polygon *p, double y, double *left, double *right)
{
    bool found = false;
    for (int k = 0; k < p->count; k++) {
        const int n = k + 1 < p->count ? k + 1 : 0;
        const double a = p->y[k] - y, b = p->y[n] - y;
        if ((a <= 0 && b > 0) || (a >= 0 && b < 0)) {
            const double x = p->x[k] + a / (a - b) * (p->x[n] - p->x[k]);
            *left = found && *left < x ? *left : x;
            *right = found && *right > x ? *right : x;
            found = true;
        }
    }
    return found;
}

static void store(GrScmScratch *s, int at, const Piece *piece, double z, double cell)
{
    if (piece->cover > 1e-9) {
        s->cover[at] = piece->cover < 1 ? piece->cover : 1;
        s->lower[at] = z + piece->z * cell;
        s->slope_x[at] = piece->zx;
        s->slope_y[at] = piece->zy;
    }
}

/// The cells of a row; `row` is its part of the outline, relative to node (oi, oj) of the box.
static void fill_row(const Placed *b, const Polygon *outline, int j, int oi, int oj, double z, double cell,
                     GrScmScratch *s)
{
    Polygon row = *outline;
    cut(&row, 0.5 - j, 0, 1);
    cut(&row, 0.5 + j, 0, -1);
    double low = GR_SCM_NOWHERE, high = -GR_SCM_NOWHERE;
    for (int k = 0; k < row.count; k++) {
        low = row.x[k] < low ? row.x[k] : low;
        high = row.x[k] > high ? row.x[k] : high;
    }
    if (row.count < 3) {
        return;
    }
    double left[2] = {0, 0}, right[2] = {0, 0};
    const bool spans = chord(outline, j - 0.5, &left[0], &right[0]) && chord(outline, j + 0.5, &left[1], &right[1]);
    const double from = left[0] > left[1] ? left[0] : left[1], to = right[0] < right[1] ? right[0] : right[1];
    const int i0 = (int)fmax(1 - oi, floor(low + 0.5)), i1 = (int)fmin(s->side - 2 - oi, floor(high + 0.5));
    for (int i = i0; i <= i1; i++) {
        const int at = (j + oj) * s->side + i + oi;
        const bool whole = spans && i - 0.5 >= from && i + 0.5 <= to;
        Polygon part = {4, {i - 0.5, i + 0.5, i + 0.5, i - 0.5}, {j - 0.5, j - 0.5, j + 0.5, j + 0.5}};
        double cover = 1, x = i, y = j;
        if (!whole) {
            part = row;
            cut(&part, 0.5 - i, 1, 0);
            cut(&part, 0.5 + i, -1, 0);
            cover = measure(&part, &x, &y);
        }
        if (cover > 0) {
            const Piece piece = piece_at(b, &part, cover, x, y);
            store(s, at, &piece, z, cell);
        }
    }
}

/// Degree to which a wheel lies on its side: 0 upright, 1 lying.
static double lying(double axle_up)
{
    const double x = (fabs(axle_up) - LEANING_AXLE) / (LYING_AXLE - LEANING_AXLE), t = x < 0 ? 0 : x > 1 ? 1 : x;
    return t * t * (3 - 2 * t);
}

bool gr_scm_leans(const GrScmPose *pose)
{
    return fabs(pose->axes.m[2][1]) > LEANING_AXLE;
}

static void place(const GrScmBody *b, const GrScmPose *pose, GrVec3 centre, Placed *out)
{
    const double by_cell = 1 / b->cell;
    out->convex = &b->convex;
    out->centre = centre;
    out->axis = gr_vec3(pose->axes.m[0][1], pose->axes.m[1][1], pose->axes.m[2][1]);
    out->radius = b->convex.radius * by_cell;
    out->half = b->convex.half * by_cell;
    out->sides = b->convex.wheel ? lying(out->axis.z) : 1;
    out->faces.count = 0;
    if (b->convex.kind == GR_SCM_POLYHEDRON) {
        find_faces(&b->convex, pose, by_cell, centre, &out->faces);
    }
}

/// Clears the range and one node around it.
static void clear(GrScmScratch *s, GrScmRange r)
{
    for (int j = r.j0; j < r.j1; j++) {
        for (int at = j * s->side + r.i0; at < j * s->side + r.i1; at++) {
            s->cover[at] = s->slope_x[at] = s->slope_y[at] = 0;
            s->lower[at] = GR_SCM_NOWHERE;
        }
    }
}

static int inside(int i, int side)
{
    return i < 0 ? 0 : i > side ? side : i;
}

static GrScmRange scm_lower_convex(const GrScmBody *b, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s)
{
    const double u = pose->centre.x / b->cell, v = pose->centre.y / b->cell;
    const double ci = floor(u + 0.5), cj = floor(v + 0.5);
    const int oi = (int)((int64_t)ci - s->i0), oj = (int)((int64_t)cj - s->j0);
    Placed body;
    Polygon outline;
    place(b, pose, gr_vec3(u - ci, v - cj, 0), &body);
    find_outline(&body, pose, 1 / b->cell, &outline);
    double x0 = GR_SCM_NOWHERE, x1 = -GR_SCM_NOWHERE, y0 = GR_SCM_NOWHERE, y1 = -GR_SCM_NOWHERE;
    for (int k = 0; k < outline.count; k++) {
        x0 = outline.x[k] < x0 ? outline.x[k] : x0;
        x1 = outline.x[k] > x1 ? outline.x[k] : x1;
        y0 = outline.y[k] < y0 ? outline.y[k] : y0;
        y1 = outline.y[k] > y1 ? outline.y[k] : y1;
    }
    if (outline.count < 3) {
        return (GrScmRange){0};
    }
    const int j0 = (int)fmax(1 - oj, floor(y0 + 0.5)), j1 = (int)fmin(s->side - 2 - oj, floor(y1 + 0.5));
    const GrScmRange range = {inside((int)floor(x0 + 0.5) + oi - 1, s->side),
                              inside((int)floor(x1 + 0.5) + oi + 2, s->side), inside(j0 + oj - 1, s->side),
                              inside(j1 + oj + 2, s->side)};
    clear(s, range);
    if (ruts != NULL) {
        gr_scm_box_read(ruts, s, range);
    }
    for (int j = j0; j <= j1; j++) {
        fill_row(&body, &outline, j, oi, oj, pose->centre.z, b->cell, s);
    }
    return range;
}

// ---- clearance

/// Extent of the body along a world axis, on either side of its centre.
static void extent(const GrScmConvex *c, const GrScmPose *pose, int axis, double *low, double *high)
{
    const double *row = pose->axes.m[axis];
    if (c->kind == GR_SCM_POLYHEDRON) {
        *low = GR_SCM_NOWHERE;
        *high = -GR_SCM_NOWHERE;
        for (int k = 0; k < c->corner_count; k++) {
            const double at = row[0] * c->corners[k].x + row[1] * c->corners[k].y + row[2] * c->corners[k].z;
            *low = at < *low ? at : *low;
            *high = at > *high ? at : *high;
        }
        return;
    }
    const double across = 1 - row[1] * row[1];
    *high = c->kind == GR_SCM_SPHERE ? c->radius : c->radius * sqrt(across > 0 ? across : 0) + c->half * fabs(row[1]);
    *low = -*high;
}

/// Undisturbed ground of `count` nodes of row j from i on, out of the box of `s` if they are in it.
static void first_row(const GrScmBody *body, const GrScmScratch *s, int64_t i, int64_t j, int count, double *first)
{
    if (s != NULL && i >= s->i0 && i + count <= s->i0 + s->side && j >= s->j0 && j < s->j0 + s->side) {
        memcpy(first, s->first + (j - s->j0) * s->side + (i - s->i0), sizeof *first * (size_t)count);
        return;
    }
    for (int k = 0; k < count; k++) {
        first[k] = gr_scm_first_ground(body, i + k, j);
    }
}

/// Highest ground of `count` nodes.
static double row_top(const double *restrict first, const double *restrict change, int count)
{
    double top = -GR_SCM_NOWHERE;
#pragma omp simd reduction(max : top)
    for (int k = 0; k < count; k++) {
        const double z = first[k] + change[k];
        top = z > top ? z : top;
    }
    return top;
}

double gr_scm_clearance(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double ahead, GrScmScratch *s)
{
    static const double UNCHANGED[GR_RUT_NODES];
    const double by_cell = 1 / body->cell, x = pose->centre.x, y = pose->centre.y;
    double low[3], high[3], top = -GR_SCM_NOWHERE;
    for (int k = 0; k < 3; k++) {
        extent(&body->convex, pose, k, &low[k], &high[k]);
    }
    if (s != NULL) {
        gr_scm_box_place(body, pose, s);
    }
    const int64_t i0 = (int64_t)floor((x + low[0] - ahead) * by_cell),
                  i1 = (int64_t)ceil((x + high[0] + ahead) * by_cell);
    const int64_t j0 = (int64_t)floor((y + low[1] - ahead) * by_cell),
                  j1 = (int64_t)ceil((y + high[1] + ahead) * by_cell);
    for (int64_t i = i0, columns = 0; i <= i1; i += columns) {
        columns = gr_scm_run_in_tile(i, 0, (int)(i1 - i) + 1);
        const double *heights = NULL;
        for (int64_t j = j0; j <= j1; j++) {
            if (j == j0 || (j & (GR_RUT_NODES - 1)) == 0) {
                heights = gr_ruts_tile_find(ruts, i, j).heights;
            }
            const ptrdiff_t at = (ptrdiff_t)((j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (i & (GR_RUT_NODES - 1)));
            double first[GR_RUT_NODES];
            first_row(body, s, i, j, (int)columns, first);
            const double z = row_top(first, heights != NULL ? heights + at : UNCHANGED, (int)columns);
            top = z > top ? z : top;
        }
    }
    return pose->centre.z + low[2] - top;
}

// ---- preparation

/// Reach from the centre, and a bound on the area that the body can cover: half the surface of its bounding box.
static double measure_body(const GrScmConvex *c, double *area)
{
    if (c->kind == GR_SCM_SPHERE) {
        *area = GR_PI * c->radius * c->radius;
        return c->radius;
    }
    GrVec3 low = {-c->radius, -c->half, -c->radius}, high = {c->radius, c->half, c->radius};
    double reach = sqrt(c->radius * c->radius + c->half * c->half);
    if (c->kind == GR_SCM_POLYHEDRON) {
        low = high = c->corners[0];
        reach = 0;
        for (int k = 0; k < c->corner_count; k++) {
            const GrVec3 p = c->corners[k];
            low = gr_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = gr_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
            reach = fmax(reach, gr_norm(p));
        }
    }
    const GrVec3 e = gr_sub(high, low);
    *area = e.x * e.y + e.y * e.z + e.z * e.x;
    return reach;
}

GrStatus gr_scm_prepare_convex(const GrSoilDef *soil, const GrScmConvex *convex, double gravity, double cell,
                               GrScmBody *out, GrErrorLog *log)
{
    *out = (GrScmBody){.lower = scm_lower_convex, .convex = *convex};
    const bool polyhedron = convex->kind == GR_SCM_POLYHEDRON;
    if (polyhedron && !(convex->corner_count >= 4 && convex->corner_count <= GR_SCM_CORNERS &&
                        convex->face_count >= 4 && convex->face_count <= FACES_MAX)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "convex"},
                            "found %d corners and %d faces, allowed: 4 to %d and 4 to %d", convex->corner_count,
                            convex->face_count, GR_SCM_CORNERS, FACES_MAX);
    }
    if (!polyhedron && !(convex->radius > 0 && (convex->kind == GR_SCM_SPHERE || convex->half > 0))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "convex"},
                            "radius %g m and half length %g m must be above 0", convex->radius, convex->half);
    }
    double area;
    const double reach = measure_body(convex, &area), across = 2 * reach / cell + 3;
    GrStatus status = gr_soil_check(soil, log);
    const GrStatus grid = gr_scm_prepare_grid(soil, gravity, cell, reach, out, log);
    status = status != GR_OK ? status : grid;
    out->node_max = status == GR_OK ? (int)fmin(across * across, area / (cell * cell) + 8 * across) : 0;
    return status;
}

#include "manifold.h"

#include "elementary.h"

/// A face counts as touching when its normal is this close to the direction of least depth [1 − cos].
static const double ALIGNED_TOLERANCE = 1e-5;

/// The points of the shared face may fall short of the least depth by this fraction before the deepest point itself is
/// added.
static const double MISSED_SHARE = 0.1;

/// Below this sine of the angle between them, a line runs along a side of a face.
static const double ALONG_SINE = 0.1;

/// Lines touch along their length above this cosine of the angle between them, and below this sine of their inclination
/// to the plane of contact.
static const double PARALLEL_COSINE = 0.9998, LINE_SINE = 0.02;

static void place_feature(const GrPlacedConvex *p, GrVec3 direction, GrFeature *out)
{
    gr_convex_feature(p->convex, gr_mat3_tmul_vec(&p->rotation, direction), out);
    for (int i = 0; i < out->count; i++) {
        out->points[i] = gr_add(p->position, gr_mat3_mul_vec(&p->rotation, out->points[i]));
    }
    out->normal = out->count >= 3 ? gr_mat3_mul_vec(&p->rotation, out->normal) : direction;
}

/// Cuts off what is outside the plane through `at` with outward normal `n` (Sutherland & Hodgman 1974). A line (two
/// points) is cut at its ends.
static int clip(const GrVec3 *in, int count, GrVec3 n, GrVec3 at, GrVec3 *out)
{
    int kept = 0;
    const int edges = count == 2 ? 1 : count;
    if (count == 1) {
        out[0] = in[0];
        return gr_dot(n, gr_sub(in[0], at)) <= 0;
    }
    if (count == 2 && gr_dot(n, gr_sub(in[0], at)) <= 0) {
        out[kept++] = in[0];
    }
    for (int i = 0; i < edges; i++) {
        const GrVec3 p = in[i], q = in[(i + 1) % count];
        const double dp = gr_dot(n, gr_sub(p, at)), dq = gr_dot(n, gr_sub(q, at));
        if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
            if (kept < 2 * GR_FEATURE_SIZE) {
                out[kept++] = gr_madd(p, dp / (dp - dq), gr_sub(q, p));
            }
        }
        if (dq <= 0 && kept < 2 * GR_FEATURE_SIZE) {
            out[kept++] = q;
        }
    }
    return kept;
}

/// Corners of a polygon carry in proportion to the angle by which its border turns there, a right angle counting 1:
/// thus a corner that splits in two, or a point that appears in the middle of an edge when two faces rotate relative to
/// each other, changes nothing at first, and all together carry as much as the corners of a rectangle. Weights by area
/// were worse where faces share only a strip.
static double corner_weight(const GrVec3 *polygon, int count, int i, GrVec3 normal)
{
    if (count < 3) {
        return 1;
    }
    const GrVec3 in = gr_sub(polygon[i], polygon[(i + count - 1) % count]);
    const GrVec3 out = gr_sub(polygon[(i + 1) % count], polygon[i]);
    const double turn = gr_atan2(fabs(gr_dot(gr_cross(in, out), normal)), gr_dot(in, out));
    return turn / (GR_PI / 2);
}

/// Clips `other` by the sides of `face` and keeps what is behind it; returns the largest depth. A line may be up to
/// `beyond` outside a side that runs along it.
static double shared_points(const GrFeature *face, const GrFeature *other, double beyond, GrManifold *out)
{
    GrVec3 buffers[2][2 * GR_FEATURE_SIZE];
    GrVec3 *from = buffers[0], *to = buffers[1];
    int count = other->count;
    const GrVec3 line = count == 2 ? gr_normalize(gr_sub(other->points[1], other->points[0])) : gr_vec3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        from[i] = other->points[i];
    }
    for (int e = 0; e < face->count && count > 0; e++) {
        const GrVec3 p = face->points[e], q = face->points[(e + 1) % face->count];
        const GrVec3 side = gr_normalize(gr_cross(gr_sub(q, p), face->normal));
        const bool along = other->count == 2 && fabs(gr_dot(side, line)) < ALONG_SINE;
        count = clip(from, count, side, gr_madd(p, along ? beyond : 0, side), to);
        GrVec3 *keep = from;
        from = to;
        to = keep;
    }
    double deepest = 0;
    for (int i = 0; i < count && out->count < GR_MANIFOLD_SIZE; i++) {
        const double depth = gr_dot(face->normal, gr_sub(face->points[0], from[i]));
        const double weight = corner_weight(from, count, i, face->normal);
        if (depth > 0 && weight > 0) {
            out->points[out->count++] = (GrManifoldPoint){gr_madd(from[i], depth / 2, face->normal), depth, weight};
            deepest = fmax(deepest, depth);
        }
    }
    return deepest;
}

/// A line of a feature: the edge of its face that reaches farthest along `n`, or the line itself. False when it has
/// none, or none nearly perpendicular to `n`.
static bool line_of(const GrFeature *f, GrVec3 n, GrVec3 line[2])
{
    if (f->count < 2) {
        return false;
    }
    double highest = -INFINITY;
    for (int i = 0; i < (f->count == 2 ? 1 : f->count); i++) {
        const GrVec3 p = f->points[i], q = f->points[(i + 1) % f->count];
        const double height = gr_dot(n, gr_add(p, q));
        if (height > highest) {
            highest = height;
            line[0] = p;
            line[1] = q;
        }
    }
    return fabs(gr_dot(gr_normalize(gr_sub(line[1], line[0])), n)) < LINE_SINE;
}

static GrVec3 point_along(const GrVec3 line[2], GrVec3 t, double at)
{
    const GrVec3 d = gr_sub(line[1], line[0]);
    return gr_madd(line[0], (at - gr_dot(line[0], t)) / gr_dot(d, t), d);
}

/// Two lines side by side (a wheel on an edge) touch along their common length; a single point would jump from end to
/// end. Returns the largest depth.
static double shared_line(const GrFeature *of_a, const GrFeature *of_b, GrVec3 n, GrManifold *out)
{
    GrVec3 a[2], b[2];
    if (!line_of(of_a, n, a) || !line_of(of_b, gr_neg(n), b)) {
        return 0;
    }
    const GrVec3 t = gr_normalize(gr_sub(a[1], a[0])), u = gr_normalize(gr_sub(b[1], b[0]));
    if (fabs(gr_dot(t, u)) < PARALLEL_COSINE) {
        return 0;
    }
    const double a0 = gr_dot(a[0], t), a1 = gr_dot(a[1], t), b0 = gr_dot(b[0], t), b1 = gr_dot(b[1], t);
    const double ends[2] = {fmax(fmin(a0, a1), fmin(b0, b1)), fmin(fmax(a0, a1), fmax(b0, b1))};
    double deepest = 0;
    for (int i = 0; i < 2 && ends[0] < ends[1]; i++) {
        const GrVec3 pa = point_along(a, t, ends[i]), pb = point_along(b, t, ends[i]);
        const double depth = gr_dot(gr_sub(pa, pb), n);
        if (depth > 0) {
            out->points[out->count++] = (GrManifoldPoint){gr_scale(0.5, gr_add(pa, pb)), depth, 1};
            deepest = fmax(deepest, depth);
        }
    }
    return deepest;
}

static void convex_convex(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrManifold *out)
{
    GrPenetration deepest;
    if (!gr_penetration(a, b, likely, &deepest)) {
        return;
    }
    out->normal = deepest.normal;
    GrFeature of_a, of_b;
    place_feature(a, deepest.normal, &of_a);
    place_feature(b, gr_neg(deepest.normal), &of_b);
    const double aligned_a = of_a.count >= 3 ? gr_dot(of_a.normal, deepest.normal) : -1;
    const double aligned_b = of_b.count >= 3 ? -gr_dot(of_b.normal, deepest.normal) : -1;
    double covered = 0;
    if (fmax(aligned_a, aligned_b) > 1 - ALIGNED_TOLERANCE) { // the face's normal is more accurate than the search
        const bool on_a = aligned_a >= aligned_b;
        out->normal = on_a ? of_a.normal : gr_neg(of_b.normal);
        // When a wheel rolls over the face's edge, its line passes the edge by this much while the face still counts.
        // Cut at the edge itself, the line would lose its ends within a step, one after the other.
        const double beyond = sqrt(2 * ALIGNED_TOLERANCE) * gr_convex_reach(on_a ? b->convex : a->convex);
        covered = on_a ? shared_points(&of_a, &of_b, beyond, out) : shared_points(&of_b, &of_a, beyond, out);
    } else {
        covered = shared_line(&of_a, &of_b, deepest.normal, out);
    }
    if (covered < (1 - MISSED_SHARE) * deepest.depth && out->count < GR_MANIFOLD_SIZE) {
        out->points[out->count++] = (GrManifoldPoint){deepest.point, deepest.depth, 1};
    }
}

static double cuboid_distance(const GrConvex *c, GrVec3 p, GrVec3 *normal)
{
    const double at[3] = {p.x, p.y, p.z}, half[3] = {c->half.x, c->half.y, c->half.z};
    double over[3], n[3] = {0, 0, 0}, outside = 0;
    int inner = 0;
    for (int i = 0; i < 3; i++) {
        over[i] = fabs(at[i]) - half[i];
        inner = over[i] > over[inner] ? i : inner;
        if (over[i] > 0) {
            n[i] = copysign(over[i], at[i]);
            outside += over[i] * over[i];
        }
    }
    if (outside > 0) {
        *normal = gr_normalize(gr_vec3(n[0], n[1], n[2]));
        return sqrt(outside);
    }
    n[inner] = copysign(1, at[inner]);
    *normal = gr_vec3(n[0], n[1], n[2]);
    return over[inner];
}

static double cylinder_distance(const GrConvex *c, GrVec3 p, GrVec3 *normal)
{
    const double across = sqrt(p.x * p.x + p.z * p.z);
    const GrVec3 radial = across > 0 ? gr_vec3(p.x / across, 0, p.z / across) : gr_vec3(1, 0, 0);
    const GrVec3 axial = {0, copysign(1, p.y), 0};
    const double side = across - c->radius, cap = fabs(p.y) - c->half.y;
    if (side > 0 && cap > 0) {
        *normal = gr_normalize(gr_add(gr_scale(side, radial), gr_scale(cap, axial)));
        return gr_hypot(side, cap);
    }
    *normal = side > cap ? radial : axial;
    return fmax(side, cap);
}

/// Nearest point of a face's polygon to p, which is above its plane.
static GrVec3 nearest_on_face(const GrConvexMesh *m, int face, GrVec3 p)
{
    const int *loop = m->loops + m->starts[face];
    const int count = m->starts[face + 1] - m->starts[face];
    const GrVec3 n = m->normals[face];
    GrVec3 best = gr_madd(p, m->offsets[face] - gr_dot(n, p), n);
    double least = INFINITY;
    bool inside = true;
    for (int i = 0; i < count; i++) {
        const GrVec3 a = m->vertices[loop[i]], ab = gr_sub(m->vertices[loop[(i + 1) % count]], a);
        if (gr_dot(gr_cross(ab, n), gr_sub(p, a)) > 0) {
            inside = false;
        }
    }
    for (int i = 0; i < count && !inside; i++) {
        const GrVec3 a = m->vertices[loop[i]], ab = gr_sub(m->vertices[loop[(i + 1) % count]], a);
        const double t = fmin(1, fmax(0, gr_dot(gr_sub(p, a), ab) / gr_dot(ab, ab)));
        const GrVec3 q = gr_madd(a, t, ab);
        const double distance = gr_norm(gr_sub(p, q));
        if (distance < least) {
            least = distance;
            best = q;
        }
    }
    return best;
}

static double mesh_distance(const GrConvexMesh *m, GrVec3 p, GrVec3 *normal)
{
    double most = -INFINITY, least = INFINITY;
    for (int f = 0; f < m->face_count; f++) {
        const double above = gr_dot(m->normals[f], p) - m->offsets[f];
        if (above > most) {
            most = above;
            if (most <= 0) {
                *normal = m->normals[f];
            }
        }
        if (above > 0) {
            const GrVec3 away = gr_sub(p, nearest_on_face(m, f, p));
            const double distance = gr_norm(away);
            if (distance < least) {
                least = distance;
                *normal = distance > 0 ? gr_scale(1 / distance, away) : m->normals[f];
            }
        }
    }
    return most > 0 ? least : most;
}

double gr_convex_distance(const GrConvex *c, GrVec3 point, GrVec3 *normal)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE: {
        const double r = gr_norm(point);
        *normal = r > 0 ? gr_scale(1 / r, point) : gr_vec3(0, 0, 1);
        return r - c->radius;
    }
    case GR_CONVEX_CYLINDER:
        return cylinder_distance(c, point, normal);
    case GR_CONVEX_CUBOID:
        return cuboid_distance(c, point, normal);
    case GR_CONVEX_MESH:
        break;
    }
    return mesh_distance(c->mesh, point, normal);
}

/// A sphere is a point with a radius. `sign` is +1 when the sphere is b.
static void with_sphere(const GrPlacedConvex *other, const GrPlacedConvex *sphere, double sign, GrManifold *out)
{
    GrVec3 n;
    const GrVec3 local = gr_mat3_tmul_vec(&other->rotation, gr_sub(sphere->position, other->position));
    const double distance = gr_convex_distance(other->convex, local, &n);
    const double depth = sphere->convex->radius - distance;
    if (depth > 0) {
        const GrVec3 normal = gr_mat3_mul_vec(&other->rotation, n);
        out->normal = gr_scale(sign, normal);
        const GrVec3 point = gr_madd(sphere->position, depth / 2 - sphere->convex->radius, normal);
        out->points[0] = (GrManifoldPoint){point, depth, 1};
        out->count = 1;
    }
}

void gr_manifold(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrManifold *out)
{
    out->count = 0;
    if (b->convex->kind == GR_CONVEX_SPHERE) {
        with_sphere(a, b, 1, out);
    } else if (a->convex->kind == GR_CONVEX_SPHERE) {
        with_sphere(b, a, -1, out);
    } else {
        convex_convex(a, b, likely, out);
    }
}

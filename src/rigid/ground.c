/// Ground below bodies: rigid, and soil under loose bodies.
#include "ground.h"

#include "device_call.h"
#include "elementary.h"

#include <stddef.h>

// ---- rigid ground

/// Points of each rim of a cylinder.
enum { RIM_POINTS = 16, FOOT_ITERATIONS = 4 };

/// Largest slope of the ground between the points below the centre and the edge of a circle [rise over run].
static const double STEEPEST_SLOPE = 3;

/// |axis · normal| at which a cylinder begins to stand on its rims, and above which it stands only on them.
static const double RIM_COSINE_MIN = 0.80, RIM_COSINE_FULL = 0.95;

typedef struct Writer {
    const GrRigidGround *ground;
    GrGroundPoint *out;
    int count;
    double left_out; ///< Σ weight δ^1.5 of points that did not fit
    double gap;      ///< least distance of a point above the ground
} Writer;

/// Load of a point divided by the stiffness of the pair.
static double share(const GrGroundPoint *p)
{
    return p->weight * p->depth * sqrt(p->depth);
}

/// Replaces the shallowest point by the new one if that is deeper.
static void replace_shallowest(Writer *w, const GrGroundPoint *point)
{
    int shallowest = 0;
    for (int i = 1; i < w->count; i++) {
        shallowest = w->out[i].depth < w->out[shallowest].depth ? i : shallowest;
    }
    GrGroundPoint *least = &w->out[shallowest];
    w->left_out += share(point->depth > least->depth ? least : point);
    *least = point->depth > least->depth ? *point : *least;
}

/// Scales the kept points so that they also carry the load of those left out.
static void carry_left_out(Writer *w)
{
    double kept = 0;
    for (int i = 0; i < w->count; i++) {
        kept += share(&w->out[i]);
    }
    for (int i = 0; i < w->count && w->left_out > 0; i++) {
        w->out[i].weight *= 1 + w->left_out / kept;
    }
}

/// Adds a point of the shape, against the ground's tangent plane there.
static void write_point(Writer *w, GrVec3 p, double height, GrVec3 n, double weight, int feature)
{
    const double depth = (height - p.z) * n.z;
    if (!(depth > 0)) {
        w->gap = fmin(w->gap, -depth);
        return;
    }
    w->gap = 0;
    const GrGroundPoint point = {gr_madd(p, depth / 2, n), n, depth, weight, feature};
    if (w->count == GR_GROUND_POINTS) {
        replace_shallowest(w, &point);
        return;
    }
    w->out[w->count++] = point;
}

static void try_point(Writer *w, GrVec3 p, double weight, int feature)
{
    double height;
    GrVec3 n;
    if (weight > 0 && GR_CALL(height, w->ground->at, w->ground->context, p.x, p.y, &height, &n)) {
        write_point(w, p, height, n, weight, feature);
    }
}

/// The point of a sphere (axis zero) or of a circle about a unit axis that is deepest: p = c − r e with e the ground's
/// normal at p, for a circle its component perpendicular to the axis. Found by iteration, since the normal changes
/// little over the patch.
static bool deepest_of_round(const GrRigidGround *ground, GrVec3 c, GrVec3 axis, double r, GrVec3 *point,
                             GrVec3 *normal, double *height)
{
    GrVec3 p = gr_vec3(c.x, c.y, c.z - r);
    for (int i = 0; i < FOOT_ITERATIONS; i++) {
        if (!GR_CALL(height, ground->at, ground->context, p.x, p.y, height, normal)) {
            return false;
        }
        const GrVec3 e = gr_normalize(gr_madd(*normal, -gr_dot(*normal, axis), axis));
        const GrVec3 next = gr_madd(c, -r, e);
        const double moved = gr_norm(gr_sub(next, p));
        p = next;
        if (moved < 1e-12 * r && i > 0) {
            break;
        }
    }
    *point = p;
    return GR_CALL(height, ground->at, ground->context, p.x, p.y, height, normal);
}

static void try_round(Writer *w, GrVec3 c, GrVec3 axis, double r, double weight, int feature)
{
    GrVec3 p, n;
    double height;
    if (weight > 0 && deepest_of_round(w->ground, c, axis, r, &p, &n, &height)) {
        write_point(w, p, height, n, weight, feature);
    }
}

static double smooth_step(double from, double to, double x)
{
    const double t = fmin(1, fmax(0, (x - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

static GrVec3 slice_centre(const GrPlacedConvex *p, GrVec3 axis, int i)
{
    return gr_madd(p->position, p->convex->half.y * (2.0 * i / (GR_CYLINDER_SLICES - 1) - 1), axis);
}

/// Lower bound of the height of a circle of any tilt above the ground, for slopes up to STEEPEST_SLOPE; 0 where it may
/// touch. `normal`: of the ground below its centre.
static double circle_gap(const GrRigidGround *ground, GrVec3 c, double r, GrVec3 *normal)
{
    double height;
    if (!GR_CALL(height, ground->at, ground->context, c.x, c.y, &height, normal)) {
        *normal = gr_vec3(0, 0, 1);
        return 0;
    }
    return fmax(0, (c.z - (1 + STEEPEST_SLOPE) * r - height) * normal->z);
}

static void cylinder_points(Writer *w, const GrPlacedConvex *p)
{
    const GrConvex *c = p->convex;
    const GrMat3 *r = &p->rotation;
    const GrVec3 axis = {r->m[0][1], r->m[1][1], r->m[2][1]};
    GrVec3 n, at_end;
    double gap = circle_gap(w->ground, p->position, c->radius, &n);
    for (int i = 0; i < GR_CYLINDER_SLICES && gap > 0; i += GR_CYLINDER_SLICES - 1) { // both ends
        gap = fmin(gap, circle_gap(w->ground, slice_centre(p, axis, i), c->radius, &at_end));
    }
    if (gap > 0) {
        w->gap = gap;
        return;
    }
    const double standing = smooth_step(RIM_COSINE_MIN, RIM_COSINE_FULL, fabs(gr_dot(axis, n)));
    for (int i = 0; i < GR_CYLINDER_SLICES; i++) {
        try_round(w, slice_centre(p, axis, i), axis, c->radius, 1 - standing, i);
    }
    if (standing > 0) {
        for (int i = 0; i < 2 * RIM_POINTS; i++) {
            const double angle = 2 * GR_PI * i / RIM_POINTS;
            const GrVec3 rim = {c->radius * gr_sin(angle), i < RIM_POINTS ? c->half.y : -c->half.y,
                                c->radius * gr_cos(angle)};
            try_point(w, gr_add(p->position, gr_mat3_mul_vec(r, rim)), standing, GR_CYLINDER_SLICES + i);
        }
    }
}

/// Corners, middles of edges and middles of faces.
static void cuboid_points(Writer *w, const GrPlacedConvex *p)
{
    const GrVec3 half = p->convex->half;
    for (int i = 0; i < 27; i++) {
        if (i != 13) {
            const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
            const GrVec3 at = {x * half.x, y * half.y, z * half.z};
            try_point(w, gr_add(p->position, gr_mat3_mul_vec(&p->rotation, at)), 1, i);
        }
    }
}

/// Points of a round mesh together carry at most as much as `carriers` points at the largest depth, so that the force
/// does not grow with the number of points. Forces are proportional to δ^1.5, so a point that just comes into contact
/// changes nothing.
static void share_weights(Writer *w, double carriers)
{
    double deepest = 0, sum = 0;
    for (int i = 0; i < w->count; i++) {
        deepest = fmax(deepest, w->out[i].depth);
    }
    for (int i = 0; i < w->count; i++) {
        const double part = w->out[i].depth / deepest;
        sum += part * sqrt(part);
    }
    for (int i = 0; i < w->count; i++) {
        w->out[i].weight = fmin(1, carriers / sum);
    }
}

static void mesh_points(Writer *w, const GrPlacedConvex *p)
{
    const GrConvexMesh *m = p->convex->mesh;
    for (int i = 0; i < m->vertex_count; i++) {
        try_point(w, gr_add(p->position, gr_mat3_mul_vec(&p->rotation, m->vertices[i])), 1, i);
    }
    for (int f = 0; f < m->face_count; f++) {
        GrVec3 middle = {0, 0, 0};
        const int count = m->starts[f + 1] - m->starts[f];
        for (int i = m->starts[f]; i < m->starts[f + 1]; i++) {
            middle = gr_madd(middle, 1.0 / count, m->vertices[m->loops[i]]);
        }
        try_point(w, gr_add(p->position, gr_mat3_mul_vec(&p->rotation, middle)), 1, m->vertex_count + f);
    }
    if (p->convex->carriers > 0) {
        share_weights(w, p->convex->carriers);
    } else {
        carry_left_out(w);
    }
}

/// Height of the bounding sphere of the shape above the ground, for slopes up to STEEPEST_SLOPE.
static double ball_gap(const GrRigidGround *ground, const GrPlacedConvex *p)
{
    const double reach = gr_convex_reach(p->convex);
    double highest = -INFINITY;
    for (int i = 0; i < 5; i++) {
        const double x = p->position.x + (i == 1 ? reach : i == 2 ? -reach : 0);
        const double y = p->position.y + (i == 3 ? reach : i == 4 ? -reach : 0);
        double height;
        GrVec3 n;
        if (GR_CALL(height, ground->at, ground->context, x, y, &height, &n)) {
            highest = fmax(highest, height + reach * sqrt(fmax(0, 1 - n.z * n.z)) / n.z);
        }
    }
    return p->position.z - reach - highest;
}

int gr_ground_most_points(const GrConvex *c)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return 1;
    case GR_CONVEX_CYLINDER:
        return GR_CYLINDER_SLICES + 2 * RIM_POINTS;
    case GR_CONVEX_CUBOID:
        return 26;
    case GR_CONVEX_MESH: {
        const int points = c->mesh->vertex_count + c->mesh->face_count;
        return points < GR_GROUND_POINTS ? points : GR_GROUND_POINTS;
    }
    }
    return GR_GROUND_POINTS;
}

int gr_ground_points(const GrRigidGround *ground, const GrPlacedConvex *p, GrGroundPoint *out, double *gap)
{
    *gap = INFINITY;
    if (ground->at == NULL) {
        return 0;
    }
    Writer w = {ground, out, 0, 0, INFINITY};
    const bool many = p->convex->kind == GR_CONVEX_CUBOID || p->convex->kind == GR_CONVEX_MESH;
    const double above = many ? ball_gap(ground, p) : 0;
    if (above > 0) {
        *gap = above;
        return 0;
    }
    switch (p->convex->kind) {
    case GR_CONVEX_SPHERE:
        try_round(&w, p->position, gr_vec3(0, 0, 0), p->convex->radius, 1, 0);
        break;
    case GR_CONVEX_CYLINDER:
        cylinder_points(&w, p);
        break;
    case GR_CONVEX_CUBOID:
        cuboid_points(&w, p);
        break;
    case GR_CONVEX_MESH:
        mesh_points(&w, p);
        break;
    }
    *gap = w.gap;
    return w.count;
}

// ---- soil
//
// Soil under loose bodies.
//
// Where a point of a body's lower surface is at depth z, the pressure is that of a plate (Bekker 1969),
//
//     σ = P(b) z^n,     b = √(area/π), the radius of a circle of the patch's area (2 area/perimeter of a circle)
//
// along the ground's normal. Faces are clipped at the ground and integrated by the midpoints of their triangles'
// edges: exact for a plate, and a rock acts as many plates, one for each face. Soil is plastic: once the lowest point
// has been at depth z_max, unloading follows a straight line to zero at (1 − rebound) z_max, as for a node of the law
// scm. The patch is represented by the resultants of its four quarters, which keep the body from tilting, and its
// shear strength c area + N tan φ by a coefficient of friction. Soil does not rise beside the body, and the ground is
// approximated by the plane under its lowest point.

/// For n < 1 the curve is linear up to this depth, since its derivative is unbounded there [m]; as in the law scm.
static const double LINEAR_DEPTH = 1e-4;

enum { LOOP_MAX = 4 }; // corners of a clipped triangle

/// A corner and its depth.
typedef struct Corner {
    GrVec3 at;
    double depth;
} Corner;

/// Sums over a quarter.
typedef struct Quarter {
    double area, force, derivative, depth;
    GrVec3 moment; ///< position times force
} Quarter;

/// Sums over the whole patch.
typedef struct Sums {
    GrVec3 origin, ahead, aside; ///< the quarters' axes
    const GrSoftSoil *soil;      ///< NULL: compute only the area
    double area;
    Quarter quarters[GR_SOFT_POINTS];
} Sums;

static void add_point(Sums *s, GrVec3 at, double depth, double area)
{
    const GrVec3 r = gr_sub(at, s->origin);
    Quarter *q = &s->quarters[(gr_dot(r, s->ahead) < 0) + 2 * (gr_dot(r, s->aside) < 0)];
    const double n = s->soil->exponent, deep = n < 1 ? fmax(depth, LINEAR_DEPTH) : depth;
    const double derivative = s->soil->modulus * gr_pow(deep, n - 1), force = area * derivative * depth;
    q->area += area;
    q->force += force;
    q->derivative += area * derivative * (deep > depth ? 1 : n);
    q->depth += force * depth;
    q->moment = gr_madd(q->moment, force, at);
}

static void add_triangle(Sums *s, const Corner *a, const Corner *b, const Corner *c, GrVec3 normal)
{
    const double area = -0.5 * gr_dot(gr_cross(gr_sub(b->at, a->at), gr_sub(c->at, a->at)), normal);
    const Corner *corners[] = {a, b, c};
    s->area += area;
    for (int i = 0; i < 3 && s->soil != NULL; i++) {
        const Corner *from = corners[i], *to = corners[(i + 1) % 3];
        add_point(s, gr_scale(0.5, gr_add(from->at, to->at)), 0.5 * (from->depth + to->depth), area / 3);
    }
}

/// The part of a triangle that is below the ground.
static void add_clipped(Sums *s, const Corner *triangle, GrVec3 normal)
{
    Corner kept[LOOP_MAX];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const Corner *a = &triangle[i], *b = &triangle[(i + 1) % 3];
        if (a->depth > 0) {
            kept[count++] = *a;
        }
        if ((a->depth > 0) != (b->depth > 0)) {
            const double part = a->depth / (a->depth - b->depth);
            kept[count++] = (Corner){gr_madd(a->at, part, gr_sub(b->at, a->at)), 0};
        }
    }
    for (int i = 2; i < count; i++) {
        add_triangle(s, &kept[0], &kept[i - 1], &kept[i], normal);
    }
}

/// The plane of the ground; `lower` is added to all depths.
typedef struct Plane {
    GrVec3 point, normal;
    double lower;
} Plane;

static Corner corner_of(const GrPlacedConvex *p, const Plane *plane, int vertex)
{
    const GrVec3 at = gr_add(p->position, gr_mat3_mul_vec(&p->rotation, p->convex->mesh->vertices[vertex]));
    return (Corner){at, gr_dot(gr_sub(plane->point, at), plane->normal) + plane->lower};
}

static void add_faces(Sums *s, const GrPlacedConvex *p, const Plane *plane)
{
    const GrConvexMesh *mesh = p->convex->mesh;
    for (int f = 0; f < mesh->face_count; f++) {
        const GrVec3 outward = gr_mat3_mul_vec(&p->rotation, mesh->normals[f]);
        if (gr_dot(outward, plane->normal) >= 0) {
            continue;
        }
        const int *loop = mesh->loops + mesh->starts[f];
        const int count = mesh->starts[f + 1] - mesh->starts[f];
        Corner triangle[3] = {corner_of(p, plane, loop[0]), {{0, 0, 0}, 0}, corner_of(p, plane, loop[1])};
        for (int i = 2; i < count; i++) {
            triangle[1] = triangle[2];
            triangle[2] = corner_of(p, plane, loop[i]);
            add_clipped(s, triangle, plane->normal);
        }
    }
}

/// The ground below the lowest vertex; false where there is none.
static bool find_plane(const GrRigidGround *ground, const GrPlacedConvex *p, Plane *plane, double *depth)
{
    const GrVec3 down = gr_mat3_tmul_vec(&p->rotation, gr_vec3(0, 0, -1));
    const GrVec3 lowest =
        gr_add(p->position,
               gr_mat3_mul_vec(&p->rotation, p->convex->mesh->vertices[gr_convex_mesh_support(p->convex->mesh, down)]));
    *plane = (Plane){.point = lowest};
    if (ground->at == NULL ||
        !GR_CALL(height, ground->at, ground->context, lowest.x, lowest.y, &plane->point.z, &plane->normal)) {
        return false;
    }
    const GrVec3 into = gr_mat3_tmul_vec(&p->rotation, gr_neg(plane->normal));
    const int deepest = gr_convex_mesh_support(p->convex->mesh, into);
    *depth = corner_of(p, plane, deepest).depth;
    return true;
}

/// Writes the four resultants. Above the deepest position so far, the force decreases to zero within the rebound.
static void hand_on(const Sums *s, const Plane *plane, double sunk, GrSoftPatch *out)
{
    const double left = plane->lower > 0 ? fmax(0, 1 - plane->lower / (s->soil->rebound * sunk)) : 1;
    for (int i = 0; i < GR_SOFT_POINTS && left > 0; i++) {
        const Quarter *q = &s->quarters[i];
        if (!(q->force > 0)) {
            continue;
        }
        out->points[out->count++] = (GrSoftPoint){
            .position = gr_scale(1 / q->force, q->moment),
            .depth = fmax(q->depth / q->force, LINEAR_DEPTH),
            .force = left * q->force,
            .stiffness = plane->lower > 0 ? q->force / (s->soil->rebound * sunk) : q->derivative,
            .friction = s->soil->tan_phi + s->soil->cohesion * q->area / q->force,
            .radius = sqrt(q->area / GR_PI),
            .feature = i,
        };
    }
}

void gr_soft_patch(const GrSoftGround *soft, const GrRigidGround *ground, const GrPlacedConvex *p, double sunk,
                   GrSoftPatch *out)
{
    Plane plane;
    GrSoftSoil soil;
    *out = (GrSoftPatch){.rigid = true};
    if (soft->at == NULL || p->convex->kind != GR_CONVEX_MESH || !find_plane(ground, p, &plane, &out->depth)) {
        return;
    }
    out->normal = plane.normal;
    plane.lower = fmax(0, sunk - out->depth);
    const GrVec3 across = gr_cross(plane.normal, gr_vec3(1, 0, 0));
    const GrVec3 aside = gr_normalize(gr_norm(across) > 0.1 ? across : gr_cross(plane.normal, gr_vec3(0, 1, 0)));
    Sums sums = {.origin = p->position, .ahead = gr_cross(aside, plane.normal), .aside = aside};
    if (out->depth > 0) {
        add_faces(&sums, p, &plane);
    }
    out->radius = sqrt(fmax(sums.area, 0) / GR_PI);
    out->rigid = !soft->at(soft->context, plane.point.x, plane.point.y, fmax(out->radius, LINEAR_DEPTH), &soil);
    if (out->rigid || !(sums.area > 0)) {
        return;
    }
    sums.soil = &soil;
    add_faces(&sums, p, &plane);
    hand_on(&sums, &plane, fmax(sunk, out->depth), out);
}

static double lift_at(const GrSoftGround *soft, const GrRigidGround *ground, GrPlacedConvex p, double lower)
{
    GrSoftPatch patch;
    double lift = 0;
    p.position.z -= lower;
    gr_soft_patch(soft, ground, &p, 0, &patch);
    for (int i = 0; i < patch.count; i++) {
        lift += patch.points[i].force * patch.normal.z;
    }
    return patch.rigid ? (double)INFINITY : lift;
}

double gr_soft_rest(const GrSoftGround *soft, const GrRigidGround *ground, const GrPlacedConvex *p, double weight)
{
    enum { HALVINGS = 60 };
    const double reach = gr_convex_reach(p->convex);
    double low = 0, high = 0;
    if (!isfinite(lift_at(soft, ground, *p, 0))) {
        return 0;
    }
    while (high < reach && lift_at(soft, ground, *p, high) < weight) {
        low = high;
        high += 0.125 * reach;
    }
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        *(lift_at(soft, ground, *p, middle) < weight ? &low : &high) = middle;
    }
    return high;
}

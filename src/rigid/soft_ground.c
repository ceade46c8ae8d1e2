/// Soil under loose bodies.
///
/// Where a point of a body's lower surface is at depth z, the pressure is that of a plate (Bekker 1969),
///
///     σ = P(b) z^n,     b = √(area/π), the radius of a circle of the patch's area (2 area/perimeter of a circle)
///
/// along the ground's normal. Faces are clipped at the ground and integrated by the midpoints of their triangles'
/// edges: exact for a plate, and a rock acts as many plates, one for each face. Soil is plastic: once the lowest point
/// has been at depth z_max, unloading follows a straight line to zero at (1 − rebound) z_max, as for a node of the law
/// scm. The patch is represented by the resultants of its four quarters, which keep the body from tilting, and its
/// shear strength c area + N tan φ by a coefficient of friction. Soil does not rise beside the body, and the ground is
/// approximated by the plane under its lowest point.
#include "soft_ground.h"

#include "elementary.h"

#include <stddef.h>

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
    if (ground->at == NULL || !ground->at(ground->context, lowest.x, lowest.y, &plane->point.z, &plane->normal)) {
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

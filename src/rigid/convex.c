#include "convex.h"

#include "elementary.h"

#include <stddef.h>

/// Corners of a cylinder's cap; a multiple of 4.
enum { CAP_CORNERS = 16 };

/// Cosine of the largest angle between a direction and the axis at which the feature is the cap, and between it and the
/// side at which the feature is a line of the side.
static const double FACE_COSINE = 0.98;

GrConvex gr_convex_sphere(double radius)
{
    return (GrConvex){.kind = GR_CONVEX_SPHERE, .radius = radius};
}

GrConvex gr_convex_cylinder(double radius, double length)
{
    return (GrConvex){.kind = GR_CONVEX_CYLINDER, .radius = radius, .half = {radius, length / 2, radius}};
}

GrConvex gr_convex_cuboid(GrVec3 size)
{
    return (GrConvex){.kind = GR_CONVEX_CUBOID, .half = gr_scale(0.5, size)};
}

GrConvex gr_convex_of_mesh(const GrConvexMesh *mesh)
{
    return (GrConvex){.kind = GR_CONVEX_MESH, .mesh = mesh};
}

GrConvex gr_convex_of_round_mesh(const GrConvexMesh *mesh)
{
    return (GrConvex){.kind = GR_CONVEX_MESH, .mesh = mesh, .carriers = GR_CYLINDER_SLICES};
}

/// Rotation that takes the y axis to a unit vector.
static GrQuat turn_y_to(GrVec3 to)
{
    const GrVec3 axis = gr_cross(gr_vec3(0, 1, 0), to);
    const double w = 1 + to.y;
    if (w < 1e-12) {
        return (GrQuat){0, 1, 0, 0};
    }
    return gr_quat_normalize((GrQuat){w, axis.x, axis.y, axis.z});
}

GrConvex gr_convex_of_part(const GrShapeDef *part, GrPose *pose)
{
    *pose = part->pose;
    switch (part->kind) {
    case GR_SHAPE_BOX:
        return gr_convex_cuboid(part->size);
    case GR_SHAPE_CYLINDER:
        return gr_convex_cylinder(part->radius, part->length);
    case GR_SHAPE_SPHERE:
        return gr_convex_sphere(part->radius);
    case GR_SHAPE_MESH:
        return gr_convex_of_mesh(part->hull);
    case GR_SHAPE_ROD:
        break;
    }
    const GrVec3 along = gr_sub(part->to, part->from);
    *pose = (GrPose){gr_scale(0.5, gr_add(part->from, part->to)), turn_y_to(gr_normalize(along))};
    return gr_convex_cylinder(part->radius, gr_norm(along));
}

static bool positive(double x)
{
    return x > 0 && isfinite(x);
}

const char *gr_convex_fault(const GrConvex *c)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return positive(c->radius) ? NULL : "a sphere needs a positive radius";
    case GR_CONVEX_CYLINDER:
        return positive(c->radius) && positive(c->half.y) ? NULL : "a cylinder needs a positive radius and length";
    case GR_CONVEX_CUBOID:
        return positive(c->half.x) && positive(c->half.y) && positive(c->half.z) ? NULL
                                                                                 : "a cuboid needs positive edges";
    case GR_CONVEX_MESH:
        break;
    }
    return c->mesh != NULL ? NULL : "a mesh shape needs a mesh";
}

double gr_convex_reach(const GrConvex *c)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return c->radius;
    case GR_CONVEX_CYLINDER:
        return gr_hypot(c->radius, c->half.y);
    case GR_CONVEX_CUBOID:
        return gr_norm(c->half);
    case GR_CONVEX_MESH:
        break;
    }
    return c->mesh->radius;
}

double gr_convex_curvature(const GrConvex *c)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
    case GR_CONVEX_CYLINDER:
        return c->radius;
    case GR_CONVEX_CUBOID:
        return fmax(c->half.x, fmax(c->half.y, c->half.z));
    case GR_CONVEX_MESH:
        break;
    }
    const GrVec3 size = gr_sub(c->mesh->upper, c->mesh->lower);
    return fmax(size.x, fmax(size.y, size.z)) / 2;
}

GrVec3 gr_convex_centre(const GrConvex *c)
{
    return c->kind == GR_CONVEX_MESH ? c->mesh->centre : gr_vec3(0, 0, 0);
}

GrVec3 gr_convex_support(const GrConvex *c, GrVec3 d)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return gr_scale(c->radius, gr_normalize(d));
    case GR_CONVEX_CYLINDER: {
        const double across = sqrt(d.x * d.x + d.z * d.z);
        const double s = across > 0 ? c->radius / across : 0;
        return gr_vec3(s * d.x, copysign(c->half.y, d.y), s * d.z);
    }
    case GR_CONVEX_CUBOID:
        return gr_vec3(copysign(c->half.x, d.x), copysign(c->half.y, d.y), copysign(c->half.z, d.z));
    case GR_CONVEX_MESH:
        break;
    }
    return c->mesh->vertices[gr_convex_mesh_support(c->mesh, d)];
}

static void cylinder_feature(const GrConvex *c, GrVec3 d, GrFeature *out)
{
    const double side = copysign(1, d.y), across = sqrt(d.x * d.x + d.z * d.z);
    if (fabs(d.y) > FACE_COSINE) {
        out->count = CAP_CORNERS;
        out->normal = gr_vec3(0, side, 0);
        for (int i = 0; i < CAP_CORNERS; i++) { // counter-clockwise seen along −y from outside at +y: z towards x
            const double angle = side * 2 * GR_PI * i / CAP_CORNERS;
            out->points[i] = gr_vec3(c->radius * gr_sin(angle), side * c->half.y, c->radius * gr_cos(angle));
        }
        return;
    }
    const GrVec3 rim = {c->radius * d.x / across, side * c->half.y, c->radius * d.z / across};
    out->points[0] = rim;
    out->count = 1;
    if (across > FACE_COSINE) {
        out->points[1] = gr_vec3(rim.x, -rim.y, rim.z);
        out->count = 2;
    }
}

static void cuboid_feature(const GrConvex *c, GrVec3 d, GrFeature *out)
{
    const double size[3] = {c->half.x, c->half.y, c->half.z}, to[3] = {d.x, d.y, d.z};
    int axis = 0;
    for (int i = 1; i < 3; i++) {
        axis = fabs(to[i]) > fabs(to[axis]) ? i : axis;
    }
    const double side = copysign(1, to[axis]);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const double CORNERS[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        double p[3];
        p[axis] = side * size[axis];
        p[u] = CORNERS[i][0] * size[u] * side; // mirrored on the far side, so that the order stays outward
        p[v] = CORNERS[i][1] * size[v];
        out->points[i] = gr_vec3(p[0], p[1], p[2]);
    }
    double n[3] = {0, 0, 0};
    n[axis] = side;
    out->normal = gr_vec3(n[0], n[1], n[2]);
    out->count = 4;
}

static void mesh_feature(const GrConvexMesh *m, GrVec3 d, GrFeature *out)
{
    int best = 0;
    double most = -INFINITY;
    for (int f = 0; f < m->face_count; f++) {
        const double along = gr_dot(m->normals[f], d);
        if (along > most) {
            most = along;
            best = f;
        }
    }
    const int start = m->starts[best], corners = m->starts[best + 1] - start;
    const int stride = (corners + GR_FEATURE_SIZE / 2 - 1) / (GR_FEATURE_SIZE / 2);
    out->count = 0;
    out->normal = m->normals[best];
    for (int i = 0; i < corners; i += stride) {
        out->points[out->count++] = m->vertices[m->loops[start + i]];
    }
}

void gr_convex_feature(const GrConvex *c, GrVec3 direction, GrFeature *out)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        out->points[0] = gr_scale(c->radius, direction);
        out->count = 1;
        return;
    case GR_CONVEX_CYLINDER:
        cylinder_feature(c, direction, out);
        return;
    case GR_CONVEX_CUBOID:
        cuboid_feature(c, direction, out);
        return;
    case GR_CONVEX_MESH:
        break;
    }
    mesh_feature(c->mesh, direction, out);
}

static GrBounds bounds_of(const GrConvex *c, const GrMat3 *r, GrVec3 position)
{
    double reach[3];
    for (int i = 0; i < 3; i++) {
        const GrVec3 row = {fabs(r->m[i][0]), fabs(r->m[i][1]), fabs(r->m[i][2])};
        switch (c->kind) {
        case GR_CONVEX_SPHERE:
            reach[i] = c->radius;
            break;
        case GR_CONVEX_CYLINDER:
            reach[i] = c->half.y * row.y + c->radius * sqrt(fmax(0, 1 - row.y * row.y));
            break;
        default:
            reach[i] = gr_dot(c->half, row);
        }
    }
    const GrVec3 half = {reach[0], reach[1], reach[2]};
    return (GrBounds){gr_sub(position, half), gr_add(position, half)};
}

GrBounds gr_placed_bounds(const GrPlacedConvex *p)
{
    const GrMat3 *r = &p->rotation;
    if (p->convex->kind != GR_CONVEX_MESH) {
        return bounds_of(p->convex, r, p->position);
    }
    // of the oriented box: looser, but as cheap as for a cuboid
    const GrConvexMesh *m = p->convex->mesh;
    const GrVec3 middle = gr_scale(0.5, gr_add(m->upper, m->lower));
    const GrConvex box = {.kind = GR_CONVEX_CUBOID, .half = gr_scale(0.5, gr_sub(m->upper, m->lower))};
    return bounds_of(&box, r, gr_add(p->position, gr_mat3_mul_vec(r, middle)));
}

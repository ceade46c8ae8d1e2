/// The rover's bodies for soil of the law rft: surfaces of triangles that press the ground.
#include "model_parts.h"

#include "alloc.h"
#include "body_shapes.h"
#include "buffer.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "surface_mesh.h"
#include "triangle.h"

#include <string.h>

/// Longest edge of a piece, over the size of its shape.
static const double FINENESS = 0.3;

/// Sides of a round shape. They are placed so that the volume is that of the round one.
enum { SIDES = 24, RINGS = SIDES / 2 };

/// A convex shape of a body.
typedef struct Part {
    int body, wheel;
    GrConvex convex;
    GrPose pose; ///< in the body's frame
    int first;   ///< of its triangles
} Part;

/// Working state of the builder.
typedef struct Builder {
    const GrModel *m;
    GrBuffer parts;     ///< of Part
    GrBuffer triangles; ///< of GrRftTriangle
} Builder;

static int part_count(const Builder *b)
{
    return (int)(b->parts.size / sizeof(Part));
}

static int triangle_count(const Builder *b)
{
    return (int)(b->triangles.size / sizeof(GrRftTriangle));
}

static void add_part(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose)
{
    Builder *b = context;
    (void)shape;
    const Part part = {.body = body, .wheel = -1, .convex = convex, .pose = pose};
    gr_buffer_add(&b->parts, (const void *)&part, sizeof part);
}

/// Wheels with their grousers, as cylinders.
static void add_wheels(const GrRoverDef *rover, Builder *b)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        const GrBodyPlace *place = &b->m->places[w->body];
        const double radius = w->radius + (w->grouser_count > 0 ? w->grouser_height : 0);
        const Part part = {.body = place->body,
                           .wheel = i,
                           .convex = gr_convex_cylinder(radius, w->width),
                           .pose = gr_pose_mul(place->pose, w->pose)};
        gr_buffer_add(&b->parts, (const void *)&part, sizeof part);
    }
}

/// Rings of SIDES vertices about the y axis, from −y to +y, with a vertex at either end.
static void add_round(const double (*rings)[2], int count, double end, GrSurfaceMesh *mesh)
{
    const int low = gr_surface_mesh_vertex(mesh, gr_vec3(0, -end, 0));
    const int high = gr_surface_mesh_vertex(mesh, gr_vec3(0, end, 0)), base = high + 1;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < SIDES; i++) {
            const double angle = 2 * GR_PI * i / SIDES;
            gr_surface_mesh_vertex(mesh,
                                   gr_vec3(rings[k][0] * gr_sin(angle), rings[k][1], rings[k][0] * gr_cos(angle)));
        }
    }
    for (int i = 0; i < SIDES; i++) {
        const int next = (i + 1) % SIDES, last = base + (count - 1) * SIDES;
        gr_surface_mesh_triangle(mesh, low, base + next, base + i);
        gr_surface_mesh_triangle(mesh, high, last + i, last + next);
        for (int k = 0; k + 1 < count; k++) {
            const int row = base + k * SIDES, above = row + SIDES;
            gr_surface_mesh_quad(mesh, row + i, row + next, above + next, above + i);
        }
    }
}

static void add_sphere(double radius, GrSurfaceMesh *mesh)
{
    double rings[RINGS - 1][2];
    for (int k = 1; k < RINGS; k++) {
        const double angle = GR_PI * k / RINGS;
        rings[k - 1][0] = radius * gr_sin(angle);
        rings[k - 1][1] = -radius * gr_cos(angle);
    }
    add_round((const double(*)[2])rings, RINGS - 1, radius, mesh);
    const double by = gr_cbrt(4 * GR_PI / 3 * radius * radius * radius / gr_surface_mesh_solid(mesh).volume);
    for (int i = 0; i < mesh->vertex_count && !mesh->failed; i++) {
        mesh->vertices[i] = gr_scale(by, mesh->vertices[i]);
    }
}

static void add_cylinder(double radius, double half, GrSurfaceMesh *mesh)
{
    const double side = 2 * GR_PI / SIDES, r = radius * sqrt(side / gr_sin(side)); // the area of the circle
    const double rings[2][2] = {{r, -half}, {r, half}};
    add_round(rings, 2, half, mesh);
}

static void add_cuboid(GrVec3 half, GrSurfaceMesh *mesh)
{
    static const int FACES[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 8; k++) {
        gr_surface_mesh_vertex(mesh,
                               gr_vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
    }
    for (int k = 0; k < 6; k++) {
        gr_surface_mesh_quad(mesh, FACES[k][0], FACES[k][1], FACES[k][2], FACES[k][3]);
    }
}

static GrSurfaceMesh mesh_of(const GrConvex *c)
{
    GrSurfaceMesh mesh = {0};
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        add_sphere(c->radius, &mesh);
        break;
    case GR_CONVEX_CYLINDER:
        add_cylinder(c->radius, c->half.y, &mesh);
        break;
    case GR_CONVEX_CUBOID:
        add_cuboid(c->half, &mesh);
        break;
    case GR_CONVEX_MESH:
        gr_surface_mesh_convex(&mesh, c->mesh);
        break;
    }
    return mesh;
}

/// Whether a point is inside a shape, in the shape's frame.
static bool is_inside(const GrConvex *c, GrVec3 p)
{
    bool in = true;
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return gr_dot(p, p) < c->radius * c->radius;
    case GR_CONVEX_CYLINDER:
        return fabs(p.y) < c->half.y && p.x * p.x + p.z * p.z < c->radius * c->radius;
    case GR_CONVEX_CUBOID:
        return fabs(p.x) < c->half.x && fabs(p.y) < c->half.y && fabs(p.z) < c->half.z;
    case GR_CONVEX_MESH:
        for (int i = 0; i < c->mesh->face_count && in; i++) {
            in = gr_dot(c->mesh->normals[i], p) < c->mesh->offsets[i];
        }
        break;
    }
    return in;
}

/// Whether another shape of the same body covers a point of the body's frame. Wheels on their sides are cylinders of
/// their own.
static bool is_covered(const Builder *b, const Part *own, GrVec3 p)
{
    const Part *parts = (const Part *)(const void *)b->parts.data;
    for (int i = 0; i < part_count(b); i++) {
        const Part *other = &parts[i];
        if (other != own && other->body == own->body && other->wheel < 0 && own->wheel < 0) {
            const GrQuat back = gr_quat_conjugate(gr_quat_normalize(other->pose.rotation));
            if (is_inside(&other->convex, gr_quat_rotate(back, gr_sub(p, other->pose.position)))) {
                return true;
            }
        }
    }
    return false;
}

/// Adds a piece, unless it has no area or is inside the body.
static void add_piece(Builder *b, const Part *part, double size, const GrVec3 t[3])
{
    const GrVec3 twice = gr_cross(gr_sub(t[1], t[0]), gr_sub(t[2], t[0]));
    const double area = 0.5 * gr_norm(twice);
    if (!(area > 1e-12 * size * size)) {
        return;
    }
    GrRftTriangle piece = {.corner = {t[0], t[1], t[2]},
                           .middle = gr_scale(1.0 / 3, gr_add(gr_add(t[0], t[1]), t[2])),
                           .normal = gr_scale(0.5 / area, twice),
                           .area = area};
    for (int k = 0; k < 3; k++) {
        piece.reach = fmax(piece.reach, gr_norm(gr_sub(t[k], piece.middle)));
    }
    const GrVec3 outside = gr_madd(piece.middle, 1e-4 * size, piece.normal);
    const GrVec3 in_body = gr_quat_rotate(gr_quat_normalize(part->pose.rotation), outside);
    if (!is_covered(b, part, gr_add(part->pose.position, in_body))) {
        gr_buffer_add(&b->triangles, (const void *)&piece, sizeof piece);
    }
}

/// Working state of the cutter.
typedef struct Cutting {
    Builder *b;
    const Part *part;
    double size; ///< of the shape
} Cutting;

static double longest_of(const void *context, const GrVec3 t[3])
{
    const Cutting *c = context;
    (void)t;
    return FINENESS * c->size;
}

static bool take_piece(void *context, const GrVec3 t[3])
{
    const Cutting *c = context;
    add_piece(c->b, c->part, c->size, t);
    return !c->b->triangles.failed;
}

/// The pieces of a shape. Returns its size: the distance of its furthest corner.
static double add_surface(Builder *b, Part *part)
{
    GrSurfaceMesh mesh = mesh_of(&part->convex);
    double size = 0;
    b->triangles.failed = b->triangles.failed || mesh.failed;
    for (int i = 0; i < mesh.vertex_count && !mesh.failed; i++) {
        size = fmax(size, gr_norm(mesh.vertices[i]));
    }
    part->first = triangle_count(b);
    Cutting cutting = {b, part, size};
    const GrTriangleCutter cutter = {&cutting, gr_norm, longest_of, take_piece};
    for (int i = 0; i < mesh.triangle_count && !mesh.failed; i++) {
        const int *v = mesh.triangles[i];
        const GrVec3 t[3] = {mesh.vertices[v[0]], mesh.vertices[v[1]], mesh.vertices[v[2]]};
        gr_triangle_cut(&cutter, t);
    }
    gr_surface_mesh_free(&mesh);
    return size;
}

/// Copies what was built into the model.
static bool finish(Builder *b, const double *sizes, GrModel *m)
{
    const Part *parts = (const Part *)(const void *)b->parts.data;
    const int count = part_count(b), total = triangle_count(b);
    GrSoilShape *shapes = gr_arena_alloc(&m->arena, sizeof *shapes * (size_t)(count + 1));
    GrRftBody *bodies = gr_arena_alloc(&m->arena, sizeof *bodies * (size_t)(count + 1));
    GrRftTriangle *triangles = gr_arena_alloc(&m->arena, sizeof *triangles * (size_t)(total + 1));
    if (shapes == NULL || bodies == NULL || triangles == NULL) {
        return false;
    }
    if (total > 0) {
        memcpy(triangles, b->triangles.data, b->triangles.size);
    }
    for (int i = 0; i < count; i++) {
        const int end = i + 1 < count ? parts[i + 1].first : total;
        shapes[i] = (GrSoilShape){.body = parts[i].body,
                                  .wheel = parts[i].wheel,
                                  .centre = parts[i].pose.position,
                                  .turn = gr_quat_to_mat3(gr_quat_normalize(parts[i].pose.rotation))};
        bodies[i] = (GrRftBody){triangles + parts[i].first, end - parts[i].first, sizes[i]};
    }
    m->soil_shapes = shapes;
    m->rft_bodies = bodies;
    m->soil_shape_count = count;
    return true;
}

static GrStatus build(Builder *b, const GrRoverDef *rover, GrModel *m, GrErrorLog *log)
{
    const GrStatus status = gr_body_shapes_visit(rover, m, add_part, b, log);
    if (status != GR_OK) {
        return status;
    }
    add_wheels(rover, b);
    double *sizes = gr_calloc((size_t)part_count(b) + 1, sizeof *sizes);
    bool good = sizes != NULL && !b->parts.failed;
    Part *parts = (Part *)(void *)b->parts.data;
    for (int i = 0; good && i < part_count(b); i++) {
        sizes[i] = add_surface(b, &parts[i]);
    }
    good = good && !b->triangles.failed && finish(b, sizes, m);
    gr_free(sizes);
    return good ? GR_OK : gr_out_of_memory(log, NULL);
}

static void warn_mixed(int grains, GrErrorLog *log)
{
    if (grains > 0) {
        gr_warning_add(log, (GrLocation){.field = "soil"},
                       "only some of the soils have the law rft: under chassis, legs and wheels that lie on their "
                       "sides the ground is rigid, in all of them");
    }
}

GrStatus gr_grain_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, GrModel *m,
                               GrErrorLog *log)
{
    GrRftSoil *constants = gr_arena_alloc(&m->arena, sizeof *constants * (size_t)(soil_count + 1));
    int grains = 0;
    if (constants == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < soil_count; i++) {
        const GrStatus status = gr_rft_soil(&soils[i], gr_norm(m->tree.gravity), &constants[i], log);
        if (status != GR_OK) {
            return status;
        }
        grains += constants[i].grains;
    }
    if (grains < soil_count) {
        warn_mixed(grains, log);
        return GR_OK;
    }
    m->rft_soils = constants;
    Builder b = {.m = m};
    const GrStatus status = build(&b, rover, m, log);
    gr_buffer_free(&b.parts);
    gr_buffer_free(&b.triangles);
    return status;
}

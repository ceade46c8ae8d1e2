/// The rover's bodies for the soil contact model: convex shapes that press the grid, and wheels that lie on their
/// sides.
#include "model_parts.h"

#include "body_shapes.h"
#include "out_of_memory.h"

#include <string.h>

/// Working state of the builder. Memory belongs to the model.
typedef struct Builder {
    GrModel *m;
    GrSoilShape *shapes; ///< NULL during the pass that counts them
    GrScmConvex *convex;
    int count;
    GrStatus status;
} Builder;

static void *take(Builder *b, size_t bytes)
{
    void *memory = gr_arena_alloc(&b->m->arena, bytes);
    b->status = memory != NULL ? b->status : GR_ERROR_MEMORY;
    return memory;
}

/// Corners and half-spaces of a cuboid.
static GrScmConvex convex_of_cuboid(Builder *b, GrVec3 half)
{
    enum { CORNERS = 8, FACES = 6 };
    GrVec3 *corners = take(b, sizeof *corners * CORNERS), *normals = take(b, sizeof *normals * FACES);
    double *offsets = take(b, sizeof *offsets * FACES);
    if (b->status != GR_OK) {
        return (GrScmConvex){0};
    }
    for (int k = 0; k < CORNERS; k++) {
        corners[k] = gr_vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    }
    for (int k = 0; k < FACES; k++) {
        const double sign = k & 1 ? 1 : -1;
        normals[k] = gr_vec3(k < 2 ? sign : 0, k == 2 || k == 3 ? sign : 0, k > 3 ? sign : 0);
        offsets[k] = k < 2 ? half.x : k < 4 ? half.y : half.z;
    }
    return (GrScmConvex){.kind = GR_SCM_POLYHEDRON,
                         .corners = corners,
                         .corner_count = CORNERS,
                         .normals = normals,
                         .offsets = offsets,
                         .face_count = FACES};
}

/// Copies the mesh, since the definition need not outlive the model.
static GrScmConvex convex_of_mesh(Builder *b, const GrConvexMesh *mesh)
{
    const size_t corner_count = (size_t)mesh->vertex_count, face_count = (size_t)mesh->face_count;
    GrVec3 *corners = take(b, sizeof *corners * corner_count), *normals = take(b, sizeof *normals * face_count);
    double *offsets = take(b, sizeof *offsets * face_count);
    if (b->status != GR_OK) {
        return (GrScmConvex){0};
    }
    memcpy(corners, mesh->vertices, sizeof *corners * corner_count);
    memcpy(normals, mesh->normals, sizeof *normals * face_count);
    memcpy(offsets, mesh->offsets, sizeof *offsets * face_count);
    return (GrScmConvex){.kind = GR_SCM_POLYHEDRON,
                         .corners = corners,
                         .corner_count = mesh->vertex_count,
                         .normals = normals,
                         .offsets = offsets,
                         .face_count = mesh->face_count};
}

static GrScmConvex convex_of(Builder *b, const GrConvex *c)
{
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return (GrScmConvex){.kind = GR_SCM_SPHERE, .radius = c->radius};
    case GR_CONVEX_CYLINDER:
        return (GrScmConvex){.kind = GR_SCM_CYLINDER, .radius = c->radius, .half = c->half.y};
    case GR_CONVEX_CUBOID:
        return convex_of_cuboid(b, c->half);
    case GR_CONVEX_MESH:
        break;
    }
    return convex_of_mesh(b, c->mesh);
}

/// Counts a shape, and stores it where memory has been allocated.
static void add_shape(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose)
{
    Builder *b = context;
    (void)shape;
    if (b->shapes != NULL) {
        b->convex[b->count] = convex_of(b, &convex);
        b->shapes[b->count] = (GrSoilShape){
            .body = body, .centre = pose.position, .turn = gr_quat_to_mat3(gr_quat_normalize(pose.rotation))};
    }
    b->count++;
}

/// Prepares a body for soil i of the surface.
static GrStatus prepare(const Builder *b, const GrSoilDef *soil, const GrScmConvex *convex, GrScmBody *out,
                        GrErrorLog *log)
{
    const GrSurfaceDef *surface = &b->m->options.surface;
    const GrStatus status =
        gr_scm_prepare_convex(soil, convex, gr_norm(b->m->tree.gravity), surface->rut_cell, out, log);
    out->ground = (GrScmGround){surface->height, surface->context};
    out->flow = surface->soil_flow;
    return status;
}

static GrStatus build_shapes(Builder *b, const GrRoverDef *rover, const GrSoilDef *soils, int soil_count,
                             GrErrorLog *log)
{
    GrModel *m = b->m;
    b->status = gr_body_shapes_visit(rover, m, add_shape, b, log);
    const int count = b->count;
    if (b->status != GR_OK || count == 0) {
        return b->status;
    }
    GrScmBody *bodies = take(b, sizeof *bodies * (size_t)(soil_count * count));
    GrScmConvex *convex = take(b, sizeof *convex * (size_t)count);
    GrSoilShape *shapes = take(b, sizeof *shapes * (size_t)count);
    if (b->status != GR_OK) {
        return b->status;
    }
    b->shapes = shapes;
    b->convex = convex;
    b->count = 0;
    const GrStatus visited = gr_body_shapes_visit(rover, m, add_shape, b, log);
    b->status = b->status == GR_OK ? visited : b->status;
    for (int i = 0; i < soil_count * count && b->status == GR_OK; i++) {
        b->status = prepare(b, &soils[i / count], &convex[i % count], &bodies[i], log);
    }
    m->soil_shapes = shapes;
    m->scm_shape_bodies = bodies;
    m->soil_shape_count = count;
    return b->status;
}

/// Wheels that lie on their sides: cylinders as large as the tips of their lugs. Upright and lying wheels share one
/// list of nodes.
static GrStatus build_lying(Builder *b, const GrSoilDef *soils, int soil_count, GrScmBody *wheels, GrErrorLog *log)
{
    GrModel *m = b->m;
    const int count = soil_count * m->wheel_count;
    GrScmBody *lying = take(b, sizeof *lying * (size_t)(count + 1));
    for (int i = 0; i < count && b->status == GR_OK; i++) {
        GrScmBody *wheel = &wheels[i];
        const GrScmConvex cylinder = {.kind = GR_SCM_CYLINDER,
                                      .radius = wheel->radius + wheel->lug_height,
                                      .half = 0.5 * wheel->width,
                                      .wheel = true};
        b->status = prepare(b, &soils[i / m->wheel_count], &cylinder, &lying[i], log);
        const int nodes = lying[i].node_max > wheel->node_max ? lying[i].node_max : wheel->node_max;
        const int side = lying[i].side > wheel->side ? lying[i].side : wheel->side;
        wheel->node_max = lying[i].node_max = nodes;
        wheel->side = lying[i].side = side;
    }
    m->scm_lying = lying;
    return b->status;
}

GrStatus gr_scm_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, bool bodies, GrModel *m,
                             GrErrorLog *log)
{
    Builder b = {.m = m, .status = GR_OK};
    GrStatus status = build_lying(&b, soils, soil_count, m->scm_bodies, log);
    if (status == GR_OK && bodies) {
        status = build_shapes(&b, rover, soils, soil_count, log);
    }
    if (status == GR_ERROR_MEMORY) {
        gr_out_of_memory(log, NULL);
    }
    return status;
}

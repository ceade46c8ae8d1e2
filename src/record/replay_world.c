#include "replay_world.h"

#include "alloc.h"
#include "chunk.h"
#include "ground_window.h"
#include "model_data.h"
#include "protobuf.h"
#include "stones.h"
#include "whole.h"
#include "world.h"

#include <math.h>
#include <string.h>

// ---- meshes

int gr_replay_mesh_number(const GrReplayMeshes *meshes, const GrSurfaceMesh *mesh)
{
    for (int i = 0; mesh != NULL && i < meshes->count; i++) {
        if (meshes->items[i] == mesh || gr_surface_mesh_equal(meshes->items[i], mesh)) {
            return i;
        }
    }
    return -1;
}

static void include(GrReplayMeshes *meshes, const GrSurfaceMesh *mesh)
{
    if (mesh != NULL && gr_replay_mesh_number(meshes, mesh) < 0) {
        meshes->items[meshes->count++] = mesh;
    }
}

bool gr_replay_meshes_find(const GrRoverDef *rover, GrReplayMeshes *out)
{
    *out = (GrReplayMeshes){0};
    size_t most = 1;
    for (int i = 0; rover != NULL && i < rover->body_count; i++) {
        most += (size_t)rover->bodies[i].shape_count;
    }
    most += rover != NULL ? (size_t)rover->wheel_count : 0;
    out->items = gr_calloc(most, sizeof(void *));
    for (int i = 0; rover != NULL && out->items != NULL && i < rover->body_count; i++) {
        for (int k = 0; k < rover->bodies[i].shape_count; k++) {
            const GrShapeDef *shape = &rover->bodies[i].shapes[k];
            include(out, shape->only_touches ? NULL : shape->drawn);
        }
    }
    for (int i = 0; rover != NULL && out->items != NULL && i < rover->wheel_count; i++) {
        include(out, rover->wheels[i].drawn);
    }
    return out->items != NULL;
}

void gr_replay_meshes_free(GrReplayMeshes *meshes)
{
    gr_free(meshes->items);
    *meshes = (GrReplayMeshes){0};
}

static void put_coordinate(GrBuffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    gr_proto_fixed(out, bits, 8);
}

/// Coordinates are rounded to a 65535th of the mesh's extent: 15 µm for one of 1 m.
void gr_replay_put_surface(const GrReplayMeshes *meshes, int number, GrBuffer *payload)
{
    const GrSurfaceMesh *mesh = meshes->items[number];
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double p[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        for (int k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], p[k]);
            upper[k] = fmax(upper[k], p[k]);
        }
    }
    gr_proto_fixed(payload, (uint64_t)number, 4);
    gr_proto_fixed(payload, (uint64_t)mesh->vertex_count, 4);
    gr_proto_fixed(payload, (uint64_t)mesh->triangle_count, 4);
    for (int k = 0; k < 6; k++) {
        const double value = k < 3 ? lower[k] : upper[k - 3] - lower[k - 3];
        put_coordinate(payload, mesh->vertex_count > 0 ? value : 0);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double p[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        for (int k = 0; k < 3; k++) {
            const double size = upper[k] - lower[k];
            gr_proto_fixed(payload, size > 0 ? (uint64_t)lround((p[k] - lower[k]) / size * UINT16_MAX) : 0, 2);
        }
    }
    int last = 0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int corner = mesh->triangles[i / 3][i % 3];
        gr_column_put_signed(payload, corner - last);
        last = corner;
    }
}

// ---- the world

/// The steps of heights: a 60000th of their range, but neither finer than 0.1 mm nor coarser than 1 cm.
static const double STEPS = 60000, FINEST = 1e-4, COARSEST = 0.01;

static void put_number(GrBuffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    gr_proto_fixed(out, bits, 8);
}

// ---- ground

static bool read_heights(const GrTerrain *terrain, const GrGridFrame *frame, double *heights, double range[2])
{
    gr_window_heights(terrain, NULL, frame, heights);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t k = 0; k < frame->nx * frame->ny; k++) {
        if (isfinite(heights[k])) {
            range[0] = fmin(range[0], heights[k]);
            range[1] = fmax(range[1], heights[k]);
        }
    }
    return range[0] <= range[1];
}

static int64_t quantise(double z, double lowest, double quantum)
{
    return isfinite(z) ? gr_nearest((z - lowest) / quantum) + 1 : 0;
}

bool gr_replay_put_ground(const GrTerrain *terrain, const GrGridFrame *frame, GrBuffer *payload)
{
    const size_t nx = (size_t)frame->nx, ny = (size_t)frame->ny;
    double *heights = gr_malloc(nx * ny * sizeof *heights), range[2];
    int64_t *rows = gr_calloc(2 * (nx + 1), sizeof *rows); // this row and the one before, each after a 0
    payload->failed = payload->failed || heights == NULL || rows == NULL;
    const bool known = !payload->failed && read_heights(terrain, frame, heights, range);
    if (known) {
        const double quantum = fmin(fmax((range[1] - range[0]) / STEPS, FINEST), COARSEST);
        const double header[] = {frame->x0, frame->y0, frame->dx, range[0], quantum};
        for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
            put_number(payload, header[i]);
        }
        gr_proto_fixed(payload, nx, 4);
        gr_proto_fixed(payload, ny, 4);
        int64_t *row = rows + 1, *below = rows + nx + 2;
        for (size_t j = 0; j < ny; j++) {
            for (size_t i = 0; i < nx; i++) {
                row[i] = quantise(heights[j * nx + i], range[0], quantum);
                gr_column_put_signed(payload, row[i] - (row[(int64_t)i - 1] + below[i] - below[(int64_t)i - 1]));
            }
            int64_t *const swap = row;
            row = below;
            below = swap;
        }
    }
    gr_free(heights);
    gr_free(rows);
    return known;
}

void gr_replay_put_soils(const GrModel *model, const GrGridFrame *frame, GrBuffer *payload)
{
    const GrSurfaceDef *surface = &model->options.surface;
    put_number(payload, frame->x0);
    put_number(payload, frame->y0);
    put_number(payload, frame->dx);
    gr_proto_fixed(payload, (uint64_t)frame->nx, 4);
    gr_proto_fixed(payload, (uint64_t)frame->ny, 4);
    for (int64_t j = 0; j < frame->ny; j++) {
        for (int64_t i = 0; i < frame->nx; i++) {
            const double x = frame->x0 + (double)i * frame->dx, y = frame->y0 + (double)j * frame->dy;
            GrSoilMix mix = {0};
            const bool known = surface->soil_at(surface->soil_context, x, y, &mix) && mix.count > 0;
            const int class = known ? mix.classes[0] : 1; // shares are in descending order
            gr_proto_byte(payload, class >= 1 && class <= model->soil_count ? (unsigned)class - 1 : 0);
        }
    }
}

// ---- rocks and parts

void gr_replay_put_pose(GrJson *json, const GrPose *pose)
{
    const double position[] = {pose->position.x, pose->position.y, pose->position.z};
    const double rotation[] = {pose->rotation.w, pose->rotation.x, pose->rotation.y, pose->rotation.z};
    gr_json_numbers(json, "position", position, 3);
    gr_json_numbers(json, "rotation", rotation, 4);
}

void gr_replay_put_mesh(GrJson *json, const GrConvexMesh *mesh)
{
    gr_json_begin_object(json, "mesh");
    gr_json_begin_array(json, "vertices");
    for (int i = 0; i < mesh->vertex_count; i++) {
        gr_json_number(json, NULL, mesh->vertices[i].x);
        gr_json_number(json, NULL, mesh->vertices[i].y);
        gr_json_number(json, NULL, mesh->vertices[i].z);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "faces");
    for (int f = 0; f < mesh->face_count; f++) {
        for (int k = mesh->starts[f] + 2; k < mesh->starts[f + 1]; k++) {
            gr_json_integer(json, NULL, mesh->loops[mesh->starts[f]]);
            gr_json_integer(json, NULL, mesh->loops[k - 1]);
            gr_json_integer(json, NULL, mesh->loops[k]);
        }
    }
    gr_json_end(json);
    gr_json_end(json);
}

static bool is_fixed(const GrRigidWorld *world, int shape, bool stone)
{
    const GrRigidBody *body = &world->bodies[world->shapes[shape].body];
    return body->motion == GR_RIGID_FIXED && body->stone == stone;
}

int gr_replay_rock_count(const GrModel *model)
{
    const GrRigidWorld *world = model->rigid.world;
    int count = gr_model_loose_count(model);
    for (int s = 0; world != NULL && s < world->shape_count; s++) {
        count += is_fixed(world, s, true);
    }
    return count;
}

static int triangle_count(const GrConvexMesh *mesh)
{
    return mesh->starts[mesh->face_count] - 2 * mesh->face_count;
}

static void put_short(GrBuffer *out, double value)
{
    gr_proto_fixed(out, (uint64_t)(int64_t)lround(fmin(fmax(value, -1), 1) * INT16_MAX), 2);
}

static double half_extent(double lower, double upper)
{
    return fmax(fmax(fabs(lower), fabs(upper)), 1e-6);
}

static void put_rock(GrBuffer *out, GrPose pose, const GrConvexMesh *mesh)
{
    const GrVec3 half = {half_extent(mesh->lower.x, mesh->upper.x), half_extent(mesh->lower.y, mesh->upper.y),
                         half_extent(mesh->lower.z, mesh->upper.z)};
    const double numbers[] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w, pose.rotation.x,
                              pose.rotation.y, pose.rotation.z, half.x,          half.y,          half.z};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        put_number(out, numbers[i]);
    }
    gr_proto_fixed(out, (uint64_t)mesh->vertex_count, 2);
    gr_proto_fixed(out, (uint64_t)triangle_count(mesh), 2);
    for (int i = 0; i < mesh->vertex_count; i++) {
        put_short(out, mesh->vertices[i].x / half.x);
        put_short(out, mesh->vertices[i].y / half.y);
        put_short(out, mesh->vertices[i].z / half.z);
    }
    for (int f = 0; f < mesh->face_count; f++) {
        for (int k = mesh->starts[f] + 2; k < mesh->starts[f + 1]; k++) {
            gr_proto_fixed(out, (uint64_t)mesh->loops[mesh->starts[f]], 2);
            gr_proto_fixed(out, (uint64_t)mesh->loops[k - 1], 2);
            gr_proto_fixed(out, (uint64_t)mesh->loops[k], 2);
        }
    }
}

void gr_replay_put_rocks(const GrModel *model, GrBuffer *payload)
{
    const GrRigidWorld *world = model->rigid.world;
    gr_proto_fixed(payload, 0, 4);
    gr_proto_fixed(payload, (uint64_t)gr_replay_rock_count(model), 4);
    for (int k = 0; world != NULL && k < gr_model_loose_count(model); k++) {
        put_rock(payload, world->loose_pose[k], model->rigid.loose_mesh[k]);
    }
    for (int s = 0; world != NULL && s < world->shape_count; s++) {
        if (is_fixed(world, s, true)) {
            const GrPlacedConvex *placed = &world->fixed[s];
            put_rock(payload, (GrPose){placed->position, gr_quat_from_mat3(&placed->rotation)}, placed->convex->mesh);
        }
    }
}

typedef struct SeenRocks {
    GrBuffer *payload;
    int count;
} SeenRocks;

/// The hull is not kept: most rocks in view are out of the rover's reach.
static bool put_seen_rock(void *context, int rock, const GrStoneDef *def, bool fresh)
{
    SeenRocks *seen = context;
    GrStone stone;
    (void)rock;
    if (!fresh) {
        return true;
    }
    if (gr_stone_make(def, &stone, NULL) != GR_OK) {
        seen->payload->failed = true;
        return false;
    }
    put_rock(seen->payload, stone.body.pose, stone.mesh);
    gr_convex_mesh_free(stone.mesh);
    seen->count++;
    return !seen->payload->failed;
}

int gr_replay_put_seen_rocks(GrRocksSeen *seen, GrVec3 at, int first, GrBuffer *payload)
{
    const size_t begin = payload->size;
    SeenRocks rocks = {.payload = payload};
    gr_proto_fixed(payload, (uint64_t)first, 4);
    const size_t count_at = payload->size;
    gr_proto_fixed(payload, 0, 4);
    gr_rocks_seen_look(seen, at, put_seen_rock, &rocks);
    if (rocks.count == 0) {
        payload->size = begin;
        return 0;
    }
    for (int i = 0; i < 4 && !payload->failed; i++) {
        payload->data[count_at + (size_t)i] = (char)((unsigned)rocks.count >> (8 * i) & 0xff);
    }
    return rocks.count;
}

static void put_part(GrJson *json, const GrPlacedConvex *placed)
{
    const GrConvex *c = placed->convex;
    const GrPose pose = {placed->position, gr_quat_from_mat3(&placed->rotation)};
    const double size[] = {2 * c->half.x, 2 * c->half.y, 2 * c->half.z};
    gr_json_begin_object(json, NULL);
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        gr_json_string(json, "kind", "sphere");
        gr_json_number(json, "radius", c->radius);
        break;
    case GR_CONVEX_CYLINDER:
        gr_json_string(json, "kind", "cylinder");
        gr_json_number(json, "radius", c->radius);
        gr_json_number(json, "length", size[1]);
        break;
    case GR_CONVEX_CUBOID:
        gr_json_string(json, "kind", "box");
        gr_json_numbers(json, "size", size, 3);
        break;
    case GR_CONVEX_MESH:
        gr_json_string(json, "kind", "mesh");
        gr_replay_put_mesh(json, c->mesh);
        break;
    }
    gr_replay_put_pose(json, &pose);
    gr_json_end(json);
}

void gr_replay_put_parts(const GrModel *model, GrJson *json)
{
    const GrRigidWorld *world = model->rigid.world;
    gr_json_begin_array(json, "parts");
    for (int s = 0; world != NULL && s < world->shape_count; s++) {
        if (is_fixed(world, s, false)) {
            put_part(json, &world->fixed[s]);
        }
    }
    gr_json_end(json);
}

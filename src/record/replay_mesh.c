#include "replay_mesh.h"

#include "alloc.h"
#include "chunk.h"
#include "protobuf.h"

#include <math.h>
#include <string.h>

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

static void put_number(GrBuffer *out, double value)
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
        put_number(payload, mesh->vertex_count > 0 ? value : 0);
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

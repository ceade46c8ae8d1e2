/// Triangles of a rover's meshes in a replay, for drawing (docs/replay.md): each distinct mesh is one chunk MESH, and
/// shapes and wheels of HEAD refer to it by its number.
#ifndef GR_REPLAY_MESH_H
#define GR_REPLAY_MESH_H

#include "buffer.h"
#include "grouser/rover.h"
#include "surface_mesh.h"

/// The distinct meshes that are drawn. They belong to the rover.
typedef struct GrReplayMeshes {
    const GrSurfaceMesh **items;
    int count;
} GrReplayMeshes;

/// Finds them; `rover` may be NULL. False: out of memory.
bool gr_replay_meshes_find(const GrRoverDef *rover, GrReplayMeshes *out);
void gr_replay_meshes_free(GrReplayMeshes *meshes);

/// Number of a mesh; −1: it is NULL or not among them.
int gr_replay_mesh_number(const GrReplayMeshes *meshes, const GrSurfaceMesh *mesh);

/// Appends the payload of the chunk MESH with this number.
void gr_replay_put_surface(const GrReplayMeshes *meshes, int number, GrBuffer *payload);

#endif

/// What stands still in a replay: ground, classes of soil, rocks, fixed parts (docs/replay.md).
#ifndef GR_REPLAY_WORLD_H
#define GR_REPLAY_WORLD_H

#include "buffer.h"
#include "convex.h"
#include "grouser/record.h"
#include "grouser/rover.h"
#include "json.h"
#include "run_scene.h"
#include "surface_mesh.h"

/// Appends the payload of a GRND chunk: heights over a frame with square cells, without ruts. Parts of the map that are
/// not in memory are read, unless they have more than GR_WINDOW_CELLS, which remain unknown. False: all is unknown.
/// Not while another thread loads tiles of the terrain.
bool gr_replay_put_ground(const GrTerrain *terrain, const GrGridFrame *frame, GrBuffer *payload);

/// Appends the payload of a SOIL chunk; only for models with soils by position.
void gr_replay_put_soils(const GrModel *model, const GrGridFrame *frame, GrBuffer *payload);

/// Loose rocks first, in the order of GrSample::rocks, then fixed ones, without those of a field (run_scene.h).
int gr_replay_rock_count(const GrModel *model);

/// Appends the payload of a ROCK chunk with all these rocks.
void gr_replay_put_rocks(const GrModel *model, GrBuffer *payload);

/// Appends the payload of a ROCK chunk with the rocks of a field that have come into view; returns their number, 0: the
/// payload is as it was. `first`: number of rocks in earlier chunks.
int gr_replay_put_seen_rocks(GrRocksSeen *seen, GrVec3 at, int first, GrBuffer *payload);

/// Writes the member "parts": fixed shapes that are not rocks.
void gr_replay_put_parts(const GrModel *model, GrJson *json);

/// Writes the members "position" and "rotation".
void gr_replay_put_pose(GrJson *json, const GrPose *pose);

/// Writes a member "mesh": vertices and triangles.
void gr_replay_put_mesh(GrJson *json, const GrConvexMesh *mesh);

// Triangles of a rover's meshes in a replay, for drawing (docs/replay.md): each distinct mesh is one chunk MESH, and
// shapes and wheels of HEAD refer to it by its number.

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

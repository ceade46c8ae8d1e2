/// Scenes of runs for other programs: what they show, as glTF and USD.
#ifndef GR_RUN_SCENE_H
#define GR_RUN_SCENE_H

#include "grouser/model.h"
#include "grouser/record.h"
#include "grouser/terrain.h"

#include "buffer.h"
#include "replay_scene.h"

#include <stdint.h>

#define GR_WORLD_FRAME "world"

/// Heights of a window of the ground.
typedef struct GrGroundWindow {
    GrGridFrame frame;
    const float *heights; ///< row by row from the south; NAN: unknown
} GrGroundWindow;

/// One transform of foxglove.FrameTransforms; a message may contain many. `pose` is that of `child` in `parent`, and is
/// rounded to 2^-30 (a nanometre): bodies at rest are then identical in every message, which compresses well.
void gr_scene_put_transform(GrBuffer *out, uint64_t time, const char *parent, const char *child, GrPose pose);

/// foxglove.SceneUpdate: shapes and wheels, an entity a body, locked to the body's frame.
void gr_scene_put_rover(GrBuffer *out, uint64_t time, const GrRoverDef *rover);

/// foxglove.SceneUpdate: the rocks; those before `loose_count` are locked to frames "rock_0", "rock_1", …
void gr_scene_put_rocks(GrBuffer *out, uint64_t time, const GrRecordRock *rocks, int count, int loose_count);
/// The same for one fixed rock.
void gr_scene_put_rock(GrBuffer *out, uint64_t time, int number, const GrRecordRock *rock);
void gr_scene_rock_frame(int rock, char *out, size_t size);

/// foxglove.SceneUpdate: a line through points of the world.
typedef struct GrSceneLine {
    const char *id;
    const GrVec3 *points;
    int count;
    double width; ///< [px]
    double color[3];
} GrSceneLine;
void gr_scene_put_line(GrBuffer *out, uint64_t time, const GrSceneLine *line);

/// foxglove.Grid with one field, `elevation` [m].
void gr_scene_put_grid(GrBuffer *out, uint64_t time, const GrGroundWindow *window);

/// foxglove.SceneUpdate: the ground as a triangle mesh of every `stride`-th node.
void gr_scene_put_surface(GrBuffer *out, uint64_t time, const GrGroundWindow *window, int stride);

// The rocks of a large field that belong into a recording: those that are in view from where the rover drives.
//
// A field may have millions of rocks, far more than a viewer can draw or a run reaches. A rock comes into view at 100
// times its diameter, where it is half a degree wide. Small fields are in view as a whole.

typedef struct GrRocksSeen GrRocksSeen;

/// Number of rocks that the model makes late, and of those of a field among them, which GrRecordDef::rocks has not.
int gr_rocks_seen_total(const GrModel *model);
int gr_rocks_seen_field(const GrModel *model);

/// NULL when out of memory. `terrain` (NULL: none) must live longer; not while another thread loads tiles of it.
GrRocksSeen *gr_rocks_seen_create(const GrModel *model, const GrTerrain *terrain);
void gr_rocks_seen_free(GrRocksSeen *seen);

/// Whether the rover has come far enough for other rocks to be in view.
bool gr_rocks_seen_due(const GrRocksSeen *seen, GrVec3 at);

/// A rock in view, as it stands on the ground; `fresh`: it was not in view before. Returns false to stop.
typedef bool (*GrRockFn)(void *context, int rock, const GrStoneDef *stone, bool fresh);

/// Calls `rock` for every rock in view from here; false: it was stopped. Not while another thread loads tiles.
bool gr_rocks_seen_look(GrRocksSeen *seen, GrVec3 at, GrRockFn rock, void *context);

// ---- A recorded run as glTF 2.0 (Khronos 2021), in its binary form, one file: meshes with normals, the motion of
// bodies and rocks as an animation, ruts as morph targets, two cameras and the Sun (KHR_lights_punctual).

/// Illuminance of the Sun [lux] as web viewers take it; Blender shows 2000 as bright.
#define GR_GLTF_LUX 3.0

/// GR_ERROR_MEMORY: out of memory.
GrStatus gr_run_gltf(const GrReplayScene *scene, double lux, GrBuffer *out);

// ---- A recorded run as a USD scene in text (.usda), with the same content: meshes with normals, motion and
// ruts as time samples in seconds, two cameras and the Sun. z is up, the unit is the metre.

/// GR_ERROR_MEMORY: out of memory.
GrStatus gr_run_usd(const GrReplayScene *scene, GrBuffer *out);

#endif

/// A recorded run as a USD scene in text (.usda), with the content of run_gltf.h: meshes with normals, motion and ruts
/// as time samples in seconds, two cameras and the Sun. z is up, the unit is the metre.
#ifndef GR_RUN_USD_H
#define GR_RUN_USD_H

#include "buffer.h"
#include "replay_scene.h"

/// GR_ERROR_MEMORY: out of memory.
GrStatus gr_run_usd(const GrReplayScene *scene, GrBuffer *out);

#endif

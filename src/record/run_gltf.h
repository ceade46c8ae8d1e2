/// A recorded run as glTF 2.0 (Khronos 2021), in its binary form, one file: meshes with normals, the motion of bodies
/// and rocks as an animation, ruts as morph targets, two cameras and the Sun (KHR_lights_punctual).
#ifndef GR_RUN_GLTF_H
#define GR_RUN_GLTF_H

#include "buffer.h"
#include "replay_scene.h"

/// Illuminance of the Sun [lux] as web viewers take it; Blender shows 2000 as bright.
#define GR_GLTF_LUX 3.0

/// GR_ERROR_MEMORY: out of memory.
GrStatus gr_run_gltf(const GrReplayScene *scene, double lux, GrBuffer *out);

#endif

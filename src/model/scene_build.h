/// A scene and a rover's shapes as a rigid world.
#ifndef GR_SCENE_BUILD_H
#define GR_SCENE_BUILD_H

#include "model_data.h"

/// Fills m->hard. `m` has its bodies, wheels and places already; `rover` is its definition. All problems go to `log`.
GrStatus gr_scene_build(const GrSceneDef *scene, const GrRoverDef *rover, GrModel *m, GrErrorLog *log);

void gr_hard_free(GrHard *hard);

#endif

/// Builds the rigid world from a scene and a rover's shapes.
#ifndef GR_SCENE_BUILD_H
#define GR_SCENE_BUILD_H

#include "model_data.h"

/// Fills m->rigid. The bodies, wheels and places of `m` must be set; `rover` is its definition. Reports all problems to
/// `log`.
GrStatus gr_scene_build(const GrSceneDef *scene, const GrRoverDef *rover, GrModel *m, GrErrorLog *log);

void gr_rigid_scene_free(GrRigidScene *rigid);

#endif

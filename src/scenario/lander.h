/// Landers of the terrain's terms as rigid parts of the scene.
#ifndef GR_LANDER_H
#define GR_LANDER_H

#include "grouser/scenario.h"

/// Adds a deck and four ramp tracks for every lander among the terms, with their upper faces in the made ground.
GrStatus gr_add_landers(const GrTerrainPlan *plan, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log);

#endif

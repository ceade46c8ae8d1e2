/// Landers among the terms of a scenario's terrain: layers for maps and placing, and rigid parts for contact.
#ifndef GR_LANDER_H
#define GR_LANDER_H

#include "scenario_data.h"

/// Whether a term of the terrain is a lander.
bool gr_is_lander(const char *term);

/// Adds a rigid layer for every lander among the terms, shown on maps and used for placing rovers.
GrStatus gr_add_lander_layers(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log);

/// Adds a deck and four ramp tracks for every lander among the terms, standing on the ground at its middle.
GrStatus gr_add_lander_parts(const GrTerrainPlan *plan, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log);

#endif

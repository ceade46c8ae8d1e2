/// The lander of a scenario in its world.
#ifndef GR_WORLD_LANDER_H
#define GR_WORLD_LANDER_H

#include "scenario_data.h"

/// Places the lander of a scenario on the ground, and warns where its rover will have trouble. A lander that does not
/// stand is an error.
GrStatus gr_world_place_lander(const GrScenario *scenario, GrTerrain *terrain, const GrRockField *rocks,
                               GrLanderPlacement *out, GrErrorLog *log);

/// Adds deck, body, feet and ramps as rigid parts of the group `lander`. False: out of memory.
bool gr_world_add_lander(const GrLanderPlan *plan, const GrLanderPlacement *placement, GrSceneDef *scene);

/// Where the rover starts: on the deck, facing down the ramp.
GrStatus gr_world_lander_start(const GrScenario *scenario, const GrLanderPlacement *placement, GrStart *out,
                               GrErrorLog *log);

/// Whether a term of the terrain is a lander.
bool gr_is_lander(const char *term);

/// Adds a rigid layer for every lander among the terms, shown on maps and used for placing rovers.
GrStatus gr_add_lander_layers(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log);

/// Adds a deck and four ramp tracks for every lander among the terms, standing on the ground at its middle.
GrStatus gr_add_lander_parts(const GrTerrainPlan *plan, GrTerrain *terrain, GrSceneDef *scene, GrErrorLog *log);

#endif

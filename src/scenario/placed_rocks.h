/// Rocks of a scenario at given positions, not random ones.
#ifndef GR_PLACED_ROCKS_H
#define GR_PLACED_ROCKS_H

#include "scenario_data.h"

/// Appends the rocks of `terrain.rocks.file` and those of `terrain.rocks.on_tracks`; afterwards, rocks that can move
/// come first.
GrStatus gr_place_rocks(const GrScenario *scenario, GrRockField *field, GrErrorLog *log);

#endif

/// Rocks of a scenario that are placed and not sown.
#ifndef GR_PLACED_ROCKS_H
#define GR_PLACED_ROCKS_H

#include "grouser/scenario.h"

/// Appends the rocks of `terrain.rocks.file` and those of `terrain.rocks.on_tracks`; rocks that can move come first
/// then.
GrStatus gr_place_rocks(const GrScenario *scenario, GrRockField *field, GrErrorLog *log);

#endif

/// Inside of placing landers: ramps and clearance of a lander whose pose is known.
#ifndef GR_LANDER_PLACE_H
#define GR_LANDER_PLACE_H

#include "grouser/lander.h"

/// Lowers all ramps. False: one of them is off the map.
bool gr_lander_lower_ramps(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement);

/// Smallest height of the underside above the ground. False: it is off the map.
bool gr_lander_clearance(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement);

#endif

/// The kinds of missions.
#ifndef GR_MISSIONS_H
#define GR_MISSIONS_H

#include "mission_kind.h"

extern const GrMissionKind gr_mission_placement, gr_mission_egress, gr_mission_traverse;
extern const GrMissionKind *const gr_missions[]; ///< NULL-terminated

#endif

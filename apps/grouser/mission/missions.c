/// The table of the kinds of missions: one row each.
#include "missions.h"

const GrMissionKind *const gr_missions[] = {&gr_mission_placement, &gr_mission_egress, &gr_mission_traverse, NULL};

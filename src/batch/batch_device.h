/// Missions on a GPU: their constant parts are packed once, what changes goes there and comes back with each advance,
/// so that between two calls a mission is as if the processor had driven it. Missions may come and go.
#ifndef GR_BATCH_DEVICE_H
#define GR_BATCH_DEVICE_H

#include "mission_data.h"

typedef struct GrLanes GrLanes;

/// The first thing of a mission that a GPU does not offer, as text; NULL: it can drive it.
const char *gr_lanes_refusal(const GrMission *mission);

/// A checksum of what a mission computes: states, energies, tallies, forces; not of the unused bytes between them.
uint64_t gr_mission_sum(const GrMission *mission);

/// A GPU, counted from 1, that is to drive missions, [count], NULL where there is none. They are packed by the next
/// gr_lanes_advance(), and must stay, and so must their models and terrains; terrains are loaded as a whole.
GrStatus gr_lanes_open(int gpu, GrMission *const *missions, int count, GrLanes **out, GrErrorLog *log);
/// Another mission, or none, is in missions[run] from now on.
void gr_lanes_renew(GrLanes *lanes, int run);
void gr_lanes_close(GrLanes *lanes);

/// Drives each mission until its time, until[count]. The first time, a little of one run is driven by the processor,
/// too, and other bits are an error. After an error the missions are as far as they were brought, each after a whole
/// step, and the lanes can only be closed.
GrStatus gr_lanes_advance(GrLanes *lanes, const double *until, GrErrorLog *log);

#endif

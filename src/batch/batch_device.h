/// Missions on a GPU: their constant parts are packed once, what changes goes there and comes back with each advance,
/// so that between two calls a mission is as if the processor had driven it.
#ifndef GR_BATCH_DEVICE_H
#define GR_BATCH_DEVICE_H

#include "mission_data.h"

typedef struct GrLanes GrLanes;

/// The first thing of a mission that a GPU does not offer, as text; NULL: it can drive it.
const char *gr_lanes_refusal(const GrMission *mission);

/// A checksum of what a mission computes: states, energies, tallies, forces; not of the unused bytes between them.
uint64_t gr_mission_sum(const GrMission *mission);

/// Packs missions, [count], NULL where there is none, for GPU `gpu`, counted from 1. They must stay, and so must their
/// models and terrains; terrains are loaded as a whole.
GrStatus gr_lanes_open(int gpu, GrMission *const *missions, int count, GrLanes **out, GrErrorLog *log);
void gr_lanes_close(GrLanes *lanes);

/// Drives each mission until its time, until[count]. After an error the missions are as far as they were brought, each
/// after a whole step.
GrStatus gr_lanes_advance(GrLanes *lanes, const double *until, GrErrorLog *log);

#endif

/// Between a batch and its kernels (lane_kernels.c): a lane is a thread of a GPU that drives one run.
///
/// The run's mission, its model and all that they point to are constant on the GPU, packed by pack.c. What changes lies
/// in a row of memory for each run, and is in the thread's own memory during a launch:
///
///     head | GrMissionState | tallies of the wheels | arrivals | work of the drives | state of the GrData
///
/// A run of the GPU is begun with the row as a saved state is restored, so that a launch may end after any step.
#ifndef GR_LANE_H
#define GR_LANE_H

#include "mission_data.h"

/// Whether a run has steps left after a launch.
typedef enum GrLaneState {
    GR_LANE_GOES_ON, ///< the launch was too short
    GR_LANE_DONE,    ///< it has ended, or is as far as was asked for
    GR_LANE_REFUSED, ///< a step needs what a GPU has no room for: the row is that before the launch
} GrLaneState;

typedef struct GrLaneHead {
    double until;     ///< simulated time at which the run pauses [s]
    uint64_t mission; ///< address of the packed GrMission
} GrLaneHead;

/// Where the parts of a row begin [bytes].
typedef struct GrLaneRow {
    size_t state, wheels, arrivals, drive, data, size;
} GrLaneRow;

/// `data`: bytes of the state of the GrData.
static inline GrLaneRow gr_lane_row(const GrMission *mission, size_t data)
{
    const size_t nw = (size_t)mission->m->wheel_count, na = (size_t)gr_mission_way_point_count(mission);
    GrLaneRow row = {.state = sizeof(GrLaneHead)};
    row.wheels = row.state + sizeof(GrMissionState);
    row.arrivals = row.wheels + sizeof(GrWheelTally) * nw;
    row.drive = row.arrivals + sizeof(GrArrival) * na;
    row.data = (row.drive + sizeof(double) * nw + 15) / 16 * 16;
    row.size = row.data + (data + 15) / 16 * 16;
    return row;
}

/// Bytes of a thread's own memory, of which a run takes its row and the scratch of its data. What it does not touch
/// costs nothing but addresses.
enum { GR_LANE_MEMORY = 128 * 1024 };

/// Arguments of a launch.
typedef struct GrLaneCall {
    unsigned char *rows;
    uint64_t row_size;
    const int32_t *order; ///< [count] the runs
    int32_t *states;      ///< [runs] GrLaneState
    int32_t count;
    int32_t steps; ///< most steps of each run
} GrLaneCall;

#ifndef __NVPTX__
extern int32_t gr_lane_thread; ///< of the test's GPU

/// The kernel.
void gr_lane_drive(GrLaneCall call);
#endif

#endif

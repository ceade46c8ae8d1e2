/// A GPU for many threads that each run a mission: a thread waits in gr_lane_pool_advance() until all that are inside
/// wait there, and then all their missions advance at once. A thread that has ended its run may begin the next one in
/// its place, so that no lane stays empty.
///
///     gr_lane_pool_open  ->  gr_lane_pool_try  ->  { gr_lane_pool_run in each thread } ...  ->  gr_lane_pool_close
#ifndef GR_LANE_POOL_H
#define GR_LANE_POOL_H

#include "grouser/run.h"

typedef struct GrLanePool GrLanePool;

/// Opens a GPU, "cuda" or "cuda:1", for so many missions at a time. `*out` is NULL for "cpu" and NULL.
GrStatus gr_lane_pool_open(const char *device, int lanes, GrLanePool **out, GrErrorLog *log);
/// No thread may be inside.
void gr_lane_pool_close(GrLanePool *pool);

/// Whether the GPU offers what a mission has, and computes its bits. Drives nothing. NULL: there is nothing to try.
GrStatus gr_lane_pool_try(GrLanePool *pool, GrMission *mission, GrErrorLog *log);

/// gr_run(), on the GPU, with the same bits; without `step`. Waits for a free lane. An error of the GPU is that of all
/// runs, also of later ones. NULL: on the processor.
GrStatus gr_lane_pool_run(GrLanePool *pool, GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out,
                          GrErrorLog *log);

#endif

/// Summary of the samples so far, for the files of a run in progress.
#ifndef GR_RUN_TOTALS_H
#define GR_RUN_TOTALS_H

#include "account.h"

typedef struct GrRunTotals {
    GrRunSummary summary; ///< gr_run_totals_finish() completes it
    const GrModel *model;
    GrWheelSums *sums; ///< [wheel_count]
    GrClimbSums climbs;
    GrVec3 up;     ///< unit vector against gravity
    long *changes; ///< [wheel_count] of the contact state, from sample to sample
    int *states;   ///< of the last sample
    GrVec3 start;  ///< of the chassis
    double span;   ///< duration [s]
    long count;
} GrRunTotals;

/// False when out of memory.
bool gr_run_totals_init(GrRunTotals *totals, const GrModel *model);
void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample);

/// The summary so far, owned by the totals.
const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time);
void gr_run_totals_free(GrRunTotals *totals);

#endif

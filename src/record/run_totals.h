/// Summary of the samples so far, for the files of a run in progress.
#ifndef GR_RUN_TOTALS_H
#define GR_RUN_TOTALS_H

#include "grouser/sample.h"

typedef struct GrRunTotals {
    GrRunSummary summary; ///< gr_run_totals_finish() updates its means
    GrWheelSummary *sums; ///< integrals over time (slip: over the distance rolled)
    double *rolled;       ///< [rad]
    int *states;          ///< of the last sample
    GrVec3 start, last;   ///< of the chassis
    double span;          ///< duration [s]
    long count;
} GrRunTotals;

/// False when out of memory.
bool gr_run_totals_init(GrRunTotals *totals, int wheel_count);
void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample);

/// The summary so far, owned by the totals.
const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time);
void gr_run_totals_free(GrRunTotals *totals);

#endif

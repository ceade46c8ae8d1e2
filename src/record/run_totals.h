/// A summary of what the samples tell so far, for the files of a run that has not come to its end.
#ifndef GR_RUN_TOTALS_H
#define GR_RUN_TOTALS_H

#include "grouser/sample.h"

typedef struct GrRunTotals {
    GrRunSummary summary; ///< its means are brought up to date by gr_run_totals_finish()
    GrWheelSummary *sums; ///< over time (slip: over the way rolled)
    double *rolled;       ///< [rad]
    int *states;          ///< of the last sample
    GrVec3 start, last;   ///< of the chassis
    double span;          ///< of time [s]
    long count;
} GrRunTotals;

/// False when memory is out.
bool gr_run_totals_init(GrRunTotals *totals, int wheel_count);
void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample);

/// The summary up to now, owned by the totals.
const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time);
void gr_run_totals_free(GrRunTotals *totals);

#endif

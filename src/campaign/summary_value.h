/// Results of a run by the names of summary.json.
#ifndef GR_SUMMARY_VALUE_H
#define GR_SUMMARY_VALUE_H

#include "run_tables.h"

/// A number of the summary: "distance_m", "energy.soil_J", "wheels.slip_mean" (mean, largest or sum of all wheels),
/// "wheel_front_left.slip_mean", "succeeded", or "outcome.stuck" (1 or 0). False: there is no such number.
bool gr_summary_value(const GrModel *m, const GrRunSummary *summary, const char *name, double *out);

/// Calls `take` for the name of every such number until it returns false.
void gr_summary_list(const GrModel *m, bool (*take)(void *context, const char *name), void *context);

#endif

/// The search of `grouser optimize`: finds the best points and what is around them. Its runs come from a campaign, or
/// again from the study of one that has ended, for the page of that study: the same values lead to the same search.
///
///     gr_optimum_begin  ->  gr_optimum_find  ->  GrOptimumReport: text, JSON, page  ->  gr_optimum_end
#ifndef GR_OPTIMUM_FIND_H
#define GR_OPTIMUM_FIND_H

#include "optimum_report.h"

/// Where the results of a batch come from: fills its results. A status other than GR_OK ends the search.
typedef struct GrOptimumSource {
    void *context;
    GrStatus (*run)(void *context, const GrBatch *batch, GrErrorLog *log);
} GrOptimumSource;

/// Checks the campaign, which must outlive the report. Do not copy the report.
GrStatus gr_optimum_begin(const GrCampaign *campaign, GrOptimumReport *out, GrErrorLog *log);

GrStatus gr_optimum_find(GrOptimumReport *report, GrOptimumSource source, GrErrorLog *log);

void gr_optimum_end(GrOptimumReport *report);

/// Looks the search up in a study. GR_ERROR_NOT_CONVERGED, without a message: some runs are missing.
GrStatus gr_optimum_look_up(GrOptimumReport *report, GrStudy *study, GrErrorLog *log);

#endif

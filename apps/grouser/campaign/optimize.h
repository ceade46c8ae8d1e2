/// Studies that the command prints: figures, optima.
#ifndef GR_OPTIMIZE_H
#define GR_OPTIMIZE_H

#include "buffer.h"
#include "campaign_job.h"
#include "campaign_search.h"

// The result of `grouser optimize` as text, JSON and a scenario file of the best run.

typedef struct GrOptimumReport {
    const GrCampaign *campaign;
    GrCampaignJob *job; ///< NULL: from a study, for its page alone
    GrSearch search;
    GrOptimizerDef def; ///< points into the search
    GrOptimum optimum;
    GrResult *best;       ///< [point_count of the optimum]
    int chosen;           ///< of the points: the best one, or the balanced one of a front (gr_pareto_balanced())
    GrResult *curves;     ///< [dimension][curve_length]: one coordinate changed, the others at the chosen point
    double *curve_points; ///< [dimension][curve_length][dimension]
    int curve_length;
} GrOptimumReport;

// The search of `grouser optimize`: finds the best points and what is around them. Its runs come from a campaign, or
// again from the study of one that has ended, for the page of that study: the same values lead to the same search.
//
//     gr_optimum_begin  ->  gr_optimum_find  ->  GrOptimumReport: text, JSON, page  ->  gr_optimum_end

/// Where the results of a batch come from: fills its results. A status other than GR_OK ends the search.
typedef struct GrOptimumSource {
    void *context;
    GrStatus (*run)(void *context, const GrBatch *batch, GrErrorLog *log);
} GrOptimumSource;

/// Checks the campaign, which must outlive the report. Do not copy the report.
GrStatus gr_optimum_begin(const GrCampaign *campaign, GrOptimumReport *out, GrErrorLog *log);

void gr_optimum_end(GrOptimumReport *report);

/// Looks the search up in a study. GR_ERROR_NOT_CONVERGED, without a message: some runs are missing.
GrStatus gr_optimum_look_up(GrOptimumReport *report, GrStudy *study, GrErrorLog *log);

enum { GR_OPTIMUM_ANSWER = 1200 };

const char *gr_optimum_wish(GrWish wish); ///< "minimized", "maximized", "below", "above"
bool gr_optimum_has_limits(const GrOptimumReport *report);

/// The best design and whether it keeps its limits, or which it misses and by how much.
void gr_optimum_answer(const GrOptimumReport *report, char *out, size_t size);

// ---- The page of `grouser optimize`: the best values, convergence, the Pareto front, and what each variable does
// alone; then the page of the study with all runs of the search.

GrStatus gr_optimum_page(const GrOptimumReport *report, GrErrorLog *log);

/// The sections of the page.
GrStatus gr_optimum_put(const GrOptimumReport *report, GrStudyPage *def, GrPage *page, GrErrorLog *log);

// The goals of a search along each variable, through its best point.

/// The values of a point of the optimum.
void gr_optimum_row(const GrOptimumReport *report, int point, GrRow *row);

#endif

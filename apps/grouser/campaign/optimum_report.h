/// The result of `grouser optimize` as text, JSON and a scenario file of the best run.
#ifndef GR_OPTIMUM_REPORT_H
#define GR_OPTIMUM_REPORT_H

#include "campaign_job.h"
#include "campaign_search.h"

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

GrStatus gr_optimum_report(const GrOptimumReport *report, const GrCampaignOptions *o, GrErrorLog *log);

#endif

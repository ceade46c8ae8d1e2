/// The search of `grouser optimize`: a campaign's variables, objectives and limits as an optimiser sees them.
///
/// Ranges become coordinates from 0 to 1 (of the logarithm where the scale is log), whole numbers and lists become
/// whole coordinates. Every evaluation is a run of the study, so that a search that was interrupted repeats its first
/// part from stored results and goes on.
#ifndef GR_CAMPAIGN_SEARCH_H
#define GR_CAMPAIGN_SEARCH_H

#include "campaign.h"
#include "optimizer.h"

typedef struct GrSearch {
    const GrCampaign *campaign;
    int dimension;                       ///< of the search: variables that are not seeds
    int variable[GR_CAMPAIGN_VARIABLES]; ///< of each coordinate
    double lower[GR_CAMPAIGN_VARIABLES], upper[GR_CAMPAIGN_VARIABLES];
    bool integer[GR_CAMPAIGN_VARIABLES];
    int objective_count, constraint_count; ///< the last constraint is that a run does not fail, unless that is allowed
} GrSearch;

/// Checks that every variable has bounds. Messages are at their places in the campaign file.
GrStatus gr_search_make(const GrCampaign *campaign, GrSearch *out);

/// Definition for gr_optimize(); it points into the search.
GrOptimizerDef gr_search_def(const GrSearch *search);

/// The row of a point. `replicate` numbers the repetitions of a noisy run.
void gr_search_row(const GrSearch *search, const double *point, int replicate, GrRow *out);

/// Objectives (to be minimised) and constraints (satisfied where ≤ 0) of a result.
void gr_search_values(const GrSearch *search, const GrResult *result, double *out);

#endif

/// The page of `grouser optimize`: the best values, convergence, the Pareto front, and what each variable does alone;
/// then the page of the study with all runs of the search.
#ifndef GR_OPTIMUM_PAGE_H
#define GR_OPTIMUM_PAGE_H

#include "buffer.h"
#include "optimize.h"

GrStatus gr_optimum_page(const GrOptimumReport *report, GrErrorLog *log);

/// The sections of the page.
GrStatus gr_optimum_put(const GrOptimumReport *report, GrStudyPage *def, GrPage *page, GrErrorLog *log);

// The goals of a search along each variable, through its best point.

/// The values of a point of the optimum.
void gr_optimum_row(const GrOptimumReport *report, int point, GrRow *row);

#endif

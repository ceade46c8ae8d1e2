/// The goals of a search along each variable, through its best point.
#ifndef GR_OPTIMUM_CURVES_H
#define GR_OPTIMUM_CURVES_H

#include "buffer.h"
#include "optimum_report.h"

/// The values of a point of the optimum.
void gr_optimum_row(const GrOptimumReport *report, int point, GrRow *row);

/// Adds the section to a page.
void gr_optimum_curves(const GrOptimumReport *report, GrBuffer *page);

#endif

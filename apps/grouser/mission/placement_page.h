/// Figures of the mission `placement`: distributions with their limits, convergence, the map of the places, and the
/// worst of them as drawings.
#ifndef GR_PLACEMENT_PAGE_H
#define GR_PLACEMENT_PAGE_H

#include "placer.h"
#include "study_page.h"
#include "subject_placement.h"

/// For each measure with a limit its distribution, with limits and extremes marked.
GrStatus gr_placement_histograms(const GrShares *shares, GrPage *page, GrErrorLog *log);

/// The share within all limits, and quantiles of each measure with a limit, against the number of runs.
void gr_placement_convergence(const GrShares *shares, GrPage *page);

/// The smallest margin of a run to any limit, in standard deviations of the measure over all runs; −INFINITY: it
/// failed. `deviations` [goal_count] come from gr_placement_deviations().
void gr_placement_deviations(const GrShares *shares, double *deviations);
double gr_placement_margin(const GrShares *shares, const double *deviations, int row);

/// The places on the shaded ground, coloured by their margin.
void gr_placement_map(const GrShares *shares, GrPlacer *placer, GrPage *page);

/// The standing runs with the smallest margins, drawn from the side along each ramp.
GrStatus gr_placement_worst(const GrShares *shares, GrPlacer *placer, GrPage *page, GrErrorLog *log);

#endif

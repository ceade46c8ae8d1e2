/// The figures of a map from the sums and counts over its blocks: means, percentiles, roughness.
#ifndef GR_MAP_FIGURES_H
#define GR_MAP_FIGURES_H

#include "map_sums.h"

/// Distances over which heights are compared: 1, 2, 4, … cells, as far as the map is ten of them wide and long.
void gr_figures_begin(const GrGridFrame *frame, GrStatistics *out);

/// `total` and `counts` are those of all blocks and threads.
void gr_figures_finish(const GrGridFrame *frame, const GrMapSums *total, const GrMapCounts *counts, GrStatistics *out);

#endif

/// Sums over one block of a map: heights, slopes, and squares of height differences over several distances.
///
/// They depend on the block alone. Added up in the order of the blocks, they give figures that do not depend on the
/// threads.
#ifndef GR_MAP_SUMS_H
#define GR_MAP_SUMS_H

#include "map_changes.h"
#include "map_slopes.h"
#include "map_statistics.h"

typedef struct GrMapSums {
    double cells, voids, count;
    double shift; ///< a height of the block; sums are of differences to it
    double sum, square;
    double z_min, z_max;
    double steepest, slope_sum;                        ///< square of the largest gradient; [bins]
    double squares[GR_LAG_COUNT], pairs[GR_LAG_COUNT]; ///< of nodes that are 1, 2, 4, … apart along x or y
} GrMapSums;

/// What one thread counts in all of its blocks.
typedef struct GrMapCounts {
    GrSlopeCounts slopes;
    GrChangeCounts changes;
} GrMapCounts;

/// Sums of a block from the heights `z` of its window; adds to the counts.
GrMapSums gr_map_sums(const GrGridFrame *frame, const GrMapPlace *place, const double *z, int lag_count,
                      GrMapCounts *counts);

/// Sums of all blocks, relative to the shift of the first that has heights.
GrMapSums gr_map_sums_total(const GrMapSums *blocks, int count);

#endif

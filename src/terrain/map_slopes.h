/// Slopes of the nodes of a map: how many there are in each hundredth of a degree, their sum, and the steepest.
///
/// A row of nodes at a time, in loops that compilers turn into vectors. An arcus tangent by polynomial gives the place
/// of a slope among the bins to 4e-8 of a bin. Where that is too close to an edge to be sure, gr_slope_bin() decides,
/// which defines the bins: the counts are those of calling it for every node, in a small fraction of the time.
#ifndef GR_MAP_SLOPES_H
#define GR_MAP_SLOPES_H

#include "map_blocks.h"

enum { GR_SLOPE_BINS = 9000, GR_SLOPE_BINS_PER_DEGREE = 100 };

/// Of one thread. Counts are whole numbers, of which the sum does not depend on the order.
typedef struct GrSlopeCounts {
    uint32_t counts[GR_SLOPE_BINS + 1]; ///< the last: nodes without a slope
    // of a row
    double gx[GR_MAP_BLOCK];      ///< derivatives along x
    double squares[GR_MAP_BLOCK]; ///< of the gradients
    double places[GR_MAP_BLOCK];  ///< slopes, with the width of a bin as unit; 0: none
    int32_t bins[GR_MAP_BLOCK];
} GrSlopeCounts;

/// Slope in degrees from the square of the gradient.
double gr_slope_of(double square);

/// Bin of a slope from the square of the gradient.
int gr_slope_bin(double square);

/// Adds a row of `count` nodes, the first of them (i, j) in the map, to the counts, to the sum of slopes [bins] and to
/// the largest square of a gradient. Rows are `stride` apart; nodes around the row are read as far as the map has them.
void gr_slopes_add(GrSlopeCounts *c, const GrGridFrame *frame, const double *row, int64_t stride, int64_t i, int64_t j,
                   int64_t count, double *sum, double *steepest);

#endif

/// Changes of height from node to node: how many there are in each bin of their logarithm, 400 a decade from 1e-6 m.
///
/// Logarithms are by polynomial in single precision, in loops that compilers turn into vectors, and off by less than a
/// ten-thousandth of a bin. Where that is too close to an edge to be sure, gr_change_bin() decides, which defines the
/// bins: the counts are those of calling it for every change.
#ifndef GR_MAP_CHANGES_H
#define GR_MAP_CHANGES_H

#include "map_blocks.h"

enum { GR_CHANGE_BINS = 4000, GR_CHANGE_BINS_PER_DECADE = 400 };

/// Of one thread. Counts are whole numbers, of which the sum does not depend on the order.
typedef struct GrChangeCounts {
    uint32_t counts[GR_CHANGE_BINS + 1]; ///< the last: pairs of which a height is missing
    int32_t bins[GR_MAP_BLOCK + 2];      ///< of a row
} GrChangeCounts;

/// Bin of a change [m].
int gr_change_bin(double change);

/// Where a place among the bins begins [m].
double gr_change_at(double place);

/// Adds the changes from a[k] to b[k].
void gr_changes_add(GrChangeCounts *c, const double *a, const double *b, int64_t count);

#endif

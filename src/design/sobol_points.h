/// Sobol' points: a sequence that fills the unit cube more evenly than random points.
///
/// Point n follows from n alone, so threads, shards and later extensions of a study need no shared state. Any 2^m
/// points from a multiple of 2^m are a digital net. The order is that of the Gray code, as in SciPy. See
/// docs/methods.md.
#ifndef GR_SOBOL_POINTS_H
#define GR_SOBOL_POINTS_H

#include <stdint.h>

enum { GR_SOBOL_DIMENSIONS = 256, GR_SOBOL_BITS = 52 };

/// Point `index` < 2^52 in `dimension_count` ≤ GR_SOBOL_DIMENSIONS dimensions.
///
/// seed 0: the plain sequence in [0, 1). Its point 0 is the origin, where quantiles of unbounded distributions are
/// infinite. Other seeds: Owen's nested uniform scrambling, in (0, 1); the same bits on every machine.
void gr_sobol_point(uint64_t index, int dimension_count, uint64_t seed, double *out);

#endif

/// Samples of the unit cube: Sobol' points, Latin hypercubes, and the ways to sample by name.
///
/// No library: NLopt keeps its Sobol' sequence to itself, GSL is under the GPL.
#ifndef GR_SAMPLING_H
#define GR_SAMPLING_H

#include "grouser/status.h"

#include <stdint.h>

// The ways to sample the unit cube, by name.

/// All ways: constant, name, text.
#define GR_SAMPLING_LIST(X)                                                                                            \
    X(GR_SAMPLING_SOBOL, sobol, "Sobol' points with Owen scrambling: even in all dimensions, can be extended")         \
    X(GR_SAMPLING_LATIN, latin, "Latin hypercube: one point in each slice of each variable, of fixed count")           \
    X(GR_SAMPLING_RANDOM, random, "independent random points, can be extended")

typedef enum GrSampling {
#define GR_SAMPLING_ENUM(constant, name, text) constant,
    GR_SAMPLING_LIST(GR_SAMPLING_ENUM)
#undef GR_SAMPLING_ENUM
        GR_SAMPLING_COUNT
} GrSampling;

const char *gr_sampling_name(GrSampling sampling);
const char *gr_sampling_text(GrSampling sampling);

/// Index of a name; −1, and an error with the nearest name, for an unknown one.
int gr_sampling_find(const char *name, GrErrorLog *log);

/// Point `index` of a sample of `count` points (only Latin hypercubes depend on the count), from its arguments alone.
/// Sobol' points have at most GR_SOBOL_DIMENSIONS dimensions; their seed 0 is the plain sequence.
void gr_sample_point(GrSampling sampling, uint64_t index, uint64_t count, int dimension_count, uint64_t seed,
                     double *out);

// Sobol' points: a sequence that fills the unit cube more evenly than random points.
//
// Point n follows from n alone, so threads, shards and later extensions of a study need no shared state. Any 2^m
// points from a multiple of 2^m are a digital net. The order is that of the Gray code, as in SciPy. See
// docs/methods.md.

enum { GR_SOBOL_DIMENSIONS = 256, GR_SOBOL_BITS = 52 };

/// Point `index` < 2^52 in `dimension_count` ≤ GR_SOBOL_DIMENSIONS dimensions.
///
/// seed 0: the plain sequence in [0, 1). Its point 0 is the origin, where quantiles of unbounded distributions are
/// infinite. Other seeds: Owen's nested uniform scrambling, in (0, 1); the same bits on every machine.
void gr_sobol_point(uint64_t index, int dimension_count, uint64_t seed, double *out);

// Latin hypercube samples: `count` points of which every one of the `count` slices of every coordinate holds one
// (McKay, Beckman & Conover 1979).

/// Point `index` < `count`, in (0, 1), random within its cell; from index, count and seed alone. Unlike Sobol' points,
/// a sample cannot be extended: another count is another sample.
void gr_latin_point(uint64_t index, uint64_t count, int dimension_count, uint64_t seed, double *out);

/// The image of `index` under a random permutation of 0 … count − 1 that `key` selects, count ≤ 2^52.
uint64_t gr_permute(uint64_t index, uint64_t count, uint64_t key);

#endif

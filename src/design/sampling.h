/// The ways to sample the unit cube, by name.
#ifndef GR_SAMPLING_H
#define GR_SAMPLING_H

#include "grouser/status.h"

#include <stdint.h>

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

#endif

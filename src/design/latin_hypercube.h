/// Latin hypercube samples: `count` points of which every one of the `count` slices of every coordinate holds one
/// (McKay, Beckman & Conover 1979).
#ifndef GR_LATIN_HYPERCUBE_H
#define GR_LATIN_HYPERCUBE_H

#include <stdint.h>

/// Point `index` < `count`, in (0, 1), random within its cell; from index, count and seed alone. Unlike Sobol' points,
/// a sample cannot be extended: another count is another sample.
void gr_latin_point(uint64_t index, uint64_t count, int dimension_count, uint64_t seed, double *out);

/// The image of `index` under a random permutation of 0 … count − 1 that `key` selects, count ≤ 2^52.
uint64_t gr_permute(uint64_t index, uint64_t count, uint64_t key);

#endif

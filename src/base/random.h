/// Random numbers from named streams: a stream depends on its name and the seed only, not on what other streams draw.
///
/// No library: those of C differ between systems, GSL is under the GPL.
#ifndef GR_RANDOM_H
#define GR_RANDOM_H

#include <stdint.h>

/// xoshiro256++ (Blackman & Vigna 2019), state filled by splitmix64 from seed and name.
typedef struct GrRandom {
    uint64_t s[4];
} GrRandom;

GrRandom gr_random_stream(uint64_t seed, const char *name);

uint64_t gr_random_u64(GrRandom *random);

/// Uniform in [0, 1) with 53 bits.
double gr_random_unit(GrRandom *random);

/// Uniform in [lower, upper).
double gr_random_uniform(GrRandom *random, double lower, double upper);

/// Standard normal (Marsaglia's polar method).
double gr_random_normal(GrRandom *random);

/// Uniform integer in [0, count), count > 0, without bias.
uint64_t gr_random_below(GrRandom *random, uint64_t count);

#endif

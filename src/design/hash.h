/// Counter-based random bits: a number from a seed and the coordinates of where it is used, without state.
#ifndef GR_DESIGN_HASH_H
#define GR_DESIGN_HASH_H

#include <stdint.h>

/// A bijection of 64 bits in which every input bit changes every output bit with probability 1/2 (the finaliser of
/// splitmix64, Steele et al. 2014).
static inline uint64_t gr_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Chains one more coordinate to a hash.
static inline uint64_t gr_hash_join(uint64_t hash, uint64_t coordinate)
{
    return gr_hash_mix(hash + 0x9e3779b97f4a7c15u + gr_hash_mix(coordinate + 0x9e3779b97f4a7c15u));
}

/// The middle of one of 2^52 equal cells of (0, 1): never 0 and never 1.
static inline double gr_hash_unit(uint64_t hash)
{
    return ((double)(hash >> 12) + 0.5) * 0x1p-52;
}

#endif

/// Counts of values in bins, quickly.
///
/// Bins of a quantity that grows with what is counted: edges[k] is the least value in bin k or above. A value finds its
/// bin by the first bits of its number, from where it is few edges away: faster than the function that defines the
/// bins, which is a logarithm or an arcus tangent, and with the same result.
///
/// Slots are of numbers with the same exponent and first bits, from 2^-40; smaller numbers are in the first. There are
/// so many that few of them contain two edges, and so few that they stay in the cache.
#ifndef GR_BINS_H
#define GR_BINS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GR_BIN_OCTAVES = 64, GR_BIN_FIRST_OCTAVE = 1023 - 40 };

typedef struct GrBins {
    int count;
    int slot_bits;   ///< of the mantissa
    double *edges;   ///< [count + 1]
    uint16_t *first; ///< [slots] bin of the least value with these bits
} GrBins;

/// `bin_of` defines the bins and must not fall; `guess` says where one begins, but for rounding errors. False when out
/// of memory; gr_bins_free() either way.
bool gr_bins_make(GrBins *bins, int count, int slot_bits, int (*bin_of)(double), double (*guess)(int));
void gr_bins_free(GrBins *bins);

static inline int64_t gr_bins_slot(double value, int slot_bits)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t slot = (int64_t)(bits >> (52 - slot_bits)) - ((int64_t)GR_BIN_FIRST_OCTAVE << slot_bits);
    const int64_t last = ((int64_t)GR_BIN_OCTAVES << slot_bits) - 1, least = slot > 0 ? slot : 0;
    return least < last ? least : last;
}

/// Slots of `count` values, which vectorises; those of NAN are of no use.
static inline void gr_bins_slots(const GrBins *bins, const double *values, int64_t count, int32_t *restrict slots)
{
    const int slot_bits = bins->slot_bits;
    for (int64_t k = 0; k < count; k++) {
        slots[k] = (int32_t)gr_bins_slot(values[k], slot_bits);
    }
}

/// Bin of a finite value that is not negative.
static inline int gr_bins_find(const GrBins *bins, int32_t slot, double value)
{
    int k = bins->first[slot];
    k += value >= bins->edges[k + 1]; // not a jump, which processors would guess wrong
    while (value >= bins->edges[k + 1]) {
        k++;
    }
    return k;
}

#endif

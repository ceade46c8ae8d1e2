#include "bins.h"

#include "alloc.h"

#include <math.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double slot_begin(int64_t slot, int slot_bits)
{
    const int64_t first = (int64_t)GR_BIN_FIRST_OCTAVE << slot_bits;
    return slot > 0 ? value_of((uint64_t)(slot + first) << (52 - slot_bits)) : 0;
}

/// Bits of the numbers between which bin k begins: low ≤ edge ≤ high, by steps that double away from a guess.
static void bracket_edge(int (*bin_of)(double), int k, double guess, uint64_t *low, uint64_t *high)
{
    const uint64_t infinite = bits_of(INFINITY), at = bits_of(guess);
    *low = 0;
    *high = infinite;
    if (bin_of(guess) >= k) {
        *high = at;
        for (uint64_t step = 1; step <= at && *low == 0; step *= 2) {
            if (bin_of(value_of(at - step)) < k) {
                *low = at - step + 1;
            } else {
                *high = at - step;
            }
        }
        return;
    }
    *low = at + 1;
    for (uint64_t step = 1; step < infinite - at && *high == infinite; step *= 2) {
        if (bin_of(value_of(at + step)) >= k) {
            *high = at + step;
        } else {
            *low = at + step + 1;
        }
    }
}

/// The least value above 0 in bin k or above, by bisection over the bits of numbers; INFINITY: there is none.
static double find_edge(int (*bin_of)(double), int k, double guess)
{
    uint64_t low, high;
    bracket_edge(bin_of, k, guess, &low, &high);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (bin_of(value_of(middle)) >= k) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return value_of(high);
}

bool gr_bins_make(GrBins *bins, int count, int slot_bits, int (*bin_of)(double), double (*guess)(int))
{
    const int64_t slots = (int64_t)GR_BIN_OCTAVES << slot_bits;
    *bins = (GrBins){count, slot_bits, gr_malloc(((size_t)count + 1) * sizeof(double)),
                     gr_malloc((size_t)slots * sizeof(uint16_t))};
    if (bins->edges == NULL || bins->first == NULL) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        bins->edges[k] = find_edge(bin_of, k, guess(k));
    }
    bins->edges[count] = INFINITY;
    for (int64_t slot = 0, k = 0; slot < slots; slot++) {
        while (k + 1 < count && bins->edges[k + 1] <= slot_begin(slot, slot_bits)) {
            k++;
        }
        bins->first[slot] = (uint16_t)k;
    }
    return true;
}

void gr_bins_free(GrBins *bins)
{
    gr_free(bins->edges);
    gr_free(bins->first);
}

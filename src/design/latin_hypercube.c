#include "latin_hypercube.h"

#include "check.h"
#include "hash.h"

#include <math.h>

/// A Feistel cipher over the next larger domain of 4^bits values, applied again while its value is outside (cycle
/// walking): a bijection of any count without tables. Domains under 2^8 have too few distinct ciphers.
uint64_t gr_permute(uint64_t index, uint64_t count, uint64_t key)
{
    enum { ROUNDS = 6, FEWEST_BITS = 4 };
    GR_CHECK(index < count && count <= UINT64_C(1) << 52);
    int bits = FEWEST_BITS;
    while (UINT64_C(1) << (2 * bits) < count) {
        bits++;
    }
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t x = index;
    do {
        uint64_t left = x >> bits, right = x & mask;
        for (int round = 0; round < ROUNDS; round++) {
            const uint64_t next = left ^ (gr_hash_mix((key + (uint64_t)round) ^ gr_hash_mix(right)) & mask);
            left = right;
            right = next;
        }
        x = left << bits | right;
    } while (x >= count);
    return x;
}

void gr_latin_point(uint64_t index, uint64_t count, int dimension_count, uint64_t seed, double *out)
{
    const double largest = nextafter(1, 0);
    for (int i = 0; i < dimension_count; i++) {
        const uint64_t key = gr_hash_join(gr_hash_join(1, seed), (uint64_t)i);
        const uint64_t cell = gr_permute(index, count, key);
        // The sum may round up to the next cell only where count is so large that a cell has few doubles.
        out[i] = fmin(((double)cell + gr_hash_unit(gr_hash_join(key, cell))) / (double)count, largest);
    }
}

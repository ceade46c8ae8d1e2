#include "sobol_points.h"

#include "check.h"
#include "hash.h"
#include "sobol_directions.h"

static int degree_of(unsigned polynomial)
{
    int degree = 0;
    while (polynomial >> (degree + 1) != 0) {
        degree++;
    }
    return degree;
}

/// XOR of the direction numbers that `code` selects, as a fraction of 2^GR_SOBOL_BITS.
static uint64_t digits_of(uint64_t code, const GrSobolDirection *direction)
{
    const int degree = degree_of(direction->polynomial);
    uint64_t m[GR_SOBOL_BITS];
    uint64_t digits = 0;
    for (int k = 0; code >> k != 0; k++) {
        if (degree == 0) {
            m[k] = 1; // van der Corput's sequence
        } else if (k < degree) {
            m[k] = direction->initial[k];
        } else { // m_k = 2 a_1 m_{k−1} ⊕ 4 a_2 m_{k−2} ⊕ … ⊕ 2^d m_{k−d} ⊕ m_{k−d} (Joe & Kuo 2008, eq. 2)
            m[k] = m[k - degree];
            for (int i = 1; i <= degree; i++) {
                if ((direction->polynomial >> (degree - i) & 1) != 0) {
                    m[k] ^= m[k - i] << i;
                }
            }
        }
        if ((code >> k & 1) != 0) {
            digits ^= m[k] << (GR_SOBOL_BITS - 1 - k);
        }
    }
    return digits;
}

/// Owen's nested uniform scrambling in base 2 (1995): each digit is flipped by a random bit that depends on all digits
/// before it. The random bit is a hash of these digits. The Laine-Karras hash (2011; Burley 2020) needs fewer
/// operations but only approximates it; a point takes a microsecond, a run far more.
static uint64_t scramble(uint64_t digits, uint64_t key)
{
    uint64_t flips = 0;
    for (int bit = GR_SOBOL_BITS - 1; bit >= 0; bit--) {
        // The leading 1 tells prefixes of different lengths apart.
        const uint64_t prefix = digits >> (bit + 1) | UINT64_C(1) << (GR_SOBOL_BITS - 1 - bit);
        flips |= (gr_hash_mix(key ^ gr_hash_mix(prefix)) >> 63) << bit;
    }
    return digits ^ flips;
}

void gr_sobol_point(uint64_t index, int dimension_count, uint64_t seed, double *out)
{
    GR_CHECK(index >> GR_SOBOL_BITS == 0);
    GR_CHECK(dimension_count >= 0 && dimension_count <= GR_SOBOL_DIMENSIONS);
    const uint64_t code = index ^ index >> 1;
    for (int i = 0; i < dimension_count; i++) {
        const uint64_t digits = digits_of(code, &gr_sobol_directions[i]);
        if (seed == 0) {
            out[i] = (double)digits * 0x1p-52;
        } else {
            out[i] = ((double)scramble(digits, gr_hash_join(gr_hash_join(0, seed), (uint64_t)i)) + 0.5) * 0x1p-52;
        }
    }
}

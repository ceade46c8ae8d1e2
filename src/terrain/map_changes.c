#include "map_changes.h"

#include "elementary.h"

#include <math.h>
#include <string.h>

enum { NO_CHANGE = GR_CHANGE_BINS, UNSURE = -1 };

static const int DECADES_BELOW_METRE = 6;

int gr_change_bin(double change)
{
    const double bin = GR_CHANGE_BINS_PER_DECADE * (gr_log10(fmax(change, 1e-6)) + DECADES_BELOW_METRE);
    return bin < GR_CHANGE_BINS - 1 ? (int)bin : GR_CHANGE_BINS - 1;
}

double gr_change_at(double place)
{
    return gr_pow(10, place / GR_CHANGE_BINS_PER_DECADE - DECADES_BELOW_METRE);
}

/// Bins of the changes of a row; UNSURE where an edge is near. A number is 2^e · m with m from √½ to √2, found by the
/// bits of √½; the polynomial interpolates the logarithm of m at Chebyshev's points and is off by 1.2e-5 of a bin at
/// most, its floats by as much. Its even and odd powers are apart, so that they do not wait for each other. The rest is
/// in whole numbers: they are exact, and compilers make no jumps of their limits.
static void find_bins(const double *a, const double *b, int64_t count, int32_t *restrict bins)
{
    enum { BITS = 18, UNIT = 1 << BITS, METRE = 2400 * UNIT, LAST = GR_CHANGE_BINS * UNIT - UNIT / 2, NEAR = 32 };
    static const int32_t OCTAVE = 31565283, ROOT_HALF = 0x3f3504f3, MANTISSA = 0x7fffff; // 400 lg 2 bins
    static const int32_t LEAST = 0x358637bd, MOST = 0x461c4000;                          // 1e-6 m, 1e4 m
    for (int64_t k = 0; k < count; k++) {
        const double difference = b[k] - a[k];
        const float change = (float)fabs(difference);
        int32_t bits;
        memcpy(&bits, &change, sizeof bits);
        const int32_t at_least = bits > LEAST ? bits : LEAST, at_most = at_least < MOST ? at_least : MOST;
        const int32_t above = at_most - ROOT_HALF, rest = (above & MANTISSA) + ROOT_HALF;
        float m;
        memcpy(&m, &rest, sizeof m);
        const float t = m - 1, u = t * t;
        float even = 28.014161915784474f, odd = -17.189984882088467f;
        even = even * u + 34.59302840635847f;
        odd = odd * u - 30.015318207903743f;
        even = even * u + 57.90814180961138f;
        odd = odd * u - 43.375434045692934f;
        even = even * u + 173.71778722284043f;
        odd = odd * u - 86.85954792015876f;
        const float logarithm = t * (even + t * odd);
        const int32_t found = METRE + OCTAVE * (above >> 23) + (int32_t)(logarithm * UNIT);
        const int32_t above_0 = found > 0 ? found : 0, place = above_0 < LAST ? above_0 : LAST;
        const bool near = (((place + NEAR) & (UNIT - 1)) < 2 * NEAR) & (place > UNIT / 2); // of an edge above bin 0
        const int32_t bin = near ? UNSURE : place >> BITS;
        bins[k] = difference == difference ? bin : NO_CHANGE;
    }
}

void gr_changes_add(GrChangeCounts *c, const double *a, const double *b, int64_t count)
{
    find_bins(a, b, count, c->bins);
    for (int64_t k = 0; k < count; k++) {
        const int32_t bin = c->bins[k];
        c->counts[bin == UNSURE ? gr_change_bin(fabs(b[k] - a[k])) : bin]++;
    }
}

#include "trig.h"

#include "elementary.h"
#include "vec3.h"

#include <stdint.h>

// π/2 in three parts, the first two with trailing zeros so that k times them is exact for |k| < 2^20 (Cody & Waite
// 1980)
static const double HALF_PI_1 = 0x1.921fb544p+0;
static const double HALF_PI_2 = 0x1.0b4611a6p-34;
static const double HALF_PI_3 = 0x1.3198a2e037073p-69;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double LARGEST = 1e6;

/// sin r for |r| ≤ π/4: Taylor to r^15, remainder below 5e-17.
static inline double sin_reduced(double r, double r2)
{
    double p = -1.0 / 1307674368000;
    p = gr_fma(p, r2, 1.0 / 6227020800);
    p = gr_fma(p, r2, -1.0 / 39916800);
    p = gr_fma(p, r2, 1.0 / 362880);
    p = gr_fma(p, r2, -1.0 / 5040);
    p = gr_fma(p, r2, 1.0 / 120);
    p = gr_fma(p, r2, -1.0 / 6);
    return gr_fma(r * r2, p, r);
}

/// cos r for |r| ≤ π/4: Taylor to r^16, remainder below 2e-18.
static inline double cos_reduced(double r2)
{
    double p = 1.0 / 20922789888000;
    p = gr_fma(p, r2, -1.0 / 87178291200);
    p = gr_fma(p, r2, 1.0 / 479001600);
    p = gr_fma(p, r2, -1.0 / 3628800);
    p = gr_fma(p, r2, 1.0 / 40320);
    p = gr_fma(p, r2, -1.0 / 720);
    p = gr_fma(p, r2, 1.0 / 24);
    p = gr_fma(p, r2, -0.5);
    return gr_fma(p, r2, 1);
}

void gr_sincos(int count, const double *restrict angle, double *restrict sine, double *restrict cosine)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double k = rint(angle[i] * TWO_OVER_PI);
        const double r = gr_fma(-k, HALF_PI_3, gr_fma(-k, HALF_PI_2, gr_fma(-k, HALF_PI_1, angle[i])));
        const double r2 = r * r;
        const double s = sin_reduced(r, r2), c = cos_reduced(r2);
        // the quadrant k mod 4 swaps sine and cosine, and gives their signs
        const double quadrant = k - 4 * floor(k / 4);
        const int swap = (quadrant == 1) | (quadrant == 3);
        const double a = swap ? c : s, b = swap ? s : c;
        sine[i] = quadrant >= 2 ? -a : a;
        const int negative = (quadrant == 1) | (quadrant == 2);
        cosine[i] = negative ? -b : b;
        largest = fmax(largest, fabs(angle[i]));
    }
    if (!(largest <= LARGEST)) {
        for (int i = 0; i < count; i++) {
            sine[i] = gr_sin(angle[i]);
            cosine[i] = gr_cos(angle[i]);
        }
    }
}

/// Adaptive Simpson quadrature of four functions at once, for references of soil laws.
#ifndef GR_TEST_SIMPSON_H
#define GR_TEST_SIMPSON_H

#include <math.h>

typedef void (*SimpsonFn)(const void *context, double at, double out[4]);

static inline void simpson_part(SimpsonFn f, const void *context, const double at[2], const double fa[4],
                                const double fm[4], const double fb[4], double scale, int depth, double out[4])
{
    const double a = at[0], b = at[1], m = 0.5 * (a + b);
    double fl[4], fr[4], fine[4], error = 0;
    f(context, 0.5 * (a + m), fl);
    f(context, 0.5 * (m + b), fr);
    for (int i = 0; i < 4; i++) {
        const double whole = (b - a) / 6 * (fa[i] + 4 * fm[i] + fb[i]);
        fine[i] = (b - a) / 12 * (fa[i] + 4 * fl[i] + 2 * fm[i] + 4 * fr[i] + fb[i]);
        error = fmax(error, fabs(fine[i] - whole) / 15);
        fine[i] += (fine[i] - whole) / 15;
    }
    if (depth <= 0 || error < scale * (b - a)) {
        for (int i = 0; i < 4; i++) {
            out[i] += fine[i];
        }
        return;
    }
    simpson_part(f, context, (const double[]){a, m}, fa, fl, fm, scale, depth - 1, out);
    simpson_part(f, context, (const double[]){m, b}, fm, fr, fb, scale, depth - 1, out);
}

/// Adds the integrals from a to b to `out`, to about `scale` (b − a), in at most `depth` halvings.
static inline void simpson(SimpsonFn f, const void *context, double a, double b, double scale, int depth, double out[4])
{
    double fa[4], fm[4], fb[4];
    f(context, a, fa);
    f(context, 0.5 * (a + b), fm);
    f(context, b, fb);
    simpson_part(f, context, (const double[]){a, b}, fa, fm, fb, scale, depth, out);
}

#endif

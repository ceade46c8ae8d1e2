/// Elementary functions as short branch-free polynomials, written so that a loop over an array of them vectorises.
/// Ranges are those of the wheel-soil integrals; tests/soil/test_vmath.c compares each with libm over its range.
#ifndef GR_VMATH_H
#define GR_VMATH_H

#include "fused.h"

#include <stdint.h>
#include <string.h>

static inline double gr_bits_to_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t gr_double_to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// 1.5 · 2^52: adding it rounds to the nearest integer and leaves that integer in the low bits.
#define GR_ROUND_MAGIC 6755399441055744.0
#define GR_LOG2_E      1.4426950408889634
#define GR_LN2_HIGH    6.93147180369123816490e-01
#define GR_LN2_LOW     1.90821492927058770002e-10
#define GR_LN2         0.69314718055994531
// The same with the bias of an exponent: shifted up by 52 bits the sum is 2^k.
#define GR_POWER_MAGIC (GR_ROUND_MAGIC + 1023)

static inline double gr_abs(double x)
{
    return __builtin_fabs(x);
}

/// Minimum and maximum, for arguments that are not NaN: one instruction where the hardware has it. Processors differ in
/// the sign of a zero.
static inline double gr_min(double a, double b)
{
#if defined(__aarch64__) && !defined(GR_PORTABLE_BITS)
    return __builtin_fmin(a, b);
#else
    return a < b ? a : b;
#endif
}

static inline double gr_max(double a, double b)
{
#if defined(__aarch64__) && !defined(GR_PORTABLE_BITS)
    return __builtin_fmax(a, b);
#else
    return a > b ? a : b;
#endif
}

/// |size| with the sign of x.
static inline double gr_sign_of(double size, double x)
{
    return __builtin_copysign(size, x);
}

/// All bits set where a > b, none elsewhere.
static inline uint64_t gr_mask_greater(double a, double b)
{
    return a > b ? ~(uint64_t)0 : 0;
}

/// a where the mask is set, b elsewhere. The compiler turns conditional expressions with a common condition into
/// branches, which take three times as many instructions after vectorisation.
static inline double gr_select(uint64_t mask, double a, double b)
{
    return gr_bits_to_double((gr_double_to_bits(a) & mask) | (gr_double_to_bits(b) & ~mask));
}

/// a where the mask is set, 0 elsewhere.
static inline double gr_keep(uint64_t mask, double a)
{
    return gr_bits_to_double(gr_double_to_bits(a) & mask);
}

/// x times the sign of y.
static inline double gr_times_sign(double x, double y)
{
    return gr_bits_to_double(gr_double_to_bits(x) ^ (gr_double_to_bits(y) & 0x8000000000000000u));
}

/// e^f − 1 for |f| ≤ ln2/2: f + f² q(f), q interpolated at Chebyshev nodes (error below 6e-14, relative 2e-13).
static inline double gr_expm1_core(double f)
{
    // Evaluated in pairs (Estrin), with half the latency of Horner's scheme.
    const double f2 = f * f;
    const double a = gr_fma(0.16666666666662575, f, 0.49999999999954975);
    const double b = gr_fma(0.0083333333442268016, f, 0.041666666786527869);
    const double c = gr_fma(0.00019841224533568121, f, 0.0013888839037847843);
    const double d = gr_fma(2.7617608788569917e-06, f, 2.4867918601290165e-05);
    const double q = gr_fma(gr_fma(d, f2, c), f2 * f2, gr_fma(b, f2, a));
    return gr_fma(f2, q, f);
}

/// x = k ln 2 + f: 2^k, and f by `rest`. ln 2 in one part: its rounding is 2e-17 k, far below the core's 6e-14.
static inline double gr_split_power(double x, double *rest)
{
    const double rounded = gr_fma(x, GR_LOG2_E, GR_POWER_MAGIC);
    *rest = gr_fma(-(rounded - GR_POWER_MAGIC), GR_LN2, x);
    return gr_bits_to_double(gr_double_to_bits(rounded) << 52);
}

/// e^x − 1 for |x| ≤ 700, accurate near 0.
static inline double gr_fast_expm1(double x)
{
    double f;
    const double scale = gr_split_power(x, &f);
    return gr_fma(scale, gr_expm1_core(f), scale - 1);
}

/// e^x for |x| ≤ 700.
static inline double gr_fast_exp(double x)
{
    double f;
    const double scale = gr_split_power(x, &f);
    return gr_fma(scale, gr_expm1_core(f), scale);
}

/// log x for normal x > 0: x = 2^k m, m in [√½, √2), log m = 2 atanh((m − 1)/(m + 1)).
static inline double gr_fast_log(double x)
{
    const uint64_t bits = gr_double_to_bits(x);
    // Shift so that the exponent changes at √2 and not at 2.
    const uint64_t shifted = bits - 0x3fe6a09e667f3bcdu;
    const uint64_t exponent =
        (shifted >> 52) - ((shifted >> 63) << 12); // arithmetic shift; unsigned ones vectorise on all targets
    const double m = gr_bits_to_double(bits - (exponent << 52));
    // Exponent as a double without an integer conversion: |exponent| < 2^11.
    const double k = gr_bits_to_double(exponent + 0x4338000000000000u) - GR_ROUND_MAGIC;
    const double f = (m - 1) / (m + 1);
    const double g = f * f;
    double p = gr_fma(0.096826392108786116, g, 0.11095632799585983);
    p = gr_fma(p, g, 0.14285878334073157);
    p = gr_fma(p, g, 0.19999999393441642);
    p = gr_fma(p, g, 0.33333333333691384);
    return gr_fma(k, GR_LN2_HIGH, gr_fma(2 * f * g, p, gr_fma(k, GR_LN2_LOW, 2 * f)));
}

/// sin x for |x| ≤ 2.1, to 3e-11.
static inline double gr_fast_sin(double x)
{
    const double g = x * x;
    const double g2 = g * g;
    const double a = gr_fma(0.0083333332906097412, g, -0.16666666666405044);
    const double b = gr_fma(2.7556221753528074e-06, g, -0.00019841258525438252);
    const double c = gr_fma(1.5077489192456671e-10, g, -2.500389055163715e-08);
    const double p = gr_fma(gr_fma(c, g2, b), g2, a);
    return gr_fma(x * g, p, x);
}

/// cos x for |x| ≤ 2.1, to 4e-12.
static inline double gr_fast_cos(double x)
{
    const double g = x * x;
    const double g2 = g * g;
    const double a = gr_fma(-0.0013888888862042279, g, 0.041666666666502261);
    const double b = gr_fma(-2.7556629876114777e-07, g, 2.4801580191895662e-05);
    const double c = gr_fma(-1.0855211602603506e-11, g, 2.0846485989893518e-09);
    const double p = gr_fma(gr_fma(c, g2, b), g2, a);
    return gr_fma(g2, p, gr_fma(-0.5, g, 1));
}

/// asin √x for 0 ≤ x ≤ ½, to 1e-11 of itself; exact in form for small x. `root` is √x.
static inline double gr_fast_asin_root(double x, double root)
{
    const double x2 = x * x, x4 = x2 * x2;
    const double a = gr_fma(gr_fma(0.044653488612107065, x, 0.074999710942358438), x2,
                            gr_fma(0.16666666972319802, x, 0.99999999999468514));
    const double b = gr_fma(gr_fma(0.081903783163663674, x, 0.0021282508085913327), x2,
                            gr_fma(0.024579733863292728, x, 0.03018153396330546));
    const double c = gr_fma(gr_fma(0.20080490915829854, x, -0.38009784005471181), x2,
                            gr_fma(0.37182519600302327, x, -0.18557055500169409));
    return root * gr_fma(gr_fma(c, x4, b), x4, a);
}

/// atan2(y, x) for x ≥ 0, to 2e-12; 0 where both are 0.
static inline double gr_fast_atan(double y, double x)
{
    const double size = gr_abs(y);
    const double small = size > x ? x : size, large = size > x ? size : x;
    const double t = small / (large + 1e-300), g = t * t, g2 = g * g, g4 = g2 * g2;
    const double a = gr_fma(gr_fma(-0.14285592392900151, g, 0.19999995340320931), g2,
                            gr_fma(-0.33333333262478398, g, 0.99999999999819666));
    const double b = gr_fma(gr_fma(-0.063660908932585039, g, 0.076142497371306697), g2,
                            gr_fma(-0.090767987701614386, g, 0.11109428348593355));
    const double c = gr_fma(gr_fma(-0.0082418795407451836, g, 0.019937408843965623), g2,
                            gr_fma(-0.035267684193519104, g, 0.050455550768122935));
    const double d = gr_fma(-0.00026660086899715177, g, 0.0021627873170167789);
    const double angle = t * gr_fma(gr_fma(d, g4, c), g4 * g4, gr_fma(b, g4, a));
    return gr_sign_of(size > x ? 1.5707963267948966 - angle : angle, y);
}

#endif

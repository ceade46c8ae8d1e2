/// Elementary functions as short branch-free polynomials, written so that a loop over an array of them vectorises.
/// Ranges are those of the wheel-soil integrals; tests/soil/test_vmath.c holds each against libm over its range.
#ifndef GR_VMATH_H
#define GR_VMATH_H

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

/// e^f − 1 for |f| ≤ ln2/2 by its series to f^12 (remainder below 2e-16 of the result).
static inline double gr_expm1_core(double f)
{
    const double p =
        1.0 / 6 +
        f * (1.0 / 24 +
             f * (1.0 / 120 +
                  f * (1.0 / 720 +
                       f * (1.0 / 5040 +
                            f * (1.0 / 40320 +
                                 f * (1.0 / 362880 + f * (1.0 / 3628800 + f * (1.0 / 39916800 + f / 479001600.0))))))));
    return f + f * f * (0.5 + f * p);
}

/// e^x − 1 for |x| ≤ 700, accurate near 0.
static inline double gr_fast_expm1(double x)
{
    const double rounded = x * GR_LOG2_E + GR_ROUND_MAGIC;
    const double k = rounded - GR_ROUND_MAGIC;
    const double f = (x - k * GR_LN2_HIGH) - k * GR_LN2_LOW;
    const double scale = gr_bits_to_double((gr_double_to_bits(rounded) + 1023) << 52);
    return scale * gr_expm1_core(f) + (scale - 1);
}

/// e^x for |x| ≤ 700.
static inline double gr_fast_exp(double x)
{
    const double rounded = x * GR_LOG2_E + GR_ROUND_MAGIC;
    const double k = rounded - GR_ROUND_MAGIC;
    const double f = (x - k * GR_LN2_HIGH) - k * GR_LN2_LOW;
    const double scale = gr_bits_to_double((gr_double_to_bits(rounded) + 1023) << 52);
    return scale + scale * gr_expm1_core(f);
}

/// log x for normal x > 0: x = 2^k m, m in [√½, √2), log m = 2 atanh((m − 1)/(m + 1)).
static inline double gr_fast_log(double x)
{
    const uint64_t bits = gr_double_to_bits(x);
    // Shift so that the exponent changes at √2 and not at 2.
    const uint64_t shifted = bits - 0x3fe6a09e667f3bcdu;
    const uint64_t exponent = (shifted >> 52) - ((shifted >> 63) << 12); // arithmetic shift; unsigned ones vectorise on all targets
    const double m = gr_bits_to_double(bits - (exponent << 52));
    // Exponent as a double without an integer conversion: |exponent| < 2^11.
    const double k = gr_bits_to_double(exponent + 0x4338000000000000u) - GR_ROUND_MAGIC;
    const double f = (m - 1) / (m + 1);
    const double g = f * f;
    const double p =
        1.0 / 3 +
        g * (1.0 / 5 + g * (1.0 / 7 + g * (1.0 / 9 + g * (1.0 / 11 + g * (1.0 / 13 + g * (1.0 / 15 + g / 17.0))))));
    return k * GR_LN2_HIGH + (2 * f + (2 * f * g * p + k * GR_LN2_LOW));
}

/// sin x for |x| ≤ 2.1 by its series to x^19 (remainder below 1e-13).
static inline double gr_fast_sin(double x)
{
    const double g = x * x;
    const double p =
        -1.0 / 6 +
        g * (1.0 / 120 +
             g * (-1.0 / 5040 +
                  g * (1.0 / 362880 +
                       g * (-1.0 / 39916800 + g * (1.0 / 6227020800.0 +
                                                   g * (-1.0 / 1307674368000.0 + g / 355687428096000.0))))));
    return x + x * g * p;
}

/// cos x for |x| ≤ 2.1 by its series to x^18 (remainder below 2e-12).
static inline double gr_fast_cos(double x)
{
    const double g = x * x;
    const double p =
        1.0 / 24 + g * (-1.0 / 720 +
                        g * (1.0 / 40320 +
                             g * (-1.0 / 3628800 +
                                  g * (1.0 / 479001600 + g * (-1.0 / 87178291200.0 +
                                                              g * (1.0 / 20922789888000.0 - g / 6402373705728000.0))))));
    return 1 + g * (-0.5 + g * p);
}

#endif

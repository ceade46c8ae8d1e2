/// Numbers as the unevaluated sum of two doubles, high + low with |low| ≤ ulp(high)/2 (Dekker 1971): about 106 bits.
/// Plain operations, so that the bits do not depend on a fused multiply-add.
#ifndef GR_PAIR_H
#define GR_PAIR_H

#include <math.h>

typedef struct GrPair {
    double high, low;
} GrPair;

/// a + b exactly.
static inline GrPair gr_pair_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (GrPair){sum, (a - (sum - part)) + (b - part)};
}

/// a + b exactly, for |a| ≥ |b| or a = 0.
static inline GrPair gr_pair_join(double a, double b)
{
    const double sum = a + b;
    return (GrPair){sum, b - (sum - a)};
}

/// a b exactly, for |a|, |b| < 2^995 and products that are not subnormal.
static inline GrPair gr_pair_product(double a, double b)
{
    const double split = 134217729; // 2^27 + 1: halves of 26 bits
    const double wide_a = split * a, wide_b = split * b;
    const double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
    const double product = a * b;
    return (GrPair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline GrPair gr_pair_add(GrPair a, GrPair b)
{
    const GrPair high = gr_pair_sum(a.high, b.high), low = gr_pair_sum(a.low, b.low);
    const GrPair part = gr_pair_join(high.high, high.low + low.high);
    return gr_pair_join(part.high, part.low + low.low);
}

static inline GrPair gr_pair_times(GrPair a, GrPair b)
{
    const GrPair product = gr_pair_product(a.high, b.high);
    return gr_pair_join(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline GrPair gr_pair_over(GrPair a, GrPair b)
{
    const double quotient = a.high / b.high;
    const GrPair back = gr_pair_product(quotient, b.high);
    const double left = (((a.high - back.high) - back.low) + a.low) - quotient * b.low;
    return gr_pair_join(quotient, left / b.high);
}

/// √a for a > 0.
static inline GrPair gr_pair_root(GrPair a)
{
    const double root = sqrt(a.high);
    const GrPair back = gr_pair_product(root, root);
    return gr_pair_join(root, (((a.high - back.high) - back.low) + a.low) / (2 * root));
}

#endif

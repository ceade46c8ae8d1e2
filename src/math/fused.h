/// Multiply and add in one rounding, where the hardware can.
#ifndef GR_FUSED_H
#define GR_FUSED_H

/// a b + c. The compiler must not fuse by itself (-ffp-contract=off), so that the same source gives the same bits
/// wherever it is inlined. Inner loops ask for it with this function.
static inline double gr_fma(double a, double b, double c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/// The same in single precision.
static inline float gr_fma_single(float a, float b, float c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

#endif

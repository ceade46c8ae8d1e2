/// Multiply and add in one rounding, where the machine has it in hardware.
#ifndef GR_FUSED_H
#define GR_FUSED_H

/// a b + c. The compiler may not fuse by itself (-ffp-contract=off), so that the same source gives the same bits
/// whatever it is inlined into; the inner loops say it here.
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

/// Multiply and add in one rounding, where the hardware can and the bits need not be those of other processors.
#ifndef GR_FUSED_H
#define GR_FUSED_H

#if !defined(GR_PORTABLE_BITS) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
#define GR_FUSED 1
#else
#define GR_FUSED 0
#endif

/// a b + c. The compiler must not fuse on its own (-ffp-contract=off), so that the same source gives the same bits
/// wherever it is inlined. Inner loops ask for it with this function.
static inline double gr_fma(double a, double b, double c)
{
#if GR_FUSED
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/// The same in single precision.
static inline float gr_fma_single(float a, float b, float c)
{
#if GR_FUSED
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

#endif

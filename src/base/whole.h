/// Whole numbers from floating-point ones that may be anything: the cast of a value beyond the integer's range is
/// undefined in C.
#ifndef GR_WHOLE_H
#define GR_WHOLE_H

#include <stdint.h>

/// The integer part, at most 2^53 in size, up to which doubles are exact; 0 for NaN.
static inline int64_t gr_whole(double x)
{
    const double most = 9007199254740992.0;
    return x >= most ? (int64_t)most : x <= -most ? -(int64_t)most : x == x ? (int64_t)x : 0;
}

/// The nearest whole number, halves away from zero, of magnitudes below 2^63: llround() without a call, so that loops
/// over it use vector registers.
static inline int64_t gr_nearest(double x)
{
    const int64_t toward_zero = (int64_t)x;
    const double rest = x - (double)toward_zero; // exact
    return toward_zero + (rest >= 0.5) - (rest <= -0.5);
}

#endif

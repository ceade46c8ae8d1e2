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

#endif

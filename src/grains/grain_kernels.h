/// Between a bin and its kernels (grain_kernels.c).
#ifndef GR_GRAIN_KERNELS_H
#define GR_GRAIN_KERNELS_H

#include "bin_view.h"

/// Numbers of a list that one thread adds up.
enum { GR_SCAN_PART = 64 };

/// A list whose numbers are laid end to end. Its parts are summed first, and their sums laid in the same way.
typedef struct GrScan {
    const int32_t *numbers;
    int32_t *first; ///< [count + 1]; may be `numbers` of another array only
    int32_t *parts; ///< sums of the parts, or where they begin
    int32_t count;
} GrScan;

#ifndef __NVPTX__
extern int32_t gr_kernel_thread; ///< of the test's GPU
#endif

#endif

/// The stages of a bin as kernels: a thread for each grain or cell. clang compiles this file to code for GPUs
/// (src/CMakeLists.txt); the tests compile it for the processor, where a GPU that they make up calls the kernels.
#define GR_LANES       1
#define GR_ONE_CONTACT 1
#include "grain_kernels.h"

#include "bin_cells.h"
#include "bin_step.h"
#include "clump.h"

#ifdef __NVPTX__
#define GR_KERNEL __attribute__((nvptx_kernel)) void

GR_INLINE int32_t thread_number(void)
{
    return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
#else
#define GR_KERNEL void

GR_INLINE int32_t thread_number(void)
{
    return gr_kernel_thread;
}
#endif

// Every kernel has the same arguments, so that one list names them all. The view is an argument, which a GPU keeps in
// its constant memory; walls, bodies and spheres of clumps are asked for by number, which an argument does not allow:
// those stages read a copy.
#define GR_STAGE_KERNEL(name, function)                                                                                \
    GR_KERNEL gr_grains_##name(GrBinView view, const GrBinView *copy, GrBinSums *sums, GrScan scan, int32_t count)     \
    {                                                                                                                  \
        const int32_t i = thread_number();                                                                             \
        (void)scan;                                                                                                    \
        if (i < count) {                                                                                               \
            const int numbered = GR_STAGE_##name == GR_STAGE_touch || GR_STAGE_##name == GR_STAGE_clump;               \
            function(numbered ? copy : &view, i, &sums[i % GR_SUM_COPIES]);                                            \
        }                                                                                                              \
    }
GR_BIN_STAGE_LIST(GR_STAGE_KERNEL)

/// Sums of the parts of a list.
GR_KERNEL gr_grains_sum(GrBinView view, const GrBinView *copy, GrBinSums *sums, GrScan scan, int32_t count)
{
    const int32_t part = thread_number();
    (void)view, (void)copy, (void)sums;
    if (part < count) {
        const int32_t from = part * GR_SCAN_PART;
        const int32_t to = from + GR_SCAN_PART < scan.count ? from + GR_SCAN_PART : scan.count;
        int32_t sum = 0;
        for (int32_t k = from; k < to; k++) {
            sum += scan.numbers[k];
        }
        scan.parts[part] = sum;
    }
}

/// Where the numbers of a list begin when they are laid end to end, and behind the last where they end.
GR_KERNEL gr_grains_lay(GrBinView view, const GrBinView *copy, GrBinSums *sums, GrScan scan, int32_t count)
{
    const int32_t part = thread_number();
    (void)view, (void)copy, (void)sums;
    if (part < count) {
        const int32_t from = part * GR_SCAN_PART;
        const int32_t to = from + GR_SCAN_PART < scan.count ? from + GR_SCAN_PART : scan.count;
        int32_t at = count > 1 ? scan.parts[part] : 0;
        for (int32_t k = from; k < to; k++) {
            const int32_t number = scan.numbers[k];
            scan.first[k] = at;
            at += number;
        }
        if (to == scan.count) {
            scan.first[to] = at;
        }
    }
}

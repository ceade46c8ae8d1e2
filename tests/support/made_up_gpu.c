/// A made-up GPU: NVIDIA's driver as a library that the tests load in its place. It runs the kernels of grains and
/// batches (grain_kernels.c, lane_kernels.c), compiled for the processor, and fails where the environment says so:
///
///     GROUSER_GPU_FAULT=none       there is no device
///     GROUSER_GPU_FAULT=memory:N   it has N bytes of memory
///     GROUSER_GPU_FAULT=launch:N   the N-th launch fails, and all calls after it
///     GROUSER_GPU_FAULT=wrong      each step moves a grain by half a nanometre too much, each launch a rover a little
#include "grain_kernels.h"
#include "lane.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t Place;
typedef void (*Kernel)(GrBinView view, const GrBinView *copy, GrBinSums *sums, GrScan scan, int32_t count);

enum { NO_MEMORY = 2, NO_DEVICE = 100, BAD_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };

int32_t gr_kernel_thread, gr_lane_thread;
static long launches;
static size_t taken;
static bool broken;

#define X(name, function)                                                                                              \
    void gr_grains_##name(GrBinView view, const GrBinView *copy, GrBinSums *sums, GrScan scan, int32_t count);
GR_BIN_STAGE_LIST(X)
X(sum, )
X(lay, )
#undef X

static const struct {
    const char *name;
    Kernel kernel;
} KERNELS[] = {
#define X(name, function) {"gr_grains_" #name, gr_grains_##name},
    GR_BIN_STAGE_LIST(X) X(sum, ) X(lay, )
#undef X
};

/// The number behind "name:" of the fault that is asked for; −1: another or none.
static long fault_number(const char *name)
{
    const char *fault = getenv("GROUSER_GPU_FAULT");
    const size_t length = strlen(name);
    return fault != NULL && strncmp(fault, name, length) == 0 && fault[length] == ':' ? atol(fault + length + 1) : -1;
}

static bool fault_is(const char *name)
{
    const char *fault = getenv("GROUSER_GPU_FAULT");
    return fault != NULL && strcmp(fault, name) == 0;
}

// ---- the driver's functions

int cuInit(unsigned flags)
{
    (void)flags;
    launches = 0, taken = 0, broken = false;
    return fault_is("none") ? NO_DEVICE : 0;
}

int cuGetErrorString(int fault, const char **text)
{
    *text = fault == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "a made-up fault";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "made-up GPU");
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)8 << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 4;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &launches;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    return context == &launches ? 0 : BAD_HANDLE;
}

int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    const long limit = fault_number("memory");
    *total = limit >= 0 ? (size_t)limit : (size_t)8 << 30;
    *left = *total > taken ? *total - taken : 0;
    return 0;
}

int cuModuleLoadData(void **module, const void *image)
{
    *module = &launches;
    const bool known = strstr(image, ".entry gr_grains_push") != NULL || strstr(image, ".entry gr_lane_drive") != NULL;
    return known ? 0 : BAD_HANDLE;
}

int cuModuleUnload(void *module)
{
    return module == &launches ? 0 : BAD_HANDLE;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    for (size_t k = 0; k < sizeof KERNELS / sizeof KERNELS[0]; k++) {
        if (strcmp(KERNELS[k].name, name) == 0) {
            memcpy(function, &KERNELS[k].kernel, sizeof *function);
            return 0;
        }
    }
    void (*const drive)(GrLaneCall) = gr_lane_drive;
    memcpy(function, &drive, sizeof *function);
    return strcmp(name, "gr_lane_drive") == 0 ? 0 : NOT_FOUND;
}

int cuMemAlloc_v2(Place *place, size_t size)
{
    const long limit = fault_number("memory");
    if (limit >= 0 && taken + size > (size_t)limit) {
        return NO_MEMORY;
    }
    taken += size;
    *place = (Place)(uintptr_t)malloc(size);
    return *place != 0 ? 0 : NO_MEMORY;
}

int cuMemFree_v2(Place place)
{
    free((void *)(uintptr_t)place);
    return 0;
}

int cuMemcpyHtoD_v2(Place to, const void *from, size_t size)
{
    memcpy((void *)(uintptr_t)to, from, size);
    return broken ? ILLEGAL_ADDRESS : 0;
}

int cuMemcpyDtoH_v2(void *to, Place from, size_t size)
{
    memcpy(to, (const void *)(uintptr_t)from, size);
    return broken ? ILLEGAL_ADDRESS : 0;
}

int cuMemsetD8Async(Place to, unsigned char value, size_t size, void *stream)
{
    (void)stream;
    memset((void *)(uintptr_t)to, value, size);
    return broken ? ILLEGAL_ADDRESS : 0;
}

/// Drives runs; false: that is another kernel's.
static bool launch_lanes(const void *kernel, int32_t threads, void **arguments)
{
    void (*const drive)(GrLaneCall) = gr_lane_drive;
    if (memcmp(&drive, &kernel, sizeof kernel) != 0) {
        return false;
    }
    const GrLaneCall *call = arguments[0];
    for (int32_t k = 0; k < threads; k++) {
        gr_lane_thread = (int32_t)((k * (int64_t)7919 + 13) % threads);
        gr_lane_drive(*call);
    }
    if (fault_is("wrong")) {
        double *distance = (double *)(void *)(call->rows + sizeof(GrLaneHead) + offsetof(GrMissionState, distance));
        *distance += 1e-15;
    }
    return true;
}

/// Threads in an order of their own, so that what depends on it is seen.
int cuLaunchKernel(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra)
{
    Kernel run;
    (void)grid_y, (void)grid_z, (void)block_y, (void)block_z, (void)shared, (void)stream, (void)extra;
    launches++;
    if (launches == fault_number("launch")) {
        broken = true; // a launch is told of later, as on a GPU
        return 0;
    }
    if (launch_lanes(kernel, (int32_t)(grid_x * block_x), arguments)) {
        return 0;
    }
    memcpy(&run, &kernel, sizeof run);
    const GrBinView *view = arguments[0];
    const GrBinView *const *copy = arguments[1];
    GrBinSums *const *sums = arguments[2];
    const GrScan *scan = arguments[3];
    const int32_t *count = arguments[4], threads = (int32_t)(grid_x * block_x);
    for (int32_t k = 0; k < threads; k++) {
        gr_kernel_thread = (int32_t)((k * (int64_t)7919 + 13) % threads);
        run(*view, *copy, *sums, *scan, *count);
    }
    if (fault_is("wrong") && kernel == (void *)gr_grains_move) {
        view->now[0].x ^= 1;
    }
    return 0;
}

#include "cuda.h"

#include "alloc.h"
#include "lazy.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Threads of a block: all stages are short, and none uses shared memory.
enum { BLOCK = 128 };

enum { CUDA_OUT_OF_MEMORY = 2, CUDA_NO_DEVICE = 100, CUDA_NO_CODE_FOR_IT = 209, CUDA_TOO_NEW = 222 };
enum { ATTRIBUTE_PROCESSORS = 16, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

// The driver's interface, as far as it is used: names, arguments and numbers are those of its binary interface.
typedef struct GrCudaContext *Context;
typedef struct GrCudaModule *Module;

int cuInit(unsigned flags);
int cuGetErrorString(int fault, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(Context *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(Context context);
int cuMemGetInfo_v2(size_t *free, size_t *total);
int cuModuleLoadData(Module *module, const void *image);
int cuModuleUnload(Module module);
int cuModuleGetFunction(GrCudaKernel *function, Module module, const char *name);
int cuMemAlloc_v2(GrCudaPlace *place, size_t size);
int cuMemFree_v2(GrCudaPlace place);
int cuMemcpyHtoD_v2(GrCudaPlace to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, GrCudaPlace from, size_t size);
int cuMemsetD8Async(GrCudaPlace to, unsigned char value, size_t size, void *stream);
int cuLaunchKernel(GrCudaKernel kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);

#define DRIVER_FUNCTIONS(X)                                                                                            \
    X(cuInit)                                                                                                          \
    X(cuGetErrorString)                                                                                                \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceTotalMem_v2)                                                                                             \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDevicePrimaryCtxRetain)                                                                                        \
    X(cuDevicePrimaryCtxRelease_v2)                                                                                    \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuMemGetInfo_v2)                                                                                                 \
    X(cuModuleLoadData)                                                                                                \
    X(cuModuleUnload)                                                                                                  \
    X(cuModuleGetFunction)                                                                                             \
    X(cuMemAlloc_v2)                                                                                                   \
    X(cuMemFree_v2)                                                                                                    \
    X(cuMemcpyHtoD_v2)                                                                                                 \
    X(cuMemcpyDtoH_v2)                                                                                                 \
    X(cuMemsetD8Async)                                                                                                 \
    X(cuLaunchKernel)
GR_LAZY_LIBRARY(driver, "libcuda.so.1", DRIVER_FUNCTIONS)

typedef struct Piece {
    GrCudaPlace place;
    struct Piece *next;
} Piece;

struct GrCuda {
    int device; ///< the driver's handle
    Context context;
    Module module;
    Piece *memory;
    unsigned block;  ///< threads of a block; 0: BLOCK
    char fault[200]; ///< "": none
    bool short_of_memory;
};

GrStatus gr_device_parse(const char *given, int *gpu, GrErrorLog *log)
{
    *gpu = 0;
    if (given == NULL || strcmp(given, "cpu") == 0) {
        return GR_OK;
    }
    if (strcmp(given, "cuda") == 0) {
        *gpu = 1;
        return GR_OK;
    }
    char *end = NULL;
    const long number =
        strncmp(given, "cuda:", 5) == 0 && given[5] >= '0' && given[5] <= '9' ? strtol(given + 5, &end, 10) : -1;
    if (number < 0 || *end != '\0' || number > 1000) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--device"},
                            "found '%.40s', allowed: cpu, cuda, cuda:0, cuda:1, …", given);
    }
    *gpu = (int)number + 1;
    return GR_OK;
}

static const char *text_of(int fault)
{
    const char *text = NULL;
    return driver.cuGetErrorString(fault, &text) == 0 && text != NULL ? text : "unknown fault";
}

static GrStatus fail(const char *what, int fault, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"}, "CUDA's driver: %s: %s", what,
                        text_of(fault));
}

/// Loads the driver and starts it.
static GrStatus start(GrErrorLog *log)
{
    if (!driver_open()) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "NVIDIA's driver is not on this machine (%s); '--device cpu' uses its processors",
                            driver_fault);
    }
    const int fault = driver.cuInit(0);
    if (fault == CUDA_NO_DEVICE) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "NVIDIA's driver finds no GPU; '--device cpu' uses this machine's processors");
    }
    return fault == 0 ? GR_OK : fail("cannot start", fault, log);
}

GrStatus gr_cuda_count(int *count, GrErrorLog *log)
{
    *count = 0;
    const GrStatus status = start(log);
    const int fault = status == GR_OK ? driver.cuDeviceGetCount(count) : 0;
    return fault != 0 ? fail("cannot count devices", fault, log) : status;
}

/// The driver's handle of a device.
static GrStatus find(int device, int *handle, GrErrorLog *log)
{
    int count = 0;
    const GrStatus status = gr_cuda_count(&count, log);
    if (status != GR_OK) {
        return status;
    }
    if (device < 0 || device >= count) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--device"},
                            "cuda:%d is not there; allowed: cuda:0 to cuda:%d", device, count - 1);
    }
    const int fault = driver.cuDeviceGet(handle, device);
    return fault != 0 ? fail("cannot get the device", fault, log) : GR_OK;
}

GrStatus gr_cuda_info(int device, GrCudaInfo *info, GrErrorLog *log)
{
    *info = (GrCudaInfo){.processors = 0};
    int handle = 0;
    const GrStatus status = find(device, &handle, log);
    if (status != GR_OK) {
        return status;
    }
    size_t total = 0, left = 0;
    Context context;
    int fault = driver.cuDeviceGetName(info->name, sizeof info->name, handle);
    fault = fault == 0 ? driver.cuDeviceTotalMem_v2(&total, handle) : fault;
    fault = fault == 0 ? driver.cuDeviceGetAttribute(&info->processors, ATTRIBUTE_PROCESSORS, handle) : fault;
    fault = fault == 0 ? driver.cuDeviceGetAttribute(&info->major, ATTRIBUTE_MAJOR, handle) : fault;
    fault = fault == 0 ? driver.cuDeviceGetAttribute(&info->minor, ATTRIBUTE_MINOR, handle) : fault;
    if (fault == 0 && driver.cuDevicePrimaryCtxRetain(&context, handle) == 0) {
        if (driver.cuCtxSetCurrent(context) == 0) {
            driver.cuMemGetInfo_v2(&left, &total);
        }
        driver.cuDevicePrimaryCtxRelease_v2(handle);
    }
    info->memory = (double)total, info->free = (double)left;
    return fault != 0 ? fail("cannot describe the device", fault, log) : GR_OK;
}

static GrStatus load(GrCuda *cuda, int device, const char *code, GrErrorLog *log)
{
    const GrStatus status = find(device, &cuda->device, log);
    if (status != GR_OK) {
        return status;
    }
    int fault = driver.cuDevicePrimaryCtxRetain(&cuda->context, cuda->device);
    if (fault != 0) {
        cuda->context = NULL;
        return fail("cannot open the device", fault, log);
    }
    fault = driver.cuCtxSetCurrent(cuda->context);
    fault = fault == 0 ? driver.cuModuleLoadData(&cuda->module, code) : fault;
    if (fault == CUDA_TOO_NEW || fault == CUDA_NO_CODE_FOR_IT) {
        return fail(fault == CUDA_TOO_NEW ? "a newer driver is needed" : "the GPU is too old; Volta is the oldest",
                    fault, log);
    }
    return fault != 0 ? fail("cannot load the code", fault, log) : GR_OK;
}

GrStatus gr_cuda_open(int device, const char *code, GrCuda **out, GrErrorLog *log)
{
    GrCuda *cuda = gr_calloc(1, sizeof *cuda);
    *out = NULL;
    if (cuda == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = load(cuda, device, code, log);
    if (status != GR_OK) {
        gr_cuda_close(cuda);
        return status;
    }
    *out = cuda;
    return GR_OK;
}

void gr_cuda_close(GrCuda *cuda)
{
    if (cuda == NULL) {
        return;
    }
    if (cuda->context != NULL) {
        driver.cuCtxSetCurrent(cuda->context);
    }
    while (cuda->memory != NULL) {
        Piece *piece = cuda->memory;
        cuda->memory = piece->next;
        driver.cuMemFree_v2(piece->place);
        gr_free(piece);
    }
    if (cuda->module != NULL) {
        driver.cuModuleUnload(cuda->module);
    }
    if (cuda->context != NULL) {
        driver.cuDevicePrimaryCtxRelease_v2(cuda->device);
    }
    gr_free(cuda);
}

/// Whether there was no fault yet; makes the device this thread's.
static bool ready(GrCuda *cuda)
{
    if (cuda->fault[0] == '\0' && driver.cuCtxSetCurrent(cuda->context) != 0) {
        gr_text_copy(cuda->fault, sizeof cuda->fault, "cannot use the device from this thread");
    }
    return cuda->fault[0] == '\0';
}

static void note(GrCuda *cuda, const char *what, int fault)
{
    if (fault != 0) {
        snprintf(cuda->fault, sizeof cuda->fault, "%s: %s", what, text_of(fault));
    }
}

GrCudaKernel gr_cuda_kernel(GrCuda *cuda, const char *name)
{
    GrCudaKernel kernel = NULL;
    if (ready(cuda)) {
        note(cuda, name, driver.cuModuleGetFunction(&kernel, cuda->module, name));
    }
    return kernel;
}

/// That the device's memory does not hold `size` bytes more.
static void note_memory(GrCuda *cuda, size_t size)
{
    size_t left = 0, total = 0;
    driver.cuMemGetInfo_v2(&left, &total);
    gr_print(cuda->fault, sizeof cuda->fault, "the device has %.3g GB of memory left, and %.3g GB more are needed",
             1e-9 * (double)left, 1e-9 * (double)size);
    cuda->short_of_memory = true;
}

GrCudaPlace gr_cuda_take(GrCuda *cuda, size_t size)
{
    if (!ready(cuda)) {
        return 0;
    }
    Piece *piece = gr_calloc(1, sizeof *piece);
    if (piece == NULL) {
        cuda->short_of_memory = true;
        gr_text_copy(cuda->fault, sizeof cuda->fault, "out of memory");
        return 0;
    }
    const size_t bytes = size > 0 ? size : 1;
    const int fault = driver.cuMemAlloc_v2(&piece->place, bytes);
    if (fault != 0) {
        gr_free(piece);
        if (fault == CUDA_OUT_OF_MEMORY) {
            note_memory(cuda, bytes);
        } else {
            note(cuda, "memory", fault);
        }
        return 0;
    }
    piece->next = cuda->memory;
    cuda->memory = piece;
    gr_cuda_clear(cuda, piece->place, bytes);
    return piece->place;
}

void gr_cuda_give_back(GrCuda *cuda, GrCudaPlace place)
{
    if (place == 0 || !ready(cuda)) {
        return;
    }
    Piece **at = &cuda->memory;
    while (*at != NULL && (*at)->place != place) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        Piece *piece = *at;
        *at = piece->next;
        note(cuda, "memory", driver.cuMemFree_v2(piece->place));
        gr_free(piece);
    }
}

void gr_cuda_write(GrCuda *cuda, GrCudaPlace to, const void *from, size_t size)
{
    if (size > 0 && ready(cuda)) {
        note(cuda, "copying to the device", driver.cuMemcpyHtoD_v2(to, from, size));
    }
}

void gr_cuda_read(GrCuda *cuda, void *to, GrCudaPlace from, size_t size)
{
    if (size > 0 && ready(cuda)) {
        note(cuda, "copying from the device", driver.cuMemcpyDtoH_v2(to, from, size));
    }
}

void gr_cuda_set_block(GrCuda *cuda, unsigned threads)
{
    cuda->block = threads;
}

void gr_cuda_clear(GrCuda *cuda, GrCudaPlace to, size_t size)
{
    if (size > 0 && ready(cuda)) {
        note(cuda, "clearing memory", driver.cuMemsetD8Async(to, 0, size, NULL));
    }
}

void gr_cuda_launch(GrCuda *cuda, GrCudaKernel kernel, int32_t count, void **arguments)
{
    if (count > 0 && ready(cuda)) {
        const unsigned block = cuda->block > 0 ? cuda->block : BLOCK;
        const unsigned blocks = ((unsigned)count + block - 1) / block;
        note(cuda, "computing", driver.cuLaunchKernel(kernel, blocks, 1, 1, block, 1, 1, 0, NULL, arguments, NULL));
    }
}

GrStatus gr_cuda_status(const GrCuda *cuda, GrErrorLog *log)
{
    if (cuda->fault[0] == '\0') {
        return GR_OK;
    }
    return gr_error_add(log, cuda->short_of_memory ? GR_ERROR_MEMORY : GR_ERROR_DEVICE,
                        (GrLocation){.field = "--device"}, "%s", cuda->fault);
}

/// GPUs of NVIDIA through the driver's own library, which is loaded when one is asked for: devices, code, memory,
/// launches.
///
///     GrCuda *cuda = NULL;
///     GrStatus status = gr_cuda_open(0, code, &cuda, log);       // PTX; the driver compiles it once and keeps the
///     result GrCudaKernel add = gr_cuda_kernel(cuda, "add"); GrCudaPlace numbers = gr_cuda_take(cuda, size); void
///     *arguments[] = {&numbers, &count}; gr_cuda_launch(cuda, add, count, arguments); gr_cuda_read(cuda, result,
///     numbers, size); status = gr_cuda_status(cuda, log);                        // of all calls above: the first
///     fault, which ended the rest gr_cuda_close(cuda);
///
/// CUDA's runtime and its compiler are not used: Debian's main archive has neither, and the driver needs neither.
#ifndef GR_CUDA_H
#define GR_CUDA_H

#include "grouser/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct GrCuda GrCuda;
typedef struct GrCudaFunction *GrCudaKernel; ///< NULL: it is not in the code
typedef uint64_t GrCudaPlace;                ///< an address in the device's memory; 0: none

/// A device as options name it: "cpu", or "cuda:1", the second GPU. `gpu`: 0, or its number counted from 1. NULL: cpu.
/// Whether the GPU is there is not looked at.
GrStatus gr_device_parse(const char *given, int *gpu, GrErrorLog *log);

typedef struct GrCudaInfo {
    char name[100];
    double memory, free; ///< [bytes]
    int processors;      ///< multiprocessors
    int major, minor;    ///< compute capability
} GrCudaInfo;

/// Number of devices. Where there is no driver or no device the error says which.
GrStatus gr_cuda_count(int *count, GrErrorLog *log);
GrStatus gr_cuda_info(int device, GrCudaInfo *info, GrErrorLog *log);

/// Opens a device and gives it code. The caller's thread uses it afterwards, or another, but one at a time.
GrStatus gr_cuda_open(int device, const char *code, GrCuda **out, GrErrorLog *log);
/// Also gives all memory back.
void gr_cuda_close(GrCuda *cuda);

GrCudaKernel gr_cuda_kernel(GrCuda *cuda, const char *name);

/// Memory, cleared.
GrCudaPlace gr_cuda_take(GrCuda *cuda, size_t size);
/// Gives it back before gr_cuda_close(). 0: nothing happens.
void gr_cuda_give_back(GrCuda *cuda, GrCudaPlace place);
void gr_cuda_write(GrCuda *cuda, GrCudaPlace to, const void *from, size_t size);
void gr_cuda_read(GrCuda *cuda, void *to, GrCudaPlace from, size_t size);
void gr_cuda_clear(GrCuda *cuda, GrCudaPlace to, size_t size);

/// Threads of a block in the launches that follow; 128 by default.
void gr_cuda_set_block(GrCuda *cuda, unsigned threads);

/// A thread for each of `count` numbers, and some beyond them. `arguments`: pointers to the kernel's arguments.
void gr_cuda_launch(GrCuda *cuda, GrCudaKernel kernel, int32_t count, void **arguments);

/// The first fault since gr_cuda_open(); after one, the other calls do nothing.
GrStatus gr_cuda_status(const GrCuda *cuda, GrErrorLog *log);

#endif

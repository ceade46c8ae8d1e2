#include "bin_device.h"

#include "alloc.h"
#include "cuda.h"
#include "grain_kernels.h"
#include "out_of_memory.h"
#include "parts.h"

#include <string.h>

enum { SCAN_LEVELS = 6 }; ///< 64^6 numbers

/// What all threads see.
typedef struct Shared {
    GrBinView view;
    GrBinSums sums[GR_SUM_COPIES];
} Shared;

static void raise_to(int32_t *place, int32_t value)
{
    int32_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (value > seen &&
           !__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void gr_bin_sums_add(GrBinSums *all, const GrBinSums *sums)
{
    for (int s = 0; s < GR_SURFACES; s++) {
        for (int a = 0; a < 3; a++) {
            if (sums->force[s][a] != 0 || sums->moment[s][a] != 0) {
                __atomic_fetch_add(&all->force[s][a], sums->force[s][a], __ATOMIC_RELAXED);
                __atomic_fetch_add(&all->moment[s][a], sums->moment[s][a], __ATOMIC_RELAXED);
            }
        }
    }
    raise_to(&all->rebuild, sums->rebuild);
    raise_to(&all->most, sums->most);
    raise_to(&all->lost, sums->lost);
}

struct GrBinDevice {
    GrCuda *cuda;
    GrCudaKernel stages[GR_STAGES], sum, lay;
    GrCudaPlace twins[GR_BIN_MEMORY]; ///< of bin->memory
    int twin_count;
    GrCudaPlace shared, parts[SCAN_LEVELS];
    bool grains_behind, lists_behind; ///< the arrays of the bin, behind those of the device
};

#ifdef GR_GRAIN_KERNELS
// The assembler puts clang's output into the program.
__asm__(".section .rodata\n"
        "gr_grain_kernels:\n"
        ".incbin \"" GR_GRAIN_KERNELS "\"\n"
        ".byte 0\n"
        ".previous\n");

extern const char gr_grain_kernels[];
#else
static const char gr_grain_kernels[] = "";
#endif

/// Twins of arrays that came since the last call, such as a body's.
static void add_twins(GrBin *bin)
{
    GrBinDevice *d = bin->device;
    for (; d->twin_count < bin->memory_count; d->twin_count++) {
        const int k = d->twin_count;
        d->twins[k] = gr_cuda_take(d->cuda, bin->memory_size[k]);
        gr_cuda_write(d->cuda, d->twins[k], bin->memory[k], bin->memory_size[k]);
    }
}

/// Where the twin of an array is.
static GrCudaPlace twin_of(const GrBin *bin, const void *array)
{
    for (int k = 0; k < bin->device->twin_count; k++) {
        if (bin->memory[k] == array) {
            return bin->device->twins[k];
        }
    }
    return 0;
}

static void replace(const GrBin *bin, void *pointer)
{
    void *array;
    memcpy(&array, pointer, sizeof array);
    array = (void *)(uintptr_t)twin_of(bin, array);
    memcpy(pointer, &array, sizeof array);
}

/// The view with the addresses of the twins.
static GrBinView view_there(const GrBin *bin)
{
    GrBinView view = bin->view;
    for (size_t at = offsetof(GrBinView, now); at <= offsetof(GrBinView, fill); at += sizeof(void *)) {
        replace(bin, (char *)&view + at);
    }
    for (int k = 0; k < bin->body_count; k++) {
        replace(bin, &view.bodies[k].start);
        replace(bin, &view.bodies[k].list);
        replace(bin, &view.bodies[k].triangles);
    }
    return view;
}

/// Lists for sums of parts, of parts of parts, and so on.
static void take_parts(GrBinDevice *d, int32_t count)
{
    for (int level = 0; level < SCAN_LEVELS && count > GR_SCAN_PART; level++) {
        count = (count + GR_SCAN_PART - 1) / GR_SCAN_PART;
        d->parts[level] = gr_cuda_take(d->cuda, ((size_t)count + 1) * sizeof(int32_t));
    }
}

static void open_kernels(GrBinDevice *d)
{
#define X(name, function) d->stages[GR_STAGE_##name] = gr_cuda_kernel(d->cuda, "gr_grains_" #name);
    GR_BIN_STAGE_LIST(X)
#undef X
    d->sum = gr_cuda_kernel(d->cuda, "gr_grains_sum");
    d->lay = gr_cuda_kernel(d->cuda, "gr_grains_lay");
}

GrStatus gr_bin_device_open(GrBin *bin, GrErrorLog *log)
{
    const GrBinView *v = &bin->view;
    if (gr_grain_kernels[0] == '\0') {
        return gr_part_missing("CUDA", (GrLocation){.field = "--device"}, log);
    }
    if ((double)v->count * v->near_room > INT32_MAX) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--device"},
                            "%d grains with up to %d pairs each; a GPU takes %d of them", (int)v->count,
                            (int)v->near_room, (int)(INT32_MAX / v->near_room));
    }
    GrBinDevice *d = gr_calloc(1, sizeof *d);
    if (d == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_cuda_open(bin->def.work.gpu - 1, gr_grain_kernels, &d->cuda, log);
    if (status != GR_OK) {
        gr_free(d);
        return status;
    }
    bin->device = d;
    open_kernels(d);
    d->shared = gr_cuda_take(d->cuda, sizeof(Shared));
    take_parts(d, v->count > v->cell_count ? v->count : v->cell_count);
    add_twins(bin);
    return gr_cuda_status(d->cuda, log);
}

void gr_bin_device_close(GrBinDevice *device)
{
    if (device != NULL) {
        gr_cuda_close(device->cuda);
        gr_free(device);
    }
}

void gr_bin_device_begin(GrBin *bin)
{
    GrBinDevice *d = bin->device;
    add_twins(bin);
    const Shared shared = {.view = view_there(bin)};
    gr_cuda_write(d->cuda, d->shared, &shared, sizeof shared);
}

static void launch(GrBin *bin, GrCudaKernel kernel, GrScan scan, int32_t count)
{
    GrBinDevice *d = bin->device;
    GrBinView view = view_there(bin);
    GrCudaPlace sums = d->shared + offsetof(Shared, sums);
    void *arguments[] = {&view, &d->shared, &sums, &scan, &count};
    gr_cuda_launch(d->cuda, kernel, count, arguments);
    d->grains_behind = d->lists_behind = true;
}

void gr_bin_device_stage(GrBin *bin, GrBinStage stage, int32_t count)
{
    launch(bin, bin->device->stages[stage], (GrScan){.count = 0}, count);
}

GrStatus gr_bin_device_sums(GrBin *bin, GrBinSums *sums, GrErrorLog *log)
{
    GrBinSums copies[GR_SUM_COPIES] = {{.rebuild = 0}};
    *sums = copies[0];
    gr_cuda_read(bin->device->cuda, copies, bin->device->shared + offsetof(Shared, sums), sizeof copies);
    for (int k = 0; k < GR_SUM_COPIES; k++) {
        gr_bin_sums_add(sums, &copies[k]);
    }
    return gr_cuda_status(bin->device->cuda, log);
}

/// Lays the numbers end to end: sums of parts, which are laid in the same way, tell where each part begins.
static void lay(GrBin *bin, GrCudaPlace numbers, GrCudaPlace first, int32_t count, int level)
{
    const int32_t parts = (count + GR_SCAN_PART - 1) / GR_SCAN_PART;
    const GrScan scan = {.numbers = (const int32_t *)(uintptr_t)numbers,
                         .first = (int32_t *)(uintptr_t)first,
                         .parts = (int32_t *)(uintptr_t)bin->device->parts[level],
                         .count = count};
    if (parts > 1) {
        launch(bin, bin->device->sum, scan, parts);
        lay(bin, bin->device->parts[level], bin->device->parts[level], parts, level + 1);
    }
    launch(bin, bin->device->lay, scan, parts);
}

int64_t gr_bin_device_add_up(GrBin *bin, const int32_t *numbers, int32_t count, int32_t *first)
{
    const GrCudaPlace there = twin_of(bin, first);
    int32_t sum = 0;
    lay(bin, twin_of(bin, numbers), there, count, 0);
    gr_cuda_read(bin->device->cuda, &sum, there + sizeof(int32_t) * (GrCudaPlace)count, sizeof sum);
    return sum;
}

void gr_bin_device_clear(GrBin *bin, const void *array, size_t size)
{
    gr_cuda_clear(bin->device->cuda, twin_of(bin, array), size);
}

static void fetch(const GrBin *bin, void *array, size_t size)
{
    gr_cuda_read(bin->device->cuda, array, twin_of(bin, array), size);
}

static bool fetch_all(const GrBin *bin, bool lists)
{
    GrBinDevice *d = bin->device;
    const GrBinView *v = &bin->view;
    const size_t n = (size_t)v->count;
    if (d->grains_behind) {
        fetch(bin, v->now, n * sizeof *v->now);
        if (v->members > 1) {
            fetch(bin, v->clump, n / (size_t)v->members * sizeof *v->clump);
        }
        d->grains_behind = false;
    }
    if (lists && d->lists_behind) {
        fetch(bin, v->mark, n * sizeof *v->mark);
        fetch(bin, v->mask, n * sizeof *v->mask);
        fetch(bin, v->first, (n + 1) * sizeof *v->first);
        fetch(bin, v->back_first, (n + 1) * sizeof *v->back_first);
        fetch(bin, v->outer, n * GR_OUTER * sizeof *v->outer);
        const size_t pairs = (size_t)v->first[n];
        fetch(bin, v->near, pairs * sizeof *v->near);
        fetch(bin, v->back, pairs * sizeof *v->back);
        fetch(bin, v->history, pairs * sizeof *v->history);
        d->lists_behind = false;
    }
    return gr_cuda_status(d->cuda, NULL) == GR_OK;
}

bool gr_bin_fetch(const GrBin *bin)
{
    return bin->device == NULL || fetch_all(bin, true);
}

const GrGrain *gr_bin_grains(const GrBin *bin)
{
    if (bin->device != NULL) {
        fetch_all(bin, false);
    }
    return bin->view.now;
}

GrStatus gr_bin_device_status(const GrBin *bin, GrErrorLog *log)
{
    return bin->device != NULL ? gr_cuda_status(bin->device->cuda, log) : GR_OK;
}

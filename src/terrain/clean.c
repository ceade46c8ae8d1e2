#include "clean.h"

#include "alloc.h"
#include "hole_patch.h"
#include "memory_limit.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDEST_HOLE = 4000,   ///< cells along a side of a hole's box; its window must fit into memory
    SMALL_AT_BORDER = 64, ///< cells of a hole that is filled even at the border of the map
    LEAST_MARGIN = 4,
    MOST_MARGIN = 48,
};

GrCleanDef gr_default_clean_def(void)
{
    return (GrCleanDef){.kernel_hole = 70,
                        .kernel_sigma = 35,
                        .threshold = 0.7,
                        .samples = 1000,
                        .seam_rounds = 8,
                        .hole_limit = 1000000,
                        .seed = 1};
}

static GrStatus check(const GrCleanDef *def, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (!(def->kernel_sigma >= 1 && def->kernel_sigma <= 1000) || def->kernel_hole < 1 ||
        def->kernel_hole > 4 * def->kernel_sigma) {
        return gr_error_add(log, GR_ERROR_VALUE, nowhere,
                            "the kernel has a sigma of 1 to 1000 cells and a middle of 1 to 4 sigma, not %g and %d",
                            def->kernel_sigma, def->kernel_hole);
    }
    if (!(def->threshold > 0) || def->samples < 8 || def->samples > 4000 || def->seam_rounds < 0) {
        return gr_error_add(log, GR_ERROR_VALUE, nowhere,
                            "the threshold must be above 0 m, samples 8 to 4000, seam rounds 0 or more; not %g, %d, %d",
                            def->threshold, def->samples, def->seam_rounds);
    }
    return GR_OK;
}

typedef struct Job {
    const GrGridFrame *frame;
    GrSource source;
    const GrCleanDef *def;
    const GrBitmap *bad;
    double step_limit; ///< largest step at a seam [m]
    GrCleaning *out;
    int64_t capacity;
    GrErrorLog *log;
} Job;

static GrStatus add_fill(Job *job, int64_t cell, double z)
{
    GrCleaning *out = job->out;
    if (out->fill_count == job->capacity) {
        const int64_t grown = job->capacity > 0 ? 2 * job->capacity : 1024;
        GrFill *fills = gr_realloc(out->fills, (size_t)grown * sizeof *fills);
        if (fills == NULL) {
            return GR_ERROR_MEMORY;
        }
        out->fills = fills;
        job->capacity = grown;
    }
    out->fills[out->fill_count++] = (GrFill){cell, z};
    return GR_OK;
}

/// Reads the window of a hole with a margin around it.
static GrStatus open_patch(const Job *job, const GrHoles *holes, const GrHole *hole, GrPatch *p)
{
    const GrGridFrame *f = job->frame;
    int64_t margin = 3 + (int64_t)ceil(0.5 * sqrt((double)hole->cells));
    margin = margin < LEAST_MARGIN ? LEAST_MARGIN : margin > MOST_MARGIN ? MOST_MARGIN : margin;
    const int64_t i0 = hole->i0 > margin ? hole->i0 - margin : 0, j0 = hole->j0 > margin ? hole->j0 - margin : 0;
    const int64_t i1 = hole->i1 + margin < f->nx ? hole->i1 + margin : f->nx;
    const int64_t j1 = hole->j1 + margin < f->ny ? hole->j1 + margin : f->ny;
    *p = (GrPatch){.i0 = i0, .j0 = j0, .nx = (int)(i1 - i0), .ny = (int)(j1 - j0), .dx = f->dx, .dy = f->dy};
    const size_t cells = (size_t)p->nx * (size_t)p->ny;
    p->z = gr_malloc(cells * sizeof *p->z);
    p->kind = gr_malloc(cells);
    if (p->z == NULL || p->kind == NULL) {
        return GR_ERROR_MEMORY;
    }
    const GrStatus status = job->source.read(job->source.context, (GrGridWindow){i0, j0, p->nx, p->ny}, p->z, job->log);
    for (size_t k = 0; k < cells && status == GR_OK; k++) {
        const int64_t i = i0 + (int64_t)(k % (size_t)p->nx), j = j0 + (int64_t)(k / (size_t)p->nx);
        p->kind[k] = gr_bitmap_get(job->bad, i, j) ? GR_CELL_OTHER : GR_CELL_GOOD;
    }
    for (int64_t r = hole->first_run; r < hole->first_run + hole->run_count && status == GR_OK; r++) {
        const GrRun *run = &holes->runs[r];
        memset(p->kind + (run->j - j0) * p->nx + run->i0 - i0, GR_CELL_HOLE, (size_t)(run->i1 - run->i0));
    }
    return status;
}

/// Largest step between a filled cell and an adjacent good one.
static double seam_step(const GrPatch *p)
{
    double largest = 0;
    for (int j = 0; j < p->ny; j++) {
        for (int i = 0; i < p->nx; i++) {
            const ptrdiff_t k = (ptrdiff_t)j * p->nx + i, east = k + 1, north = k + p->nx;
            const bool here = p->kind[k] == GR_CELL_HOLE;
            if (i + 1 < p->nx && p->kind[k] != GR_CELL_OTHER && p->kind[east] != GR_CELL_OTHER &&
                here != (p->kind[east] == GR_CELL_HOLE)) {
                largest = fmax(largest, fabs(p->z[k] - p->z[east]));
            }
            if (j + 1 < p->ny && p->kind[k] != GR_CELL_OTHER && p->kind[north] != GR_CELL_OTHER &&
                here != (p->kind[north] == GR_CELL_HOLE)) {
                largest = fmax(largest, fabs(p->z[k] - p->z[north]));
            }
        }
    }
    return largest;
}

static bool is_left(const Job *job, const GrHole *hole)
{
    const GrGridFrame *f = job->frame;
    const bool border = hole->i0 == 0 || hole->j0 == 0 || hole->i1 == f->nx || hole->j1 == f->ny;
    return hole->cells > job->def->hole_limit || hole->i1 - hole->i0 > WIDEST_HOLE ||
           hole->j1 - hole->j0 > WIDEST_HOLE || (border && hole->cells > SMALL_AT_BORDER && !job->def->fill_border);
}

/// Leaves a hole unfilled: its outliers become voids.
static GrStatus leave_hole(Job *job, const GrHoles *holes, const GrHole *hole, const GrBitmap *outliers)
{
    job->out->holes_left++;
    job->out->left += (double)hole->cells;
    GrStatus status = GR_OK;
    for (int64_t r = hole->first_run; r < hole->first_run + hole->run_count; r++) {
        for (int64_t i = holes->runs[r].i0; i < holes->runs[r].i1 && status == GR_OK; i++) {
            if (gr_bitmap_get(outliers, i, holes->runs[r].j)) {
                status = add_fill(job, holes->runs[r].j * job->frame->nx + i, NAN);
            }
        }
    }
    return status;
}

static GrStatus fill_hole(Job *job, const GrHoles *holes, const GrHole *hole, const GrBitmap *outliers)
{
    if (is_left(job, hole)) {
        return leave_hole(job, holes, hole, outliers);
    }
    GrPatch p = {0};
    GrStatus status = open_patch(job, holes, hole, &p);
    if (status == GR_OK) {
        status = gr_patch_fill(&p, job->def);
    }
    if (status == GR_OK && job->step_limit > 0) {
        status = gr_patch_limit(&p, job->step_limit);
    }
    if (status == GR_ERROR_NOT_CONVERGED) { // no ground around it
        status = leave_hole(job, holes, hole, outliers);
    } else if (status == GR_OK) {
        GrCleaning *out = job->out;
        out->holes++;
        out->filled += (double)hole->cells;
        out->largest_hole = hole->cells > out->largest_hole ? hole->cells : out->largest_hole;
        out->largest_seam = fmax(out->largest_seam, seam_step(&p));
        for (size_t k = 0; k < (size_t)p.nx * (size_t)p.ny && status == GR_OK; k++) {
            if (p.kind[k] == GR_CELL_HOLE) {
                const int64_t i = p.i0 + (int64_t)(k % (size_t)p.nx), j = p.j0 + (int64_t)(k / (size_t)p.nx);
                status = add_fill(job, j * job->frame->nx + i, p.z[k]);
            }
        }
    }
    gr_free(p.z);
    gr_free(p.kind);
    return status;
}

static int compare_fills(const void *a, const void *b)
{
    const int64_t x = ((const GrFill *)a)->cell, y = ((const GrFill *)b)->cell;
    return (x > y) - (x < y);
}

static double count_bits(const GrBitmap *map)
{
    double count = 0;
    for (int64_t k = 0; k < map->words * map->ny; k++) {
        count += __builtin_popcountll(map->bits[k]);
    }
    return count;
}

typedef struct Half {
    GrProgressFn progress;
    void *context;
} Half;

/// The search for outliers is the first half of the work.
static void first_half(void *context, double done, double total)
{
    const Half *half = context;
    half->progress(half->context, 0.5 * done, total);
}

static GrStatus fill_all(Job *job, const GrBitmap *outliers, GrProgressFn progress, void *context)
{
    GrHoles holes;
    GrStatus status = gr_holes_find(job->bad, &holes);
    for (int64_t k = 0; k < holes.hole_count && status == GR_OK; k++) {
        status = fill_hole(job, &holes, &holes.holes[k], outliers);
        if (progress != NULL) {
            progress(context, 0.5 + 0.5 * (double)(k + 1) / (double)holes.hole_count, 1);
        }
    }
    gr_holes_free(&holes);
    if (job->out->fill_count > 0) {
        qsort(job->out->fills, (size_t)job->out->fill_count, sizeof *job->out->fills, compare_fills);
    }
    return status;
}

GrStatus gr_clean(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrCleaning *out,
                  GrProgressFn progress, void *context, GrErrorLog *log)
{
    *out = (GrCleaning){.columns = frame->nx, .cells = (double)frame->nx * (double)frame->ny};
    GrStatus status = check(def, log);
    status = status == GR_OK ? gr_lapack_start(log) : status;
    if (status != GR_OK) {
        return status;
    }
    status = gr_memory_require(out->cells / 4, (GrLocation){0},
                               "cleaning needs two bits for each cell of the map: choose a --window", log);
    if (status != GR_OK) {
        return status;
    }
    GrBitmap voids = {0}, outliers = {0};
    Half half = {progress, context};
    double p95 = 0;
    if (!gr_bitmap_init(&voids, frame->nx, frame->ny) || !gr_bitmap_init(&outliers, frame->nx, frame->ny)) {
        gr_out_of_memory(log, NULL);
        status = GR_ERROR_MEMORY;
    } else {
        status = gr_outlier_find(frame, source, def, &voids, &outliers, &p95, progress != NULL ? first_half : NULL,
                                 &half, log);
    }
    if (status == GR_OK) {
        out->voids = count_bits(&voids);
        out->outliers = count_bits(&outliers);
        for (int64_t k = 0; k < voids.words * voids.ny; k++) {
            voids.bits[k] |= outliers.bits[k];
        }
        // Slightly below the usual change from cell to cell, since stored values may be rounded and filling the voids
        // may lower the percentile.
        Job job = {frame, source, def, &voids, 0.95 * p95, out, 0, log};
        status = fill_all(&job, &outliers, progress, context);
        if (status != GR_OK && (log == NULL || log->error_count == 0)) {
            gr_error_add(log, status, (GrLocation){0}, "a void could not be filled: %s", gr_status_text(status));
        }
    }
    gr_bitmap_free(&voids);
    gr_bitmap_free(&outliers);
    if (status != GR_OK) {
        gr_cleaning_free(out);
    }
    return status;
}

void gr_cleaning_free(GrCleaning *cleaning)
{
    gr_free(cleaning->fills);
    cleaning->fills = NULL;
    cleaning->fill_count = 0;
}

static GrStatus read_overlay(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const GrCleanOverlay *overlay = context;
    const GrCleaning *c = overlay->cleaning;
    const GrStatus status = overlay->source.read(overlay->source.context, window, out, log);
    int64_t low = 0, high = c->fill_count;
    while (low < high) { // binary search for the first cell of the rows that are read
        const int64_t middle = low + (high - low) / 2;
        if (c->fills[middle].cell < window.j0 * c->columns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int64_t k = low; k < c->fill_count && c->fills[k].cell < (window.j0 + window.nj) * c->columns; k++) {
        const int64_t i = c->fills[k].cell % c->columns, j = c->fills[k].cell / c->columns;
        if (i >= window.i0 && i < window.i0 + window.ni) {
            out[(j - window.j0) * window.ni + i - window.i0] = c->fills[k].z;
        }
    }
    return status;
}

GrSource gr_clean_overlay(GrCleanOverlay *overlay)
{
    return (GrSource){.read = read_overlay, .context = overlay};
}

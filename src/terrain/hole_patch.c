#include "hole_patch.h"

#include "alloc.h"
#include "krige.h"
#include "random.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SEAM = 3, LEAST_SAMPLES = 3, SWEEPS = 200 };

bool gr_patch_near_hole(const GrPatch *p, int i, int j, int reach)
{
    const int a0 = i > reach ? i - reach : 0, a1 = i + reach < p->nx ? i + reach : p->nx - 1;
    const int b0 = j > reach ? j - reach : 0, b1 = j + reach < p->ny ? j + reach : p->ny - 1;
    for (int b = b0; b <= b1; b++) {
        if (memchr(p->kind + (ptrdiff_t)b * p->nx + a0, GR_CELL_HOLE, (size_t)a1 - (size_t)a0 + 1) != NULL) {
            return true;
        }
    }
    return false;
}

/// Moves `wanted` random entries of a list to its front (Fisher & Yates).
static void shuffle_front(int *list, int count, int wanted, GrRandom *random)
{
    for (int k = 0; k < wanted && k < count; k++) {
        const int other = k + (int)gr_random_below(random, (uint64_t)(count - k));
        const int swap = list[k];
        list[k] = list[other];
        list[other] = swap;
    }
}

/// Chooses the ground cells to fit: up to half of them from the rim of the hole, the others from anywhere around it.
static int choose_samples(const GrPatch *p, const GrCleanDef *def, int *list)
{
    int rim = 0, all = 0;
    for (int k = 0; k < p->nx * p->ny; k++) {
        if (p->kind[k] != GR_CELL_GOOD) {
            continue;
        }
        list[all++] = k;
        if (gr_patch_near_hole(p, k % p->nx, k / p->nx, 1)) {
            list[all - 1] = list[rim];
            list[rim++] = k;
        }
    }
    if (all <= def->samples) {
        return all;
    }
    char name[64];
    snprintf(name, sizeof name, "krige %lld %lld", (long long)p->i0, (long long)p->j0);
    GrRandom random = gr_random_stream(def->seed, name);
    const int of_rim = rim < def->samples / 2 ? rim : def->samples / 2;
    shuffle_front(list, rim, of_rim, &random);
    shuffle_front(list + of_rim, all - of_rim, def->samples - of_rim, &random);
    return def->samples;
}

static GrStatus fit(const GrPatch *p, const int *list, int count, GrKrige *krige)
{
    double *x = gr_malloc(3 * (size_t)count * sizeof *x);
    if (x == NULL) {
        return GR_ERROR_MEMORY;
    }
    double *y = x + count, *z = y + count;
    for (int n = 0; n < count; n++) {
        const int i = list[n] % p->nx, j = list[n] / p->nx;
        x[n] = i * p->dx;
        y[n] = j * p->dy;
        z[n] = p->z[list[n]];
    }
    const GrStatus status = gr_krige_fit(krige, x, y, z, count, fmin(p->dx, p->dy));
    gr_free(x);
    return status;
}

GrStatus gr_patch_fill(GrPatch *p, const GrCleanDef *def)
{
    const int cells = p->nx * p->ny;
    int *list = gr_malloc((size_t)cells * sizeof *list);
    double *error = gr_malloc((size_t)cells * sizeof *error);
    GrKrige krige = {0};
    GrStatus status = list != NULL && error != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        const int count = choose_samples(p, def, list);
        status = count >= LEAST_SAMPLES ? fit(p, list, count, &krige) : GR_ERROR_NOT_CONVERGED;
    }
    for (int k = 0; k < cells && status == GR_OK; k++) {
        const int i = k % p->nx, j = k / p->nx;
        error[k] = NAN;
        if (p->kind[k] == GR_CELL_HOLE) {
            p->z[k] = gr_krige_at(&krige, i * p->dx, j * p->dy);
        } else if (p->kind[k] == GR_CELL_GOOD && gr_patch_near_hole(p, i, j, SEAM)) {
            error[k] = p->z[k] - gr_krige_at(&krige, i * p->dx, j * p->dy);
        }
    }
    if (status == GR_OK) {
        status = gr_patch_correct(p, error, def->seam_rounds);
    }
    gr_krige_free(&krige);
    gr_free(list);
    gr_free(error);
    return status;
}

/// Mean of the known errors in the 7 x 7 cells around one; NAN when there is none.
static double mean_error(const GrPatch *p, const double *error, int i, int j)
{
    double sum = 0;
    int count = 0;
    for (int b = j > SEAM ? j - SEAM : 0; b <= j + SEAM && b < p->ny; b++) {
        for (int a = i > SEAM ? i - SEAM : 0; a <= i + SEAM && a < p->nx; a++) {
            const double e = error[(ptrdiff_t)b * p->nx + a];
            sum += isnan(e) ? 0 : e;
            count += !isnan(e);
        }
    }
    return count > 0 ? sum / count : (double)NAN;
}

GrStatus gr_patch_correct(GrPatch *p, double *error, int rounds)
{
    const int cells = p->nx * p->ny;
    double *next = gr_malloc((size_t)cells * sizeof *next);
    if (next == NULL) {
        return GR_ERROR_MEMORY;
    }
    // From the boundary inwards until the hole is full, then `rounds` times more.
    bool full = false;
    for (int round = 0; !full || round < rounds; round += full) {
        bool grown = false, missing = false;
        memcpy(next, error, (size_t)cells * sizeof *next);
        for (int k = 0; k < cells; k++) {
            if (p->kind[k] == GR_CELL_HOLE && (full || isnan(error[k]))) {
                next[k] = mean_error(p, error, k % p->nx, k / p->nx);
                grown = grown || !isnan(next[k]);
                missing = missing || isnan(next[k]);
            }
        }
        memcpy(error, next, (size_t)cells * sizeof *next);
        full = full || !missing || !grown;
    }
    for (int k = 0; k < cells; k++) {
        if (p->kind[k] == GR_CELL_HOLE && !isnan(error[k])) {
            p->z[k] += error[k];
        }
    }
    gr_free(next);
    return GR_OK;
}

/// Correction of a cell of the hole that brings its steps to adjacent ground within the limit; NAN without adjacent
/// ground. Where the ground on two sides makes that impossible, the cell gets their mean.
static double bend_at_rim(const GrPatch *p, int i, int j, double limit)
{
    static const int DI[4] = {1, -1, 0, 0}, DJ[4] = {0, 0, 1, -1};
    double low = -INFINITY, high = INFINITY;
    for (int k = 0; k < 4; k++) {
        const int a = i + DI[k], b = j + DJ[k];
        if (a >= 0 && b >= 0 && a < p->nx && b < p->ny && p->kind[(ptrdiff_t)b * p->nx + a] == GR_CELL_GOOD) {
            low = fmax(low, p->z[(ptrdiff_t)b * p->nx + a] - limit);
            high = fmin(high, p->z[(ptrdiff_t)b * p->nx + a] + limit);
        }
    }
    if (isinf(low)) {
        return NAN;
    }
    const double z = p->z[(ptrdiff_t)j * p->nx + i];
    return low > high ? 0.5 * (low + high) - z : fmin(high, fmax(low, z)) - z;
}

/// One Jacobi sweep (mean of neighbours) over the cells that are not at the rim; returns the largest change.
static double relax(const GrPatch *p, const double *rim, double *bend)
{
    double largest = 0;
    for (int j = 0; j < p->ny; j++) {
        for (int i = 0; i < p->nx; i++) {
            const ptrdiff_t k = (ptrdiff_t)j * p->nx + i;
            if (p->kind[k] != GR_CELL_HOLE || !isnan(rim[k])) {
                continue;
            }
            const double mean = 0.25 * ((i > 0 ? bend[k - 1] : 0) + (i + 1 < p->nx ? bend[k + 1] : 0) +
                                        (j > 0 ? bend[k - p->nx] : 0) + (j + 1 < p->ny ? bend[k + p->nx] : 0));
            largest = fmax(largest, fabs(mean - bend[k]));
            bend[k] = mean;
        }
    }
    return largest;
}

GrStatus gr_patch_limit(GrPatch *p, double limit)
{
    const int cells = p->nx * p->ny;
    double *rim = gr_calloc((size_t)cells, sizeof *rim), *bend = gr_calloc((size_t)cells, sizeof *bend);
    if (rim == NULL || bend == NULL) {
        gr_free(rim);
        gr_free(bend);
        return GR_ERROR_MEMORY;
    }
    double largest = 0;
    for (int k = 0; k < cells; k++) {
        rim[k] = p->kind[k] == GR_CELL_HOLE ? bend_at_rim(p, k % p->nx, k / p->nx, limit) : (double)NAN;
        bend[k] = isnan(rim[k]) ? 0 : rim[k];
        largest = fmax(largest, fabs(bend[k]));
    }
    // The correction at the rim decays into the hole like the deflection of a membrane.
    for (int sweep = 0; sweep < SWEEPS && largest > 1e-3 * limit; sweep++) {
        largest = relax(p, rim, bend);
    }
    for (int k = 0; k < cells; k++) {
        p->z[k] += bend[k];
    }
    gr_free(rim);
    gr_free(bend);
    return GR_OK;
}

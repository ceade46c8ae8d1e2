/// Holes of a map and their filling: groups of marked cells, kriging from the ground around one hole, seams.
#include "hole_patch.h"

#include "grouser/status.h"

#include "alloc.h"
#include "elementary.h"
#include "lazy.h"
#include "random.h"

#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- LAPACKE

/// The functions of LAPACKE that we use, loaded when a hole is filled.
///
/// They stand on a BLAS library, and OpenBLAS starts a thread for every processor when it is loaded, each of which
/// waits for work for some hundredths of a second at full load: on two processors a fortieth of a short run, on many
/// more than the run itself. The library is therefore not linked but opened by gr_lapack_start().
#define LAPACKE_FUNCTIONS(X) X(LAPACKE_dpotrf) X(LAPACKE_dpotrs)

/// Written once, by the first gr_lapack_start().
static struct {
    LAPACKE_FUNCTIONS(GR_LAZY_MEMBER)
} lapack;

static char lapack_fault[GR_LAZY_FAULT]; ///< why it could not be loaded; "": it is loaded

static void start_lapack(void)
{
    static const char *const names[] = {LAPACKE_FUNCTIONS(GR_LAZY_NAME)};
    // OpenBLAS splits sums over threads; the same input must give the same bits on any machine. Other BLAS libraries
    // lack this switch and do not need it.
    void (*set_threads)(int count);
    void *found = gr_lazy_load(GR_LAPACKE_LIBRARY, names, 2, &lapack, lapack_fault)
                      ? gr_lazy_symbol(GR_LAPACKE_LIBRARY, "openblas_set_num_threads")
                      : NULL;
    memcpy(&set_threads, &found, sizeof set_threads);
    if (set_threads != NULL) {
        set_threads(1);
    }
}

GrStatus gr_lapack_start(GrErrorLog *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_lapack);
    return lapack_fault[0] == '\0' ? GR_OK
                                   : gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                                                  "filling holes needs LAPACKE, but %s cannot be loaded: %s",
                                                  GR_LAPACKE_LIBRARY, lapack_fault);
}

typedef struct GrKrige {
    int count;
    double *x, *y, *weight; ///< [count] samples and K⁻¹ (z − mean)
    double x0, y0;          ///< centre of the samples
    double plane[3];        ///< mean: plane[0] + plane[1] (x − x0) + plane[2] (y − y0)
    double length;          ///< of the covariance
} GrKrige;

// ---- groups of marked cells

static bool add_run(GrHoles *holes, int64_t *capacity, GrRun run)
{
    if (holes->run_count == *capacity) {
        const int64_t grown = *capacity > 0 ? 2 * *capacity : 256;
        GrRun *runs = gr_realloc(holes->runs, (size_t)grown * sizeof *runs);
        if (runs == NULL) {
            return false;
        }
        holes->runs = runs;
        *capacity = grown;
    }
    holes->runs[holes->run_count++] = run;
    return true;
}

/// Representative of a run's group; with path halving.
static int64_t find_root(GrRun *runs, int64_t k)
{
    while (runs[k].hole != k) {
        runs[k].hole = runs[runs[k].hole].hole;
        k = runs[k].hole;
    }
    return k;
}

/// The smaller number becomes the representative, so that numbers do not depend on the order of joining.
static void join(GrRun *runs, int64_t a, int64_t b)
{
    a = find_root(runs, a);
    b = find_root(runs, b);
    if (a < b) {
        runs[b].hole = a;
    } else {
        runs[a].hole = b;
    }
}

/// Finds the runs of one row and joins them with the touching runs of the row below.
static bool scan_row(const GrBitmap *map, int64_t j, GrHoles *holes, int64_t *capacity, int64_t below, int64_t row)
{
    for (int64_t i = 0; i < map->nx; i++) {
        if (map->bits[j * map->words + i / 64] == 0) {
            i |= 63; // no bits in this word
            continue;
        }
        if (!gr_bitmap_get(map, i, j)) {
            continue;
        }
        int64_t end = i + 1;
        while (end < map->nx && gr_bitmap_get(map, end, j)) {
            end++;
        }
        const int64_t k = holes->run_count;
        if (!add_run(holes, capacity, (GrRun){i, end, j, k})) {
            return false;
        }
        while (below < row && holes->runs[below].i1 < i) {
            below++;
        }
        for (int64_t other = below; other < row && holes->runs[other].i0 <= end; other++) {
            join(holes->runs, k, other);
        }
        i = end;
    }
    return true;
}

static int compare_runs(const void *a, const void *b)
{
    const GrRun *x = a, *y = b;
    if (x->hole != y->hole) {
        return x->hole < y->hole ? -1 : 1;
    }
    return x->j != y->j ? (x->j < y->j ? -1 : 1) : (x->i0 > y->i0) - (x->i0 < y->i0);
}

static bool group(GrHoles *out)
{
    for (int64_t k = 0; k < out->run_count; k++) {
        out->runs[k].hole = find_root(out->runs, k);
    }
    if (out->run_count > 0) {
        qsort(out->runs, (size_t)out->run_count, sizeof *out->runs, compare_runs);
    }
    for (int64_t k = 0; k < out->run_count; k++) {
        out->hole_count += k == 0 || out->runs[k].hole != out->runs[k - 1].hole;
    }
    out->holes = gr_calloc((size_t)out->hole_count + 1, sizeof *out->holes);
    if (out->holes == NULL) {
        return false;
    }
    int64_t at = -1;
    for (int64_t k = 0; k < out->run_count; k++) {
        const GrRun *run = &out->runs[k];
        if (k == 0 || run->hole != out->runs[k - 1].hole) {
            out->holes[++at] = (GrHole){k, 0, 0, run->i0, run->j, run->i1, run->j + 1};
        }
        GrHole *hole = &out->holes[at];
        hole->run_count++;
        hole->cells += run->i1 - run->i0;
        hole->i0 = run->i0 < hole->i0 ? run->i0 : hole->i0;
        hole->i1 = run->i1 > hole->i1 ? run->i1 : hole->i1;
        hole->j1 = run->j + 1;
    }
    return true;
}

GrStatus gr_holes_find(const GrBitmap *map, GrHoles *out)
{
    *out = (GrHoles){0};
    int64_t capacity = 0, below = 0;
    for (int64_t j = 0; j < map->ny; j++) {
        const int64_t row = out->run_count;
        // Only runs of the row just below can touch.
        while (below < row && out->runs[below].j < j - 1) {
            below++;
        }
        if (!scan_row(map, j, out, &capacity, below, row)) {
            gr_holes_free(out);
            return GR_ERROR_MEMORY;
        }
    }
    if (!group(out)) {
        gr_holes_free(out);
        return GR_ERROR_MEMORY;
    }
    return GR_OK;
}

void gr_holes_free(GrHoles *holes)
{
    gr_free(holes->runs);
    gr_free(holes->holes);
    *holes = (GrHoles){0};
}

// ---- kriging
//
// A Gaussian process with a plane as its mean and a Matérn covariance of smoothness 3/2 (O23 3.2),
// with a share of smoothness 1/2.

/// Fraction of the variance; keeps the matrix positive definite and represents the noise of a stereo map.
#define NUGGET 1e-6

/// w, the rough share of the covariance.
#define ROUGH_SHARE 0.2

enum { LENGTH_TRIALS = 7, TRIAL_SAMPLES = 400 };

/// hypot() without protection against overflow, five times as fast.
static double between(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

/// k(r) = (1 − w) (1 + √3 r/l) exp(−√3 r/l) + w exp(−r/l): the Matérn covariance of smoothness 3/2 and a share of that
/// of smoothness 1/2. The first alone extrapolates the slopes of the rim far into a wide hole, which ground with a
/// Hurst exponent below 1 does not follow: in 150 holes of 60 x 60 cells the worst error was 1.4 times that of
/// inverse-distance weighting, and 1.0 times with the share. Choosing the share by likelihood was worse: the likelihood
/// sees near neighbours, not the hole.
static double covariance(double distance, double length)
{
    const double t = distance / length, s = 1.7320508075688772 * t;
    return (1 - ROUGH_SHARE) * (1 + s) * gr_exp(-s) + ROUGH_SHARE * gr_exp(-t);
}

/// Least-squares plane by its normal equations about the centre; flat where the samples do not span one.
static void fit_plane(GrKrige *k, const double *z)
{
    double mz = 0, sxx = 0, sxy = 0, syy = 0, sxz = 0, syz = 0;
    k->x0 = k->y0 = 0;
    for (int n = 0; n < k->count; n++) {
        k->x0 += k->x[n] / k->count;
        k->y0 += k->y[n] / k->count;
    }
    for (int n = 0; n < k->count; n++) {
        mz += (z[n] - z[0]) / k->count;
    }
    mz += z[0];
    for (int n = 0; n < k->count; n++) {
        const double dx = k->x[n] - k->x0, dy = k->y[n] - k->y0, dz = z[n] - mz;
        sxx += dx * dx;
        sxy += dx * dy;
        syy += dy * dy;
        sxz += dx * dz;
        syz += dy * dz;
    }
    const double determinant = sxx * syy - sxy * sxy;
    const bool spans = determinant > 1e-9 * (sxx + syy) * (sxx + syy);
    k->plane[0] = mz;
    k->plane[1] = spans ? (syy * sxz - sxy * syz) / determinant : 0;
    k->plane[2] = spans ? (sxx * syz - sxy * sxz) / determinant : 0;
}

static double mean_at(const GrKrige *k, double x, double y)
{
    return k->plane[0] + k->plane[1] * (x - k->x0) + k->plane[2] * (y - k->y0);
}

/// Cholesky of the covariance of every `stride`-th sample and K⁻¹ r into `weight`; log |K| and rᵀ K⁻¹ r for the
/// likelihood. `matrix` is scratch memory.
static bool solve(const GrKrige *k, const double *residual, int stride, double length, double *matrix, double *weight,
                  double *log_determinant, double *quadratic)
{
    const int n = (k->count + stride - 1) / stride;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= a; b++) {
            const double distance = between(k->x[a * stride] - k->x[b * stride], k->y[a * stride] - k->y[b * stride]);
            matrix[(size_t)a * (size_t)n + (size_t)b] = covariance(distance, length) + (a == b ? NUGGET : 0);
        }
        weight[a] = residual[a * stride];
    }
    if (lapack.LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, matrix, n) != 0 ||
        lapack.LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, matrix, n, weight, 1) != 0) {
        return false;
    }
    *log_determinant = *quadratic = 0;
    for (int a = 0; a < n; a++) {
        *log_determinant += 2 * gr_log(matrix[(size_t)a * (size_t)n + (size_t)a]);
        *quadratic += weight[a] * residual[a * stride];
    }
    return true;
}

/// The length with the largest likelihood, with the variance profiled out: minimise n log(rᵀK⁻¹r / n) + log |K|.
static double choose_length(const GrKrige *k, const double *residual, double spacing, double *matrix, double *weight)
{
    const int stride = (k->count + TRIAL_SAMPLES - 1) / TRIAL_SAMPLES;
    const int n = (k->count + stride - 1) / stride;
    double best = INFINITY, chosen = 8 * spacing;
    for (int trial = 0; trial < LENGTH_TRIALS; trial++) {
        const double length = ldexp(4 * spacing, trial);
        double log_determinant, quadratic;
        if (!solve(k, residual, stride, length, matrix, weight, &log_determinant, &quadratic)) {
            continue;
        }
        const double score = n * gr_log(fmax(quadratic / n, 1e-300)) + log_determinant;
        if (score < best) {
            best = score;
            chosen = length;
        }
    }
    return chosen;
}

static void krige_free(GrKrige *k)
{
    gr_free(k->x);
    gr_free(k->y);
    gr_free(k->weight);
    *k = (GrKrige){0};
}

/// Fits plane, length and weights to samples, which are copied. `spacing` is the distance of neighbouring cells.
static GrStatus krige_fit(GrKrige *k, const double *x, const double *y, const double *z, int count, double spacing)
{
    *k = (GrKrige){.count = count};
    if (gr_lapack_start(NULL) != GR_OK) {
        return GR_ERROR_UNSUPPORTED;
    }
    const size_t bytes = (size_t)count * sizeof(double);
    k->x = gr_malloc(bytes);
    k->y = gr_malloc(bytes);
    k->weight = gr_malloc(bytes);
    double *residual = gr_calloc((size_t)count, sizeof(double)), *matrix = gr_malloc((size_t)count * bytes);
    GrStatus status = GR_ERROR_MEMORY;
    if (k->x != NULL && k->y != NULL && k->weight != NULL && residual != NULL && matrix != NULL) {
        memcpy(k->x, x, bytes);
        memcpy(k->y, y, bytes);
        fit_plane(k, z);
        for (int n = 0; n < count; n++) {
            residual[n] = z[n] - mean_at(k, x[n], y[n]);
        }
        k->length = choose_length(k, residual, spacing, matrix, k->weight);
        double unused[2];
        status = solve(k, residual, 1, k->length, matrix, k->weight, &unused[0], &unused[1]) ? GR_OK : GR_ERROR_NUMERIC;
    }
    gr_free(residual);
    gr_free(matrix);
    if (status != GR_OK) {
        krige_free(k);
    }
    return status;
}

static double krige_at(const GrKrige *k, double x, double y)
{
    double sum = 0;
    for (int n = 0; n < k->count; n++) {
        sum += k->weight[n] * covariance(between(x - k->x[n], y - k->y[n]), k->length);
    }
    return mean_at(k, x, y) + sum;
}

// ---- one hole with the ground around it

enum { SEAM = 3, LEAST_SAMPLES = 3, SWEEPS = 200 };

/// Whether a cell of the hole is within `reach` cells, diagonals included.
static bool patch_near_hole(const GrPatch *p, int i, int j, int reach)
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
        if (patch_near_hole(p, k % p->nx, k / p->nx, 1)) {
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
    const GrStatus status = krige_fit(krige, x, y, z, count, fmin(p->dx, p->dy));
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
            p->z[k] = krige_at(&krige, i * p->dx, j * p->dy);
        } else if (p->kind[k] == GR_CELL_GOOD && patch_near_hole(p, i, j, SEAM)) {
            error[k] = p->z[k] - krige_at(&krige, i * p->dx, j * p->dy);
        }
    }
    if (status == GR_OK) {
        status = gr_patch_correct(p, error, def->seam_rounds);
    }
    krige_free(&krige);
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

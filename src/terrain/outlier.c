/// Cells of a map that cannot be ground (O23 3.2).
#include "hole_patch.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_BINS = 4000 };
/// Neighbours up to REACH cells away, along rows, columns and both diagonals, contribute to the local estimate.
enum { REACH = 3, DIRECTIONS = 4, ESTIMATES = 64, PASSES = 4, READ_ROWS = 64 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *v, int count)
{
    qsort(v, (size_t)count, sizeof *v, compare);
    return count % 2 != 0 ? v[count / 2] : 0.5 * (v[count / 2] + v[count / 2 - 1]);
}

/// A strip of rows [first, first + count) of the map, NAN where a cell is void or a known outlier.
typedef struct Strip {
    double *z;
    int64_t nx, first, count;
} Strip;

static double strip_get(const Strip *strip, int64_t i, int64_t j)
{
    const bool inside = i >= 0 && i < strip->nx && j >= strip->first && j < strip->first + strip->count;
    return inside ? strip->z[(j - strip->first) * strip->nx + i] : (double)NAN;
}

/// Estimates of a height from its neighbours: means of opposite neighbours, exact on a plane; where few such pairs
/// exist, lines extrapolated from one side. Returns the number of estimates, negative for the second kind.
static int estimate(const Strip *strip, int64_t i, int64_t j, double out[ESTIMATES])
{
    static const int DI[DIRECTIONS] = {1, 0, 1, 1}, DJ[DIRECTIONS] = {0, 1, 1, -1};
    int count = 0;
    for (int d = 1; d <= REACH; d++) {
        for (int k = 0; k < DIRECTIONS; k++) {
            const double a = strip_get(strip, i + (int64_t)d * DI[k], j + (int64_t)d * DJ[k]);
            const double b = strip_get(strip, i - (int64_t)d * DI[k], j - (int64_t)d * DJ[k]);
            if (!isnan(a) && !isnan(b)) {
                out[count++] = 0.5 * (a + b);
            }
        }
    }
    if (count >= DIRECTIONS) {
        return count;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int k = 0; k < DIRECTIONS; k++) {
            const double a = strip_get(strip, i + sign * DI[k], j + sign * DJ[k]);
            const double b = strip_get(strip, i + 2 * (int64_t)sign * DI[k], j + 2 * (int64_t)sign * DJ[k]);
            if (!isnan(a) && !isnan(b)) {
                out[count++] = 2 * a - b;
            }
        }
    }
    return -count;
}

/// A cell stands out from its neighbours when it differs from the median of their estimates by more than the threshold
/// (twice that for extrapolated lines) and by more than three times their own scatter, and when fewer than a quarter of
/// the estimates are close to it. On a sharp edge of real ground the nearest neighbours are close.
static bool leaves_neighbours(const Strip *strip, int64_t i, int64_t j, double threshold)
{
    double said[ESTIMATES], away[ESTIMATES];
    int count = estimate(strip, i, j, said);
    const double limit = count < 0 ? 2 * threshold : threshold;
    count = count < 0 ? -count : count;
    if (count < 3) {
        return false;
    }
    const double z = strip_get(strip, i, j), middle = median_of(said, count);
    if (!(fabs(z - middle) > limit)) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        away[k] = z > middle ? z - said[k] : said[k] - z;
        said[k] = fabs(said[k] - middle);
    }
    qsort(away, (size_t)count, sizeof *away, compare);
    return away[count / 4] > 0.6 * limit && fabs(z - middle) > 3 * median_of(said, count);
}

/// Reads rows of the map and removes known outliers.
static GrStatus read_strip(const GrGridFrame *f, GrSource source, const GrBitmap *outliers, int64_t first,
                           int64_t count, Strip *strip, GrErrorLog *log)
{
    strip->nx = f->nx;
    strip->first = first;
    strip->count = count;
    const GrStatus status =
        source.read(source.context, (GrGridWindow){0, first, (int)f->nx, (int)count}, strip->z, log);
    for (int64_t j = 0; j < count && status == GR_OK; j++) {
        for (int64_t i = 0; i < f->nx; i++) {
            if (gr_bitmap_get(outliers, i, first + j)) {
                strip->z[j * f->nx + i] = NAN;
            }
        }
    }
    return status;
}

/// Counts the changes from cell to cell along a row and to the row before, in logarithmic bins: 400 per decade from
/// 1e-6 m.
static void count_changes(const double *z, const double *before, int64_t nx, double bins[CHANGE_BINS])
{
    for (int64_t i = 0; i < nx; i++) {
        const double d[2] = {i > 0 ? z[i] - z[i - 1] : (double)NAN, before != NULL ? z[i] - before[i] : (double)NAN};
        for (int k = 0; k < 2; k++) {
            if (!isnan(d[k])) {
                const double bin = 400 * (gr_log10(fmax(fabs(d[k]), 1e-6)) + 6);
                bins[bin < CHANGE_BINS - 1 ? (int)bin : CHANGE_BINS - 1]++;
            }
        }
    }
}

/// Lower edge of the bin of the 95th percentile [m]; 0 when nothing was counted.
static double change_p95(const double bins[CHANGE_BINS])
{
    double total = 0, below = 0;
    for (int k = 0; k < CHANGE_BINS; k++) {
        total += bins[k];
    }
    for (int k = 0; k < CHANGE_BINS; k++) {
        below += bins[k];
        if (below >= 0.95 * total && total > 0) {
            return gr_pow(10, k / 400.0 - 6);
        }
    }
    return 0;
}

/// Whether the kernel's difference is large at the cell or next to it. A spike may by chance equal the mean around it;
/// then the adjacent ground does not.
static bool is_suspect(const GrBitmap *suspects, int64_t i, int64_t j)
{
    for (int64_t b = j > 0 ? j - 1 : 0; b <= j + 1 && b < suspects->ny; b++) {
        for (int64_t a = i > 0 ? i - 1 : 0; a <= i + 1 && a < suspects->nx; a++) {
            if (gr_bitmap_get(suspects, a, b)) {
                return true;
            }
        }
    }
    return false;
}

/// One pass over the map; adds cells that stand out to `found`, disregarding those found before. Returns the number of
/// new ones.
static GrStatus find_spikes(const GrGridFrame *f, GrSource source, const GrCleanDef *def, const GrBitmap *suspects,
                            GrBitmap *found, int64_t *fresh, double *p95, GrErrorLog *log)
{
    Strip strip = {.z = gr_malloc((size_t)f->nx * (READ_ROWS + 2 * REACH) * sizeof(double))};
    GrBitmap news;
    if (strip.z == NULL || !gr_bitmap_init(&news, f->nx, f->ny)) {
        gr_free(strip.z);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    double bins[CHANGE_BINS] = {0};
    *fresh = 0;
    for (int64_t j0 = 0; j0 < f->ny && status == GR_OK; j0 += READ_ROWS) {
        const int64_t j1 = j0 + READ_ROWS < f->ny ? j0 + READ_ROWS : f->ny;
        const int64_t first = j0 > REACH ? j0 - REACH : 0, last = j1 + REACH < f->ny ? j1 + REACH : f->ny;
        status = read_strip(f, source, found, first, last - first, &strip, log);
        for (int64_t j = j0; j < j1 && status == GR_OK; j++) {
            const double *z = strip.z + (j - first) * f->nx;
            count_changes(z, j > first ? z - f->nx : NULL, f->nx, bins);
            for (int64_t i = 0; i < f->nx; i++) {
                if (!isnan(strip_get(&strip, i, j)) && is_suspect(suspects, i, j) &&
                    leaves_neighbours(&strip, i, j, def->threshold)) {
                    gr_bitmap_set(&news, i, j);
                    (*fresh)++;
                }
            }
        }
    }
    for (int64_t k = 0; k < news.words * news.ny; k++) {
        found->bits[k] |= news.bits[k];
    }
    *p95 = change_p95(bins);
    gr_bitmap_free(&news);
    gr_free(strip.z);
    return status;
}

/// Convolution with a Gaussian whose middle is set to zero. Gaussian and middle are products of a row and a column
/// factor, so that kernel = g(i) g(j) − h(i) h(j), h = g inside the middle and 0 outside. Rows enter one by one and
/// stay in a ring buffer as long as the kernel reaches them.
typedef struct Kernel {
    int radius, low, high; ///< middle: offsets low .. high
    float *g;              ///< [2 radius + 1]
    int64_t nx;
    float *rows[4];     ///< rings of [2 radius + 1] rows: g z, g 1, h z, h 1 along the row
    float *line, *mask; ///< [nx + 2 radius] padded input
    float *sums[4];     ///< [nx] column sums
    double shift;       ///< subtracted from heights, since float has only 7 digits
} Kernel;

static void free_kernel(Kernel *kernel)
{
    gr_free(kernel->g);
    gr_free(kernel->line);
    gr_free(kernel->mask);
    for (int k = 0; k < 4; k++) {
        gr_free(kernel->rows[k]);
        gr_free(kernel->sums[k]);
    }
}

static bool make_kernel(Kernel *kernel, const GrCleanDef *def, int64_t nx)
{
    const int radius = (int)ceil(3 * def->kernel_sigma);
    *kernel = (Kernel){.radius = radius, .low = -(def->kernel_hole / 2), .nx = nx, .shift = NAN};
    kernel->high = kernel->low + def->kernel_hole - 1;
    const size_t taps = 2 * (size_t)radius + 1;
    kernel->g = gr_malloc(taps * sizeof(float));
    kernel->line = gr_calloc((size_t)nx + taps, sizeof(float));
    kernel->mask = gr_calloc((size_t)nx + taps, sizeof(float));
    bool good = kernel->g != NULL && kernel->line != NULL && kernel->mask != NULL;
    for (int k = 0; k < 4; k++) {
        kernel->rows[k] = gr_calloc(taps * (size_t)nx, sizeof(float));
        kernel->sums[k] = gr_calloc((size_t)nx, sizeof(float));
        good = good && kernel->rows[k] != NULL && kernel->sums[k] != NULL;
    }
    for (int t = -radius; t <= radius && good; t++) {
        kernel->g[t + radius] = (float)gr_exp(-0.5 * t * t / (def->kernel_sigma * def->kernel_sigma));
    }
    return good;
}

static void add_scaled(float *restrict out, const float *restrict in, float weight, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] += weight * in[i];
    }
}

static float *ring_row(const Kernel *kernel, int which, int64_t j)
{
    const int64_t taps = 2 * (int64_t)kernel->radius + 1;
    return kernel->rows[which] + (j % taps) * kernel->nx;
}

/// Adds row j of the map: its sums along the row go into the rings.
static void push_row(Kernel *kernel, int64_t j, const double *z)
{
    const int64_t nx = kernel->nx;
    float *line = kernel->line + kernel->radius, *mask = kernel->mask + kernel->radius;
    for (int64_t i = 0; i < nx; i++) {
        const bool good = !isnan(z[i]);
        if (good && isnan(kernel->shift)) {
            kernel->shift = z[i];
        }
        mask[i] = good ? 1 : 0;
        line[i] = good ? (float)(z[i] - kernel->shift) : 0;
    }
    for (int k = 0; k < 4; k++) {
        float *out = ring_row(kernel, k, j);
        const float *in = k % 2 == 0 ? line : mask;
        const int low = k < 2 ? -kernel->radius : kernel->low, high = k < 2 ? kernel->radius : kernel->high;
        memset(out, 0, (size_t)nx * sizeof *out);
        for (int t = low; t <= high; t++) {
            add_scaled(out, in + t, kernel->g[t + kernel->radius], nx);
        }
    }
}

/// Marks the cells of row j that differ from the kernel's mean by more than the threshold.
static void judge_row(Kernel *kernel, int64_t j, int64_t ny, const double *z, double threshold, GrBitmap *suspects)
{
    for (int k = 0; k < 4; k++) {
        const int low = k < 2 ? -kernel->radius : kernel->low, high = k < 2 ? kernel->radius : kernel->high;
        memset(kernel->sums[k], 0, (size_t)kernel->nx * sizeof(float));
        for (int t = low; t <= high; t++) {
            if (j + t >= 0 && j + t < ny) {
                add_scaled(kernel->sums[k], ring_row(kernel, k, j + t), kernel->g[t + kernel->radius], kernel->nx);
            }
        }
    }
    for (int64_t i = 0; i < kernel->nx; i++) {
        const double weight = (double)kernel->sums[1][i] - (double)kernel->sums[3][i];
        const double mean = ((double)kernel->sums[0][i] - (double)kernel->sums[2][i]) / weight + kernel->shift;
        // A map smaller than the kernel's middle has no ground to compare with: every cell remains a suspect.
        if (!isnan(z[i]) && (weight < 1e-3 || fabs(z[i] - mean) > threshold)) {
            gr_bitmap_set(suspects, i, j);
        }
    }
}

/// Finds cells that differ from the kernel's mean, and in the same pass voids and the usual change from cell to cell.
static GrStatus find_suspects(const GrGridFrame *f, GrSource source, const GrCleanDef *def, GrBitmap *voids,
                              GrBitmap *suspects, double *p95, GrProgressFn progress, void *context, GrErrorLog *log)
{
    Kernel kernel = {0};
    double bins[CHANGE_BINS] = {0};
    const int64_t kept = 3 * (int64_t)ceil(def->kernel_sigma) + 2;
    const int64_t ring = 2 * kept;
    double *rows = gr_malloc((size_t)(ring * f->nx) * sizeof *rows); // heights of rows not judged yet
    GrStatus status = GR_OK;
    if (rows == NULL || !make_kernel(&kernel, def, f->nx)) {
        free_kernel(&kernel);
        gr_free(rows);
        return gr_out_of_memory(log, NULL);
    }
    for (int64_t j = 0; j < f->ny + kernel.radius && status == GR_OK; j++) {
        if (j < f->ny) {
            double *z = rows + (j % ring) * f->nx;
            status = source.read(source.context, (GrGridWindow){0, j, (int)f->nx, 1}, z, log);
            for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
                if (isnan(z[i])) {
                    gr_bitmap_set(voids, i, j);
                }
            }
            if (status == GR_OK) {
                count_changes(z, j > 0 ? rows + ((j - 1) % ring) * f->nx : NULL, f->nx, bins);
            }
            if (status == GR_OK && !def->keep_outliers) {
                push_row(&kernel, j, z);
            }
        }
        const int64_t ready = j - kernel.radius;
        if (status == GR_OK && ready >= 0 && ready < f->ny && !def->keep_outliers) {
            judge_row(&kernel, ready, f->ny, rows + (ready % ring) * f->nx, def->threshold, suspects);
        }
        if (progress != NULL) {
            progress(context, (double)j, (double)(f->ny + kernel.radius));
        }
    }
    *p95 = change_p95(bins);
    free_kernel(&kernel);
    gr_free(rows);
    return status;
}

GrStatus gr_outlier_find(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrBitmap *voids,
                         GrBitmap *outliers, double *p95, GrProgressFn progress, void *context, GrErrorLog *log)
{
    if (def->keep_outliers || def->plain_kernel) {
        return find_suspects(frame, source, def, voids, outliers, p95, progress, context, log);
    }
    GrBitmap suspects;
    if (!gr_bitmap_init(&suspects, frame->nx, frame->ny)) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = find_suspects(frame, source, def, voids, &suspects, p95, progress, context, log);
    // Once the worst cell of a cluster is removed, the next worst stands out.
    int64_t fresh = 1;
    for (int pass = 0; pass < PASSES && fresh > 0 && status == GR_OK; pass++) {
        status = find_spikes(frame, source, def, &suspects, outliers, &fresh, p95, log);
    }
    gr_bitmap_free(&suspects);
    return status;
}

#include "map_statistics.h"
#include "elementary.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

/// Side of a block in nodes. A smaller map is one block, and its figures are exact.
enum { BLOCK = 1024, MAX_BLOCKS = 96, CHANGE_BINS = 4000 };

typedef struct Sums {
    const GrGridFrame *frame;
    GrStatistics *out;
    double shift; ///< first height seen; sums are of differences to it
    bool started;
    double count, sum, square;
    double slopes[GR_SLOPE_BINS]; ///< of 0.01 degrees
    double slope_sum;
    double squares[GR_LAG_COUNT], pairs[GR_LAG_COUNT];
    double changes[CHANGE_BINS]; ///< logarithmic bins of |dz| from cell to cell
    double change_count;
} Sums;

/// Bins of the change from cell to cell: 400 a decade from 1e-6 m.
static int change_bin(double dz)
{
    const double bin = 400 * (gr_log10(fmax(dz, 1e-6)) + 6);
    return bin < CHANGE_BINS - 1 ? (int)bin : CHANGE_BINS - 1;
}

static void add_heights(Sums *s, const double *z, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        s->out->cells++;
        if (isnan(z[k])) {
            s->out->voids++;
            continue;
        }
        if (!s->started) {
            s->started = true;
            s->shift = z[k];
        }
        s->out->z_min = fmin(s->out->z_min, z[k]);
        s->out->z_max = fmax(s->out->z_max, z[k]);
        const double d = z[k] - s->shift;
        s->count++;
        s->sum += d;
        s->square += d * d;
    }
}

/// Derivative by central differences, one-sided at the border of the map; NAN where a neighbour is missing.
static double derivative(const double *z, int64_t k, int64_t stride, bool first, bool last, double step)
{
    const double upper = z[last ? k : k + stride], lower = z[first ? k : k - stride];
    return (upper - lower) / (first || last ? step : 2 * step);
}

static void add_slope(Sums *s, double gx, double gy)
{
    const double slope = gr_atan(sqrt(gx * gx + gy * gy)) / GR_DEGREE;
    if (isnan(slope)) {
        return;
    }
    const int bin = (int)(slope * 100);
    s->slopes[bin < GR_SLOPE_BINS ? bin : GR_SLOPE_BINS - 1]++;
    s->slope_sum += slope;
    s->out->slope_cells++;
    s->out->slope_max = fmax(s->out->slope_max, slope);
    const int row = (int)(slope / 5);
    s->out->slope_histogram[row < GR_SLOPE_ROWS ? row : GR_SLOPE_ROWS - 1]++;
}

/// Slopes of the nodes [i0, i1) x [j0, j1) of a window that begins at (wi, wj) of the map and has `columns`.
static void add_slopes(Sums *s, const double *z, int columns, const int64_t range[4], int64_t wi, int64_t wj)
{
    const GrGridFrame *f = s->frame;
    for (int64_t j = range[2]; j < range[3]; j++) {
        for (int64_t i = range[0]; i < range[1]; i++) {
            const int64_t k = (j - wj) * columns + i - wi;
            if (!isnan(z[k])) {
                add_slope(s, derivative(z, k, 1, i == 0, i == f->nx - 1, f->dx),
                          derivative(z, k, columns, j == 0, j == f->ny - 1, f->dy));
            }
        }
    }
}

/// RMS deviation ν(L) = √⟨(z(x + L) − z(x))²⟩ (Shepard et al. 2001), pairs along x and y inside a window.
static void add_deviations(Sums *s, const double *z, int columns, int rows)
{
    for (int n = 0; n < s->out->lag_count; n++) {
        const int lag = 1 << n;
        double square = 0, pairs = 0;
        for (int j = 0; j < rows; j++) {
            for (int i = 0; i < columns; i++) {
                const int64_t k = (int64_t)j * columns + i;
                const double dx = i + lag < columns ? z[k + lag] - z[k] : (double)NAN;
                const double dy = j + lag < rows ? z[k + (int64_t)lag * columns] - z[k] : (double)NAN;
                square += (isnan(dx) ? 0 : dx * dx) + (isnan(dy) ? 0 : dy * dy);
                pairs += !isnan(dx) + !isnan(dy);
                if (n == 0 && !isnan(dx)) {
                    s->changes[change_bin(fabs(dx))]++;
                    s->change_count++;
                }
                if (n == 0 && !isnan(dy)) {
                    s->changes[change_bin(fabs(dy))]++;
                    s->change_count++;
                }
            }
        }
        s->squares[n] += square;
        s->pairs[n] += pairs;
    }
}

/// Percentile of the counts, linear inside a bin.
static double percentile(const double *bins, int count, double total, double share)
{
    double below = 0;
    for (int k = 0; k < count; k++) {
        if (below + bins[k] >= share * total && bins[k] > 0) {
            return k + (share * total - below) / bins[k];
        }
        below += bins[k];
    }
    return NAN;
}

/// Least squares of log ν over log L.
static double fit_hurst(const GrStatistics *s)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < s->lag_count; k++) {
        if (s->deviations[k] > 0) {
            const double x = gr_log(s->lags[k]), y = gr_log(s->deviations[k]);
            n++;
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
    }
    return n >= 3 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : (double)NAN;
}

static void finish(Sums *s)
{
    GrStatistics *out = s->out;
    const double mean = s->count > 0 ? s->sum / s->count : (double)NAN;
    out->z_mean = s->shift + mean;
    out->z_deviation = s->count > 0 ? sqrt(fmax(0, s->square / s->count - mean * mean)) : (double)NAN;
    if (s->count == 0) {
        out->z_min = out->z_max = out->z_mean = NAN;
    }
    out->slope_median = percentile(s->slopes, GR_SLOPE_BINS, out->slope_cells, 0.5) / 100;
    out->slope_p95 = percentile(s->slopes, GR_SLOPE_BINS, out->slope_cells, 0.95) / 100;
    out->slope_mean = out->slope_cells > 0 ? s->slope_sum / out->slope_cells : (double)NAN;
    for (int k = 0; k < GR_SLOPE_ROWS; k++) {
        out->slope_histogram[k] /= fmax(1, out->slope_cells);
    }
    for (int k = 0; k < out->lag_count; k++) {
        out->deviations[k] = s->pairs[k] > 0 ? sqrt(s->squares[k] / s->pairs[k]) : (double)NAN;
    }
    out->hurst = fit_hurst(out);
    out->cell_change_p95 = gr_pow(10, percentile(s->changes, CHANGE_BINS, s->change_count, 0.95) / 400 - 6);
    out->share = out->cells / ((double)s->frame->nx * (double)s->frame->ny);
}

/// One block with a border of one node, as far as the map has it.
static GrStatus add_block(Sums *s, GrSource source, int64_t i0, int64_t j0, double *z, GrErrorLog *log)
{
    const GrGridFrame *f = s->frame;
    const int64_t i1 = i0 + BLOCK < f->nx ? i0 + BLOCK : f->nx, j1 = j0 + BLOCK < f->ny ? j0 + BLOCK : f->ny;
    const int64_t wi = i0 > 0 ? i0 - 1 : 0, wj = j0 > 0 ? j0 - 1 : 0;
    const int columns = (int)((i1 < f->nx ? i1 + 1 : f->nx) - wi), rows = (int)((j1 < f->ny ? j1 + 1 : f->ny) - wj);
    const GrStatus status = source.read(source.context, (GrGridWindow){wi, wj, columns, rows}, z, log);
    if (status != GR_OK) {
        return status;
    }
    const double before = s->count;
    for (int64_t j = j0; j < j1; j++) {
        add_heights(s, z + (j - wj) * columns + i0 - wi, i1 - i0);
    }
    if (s->count == before) {
        return GR_OK; // only voids
    }
    add_slopes(s, z, columns, (const int64_t[4]){i0, i1, j0, j1}, wi, wj);
    add_deviations(s, z, columns, rows);
    return GR_OK;
}

GrStatus gr_statistics_compute(const GrGridFrame *frame, GrSource source, GrStatistics *out, GrProgressFn progress,
                               void *context, GrErrorLog *log)
{
    *out = (GrStatistics){.z_min = INFINITY, .z_max = -INFINITY};
    const int64_t least = frame->nx < frame->ny ? frame->nx : frame->ny;
    for (int n = 0; n < GR_LAG_COUNT && (n == 0 || (int64_t)10 << n <= least); n++) {
        out->lags[out->lag_count++] = (double)(1 << n) * 0.5 * (frame->dx + frame->dy);
    }
    Sums *s = gr_calloc(1, sizeof *s);
    double *z = gr_malloc((size_t)(BLOCK + 2) * (BLOCK + 2) * sizeof *z);
    GrStatus status = GR_OK;
    if (s == NULL || z == NULL) {
        status = gr_out_of_memory(log, NULL);
    } else {
        s->frame = frame;
        s->out = out;
        const int64_t across = (frame->nx + BLOCK - 1) / BLOCK, blocks = across * ((frame->ny + BLOCK - 1) / BLOCK);
        // A very large map is sampled by blocks spread evenly over it.
        const int64_t looked = blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
        for (int64_t n = 0; n < looked && status == GR_OK; n++) {
            const int64_t block = looked == blocks ? n : (int64_t)(((double)n + 0.5) * (double)blocks / (double)looked);
            status = add_block(s, source, block % across * BLOCK, block / across * BLOCK, z, log);
            if (progress != NULL) {
                progress(context, (double)(n + 1), (double)looked);
            }
        }
        finish(s);
    }
    gr_free(z);
    gr_free(s);
    return status;
}

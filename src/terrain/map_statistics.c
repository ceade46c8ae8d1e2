/// Sums over blocks of a map, and the figures that follow from them.
///
/// Blocks are squares of nodes; what is computed from one needs a border of one node around it, as far as the map goes:
///
///         +---------------+ window: the block and its border
///         | +-----------+ |
///         | |   block   | |
///         | +-----------+ |
///         +---------------+
///
/// Sums of a block depend on the block alone and are added up in the order of the blocks, so that figures do not depend
/// on the number of threads.
#include "map_statistics.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "processors.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/// Percentiles are those of counts: of slopes in bins of 0.01 degree, of changes from node to node in 256 bins an
/// octave, which are the upper bits of floats.
enum { BINS_PER_DEGREE = 100, SLOPE_BINS = 90 * BINS_PER_DEGREE, CHANGE_SHIFT = 15, CHANGE_BINS = 1 << 16 };
static const double LEAST_CHANGE = 1e-6; // [m]

typedef struct Block {
    int64_t i0, i1, j0, j1; ///< [i0, i1) x [j0, j1)
    GrGridWindow window;
} Block;

/// Sums over a block or over all of them.
typedef struct Sums {
    double cells, voids, count;
    double shift; ///< a height; the next two are of differences to it
    double sum, square;
    double z_min, z_max;
    double slope_sum, slope_max;                       ///< [deg]
    double squares[GR_LAG_COUNT], pairs[GR_LAG_COUNT]; ///< of nodes that are 1, 2, 4, … apart along x or y
} Sums;

typedef struct Counts {
    uint32_t slopes[SLOPE_BINS], changes[CHANGE_BINS];
} Counts;

/// What threads share.
typedef struct Job {
    const GrGridFrame *frame;
    GrReaders readers;
    int lag_count;
    int64_t total, across; ///< blocks of the map; in a row of them
    int looked;            ///< blocks that are looked at
    Sums sums[GR_MAP_MOST_BLOCKS];
    pthread_mutex_t lock; ///< of what follows
    Counts counts;
    int done;
    GrStatus status;
    GrErrorLog *log;
    GrProgressFn progress;
    void *context;
} Job;

/// Block n of those that are looked at.
static Block block_at(const Job *job, int n)
{
    const GrGridFrame *f = job->frame;
    const double step = (double)job->total / job->looked;
    const int64_t block = job->looked == job->total ? n : (int64_t)((n + 0.5) * step);
    Block b = {.i0 = block % job->across * GR_MAP_BLOCK, .j0 = block / job->across * GR_MAP_BLOCK};
    b.i1 = b.i0 + GR_MAP_BLOCK < f->nx ? b.i0 + GR_MAP_BLOCK : f->nx;
    b.j1 = b.j0 + GR_MAP_BLOCK < f->ny ? b.j0 + GR_MAP_BLOCK : f->ny;
    const int64_t wi = b.i0 > 0 ? b.i0 - 1 : 0, wj = b.j0 > 0 ? b.j0 - 1 : 0;
    b.window = (GrGridWindow){wi, wj, (int)((b.i1 < f->nx ? b.i1 + 1 : f->nx) - wi),
                              (int)((b.j1 < f->ny ? b.j1 + 1 : f->ny) - wj)};
    return b;
}

/// The height of a node of the block among those of its window.
static const double *height_at(const Block *b, const double *z, int64_t i, int64_t j)
{
    return z + (j - b->window.j0) * b->window.ni + i - b->window.i0;
}

static void add_heights(const Block *b, const double *z, Sums *s)
{
    for (int64_t j = b->j0; j < b->j1; j++) {
        const double *row = height_at(b, z, b->i0, j);
        for (int64_t i = 0; i < b->i1 - b->i0; i++) {
            if (isnan(row[i])) {
                continue;
            }
            s->shift = s->count == 0 ? row[i] : s->shift;
            const double d = row[i] - s->shift;
            s->count++;
            s->sum += d;
            s->square += d * d;
            s->z_min = row[i] < s->z_min ? row[i] : s->z_min;
            s->z_max = row[i] > s->z_max ? row[i] : s->z_max;
        }
    }
    s->cells = (double)(b->i1 - b->i0) * (double)(b->j1 - b->j0);
    s->voids = s->cells - s->count;
}

/// Slopes by central differences, one-sided at the border of the map; none where a height or a neighbour is missing.
static void add_slopes(const GrGridFrame *f, const Block *b, const double *z, Sums *s, uint32_t *bins)
{
    const int64_t ni = b->window.ni;
    for (int64_t j = b->j0; j < b->j1; j++) {
        const int64_t below = j > 0, above = j < f->ny - 1;
        for (int64_t i = b->i0; i < b->i1; i++) {
            const int64_t left = i > 0, right = i < f->nx - 1;
            const double *at = height_at(b, z, i, j);
            const double gx = (at[right] - at[-left]) / ((double)(left + right) * f->dx);
            const double gy = (at[above * ni] - at[-below * ni]) / ((double)(below + above) * f->dy);
            const double slope = gr_atan(sqrt(gx * gx + gy * gy)) / GR_DEGREE;
            if (isnan(slope) || isnan(*at)) {
                continue;
            }
            const int bin = (int)(slope * BINS_PER_DEGREE);
            bins[bin < SLOPE_BINS ? bin : SLOPE_BINS - 1]++;
            s->slope_sum += slope;
            s->slope_max = slope > s->slope_max ? slope : s->slope_max;
        }
    }
}

/// Squares of the differences from a[i] to b[i], and their number.
static void add_squares(const double *a, const double *b, int64_t count, double *squares, double *pairs)
{
    for (int64_t i = 0; i < count; i++) {
        const double d = b[i] - a[i];
        if (!isnan(d)) {
            *squares += d * d;
            *pairs += 1;
        }
    }
}

/// RMS deviation ν(L) = √⟨(z(x + L) − z(x))²⟩ (Shepard et al. 2001), from pairs along x and y inside a window.
static void add_deviations(const GrGridWindow *w, const double *z, int lag_count, Sums *s)
{
    const int64_t ni = w->ni, nj = w->nj;
    for (int n = 0; n < lag_count; n++) {
        const int64_t lag = (int64_t)1 << n;
        for (int64_t j = 0; j < nj; j++) {
            const double *row = z + j * ni;
            add_squares(row, row + lag, ni - lag, &s->squares[n], &s->pairs[n]);
            add_squares(row, row + lag * ni, j + lag < nj ? ni : 0, &s->squares[n], &s->pairs[n]);
        }
    }
}

static void count_changes(const double *a, const double *b, int64_t count, uint32_t *bins)
{
    for (int64_t i = 0; i < count; i++) {
        const double change = fabs(b[i] - a[i]);
        if (!isnan(change)) {
            const float rounded = (float)(change > LEAST_CHANGE ? change : LEAST_CHANGE);
            uint32_t bits;
            memcpy(&bits, &rounded, sizeof bits);
            bins[bits >> CHANGE_SHIFT]++;
        }
    }
}

/// Where a bin of changes begins [m].
static double change_at(double bin)
{
    const uint32_t bits = (uint32_t)bin << CHANGE_SHIFT;
    float change;
    memcpy(&change, &bits, sizeof change);
    return (double)change;
}

static Sums sum_block(const GrGridFrame *frame, const Block *b, const double *z, int lag_count, Counts *counts)
{
    const int64_t ni = b->window.ni, nj = b->window.nj;
    Sums s = {.z_min = INFINITY, .z_max = -INFINITY};
    add_heights(b, z, &s);
    if (s.count == 0) {
        return s;
    }
    add_slopes(frame, b, z, &s, counts->slopes);
    add_deviations(&b->window, z, lag_count, &s);
    for (int64_t j = 0; j < nj; j++) {
        const double *row = z + j * ni;
        count_changes(row, row + 1, ni - 1, counts->changes);
        count_changes(row, row + ni, j + 1 < nj ? ni : 0, counts->changes);
    }
    return s;
}

/// Sums of all blocks, relative to the shift of the first that has heights.
static Sums sum_all(const Sums *blocks, int count)
{
    Sums all = {.z_min = INFINITY, .z_max = -INFINITY};
    for (int n = 0; n < count; n++) {
        const Sums *s = &blocks[n];
        all.shift = all.count == 0 ? s->shift : all.shift;
        const double d = s->shift - all.shift;
        all.cells += s->cells;
        all.voids += s->voids;
        all.sum += s->sum + s->count * d;
        all.square += s->square + 2 * d * s->sum + s->count * d * d;
        all.count += s->count;
        all.z_min = fmin(all.z_min, s->z_min);
        all.z_max = fmax(all.z_max, s->z_max);
        all.slope_sum += s->slope_sum;
        all.slope_max = fmax(all.slope_max, s->slope_max);
        for (int k = 0; k < GR_LAG_COUNT; k++) {
            all.squares[k] += s->squares[k];
            all.pairs[k] += s->pairs[k];
        }
    }
    return all;
}

/// Reads a block; false: it cannot be read.
static bool read_block(Job *job, const GrSource *source, const Block *b, double *z)
{
    if (source->read(source->context, b->window, z, NULL) == GR_OK) {
        return true;
    }
    pthread_mutex_lock(&job->lock); // again, to say why: one thread writes messages
    job->status = job->status == GR_OK ? source->read(source->context, b->window, z, job->log) : job->status;
    const bool good = job->status == GR_OK;
    pthread_mutex_unlock(&job->lock);
    return good;
}

/// Tells that a block is done; false: the work is over, since another block cannot be read.
static bool end_block(Job *job)
{
    pthread_mutex_lock(&job->lock);
    job->done++;
    if (job->progress != NULL) {
        job->progress(job->context, job->done, job->looked);
    }
    const bool go_on = job->status == GR_OK;
    pthread_mutex_unlock(&job->lock);
    return go_on;
}

static void add_counts(Job *job, const Counts *counts)
{
    pthread_mutex_lock(&job->lock);
    for (int k = 0; k < SLOPE_BINS; k++) {
        job->counts.slopes[k] += counts->slopes[k];
    }
    for (int k = 0; k < CHANGE_BINS; k++) {
        job->counts.changes[k] += counts->changes[k];
    }
    pthread_mutex_unlock(&job->lock);
}

/// Neighbouring blocks share blocks of the file, which the reader still has: each thread takes a run of them.
static void look_at_blocks(void *context, int share, int shares)
{
    Job *job = context;
    const int first = job->looked * share / shares, end = job->looked * (share + 1) / shares;
    double *z = gr_malloc((size_t)(GR_MAP_BLOCK + 2) * (GR_MAP_BLOCK + 2) * sizeof *z);
    Counts *counts = gr_calloc(1, sizeof *counts);
    bool go_on = z != NULL && counts != NULL;
    if (!go_on) {
        pthread_mutex_lock(&job->lock);
        job->status = job->status == GR_OK ? gr_out_of_memory(job->log, NULL) : job->status;
        pthread_mutex_unlock(&job->lock);
    }
    for (int n = first; n < end && go_on; n++) {
        const Block b = block_at(job, n);
        go_on = read_block(job, &job->readers.sources[share], &b, z);
        if (go_on) {
            job->sums[n] = sum_block(job->frame, &b, z, job->lag_count, counts);
            go_on = end_block(job);
        }
    }
    if (go_on) {
        add_counts(job, counts);
    }
    gr_free(z);
    gr_free(counts);
}

static double count_of(const uint32_t *bins, int count)
{
    double total = 0;
    for (int k = 0; k < count; k++) {
        total += bins[k];
    }
    return total;
}

/// Percentile of the counts [bins], linear inside a bin.
static double percentile(const uint32_t *bins, int count, double share)
{
    const double total = count_of(bins, count);
    double below = 0;
    for (int k = 0; k < count; k++) {
        const double here = (double)bins[k];
        if (below + here >= share * total && bins[k] > 0) {
            return k + (share * total - below) / here;
        }
        below += here;
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

static void set_slopes(const Sums *s, const uint32_t *bins, GrStatistics *out)
{
    out->slope_cells = count_of(bins, SLOPE_BINS);
    out->slope_median = percentile(bins, SLOPE_BINS, 0.5) / BINS_PER_DEGREE;
    out->slope_p95 = percentile(bins, SLOPE_BINS, 0.95) / BINS_PER_DEGREE;
    out->slope_max = s->slope_max;
    out->slope_mean = out->slope_cells > 0 ? s->slope_sum / out->slope_cells : (double)NAN;
    for (int k = 0; k < SLOPE_BINS; k++) {
        const int row = k / (5 * BINS_PER_DEGREE);
        out->slope_histogram[row < GR_SLOPE_ROWS ? row : GR_SLOPE_ROWS - 1] += bins[k] / fmax(1, out->slope_cells);
    }
}

static void set_figures(const GrGridFrame *frame, const Sums *s, const Counts *counts, GrStatistics *out)
{
    const bool any = s->count > 0;
    const double mean = s->sum / s->count;
    out->cells = s->cells;
    out->share = s->cells / ((double)frame->nx * (double)frame->ny);
    out->voids = s->voids;
    out->z_min = any ? s->z_min : (double)NAN;
    out->z_max = any ? s->z_max : (double)NAN;
    out->z_mean = any ? s->shift + mean : (double)NAN;
    out->z_deviation = any ? sqrt(fmax(0, s->square / s->count - mean * mean)) : (double)NAN;
    set_slopes(s, counts->slopes, out);
    for (int k = 0; k < out->lag_count; k++) {
        out->deviations[k] = s->pairs[k] > 0 ? sqrt(s->squares[k] / s->pairs[k]) : (double)NAN;
    }
    out->hurst = fit_hurst(out);
    const double change = percentile(counts->changes, CHANGE_BINS, 0.95), bin = floor(change);
    out->cell_change_p95 =
        isnan(change) ? change : change_at(bin) + (change - bin) * (change_at(bin + 1) - change_at(bin));
}

GrStatus gr_statistics_compute(const GrGridFrame *frame, GrReaders readers, GrStatistics *out, GrProgressFn progress,
                               void *context, GrErrorLog *log)
{
    *out = (GrStatistics){0};
    const int64_t least = frame->nx < frame->ny ? frame->nx : frame->ny;
    for (int n = 0; n < GR_LAG_COUNT && (n == 0 || (int64_t)10 << n <= least); n++) {
        out->lags[out->lag_count++] = (double)(1 << n) * 0.5 * (frame->dx + frame->dy);
    }
    Job *job = gr_calloc(1, sizeof *job);
    if (job == NULL || pthread_mutex_init(&job->lock, NULL) != 0) {
        gr_free(job);
        return gr_out_of_memory(log, NULL);
    }
    job->frame = frame;
    job->readers = readers;
    job->lag_count = out->lag_count;
    job->across = (frame->nx + GR_MAP_BLOCK - 1) / GR_MAP_BLOCK;
    job->total = job->across * ((frame->ny + GR_MAP_BLOCK - 1) / GR_MAP_BLOCK);
    job->looked = (int)(job->total < GR_MAP_MOST_BLOCKS ? job->total : GR_MAP_MOST_BLOCKS);
    job->log = log;
    job->progress = progress;
    job->context = context;
    gr_share_out(readers.count < job->looked ? readers.count : job->looked, look_at_blocks, job);
    const GrStatus status = job->status;
    if (status == GR_OK) {
        const Sums total = sum_all(job->sums, job->looked);
        set_figures(frame, &total, &job->counts, out);
    }
    pthread_mutex_destroy(&job->lock);
    gr_free(job);
    return status;
}

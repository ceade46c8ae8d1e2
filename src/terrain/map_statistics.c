#include "map_statistics.h"

#include "alloc.h"
#include "bins.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// Side of a block in nodes. A smaller map is one block.
enum { BLOCK = 1024, MAX_BLOCKS = 96, CHANGE_BINS = 4000, MOST_THREADS = 64 };

/// Blocks are taken in stripes of this many columns, from south to north, in runs of some blocks for a thread: files
/// are compressed in blocks of their own, and what two of ours share is then still in the reader's cache.
enum { STRIPE = 2, RUNS = 4 };

/// Sums over rows are in this many lanes, which compilers turn into vectors.
enum { LANES = 8 };

enum { SLOPE_SLOT_BITS = 10, CHANGE_SLOT_BITS = 8 };

/// Bin of the change from cell to cell: 400 a decade from 1e-6 m.
static int change_bin(double dz)
{
    const double bin = 400 * (gr_log10(fmax(dz, 1e-6)) + 6);
    return bin < CHANGE_BINS - 1 ? (int)bin : CHANGE_BINS - 1;
}

/// Where a bin begins, but for rounding errors.
static double change_guess(int bin)
{
    return gr_pow(10, bin / 400.0 - 6);
}

/// Slope in degrees from the square of the gradient.
static double slope_of(double square)
{
    return gr_atan(sqrt(square)) / GR_DEGREE;
}

/// Bin of a slope from the square of the gradient: 100 a degree.
static int slope_bin(double square)
{
    const int bin = (int)(slope_of(square) * 100);
    return bin < GR_SLOPE_BINS ? bin : GR_SLOPE_BINS - 1;
}

/// Where a bin begins, but for rounding errors.
static double slope_guess(int bin)
{
    const double gradient = gr_tan(bin / 100.0 * GR_DEGREE);
    return gradient * gradient;
}

/// Slopes in a bin as a parabola of the square of the gradient, through both edges and the middle of the bin. Where a
/// bin is a 200th of its slope and less it is off by 1e-8 deg at most; an arcus tangent takes ten times as long.
typedef struct SlopeCurve {
    double edge, slope, linear, square;
} SlopeCurve;
enum { FIRST_CURVE = 200 }; // 2 deg

/// NULL: out of memory.
static SlopeCurve *make_curves(const GrBins *bins)
{
    SlopeCurve *curves = gr_calloc((size_t)bins->count, sizeof *curves);
    for (int k = FIRST_CURVE; k < bins->count - 1 && curves != NULL; k++) {
        const double a = bins->edges[k], width = bins->edges[k + 1] - a;
        const double at = slope_of(a), half = slope_of(a + width / 2) - at, whole = slope_of(a + width) - at;
        curves[k] = (SlopeCurve){a, at, (4 * half - whole) / width, (2 * whole - 4 * half) / (width * width)};
    }
    return curves;
}

/// Small slopes [deg] from the square of the gradient: the series of the arcus tangent, of which the next term is 2e-16
/// up to FIRST_CURVE.
static inline double small_slope(double s)
{
    return sqrt(s) * (1 - s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - s * (1.0 / 9))))) / GR_DEGREE;
}

/// Slope [deg] from the square of the gradient and its bin; `small`: by the series. It is chosen without a jump, since
/// small and large slopes lie side by side.
static inline double slope_in(const SlopeCurve *curves, int bin, double square, double small)
{
    if (bin >= GR_SLOPE_BINS - 1) {
        return slope_of(square);
    }
    const SlopeCurve *c = &curves[bin];
    const double d = square - c->edge;
    const double slopes[] = {small, c->slope + d * (c->linear + d * c->square)};
    return slopes[bin >= FIRST_CURVE];
}

/// Sums of one block: added in the order of the blocks, so that the figures do not depend on the threads.
typedef struct Block {
    double cells, voids, count;
    double shift; ///< a height of the block; sums are of differences to it
    double sum, square;
    double z_min, z_max;
    double steepest, slope_sum; ///< square of the largest gradient; [deg]
    double squares[GR_LAG_COUNT], pairs[GR_LAG_COUNT];
} Block;

/// A block and when it is read.
typedef struct Turn {
    int64_t key, n;
} Turn;

/// What threads share.
typedef struct Job {
    const GrGridFrame *frame;
    GrReaders readers;
    int lag_count;
    GrBins slope_bins, change_bins;
    SlopeCurve *curves; ///< [GR_SLOPE_BINS]
    Block blocks[MAX_BLOCKS];
    Turn order[MAX_BLOCKS];                ///< in which blocks are read
    int64_t block_count, looked, across;   ///< of the map; of them, blocks that are looked at; in a row of the map
    pthread_mutex_t reading[MOST_THREADS]; ///< of each reader: they are not thread-safe
    pthread_mutex_t lock;                  ///< of what follows
    int64_t next, run;                     ///< first block that no thread has taken; number that are taken at once
    int64_t done;
    GrStatus status;
    GrErrorLog *log;
    GrProgressFn progress;
    void *context;
} Job;

/// One thread. Counts are whole numbers, of which the sum does not depend on the order.
typedef struct Worker {
    Job *job;
    int number;
    int64_t next, end;                                    ///< blocks of its run, in the order of the stripes
    double *z;                                            ///< heights of a block with its border
    double gx[BLOCK + 2];                                 ///< of a row: derivatives along x, or changes
    double g2[BLOCK];                                     ///< squares of gradients
    double small[BLOCK];                                  ///< slopes by the series for small ones
    int32_t slots[BLOCK + 2];                             ///< of either in their bins
    uint32_t slopes[GR_SLOPE_BINS], changes[CHANGE_BINS]; ///< no more than 2 BLOCK² for each of MAX_BLOCKS
    pthread_t thread;
    bool runs;
} Worker;

static double sum_lanes(const double lanes[LANES])
{
    double sum = 0;
    for (int l = 0; l < LANES; l++) {
        sum += lanes[l];
    }
    return sum;
}

/// Sums of a row in lanes.
typedef struct Heights {
    double sum[LANES], square[LANES], known[LANES], lower[LANES], upper[LANES];
} Heights;

/// Inlined with a constant for all but the last heights of a row.
static inline __attribute__((always_inline)) void add_lanes(Heights *h, const double *z, double shift, int64_t lanes)
{
    for (int l = 0; l < lanes; l++) {
        const double height = z[l], d = height == height ? height - shift : 0;
        h->known[l] += height == height ? 1 : 0;
        h->sum[l] += d;
        h->square[l] += d * d;
        h->lower[l] = height < h->lower[l] ? height : h->lower[l];
        h->upper[l] = height > h->upper[l] ? height : h->upper[l];
    }
}

static void add_heights(Block *b, const double *z, int64_t count)
{
    Heights h = {0};
    for (int l = 0; l < LANES; l++) {
        h.lower[l] = b->z_min;
        h.upper[l] = b->z_max;
    }
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        add_lanes(&h, z + k, b->shift, LANES);
    }
    add_lanes(&h, z + k, b->shift, count - k);
    for (int l = 0; l < LANES; l++) {
        b->z_min = h.lower[l] < b->z_min ? h.lower[l] : b->z_min;
        b->z_max = h.upper[l] > b->z_max ? h.upper[l] : b->z_max;
    }
    const double heights = sum_lanes(h.known);
    b->cells += (double)count;
    b->voids += (double)count - heights;
    b->count += heights;
    b->sum += sum_lanes(h.sum);
    b->square += sum_lanes(h.square);
}

/// Squares of the gradients of a row of `count` nodes, `i` the first in the map: central differences, one-sided at the
/// border of the map. NAN where a height or one of its neighbours is missing.
static void set_gradients(const GrGridFrame *f, const double *row, int64_t stride, int64_t i, int64_t j, int64_t count,
                          double *restrict gx, double *restrict g2)
{
    const double wide = 2 * f->dx;
    const int64_t first = i == 0, last = i + count == f->nx ? count - 1 : count;
    for (int64_t k = first; k < last; k++) {
        gx[k] = (row[k + 1] - row[k - 1]) / wide;
    }
    if (first > 0) {
        gx[0] = (row[1] - row[0]) / f->dx;
    }
    if (last < count) {
        gx[last] = (row[last] - row[last - 1]) / f->dx;
    }
    const double *upper = j == f->ny - 1 ? row : row + stride, *lower = j == 0 ? row : row - stride;
    const double step = j == 0 || j == f->ny - 1 ? f->dy : 2 * f->dy;
    for (int64_t k = 0; k < count; k++) {
        const double gy = (upper[k] - lower[k]) / step;
        g2[k] = gx[k] * gx[k] + gy * gy + 0 * row[k]; // NAN where its own height is missing
    }
}

/// Slopes of the nodes [i0, i1) x [j0, j1) of a window that begins at (wi, wj) of the map and has `columns`.
static void add_slopes(Worker *w, Block *b, int columns, const int64_t range[4], int64_t wi, int64_t wj)
{
    const Job *job = w->job;
    const int64_t count = range[1] - range[0];
    double sum = b->slope_sum, steepest = b->steepest;
    for (int64_t j = range[2]; j < range[3]; j++) {
        set_gradients(job->frame, w->z + (j - wj) * columns + range[0] - wi, columns, range[0], j, count, w->gx, w->g2);
        gr_bins_slots(&job->slope_bins, w->g2, count, w->slots);
        for (int64_t i = 0; i < count; i++) {
            w->small[i] = small_slope(w->g2[i]);
        }
        for (int64_t i = 0; i < count; i++) {
            const double square = w->g2[i];
            if (!isnan(square)) {
                const int bin = gr_bins_find(&job->slope_bins, w->slots[i], square);
                w->slopes[bin]++;
                sum += slope_in(job->curves, bin, square, w->small[i]);
                steepest = square > steepest ? square : steepest;
            }
        }
    }
    b->slope_sum = sum;
    b->steepest = steepest;
}

/// Adds the squares of the differences of two rows, and their number. Inlined with a constant: where the block is
/// `whole` all of them are known.
static inline __attribute__((always_inline)) void add_differences(bool whole, const double *a, const double *b,
                                                                  int count, double *squares, double *pairs)
{
    double square[LANES] = {0}, known[LANES] = {0};
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            const double d = b[i + l] - a[i + l];
            square[l] += whole || d == d ? d * d : 0;
            known[l] += whole || d == d ? 1 : 0;
        }
    }
    for (int l = 0; i + l < count; l++) {
        const double d = b[i + l] - a[i + l];
        square[l] += d == d ? d * d : 0;
        known[l] += d == d ? 1 : 0;
    }
    *squares += sum_lanes(square);
    *pairs += whole ? (double)count : sum_lanes(known);
}

static void add_squares(bool whole, const double *a, const double *b, int count, double *squares, double *pairs)
{
    if (whole) {
        add_differences(true, a, b, count, squares, pairs);
    } else {
        add_differences(false, a, b, count, squares, pairs);
    }
}

static void count_changes(Worker *w, const double *a, const double *b, int count)
{
    const GrBins *bins = &w->job->change_bins;
    for (int i = 0; i < count; i++) {
        w->gx[i] = fabs(b[i] - a[i]);
    }
    gr_bins_slots(bins, w->gx, count, w->slots);
    for (int i = 0; i < count; i++) {
        if (!isnan(w->gx[i])) {
            w->changes[gr_bins_find(bins, w->slots[i], w->gx[i])]++;
        }
    }
}

/// Whether no height is missing.
static bool is_whole(const double *z, int64_t count)
{
    int64_t missing = 0;
    for (int64_t k = 0; k < count; k++) {
        missing += z[k] != z[k];
    }
    return missing == 0;
}

/// RMS deviation ν(L) = √⟨(z(x + L) − z(x))²⟩ (Shepard et al. 2001), pairs along x and y inside a window. Row by row
/// for all lags, so that the rows stay in the cache.
static void add_deviations(Worker *w, Block *b, int columns, int rows)
{
    const bool whole = is_whole(w->z, (int64_t)columns * rows);
    for (int j = 0; j < rows; j++) {
        const double *row = w->z + (int64_t)j * columns;
        for (int n = 0; n < w->job->lag_count; n++) {
            const int lag = 1 << n;
            if (lag < columns) {
                add_squares(whole, row, row + lag, columns - lag, &b->squares[n], &b->pairs[n]);
            }
            if (j + lag < rows) {
                add_squares(whole, row, row + (int64_t)lag * columns, columns, &b->squares[n], &b->pairs[n]);
            }
        }
        count_changes(w, row, row + 1, columns - 1);
        if (j + 1 < rows) {
            count_changes(w, row, row + columns, columns);
        }
    }
}

/// Percentile of the counts, linear inside a bin.
static double percentile(const uint32_t *bins, int count, double total, double share)
{
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

/// Sums of all blocks, relative to the shift of the first that has heights.
static Block add_up(const Job *job)
{
    Block all = {.z_min = INFINITY, .z_max = -INFINITY};
    for (int64_t n = 0; n < job->looked; n++) {
        const Block *b = &job->blocks[n];
        all.shift = all.count == 0 ? b->shift : all.shift;
        const double d = b->shift - all.shift;
        all.cells += b->cells;
        all.voids += b->voids;
        if (b->count == 0) {
            continue;
        }
        all.sum += b->sum + b->count * d;
        all.square += b->square + 2 * d * b->sum + b->count * d * d;
        all.count += b->count;
        all.z_min = fmin(all.z_min, b->z_min);
        all.z_max = fmax(all.z_max, b->z_max);
        all.steepest = fmax(all.steepest, b->steepest);
        all.slope_sum += b->slope_sum;
        for (int k = 0; k < job->lag_count; k++) {
            all.squares[k] += b->squares[k];
            all.pairs[k] += b->pairs[k];
        }
    }
    return all;
}

static double count_of(const uint32_t *bins, int count)
{
    int64_t total = 0;
    for (int k = 0; k < count; k++) {
        total += bins[k];
    }
    return (double)total;
}

/// `w` has the counts of all threads.
static void finish(const Job *job, const Worker *w, GrStatistics *out)
{
    const Block s = add_up(job);
    const double mean = s.count > 0 ? s.sum / s.count : (double)NAN;
    out->cells = s.cells;
    out->voids = s.voids;
    out->z_min = s.count > 0 ? s.z_min : (double)NAN;
    out->z_max = s.count > 0 ? s.z_max : (double)NAN;
    out->z_mean = s.shift + mean;
    out->z_deviation = s.count > 0 ? sqrt(fmax(0, s.square / s.count - mean * mean)) : (double)NAN;
    out->slope_cells = count_of(w->slopes, GR_SLOPE_BINS);
    out->slope_median = percentile(w->slopes, GR_SLOPE_BINS, out->slope_cells, 0.5) / 100;
    out->slope_p95 = percentile(w->slopes, GR_SLOPE_BINS, out->slope_cells, 0.95) / 100;
    out->slope_max = slope_of(s.steepest);
    out->slope_mean = out->slope_cells > 0 ? s.slope_sum / out->slope_cells : (double)NAN;
    for (int k = 0; k < GR_SLOPE_BINS; k++) {
        const int row = k / 500; // of 5 degrees
        out->slope_histogram[row < GR_SLOPE_ROWS ? row : GR_SLOPE_ROWS - 1] += (double)w->slopes[k];
    }
    for (int k = 0; k < GR_SLOPE_ROWS; k++) {
        out->slope_histogram[k] /= fmax(1, out->slope_cells);
    }
    for (int k = 0; k < out->lag_count; k++) {
        out->deviations[k] = s.pairs[k] > 0 ? sqrt(s.squares[k] / s.pairs[k]) : (double)NAN;
    }
    out->hurst = fit_hurst(out);
    const double changes = count_of(w->changes, CHANGE_BINS);
    out->cell_change_p95 = gr_pow(10, percentile(w->changes, CHANGE_BINS, changes, 0.95) / 400 - 6);
    out->share = out->cells / ((double)job->frame->nx * (double)job->frame->ny);
}

/// A block [i0, i1) x [j0, j1), and its window with a border of one node, as far as the map has it.
typedef struct Place {
    int64_t i0, i1, j0, j1;
    GrGridWindow window;
} Place;

/// A very large map is sampled by blocks spread evenly over it.
static int64_t block_of(const Job *job, int64_t n)
{
    return job->looked == job->block_count
               ? n
               : (int64_t)(((double)n + 0.5) * (double)job->block_count / (double)job->looked);
}

static Place place_of(const Job *job, int64_t n)
{
    const GrGridFrame *f = job->frame;
    const int64_t block = block_of(job, n);
    Place p = {.i0 = block % job->across * BLOCK, .j0 = block / job->across * BLOCK};
    p.i1 = p.i0 + BLOCK < f->nx ? p.i0 + BLOCK : f->nx;
    p.j1 = p.j0 + BLOCK < f->ny ? p.j0 + BLOCK : f->ny;
    const int64_t wi = p.i0 > 0 ? p.i0 - 1 : 0, wj = p.j0 > 0 ? p.j0 - 1 : 0;
    p.window = (GrGridWindow){wi, wj, (int)((p.i1 < f->nx ? p.i1 + 1 : f->nx) - wi),
                              (int)((p.j1 < f->ny ? p.j1 + 1 : f->ny) - wj)};
    return p;
}

static int compare_turns(const void *a, const void *b)
{
    const int64_t x = ((const Turn *)a)->key, y = ((const Turn *)b)->key;
    return (x > y) - (x < y);
}

/// Puts the blocks in the order of the stripes.
static void make_order(Job *job)
{
    const int64_t rows = job->block_count / job->across;
    for (int64_t n = 0; n < job->looked; n++) {
        const int64_t block = block_of(job, n), column = block % job->across, row = block / job->across;
        job->order[n] = (Turn){(column / STRIPE * rows + row) * STRIPE + column % STRIPE, n};
    }
    qsort(job->order, (size_t)job->looked, sizeof *job->order, compare_turns);
}

/// The next block of this thread; −1: there is none. It takes a new run when its own is finished.
static int64_t take_next(Worker *w)
{
    Job *job = w->job;
    int64_t n = -1;
    pthread_mutex_lock(&job->lock);
    if (w->next == w->end && job->next < job->looked) {
        w->next = job->next;
        w->end = job->next + job->run < job->looked ? job->next + job->run : job->looked;
        job->next = w->end;
    }
    if (w->next < w->end && job->status == GR_OK) {
        n = w->next++;
        if (job->progress != NULL) {
            job->progress(job->context, (double)++job->done, (double)job->looked);
        }
    }
    pthread_mutex_unlock(&job->lock);
    return n < 0 ? n : job->order[n].n;
}

/// Reads the next block into `w->z`; returns its number, −1: there is none, or it cannot be read.
static int64_t read_next(Worker *w, Place *place)
{
    Job *job = w->job;
    const int64_t n = take_next(w);
    if (n < 0) {
        return n;
    }
    const int reader = w->number % job->readers.count;
    const GrSource *source = &job->readers.sources[reader];
    *place = place_of(job, n);
    pthread_mutex_lock(&job->reading[reader]);
    GrStatus status = source->read(source->context, place->window, w->z, NULL);
    if (status != GR_OK) { // again, to say why: one thread writes messages
        pthread_mutex_lock(&job->lock);
        status = job->status == GR_OK ? source->read(source->context, place->window, w->z, job->log) : status;
        job->status = job->status == GR_OK ? status : job->status;
        pthread_mutex_unlock(&job->lock);
    }
    pthread_mutex_unlock(&job->reading[reader]);
    return status == GR_OK ? n : -1;
}

static void add_block(Worker *w, Block *b, const Place *p)
{
    const int columns = p->window.ni, rows = p->window.nj;
    const double *inner = w->z + (p->j0 - p->window.j0) * columns + p->i0 - p->window.i0;
    *b = (Block){.z_min = INFINITY, .z_max = -INFINITY, .shift = (double)NAN};
    for (int64_t k = 0; k < (p->j1 - p->j0) * (p->i1 - p->i0) && isnan(b->shift); k++) {
        b->shift = inner[k / (p->i1 - p->i0) * columns + k % (p->i1 - p->i0)];
    }
    b->shift = isnan(b->shift) ? 0 : b->shift;
    for (int64_t j = 0; j < p->j1 - p->j0; j++) {
        add_heights(b, inner + j * columns, p->i1 - p->i0);
    }
    if (b->count > 0) {
        add_slopes(w, b, columns, (const int64_t[4]){p->i0, p->i1, p->j0, p->j1}, p->window.i0, p->window.j0);
        add_deviations(w, b, columns, rows);
    }
}

static void *work(void *context)
{
    Worker *w = context;
    Place place;
    for (int64_t n; (n = read_next(w, &place)) >= 0;) {
        add_block(w, &w->job->blocks[n], &place);
    }
    return NULL;
}

static bool make_worker(Worker *w, Job *job, int number)
{
    w->job = job;
    w->number = number;
    w->z = gr_malloc((size_t)(BLOCK + 2) * (BLOCK + 2) * sizeof *w->z);
    return w->z != NULL;
}

/// Works in this thread and in up to threads − 1 others. Where one cannot be started the rest do its work.
static void work_together(Worker *workers, int threads)
{
    for (int t = 1; t < threads; t++) {
        workers[t].runs = pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0;
    }
    work(&workers[0]);
    for (int t = 1; t < threads; t++) {
        if (workers[t].runs) {
            pthread_join(workers[t].thread, NULL);
        }
        for (int k = 0; k < GR_SLOPE_BINS; k++) {
            workers[0].slopes[k] += workers[t].slopes[k];
        }
        for (int k = 0; k < CHANGE_BINS; k++) {
            workers[0].changes[k] += workers[t].changes[k];
        }
    }
}

static GrStatus compute(Job *job, int threads, GrStatistics *out)
{
    threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    threads = threads < job->looked ? threads : (int)job->looked;
    const int64_t run = job->looked / (RUNS * threads);
    job->run = run > 1 ? run : 1;
    Worker *workers = gr_calloc((size_t)threads, sizeof *workers);
    bool made = workers != NULL &&
                gr_bins_make(&job->slope_bins, GR_SLOPE_BINS, SLOPE_SLOT_BITS, slope_bin, slope_guess) &&
                gr_bins_make(&job->change_bins, CHANGE_BINS, CHANGE_SLOT_BITS, change_bin, change_guess);
    job->curves = made ? make_curves(&job->slope_bins) : NULL;
    made = job->curves != NULL;
    for (int t = 0; made && t < threads; t++) {
        made = make_worker(&workers[t], job, t);
    }
    if (made) {
        work_together(workers, threads);
    }
    if (made && job->status == GR_OK) {
        finish(job, &workers[0], out);
    }
    for (int t = 0; workers != NULL && t < threads; t++) {
        gr_free(workers[t].z);
    }
    gr_free(workers);
    return made ? job->status : gr_out_of_memory(job->log, NULL);
}

static void free_locks(Job *job, int count)
{
    for (int k = 0; k < count; k++) {
        pthread_mutex_destroy(&job->reading[k]);
    }
}

static bool make_locks(Job *job)
{
    int made = 0;
    while (made < MOST_THREADS && pthread_mutex_init(&job->reading[made], NULL) == 0) {
        made++;
    }
    if (made == MOST_THREADS && pthread_mutex_init(&job->lock, NULL) == 0) {
        return true;
    }
    free_locks(job, made);
    return false;
}

GrStatus gr_statistics_compute(const GrGridFrame *frame, GrReaders readers, int threads, GrStatistics *out,
                               GrProgressFn progress, void *context, GrErrorLog *log)
{
    *out = (GrStatistics){0};
    const int64_t least = frame->nx < frame->ny ? frame->nx : frame->ny;
    for (int n = 0; n < GR_LAG_COUNT && (n == 0 || (int64_t)10 << n <= least); n++) {
        out->lags[out->lag_count++] = (double)(1 << n) * 0.5 * (frame->dx + frame->dy);
    }
    Job *job = gr_calloc(1, sizeof *job);
    if (job == NULL || !make_locks(job)) {
        gr_free(job);
        return gr_out_of_memory(log, NULL);
    }
    job->frame = frame;
    job->readers = (GrReaders){readers.sources, readers.count < MOST_THREADS ? readers.count : MOST_THREADS};
    job->lag_count = out->lag_count;
    job->log = log;
    job->progress = progress;
    job->context = context;
    job->across = (frame->nx + BLOCK - 1) / BLOCK;
    job->block_count = job->across * ((frame->ny + BLOCK - 1) / BLOCK);
    job->looked = job->block_count < MAX_BLOCKS ? job->block_count : MAX_BLOCKS;
    make_order(job);
    const GrStatus status = compute(job, threads, out);
    gr_free(job->curves);
    gr_bins_free(&job->slope_bins);
    gr_bins_free(&job->change_bins);
    free_locks(job, MOST_THREADS);
    pthread_mutex_destroy(&job->lock);
    gr_free(job);
    return status;
}

#include "map_sums.h"

#include "map_lanes.h"

#include <math.h>

/// Sums of a row in lanes.
typedef struct Heights {
    double sum[GR_LANES], square[GR_LANES], known[GR_LANES], lower[GR_LANES], upper[GR_LANES];
} Heights;

/// Inlined with constants: all but the last lanes of a row are complete, and of a `whole` row no height is missing.
static inline __attribute__((always_inline)) void add_lanes(bool whole, Heights *h, const double *z, double shift,
                                                            int64_t lanes)
{
    for (int l = 0; l < lanes; l++) {
        const double height = z[l], d = whole || height == height ? height - shift : 0;
        h->known[l] += whole || height == height ? 1 : 0;
        h->sum[l] += d;
        h->square[l] += d * d;
        h->lower[l] = height < h->lower[l] ? height : h->lower[l];
        h->upper[l] = height > h->upper[l] ? height : h->upper[l];
    }
}

static inline __attribute__((always_inline)) void add_row(bool whole, GrMapSums *s, const double *z, int64_t count)
{
    Heights h = {0};
    for (int l = 0; l < GR_LANES; l++) {
        h.lower[l] = s->z_min;
        h.upper[l] = s->z_max;
    }
    int64_t k = 0;
    for (; k + GR_LANES <= count; k += GR_LANES) {
        add_lanes(whole, &h, z + k, s->shift, GR_LANES);
    }
    add_lanes(whole, &h, z + k, s->shift, count - k);
    for (int l = 0; l < GR_LANES; l++) {
        s->z_min = h.lower[l] < s->z_min ? h.lower[l] : s->z_min;
        s->z_max = h.upper[l] > s->z_max ? h.upper[l] : s->z_max;
    }
    const double heights = whole ? (double)count : gr_lanes_sum(h.known);
    s->cells += (double)count;
    s->voids += (double)count - heights;
    s->count += heights;
    s->sum += gr_lanes_sum(h.sum);
    s->square += gr_lanes_sum(h.square);
}

static void add_heights(bool whole, GrMapSums *s, const double *z, int64_t count)
{
    if (whole) {
        add_row(true, s, z, count);
    } else {
        add_row(false, s, z, count);
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

/// The first height of the block; NAN where it has none.
static double find_shift(const GrMapPlace *p, const double *inner)
{
    for (int64_t j = 0; j < p->j1 - p->j0; j++) {
        for (int64_t i = 0; i < p->i1 - p->i0; i++) {
            const double height = inner[j * p->window.ni + i];
            if (!isnan(height)) {
                return height;
            }
        }
    }
    return NAN;
}

/// Adds the squares of the differences of two rows, and their number. Inlined with a constant: where both are `whole`
/// all of them are known.
static inline __attribute__((always_inline)) void add_differences(bool whole, const double *a, const double *b,
                                                                  int64_t count, double *squares, double *pairs)
{
    double square[GR_LANES] = {0}, known[GR_LANES] = {0};
    int64_t i = 0;
    for (; i + GR_LANES <= count; i += GR_LANES) {
        for (int l = 0; l < GR_LANES; l++) {
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
    *squares += gr_lanes_sum(square);
    *pairs += whole ? (double)count : gr_lanes_sum(known);
}

static void add_squares(bool whole, const double *a, const double *b, int64_t count, double *squares, double *pairs)
{
    if (whole) {
        add_differences(true, a, b, count, squares, pairs);
    } else {
        add_differences(false, a, b, count, squares, pairs);
    }
}

/// RMS deviation ν(L) = √⟨(z(x + L) − z(x))²⟩ (Shepard et al. 2001), from pairs along x and y inside a window: those
/// that begin in row j, for all lags, so that the rows stay in the cache.
static void add_deviations(GrMapSums *s, const GrGridWindow *window, const double *z, const bool *whole, int64_t j,
                           int lag_count)
{
    const int64_t columns = window->ni;
    const double *row = z + j * columns;
    for (int n = 0; n < lag_count; n++) {
        const int64_t lag = (int64_t)1 << n;
        if (lag < columns) {
            add_squares(whole[j], row, row + lag, columns - lag, &s->squares[n], &s->pairs[n]);
        }
        if (j + lag < window->nj) {
            add_squares(whole[j] && whole[j + lag], row, row + lag * columns, columns, &s->squares[n], &s->pairs[n]);
        }
    }
}

GrMapSums gr_map_sums(const GrGridFrame *frame, const GrMapPlace *p, const double *z, int lag_count,
                      GrMapCounts *counts)
{
    const int64_t columns = p->window.ni, rows = p->window.nj, first = p->i0 - p->window.i0, count = p->i1 - p->i0;
    const int64_t below = p->j0 - p->window.j0, end = p->j1 - p->window.j0; // rows of the block
    const double shift = find_shift(p, z + below * columns + first);
    if (isnan(shift)) {
        const double cells = (double)count * (double)(p->j1 - p->j0);
        return (GrMapSums){.cells = cells, .voids = cells};
    }
    GrMapSums s = {.shift = shift, .z_min = INFINITY, .z_max = -INFINITY};
    bool whole[GR_MAP_BLOCK + 2] = {false}; // rows of the window without a missing height
    // Heights are added just before the longest lag first reaches their row, so that it comes into the cache once.
    const int64_t ahead = (int64_t)1 << (lag_count - 1);
    for (int64_t j = -ahead; j < rows; j++) {
        const int64_t next = j + ahead;
        if (next < rows) {
            whole[next] = is_whole(z + next * columns, columns);
        }
        if (next >= below && next < end) {
            add_heights(whole[next], &s, z + next * columns + first, count);
        }
        if (j >= below && j < end) {
            gr_slopes_add(&counts->slopes, frame, z + j * columns + first, columns, p->i0, p->window.j0 + j, count,
                          &s.slope_sum, &s.steepest);
        }
        if (j >= 0) {
            const double *row = z + j * columns;
            add_deviations(&s, &p->window, z, whole, j, lag_count);
            gr_changes_add(&counts->changes, row, row + 1, columns - 1);
            gr_changes_add(&counts->changes, row, row + columns, j + 1 < rows ? columns : 0);
        }
    }
    return s;
}

GrMapSums gr_map_sums_total(const GrMapSums *blocks, int count)
{
    GrMapSums all = {.z_min = INFINITY, .z_max = -INFINITY};
    for (int n = 0; n < count; n++) {
        const GrMapSums *s = &blocks[n];
        all.shift = all.count == 0 ? s->shift : all.shift;
        const double d = s->shift - all.shift;
        all.cells += s->cells;
        all.voids += s->voids;
        if (s->count == 0) {
            continue;
        }
        all.sum += s->sum + s->count * d;
        all.square += s->square + 2 * d * s->sum + s->count * d * d;
        all.count += s->count;
        all.z_min = fmin(all.z_min, s->z_min);
        all.z_max = fmax(all.z_max, s->z_max);
        all.steepest = fmax(all.steepest, s->steepest);
        all.slope_sum += s->slope_sum;
        for (int k = 0; k < GR_LAG_COUNT; k++) {
            all.squares[k] += s->squares[k];
            all.pairs[k] += s->pairs[k];
        }
    }
    return all;
}

#include "map_sums.h"

#include "map_lanes.h"

#include <math.h>

/// Sums of a row in lanes.
typedef struct Heights {
    double sum[GR_LANES], square[GR_LANES], known[GR_LANES], lower[GR_LANES], upper[GR_LANES];
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

/// Returns whether no height of the row is missing.
static bool add_heights(GrMapSums *s, const double *z, int64_t count)
{
    Heights h = {0};
    for (int l = 0; l < GR_LANES; l++) {
        h.lower[l] = s->z_min;
        h.upper[l] = s->z_max;
    }
    int64_t k = 0;
    for (; k + GR_LANES <= count; k += GR_LANES) {
        add_lanes(&h, z + k, s->shift, GR_LANES);
    }
    add_lanes(&h, z + k, s->shift, count - k);
    for (int l = 0; l < GR_LANES; l++) {
        s->z_min = h.lower[l] < s->z_min ? h.lower[l] : s->z_min;
        s->z_max = h.upper[l] > s->z_max ? h.upper[l] : s->z_max;
    }
    const double heights = gr_lanes_sum(h.known);
    s->cells += (double)count;
    s->voids += (double)count - heights;
    s->count += heights;
    s->sum += gr_lanes_sum(h.sum);
    s->square += gr_lanes_sum(h.square);
    return heights == (double)count;
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

/// The first height of the block; 0 where it has none.
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
    return 0;
}

/// Heights of the block, and which rows of its window are `whole`: no height is missing.
static void add_all_heights(GrMapSums *s, const GrMapPlace *p, const double *z, bool *whole)
{
    const int64_t columns = p->window.ni, first = p->i0 - p->window.i0, count = p->i1 - p->i0;
    s->shift = find_shift(p, z + (p->j0 - p->window.j0) * columns + first);
    for (int64_t j = 0; j < p->window.nj; j++) {
        const double *row = z + j * columns;
        const bool in_block = p->window.j0 + j >= p->j0 && p->window.j0 + j < p->j1;
        const bool inner = in_block ? add_heights(s, row + first, count) : is_whole(row + first, count);
        whole[j] = inner && is_whole(row, first) && is_whole(row + first + count, columns - first - count);
    }
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
    const int64_t columns = p->window.ni, first = p->i0 - p->window.i0;
    GrMapSums s = {.z_min = INFINITY, .z_max = -INFINITY};
    bool whole[GR_MAP_BLOCK + 2];
    add_all_heights(&s, p, z, whole);
    for (int64_t j = 0; j < p->window.nj && s.count > 0; j++) {
        const double *row = z + j * columns;
        const int64_t at = p->window.j0 + j;
        if (at >= p->j0 && at < p->j1) {
            gr_slopes_add(&counts->slopes, frame, row + first, columns, p->i0, at, p->i1 - p->i0, &s.slope_sum,
                          &s.steepest);
        }
        add_deviations(&s, &p->window, z, whole, j, lag_count);
        gr_changes_add(&counts->changes, row, row + 1, columns - 1);
        if (j + 1 < p->window.nj) {
            gr_changes_add(&counts->changes, row, row + columns, columns);
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

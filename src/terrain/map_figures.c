#include "map_figures.h"

#include "elementary.h"

#include <math.h>

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

static double count_of(const uint32_t *bins, int count)
{
    int64_t total = 0;
    for (int k = 0; k < count; k++) {
        total += bins[k];
    }
    return (double)total;
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

static void set_heights(const GrMapSums *s, GrStatistics *out)
{
    const double mean = s->count > 0 ? s->sum / s->count : (double)NAN;
    out->cells = s->cells;
    out->voids = s->voids;
    out->z_min = s->count > 0 ? s->z_min : (double)NAN;
    out->z_max = s->count > 0 ? s->z_max : (double)NAN;
    out->z_mean = s->shift + mean;
    out->z_deviation = s->count > 0 ? sqrt(fmax(0, s->square / s->count - mean * mean)) : (double)NAN;
}

static void set_slopes(const GrMapSums *s, const uint32_t *bins, GrStatistics *out)
{
    static const double A_DEGREE = GR_SLOPE_BINS_PER_DEGREE;
    out->slope_cells = count_of(bins, GR_SLOPE_BINS);
    out->slope_median = percentile(bins, GR_SLOPE_BINS, out->slope_cells, 0.5) / A_DEGREE;
    out->slope_p95 = percentile(bins, GR_SLOPE_BINS, out->slope_cells, 0.95) / A_DEGREE;
    out->slope_max = gr_slope_of(s->steepest);
    out->slope_mean = out->slope_cells > 0 ? s->slope_sum / A_DEGREE / out->slope_cells : (double)NAN;
    for (int k = 0; k < GR_SLOPE_BINS; k++) {
        const int row = k / (5 * GR_SLOPE_BINS_PER_DEGREE);
        out->slope_histogram[row < GR_SLOPE_ROWS ? row : GR_SLOPE_ROWS - 1] += (double)bins[k];
    }
    for (int k = 0; k < GR_SLOPE_ROWS; k++) {
        out->slope_histogram[k] /= fmax(1, out->slope_cells);
    }
}

void gr_figures_begin(const GrGridFrame *frame, GrStatistics *out)
{
    *out = (GrStatistics){0};
    const int64_t least = frame->nx < frame->ny ? frame->nx : frame->ny;
    for (int n = 0; n < GR_LAG_COUNT && (n == 0 || (int64_t)10 << n <= least); n++) {
        out->lags[out->lag_count++] = (double)(1 << n) * 0.5 * (frame->dx + frame->dy);
    }
}

void gr_figures_finish(const GrGridFrame *frame, const GrMapSums *total, const GrMapCounts *counts, GrStatistics *out)
{
    set_heights(total, out);
    set_slopes(total, counts->slopes.counts, out);
    for (int k = 0; k < out->lag_count; k++) {
        out->deviations[k] = total->pairs[k] > 0 ? sqrt(total->squares[k] / total->pairs[k]) : (double)NAN;
    }
    out->hurst = fit_hurst(out);
    const uint32_t *changes = counts->changes.counts;
    out->cell_change_p95 = gr_change_at(percentile(changes, GR_CHANGE_BINS, count_of(changes, GR_CHANGE_BINS), 0.95));
    out->share = out->cells / ((double)frame->nx * (double)frame->ny);
}

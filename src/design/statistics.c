#include "statistics.h"

#include "alloc.h"
#include "distribution.h"
#include "elementary.h"
#include "hash.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int gr_keep_finite(double *values, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void gr_sort(double *values, int count)
{
    if (count > 1) {
        qsort(values, (size_t)count, sizeof *values, compare);
    }
}

double gr_mean(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return count > 0 ? sum / count : (double)NAN;
}

double gr_standard_deviation(const double *values, int count)
{
    const double mean = gr_mean(values, count);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return count > 1 ? sqrt(sum / (count - 1)) : (double)NAN;
}

double gr_quantile_sorted(const double *sorted, int count, double probability)
{
    if (count < 1) {
        return NAN;
    }
    const double place = fmin(fmax(probability, 0), 1) * (count - 1);
    const int low = (int)place;
    const double share = place - low;
    return share > 0 ? sorted[low] + share * (sorted[low + 1] - sorted[low]) : sorted[low];
}

/// Where the mean over the samples of normal distributions around them reaches a probability.
static double quantile_with_error(const double *sorted, int count, double probability, double error)
{
    double low = sorted[0] - 10 * error, high = sorted[count - 1] + 10 * error;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        double sum = 0;
        for (int k = 0; k < count; k++) {
            sum += gr_normal_probability((middle - sorted[k]) / error);
        }
        *(sum < probability * count ? &low : &high) = middle;
    }
    return high;
}

enum { QUANTILE_FEW = 1024 };

double gr_quantile_of(const double *samples, int count, double probability, double error)
{
    double few[QUANTILE_FEW] = {0}; // the usual number of samples needs no allocation, which may fail
    double *many = count > QUANTILE_FEW ? gr_malloc(sizeof *many * (size_t)count) : NULL;
    double *sorted = count > QUANTILE_FEW ? many : few;
    if (count <= 0 || sorted == NULL) {
        return (double)NAN;
    }
    int known = 0;
    for (int i = 0; i < count; i++) {
        sorted[i] = isnan(samples[i]) ? (double)INFINITY : samples[i];
        known += !isnan(samples[i]);
    }
    gr_sort(sorted, count);
    double value = (double)NAN;
    if (ceil(probability * (count - 1)) < known) {
        value = error > 0 ? quantile_with_error(sorted, known, fmin(probability * count / known, 1), error)
                          : gr_quantile_sorted(sorted, count, probability);
    }
    gr_free(many);
    return value;
}

GrBand gr_band_of(const double *samples, int count, double error)
{
    return (GrBand){gr_quantile_of(samples, count, 0.05, error), gr_quantile_of(samples, count, 0.95, error)};
}

/// Wilson's score interval; z: normal quantile of its upper end.
static GrEstimate wilson(int successes, int count, double z)
{
    if (count < 1) {
        return (GrEstimate){NAN, 0, 1};
    }
    const double n = count, p = successes / n;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    // Exactly 0 and 1 at the ends, where rounding leaves 1e-17.
    return (GrEstimate){p, successes == 0 ? 0 : centre - half, successes == count ? 1 : centre + half};
}

GrEstimate gr_proportion(int successes, int count)
{
    return wilson(successes, count, 1.959963984540054); // normal quantile of 0.975
}

GrEstimate gr_proportion_banded(int successes, int count)
{
    return wilson(successes, count, 1.6448536269514722); // of 0.95
}

GrBootstrap gr_default_bootstrap(void)
{
    return (GrBootstrap){.resamples = 1000, .seed = 1};
}

/// Draws `count` of the sorted values with replacement into `sample`, sorted: counts how often each one is drawn.
static void resample(const double *sorted, int count, uint64_t hash, int *drawn, double *sample)
{
    memset(drawn, 0, (size_t)count * sizeof *drawn);
    for (int i = 0; i < count; i++) {
        drawn[(int)(gr_hash_unit(gr_hash_join(hash, (uint64_t)i)) * count)]++;
    }
    for (int i = 0, at = 0; i < count; i++) {
        for (int k = 0; k < drawn[i]; k++) {
            sample[at++] = sorted[i];
        }
    }
}

GrStatus gr_bootstrap_interval(const double *values, int count, GrStatistic statistic, const void *context,
                               GrBootstrap bootstrap, GrEstimate *out)
{
    *out = (GrEstimate){NAN, NAN, NAN};
    if (count < 1 || bootstrap.resamples < 1) {
        return GR_OK;
    }
    double *sorted = gr_calloc(2 * (size_t)count + (size_t)bootstrap.resamples, sizeof *sorted);
    int *drawn = gr_calloc((size_t)count, sizeof *drawn);
    const bool has_room = sorted != NULL && drawn != NULL;
    if (has_room) {
        double *sample = sorted + count, *found = sample + count;
        memcpy(sorted, values, (size_t)count * sizeof *sorted);
        gr_sort(sorted, count);
        out->value = statistic(context, sorted, count);
        for (int b = 0; b < bootstrap.resamples; b++) {
            resample(sorted, count, gr_hash_join(gr_hash_join(3, bootstrap.seed), (uint64_t)b), drawn, sample);
            found[b] = statistic(context, sample, count);
        }
        const int kept = gr_keep_finite(found, bootstrap.resamples);
        gr_sort(found, kept);
        out->low = gr_quantile_sorted(found, kept, 0.025);
        out->high = gr_quantile_sorted(found, kept, 0.975);
    }
    gr_free(sorted);
    gr_free(drawn);
    return has_room ? GR_OK : GR_ERROR_MEMORY;
}

/// Freedman and Diaconis's width, or Sturges's count of bins where half of the values are equal.
static int bins_of(const double *sorted, int count)
{
    enum { MOST_BINS = 200 };
    const double range = sorted[count - 1] - sorted[0];
    if (!(range > 0)) {
        return 1;
    }
    const double iqr = gr_quantile_sorted(sorted, count, 0.75) - gr_quantile_sorted(sorted, count, 0.25);
    const double bins = iqr > 0 ? ceil(range * gr_cbrt(count) / (2 * iqr)) : ceil(gr_log2(count)) + 1;
    return (int)fmin(fmax(bins, 1), MOST_BINS);
}

GrStatus gr_histogram(const double *values, int count, GrHistogram *out, GrErrorLog *log)
{
    *out = (GrHistogram){0};
    if (count < 1) {
        return GR_OK;
    }
    double *sorted = gr_calloc((size_t)count, sizeof *sorted);
    if (sorted == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    gr_sort(sorted, count);
    out->bin_count = bins_of(sorted, count);
    out->lower = sorted[0];
    out->width = (sorted[count - 1] - sorted[0]) / out->bin_count;
    out->counts = gr_calloc((size_t)out->bin_count, sizeof *out->counts);
    for (int i = 0; i < count && out->counts != NULL; i++) {
        const int bin = out->width > 0 ? (int)((values[i] - out->lower) / out->width) : 0;
        out->counts[bin < out->bin_count ? bin : out->bin_count - 1]++;
    }
    gr_free(sorted);
    return out->counts != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_histogram_free(GrHistogram *histogram)
{
    gr_free(histogram->counts);
    *histogram = (GrHistogram){0};
}

/// A value with the place that it came from.
typedef struct Ranked {
    double value, rank;
    int index;
} Ranked;

static int compare_values(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static int compare_indices(const void *a, const void *b)
{
    return ((const Ranked *)a)->index - ((const Ranked *)b)->index;
}

/// Ranks in the order of the values; equal values share the mean of their ranks.
static void rank(const double *values, int count, Ranked *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = (Ranked){.value = values[i], .index = i};
    }
    qsort(out, (size_t)count, sizeof *out, compare_values);
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && out[end].value == out[i].value; end++) {
        }
        for (int j = i; j < end; j++) {
            out[j].rank = 0.5 * (i + end - 1);
        }
    }
    qsort(out, (size_t)count, sizeof *out, compare_indices);
}

double gr_rank_correlation(const double *x, const double *y, int count)
{
    if (count < 2) {
        return NAN;
    }
    Ranked *ranks = gr_calloc(2 * (size_t)count, sizeof *ranks);
    if (ranks == NULL) {
        return NAN;
    }
    rank(x, count, ranks);
    rank(y, count, ranks + count);
    const double mean = 0.5 * (count - 1);
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double a = ranks[i].rank - mean, b = ranks[count + i].rank - mean;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    gr_free(ranks);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

// ---- rainflow

/// Keeps the first value, the last one and every reversal between them; returns how many.
static int find_reversals(const double *values, int count, double *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double value = values[i];
        if (!isfinite(value) || (n > 0 && value == out[n - 1])) {
            continue;
        }
        if (n > 1 && (value > out[n - 1]) == (out[n - 1] > out[n - 2])) {
            n--; // it goes on in the same direction
        }
        out[n++] = value;
    }
    return n;
}

static GrCycle cycle_between(double a, double b, double count)
{
    return (GrCycle){fabs(a - b), (a + b) / 2, count};
}

int gr_rainflow(const double *values, int count, double *work, GrCycle *out)
{
    const int reversals = find_reversals(values, count, work);
    int cycles = 0, top = 0; // work[0 .. top) are the reversals that are not discarded; the first is the start S
    for (int i = 0; i < reversals; i++) {
        work[top++] = work[i];
        while (top >= 3) {
            const double x = fabs(work[top - 1] - work[top - 2]), y = fabs(work[top - 2] - work[top - 3]);
            if (x < y) {
                break;
            }
            if (top == 3) { // Y contains the start: a half-cycle, and its end is the new start
                out[cycles++] = cycle_between(work[0], work[1], 0.5);
                work[0] = work[1];
                work[1] = work[2];
                top = 2;
            } else {
                out[cycles++] = cycle_between(work[top - 3], work[top - 2], 1);
                work[top - 3] = work[top - 1];
                top -= 2;
            }
        }
    }
    for (int i = 0; i + 1 < top; i++) {
        out[cycles++] = cycle_between(work[i], work[i + 1], 0.5);
    }
    return cycles;
}

double gr_equivalent_range(const GrCycle *cycles, int count, double exponent, double equivalent_cycles)
{
    double largest = 0, damage = 0; // relative to the largest range, so that no power overflows
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, cycles[i].range);
    }
    for (int i = 0; i < count && largest > 0; i++) {
        damage += cycles[i].count * gr_pow(cycles[i].range / largest, exponent);
    }
    return largest > 0 ? largest * gr_pow(damage / equivalent_cycles, 1 / exponent) : 0;
}

/// Sobol' indices: the plan of Saltelli, its estimators, and their confidence by the bootstrap.
#include "elementary.h"
#include "indices.h"

#include "alloc.h"
#include "check.h"
#include "hash.h"
#include "out_of_memory.h"
#include "sobol_points.h"
#include "statistics.h"

#include <math.h>

uint64_t gr_saltelli_count(int variable_count, uint64_t base_count)
{
    return base_count * ((uint64_t)variable_count + 2);
}

void gr_saltelli_point(uint64_t row, int variable_count, uint64_t seed, double *out)
{
    GR_CHECK(2 * variable_count <= GR_SOBOL_DIMENSIONS);
    double both[GR_SOBOL_DIMENSIONS];
    const uint64_t blocks = (uint64_t)variable_count + 2;
    const int block = (int)(row % blocks); // 0: a; 1: b; 2 + i: a with coordinate i of b
    gr_sobol_point(row / blocks, 2 * variable_count, seed, both);
    for (int i = 0; i < variable_count; i++) {
        out[i] = both[block == 1 || block == 2 + i ? variable_count + i : i];
    }
}

/// The complete base samples, and room for what is computed from them.
typedef struct Samples {
    int k; ///< variables
    uint64_t count;
    const double **rows; ///< [count] f(a), f(b), f(ab_1) …
    double mean;
    double *sums;      ///< [2 k] of the current estimate
    double *resampled; ///< [2 k][resamples]
} Samples;

/// Sums over base samples: b (ab_i − a) for the first order (Saltelli et al. 2010, eq. b), (a − ab_i)² / 2 for the
/// total (Jansen 1999). Values are taken from the mean, which lowers the variance of the first. Divides by the
/// variance.
static double estimate(Samples *s, uint64_t hash, bool is_resampled)
{
    double sum = 0, square = 0;
    for (int i = 0; i < 2 * s->k; i++) {
        s->sums[i] = 0;
    }
    for (uint64_t j = 0; j < s->count; j++) {
        const uint64_t at = is_resampled ? (uint64_t)(gr_hash_unit(gr_hash_join(hash, j)) * (double)s->count) : j;
        const double *row = s->rows[at];
        const double a = row[0] - s->mean, b = row[1] - s->mean;
        sum += a + b;
        square += a * a + b * b;
        for (int i = 0; i < s->k; i++) {
            const double change = row[2 + i] - row[0];
            s->sums[i] += b * change;
            s->sums[s->k + i] += 0.5 * change * change;
        }
    }
    const double n = (double)s->count;
    const double variance = square / (2 * n) - gr_pow(sum / (2 * n), 2);
    for (int i = 0; i < 2 * s->k; i++) {
        s->sums[i] = variance > 0 ? s->sums[i] / n / variance : (double)NAN;
    }
    return variance;
}

static GrEstimate interval(double value, double *resampled, int resamples)
{
    const int kept = gr_keep_finite(resampled, resamples);
    gr_sort(resampled, kept);
    return (GrEstimate){value, gr_quantile_sorted(resampled, kept, 0.025), gr_quantile_sorted(resampled, kept, 0.975)};
}

/// Keeps the base samples without missing values, and their mean.
static void collect(const double *values, uint64_t base_count, Samples *s)
{
    const uint64_t blocks = (uint64_t)s->k + 2;
    for (uint64_t j = 0; j < base_count; j++) {
        const double *row = values + j * blocks;
        bool is_complete = true;
        for (uint64_t i = 0; i < blocks; i++) {
            is_complete = is_complete && isfinite(row[i]);
        }
        if (is_complete) {
            s->rows[s->count++] = row;
        }
    }
    for (uint64_t j = 0; j < s->count; j++) {
        s->mean += (s->rows[j][0] + s->rows[j][1]) / (2 * (double)s->count);
    }
}

static void fill(Samples *s, GrBootstrap bootstrap, GrSobolIndex *out, GrSampleUse *use)
{
    use->mean = s->mean;
    use->variance = estimate(s, 0, false);
    for (int i = 0; i < s->k; i++) {
        out[i].first.value = s->sums[i];
        out[i].total.value = s->sums[s->k + i];
    }
    for (int r = 0; r < bootstrap.resamples; r++) {
        estimate(s, gr_hash_join(gr_hash_join(4, bootstrap.seed), (uint64_t)r), true);
        for (int i = 0; i < 2 * s->k; i++) {
            s->resampled[i * bootstrap.resamples + r] = s->sums[i];
        }
    }
    for (int i = 0; i < s->k; i++) {
        double *first = s->resampled + i * bootstrap.resamples;
        double *total = s->resampled + (s->k + i) * bootstrap.resamples;
        out[i].first = interval(out[i].first.value, first, bootstrap.resamples);
        out[i].total = interval(out[i].total.value, total, bootstrap.resamples);
    }
}

GrStatus gr_sobol_indices(const double *values, int variable_count, uint64_t base_count, GrBootstrap bootstrap,
                          GrSobolIndex *out, GrSampleUse *use, GrErrorLog *log)
{
    const size_t k = (size_t)variable_count;
    Samples s = {.k = variable_count};
    s.rows = gr_calloc((size_t)base_count, sizeof *s.rows);
    s.sums = gr_calloc(2 * k, sizeof *s.sums);
    s.resampled = gr_calloc(2 * k * (size_t)bootstrap.resamples + 1, sizeof *s.resampled);
    GrStatus status = GR_OK;
    *use = (GrSampleUse){0};
    if ((s.rows == NULL && base_count > 0) || s.sums == NULL || s.resampled == NULL) {
        status = gr_out_of_memory(log, NULL);
    } else {
        collect(values, base_count, &s);
        use->used = s.count;
        use->dropped = base_count - s.count;
        if (s.count < 2) {
            status = gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                                  "only %d of %d base samples have values at all their points; two are needed",
                                  (int)s.count, (int)base_count);
        } else {
            fill(&s, bootstrap, out, use);
        }
    }
    gr_free(s.rows);
    gr_free(s.sums);
    gr_free(s.resampled);
    return status;
}

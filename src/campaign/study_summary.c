#include "study_summary.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_study_column(const GrStudyTable *table, int column, double *out)
{
    const int columns = table->variable_count + table->measure_count;
    for (int i = 0; i < table->row_count; i++) {
        out[i] = table->values[(size_t)i * (size_t)columns + (size_t)column];
    }
}

static int by_count(const void *a, const void *b)
{
    const GrOutcomeCount *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

static void count_outcomes(const GrStudyTable *table, GrStudySummary *out)
{
    for (int i = 0; i < table->row_count; i++) {
        int k = 0;
        while (k < out->outcome_count && strcmp(out->outcomes[k].name, table->outcomes[i]) != 0) {
            k++;
        }
        if (k == out->outcome_count && k < GR_STUDY_OUTCOMES) {
            out->outcomes[out->outcome_count++] = (GrOutcomeCount){table->outcomes[i], 0};
        }
        if (k < GR_STUDY_OUTCOMES) {
            out->outcomes[k].count++;
        }
    }
    qsort(out->outcomes, (size_t)out->outcome_count, sizeof out->outcomes[0], by_count);
}

/// Pairs of which both are finite.
static double correlate(const double *x, const double *y, int count, double *room)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            room[n] = x[i];
            room[count + n] = y[i];
            n++;
        }
    }
    return n > 2 ? gr_rank_correlation(room, room + count, n) : (double)NAN;
}

static void summarise_measure(const GrStudyTable *table, int measure, double *room, GrMeasureSummary *out)
{
    const size_t rows = (size_t)table->row_count;
    double *values = room, *variable = room + rows, *pairs = room + 2 * rows;
    gr_study_column(table, table->variable_count + measure, values);
    for (int k = 0; k < table->variable_count; k++) {
        gr_study_column(table, k, variable);
        out->correlations[k] =
            table->columns[k].is_seed ? (double)NAN : correlate(variable, values, table->row_count, pairs);
    }
    const int n = gr_keep_finite(values, table->row_count);
    gr_sort(values, n);
    out->count = n;
    out->mean = gr_mean(values, n);
    out->deviation = gr_standard_deviation(values, n);
    const double error = n > 1 ? 1.959963984540054 * out->deviation / sqrt(n) : (double)NAN;
    out->mean_interval = (GrEstimate){out->mean, out->mean - error, out->mean + error};
    int ones = 0, zeros = 0;
    for (int i = 0; i < n; i++) {
        ones += values[i] == 1;
        zeros += values[i] == 0;
    }
    out->is_share = ones > 0 && zeros > 0 && ones + zeros == n;
    out->mean_interval = out->is_share ? gr_proportion(ones, n) : out->mean_interval;
    out->least = n > 0 ? values[0] : (double)NAN;
    out->most = n > 0 ? values[n - 1] : (double)NAN;
    out->low = n > 0 ? gr_quantile_sorted(values, n, 0.05) : (double)NAN;
    out->median = n > 0 ? gr_quantile_sorted(values, n, 0.5) : (double)NAN;
    out->high = n > 0 ? gr_quantile_sorted(values, n, 0.95) : (double)NAN;
}

GrStatus gr_study_summarise(const GrStudyTable *table, GrStudySummary *out, GrErrorLog *log)
{
    *out = (GrStudySummary){0};
    count_outcomes(table, out);
    double *room = gr_calloc(4 * (size_t)table->row_count + 1, sizeof *room);
    out->measures = gr_calloc((size_t)table->measure_count + 1, sizeof *out->measures);
    bool ok = room != NULL && out->measures != NULL;
    for (int i = 0; i < table->measure_count && ok; i++) {
        out->measure_count++;
        out->measures[i].correlations = gr_calloc((size_t)table->variable_count + 1, sizeof(double));
        ok = out->measures[i].correlations != NULL;
        if (ok) {
            summarise_measure(table, i, room, &out->measures[i]);
        }
    }
    gr_free(room);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_study_summary_free(GrStudySummary *summary)
{
    for (int i = 0; i < summary->measure_count; i++) {
        gr_free(summary->measures[i].correlations);
    }
    gr_free(summary->measures);
    *summary = (GrStudySummary){0};
}

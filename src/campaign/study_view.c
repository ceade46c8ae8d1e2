#include "study_view.h"

#include "alloc.h"
#include "hash.h"
#include "key_hash.h"
#include "out_of_memory.h"
#include "soil_spread.h"
#include "subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the summary

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
    const bool either = table->columns[table->variable_count + measure].is_share || (ones > 0 && zeros > 0);
    out->is_share = n > 0 && either && ones + zeros == n;
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

// ---- bands

const char gr_soil_sample_variable[] = "soil_sample";

const char *gr_case_sample(const char *override)
{
    const size_t length = strlen(gr_soil_sample_variable);
    const bool is = strncmp(override, gr_soil_sample_variable, length) == 0 && override[length] == '=';
    return is ? override + length + 1 : NULL;
}

/// A run, ordered by its design.
typedef struct Run {
    uint64_t design; ///< hash of all variables but the sample
    int row;
    bool nominal;
} Run;

static int by_design(const void *a, const void *b)
{
    const Run *x = a, *y = b;
    return x->design != y->design ? (x->design > y->design) - (x->design < y->design) : x->row - y->row;
}

static int by_row(const void *a, const void *b)
{
    return ((const GrStudyDesign *)a)->row - ((const GrStudyDesign *)b)->row;
}

static bool is_nominal(const GrStudyTable *t, int row, int variable)
{
    const char *text = t->texts[(size_t)row * (size_t)t->variable_count + (size_t)variable];
    return text != NULL && strcmp(text, "none") == 0;
}

static Run describe(const GrStudyTable *t, int row, int variable)
{
    const char *const *texts = (const char *const *)t->texts + (size_t)row * (size_t)t->variable_count;
    const double *values = t->values + (size_t)row * ((size_t)t->variable_count + (size_t)t->measure_count);
    Run run = {GR_HASH_SEED, row, is_nominal(t, row, variable)};
    for (int k = 0; k < t->variable_count; k++) {
        if (k != variable) {
            run.design = texts[k] != NULL ? gr_hash_text(run.design, texts[k])
                                          : gr_hash_bytes(run.design, &values[k], sizeof values[k]);
        }
    }
    return run;
}

/// The design of runs that have all but the sample in common.
static void summarise(const GrStudyTable *t, const Run *runs, int count, double *room, GrStudyDesign *out)
{
    const size_t columns = (size_t)t->variable_count + (size_t)t->measure_count;
    out->row = runs[0].row;
    for (int i = 0; i < count; i++) {
        if (runs[i].nominal) {
            out->row = runs[i].row;
            out->has_nominal = true;
        } else {
            out->samples++;
            out->succeeded += t->succeeded[runs[i].row];
            const char *word = t->predictions[runs[i].row];
            out->prediction = out->prediction == gr_band_word(1) || word == NULL ? out->prediction : word;
        }
    }
    out->share = gr_proportion_banded(out->succeeded, out->samples);
    for (int m = 0; m < t->measure_count; m++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (!runs[i].nominal) {
                room[n++] = t->values[(size_t)runs[i].row * columns + (size_t)(t->variable_count + m)];
            }
        }
        out->bands[m] = gr_band_of(room, n, 0);
    }
}

GrStatus gr_study_bands(const GrStudyTable *table, GrStudyBands *out, GrErrorLog *log)
{
    const size_t rows = (size_t)table->row_count, measures = (size_t)table->measure_count;
    *out = (GrStudyBands){.variable = -1};
    for (int k = 0; k < table->variable_count; k++) {
        for (int i = 0; i < table->row_count && strcmp(table->columns[k].name, gr_soil_sample_variable) == 0; i++) {
            out->variable = is_nominal(table, i, k) ? k : out->variable; // otherwise samples are places of a mission
        }
    }
    if (out->variable < 0) {
        return GR_OK;
    }
    Run *runs = gr_calloc(rows + 1, sizeof *runs);
    double *room = gr_calloc(rows + 1, sizeof *room);
    out->designs = gr_calloc(rows + 1, sizeof *out->designs);
    out->bands = gr_calloc(rows * measures + 1, sizeof *out->bands);
    const bool ok = runs != NULL && room != NULL && out->designs != NULL && out->bands != NULL;
    for (int i = 0; ok && i < table->row_count; i++) {
        runs[i] = describe(table, i, out->variable);
    }
    if (ok) {
        qsort(runs, rows, sizeof *runs, by_design);
    }
    for (int i = 0, end; ok && i < table->row_count; i = end) {
        for (end = i + 1; end < table->row_count && runs[end].design == runs[i].design;) {
            end++;
        }
        GrStudyDesign *design = &out->designs[out->design_count];
        design->bands = out->bands + (size_t)out->design_count++ * measures;
        summarise(table, runs + i, end - i, room, design);
    }
    if (ok) {
        qsort(out->designs, (size_t)out->design_count, sizeof *out->designs, by_row);
    }
    gr_free(runs);
    gr_free(room);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_study_bands_free(GrStudyBands *bands)
{
    gr_free(bands->designs);
    gr_free(bands->bands);
    *bands = (GrStudyBands){0};
}

double gr_study_design_value(const GrStudyTable *table, const GrStudyDesign *design, int measure)
{
    const size_t columns = (size_t)table->variable_count + (size_t)table->measure_count;
    return design->has_nominal
               ? table->values[(size_t)design->row * columns + (size_t)(table->variable_count + measure)]
               : (double)NAN;
}

// ---- the view

struct GrStudyPair {
    const char *name; ///< NULL: a number
    double x, y;
};

double gr_study_value(const GrStudyTable *t, int row, int column)
{
    return t->values[(size_t)row * (size_t)(t->variable_count + t->measure_count) + (size_t)column];
}

static const char *text_of(const GrStudyTable *t, int row, int variable)
{
    return t->texts[(size_t)row * (size_t)t->variable_count + (size_t)variable];
}

/// Whether a variable has names.
static bool study_is_named(const GrStudyTable *t, int variable)
{
    for (int i = 0; i < t->row_count; i++) {
        if (text_of(t, i, variable) != NULL) {
            return true;
        }
    }
    return false;
}

const char *gr_study_name(const GrStudyTable *t, int row, int variable)
{
    const char *text = text_of(t, row, variable);
    return text != NULL ? text : "(a number)";
}

static uint64_t row_hash(const GrStudyTable *t, int row)
{
    return gr_hash_join(1, (uint64_t)t->ids[row]);
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Marks the runs with the smallest hashes.
static bool choose(GrStudyView *view, int points)
{
    const GrStudyTable *t = view->table;
    uint64_t *hashes = gr_calloc((size_t)t->row_count + 1, sizeof *hashes);
    if (hashes == NULL) {
        return false;
    }
    for (int i = 0; i < t->row_count; i++) {
        hashes[i] = row_hash(t, i);
    }
    qsort(hashes, (size_t)t->row_count, sizeof *hashes, by_hash);
    view->shown_count = t->row_count < points ? t->row_count : points;
    for (int i = 0; i < t->row_count && view->shown_count > 0; i++) {
        view->shown[i] = row_hash(t, i) <= hashes[view->shown_count - 1];
    }
    gr_free(hashes);
    return true;
}

GrStatus gr_study_view_begin(GrStudyView *view, const GrStudyTable *table, const GrStudySummary *summary, int points,
                             GrErrorLog *log)
{
    const size_t rows = (size_t)table->row_count + 1;
    *view = (GrStudyView){.table = table, .summary = summary};
    view->shown = gr_calloc(rows, sizeof *view->shown);
    view->pairs = gr_calloc(rows, sizeof *view->pairs);
    view->room = gr_calloc(rows, sizeof *view->room);
    const bool ok = view->shown != NULL && view->pairs != NULL && view->room != NULL && choose(view, points);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_study_view_end(GrStudyView *view)
{
    gr_free(view->shown);
    gr_free(view->pairs);
    gr_free(view->room);
    *view = (GrStudyView){0};
}

static int compare_keys(const GrStudyPair *a, const GrStudyPair *b)
{
    return a->name != NULL && b->name != NULL ? strcmp(a->name, b->name) : (a->x > b->x) - (a->x < b->x);
}

static int by_key(const void *a, const void *b)
{
    const GrStudyPair *x = a, *y = b;
    const int order = compare_keys(x, y);
    return order != 0 ? order : (x->y > y->y) - (x->y < y->y);
}

/// Runs with a value of both; sorted by the variable.
static int collect(GrStudyView *view, int measure, int variable)
{
    const GrStudyTable *t = view->table;
    const bool named = study_is_named(t, variable);
    int n = 0;
    for (int i = 0; i < t->row_count; i++) {
        const double x = named ? 0 : gr_study_value(t, i, variable),
                     y = gr_study_value(t, i, t->variable_count + measure);
        if (isfinite(x) && isfinite(y)) {
            view->pairs[n++] = (GrStudyPair){named ? gr_study_name(t, i, variable) : NULL, x, y};
        }
    }
    qsort(view->pairs, (size_t)n, sizeof *view->pairs, by_key);
    return n;
}

static GrStudyBin make_bin(const GrStudyPair *pairs, int count, bool is_share, double *room)
{
    GrStudyBin bin = {.name = pairs[0].name, .count = count};
    for (int i = 0; i < count; i++) {
        bin.x += pairs[i].x / count;
        room[i] = pairs[i].y;
    }
    gr_sort(room, count);
    bin.mean = gr_mean(room, count);
    bin.low = gr_quantile_sorted(room, count, 0.05);
    bin.middle = gr_quantile_sorted(room, count, 0.5);
    bin.high = gr_quantile_sorted(room, count, 0.95);
    if (is_share) {
        const GrEstimate share = gr_proportion((int)lround(bin.mean * count), count);
        bin.low = share.low;
        bin.middle = share.value;
        bin.high = share.high;
    }
    for (int i = 0; i < count; i++) {
        bin.squares += (room[i] - bin.mean) * (room[i] - bin.mean);
    }
    return bin;
}

/// 1 − (variance within bins) / (variance), each by its degrees of freedom, so that independent values give about 0.
static double share_between(const GrStudyBins *bins)
{
    double mean = 0, within = 0, all = 0;
    for (int i = 0; i < bins->count; i++) {
        mean += bins->items[i].mean * bins->items[i].count / bins->runs;
        within += bins->items[i].squares;
    }
    for (int i = 0; i < bins->count; i++) {
        const double d = bins->items[i].mean - mean;
        all += bins->items[i].squares + bins->items[i].count * d * d;
    }
    if (bins->count < 2 || bins->runs <= bins->count || !(all > 0)) {
        return NAN;
    }
    return fmax(0, 1 - within / (bins->runs - bins->count) / (all / (bins->runs - 1)));
}

/// Whether numbers have only a few values, as those of a grid: each gets a bin of its own.
static bool has_few(const GrStudyPair *pairs, int n)
{
    int values = n > 0;
    for (int i = 1; i < n && values <= GR_STUDY_BINS / 2; i++) {
        values += pairs[i].x != pairs[i - 1].x;
    }
    return values <= GR_STUDY_BINS / 2;
}

void gr_study_bin(GrStudyView *view, int measure, int variable, GrStudyBins *out)
{
    *out = (GrStudyBins){.all = true, .share = NAN};
    const int n = collect(view, measure, variable);
    const bool named = n > 0 && view->pairs[0].name != NULL, is_share = view->summary->measures[measure].is_share;
    const double wanted = fmin(fmax(sqrt(n) / 2, 3), GR_STUDY_BINS);
    const int size = named || has_few(view->pairs, n) ? 1 : (int)ceil(n / wanted);
    for (int start = 0, end; start < n; start = end) {
        end = start + size < n ? start + size : n;
        while (end < n && compare_keys(&view->pairs[end - 1], &view->pairs[end]) == 0) {
            end++;
        }
        if (out->count == GR_STUDY_BINS) {
            out->all = false;
            break;
        }
        out->items[out->count++] = make_bin(view->pairs + start, end - start, is_share, view->room);
        out->runs += end - start;
    }
    out->share = share_between(out);
}

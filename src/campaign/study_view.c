#include "study_view.h"

#include "alloc.h"
#include "hash.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool gr_study_is_named(const GrStudyTable *t, int variable)
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
    const bool named = gr_study_is_named(t, variable);
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

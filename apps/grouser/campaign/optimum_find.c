#include "optimum_find.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "pareto.h"

#include <math.h>
#include <string.h>

enum { CURVE_POINTS = 11 };

/// What the optimiser's evaluations need.
typedef struct Search {
    GrOptimumSource source;
    const GrSearch *search;
    GrEvaluations evaluations; ///< of the present batch
} Search;

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const Search *s = context;
    const GrEvaluations *e = &s->evaluations;
    gr_search_row(s->search, e->points + index * (uint64_t)s->search->dimension, e->replicates[index], out);
}

static GrStatus evaluate(void *context, const GrEvaluations *batch, double *values, GrErrorLog *log)
{
    Search *s = context;
    GrResult *results = gr_calloc((size_t)batch->count, sizeof *results);
    if (results == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s->evaluations = *batch;
    const GrBatch rows = {.count = (uint64_t)batch->count, .context = s, .row = make_row, .results = results};
    const GrStatus status = s->source.run(s->source.context, &rows, log);
    const int width = s->search->objective_count + s->search->constraint_count;
    for (int i = 0; i < batch->count && status == GR_OK; i++) {
        gr_search_values(s->search, &results[i], values + (size_t)i * (size_t)width);
    }
    gr_free(results);
    return status;
}

/// Results at points that are not part of the search: the best ones, and curves through the best one.
static GrStatus fetch(Search *s, const double *points, int count, GrResult *results, GrErrorLog *log)
{
    int *zeros = gr_calloc((size_t)count + 1, sizeof *zeros);
    if (zeros == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s->evaluations = (GrEvaluations){.count = count, .points = points, .replicates = zeros};
    const GrBatch rows = {.count = (uint64_t)count, .context = s, .row = make_row, .results = results};
    const GrStatus status = s->source.run(s->source.context, &rows, log);
    s->evaluations = (GrEvaluations){0};
    gr_free(zeros);
    return status;
}

/// Points along each coordinate through `best`.
static void lay_curves(const GrSearch *search, const double *best, double *points)
{
    const int n = search->dimension;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < CURVE_POINTS; k++) {
            double *point = points + (size_t)(i * CURVE_POINTS + k) * (size_t)n;
            memcpy(point, best, (size_t)n * sizeof *point);
            const double at = search->lower[i] + (search->upper[i] - search->lower[i]) * k / (CURVE_POINTS - 1);
            point[i] = search->integer[i] ? rint(at) : at;
        }
    }
}

static GrStatus explain(Search *s, GrOptimumReport *report, GrErrorLog *log)
{
    const GrOptimum *optimum = &report->optimum;
    const int n = s->search->dimension, curves = n * CURVE_POINTS;
    double *points = gr_calloc((size_t)curves * (size_t)n + 1, sizeof *points);
    report->best = gr_calloc((size_t)optimum->point_count + 1, sizeof *report->best);
    report->curves = gr_calloc((size_t)curves + 1, sizeof *report->curves);
    report->curve_points = points;
    report->curve_length = CURVE_POINTS;
    if (points == NULL || report->best == NULL || report->curves == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    report->chosen =
        gr_pareto_balanced(optimum->values, optimum->value_count, optimum->point_count, s->search->objective_count);
    lay_curves(s->search, optimum->points + (size_t)report->chosen * (size_t)n, points);
    GrStatus status = fetch(s, optimum->points, optimum->point_count, report->best, log);
    return status == GR_OK ? fetch(s, points, curves, report->curves, log) : status;
}

GrStatus gr_optimum_begin(const GrCampaign *campaign, GrOptimumReport *out, GrErrorLog *log)
{
    *out = (GrOptimumReport){.campaign = campaign};
    const GrStatus status = gr_search_make(campaign, &out->search);
    out->def = gr_search_def(&out->search);
    return status == GR_OK ? gr_optimizer_check(&out->def, log) : status;
}

GrStatus gr_optimum_find(GrOptimumReport *report, GrOptimumSource source, GrErrorLog *log)
{
    Search s = {.source = source, .search = &report->search};
    const GrStatus status = gr_optimize(&report->def, (GrEvaluator){&s, evaluate}, &report->optimum, log);
    return status == GR_OK && report->optimum.point_count > 0 ? explain(&s, report, log) : status;
}

void gr_optimum_end(GrOptimumReport *report)
{
    gr_free(report->best);
    gr_free(report->curves);
    gr_free(report->curve_points);
    gr_optimum_free(&report->optimum);
}

static GrStatus look_up(void *context, const GrBatch *batch, GrErrorLog *log)
{
    (void)log;
    for (uint64_t i = 0; i < batch->count; i++) {
        GrRow row;
        batch->row(batch->context, i, &row);
        if (!gr_study_has(context, row.key, &batch->results[i])) {
            return GR_ERROR_NOT_CONVERGED;
        }
    }
    return GR_OK;
}

GrStatus gr_optimum_look_up(GrOptimumReport *report, GrStudy *study, GrErrorLog *log)
{
    return gr_optimum_find(report, (GrOptimumSource){study, look_up}, log);
}

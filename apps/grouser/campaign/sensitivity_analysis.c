#include "sensitivity_analysis.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>

void gr_analysis_end(GrAnalysis *a)
{
    gr_free(a->points);
    gr_free(a->centre);
    gr_free(a->results);
    gr_free(a->values);
    gr_free(a->lines);
}

static GrGradientDef gradient(const GrAnalysis *a)
{
    return (GrGradientDef){.variable_count = a->dimension, .centre = a->centre, .step = a->step};
}

/// Every variable must be independent and varied.
static GrStatus check(const GrCampaign *c)
{
    if (c->compare_count > 0) {
        return gr_node_error(c->variables[c->variable_count - 1].node, GR_ERROR_FIELD,
                             "a sensitivity analysis has no `compare`: move it to `vary`, or run it once for each");
    }
    if (c->correlation != NULL) {
        return gr_node_error(gr_node_find(c->document->root, "correlate"), GR_ERROR_FIELD,
                             "shares of the variance are defined for independent variables only: remove `correlate`");
    }
    return c->plan == GR_PLAN_TABLE
               ? gr_node_error(c->document->root, GR_ERROR_FIELD, "a table of cases has no ranges to vary over")
               : GR_OK;
}

static GrStatus plan_runs(GrAnalysis *a, const GrCampaign *c, GrErrorLog *log)
{
    *a = (GrAnalysis){.campaign = c, .plan = c->sensitivity, .dimension = c->variable_count};
    const size_t n = (size_t)a->dimension;
    switch (a->plan.method) {
    case GR_SENSITIVITY_SOBOL:
        a->count = gr_saltelli_count(a->dimension, (uint64_t)a->plan.count);
        break;
    case GR_SENSITIVITY_MORRIS:
        a->morris = gr_default_morris_def();
        a->morris.variable_count = a->dimension;
        a->morris.trajectories = a->plan.count;
        a->morris.candidates = a->plan.count <= 100 ? 10 * a->plan.count : 0;
        a->morris.seed = c->seed;
        a->count = (uint64_t)a->plan.count * (n + 1);
        break;
    case GR_SENSITIVITY_LOCAL:
        a->count = 2 * n + 1;
        break;
    }
    a->results = gr_calloc((size_t)a->count, sizeof *a->results);
    a->values = gr_calloc((size_t)a->count, sizeof *a->values);
    a->centre = gr_calloc(2 * n, sizeof *a->centre);
    a->points = a->plan.method != GR_SENSITIVITY_SOBOL ? gr_calloc((size_t)a->count * n, sizeof *a->points) : NULL;
    a->lines = gr_calloc((size_t)c->measures.count * n + 1, sizeof *a->lines);
    if (a->results == NULL || a->values == NULL || a->lines == NULL || a->centre == NULL ||
        (a->points == NULL && a->plan.method != GR_SENSITIVITY_SOBOL)) {
        return gr_out_of_memory(log, NULL);
    }
    a->step = a->centre + n;
    for (size_t i = 0; i < n; i++) {
        a->centre[i] = 0.5;
        a->step[i] = a->plan.step;
    }
    const GrGradientDef local = gradient(a);
    return a->plan.method == GR_SENSITIVITY_MORRIS  ? gr_morris_plan(&a->morris, a->points, log)
           : a->plan.method == GR_SENSITIVITY_LOCAL ? gr_gradient_plan(&local, a->points, log)
                                                    : GR_OK;
}

GrStatus gr_analysis_begin(GrAnalysis *a, const GrCampaign *campaign, GrErrorLog *log)
{
    *a = (GrAnalysis){.campaign = campaign};
    const GrStatus status = check(campaign);
    return status == GR_OK ? plan_runs(a, campaign, log) : status;
}

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const GrAnalysis *a = context;
    double room[GR_CAMPAIGN_VARIABLES];
    const double *u = room;
    if (a->points != NULL) {
        u = a->points + index * (uint64_t)a->dimension;
    } else {
        gr_saltelli_point(index, a->dimension, a->campaign->seed, room);
    }
    gr_row_sample(a->campaign, u, out);
    gr_row_finish(a->campaign, out);
}

GrBatch gr_analysis_batch(GrAnalysis *a)
{
    return (GrBatch){.count = a->count, .context = a, .row = make_row, .results = a->results};
}

bool gr_analysis_look_up(GrAnalysis *a, GrStudy *study)
{
    bool all = true;
    for (uint64_t i = 0; i < a->count && all; i++) {
        GrRow row;
        make_row(a, i, &row);
        all = gr_study_has(study, row.key, &a->results[i]);
    }
    return all;
}

static const char *const SOBOL_HEADS[] = {"first order", "low", "high", "total", "low", "high", NULL};
static const char *const SOBOL_KEYS[] = {"first", "first_low", "first_high", "total", "total_low", "total_high", NULL};
static const char *const MORRIS_HEADS[] = {"mean |effect|", "low", "high", "mean effect", "deviation", NULL};
static const char *const MORRIS_KEYS[] = {"absolute", "absolute_low", "absolute_high", "mean", "deviation", NULL};
static const char *const LOCAL_HEADS[] = {"slope", "curvature", NULL};
static const char *const LOCAL_KEYS[] = {"slope", "curvature", NULL};

const char *const *gr_analysis_heads(GrSensitivityMethod method, bool keys)
{
    switch (method) {
    case GR_SENSITIVITY_SOBOL:
        return keys ? SOBOL_KEYS : SOBOL_HEADS;
    case GR_SENSITIVITY_MORRIS:
        return keys ? MORRIS_KEYS : MORRIS_HEADS;
    case GR_SENSITIVITY_LOCAL:
        break;
    }
    return keys ? LOCAL_KEYS : LOCAL_HEADS;
}

/// Slopes per unit of the variable itself, not of the unit cube. Names have none.
static void scale_gradient(const GrAnalysis *a, int variable, GrSensitivityLine *line)
{
    GrRow low, high;
    make_row((void *)(uintptr_t)a, 1 + 2 * (uint64_t)variable, &low);
    make_row((void *)(uintptr_t)a, 2 + 2 * (uint64_t)variable, &high);
    const double width = high.numbers[variable] - low.numbers[variable], factor = 2 * a->step[variable] / width;
    line->numbers[0] *= width != 0 ? factor : (double)NAN;
    line->numbers[1] *= width != 0 ? factor * factor : (double)NAN;
}

GrStatus gr_analysis_evaluate(GrAnalysis *a, int measure, GrErrorLog *log)
{
    const int n = a->dimension;
    GrSensitivityLine *lines = a->lines + (size_t)measure * (size_t)n;
    GrSampleUse *use = &a->uses[measure];
    GrSobolIndex sobol[GR_CAMPAIGN_VARIABLES];
    GrMorrisEffect morris[GR_CAMPAIGN_VARIABLES];
    GrGradient local[GR_CAMPAIGN_VARIABLES];
    GrStatus status = GR_OK;
    *use = (GrSampleUse){.used = a->count};
    for (uint64_t i = 0; i < a->count; i++) {
        a->values[i] = a->results[i].metrics[measure];
    }
    switch (a->plan.method) {
    case GR_SENSITIVITY_SOBOL:
        status = gr_sobol_indices(a->values, n, (uint64_t)a->plan.count, gr_default_bootstrap(), sobol, use, log);
        for (int i = 0; i < n && status == GR_OK; i++) {
            lines[i] = (GrSensitivityLine){{sobol[i].first.value, sobol[i].first.low, sobol[i].first.high,
                                            sobol[i].total.value, sobol[i].total.low, sobol[i].total.high}};
        }
        break;
    case GR_SENSITIVITY_MORRIS:
        status = gr_morris_effects(&a->morris, a->points, a->values, gr_default_bootstrap(), morris, use, log);
        for (int i = 0; i < n && status == GR_OK; i++) {
            lines[i] = (GrSensitivityLine){{morris[i].absolute.value, morris[i].absolute.low, morris[i].absolute.high,
                                            morris[i].mean, morris[i].deviation}};
        }
        break;
    case GR_SENSITIVITY_LOCAL: {
        const GrGradientDef def = gradient(a);
        gr_gradient_estimate(&def, a->values, local);
        for (int i = 0; i < n; i++) {
            lines[i] = (GrSensitivityLine){{local[i].slope, local[i].curvature}};
            scale_gradient(a, i, &lines[i]);
        }
        break;
    }
    }
    return status;
}

void gr_analysis_put(const GrAnalysis *a, GrBuffer *page)
{
    for (int i = 0; i < a->campaign->measures.count; i++) {
        const GrSensitivitySection section = {.campaign = a->campaign,
                                              .method = a->plan.method,
                                              .measure = i,
                                              .lines = a->lines + (size_t)i * (size_t)a->dimension,
                                              .use = &a->uses[i],
                                              .heads = gr_analysis_heads(a->plan.method, false)};
        gr_sensitivity_section(&section, page);
    }
}

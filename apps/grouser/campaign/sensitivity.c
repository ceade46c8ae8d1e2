/// grouser sensitivity: which variables of a campaign matter.
#include "alloc.h"
#include "campaign_job.h"
#include "command.h"
#include "indices.h"
#include "json.h"
#include "out_of_memory.h"
#include "report.h"
#include "sensitivity_page.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/// An analysis: its plan, and the results of its runs.
typedef struct Analysis {
    GrCampaignJob *job;
    GrSensitivityPlan plan;
    int dimension;
    uint64_t count;        ///< runs
    double *points;        ///< [count][dimension] of the unit cube, owned; NULL: Saltelli's, which are computed
    double *centre, *step; ///< [dimension] of local gradients, owned
    GrMorrisDef morris;
    GrResult *results;                     ///< [count] owned
    double *values;                        ///< [count] of one measure, owned
    GrSensitivityLine *lines;              ///< [measures][dimension] owned
    GrSampleUse uses[GR_CAMPAIGN_METRICS]; ///< of each measure
} Analysis;

static void end(Analysis *a)
{
    gr_free(a->points);
    gr_free(a->centre);
    gr_free(a->results);
    gr_free(a->values);
    gr_free(a->lines);
}

static GrGradientDef gradient(const Analysis *a)
{
    return (GrGradientDef){.variable_count = a->dimension, .centre = a->centre, .step = a->step};
}

static GrStatus begin(Analysis *a, GrCampaignJob *job, GrErrorLog *log)
{
    const GrCampaign *c = &job->campaign;
    *a = (Analysis){.job = job, .plan = c->sensitivity, .dimension = c->variable_count};
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

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const Analysis *a = context;
    double room[GR_CAMPAIGN_VARIABLES];
    const double *u = room;
    if (a->points != NULL) {
        u = a->points + index * (uint64_t)a->dimension;
    } else {
        gr_saltelli_point(index, a->dimension, a->job->campaign.seed, room);
    }
    gr_row_sample(&a->job->campaign, u, out);
    gr_row_finish(&a->job->campaign, out);
}

static const char *const SOBOL_HEADS[] = {"first order", "low", "high", "total", "low", "high", NULL};
static const char *const SOBOL_KEYS[] = {"first", "first_low", "first_high", "total", "total_low", "total_high", NULL};
static const char *const MORRIS_HEADS[] = {"mean |effect|", "low", "high", "mean effect", "deviation", NULL};
static const char *const MORRIS_KEYS[] = {"absolute", "absolute_low", "absolute_high", "mean", "deviation", NULL};
static const char *const LOCAL_HEADS[] = {"slope", "curvature", NULL};
static const char *const LOCAL_KEYS[] = {"slope", "curvature", NULL};

static const char *const *heads_of(GrSensitivityMethod method, bool keys)
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
static void scale_gradient(const Analysis *a, int variable, GrSensitivityLine *line)
{
    GrRow low, high;
    make_row((void *)(uintptr_t)a, 1 + 2 * (uint64_t)variable, &low);
    make_row((void *)(uintptr_t)a, 2 + 2 * (uint64_t)variable, &high);
    const double width = high.numbers[variable] - low.numbers[variable], factor = 2 * a->step[variable] / width;
    line->numbers[0] *= width != 0 ? factor : (double)NAN;
    line->numbers[1] *= width != 0 ? factor * factor : (double)NAN;
}

static GrStatus analyse(Analysis *a, int measure, GrSensitivityLine *lines, GrSampleUse *use, GrErrorLog *log)
{
    const int n = a->dimension;
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

static void print_lines(const Analysis *a, int measure, const GrSensitivityLine *lines, const GrSampleUse *use)
{
    const GrCampaign *c = &a->job->campaign;
    const char *const *heads = heads_of(a->plan.method, false);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "variable", GR_LEFT);
    for (int i = 0; heads[i] != NULL; i++) {
        gr_table_column(&table, heads[i], GR_RIGHT);
    }
    for (int i = 0; i < a->dimension; i++) {
        gr_table_text(&table, c->variables[i].path);
        for (int k = 0; heads[k] != NULL; k++) {
            gr_table_number(&table, lines[i].numbers[k], 3);
        }
    }
    printf("\n%s", c->measures.items[measure].name);
    if (use->dropped > 0) {
        printf(" (%" PRIu64 " of %" PRIu64 " samples left out: a run without a value)", use->dropped,
               use->used + use->dropped);
    }
    printf("\n");
    gr_table_print(&table, stdout);
    gr_table_free(&table);
}

static void put_lines(const Analysis *a, int measure, const GrSensitivityLine *lines, const GrSampleUse *use,
                      GrJson *json)
{
    const GrCampaign *c = &a->job->campaign;
    const char *const *keys = heads_of(a->plan.method, true);
    gr_json_begin_object(json, c->measures.items[measure].name);
    gr_json_integer(json, "samples", (long long)use->used);
    gr_json_integer(json, "left_out", (long long)use->dropped);
    gr_json_begin_array(json, "variables");
    for (int i = 0; i < a->dimension; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "path", c->variables[i].path);
        for (int k = 0; keys[k] != NULL; k++) {
            gr_json_number(json, keys[k], lines[i].numbers[k]);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_end(json);
}

static GrStatus put_sections(void *context, GrStudyPage *def, GrBuffer *page, GrErrorLog *log)
{
    (void)def, (void)log;
    const Analysis *a = context;
    for (int i = 0; i < a->job->campaign.measures.count; i++) {
        const GrSensitivitySection section = {.campaign = &a->job->campaign,
                                              .method = a->plan.method,
                                              .measure = i,
                                              .lines = a->lines + (size_t)i * (size_t)a->dimension,
                                              .use = &a->uses[i],
                                              .heads = heads_of(a->plan.method, false)};
        gr_sensitivity_section(&section, page);
    }
    return GR_OK;
}

static GrStatus report(Analysis *a, bool as_json, GrErrorLog *log)
{
    const GrCampaign *c = &a->job->campaign;
    GrStatus status = GR_OK;
    GrJson json = gr_json_to_file(stdout, true);
    if (as_json) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", c->name);
        gr_json_begin_object(&json, "measures");
    } else {
        gr_campaign_job_print(a->job, stdout);
    }
    for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
        GrSensitivityLine *lines = a->lines + (size_t)i * (size_t)a->dimension;
        GrSampleUse *use = &a->uses[i];
        status = analyse(a, i, lines, use, log);
        if (status == GR_OK && as_json) {
            put_lines(a, i, lines, use, &json);
        } else if (status == GR_OK) {
            print_lines(a, i, lines, use);
        }
    }
    status = status == GR_OK ? gr_campaign_job_page(a->job, (GrStudySections){a, put_sections}, log) : status;
    if (as_json) {
        gr_json_end(&json);
        gr_json_end(&json);
        return gr_json_finish(&json) == GR_OK ? status : GR_ERROR_FILE;
    }
    if (status == GR_OK) {
        printf("\nwrote %s, %s\n", a->job->study_path, a->job->page_path);
    }
    return status;
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

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS];
    const char *arguments[1];
    int exit_code;
    gr_campaign_options(&o, options);
    if (gr_options_parse(&gr_command_sensitivity, options, GR_CAMPAIGN_OPTIONS, argc, argv, arguments, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    Analysis a = {0};
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &o, &log);
    status = status == GR_OK ? check(&job.campaign) : status;
    status = status == GR_OK ? begin(&a, &job, &log) : status;
    status = status == GR_OK ? gr_campaign_job_link(&job, &o, &log) : status;
    const GrBatch batch = {.count = a.count, .context = &a, .row = make_row, .results = a.results};
    if (status == GR_OK && o.dry_run) {
        printf("%" PRIu64 " runs\n", a.count);
    } else if (status == GR_OK && gr_campaign_job_serves(&job)) {
        status = gr_campaign_job_serve(&job, &o, &log);
    } else if (status == GR_OK) {
        status = gr_campaign_job_open(&job, &o, &log);
        status = status == GR_OK ? gr_campaign_job_run(&job, &batch, &interrupted, &log) : status;
        status = status == GR_OK && !interrupted ? report(&a, o.json, &log) : status;
        if (interrupted) {
            printf("stopped; the same command goes on with %s\n", job.study_path);
        }
    }
    gr_report_log(&log);
    end(&a);
    return gr_campaign_job_end(&job, status, interrupted);
}

const GrCommand gr_command_sensitivity = {
    .name = "sensitivity",
    .summary = "which variables of a campaign matter, and how much",
    .usage = "sensitivity CAMPAIGN [-o STUDY] [-j N] [--html FILE] [--serve [PORT]] [--dry-run] [--resume] [--json]",
    .details = "Sobol' indices (the share of a measure's variance that each variable explains), Morris screening (the "
               "mean\neffect of each variable, with few runs) or slopes at the medians, as the section `sensitivity` "
               "of the\ncampaign says.",
    .example = "  grouser sensitivity slope.yaml",
    .run = run,
    .arguments = "@campaigns",
};

/// grouser optimize: the best values of a campaign's variables.
#include "alloc.h"
#include "campaign_job.h"
#include "command.h"
#include "optimum_report.h"
#include "out_of_memory.h"
#include "pareto.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE_POINTS = 11 };

/// What the optimiser's evaluations need.
typedef struct Search {
    GrCampaignJob *job;
    const GrSearch *search;
    GrEvaluations evaluations; ///< of the present batch
    bool interrupted;
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
    GrStatus status = gr_campaign_job_run(s->job, &rows, &s->interrupted, log);
    const int width = s->search->objective_count + s->search->constraint_count;
    for (int i = 0; i < batch->count && status == GR_OK && !s->interrupted; i++) {
        gr_search_values(s->search, &results[i], values + (size_t)i * (size_t)width);
    }
    gr_free(results);
    return s->interrupted ? GR_ERROR_NOT_CONVERGED : status;
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
    const GrStatus status = gr_campaign_job_run(s->job, &rows, &s->interrupted, log);
    s->evaluations = (GrEvaluations){0};
    gr_free(zeros);
    return s->interrupted ? GR_ERROR_NOT_CONVERGED : status;
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

static GrStatus explain(Search *s, const GrOptimum *optimum, GrOptimumReport *report, GrErrorLog *log)
{
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

static GrStatus search_best(GrCampaignJob *job, const GrCampaignOptions *o, bool *interrupted, GrErrorLog *log)
{
    GrSearch search;
    GrOptimum optimum = {0};
    GrStatus status = gr_search_make(&job->campaign, &search);
    const GrOptimizerDef def = gr_search_def(&search);
    status = status == GR_OK ? gr_optimizer_check(&def, log) : status;
    if (status == GR_OK && o->dry_run) {
        printf("at most %d runs, %s\n", def.budget, gr_optimizer_method(def.method)->name);
        return GR_OK;
    }
    status = status == GR_OK ? gr_campaign_job_link(job, o, log) : status;
    if (status == GR_OK && gr_campaign_job_serves(job)) {
        return gr_campaign_job_serve(job, o, log);
    }
    status = status == GR_OK ? gr_campaign_job_open(job, o, log) : status;
    if (status != GR_OK) {
        return status;
    }
    job->expected = (uint64_t)def.budget;
    Search s = {.job = job, .search = &search};
    GrOptimumReport report = {.job = job, .search = &search, .optimum = &optimum, .def = &def};
    status = gr_optimize(&def, (GrEvaluator){&s, evaluate}, &optimum, log);
    if (status == GR_OK && optimum.point_count > 0) {
        status = explain(&s, &optimum, &report, log);
    }
    *interrupted = s.interrupted;
    if (status == GR_OK) {
        status = gr_optimum_report(&report, o, log);
    }
    gr_free(report.best);
    gr_free(report.curves);
    gr_free(report.curve_points);
    gr_optimum_free(&optimum);
    return s.interrupted ? GR_OK : status;
}

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS];
    const char *arguments[1];
    int exit_code;
    gr_campaign_options(&o, options);
    if (gr_options_parse(&gr_command_optimize, options, GR_CAMPAIGN_OPTIONS, argc, argv, arguments, 1, 1, &exit_code) <
        0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &o, &log);
    if (status == GR_OK && !job.campaign.search.given) {
        status = gr_error_add(&log, GR_ERROR_FIELD, (GrLocation){.file = arguments[0]},
                              "the section `optimize` is missing: what to minimize or maximize");
    }
    status = status == GR_OK ? search_best(&job, &o, &interrupted, &log) : status;
    if (interrupted) {
        printf("stopped; the same command goes on with %s\n", job.study_path);
    }
    gr_report_log(&log);
    return gr_campaign_job_end(&job, status, interrupted);
}

const GrCommand gr_command_optimize = {
    .name = "optimize",
    .summary = "search for the best values of a campaign's variables",
    .usage = "optimize CAMPAIGN [-o STUDY] [-j N] [--html FILE] [--serve [PORT]] [--dry-run] [--resume] [--json]",
    .details =
        "Minimizes or maximizes measures of a campaign within limits (its section `optimize`), and prints the best "
        "values,\nhow the search converged, and what happens when each variable changes alone. Several "
        "objectives give a\nPareto front. Every run is stored; a search that was interrupted goes on when the same "
        "command is given\nagain.",
    .example = "  grouser optimize wheel.yaml\n"
               "  grouser optimize wheel.yaml -j 4 --json",
    .run = run,
    .arguments = "@campaigns",
};

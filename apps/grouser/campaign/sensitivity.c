/// grouser sensitivity: which variables of a campaign matter.
#include "campaign_job.h"
#include "command.h"
#include "json.h"
#include "report.h"
#include "sensitivity_analysis.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

static void print_lines(const GrAnalysis *a, int measure, const GrSensitivityLine *lines, const GrSampleUse *use)
{
    const GrCampaign *c = a->campaign;
    const char *const *heads = gr_analysis_heads(a->plan.method, false);
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

static void put_lines(const GrAnalysis *a, int measure, const GrSensitivityLine *lines, const GrSampleUse *use,
                      GrJson *json)
{
    const GrCampaign *c = a->campaign;
    const char *const *keys = gr_analysis_heads(a->plan.method, true);
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
    gr_analysis_put(context, page);
    return GR_OK;
}

static GrStatus report(GrAnalysis *a, GrCampaignJob *job, bool as_json, GrErrorLog *log)
{
    const GrCampaign *c = a->campaign;
    GrStatus status = GR_OK;
    GrJson json = gr_json_to_file(stdout, true);
    if (as_json) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", c->name);
        gr_json_begin_object(&json, "measures");
    } else {
        gr_campaign_job_print(job, stdout);
    }
    for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
        const GrSensitivityLine *lines = a->lines + (size_t)i * (size_t)a->dimension;
        status = gr_analysis_evaluate(a, i, log);
        if (status == GR_OK && as_json) {
            put_lines(a, i, lines, &a->uses[i], &json);
        } else if (status == GR_OK) {
            print_lines(a, i, lines, &a->uses[i]);
        }
    }
    status = status == GR_OK ? gr_campaign_job_page(job, (GrStudySections){a, put_sections}, log) : status;
    if (as_json) {
        gr_json_end(&json);
        gr_json_end(&json);
        return gr_json_finish(&json) == GR_OK ? status : GR_ERROR_FILE;
    }
    if (status == GR_OK) {
        printf("\nwrote %s, %s\n", job->study_path, job->page_path);
    }
    return status;
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
    GrAnalysis a = {0};
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &o, &log);
    status = status == GR_OK ? gr_analysis_begin(&a, &job.campaign, &log) : status;
    status = status == GR_OK ? gr_campaign_job_link(&job, &o, &log) : status;
    const GrBatch batch = gr_analysis_batch(&a);
    if (status == GR_OK && o.dry_run) {
        printf("%" PRIu64 " runs\n", a.count);
    } else if (status == GR_OK && gr_campaign_job_serves(&job)) {
        status = gr_campaign_job_serve(&job, &o, &log);
    } else if (status == GR_OK) {
        status = gr_campaign_job_open(&job, &o, &log);
        status = status == GR_OK ? gr_campaign_job_run(&job, &batch, &interrupted, &log) : status;
        status = status == GR_OK && !interrupted ? report(&a, &job, o.json, &log) : status;
        if (interrupted) {
            printf("stopped; the same command goes on with %s\n", job.study_path);
        }
    }
    gr_report_log(&log);
    gr_analysis_end(&a);
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

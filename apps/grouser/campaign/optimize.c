/// grouser optimize: the best values of a campaign's variables.
#include "campaign_job.h"
#include "command.h"
#include "optimum_find.h"
#include "optimum_report.h"
#include "report.h"

#include <stdio.h>

/// Runs the batches of the search.
typedef struct Runs {
    GrCampaignJob *job;
    bool interrupted;
} Runs;

static GrStatus run_batch(void *context, const GrBatch *batch, GrErrorLog *log)
{
    Runs *runs = context;
    const GrStatus status = gr_campaign_job_run(runs->job, batch, &runs->interrupted, log);
    return runs->interrupted ? GR_ERROR_NOT_CONVERGED : status;
}

static GrStatus search_best(GrCampaignJob *job, const GrCampaignOptions *o, bool *interrupted, GrErrorLog *log)
{
    GrOptimumReport report;
    GrStatus status = gr_optimum_begin(&job->campaign, &report, log);
    if (status == GR_OK && o->dry_run) {
        printf("at most %d runs, %s\n", report.def.budget, gr_optimizer_method(report.def.method)->name);
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
    job->expected = (uint64_t)report.def.budget;
    report.job = job;
    Runs runs = {.job = job};
    status = gr_optimum_find(&report, (GrOptimumSource){&runs, run_batch}, log);
    *interrupted = runs.interrupted;
    if (status == GR_OK) {
        status = gr_optimum_report(&report, o, log);
    }
    gr_optimum_end(&report);
    return runs.interrupted ? GR_OK : status;
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

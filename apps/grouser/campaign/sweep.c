/// grouser sweep: all runs of a campaign.
#include "campaign_job.h"
#include "command.h"
#include "file.h"
#include "report.h"
#include "study_print.h"
#include "subjects.h"

#include <stdio.h>

/// What the study answers, first; with --json all of it.
static GrStatus answer(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    GrStudyTable table = {0};
    GrStudySummary summary = {0};
    GrStudyBands bands = {0};
    GrStudy *study = gr_study_read(job->study_path, log);
    GrStatus status = study != NULL ? gr_study_table(study, &table, log) : GR_ERROR_FILE;
    gr_study_close(study);
    status = status == GR_OK ? gr_study_summarise(&table, &summary, log) : status;
    status = status == GR_OK ? gr_study_bands(&table, &bands, log) : status;
    if (status == GR_OK && o->json) {
        status = gr_study_print_json(&table, &summary, &bands, stdout);
    } else if (status == GR_OK) {
        gr_study_print_answer(&table, &summary, stdout);
        gr_study_print_designs(&table, &bands, stdout);
        printf("\n");
    }
    gr_study_bands_free(&bands);
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    return status;
}

/// Writes the report and says what was found and written. A part of a sweep has none: its runs are not in the study
/// yet.
static GrStatus finish(GrCampaignJob *job, const GrCampaignOptions *o, bool interrupted, GrErrorLog *log)
{
    const bool part = job->page_path[0] == '\0';
    FILE *file = o->json ? stderr : stdout;
    GrStatus status = part ? GR_OK : gr_campaign_job_page(job, (GrStudySections){0}, log);
    status = status == GR_OK && !part ? answer(job, o, log) : status;
    gr_campaign_job_print(job, file);
    fprintf(file, "%s%s%s", interrupted ? "stopped; the same command goes on with " : "wrote ",
            part ? "a part of " : "", job->study_path);
    if (status == GR_OK && !part) {
        fprintf(file, "%s%s", interrupted ? "; report: " : ", ", job->page_path);
    }
    fprintf(file, "\n");
    return status;
}

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS + 2];
    const char *arguments[1];
    int exit_code;
    gr_campaign_options(&o, options);
    options[GR_CAMPAIGN_OPTIONS] = gr_campaign_shard_option(&o);
    options[GR_CAMPAIGN_OPTIONS + 1] = gr_campaign_samples_option(&o);
    if (gr_options_parse(&gr_command_sweep, options, GR_CAMPAIGN_OPTIONS + 2, argc, argv, arguments, 1, 1, &exit_code) <
        0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &gr_campaign_kinds, &o, &log);
    if (status == GR_OK && gr_campaign_size(&job.campaign) == 0) {
        status = gr_error_add(&log, GR_ERROR_FIELD, (GrLocation){.file = arguments[0], .field = "sample"},
                              "a grid needs `count` or `step` for every range; or give another method, such as sobol");
    }
    status = status == GR_OK ? gr_campaign_job_link(&job, &o, &log) : status;
    if (status == GR_OK && o.dry_run) {
        const GrBatch batch = gr_sweep_batch(&job.campaign);
        status = gr_campaign_job_estimate(&job, &o, &batch, &log);
    } else if (status == GR_OK && gr_campaign_job_serves(&job)) {
        status = gr_campaign_job_serve(&job, &o, &log);
    } else if (status == GR_OK) {
        status = gr_campaign_job_open(&job, &o, &log);
        const GrBatch batch = gr_sweep_batch(&job.campaign);
        status = status == GR_OK ? gr_campaign_job_run(&job, &batch, &interrupted, &log) : status;
        if (status == GR_OK) {
            status = finish(&job, &o, interrupted, &log);
        }
    }
    gr_report_log(&log);
    return gr_campaign_job_end(&job, status, interrupted);
}

const GrCommand gr_command_sweep = {
    .name = "sweep",
    .summary = "run a campaign: a scenario many times, with values varied",
    .usage =
        "sweep CAMPAIGN [-o STUDY] [-j N] [--device D] [--shard I/N] [--uncertainty N] [--html FILE] [--serve [PORT]] "
        "[--dry-run] [--resume] "
        "[--json]",
    .details =
        "Runs all combinations or samples of a campaign file and stores one row for each run in a database "
        "(SQLite).\nA sweep that was interrupted, even by a crash, goes on where it stopped when the same command "
        "is given\nagain; more samples can be added later. The same campaign gives the same results on any number "
        "of threads.\nA page with plots, NAME.html, is rewritten every few seconds.",
    .example = "  grouser sweep slope.yaml --dry-run\n"
               "  grouser sweep slope.yaml -j 4\n"
               "  grouser sweep slope.yaml --uncertainty 16 && grouser campaign export slope.db --bands\n"
               "  grouser run --from slope.db:17",
    .run = run,
    .arguments = "@campaigns",
};

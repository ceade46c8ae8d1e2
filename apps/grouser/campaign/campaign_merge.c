/// grouser campaign merge: the parts of a sweep that ran as separate jobs, brought together.
#include "campaign_command.h"
#include "campaign_job.h"
#include "mission.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

static int run(int argc, char **argv)
{
    GrCampaignOptions o = {.threads = -1};
    const GrOption options[] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &o.study, .help = "the study (default NAME.db)"},
        gr_campaign_samples_option(&o)};
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_campaign_merge, options, 2, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    uint64_t merged = 0;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &o, &log);
    if (status == GR_OK) {
        job.study = gr_study_open(job.study_path, &job.campaign, &log);
        status = job.study != NULL ? GR_OK : GR_ERROR_FILE;
    }
    if (status == GR_OK) {
        const GrRunnerDef def = {.campaign = &job.campaign, .study = job.study, .path = job.study_path};
        const GrBatch batch = gr_mission_batch(&job.campaign);
        status = gr_runner_merge(&def, &batch, &merged, &log);
    }
    if (status == GR_OK) {
        printf("merged %" PRIu64 " results into %s\n", merged, job.study_path);
    }
    gr_report_log(&log);
    return gr_campaign_job_end(&job, status, false);
}

const GrCommand gr_campaign_merge = {
    .name = "campaign merge",
    .summary = "bring the parts of a sweep together that ran with --shard",
    .usage = "campaign merge CAMPAIGN [-o STUDY] [--uncertainty N]",
    .details =
        "Merges the files that grouser sweep --shard I/N left beside the study into it, and deletes them. May be "
        "repeated,\nalso before all parts are done.",
    .example = "  grouser sweep slope.yaml --shard 1/2\n"
               "  grouser sweep slope.yaml --shard 2/2\n"
               "  grouser campaign merge slope.yaml",
    .run = run,
    .arguments = "@campaigns",
};

#include "mission.h"

#include "command.h"
#include "report.h"
#include "study_print.h"
#include "study_sections.h"
#include "subjects.h"

#include <stdio.h>
#include <string.h>

GrBatch gr_mission_batch(const GrCampaign *campaign)
{
    GrBatch batch = gr_sweep_batch(campaign);
    if (campaign->mission != NULL && campaign->mission_kind->batch != NULL) {
        campaign->mission_kind->batch(campaign->mission, campaign, &batch);
    }
    return batch;
}

/// All batches and the report. A part of the runs has no report: they are not in the study yet.
static GrStatus carry_out(GrMissionRun *run, GrErrorLog *log)
{
    GrCampaignJob *job = run->job;
    const GrBatch batch = gr_mission_batch(&job->campaign);
    GrStatus status = gr_campaign_job_run(job, &batch, &run->interrupted, log);
    const bool part = job->page_path[0] == '\0';
    if (status == GR_OK && !part && !run->interrupted) {
        status = job->campaign.mission_kind->report(run, log);
    }
    if (status == GR_OK && !part) {
        status = gr_campaign_job_page(job, job->sections, log);
    }
    if (run->options->json || status != GR_OK) {
        return status;
    }
    if (part || run->interrupted) {
        gr_campaign_job_print(job, stdout);
    }
    const char *prediction = part ? NULL : gr_study_prediction(job->study);
    if (prediction != NULL) {
        char text[GR_STUDY_SAMPLES_TEXT];
        gr_study_say_samples(prediction, false, text, sizeof text);
        printf("%s\n", text);
    }
    printf("%s%s%s", run->interrupted ? "stopped; the same command goes on with " : "wrote ", part ? "a part of " : "",
           job->study_path);
    printf(part ? "\n" : ", %s\n", job->page_path);
    return status;
}

static GrStatus run_mission(GrMissionRun *run, const char *path, GrErrorLog *log)
{
    GrCampaignJob *job = run->job;
    const GrCampaign *c = &job->campaign;
    if (c->mission == NULL) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path},
                            "the section `mission` is missing: which question to answer; `grouser sweep` runs a "
                            "campaign without one");
    }
    const GrBatch batch = gr_mission_batch(c);
    if (batch.count == 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path, .field = "sample"},
                            "this mission needs samples, such as {method: sobol, count: 1000}");
    }
    run->mission = c->mission;
    job->sections = gr_mission_sections(c);
    if (run->options->dry_run) {
        return gr_campaign_job_estimate(job, run->options, &batch, log);
    }
    GrStatus status = gr_campaign_job_link(job, run->options, log);
    if (status == GR_OK && gr_campaign_job_serves(job)) {
        return gr_campaign_job_serve(job, run->options, log);
    }
    status = status == GR_OK ? gr_campaign_job_open(job, run->options, log) : status;
    return status == GR_OK ? carry_out(run, log) : status;
}

int gr_mission_run_file(const char *path, const GrCampaignOptions *o, FILE *json, GrErrorLog *log)
{
    GrErrorLog own = {0}, *messages = log != NULL ? log : &own;
    GrCampaignJob job;
    GrMissionRun mission = {.job = &job, .options = o, .json = json};
    GrStatus status = gr_campaign_job_load(&job, path, &gr_campaign_kinds, o, messages);
    status = status == GR_OK ? run_mission(&mission, path, messages) : status;
    gr_report_log(&own);
    return gr_campaign_job_end(&job, status, mission.interrupted || mission.unanswered);
}

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS + 2];
    const char *arguments[1];
    int exit_code;
    if (argc > 0 && strcmp(argv[0], "go") == 0) {
        return gr_command_call(&gr_command_mission_go, argc - 1, argv + 1);
    }
    gr_campaign_options(&o, options);
    options[GR_CAMPAIGN_OPTIONS] = gr_campaign_shard_option(&o);
    options[GR_CAMPAIGN_OPTIONS + 1] = gr_campaign_samples_option(&o);
    if (gr_options_parse(&gr_command_mission, options, GR_CAMPAIGN_OPTIONS + 2, argc, argv, arguments, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    return gr_mission_run_file(arguments[0], &o, stdout, NULL);
}

const GrCommand gr_command_mission = {
    .name = "mission",
    .summary =
        "answer a question about a landing site: how a lander stands, whether the rover leaves it, where it can drive",
    .usage = "mission CAMPAIGN|go MAP [-o STUDY] [-j N] [--device D] [--shard I/N] [--uncertainty N] [--html FILE] "
             "[--serve [PORT]] "
             "[--dry-run] [--resume] "
             "[--json]",
    .details = "Runs a campaign and answers the question of its section `mission`. `placement`: the share of random "
               "places\nat which a lander stands within limits. `egress`: over which of its ramps the rover leaves. "
               "`traverse`: maps of\nsuccess, slip, energy and time, and the cheapest routes over them, driven. "
               "`go`:\na route from here to "
               "there on a map (grouser mission go --help). Every run is stored; a mission that was\ninterrupted goes "
               "on when the same command is given again. A page "
               "with plots, NAME.html, is rewritten every few\nseconds. docs/campaigns.md and docs/traverse.md have "
               "the keys.",
    .example = "  grouser mission placement --dry-run\n"
               "  grouser mission traverse -j 2\n"
               "  grouser mission go dem.tif --from -60,-40 --to 50,40 --rover mer_like",
    .run = run,
    .arguments = "@campaigns",
};

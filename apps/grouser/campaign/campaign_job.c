#include "campaign_job.h"

#include "file.h"
#include "processors.h"
#include "report.h"
#include "run_job.h"
#include "study_page.h"
#include "subjects.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024, SHARDS_MAX = 100000 };

void gr_campaign_options(GrCampaignOptions *o, GrOption out[GR_CAMPAIGN_OPTIONS])
{
    *o = (GrCampaignOptions){.threads = -1};
    const GrOption rows[GR_CAMPAIGN_OPTIONS] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &o->study, .help = "the study (default NAME.db)"},
        {.name = "threads",
         .letter = 'j',
         .value = "N",
         .number = &o->threads,
         .help = "default: one for each processor"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "the report (default NAME.html)"},
        {.name = "serve",
         .value = "PORT",
         .text = &o->serve,
         .optional = true,
         .help = "show the report live in the browser, at http://127.0.0.1:8765/ or this port"},
        {.name = "dry-run",
         .flag = &o->dry_run,
         .help = "say how many runs there are and how long they take, and stop"},
        {.name = "resume",
         .flag = &o->resume,
         .help = "the study must exist: go on with it (a study that exists is always continued)"},
        {.name = "json", .flag = &o->json, .help = "print the result as JSON"},
    };
    memcpy(out, rows, sizeof rows);
}

GrOption gr_campaign_shard_option(GrCampaignOptions *o)
{
    return (GrOption){.name = "shard",
                      .value = "I/N",
                      .text = &o->shard,
                      .help = "only part I of N, for job arrays; grouser campaign merge brings the parts together"};
}

GrOption gr_campaign_samples_option(GrCampaignOptions *o)
{
    return (GrOption){.name = "uncertainty",
                      .value = "N",
                      .text = &o->uncertainty,
                      .help =
                          "samples of the soils: each design on all of them for bands of 90 %, places and worlds of a "
                          "mission on one each (default 0: none)"};
}

GrStatus gr_campaign_job_load(GrCampaignJob *job, const char *path, const GrCampaignOptions *o, GrErrorLog *log)
{
    *job = (GrCampaignJob){0};
    if (o->threads != -1 && !(o->threads >= 1 && o->threads <= THREADS_MAX && o->threads == floor(o->threads))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--threads"}, "found %g, allowed: 1 to %d",
                            o->threads, (int)THREADS_MAX);
    }
    int port, samples = 0;
    GrStatus status = gr_campaign_serve_port(o, &port, log);
    status = status == GR_OK ? gr_options_samples(o->uncertainty, 0, &samples, log) : status;
    status =
        status == GR_OK ? gr_campaign_load_sampled(path, &gr_campaign_kinds, samples, &job->campaign, log) : status;
    if (status != GR_OK) {
        return status;
    }
    snprintf(job->study_path, sizeof job->study_path, o->study != NULL ? "%s" : "%s.db",
             o->study != NULL ? o->study : job->campaign.name);
    if (o->shard != NULL && o->html != NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--html"},
                            "a part of a sweep has no report; grouser campaign plot makes one after the merge");
    }
    if (o->shard != NULL) {
        return GR_OK;
    }
    if (o->html == NULL) {
        return gr_campaign_page_path(job->study_path, job->page_path, log);
    }
    if (!gr_text_copy(job->page_path, sizeof job->page_path, o->html) || strcmp(o->html, job->study_path) == 0) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--html"},
                            "the path is too long, or that of the study");
    }
    return GR_OK;
}

/// Threads of this process: under mpirun one, since its ranks share the processors.
static int threads_of(const GrCampaignJob *job, const GrCampaignOptions *o)
{
    return o->threads > 0 ? (int)o->threads : job->linked ? 1 : 0;
}

GrStatus gr_campaign_job_link(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    const char *problem = NULL;
    if (o->dry_run) {
        return GR_OK;
    }
    job->linked = gr_link_open(&job->link, &problem);
    if (problem != NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0}, "%s", problem);
    }
    if (job->linked && o->shard != NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--shard"},
                            "under mpirun the work is shared already");
    }
    return GR_OK;
}

bool gr_campaign_job_serves(const GrCampaignJob *job)
{
    return job->linked && job->link.rank > 0;
}

GrStatus gr_campaign_job_serve(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    const GrRunnerDef def = {
        .campaign = &job->campaign, .path = job->study_path, .link = &job->link, .threads = threads_of(job, o)};
    job->runner = gr_runner_open(&def, log);
    return job->runner != NULL ? gr_runner_serve(job->runner, log) : GR_ERROR_MEMORY;
}

static bool watch(void *context, const GrRunnerProgress *progress)
{
    GrCampaignJob *job = context;
    job->last = *progress;
    const uint64_t failed = job->sum.failed + progress->failed;
    snprintf(job->label, sizeof job->label, "%.40s, %" PRIu64 " failed", job->campaign.name, failed);
    job->progress.label = job->label;
    gr_progress_update(&job->progress, (double)progress->done, (double)progress->total);
    gr_campaign_job_renew(job);
    return !gr_run_is_interrupted();
}

/// "2/8": part 2 of 8.
static GrStatus read_shard(const char *text, int *part, int *parts, GrErrorLog *log)
{
    char *end = NULL;
    const long i = text != NULL ? strtol(text, &end, 10) : 1;
    const long n = text != NULL && *end == '/' ? strtol(end + 1, &end, 10) : text != NULL ? 0 : 1;
    if (n < 1 || n > SHARDS_MAX || i < 1 || i > n || (text != NULL && *end != '\0')) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--shard"},
                            "found '%s', expected I/N with I from 1 to N, and N up to %d", text, (int)SHARDS_MAX);
    }
    *part = (int)i;
    *parts = (int)n;
    return GR_OK;
}

GrStatus gr_campaign_job_open(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    int part = 1, parts = 1;
    GrStatus status = read_shard(o->shard, &part, &parts, log);
    if (status != GR_OK) {
        return status;
    }
    if (o->resume && !gr_file_exists(job->study_path)) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = job->study_path, .field = "--resume"},
                            "there is no study to go on with");
    }
    if (parts > 1) {
        status = gr_study_peek(job->study_path, &job->campaign, &job->study, log);
    } else {
        job->study = gr_study_open(job->study_path, &job->campaign, log);
        status = job->study != NULL ? GR_OK : log->count > 0 ? log->items[log->count - 1].status : GR_ERROR_FILE;
    }
    if (status != GR_OK) {
        return status;
    }
    const GrRunnerDef def = {.campaign = &job->campaign,
                             .study = job->study,
                             .path = job->study_path,
                             .part = part,
                             .parts = parts,
                             .link = job->linked ? &job->link : NULL,
                             .threads = threads_of(job, o),
                             .context = job,
                             .watch = watch};
    job->runner = gr_runner_open(&def, log);
    gr_run_watch_interrupts();
    return job->runner != NULL ? gr_campaign_job_start_server(job, o, log) : GR_ERROR_FILE;
}

static void add_up(GrRunnerProgress *sum, const GrRunnerProgress *batch)
{
    sum->total += batch->total;
    sum->done += batch->done;
    sum->failed += batch->failed;
    sum->seconds += batch->seconds;
    sum->busy += batch->busy;
    sum->stepping += batch->stepping;
}

GrStatus gr_campaign_job_run(GrCampaignJob *job, const GrBatch *batch, bool *interrupted, GrErrorLog *log)
{
    job->progress = gr_progress_begin(job->campaign.name);
    gr_progress_mute(true);
    job->in_batch = true;
    const GrStatus status = gr_runner_run(job->runner, batch, &job->last, interrupted, log);
    job->in_batch = false;
    gr_progress_mute(false);
    gr_progress_end(&job->progress);
    add_up(&job->sum, &job->last);
    return status;
}

GrStatus gr_campaign_job_estimate(GrCampaignJob *job, const GrCampaignOptions *o, const GrBatch *batch, GrErrorLog *log)
{
    const GrCampaign *c = &job->campaign;
    const uint64_t size = batch->count, tries = size < 3 ? size : 3;
    double terms[GR_MEASURE_TERMS], busy = 0;
    void *worker = c->kind->hire(c->subject, &c->measures);
    GrStatus status = worker != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (uint64_t i = 0; i < tries && status == GR_OK; i++) {
        GrRow row;
        GrResult result = {0};
        batch->row(batch->context, i * (size / tries), &row);
        const GrCase one = gr_row_case(&row);
        const double start = gr_progress_now();
        status = c->kind->run(worker, &one, terms, &result, log);
        busy += gr_progress_now() - start;
        printf("run %llu: %s, %.3g s\n", (unsigned long long)(i * (size / tries)) + 1, result.outcome,
               gr_progress_now() - start);
    }
    if (worker != NULL) {
        c->kind->dismiss(worker);
    }
    const int threads = o->threads > 0 ? (int)o->threads : gr_processor_count();
    const double mean = tries > 0 ? busy / (double)tries : 0;
    printf("%llu runs of about %.3g s: %.3g minutes on %d threads\n", (unsigned long long)size, mean,
           mean * (double)size / threads / 60, threads);
    return status;
}

void gr_campaign_job_print(const GrCampaignJob *job, FILE *file)
{
    const GrRunnerProgress *p = &job->sum;
    fprintf(file, "%" PRIu64 " of %" PRIu64 " runs done, %" PRIu64 " of them failed", p->done, p->total, p->failed);
    if (p->busy > 0) {
        fprintf(file, "; %.3g s, %.3g runs a second", p->seconds, p->seconds > 0 ? (double)p->done / p->seconds : 0);
    }
    if (p->stepping > 0) {
        fprintf(file, ", overhead %.0f %% of the stepping", 100 * (p->busy - p->stepping) / p->stepping);
    }
    fprintf(file, "\n");
}

int gr_campaign_job_end(GrCampaignJob *job, GrStatus status, bool interrupted)
{
    if (job->page_live) { // an interrupted search: the page shall not wait for more
        GrErrorLog log = {0};
        gr_campaign_job_page(job, job->sections, &log);
    }
    gr_study_server_end(job->server);
    const bool of_study = job->study_path[0] != '\0' && status == GR_ERROR_FILE;
    bool whole = true;
    if (job->runner != NULL) {
        GrErrorLog log = {0};
        if (gr_runner_close(job->runner, &whole, &log) != GR_OK) {
            gr_report_log(&log);
        }
    } else if (job->linked) { // a process that did not come to serve is gone for the others
        whole = job->link.rank == 0 && gr_runner_dismiss(&job->link);
    }
    gr_study_close(job->study);
    gr_campaign_free(&job->campaign);
    const int exit_code = status != GR_OK && !of_study     ? gr_report_exit_code(status)
                          : status != GR_OK || interrupted ? GR_EXIT_FAILURE
                                                           : GR_EXIT_OK;
    if (job->linked) {
        fflush(stdout);
        job->link.end(job->link.context, whole, exit_code);
    }
    return exit_code;
}

/// The report of a campaign: rewritten while it runs, and served with `--serve`.
#include "campaign_job.h"

#include "options.h"
#include "run_job.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// The report of a running campaign is rewritten this often [s], but takes at most a twentieth of the time. One that is
/// served is renewed as often as results are merged; its state is told more often.
static const double PAGE_SECONDS = 3, SERVED_SECONDS = 2, PAGE_SHARE = 20, STATE_SECONDS = 0.5;

enum { PORT_MAX = 65535 };

GrStatus gr_campaign_page_path(const char *study, char out[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const char *slash = strrchr(study, '/'), *dot = strrchr(study, '.');
    const size_t length =
        dot != NULL && dot > study && (slash == NULL || dot > slash + 1) ? (size_t)(dot - study) : strlen(study);
    if (length + sizeof ".html" > GR_FILE_PATH_SIZE) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = study}, "the path is too long");
    }
    snprintf(out, GR_FILE_PATH_SIZE, "%.*s.html", (int)length, study);
    return strcmp(out, study) != 0 ? GR_OK
                                   : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.file = study},
                                                  "the report would replace the study: name it with -o or --html");
}

GrStatus gr_campaign_serve_port(const GrCampaignOptions *o, int *out, GrErrorLog *log)
{
    double port = -1;
    if (o->serve == NULL) {
        return GR_OK;
    }
    if (o->shard != NULL || o->dry_run) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--serve"}, "%s has no page to serve",
                            o->dry_run ? "a dry run" : "a part of a campaign");
    }
    if (o->serve[0] != '\0' &&
        (!gr_options_number(o->serve, &port) || port < 0 || port > PORT_MAX || port != floor(port))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--serve"},
                            "found '%s', allowed: a port, 0 to %d (0: any that is free)", o->serve, (int)PORT_MAX);
    }
    *out = (int)port;
    return GR_OK;
}

/// Runs that are done, also of batches before.
static uint64_t done_of(const GrCampaignJob *job)
{
    return job->sum.done + (job->in_batch ? job->last.done : 0);
}

static uint64_t failed_of(const GrCampaignJob *job)
{
    return job->sum.failed + (job->in_batch ? job->last.failed : 0);
}

static GrStudyState state_of(GrCampaignJob *job, bool running)
{
    const double now = gr_progress_now();
    const uint64_t done = done_of(job), failed = failed_of(job);
    const uint64_t batch = job->sum.total + (job->in_batch ? job->last.total : 0);
    const uint64_t total = job->expected > batch ? job->expected : batch;
    if (job->serve_begin == 0) {
        job->serve_begin = now;
        job->serve_first = done;
    }
    GrStudyState state = {.running = running, .done = (double)done, .total = (double)total};
    const double rate = (double)(done - job->serve_first) / fmax(now - job->serve_begin, 1e-3);
    if (!running) {
        snprintf(state.text, sizeof state.text, "%s: %" PRIu64 " runs, %" PRIu64 " failed",
                 gr_run_is_interrupted() ? "stopped" : "finished", done, failed);
    } else if (rate > 0) {
        const double left = (double)(total - done) / rate;
        snprintf(state.text, sizeof state.text,
                 "%" PRIu64 " of %" PRIu64 " runs, %" PRIu64 " failed; %.3g a second, about %.0f %s left", done, total,
                 failed, rate, left < 120 ? left : left / 60, left < 120 ? "s" : "min");
    } else {
        snprintf(state.text, sizeof state.text, "%" PRIu64 " of %" PRIu64 " runs", done, total);
    }
    return state;
}

/// Makes the page and hands it to the file and to the server.
static GrStatus put_page(GrCampaignJob *job, GrStudySections sections, bool running, GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = gr_study_page_make(job->study_path, running, sections, &page, log);
    if (status == GR_OK && job->server != NULL) {
        const GrStudyState state = state_of(job, running);
        gr_study_server_publish(job->server, &page, &state);
    }
    status = status == GR_OK ? gr_file_write(job->page_path, page.data, page.size, log) : status;
    gr_buffer_free(&page);
    return status;
}

GrStatus gr_campaign_job_start_server(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    int port = -1;
    GrBuffer page = {0};
    GrStatus status = gr_campaign_serve_port(o, &port, log);
    if (status != GR_OK || o->serve == NULL) {
        return status;
    }
    status = gr_study_page_make(job->study_path, true, (GrStudySections){0}, &page, log);
    if (status == GR_OK) {
        job->server = gr_study_server_start(port, &page, log);
        status = job->server != NULL ? GR_OK : GR_ERROR_FILE;
    }
    gr_buffer_free(&page);
    return status;
}

void gr_campaign_job_renew(GrCampaignJob *job)
{
    const double start = gr_progress_now(), usual = job->server != NULL ? SERVED_SECONDS : PAGE_SECONDS;
    if (job->page_time == 0) {
        job->page_time = start + usual;
    }
    if (job->server != NULL && start - job->state_time > STATE_SECONDS) {
        const GrStudyState state = state_of(job, true);
        gr_study_server_publish(job->server, NULL, &state);
        job->state_time = start;
    }
    if (start < job->page_time || job->page_path[0] == '\0') {
        return;
    }
    GrErrorLog log = {0};
    job->page_live = put_page(job, job->sections, true, &log) == GR_OK || job->page_live;
    const double end = gr_progress_now();
    job->page_time = end + fmax(usual, PAGE_SHARE * (end - start));
}

GrStatus gr_campaign_job_page(GrCampaignJob *job, GrStudySections sections, GrErrorLog *log)
{
    job->page_live = false;
    const GrStatus status = job->runner != NULL ? gr_runner_store(job->runner, log) : GR_OK;
    return status == GR_OK ? put_page(job, sections, false, log) : status;
}

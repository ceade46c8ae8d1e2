#include "campaign_job.h"

#include "alloc.h"
#include "cuda.h"
#include "file.h"
#include "json.h"
#include "options.h"
#include "out_of_memory.h"
#include "processors.h"
#include "report.h"
#include "study_page.h"
#include "subjects.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the page over HTTP

#ifdef GR_WITH_SERVE
#include "server.h"

#include <unistd.h>

/// [s]: pages ask every second; somebody who has not asked for this long is gone, and one who has gets this long to
/// fetch the last page.
static const double WATCHED = 3, LAST_PAGE = 1.5;

struct GrStudyServer {
    GrServer *server;
};

/// Listens on this machine and prints the address to standard error. `port` −1: the usual one, or any if it is taken.
/// NULL after an error.
static GrStudyServer *study_server_start(int port, const GrBuffer *page, GrErrorLog *log)
{
    GrStudyServer *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    GrServerDef def = gr_default_server_def();
    def.port = port >= 0 ? port : GR_SERVER_PORT;
    def.other_port = port < 0;
    def.renewed = true;
    def.page = page->data;
    def.page_size = page->size;
    s->server = gr_server_start(&def, log);
    if (s->server == NULL) {
        gr_free(s);
        return NULL;
    }
    fprintf(stderr, "the page of the study: %s\n", gr_server_address(s->server));
    return s;
}

void gr_study_state_publish(GrServer *server, const GrBuffer *page, const GrStudyState *state)
{
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    gr_json_begin_object(&json, NULL);
    gr_json_bool(&json, "running", state->running);
    gr_json_number(&json, "done", state->done);
    gr_json_number(&json, "total", state->total);
    gr_json_string(&json, "text", state->text);
    gr_json_end(&json);
    if (gr_json_finish(&json) == GR_OK && !text.failed && (page == NULL || (!page->failed && page->data != NULL))) {
        gr_server_publish(server, page != NULL ? page->data : NULL, page != NULL ? page->size : 0, text.data);
    }
    gr_buffer_free(&text);
}

/// Replaces the page (NULL: it stays) and the state.
static void study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state)
{
    gr_study_state_publish(server->server, page, state);
}

/// Gives those who watch the time to fetch the last page, and stops.
static void study_server_end(GrStudyServer *server)
{
    if (server != NULL) {
        if (gr_server_unwatched(server->server) < WATCHED) {
            usleep((useconds_t)(1e6 * LAST_PAGE));
        }
        gr_server_stop(server->server);
        gr_free(server);
    }
}

#else
#include "parts.h"

static GrStudyServer *study_server_start(int port, const GrBuffer *page, GrErrorLog *log)
{
    (void)port, (void)page;
    gr_part_missing("SERVE", (GrLocation){.field = "--serve"}, log);
    return NULL;
}

static void study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state)
{
    (void)server, (void)page, (void)state;
}

static void study_server_end(GrStudyServer *server)
{
    (void)server;
}

#endif

// ---- the report: rewritten while the campaign runs

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

/// The port that --serve names; −1: the usual one. It stays as it is where nothing is served.
static GrStatus campaign_serve_port(const GrCampaignOptions *o, int *out, GrErrorLog *log)
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
                 gr_interrupted() ? "stopped" : "finished", done, failed);
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
        study_server_publish(job->server, &page, &state);
    }
    status = status == GR_OK ? gr_file_write(job->page_path, page.data, page.size, log) : status;
    gr_buffer_free(&page);
    return status;
}

/// Serves the report from now on, if --serve is given.
static GrStatus campaign_job_start_server(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    int port = -1;
    GrBuffer page = {0};
    GrStatus status = campaign_serve_port(o, &port, log);
    if (status != GR_OK || o->serve == NULL) {
        return status;
    }
    status = gr_study_page_make(job->study_path, true, (GrStudySections){0}, &page, log);
    if (status == GR_OK) {
        job->server = study_server_start(port, &page, log);
        status = job->server != NULL ? GR_OK : GR_ERROR_FILE;
    }
    gr_buffer_free(&page);
    return status;
}

/// Rewrites the report from what has been merged so far, if it is time. Problems are reported when the last one is
/// written, at the end.
static void campaign_job_renew(GrCampaignJob *job)
{
    const double start = gr_progress_now(), usual = job->server != NULL ? SERVED_SECONDS : PAGE_SECONDS;
    if (job->page_time == 0) {
        job->page_time = start + usual;
    }
    if (job->server != NULL && start - job->state_time > STATE_SECONDS) {
        const GrStudyState state = state_of(job, true);
        study_server_publish(job->server, NULL, &state);
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

// ---- the job

/// GPU_RUNS: runs on a GPU at a time, each with a thread that waits, unless --threads says how many.
enum { THREADS_MAX = 1024, SHARDS_MAX = 100000, GPU_RUNS = 1024, GPU_RUNS_MAX = 16384 };

void gr_campaign_options(GrCampaignOptions *o, GrOption out[GR_CAMPAIGN_OPTIONS])
{
    *o = (GrCampaignOptions){.threads = -1};
    const GrOption rows[GR_CAMPAIGN_OPTIONS] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &o->study, .help = "the study (default NAME.db)"},
        {.name = "threads",
         .letter = 'j',
         .value = "N",
         .number = &o->threads,
         .help = "default: one for each processor; runs at a time on a GPU (default 1024)"},
        {.name = "device",
         .value = "DEVICE",
         .text = &o->device,
         .help = "where runs of scenarios advance: cpu, cuda, cuda:1, …; 'grouser list devices'"},
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

GrStatus gr_campaign_job_load(GrCampaignJob *job, const char *path, const GrCampaignKinds *kinds,
                              const GrCampaignOptions *o, GrErrorLog *log)
{
    *job = (GrCampaignJob){0};
    int port, samples = 0, gpu;
    GrStatus status = gr_device_parse(o->device, &gpu, log);
    const int most = gpu > 0 ? GPU_RUNS_MAX : THREADS_MAX;
    if (status == GR_OK && o->threads != -1 &&
        !(o->threads >= 1 && o->threads <= most && o->threads == floor(o->threads))) {
        status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--threads"}, "found %g, allowed: 1 to %d",
                              o->threads, most);
    }
    status = status == GR_OK ? campaign_serve_port(o, &port, log) : status;
    status = status == GR_OK ? gr_options_samples(o->uncertainty, 0, &samples, log) : status;
    status = status == GR_OK ? gr_campaign_load_sampled(path, kinds, samples, &job->campaign, log) : status;
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

/// The GPU that --device names, counted from 1; 0: none.
static int gpu_of(const GrCampaignOptions *o)
{
    int gpu = 0;
    gr_device_parse(o->device, &gpu, NULL);
    return gpu;
}

/// Threads of this process: under mpirun one, since its ranks share the processors.
static int threads_of(const GrCampaignJob *job, const GrCampaignOptions *o)
{
    return o->threads > 0 ? (int)o->threads : gpu_of(o) > 0 ? GPU_RUNS : job->linked ? 1 : 0;
}

/// Opens the GPU that --device names.
static GrStatus open_device(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log)
{
    const GrSubjectKind *kind = job->campaign.kind;
    if (gpu_of(o) == 0) {
        return GR_OK;
    }
    if (kind->drive_on == NULL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "a GPU runs scenarios; this campaign has %s ('run: {%s: ...}')", kind->text, kind->name);
    }
    return kind->drive_on(job->campaign.subject, o->device, threads_of(job, o), log);
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
    const GrStatus status = open_device(job, o, log);
    if (status != GR_OK) {
        return status;
    }
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
    campaign_job_renew(job);
    return !gr_interrupted();
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
    status = open_device(job, o, log);
    if (status != GR_OK) {
        return status;
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
    gr_interrupts_watch();
    return job->runner != NULL ? campaign_job_start_server(job, o, log) : GR_ERROR_FILE;
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
    void *worker = c->kind->create_worker(c->subject, &c->measures);
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
        c->kind->destroy_worker(worker);
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
    study_server_end(job->server);
    const bool of_study = job->study_path[0] != '\0' && status == GR_ERROR_FILE;
    bool whole = true;
    if (job->runner != NULL) {
        GrErrorLog log = {0};
        if (gr_runner_close(job->runner, &whole, &log) != GR_OK) {
            gr_report_log(&log);
        }
    } else if (job->linked) { // a process that did not come to serve is gone for the others
        whole = job->link.rank == 0 && gr_runner_end_others(&job->link);
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

// ---- one run of a campaign as a scenario file

/// The scenario as the new file must name it: a path is relative to the file that names it.
static char *name_from(const char *name, const char *path)
{
    if (strchr(path, '/') == NULL || strpbrk(name, "/.") == NULL) {
        return gr_strdup(name);
    }
    char *whole = realpath(name, NULL);
    char *copy = gr_strdup(whole != NULL ? whole : name);
    free(whole);
    return copy;
}

GrStatus gr_case_scenario_write(const GrCampaign *campaign, const GrRow *row, const char *comment, const char *path,
                                GrErrorLog *log)
{
    const char *overrides[GR_SUBJECT_OVERRIDES];
    const GrCase one = gr_row_case(row);
    const char *scenario = campaign->kind->scenario(campaign->subject, &one, overrides, GR_SUBJECT_OVERRIDES);
    char *name = scenario != NULL ? name_from(scenario, path) : NULL;
    if (name == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrBuffer text = {0};
    gr_buffer_printf(&text, "# %s\ninclude: ", comment);
    GrJson json = gr_json_to_buffer(&text, false); // JSON text is YAML text
    gr_json_string(&json, NULL, name);
    gr_buffer_puts(&text, "\noverrides:\n");
    for (int i = 0; overrides[i] != NULL; i++) {
        gr_buffer_puts(&text, "  - ");
        GrJson item = gr_json_to_buffer(&text, false);
        gr_json_string(&item, NULL, overrides[i]);
        gr_buffer_puts(&text, "\n");
    }
    const GrStatus status = text.failed ? gr_out_of_memory(log, path) : gr_file_write(path, text.data, text.size, log);
    gr_buffer_free(&text);
    gr_free(name);
    return status;
}

#include "runner_parts.h"

#include "alloc.h"
#include "clock.h"
#include "file.h"
#include "list.h"
#include "out_of_memory.h"
#include "processors.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// [s]: longest pauses of the main thread, and the first one: short batches end soon
static const double TICK = 0.25, LINK_TICK = 0.002, FIRST_TICK = 0.0001;
static const double MERGE_SECONDS = 2;

/// A batch while it runs.
typedef struct Work {
    const GrBatch *batch;
    uint64_t *pending; ///< [pending_count] numbers of rows, owned
    uint64_t pending_count;
    GrResult *found; ///< [found_count] owned: results of leftovers
    int found_count;
    bool planned; ///< the study has the rows
} Work;

/// File for the results of this process.
static void shard_path(const GrRunnerDef *def, char out[GR_FILE_PATH_SIZE + 40])
{
    if (def->parts > 1) {
        snprintf(out, GR_FILE_PATH_SIZE + 40, "%.1023s.shard-%d-of-%d", def->path, def->part, def->parts);
    } else {
        snprintf(out, GR_FILE_PATH_SIZE + 40, "%.1023s.shard", def->path);
    }
}

/// `all_here`: no process is gone. NULL: not wanted.
static GrStatus close_runner(GrRunner *runner, bool *all_here, GrErrorLog *log)
{
    const bool whole = runner->helpers.link != NULL ? gr_helpers_end(&runner->helpers)
                       : runner->def.link != NULL   ? runner->all_here
                                                    : true;
    if (all_here != NULL) {
        *all_here = whole;
    }
    for (int i = 0; runner->workers != NULL && i < runner->threads; i++) {
        if (runner->workers[i] != NULL) {
            runner->def.campaign->kind->dismiss(runner->workers[i]);
        }
    }
    const GrStatus status = gr_shard_close(runner->shard, log);
    gr_free(runner->workers);
    gr_free(runner->leftover);
    gr_free(runner);
    return status;
}

GrRunner *gr_runner_open(const GrRunnerDef *def, GrErrorLog *log)
{
    GrRunner *runner = gr_calloc(1, sizeof *runner);
    char path[GR_FILE_PATH_SIZE + 40];
    if (runner == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    runner->def = *def;
    runner->threads = def->threads > 0 ? def->threads : gr_processor_count();
    runner->workers = gr_calloc((size_t)runner->threads, sizeof *runner->workers);
    bool ok = runner->workers != NULL;
    for (int i = 0; i < runner->threads && ok; i++) {
        runner->workers[i] = def->campaign->kind->hire(def->campaign->subject, &def->campaign->measures);
        ok = runner->workers[i] != NULL;
    }
    if (!ok) {
        gr_out_of_memory(log, NULL);
    }
    shard_path(def, path);
    const bool serves = def->link != NULL && def->link->rank > 0; // its results go to rank 0
    ok = ok && (serves || gr_runner_take_leftovers(runner, path, log) == GR_OK);
    runner->shard = ok && !serves ? gr_shard_open(path, def->campaign->identity, log) : NULL;
    ok = ok && (serves || runner->shard != NULL);
    ok = ok && (serves || def->link == NULL || gr_helpers_begin(&runner->helpers, def->link, log) == GR_OK);
    if (!ok) {
        close_runner(runner, NULL, NULL);
        return NULL;
    }
    return runner;
}

GrStatus gr_runner_close(GrRunner *runner, bool *all_here, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE + 40];
    shard_path(&runner->def, path);
    const GrStatus stored = gr_runner_store(runner, log);
    const bool merged =
        runner->unmerged == 0 && runner->leftover_count == 0 && !gr_runner_is_part(runner) && runner->shard != NULL;
    const GrStatus status = close_runner(runner, all_here, log);
    if (status == GR_OK && merged) {
        unlink(path);
    }
    return stored != GR_OK ? stored : status;
}

/// Lists the rows without a result. Those in leftovers have one.
static GrStatus look_up_rows(GrRunner *runner, Work *w, GrRunnerProgress *progress, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    const GrBatch *batch = w->batch;
    w->pending = gr_calloc((size_t)batch->count + 1, sizeof *w->pending);
    if (w->pending == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (uint64_t i = 0; i < batch->count; i++) {
        GrRow row;
        GrResult result;
        batch->row(batch->context, i, &row);
        if (gr_runner_is_part(runner) && (int)(row.key % (uint64_t)runner->def.parts) != runner->def.part - 1) {
            progress->total--;
            continue;
        }
        const GrResult *left = gr_runner_leftover(runner, row.key);
        if (left != NULL && gr_runner_is_part(runner)) {
            progress->done++;
            progress->failed += !left->succeeded;
        } else if (left != NULL) {
            if (gr_list_add(&w->found, &w->found_count, left, sizeof *left) < 0) {
                return gr_out_of_memory(log, NULL);
            }
        } else if (study != NULL && gr_study_has(study, row.key, &result)) {
            progress->done++;
            progress->failed += !result.succeeded;
        } else {
            w->pending[w->pending_count++] = i;
        }
    }
    return GR_OK;
}

static GrStatus list_pending(GrRunner *runner, Work *w, GrRunnerProgress *progress, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    const bool hold = study != NULL && !runner->open;
    GrStatus status = hold ? gr_study_hold(study, log) : GR_OK;
    status = status == GR_OK ? look_up_rows(runner, w, progress, log) : status;
    if (hold) {
        gr_study_undo(study);
    }
    return status;
}

/// Takes over what the threads and the other processes have finished.
static GrStatus collect(GrRunner *runner, GrCrew *crew, GrWaiting *waiting, GrRunnerProgress *progress, GrErrorLog *log)
{
    GrResult *finished = NULL;
    const int count = gr_crew_take(crew, &finished);
    GrStatus status = gr_runner_keep(runner, finished, count, waiting, progress, log);
    gr_free(finished);
    status = status == GR_OK ? gr_runner_keep(runner, runner->helpers.finished, runner->helpers.finished_count, waiting,
                                              progress, log)
                             : status;
    gr_free(runner->helpers.finished);
    runner->helpers.finished = NULL;
    runner->helpers.finished_count = 0;
    return status;
}

/// The main thread, while the others work.
static GrStatus attend(GrRunner *runner, Work *w, GrCrew *crew, GrRunnerProgress *progress, bool *interrupted,
                       GrErrorLog *log)
{
    const GrLink *link = runner->def.link;
    GrWaiting waiting = {0};
    GrStatus status = gr_runner_keep(runner, w->found, w->found_count, &waiting, progress, log);
    const double start = gr_wall_time(), before = progress->seconds;
    double merged = start;
    double pause = FIRST_TICK;
    w->found_count = 0;
    for (bool over = false; !over;) {
        over = gr_crew_is_over(crew) && (runner->helpers.lent_count == 0 || *interrupted || status != GR_OK);
        if (!over && link != NULL) {
            status = status == GR_OK ? gr_helpers_answer(&runner->helpers, crew, pause, log) : status;
        } else if (!over) {
            const struct timespec time = {0, (long)(1e9 * pause)};
            nanosleep(&time, NULL);
        }
        pause = fmin(2 * pause, link != NULL ? LINK_TICK : TICK);
        progress->seconds = before + gr_wall_time() - start;
        status = status == GR_OK ? collect(runner, crew, &waiting, progress, log) : status;
        if (status == GR_OK && (over || gr_wall_time() - merged > MERGE_SECONDS)) {
            status = gr_runner_put(runner, w->batch, &w->planned, &waiting, log);
            merged = gr_wall_time();
        }
        if (status != GR_OK) {
            gr_crew_stop(crew);
        }
        if (runner->def.watch != NULL && !runner->def.watch(runner->def.context, progress)) {
            gr_crew_stop(crew);
            *interrupted = true;
        }
    }
    gr_free(waiting.items);
    return status;
}

static GrStatus run_threads(GrRunner *runner, Work *w, GrRunnerProgress *progress, bool *interrupted, GrErrorLog *log)
{
    GrCrew crew = {.campaign = runner->def.campaign,
                   .batch = w->batch,
                   .workers = runner->workers,
                   .threads = runner->threads,
                   .pending = w->pending,
                   .pending_count = w->pending_count};
    GrStatus status = gr_crew_start(&crew, log);
    if (status == GR_OK) {
        status = attend(runner, w, &crew, progress, interrupted, log);
    }
    const GrStatus joined = gr_crew_join(&crew, log);
    return status != GR_OK ? status : joined;
}

/// Results of all rows in their order, from the study.
static GrStatus fetch(GrRunner *runner, const GrBatch *batch, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (uint64_t i = 0; i < batch->count && status == GR_OK; i++) {
        GrRow row;
        batch->row(batch->context, i, &row);
        if (!gr_study_has(runner->def.study, row.key, &batch->results[i])) {
            status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = gr_study_path(runner->def.study)},
                                  "a run that was just stored is not there");
        }
    }
    return status;
}

static void sweep_row(void *context, uint64_t index, GrRow *out)
{
    gr_campaign_row(context, index, out);
}

GrBatch gr_sweep_batch(const GrCampaign *campaign)
{
    return (GrBatch){.count = gr_campaign_size(campaign), .context = (void *)(uintptr_t)campaign, .row = sweep_row};
}

GrStatus gr_runner_run(GrRunner *runner, const GrBatch *batch, GrRunnerProgress *progress, bool *interrupted,
                       GrErrorLog *log)
{
    Work w = {.batch = batch};
    *progress = (GrRunnerProgress){.total = batch->count};
    *interrupted = false;
    GrStatus status = list_pending(runner, &w, progress, log);
    gr_helpers_turn_to(&runner->helpers, batch);
    // rows of a process that is gone come back, and are run in another round
    while (status == GR_OK && !*interrupted && (w.pending_count > 0 || w.found_count > 0)) {
        status = run_threads(runner, &w, progress, interrupted, log);
        w.pending_count = gr_helpers_returned(&runner->helpers, w.pending);
    }
    if (status == GR_OK && !*interrupted && batch->results != NULL) {
        status = fetch(runner, batch, log);
    }
    gr_free(w.found);
    gr_free(w.pending);
    return status;
}

GrStatus gr_runner_serve(GrRunner *runner, GrErrorLog *log)
{
    const GrCrew crew = {.campaign = runner->def.campaign, .workers = runner->workers, .threads = runner->threads};
    return gr_helper_serve(runner->def.link, &crew, &runner->all_here, log);
}

bool gr_runner_dismiss(const GrLink *link)
{
    GrHelpers helpers;
    return gr_helpers_begin(&helpers, link, NULL) == GR_OK && gr_helpers_end(&helpers);
}

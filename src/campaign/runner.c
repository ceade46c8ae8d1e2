#include "runner.h"

#include "alloc.h"
#include "clock.h"
#include "file.h"
#include "helpers.h"
#include "list.h"
#include "out_of_memory.h"
#include "processors.h"
#include "shard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct GrRunner {
    GrRunnerDef def;
    int threads;
    GrShard *shard;
    void **workers;     ///< [threads] of the subject
    GrResult *leftover; ///< [leftover_count] sorted by key: results of rows that are not in the study yet
    int leftover_count;
    size_t unmerged;   ///< results that are in the shard alone
    bool open;         ///< the study has a transaction that is not yet committed
    double stored;     ///< time of the last commit [s]
    double synced;     ///< time of the last sync of the shard [s]
    GrHelpers helpers; ///< of rank 0
    bool all_here;     ///< of a process that serves: all may end together
};

/// Whether the runner has only a part of the rows, whose results stay in its shard.
static inline bool runner_is_part(const GrRunner *runner)
{
    return runner->def.parts > 1;
}

/// Results that wait for the next merge.
typedef struct GrWaiting {
    GrResult *items; ///< owned
    size_t count, capacity;
} GrWaiting;

// ---- finished runs into the study
//
// How finished runs come into the study: first into the shard, several times a second onto the disk, and every few
// seconds into the database.
//
//     finished run  --runner_keep-->  shard and GrWaiting  --runner_put-->  transaction  --gr_runner_store-->
//     study

static const double SYNC_SECONDS = 0.25, MERGE_SECONDS = 2;

/// Results of an earlier process whose rows the study did not know yet when it was killed.
typedef struct Leftovers {
    GrRunner *runner;
    GrErrorLog *log;
} Leftovers;

static GrStatus take_leftover(void *context, const GrResult *result)
{
    Leftovers *l = context;
    bool known = false;
    const GrStatus status =
        runner_is_part(l->runner) ? GR_OK : gr_study_put(l->runner->def.study, result, &known, l->log);
    if (status != GR_OK || known) {
        return status;
    }
    return gr_list_add(&l->runner->leftover, &l->runner->leftover_count, result, sizeof *result) >= 0
               ? GR_OK
               : gr_out_of_memory(l->log, NULL);
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = ((const GrResult *)a)->key, y = ((const GrResult *)b)->key;
    return (x > y) - (x < y);
}

/// Merges what an earlier process left in its shard. Results of rows that the study does not know yet become leftovers.
static GrStatus runner_take_leftovers(GrRunner *runner, const char *path, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    Leftovers leftovers = {runner, log};
    if (!gr_file_exists(path)) {
        return GR_OK;
    }
    const bool part = runner_is_part(runner);
    GrStatus status = part ? GR_OK : gr_study_begin(study, log);
    status =
        status == GR_OK ? gr_shard_read(path, runner->def.campaign->identity, take_leftover, &leftovers, log) : status;
    if (status != GR_OK && !part) {
        gr_study_undo(study);
    }
    if (status == GR_OK && runner->leftover_count > 0) {
        qsort(runner->leftover, (size_t)runner->leftover_count, sizeof *runner->leftover, by_key);
    }
    return status != GR_OK || part ? status : gr_study_commit(study, log);
}

/// The leftover of a row; NULL: there is none.
static const GrResult *runner_leftover(const GrRunner *runner, uint64_t key)
{
    const GrResult wanted = {.key = key};
    return runner->leftover_count > 0
               ? bsearch(&wanted, runner->leftover, (size_t)runner->leftover_count, sizeof *runner->leftover, by_key)
               : NULL;
}

/// Takes finished runs over, into the shard and the waiting list.
static GrStatus runner_keep(GrRunner *runner, const GrResult *finished, int count, GrWaiting *waiting,
                            GrRunnerProgress *progress, GrErrorLog *log)
{
    if (waiting->count + (size_t)count > waiting->capacity) {
        const size_t capacity = 2 * (waiting->count + (size_t)count);
        GrResult *larger = gr_realloc(waiting->items, capacity * sizeof *larger);
        if (larger == NULL) {
            return gr_out_of_memory(log, NULL);
        }
        waiting->items = larger;
        waiting->capacity = capacity;
    }
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        status = gr_shard_add(runner->shard, &finished[i], log);
        if (status == GR_OK) {
            waiting->items[waiting->count++] = finished[i];
            runner->unmerged++;
            progress->done++;
            progress->failed += !finished[i].succeeded;
            progress->busy += finished[i].wall;
            progress->stepping += finished[i].stepping;
        }
    }
    const double now = gr_wall_time();
    if (status != GR_OK || count == 0 || (now - runner->synced < SYNC_SECONDS && !runner_is_part(runner))) {
        return status;
    }
    runner->synced = now;
    return gr_shard_sync(runner->shard, log);
}

/// Adds the rows of a batch to the study, in their order, so that ids do not depend on threads.
static GrStatus study_plan_rows(GrStudy *study, const GrBatch *batch, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (uint64_t i = 0; i < batch->count && status == GR_OK; i++) {
        GrRow row;
        batch->row(batch->context, i, &row);
        status = gr_study_plan(study, &row, log);
    }
    return status;
}

/// Forgets leftovers whose results are in the study now; the others stay in the shard.
static void drop_known(GrRunner *runner)
{
    int kept = 0;
    for (int i = 0; i < runner->leftover_count; i++) {
        if (!gr_study_has(runner->def.study, runner->leftover[i].key, NULL)) {
            runner->leftover[kept++] = runner->leftover[i];
        }
    }
    runner->leftover_count = kept;
}

GrStatus gr_runner_store(GrRunner *runner, GrErrorLog *log)
{
    if (!runner->open) {
        return GR_OK;
    }
    runner->open = false;
    runner->stored = gr_wall_time();
    const GrStatus status = gr_study_commit(runner->def.study, log);
    if (status != GR_OK) {
        return status;
    }
    runner->unmerged = 0;
    drop_known(runner);
    return runner->leftover_count == 0 ? gr_shard_clear(runner->shard, log) : GR_OK;
}

/// Adds rows and results to the open transaction.
static GrStatus put_rows(GrRunner *runner, const GrBatch *batch, bool planned, const GrWaiting *waiting,
                         GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    GrStatus status = runner->open ? GR_OK : gr_study_begin(study, log);
    if (status != GR_OK) {
        return status;
    }
    runner->open = true;
    status = planned ? GR_OK : study_plan_rows(study, batch, log);
    for (size_t i = 0; i < waiting->count && status == GR_OK; i++) {
        bool known;
        status = gr_study_put(study, &waiting->items[i], &known, log);
    }
    if (status != GR_OK) {
        gr_study_undo(study); // the results are still in the shard
        runner->open = false;
    }
    return status;
}

/// Puts what waits into the study, after the rows of the batch unless they are `*planned`. The small batches of a
/// search share a transaction of up to two seconds: a commit waits for the disk several times, and may take longer than
/// a run.
static GrStatus runner_put(GrRunner *runner, const GrBatch *batch, bool *planned, GrWaiting *waiting, GrErrorLog *log)
{
    if (runner_is_part(runner)) { // stays in the shard
        waiting->count = 0;
        return GR_OK;
    }
    if (waiting->count == 0 && *planned) {
        return GR_OK;
    }
    const GrStatus status = put_rows(runner, batch, *planned, waiting, log);
    if (status != GR_OK) {
        return status;
    }
    *planned = true;
    waiting->count = 0;
    const bool due = batch->results == NULL || gr_wall_time() - runner->stored > MERGE_SECONDS;
    return due ? gr_runner_store(runner, log) : GR_OK;
}

// ---- the runner

// [s]: longest pauses of the main thread, and the first one: short batches end soon
static const double TICK = 0.25, LINK_TICK = 0.002, FIRST_TICK = 0.0001;

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
            runner->def.campaign->kind->destroy_worker(runner->workers[i]);
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
        runner->workers[i] = def->campaign->kind->create_worker(def->campaign->subject, &def->campaign->measures);
        ok = runner->workers[i] != NULL;
    }
    if (!ok) {
        gr_out_of_memory(log, NULL);
    }
    shard_path(def, path);
    const bool serves = def->link != NULL && def->link->rank > 0; // its results go to rank 0
    ok = ok && (serves || runner_take_leftovers(runner, path, log) == GR_OK);
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
        runner->unmerged == 0 && runner->leftover_count == 0 && !runner_is_part(runner) && runner->shard != NULL;
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
        if (runner_is_part(runner) && (int)(row.key % (uint64_t)runner->def.parts) != runner->def.part - 1) {
            progress->total--;
            continue;
        }
        const GrResult *left = runner_leftover(runner, row.key);
        if (left != NULL && runner_is_part(runner)) {
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
    GrStatus status = runner_keep(runner, finished, count, waiting, progress, log);
    gr_free(finished);
    status = status == GR_OK
                 ? runner_keep(runner, runner->helpers.finished, runner->helpers.finished_count, waiting, progress, log)
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
    GrStatus status = runner_keep(runner, w->found, w->found_count, &waiting, progress, log);
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
            status = runner_put(runner, w->batch, &w->planned, &waiting, log);
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

bool gr_runner_end_others(const GrLink *link)
{
    GrHelpers helpers;
    return gr_helpers_begin(&helpers, link, NULL) == GR_OK && gr_helpers_end(&helpers);
}

// ---- parts of a campaign that ran as separate jobs

/// What a merge of parts counts.
typedef struct Merge {
    GrStudy *study;
    uint64_t *merged;
    GrErrorLog *log;
} Merge;

static GrStatus merge_result(void *context, const GrResult *result)
{
    const Merge *m = context;
    bool known;
    const GrStatus status = gr_study_put(m->study, result, &known, m->log);
    *m->merged += known;
    return status;
}

/// Files of parts beside the study.
static GrStatus list_parts(const GrRunnerDef *def, char *folder, GrNameList *out, GrErrorLog *log)
{
    const char *slash = strrchr(def->path, '/');
    snprintf(folder, GR_FILE_PATH_SIZE, "%.*s", slash != NULL ? (int)(slash - def->path) : 1,
             slash != NULL ? def->path : ".");
    const char *name = slash != NULL ? slash + 1 : def->path;
    GrNameList all = {0};
    GrStatus status = gr_folder_list(folder, "", &all, log);
    char prefix[GR_FILE_PATH_SIZE];
    snprintf(prefix, sizeof prefix, "%.1000s.shard-", name);
    for (int i = 0; i < all.count && status == GR_OK; i++) {
        if (strncmp(all.names[i], prefix, strlen(prefix)) == 0 && !gr_name_list_add(out, all.names[i])) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    gr_name_list_free(&all);
    return status;
}

GrStatus gr_runner_merge(const GrRunnerDef *def, const GrBatch *batch, uint64_t *merged, GrErrorLog *log)
{
    char folder[GR_FILE_PATH_SIZE], path[2 * GR_FILE_PATH_SIZE];
    GrNameList parts = {0};
    const Merge context = {def->study, merged, log};
    *merged = 0;
    GrStatus status = list_parts(def, folder, &parts, log);
    status = status == GR_OK ? gr_study_begin(def->study, log) : status;
    if (status == GR_OK) {
        status = study_plan_rows(def->study, batch, log);
        for (int i = 0; i < parts.count && status == GR_OK; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, parts.names[i]);
            status = gr_shard_read(path, def->campaign->identity, merge_result, (void *)(uintptr_t)&context, log);
        }
        if (status == GR_OK) {
            status = gr_study_commit(def->study, log);
        } else {
            gr_study_undo(def->study);
        }
    }
    for (int i = 0; i < parts.count && status == GR_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts.names[i]);
        unlink(path);
    }
    gr_name_list_free(&parts);
    return status;
}

#include "runner.h"

#include "alloc.h"
#include "file.h"
#include "list.h"
#include "out_of_memory.h"
#include "shard.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double TICK = 0.25, MERGE_SECONDS = 2; // between two syncs of the shard, and two merges

struct GrRunner {
    GrRunnerDef def;
    int threads;
    GrShard *shard;
    void **workers;     ///< [threads] of the subject
    GrResult *leftover; ///< [leftover_count] sorted by key: results of rows that are not in the study yet
    int leftover_count;
    size_t unmerged; ///< results that are in the shard alone
};

/// What the threads of a batch share.
typedef struct Shared {
    GrRunner *runner;
    const GrBatch *batch;
    uint64_t *pending; ///< [pending_count] numbers of rows
    uint64_t pending_count;
    atomic_ullong next; ///< index in pending
    atomic_bool stop;
    pthread_mutex_t mutex; ///< protects what follows
    GrResult *finished;    ///< not yet taken over by the main thread
    int finished_count;
    int active; ///< threads that have not ended
    GrStatus status;
    GrErrorLog log; ///< of the first failure
    bool planned;   ///< the study has the rows; of the main thread alone
} Shared;

typedef struct Thread {
    Shared *shared;
    pthread_t thread;
    void *worker;
} Thread;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double thread_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int gr_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 1024 ? (int)count : 1;
}

/// File for the results of this process.
static void shard_path(const GrRunnerDef *def, char out[GR_FILE_PATH_SIZE + 40])
{
    if (def->parts > 1) {
        snprintf(out, GR_FILE_PATH_SIZE + 40, "%.1023s.shard-%d-of-%d", def->path, def->part, def->parts);
    } else {
        snprintf(out, GR_FILE_PATH_SIZE + 40, "%.1023s.shard", def->path);
    }
}

static bool is_part(const GrRunner *runner)
{
    return runner->def.parts > 1;
}

/// Results of an earlier process whose rows the study did not know yet when it was killed.
typedef struct Leftovers {
    GrRunner *runner;
    GrErrorLog *log;
} Leftovers;

static GrStatus take_leftover(void *context, const GrResult *result)
{
    Leftovers *l = context;
    bool known = false;
    const GrStatus status = is_part(l->runner) ? GR_OK : gr_study_put(l->runner->def.study, result, &known, l->log);
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

/// Merges what an earlier process left in its shard.
static GrStatus merge_leftovers(GrRunner *runner, const char *path, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    Leftovers leftovers = {runner, log};
    if (!gr_file_exists(path)) {
        return GR_OK;
    }
    const bool part = is_part(runner);
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

static const GrResult *find_leftover(const GrRunner *runner, uint64_t key)
{
    const GrResult wanted = {.key = key};
    return runner->leftover_count > 0
               ? bsearch(&wanted, runner->leftover, (size_t)runner->leftover_count, sizeof *runner->leftover, by_key)
               : NULL;
}

static GrStatus close_runner(GrRunner *runner, GrErrorLog *log)
{
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
    ok = ok && merge_leftovers(runner, path, log) == GR_OK;
    runner->shard = ok ? gr_shard_open(path, def->campaign->identity, log) : NULL;
    if (runner->shard == NULL) {
        close_runner(runner, NULL);
        return NULL;
    }
    return runner;
}

GrStatus gr_runner_close(GrRunner *runner, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE + 40];
    shard_path(&runner->def, path);
    const bool merged = runner->unmerged == 0 && runner->leftover_count == 0 && !is_part(runner);
    const GrStatus status = close_runner(runner, log);
    if (status == GR_OK && merged) {
        unlink(path);
    }
    return status;
}

/// Runs one row and computes its measures.
static GrStatus run_row(const Shared *shared, void *worker, GrCalculator *evaluator, uint64_t index, GrResult *result,
                        GrErrorLog *log)
{
    const GrCampaign *c = shared->runner->def.campaign;
    GrRow row;
    double terms[GR_MEASURE_TERMS];
    shared->batch->row(shared->batch->context, index, &row);
    const GrCase one = gr_row_case(&row);
    const double start = thread_time();
    *result = (GrResult){.key = row.key, .metric_count = c->measures.count};
    const GrStatus status = c->kind->run(worker, &one, terms, result, log);
    for (int i = 0; i < c->measures.term_count; i++) {
        const GrTerm *term = &c->measures.terms[i];
        for (int k = 0; term->reducer == GR_REDUCE_VARIABLE && k < row.count; k++) {
            terms[i] = strcmp(row.paths[k], term->name) == 0 ? row.numbers[k] : terms[i];
        }
    }
    for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
        result->metrics[i] = gr_measure_value(&c->measures, i, terms, evaluator);
    }
    result->wall = thread_time() - start;
    return status;
}

static void hand_over(Shared *shared, const GrResult *result, GrStatus status, const GrErrorLog *log)
{
    pthread_mutex_lock(&shared->mutex);
    if (status == GR_OK && gr_list_add(&shared->finished, &shared->finished_count, result, sizeof *result) < 0) {
        status = gr_out_of_memory(&shared->log, NULL);
    } else if (status != GR_OK && shared->status == GR_OK) {
        shared->log = *log;
    }
    shared->status = shared->status == GR_OK ? status : shared->status;
    pthread_mutex_unlock(&shared->mutex);
    if (status != GR_OK) {
        atomic_store(&shared->stop, true);
    }
}

static void *work(void *argument)
{
    Thread *thread = argument;
    Shared *shared = thread->shared;
    GrCalculator *evaluator = gr_calculator_create();
    while (!atomic_load(&shared->stop)) {
        GrErrorLog log = {0};
        GrResult result;
        const uint64_t next = atomic_fetch_add(&shared->next, 1);
        if (next >= shared->pending_count) {
            break;
        }
        const GrStatus status = evaluator != NULL
                                    ? run_row(shared, thread->worker, evaluator, shared->pending[next], &result, &log)
                                    : gr_out_of_memory(&log, NULL);
        hand_over(shared, &result, status, &log);
    }
    gr_calculator_free(evaluator);
    pthread_mutex_lock(&shared->mutex);
    shared->active--;
    pthread_mutex_unlock(&shared->mutex);
    return NULL;
}

/// Lists the rows without a result. Those in leftovers have one.
static GrStatus list_pending(GrRunner *runner, const GrBatch *batch, Shared *shared, GrRunnerProgress *progress,
                             GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    shared->pending = gr_calloc((size_t)batch->count + 1, sizeof *shared->pending);
    if (shared->pending == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (uint64_t i = 0; i < batch->count; i++) {
        GrRow row;
        GrResult result;
        batch->row(batch->context, i, &row);
        if (is_part(runner) && (int)(row.key % (uint64_t)runner->def.parts) != runner->def.part - 1) {
            progress->total--;
            continue;
        }
        const GrResult *left = find_leftover(runner, row.key);
        if (left != NULL && is_part(runner)) {
            progress->done++;
            progress->failed += !left->succeeded;
        } else if (left != NULL) {
            if (gr_list_add(&shared->finished, &shared->finished_count, left, sizeof *left) < 0) {
                return gr_out_of_memory(log, NULL);
            }
        } else if (study != NULL && gr_study_has(study, row.key, &result)) {
            progress->done++;
            progress->failed += !result.succeeded;
        } else {
            shared->pending[shared->pending_count++] = i;
        }
    }
    return GR_OK;
}

/// Results that wait for the next merge.
typedef struct Waiting {
    GrResult *items;
    size_t count, capacity;
} Waiting;

/// Takes finished runs over from the threads, into the shard and the waiting list.
static GrStatus collect(GrRunner *runner, Shared *shared, Waiting *waiting, GrRunnerProgress *progress, GrErrorLog *log)
{
    pthread_mutex_lock(&shared->mutex);
    GrResult *finished = shared->finished;
    const int count = shared->finished_count;
    shared->finished = NULL;
    shared->finished_count = 0;
    pthread_mutex_unlock(&shared->mutex);
    GrStatus status = GR_OK;
    if (waiting->count + (size_t)count > waiting->capacity) {
        const size_t capacity = 2 * (waiting->count + (size_t)count);
        GrResult *larger = gr_realloc(waiting->items, capacity * sizeof *larger);
        waiting->items = larger != NULL ? larger : waiting->items;
        waiting->capacity = larger != NULL ? capacity : waiting->capacity;
        status = larger != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    }
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
    gr_free(finished);
    return status == GR_OK && count > 0 ? gr_shard_sync(runner->shard, log) : status;
}

/// Adds the rows of the batch to the study, in their order, so that ids do not depend on threads.
static GrStatus plan_rows(GrStudy *study, const GrBatch *batch, GrErrorLog *log)
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

/// Stores what has finished since the last merge, in one transaction. The first one of a batch also plans its rows.
static GrStatus merge(GrRunner *runner, Shared *shared, Waiting *waiting, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    if (is_part(runner)) { // stays in the shard
        waiting->count = 0;
        return GR_OK;
    }
    if (waiting->count == 0 && (shared->planned || shared->pending_count == 0)) {
        return GR_OK;
    }
    GrStatus status = gr_study_begin(study, log);
    if (status != GR_OK) {
        return status;
    }
    status = shared->planned ? GR_OK : plan_rows(study, shared->batch, log);
    for (size_t i = 0; i < waiting->count && status == GR_OK; i++) {
        bool known;
        status = gr_study_put(study, &waiting->items[i], &known, log);
    }
    if (status != GR_OK) {
        gr_study_undo(study);
        return status;
    }
    status = gr_study_commit(study, log);
    if (status == GR_OK) {
        shared->planned = true;
        waiting->count = 0;
        runner->unmerged = 0;
        drop_known(runner);
        status = runner->leftover_count == 0 ? gr_shard_clear(runner->shard, log) : GR_OK;
    }
    return status;
}

static bool is_over(Shared *shared)
{
    pthread_mutex_lock(&shared->mutex);
    const bool over = shared->active == 0;
    pthread_mutex_unlock(&shared->mutex);
    return over;
}

/// The main thread, while the others work.
static GrStatus attend(GrRunner *runner, Shared *shared, GrRunnerProgress *progress, bool *interrupted, GrErrorLog *log)
{
    Waiting waiting = {0};
    GrStatus status = GR_OK;
    const double start = now();
    double merged = start;
    double pause = 0.001; // short batches end soon
    for (bool over = false; !over;) {
        over = is_over(shared);
        if (!over) {
            const struct timespec time = {0, (long)(1e9 * pause)};
            nanosleep(&time, NULL);
            pause = fmin(2 * pause, TICK);
        }
        progress->seconds = now() - start;
        status = status == GR_OK ? collect(runner, shared, &waiting, progress, log) : status;
        if (status == GR_OK && (over || now() - merged > MERGE_SECONDS)) {
            status = merge(runner, shared, &waiting, log);
            merged = now();
        }
        if (status != GR_OK) {
            atomic_store(&shared->stop, true);
        }
        if (runner->def.watch != NULL && !runner->def.watch(runner->def.context, progress)) {
            atomic_store(&shared->stop, true);
            *interrupted = true;
        }
    }
    gr_free(waiting.items);
    return status;
}

static GrStatus run_threads(GrRunner *runner, Shared *shared, GrRunnerProgress *progress, bool *interrupted,
                            GrErrorLog *log)
{
    const uint64_t most =
        (uint64_t)runner->threads < shared->pending_count ? (uint64_t)runner->threads : shared->pending_count;
    Thread *threads = gr_calloc((size_t)most + 1, sizeof *threads);
    if (threads == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    int started = 0;
    for (; started < (int)most; started++) {
        threads[started] = (Thread){.shared = shared, .worker = runner->workers[started]};
        pthread_mutex_lock(&shared->mutex);
        shared->active++;
        pthread_mutex_unlock(&shared->mutex);
        if (pthread_create(&threads[started].thread, NULL, work, &threads[started]) != 0) {
            pthread_mutex_lock(&shared->mutex);
            shared->active--;
            pthread_mutex_unlock(&shared->mutex);
            break;
        }
    }
    GrStatus status = started > 0 || most == 0
                          ? attend(runner, shared, progress, interrupted, log)
                          : gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "no thread can be started");
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    gr_free(threads);
    if (status == GR_OK && shared->status != GR_OK) {
        status = gr_error_add(log, shared->status, (GrLocation){0}, "%s",
                              shared->log.count > 0 ? shared->log.items[0].text : "a run failed");
    }
    return status;
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
        status = plan_rows(def->study, batch, log);
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

GrStatus gr_runner_run(GrRunner *runner, const GrBatch *batch, GrRunnerProgress *progress, bool *interrupted,
                       GrErrorLog *log)
{
    Shared shared = {.runner = runner, .batch = batch, .mutex = PTHREAD_MUTEX_INITIALIZER};
    *progress = (GrRunnerProgress){.total = batch->count};
    *interrupted = false;
    GrStatus status = list_pending(runner, batch, &shared, progress, log);
    if (status == GR_OK && (shared.pending_count > 0 || shared.finished_count > 0)) {
        status = run_threads(runner, &shared, progress, interrupted, log);
    }
    if (status == GR_OK && !*interrupted && batch->results != NULL) {
        status = fetch(runner, batch, log);
    }
    gr_free(shared.finished);
    gr_free(shared.pending);
    pthread_mutex_destroy(&shared.mutex);
    return status;
}

/// How finished runs come into the study: first into the shard, several times a second onto the disk, and every few
/// seconds into the database.
#include "runner_parts.h"

#include "alloc.h"
#include "clock.h"
#include "file.h"
#include "list.h"
#include "out_of_memory.h"

#include <stdlib.h>

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
        gr_runner_is_part(l->runner) ? GR_OK : gr_study_put(l->runner->def.study, result, &known, l->log);
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

GrStatus gr_runner_take_leftovers(GrRunner *runner, const char *path, GrErrorLog *log)
{
    GrStudy *study = runner->def.study;
    Leftovers leftovers = {runner, log};
    if (!gr_file_exists(path)) {
        return GR_OK;
    }
    const bool part = gr_runner_is_part(runner);
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

const GrResult *gr_runner_leftover(const GrRunner *runner, uint64_t key)
{
    const GrResult wanted = {.key = key};
    return runner->leftover_count > 0
               ? bsearch(&wanted, runner->leftover, (size_t)runner->leftover_count, sizeof *runner->leftover, by_key)
               : NULL;
}

GrStatus gr_runner_keep(GrRunner *runner, const GrResult *finished, int count, GrWaiting *waiting,
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
    if (status != GR_OK || count == 0 || (now - runner->synced < SYNC_SECONDS && !gr_runner_is_part(runner))) {
        return status;
    }
    runner->synced = now;
    return gr_shard_sync(runner->shard, log);
}

GrStatus gr_study_plan_rows(GrStudy *study, const GrBatch *batch, GrErrorLog *log)
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
    status = planned ? GR_OK : gr_study_plan_rows(study, batch, log);
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

GrStatus gr_runner_put(GrRunner *runner, const GrBatch *batch, bool *planned, GrWaiting *waiting, GrErrorLog *log)
{
    if (gr_runner_is_part(runner)) { // stays in the shard
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

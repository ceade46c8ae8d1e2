/// Parts of the runner: what it holds, and how finished runs come into the study.
///
///     finished run  --gr_runner_keep-->  shard and GrWaiting  --gr_runner_put-->  transaction  --gr_runner_store-->
///     study
#ifndef GR_RUNNER_PARTS_H
#define GR_RUNNER_PARTS_H

#include "helpers.h"
#include "runner.h"
#include "shard.h"

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
static inline bool gr_runner_is_part(const GrRunner *runner)
{
    return runner->def.parts > 1;
}

/// Results that wait for the next merge.
typedef struct GrWaiting {
    GrResult *items; ///< owned
    size_t count, capacity;
} GrWaiting;

/// Merges what an earlier process left in its shard. Results of rows that the study does not know yet become leftovers.
GrStatus gr_runner_take_leftovers(GrRunner *runner, const char *path, GrErrorLog *log);

/// The leftover of a row; NULL: there is none.
const GrResult *gr_runner_leftover(const GrRunner *runner, uint64_t key);

/// Takes finished runs over, into the shard and the waiting list.
GrStatus gr_runner_keep(GrRunner *runner, const GrResult *finished, int count, GrWaiting *waiting,
                        GrRunnerProgress *progress, GrErrorLog *log);

/// Puts what waits into the study, after the rows of the batch unless they are `*planned`. The small batches of a
/// search share a transaction of up to two seconds: a commit waits for the disk several times, and may take longer than
/// a run.
GrStatus gr_runner_put(GrRunner *runner, const GrBatch *batch, bool *planned, GrWaiting *waiting, GrErrorLog *log);

/// Adds the rows of a batch to the study, in their order, so that ids do not depend on threads.
GrStatus gr_study_plan_rows(GrStudy *study, const GrBatch *batch, GrErrorLog *log);

#endif

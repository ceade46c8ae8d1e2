/// Runs the rows of a campaign in threads and stores their results.
///
/// Each thread takes the next row that has no result, so that long and short runs balance. Finished runs go to a shard
/// (shard.h), which is synced several times a second and merged into the study (study.h) every few seconds. A process
/// that is killed loses nothing of this; a machine that fails loses at most the runs of a fraction of a second, which
/// are repeated.
#ifndef GR_RUNNER_H
#define GR_RUNNER_H

#include "link.h"
#include "study.h"

/// Progress of a batch.
typedef struct GrRunnerProgress {
    uint64_t total, done, failed; ///< failed: done without success
    double seconds;               ///< since the start of the batch
    double busy, stepping;        ///< processor time of the new runs, and the part of it spent in steps [s]
} GrRunnerProgress;

typedef struct GrRunnerDef {
    const GrCampaign *campaign;
    GrStudy *study;   ///< for writing; with a part: from gr_study_peek(), or NULL
    const char *path; ///< of the study
    int part, parts; ///< with parts > 1 only the rows of this part, 1 … parts, are run, and results stay in its shard,
                     ///< which gr_runner_merge() brings together later: for job arrays whose jobs cannot talk
    const GrLink *link; ///< other processes that share the work; NULL: none. Rank 0 has the study, the others none
    int threads;        ///< 0: one for each processor
    void *context;
    /// Called about four times a second; false ends the batch after the runs that are under way. May be NULL.
    bool (*watch)(void *context, const GrRunnerProgress *progress);
} GrRunnerDef;

typedef struct GrRunner GrRunner;

/// Merges what an earlier process left in shards. NULL after an error.
GrRunner *gr_runner_open(const GrRunnerDef *def, GrErrorLog *log);

/// Stores everything, and at rank 0 sends the other processes home. `all_here`: all are there and may end together;
/// otherwise some are gone (NULL: not wanted).
GrStatus gr_runner_close(GrRunner *runner, bool *all_here, GrErrorLog *log);

/// The rows of a batch, by number.
typedef struct GrBatch {
    uint64_t count;
    void *context;
    void (*row)(void *context, uint64_t index, GrRow *out); ///< called by several threads
    GrResult *results;                                      ///< [count] in the order of the rows; NULL: not wanted
} GrBatch;

/// The batch of a sweep: all rows of its campaign.
GrBatch gr_sweep_batch(const GrCampaign *campaign);

/// Runs all rows that have no result yet. `interrupted`: the watch ended it before all were done.
GrStatus gr_runner_run(GrRunner *runner, const GrBatch *batch, GrRunnerProgress *progress, bool *interrupted,
                       GrErrorLog *log);

/// Commits what is in the study's transaction: results of batches that wanted them, of the last two seconds. Until then
/// other connections do not see them. gr_runner_close() does it too.
GrStatus gr_runner_store(GrRunner *runner, GrErrorLog *log);

/// The part of a process that is not rank 0: runs the rows that rank 0 sends, of any batch, until rank 0 closes its
/// runner.
GrStatus gr_runner_serve(GrRunner *runner, GrErrorLog *log);

/// Where rank 0 could not open its runner: tells the other processes to end. False: some have ended already.
bool gr_runner_end_others(const GrLink *link);

/// Merges the shards of all parts into the study of `def`, which has been opened for writing, and deletes them. Rows of
/// the batch are planned first. May be repeated. `merged`: number of results.
GrStatus gr_runner_merge(const GrRunnerDef *def, const GrBatch *batch, uint64_t *merged, GrErrorLog *log);

#endif

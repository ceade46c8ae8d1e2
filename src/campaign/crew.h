/// A crew: the threads of one process that run rows of a batch. Each takes the next row, so that long and short runs
/// balance.
///
///     gr_crew_start  ->  { gr_crew_take | gr_crew_is_over } ...  ->  gr_crew_join
#ifndef GR_CREW_H
#define GR_CREW_H

#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct GrCrewThread GrCrewThread;

/// Fill in the first part; the rest is internal. Do not move it while threads run.
typedef struct GrCrew {
    const GrCampaign *campaign;
    const GrBatch *batch;
    void **workers; ///< [threads] of the subject
    int threads;
    const uint64_t *pending; ///< [pending_count] numbers of rows
    uint64_t pending_count;

    atomic_ullong next; ///< index in pending
    atomic_bool stop;
    pthread_mutex_t mutex; ///< protects what follows
    GrResult *finished;    ///< not yet taken
    int finished_count;
    int active; ///< threads that have not ended
    GrStatus status;
    GrErrorLog log;        ///< of the first failure
    GrCrewThread *started; ///< [started_count] owned
    int started_count;
} GrCrew;

/// Starts the threads; at most as many as there are rows.
GrStatus gr_crew_start(GrCrew *crew, GrErrorLog *log);

/// Whether all threads have ended.
bool gr_crew_is_over(GrCrew *crew);

/// Moves finished runs to the caller, who frees them with gr_free(). Returns their number.
int gr_crew_take(GrCrew *crew, GrResult **out);

/// Rows that nobody has begun.
uint64_t gr_crew_rest(GrCrew *crew);

/// Takes a row out of the pending ones, for somebody else. False: there is none, or the own threads have not all begun:
/// a batch that they can run at once is not worth a message.
bool gr_crew_lend(GrCrew *crew, uint64_t *row);

/// No row is begun any more.
void gr_crew_stop(GrCrew *crew);

/// Waits for the threads. The status is that of the first run that could not be carried out.
GrStatus gr_crew_join(GrCrew *crew, GrErrorLog *log);

#endif

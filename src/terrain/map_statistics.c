/// Threads that take blocks of a map, read them and add them up. What is computed from a block is in map_sums.h, which
/// block is next in map_blocks.h, what comes out in map_figures.h.
#include "map_statistics.h"

#include "alloc.h"
#include "map_figures.h"
#include "out_of_memory.h"

#include <pthread.h>

/// What threads share.
typedef struct Job {
    const GrGridFrame *frame;
    GrReaders readers;
    int lag_count;
    GrMapSums sums[GR_MAP_MOST_BLOCKS];
    pthread_mutex_t reading[GR_MAP_MOST_THREADS]; ///< of each reader: they are not thread-safe
    pthread_mutex_t lock;                         ///< of what follows
    GrMapBlocks blocks;
    int done;
    GrStatus status;
    GrErrorLog *log;
    GrProgressFn progress;
    void *context;
} Job;

/// One thread.
typedef struct Worker {
    Job *job;
    int number;
    int stripe; ///< from which it takes blocks; −1: none yet
    double *z;  ///< heights of a block with its border
    GrMapCounts counts;
    pthread_t thread;
    bool runs;
} Worker;

/// The next block of this thread; −1: there is none.
static int take_next(Worker *w)
{
    Job *job = w->job;
    pthread_mutex_lock(&job->lock);
    const int n = job->status == GR_OK ? gr_map_take(&job->blocks, &w->stripe) : -1;
    if (n >= 0 && job->progress != NULL) {
        job->progress(job->context, (double)++job->done, (double)job->blocks.looked);
    }
    pthread_mutex_unlock(&job->lock);
    return n;
}

/// Reads the next block into `w->z`; returns its number, −1: there is none, or it cannot be read.
static int read_next(Worker *w, GrMapPlace *place)
{
    Job *job = w->job;
    const int n = take_next(w);
    if (n < 0) {
        return n;
    }
    const int reader = w->number % job->readers.count;
    const GrSource *source = &job->readers.sources[reader];
    *place = gr_map_place(&job->blocks, n);
    pthread_mutex_lock(&job->reading[reader]);
    GrStatus status = source->read(source->context, place->window, w->z, NULL);
    if (status != GR_OK) { // again, to say why: one thread writes messages
        pthread_mutex_lock(&job->lock);
        status = job->status == GR_OK ? source->read(source->context, place->window, w->z, job->log) : status;
        job->status = job->status == GR_OK ? status : job->status;
        pthread_mutex_unlock(&job->lock);
    }
    pthread_mutex_unlock(&job->reading[reader]);
    return status == GR_OK ? n : -1;
}

static void *work(void *context)
{
    Worker *w = context;
    Job *job = w->job;
    GrMapPlace place;
    for (int n; (n = read_next(w, &place)) >= 0;) {
        job->sums[n] = gr_map_sums(job->frame, &place, w->z, job->lag_count, &w->counts);
    }
    return NULL;
}

static bool make_worker(Worker *w, Job *job, int number)
{
    w->job = job;
    w->number = number;
    w->stripe = -1;
    w->z = gr_malloc((size_t)(GR_MAP_BLOCK + 2) * (GR_MAP_BLOCK + 2) * sizeof *w->z);
    return w->z != NULL;
}

/// Works in this thread and in up to threads − 1 others. Where one cannot be started the rest do its work.
static void work_together(Worker *workers, int threads)
{
    for (int t = 1; t < threads; t++) {
        workers[t].runs = pthread_create(&workers[t].thread, NULL, work, &workers[t]) == 0;
    }
    work(&workers[0]);
    for (int t = 1; t < threads; t++) {
        if (workers[t].runs) {
            pthread_join(workers[t].thread, NULL);
        }
        for (int k = 0; k < GR_SLOPE_BINS; k++) {
            workers[0].counts.slopes.counts[k] += workers[t].counts.slopes.counts[k];
        }
        for (int k = 0; k < GR_CHANGE_BINS; k++) {
            workers[0].counts.changes.counts[k] += workers[t].counts.changes.counts[k];
        }
    }
}

static GrStatus compute(Job *job, int threads, GrStatistics *out)
{
    threads = threads < job->blocks.looked ? threads : job->blocks.looked;
    Worker *workers = gr_calloc((size_t)threads, sizeof *workers);
    bool made = workers != NULL;
    for (int t = 0; made && t < threads; t++) {
        made = make_worker(&workers[t], job, t);
    }
    if (made) {
        work_together(workers, threads);
    }
    if (made && job->status == GR_OK) {
        const GrMapSums total = gr_map_sums_total(job->sums, job->blocks.looked);
        gr_figures_finish(job->frame, &total, &workers[0].counts, out);
    }
    for (int t = 0; workers != NULL && t < threads; t++) {
        gr_free(workers[t].z);
    }
    gr_free(workers);
    return made ? job->status : gr_out_of_memory(job->log, NULL);
}

static void free_locks(Job *job, int count)
{
    for (int k = 0; k < count; k++) {
        pthread_mutex_destroy(&job->reading[k]);
    }
}

static bool make_locks(Job *job)
{
    int made = 0;
    while (made < GR_MAP_MOST_THREADS && pthread_mutex_init(&job->reading[made], NULL) == 0) {
        made++;
    }
    if (made == GR_MAP_MOST_THREADS && pthread_mutex_init(&job->lock, NULL) == 0) {
        return true;
    }
    free_locks(job, made);
    return false;
}

GrStatus gr_statistics_compute(const GrGridFrame *frame, GrReaders readers, int threads, GrStatistics *out,
                               GrProgressFn progress, void *context, GrErrorLog *log)
{
    gr_figures_begin(frame, out);
    Job *job = gr_calloc(1, sizeof *job);
    if (job == NULL || !make_locks(job)) {
        gr_free(job);
        return gr_out_of_memory(log, NULL);
    }
    threads = threads < 1 ? 1 : threads > GR_MAP_MOST_THREADS ? GR_MAP_MOST_THREADS : threads;
    job->frame = frame;
    job->readers =
        (GrReaders){readers.sources, readers.count < GR_MAP_MOST_THREADS ? readers.count : GR_MAP_MOST_THREADS};
    job->lag_count = out->lag_count;
    job->log = log;
    job->progress = progress;
    job->context = context;
    job->blocks = gr_map_blocks(frame, threads);
    const GrStatus status = compute(job, threads, out);
    free_locks(job, GR_MAP_MOST_THREADS);
    pthread_mutex_destroy(&job->lock);
    gr_free(job);
    return status;
}

#include "crew.h"

#include "alloc.h"
#include "clock.h"
#include "link.h"
#include "list.h"
#include "messages.h"
#include "out_of_memory.h"
#include "plugin.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- processes that work together

/// Number of processes that were started together, by the variables of Open MPI, MPICH and Slurm with PMI.
static long started_together(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        const long count = text != NULL ? strtol(text, NULL, 10) : 0;
        if (count > 1) {
            return count;
        }
    }
    return 1;
}

bool gr_link_open(GrLink *out, const char **problem)
{
    *problem = NULL;
    if (started_together() < 2) {
        return false;
    }
    bool (*open)(GrLink * link) = NULL;
    void *symbol = gr_plugin_symbol("libgrouser_mpi.so", "gr_mpi_link_open");
    if (symbol == NULL) {
        *problem = "this build has no MPI: install libopenmpi-dev and build again, or use --shard";
        return false;
    }
    *(void **)(&open) = symbol; // the way of POSIX from an object pointer to a function
    if (!open(out)) {
        *problem = "MPI could not be started";
        return false;
    }
    return true;
}

struct GrCrewThread {
    GrCrew *crew;
    pthread_t thread;
    void *worker;
};

/// Runs one row and computes its measures.
static GrStatus run_row(const GrCrew *crew, void *worker, uint64_t index, GrResult *result, GrErrorLog *log)
{
    const GrCampaign *c = crew->campaign;
    GrRow row;
    double terms[GR_MEASURE_TERMS];
    crew->batch->row(crew->batch->context, index, &row);
    const GrCase one = gr_row_case(&row);
    const double start = gr_thread_time();
    *result = (GrResult){.key = row.key, .metric_count = c->measures.count};
    const GrStatus status = c->kind->run(worker, &one, terms, result, log);
    for (int i = 0; i < c->measures.term_count; i++) {
        const GrTerm *term = &c->measures.terms[i];
        for (int k = 0; term->reducer == GR_REDUCE_VARIABLE && k < row.count; k++) {
            terms[i] = strcmp(row.paths[k], term->name) == 0 ? row.numbers[k] : terms[i];
        }
    }
    for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
        result->metrics[i] = gr_measure_value(&c->measures, i, terms);
    }
    result->wall = gr_thread_time() - start;
    return status;
}

static void hand_over(GrCrew *crew, const GrResult *result, GrStatus status, const GrErrorLog *log)
{
    pthread_mutex_lock(&crew->mutex);
    if (status == GR_OK && gr_list_add(&crew->finished, &crew->finished_count, result, sizeof *result) < 0) {
        status = gr_out_of_memory(&crew->log, NULL);
    } else if (status != GR_OK && crew->status == GR_OK) {
        crew->log = (GrErrorLog){.quiet = true};
        gr_messages_repeat(log, &crew->log);
    }
    crew->status = crew->status == GR_OK ? status : crew->status;
    pthread_mutex_unlock(&crew->mutex);
    if (status != GR_OK) {
        atomic_store(&crew->stop, true);
    }
}

static void *work(void *argument)
{
    GrCrewThread *thread = argument;
    GrCrew *crew = thread->crew;
    while (!atomic_load(&crew->stop)) {
        GrErrorLog log = {0};
        GrResult result;
        const uint64_t next = atomic_fetch_add(&crew->next, 1);
        if (next >= crew->pending_count) {
            break;
        }
        const GrStatus status = run_row(crew, thread->worker, crew->pending[next], &result, &log);
        hand_over(crew, &result, status, &log);
    }
    pthread_mutex_lock(&crew->mutex);
    crew->active--;
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

GrStatus gr_crew_start(GrCrew *crew, GrErrorLog *log)
{
    const int most = (uint64_t)crew->threads < crew->pending_count ? crew->threads : (int)crew->pending_count;
    pthread_mutex_init(&crew->mutex, NULL);
    crew->started = gr_calloc((size_t)most + 1, sizeof *crew->started);
    if (crew->started == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    crew->active = most;
    for (; crew->started_count < most; crew->started_count++) {
        GrCrewThread *thread = &crew->started[crew->started_count];
        *thread = (GrCrewThread){.crew = crew, .worker = crew->workers[crew->started_count]};
        if (pthread_create(&thread->thread, NULL, work, thread) != 0) {
            break;
        }
    }
    pthread_mutex_lock(&crew->mutex);
    crew->active -= most - crew->started_count;
    pthread_mutex_unlock(&crew->mutex);
    return crew->started_count > 0 || most == 0
               ? GR_OK
               : gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "no thread can be started");
}

bool gr_crew_is_over(GrCrew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    const bool over = crew->active == 0;
    pthread_mutex_unlock(&crew->mutex);
    return over;
}

int gr_crew_take(GrCrew *crew, GrResult **out)
{
    pthread_mutex_lock(&crew->mutex);
    const int count = crew->finished_count;
    *out = crew->finished;
    crew->finished = NULL;
    crew->finished_count = 0;
    pthread_mutex_unlock(&crew->mutex);
    return count;
}

uint64_t gr_crew_rest(GrCrew *crew)
{
    const uint64_t next = atomic_load(&crew->next);
    return next < crew->pending_count && !atomic_load(&crew->stop) ? crew->pending_count - next : 0;
}

bool gr_crew_lend(GrCrew *crew, uint64_t *row)
{
    if (atomic_load(&crew->stop) || atomic_load(&crew->next) < (uint64_t)crew->started_count) {
        return false;
    }
    const uint64_t next = atomic_fetch_add(&crew->next, 1);
    if (next >= crew->pending_count) {
        return false;
    }
    *row = crew->pending[next];
    return true;
}

void gr_crew_stop(GrCrew *crew)
{
    atomic_store(&crew->stop, true);
}

GrStatus gr_crew_join(GrCrew *crew, GrErrorLog *log)
{
    for (int i = 0; i < crew->started_count; i++) {
        pthread_join(crew->started[i].thread, NULL);
    }
    gr_free(crew->started);
    gr_free(crew->finished);
    pthread_mutex_destroy(&crew->mutex);
    return crew->status == GR_OK ? GR_OK
                                 : gr_error_add(log, crew->status, (GrLocation){0}, "%s",
                                                crew->log.count > 0 ? crew->log.items[0].text : "a run failed");
}

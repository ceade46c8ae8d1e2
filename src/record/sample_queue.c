#include "sample_queue.h"

#include "alloc.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
    SLOTS = 256,
    WAKE_SAMPLES = 32
}; // the thread is woken for every WAKE_SAMPLES samples, since waking it costs a system call
static const long NAP = 20000000; // the thread wakes up after this time [ns]

struct GrSampleQueue {
    const GrModel *model;
    GrSampleFn take;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    GrSample slots[SLOTS]; ///< a ring buffer: `count` samples from `first` on are waiting
    int first, count;
    bool ending;
    GrStatus status; ///< of the first failure
    GrErrorLog log;  ///< its messages
};

static void copy_sample(const GrModel *m, GrSample *to, const GrSample *from)
{
    GrSample copy = *from;
    copy.wheels = to->wheels;
    copy.joints = to->joints;
    copy.bodies = to->bodies;
    copy.rocks = to->rocks;
    memcpy(copy.wheels, from->wheels, (size_t)gr_model_wheel_count(m) * sizeof *copy.wheels);
    memcpy(copy.joints, from->joints, (size_t)gr_model_joint_count(m) * sizeof *copy.joints);
    memcpy(copy.bodies, from->bodies, (size_t)gr_model_part_count(m) * sizeof *copy.bodies);
    memcpy(copy.rocks, from->rocks, (size_t)from->rock_count * sizeof *copy.rocks);
    *to = copy;
}

static void nap(GrSampleQueue *q)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += NAP;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&q->filled, &q->lock, &until);
}

/// Removes samples from the ring only after they were processed, so that an empty ring means an idle thread.
static void *work(void *context)
{
    GrSampleQueue *q = context;
    pthread_mutex_lock(&q->lock);
    while (!q->ending || q->count > 0) {
        if (q->count == 0) {
            nap(q);
            continue;
        }
        const GrSample *sample = &q->slots[q->first];
        const bool good = q->status == GR_OK;
        pthread_mutex_unlock(&q->lock);
        const GrStatus status = good ? q->take(q->context, sample, &q->log) : GR_OK;
        pthread_mutex_lock(&q->lock);
        q->status = good ? status : q->status;
        q->first = (q->first + 1) % SLOTS;
        q->count--;
        if (q->count == 0 || q->count == SLOTS - WAKE_SAMPLES) {
            pthread_cond_signal(&q->emptied);
        }
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void free_slots(GrSampleQueue *q)
{
    for (int i = 0; i < SLOTS; i++) {
        gr_sample_free(&q->slots[i]);
    }
    gr_free(q);
}

GrSampleQueue *gr_sample_queue_create(const GrModel *model, int rock_count, GrSampleFn take, void *context)
{
    GrSampleQueue *q = gr_calloc(1, sizeof *q);
    bool good = q != NULL;
    for (int i = 0; good && i < SLOTS; i++) {
        good = gr_sample_init(model, rock_count, &q->slots[i]);
    }
    if (!good) {
        if (q != NULL) {
            free_slots(q);
        }
        return NULL;
    }
    q->model = model;
    q->take = take;
    q->context = context;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, &clock);
    pthread_cond_init(&q->emptied, NULL);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&q->thread, NULL, work, q) != 0) {
        free_slots(q);
        return NULL;
    }
    return q;
}

/// Returns the first failure, and its messages once.
static GrStatus answer(GrSampleQueue *q, GrErrorLog *log)
{
    for (int i = 0; q->status != GR_OK && i < q->log.count; i++) {
        const GrError *e = &q->log.items[i];
        gr_error_add(log, e->status, (GrLocation){.file = e->file}, "%s", e->text);
    }
    if (q->status != GR_OK) {
        q->log.count = 0;
    }
    return q->status;
}

GrStatus gr_sample_queue_add(GrSampleQueue *q, const GrSample *sample, GrErrorLog *log)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == SLOTS && q->status == GR_OK) {
        pthread_cond_signal(&q->filled);
        pthread_cond_wait(&q->emptied, &q->lock);
    }
    const GrStatus status = answer(q, log);
    if (status == GR_OK) {
        copy_sample(q->model, &q->slots[(q->first + q->count) % SLOTS], sample);
        q->count++;
        if (q->count == WAKE_SAMPLES) {
            pthread_cond_signal(&q->filled);
        }
    }
    pthread_mutex_unlock(&q->lock);
    return status;
}

GrStatus gr_sample_queue_drain(GrSampleQueue *q, GrErrorLog *log)
{
    pthread_mutex_lock(&q->lock);
    while (q->count > 0) {
        pthread_cond_signal(&q->filled);
        pthread_cond_wait(&q->emptied, &q->lock);
    }
    const GrStatus status = answer(q, log);
    pthread_mutex_unlock(&q->lock);
    return status;
}

void gr_sample_queue_free(GrSampleQueue *q)
{
    if (q == NULL) {
        return;
    }
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->filled);
    pthread_cond_destroy(&q->emptied);
    pthread_mutex_destroy(&q->lock);
    free_slots(q);
}

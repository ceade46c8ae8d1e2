#include "inbox.h"

#include "alloc.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <time.h>

struct GrInbox {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    bool woken;
    GrMessage items[GR_INBOX_SIZE]; ///< a ring
    int first, count;
};

GrInbox *gr_inbox_create(void)
{
    GrInbox *inbox = gr_calloc(1, sizeof *inbox);
    pthread_condattr_t steady;
    if (inbox == NULL) {
        return NULL;
    }
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&inbox->mutex, NULL);
    pthread_cond_init(&inbox->arrived, &steady);
    pthread_condattr_destroy(&steady);
    return inbox;
}

void gr_inbox_free(GrInbox *inbox)
{
    if (inbox != NULL) {
        pthread_mutex_destroy(&inbox->mutex);
        pthread_cond_destroy(&inbox->arrived);
        gr_free(inbox);
    }
}

bool gr_inbox_post(GrInbox *inbox, const GrMessage *message)
{
    pthread_mutex_lock(&inbox->mutex);
    GrMessage *last = &inbox->items[(inbox->first + inbox->count + GR_INBOX_SIZE - 1) % GR_INBOX_SIZE];
    const bool drives = message->op == GR_MESSAGE_DRIVE || message->op == GR_MESSAGE_TWIST;
    const bool newer = inbox->count > 0 && drives && message->ticket == 0 && last->op == message->op;
    const bool room = newer || inbox->count < GR_INBOX_SIZE;
    if (newer) {
        *last = *message;
    } else if (room) {
        inbox->items[(inbox->first + inbox->count++) % GR_INBOX_SIZE] = *message;
    }
    pthread_cond_signal(&inbox->arrived);
    pthread_mutex_unlock(&inbox->mutex);
    return room;
}

void gr_inbox_wake(GrInbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->woken = true;
    pthread_cond_signal(&inbox->arrived);
    pthread_mutex_unlock(&inbox->mutex);
}

static struct timespec after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double whole = floor(seconds);
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)(1e9 * (seconds - whole));
    if (time.tv_nsec >= 1000000000L) {
        time.tv_nsec -= 1000000000L;
        time.tv_sec++;
    }
    return time;
}

bool gr_inbox_take(GrInbox *inbox, double wait, GrMessage *out)
{
    pthread_mutex_lock(&inbox->mutex);
    if (wait > 0) {
        const struct timespec until = after(wait);
        while (inbox->count == 0 && !inbox->woken &&
               pthread_cond_timedwait(&inbox->arrived, &inbox->mutex, &until) != ETIMEDOUT) {
        }
    }
    inbox->woken = false;
    const bool taken = inbox->count > 0;
    if (taken) {
        *out = inbox->items[inbox->first];
        inbox->first = (inbox->first + 1) % GR_INBOX_SIZE;
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->mutex);
    return taken;
}

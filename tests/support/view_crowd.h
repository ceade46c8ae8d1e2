/// A crowd of viewers in a separate thread: most of them read everything, some never read, some are half open.
#ifndef GR_VIEW_CROWD_H
#define GR_VIEW_CROWD_H

#include "socket_client.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

enum { GR_CROWD_MAX = 256 };

typedef struct GrCrowd {
    int port, readers, sleepers, half; ///< sleepers never read; half: connections without a handshake
    int fds[GR_CROWD_MAX];
    int count;
    pthread_t thread;
    atomic_bool stopping, ready;
    atomic_long bytes; ///< that were read
} GrCrowd;

static inline void *gr_crowd_run(void *context)
{
    GrCrowd *crowd = context;
    static char buffer[1 << 16];
    struct pollfd polls[GR_CROWD_MAX];
    for (int i = 0; i < crowd->readers + crowd->sleepers; i++) {
        crowd->fds[crowd->count++] = gr_client_open(crowd->port);
        if (i < crowd->readers) {
            fcntl(crowd->fds[i], F_SETFL, O_NONBLOCK);
            polls[i] = (struct pollfd){.fd = crowd->fds[i], .events = POLLIN};
        }
    }
    for (int i = 0; i < crowd->half; i++) {
        crowd->fds[crowd->count++] = gr_client_connect(crowd->port);
    }
    atomic_store(&crowd->ready, true);
    while (!atomic_load(&crowd->stopping)) {
        if (poll(polls, (nfds_t)crowd->readers, 20) <= 0) {
            continue;
        }
        for (int i = 0; i < crowd->readers; i++) {
            const ssize_t got = polls[i].revents != 0 ? recv(polls[i].fd, buffer, sizeof buffer, 0) : -1;
            atomic_fetch_add(&crowd->bytes, got > 0 ? got : 0);
            polls[i].fd = got == 0 ? -1 : polls[i].fd; // hung up
        }
    }
    return NULL;
}

/// Returns when all of them are connected.
static inline void gr_crowd_start(GrCrowd *crowd)
{
    assert_true(crowd->readers + crowd->sleepers + crowd->half <= GR_CROWD_MAX);
    assert_int_equal(pthread_create(&crowd->thread, NULL, gr_crowd_run, crowd), 0);
    while (!atomic_load(&crowd->ready)) {
        usleep(1000);
    }
}

static inline void gr_crowd_stop(GrCrowd *crowd)
{
    atomic_store(&crowd->stopping, true);
    pthread_join(crowd->thread, NULL);
    for (int i = 0; i < crowd->count; i++) {
        close(crowd->fds[i]);
    }
}

#endif

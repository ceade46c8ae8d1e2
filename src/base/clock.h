/// Clocks.
#ifndef GR_CLOCK_H
#define GR_CLOCK_H

#include <time.h>

static inline double gr_clock_read(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Wall time, from any origin; it never jumps [s].
static inline double gr_wall_time(void)
{
    return gr_clock_read(CLOCK_MONOTONIC);
}

/// Processor time of the calling thread [s].
static inline double gr_thread_time(void)
{
    return gr_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif

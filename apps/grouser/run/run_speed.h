/// Measures the time of a whole run with all its recordings, for `grouser bench` and `make bench`.
#ifndef GR_RUN_SPEED_H
#define GR_RUN_SPEED_H

#include "grouser/run.h"

typedef struct GrRunSpeed {
    double set_up;    ///< of the world: terrain, rocks, model, start [s]
    double run;       ///< with all recordings, from opening them to closing them [s]
    double cpu;       ///< the same, summed over all threads: time that a single core would need [s]
    double simulated; ///< [s]
    long steps;
    uint64_t hash;
    GrOutcome outcome;
} GrRunSpeed;

/// The fastest of several runs, which must all end in the same bits; `cpu` is the least of them all.
GrStatus gr_run_speed(const GrScenario *scenario, int repeats, GrRunSpeed *best, GrErrorLog *log);

#endif

/// How `grouser run` tells what happened.
#ifndef GR_RUN_PRINT_H
#define GR_RUN_PRINT_H

#include "grouser/run.h"

#include <stdio.h>

/// What else was asked of a run.
typedef struct GrRunChecks {
    bool has_convergence, has_reference;
    GrConvergence convergence[GR_CONVERGENCE_COUNT];
    GrReference reference;
} GrRunChecks;

void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrRunChecks *checks, FILE *file);

#endif

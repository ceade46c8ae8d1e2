/// How `grouser run` tells what happened.
#ifndef GR_RUN_PRINT_H
#define GR_RUN_PRINT_H

#include "grouser/run.h"

#include <stdio.h>

/// `convergence`: NULL, or its rows.
void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrConvergence *convergence, FILE *file);

#endif

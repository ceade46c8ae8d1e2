/// Text output of `grouser run`.
#ifndef GR_RUN_PRINT_H
#define GR_RUN_PRINT_H

#include "run_check.h"

#include <stdio.h>

void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrRunChecks *checks, FILE *file);

#endif

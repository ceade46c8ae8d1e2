/// Text output of `grouser run`.
#ifndef GR_RUN_PRINT_H
#define GR_RUN_PRINT_H

#include "run_bands.h"
#include "run_check.h"

#include <stdio.h>

/// `bands`: of samples of the soil; NULL: none.
void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrRunBands *bands, const GrRunChecks *checks,
                  FILE *file);

#endif

/// Text output of `grouser run`.
#ifndef GR_RUN_PRINT_H
#define GR_RUN_PRINT_H

#include "grouser/run.h"
#include "json.h"
#include "run_recorder.h"
#include "run_tables.h"

#include <stdio.h>

// Results of `grouser run --check-convergence` and `--check-reference` in machine-readable form.

/// Requested checks of a run and their results.
typedef struct GrRunChecks {
    bool has_convergence, has_reference;
    double limit; ///< of the largest changes [-]; INFINITY: none
    GrHalfStep convergence;
    GrReference reference;
} GrRunChecks;

/// Whether all checked values are within the limit and the runs had the same outcome. Always true without a limit.
bool gr_run_checks_pass(const GrRunChecks *checks);

/// The member `check` of a summary; `context` is a GrRunChecks. Writes nothing if nothing was checked.
void gr_run_checks_put(const void *context, GrJson *json);

/// `bands`: of samples of the soil; NULL: none.
void gr_run_print(const GrWorld *world, const GrRunSummary *summary, const GrRunBands *bands, const GrRunChecks *checks,
                  FILE *file);

/// gr_run_recorded() with a progress bar, until Ctrl-C.
GrStatus gr_run_job(GrWorld *world, GrRecordedRun def, GrRunSummary *summary, GrErrorLog *log);

/// Says what a run has left in its folder: "wrote DIRECTORY/{run.csv, ...}".
void gr_run_print_files(const char *directory, FILE *out);

#endif

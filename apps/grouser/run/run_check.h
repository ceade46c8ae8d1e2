/// What `grouser run --check-convergence` and `--check-reference` found, for the eye of a machine.
#ifndef GR_RUN_CHECK_H
#define GR_RUN_CHECK_H

#include "grouser/run.h"
#include "json.h"

/// What else was asked of a run.
typedef struct GrRunChecks {
    bool has_convergence, has_reference;
    double limit; ///< of the largest changes [-]; INFINITY: none
    GrHalfStep convergence;
    GrReference reference;
} GrRunChecks;

/// Whether all that was checked is within the limit, and ended in the same way. Without a limit everything is.
bool gr_run_checks_pass(const GrRunChecks *checks);

/// The member `check` of a summary; `context` is a GrRunChecks. Nothing where nothing was checked.
void gr_run_checks_put(const void *context, GrJson *json);

#endif

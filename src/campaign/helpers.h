/// Helpers: other processes that run rows of a batch (MPI ranks above 0).
///
/// A helper asks for rows and returns their results with its next request. While it works it sends a sign of life every
/// second. The rows of a helper that has been silent for long come back and are run by others; a result that arrives
/// twice is the same, and counts once.
#ifndef GR_HELPERS_H
#define GR_HELPERS_H

#include "crew.h"
#include "link.h"

/// A row that a helper has.
typedef struct GrLent {
    uint64_t row, key;
    int rank;
} GrLent;

/// Zero-initialised: no helpers.
typedef struct GrHelpers {
    const GrLink *link;
    const GrBatch *batch;
    GrLent *lent; ///< [lent_count] owned
    int lent_count;
    uint64_t *returned; ///< [returned_count] owned: rows of helpers that are gone
    int returned_count;
    GrResult *finished; ///< [finished_count] owned by the caller
    int finished_count;
    double *heard; ///< [link->size] owned: when each was last heard [s]
} GrHelpers;

GrStatus gr_helpers_begin(GrHelpers *helpers, const GrLink *link, const GrBatch *batch, GrErrorLog *log);

/// Answers the messages that arrive within `seconds`, with rows of the crew.
GrStatus gr_helpers_answer(GrHelpers *helpers, GrCrew *crew, double seconds, GrErrorLog *log);

/// Moves the rows of helpers that are gone to `rows`; returns their number.
uint64_t gr_helpers_returned(GrHelpers *helpers, uint64_t *rows);

/// Sends all helpers home. False: some did not answer.
bool gr_helpers_end(GrHelpers *helpers);

/// A helper's own side, until it is sent home. `like` has campaign, batch, workers and threads of its crew. `all_here`:
/// no process is gone, so that all may end together.
GrStatus gr_helper_serve(const GrLink *link, const GrCrew *like, bool *all_here, GrErrorLog *log);

#endif

/// Processes that help rank 0 of a campaign, and which runs each of them has.
#ifndef GR_HELPERS_H
#define GR_HELPERS_H

#include "buffer.h"
#include "campaign.h"
#include "crew.h"
#include "link.h"
#include "measure.h"

// The messages between rank 0 of a campaign and its helpers (helpers.h).
//
//     rank 0  --assignment: rows, with the texts of their values-->  helper
//     rank 0  <--request: results, and how many rows it wants-----   helper
//
// Rows travel as values and not as numbers of rows: a search alone knows what its rows are. The helper rebuilds them
// and compares their keys, which are hashes of all input, so that other input files on its machine are noticed.

/// What an assignment says. STOP is answered by a request with `leaves`, and followed by ALL_HERE, or by SOME_GONE:
/// then nobody may wait for all others to end.
typedef enum GrAnswer {
    GR_ANSWER_WORK,
    GR_ANSWER_WAIT, ///< there are no rows now; rank 0 is alive
    GR_ANSWER_STOP,
    GR_ANSWER_ALL_HERE,
    GR_ANSWER_SOME_GONE,
    GR_ANSWER_COUNT
} GrAnswer;

enum { GR_ASSIGNMENT_ROWS = 200, GR_ASSIGNMENT_BYTES = 1 << 16 }; ///< when it is large enough

/// Begins a message without rows, and appends a row.
void gr_assignment_begin(GrBuffer *out, GrAnswer answer);
void gr_assignment_add(GrBuffer *out, const GrRow *row);

/// A received assignment; zero-initialised: none.
typedef struct GrAssignment {
    GrAnswer answer;
    const GrCampaign *campaign;
    unsigned char *data; ///< owned
    size_t *at;          ///< [count] owned: where each row begins
    int count;
} GrAssignment;

/// GR_ERROR_FILE: damaged. GR_ERROR_VALUE: this process has other input than rank 0. Free in any case.
GrStatus gr_assignment_read(const void *data, size_t size, const GrCampaign *campaign, GrAssignment *out,
                            GrErrorLog *log);
void gr_assignment_free(GrAssignment *assignment);

/// Row `index`; may be called by several threads.
void gr_assignment_row(const GrAssignment *assignment, uint64_t index, GrRow *out);

/// To rank 0: a head, then results as in shards. Nothing wanted: a sign of life.
typedef struct GrRequest {
    uint32_t wanted;  ///< rows
    uint32_t threads; ///< of the helper
    uint32_t count;   ///< results
    uint32_t leaves;  ///< 1: the answer to STOP
} GrRequest;

// Helpers: other processes that run rows for rank 0 (MPI ranks above 0), over all batches of a runner.
//
// A helper asks for rows and returns their results with its next request. Rank 0 answers at once, or when the next
// batch begins. Every helper sends a sign of life every second. The rows of a helper that has been silent for long
// come back and are run by others; a result that arrives twice is the same, and counts once.

/// A row that a helper has.
typedef struct GrLent {
    uint64_t row, key;
    int rank;
} GrLent;

/// What rank 0 knows of a helper.
typedef struct GrHelper {
    double last_received; ///< time of its last message [s]
    double last_sent;     ///< time of the last message to it [s]
    uint32_t wanted;      ///< rows that it waits for; 0: it works
    uint32_t threads;
    bool lost; ///< silent for long; it may come back
    bool left; ///< has confirmed that it ends
} GrHelper;

/// Zero-initialised: no helpers.
typedef struct GrHelpers {
    const GrLink *link;
    const GrBatch *batch; ///< the present one
    GrHelper *all;        ///< [link->size] owned; that of rank 0 is not used
    GrLent *lent;         ///< [lent_count] owned
    int lent_count;
    uint64_t *returned; ///< [returned_count] owned: rows of helpers that are gone
    int returned_count;
    GrResult *finished; ///< [finished_count] owned by the caller
    int finished_count;
    double listened; ///< when rank 0 last read its messages [s]
} GrHelpers;

GrStatus gr_helpers_begin(GrHelpers *helpers, const GrLink *link, GrErrorLog *log);

/// From now on helpers get rows of this batch. Results of an earlier one are ignored.
void gr_helpers_turn_to(GrHelpers *helpers, const GrBatch *batch);

/// Waits up to `seconds` for messages, takes the results over and hands out rows of the crew.
GrStatus gr_helpers_answer(GrHelpers *helpers, GrCrew *crew, double seconds, GrErrorLog *log);

/// Moves the rows of helpers that are gone to `rows`; returns their number.
uint64_t gr_helpers_returned(GrHelpers *helpers, uint64_t *rows);

/// Sends all helpers home. False: some did not answer.
bool gr_helpers_end(GrHelpers *helpers);

/// A helper's own side, until it is sent home. `like` has campaign, workers and threads of its crew. `all_here`: no
/// process is gone, so that all may end together.
GrStatus gr_helper_serve(const GrLink *link, const GrCrew *like, bool *all_here, GrErrorLog *log);

#endif

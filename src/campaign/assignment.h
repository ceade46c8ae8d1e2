/// The messages between rank 0 of a campaign and its helpers (helpers.h).
///
///     rank 0  --assignment: rows, with the texts of their values-->  helper
///     rank 0  <--request: results, and how many rows it wants-----   helper
///
/// Rows travel as values and not as numbers of rows: a search alone knows what its rows are. The helper rebuilds them
/// and compares their keys, which are hashes of all input, so that other input files on its machine are noticed.
#ifndef GR_ASSIGNMENT_H
#define GR_ASSIGNMENT_H

#include "buffer.h"
#include "campaign.h"
#include "result.h"

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

#endif

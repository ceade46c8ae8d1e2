/// summary.json, and what `grouser run --json` prints: a whole run in one object.
#ifndef GR_RUN_SUMMARY_H
#define GR_RUN_SUMMARY_H

#include "account.h"
#include "buffer.h"
#include "grouser/sample.h"
#include "grouser/trust.h"
#include "json.h"

#include <stdio.h>

/// Identity of the run.
typedef struct GrRunHead {
    const char *name, *title;       ///< of the scenario; may be NULL
    const GrModel *model;           ///< for the names of rover and wheels
    const GrTrust *trust;           ///< how far to trust the run; NULL: not written
    const struct GrRunBands *bands; ///< NULL: none
    /// Appends further members to the object, called with `context`; NULL: none.
    void (*more)(const void *context, GrJson *json);
    const void *context;
} GrRunHead;

/// Appends the object. The state's hash is a string of 16 hexadecimal digits, null during the run.
GrStatus gr_run_summary_format(const GrRunHead *head, const GrRunSummary *summary, GrBuffer *out);

GrStatus gr_run_summary_print(const GrRunHead *head, const GrRunSummary *summary, FILE *file);

/// Replaces the file atomically: a reader sees the old one or the new one.
GrStatus gr_run_summary_save(const GrRunHead *head, const GrRunSummary *summary, const char *path, GrErrorLog *log);

// Summary of the samples so far, for the files of a run in progress.

typedef struct GrRunTotals {
    GrRunSummary summary; ///< gr_run_totals_finish() completes it
    const GrModel *model;
    GrWheelSums *sums; ///< [wheel_count]
    GrClimbSums climbs;
    GrVec3 up;     ///< unit vector against gravity
    long *changes; ///< [wheel_count] of the contact state, from sample to sample
    int *states;   ///< of the last sample
    GrVec3 start;  ///< of the chassis
    double span;   ///< duration [s]
    long count;
} GrRunTotals;

/// False when out of memory.
bool gr_run_totals_init(GrRunTotals *totals, const GrModel *model);
void gr_run_totals_add(GrRunTotals *totals, const GrSample *sample);

/// The summary so far, owned by the totals.
const GrRunSummary *gr_run_totals_finish(GrRunTotals *totals, double wall_time);
void gr_run_totals_free(GrRunTotals *totals);

#endif

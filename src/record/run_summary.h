/// summary.json, and what `grouser run --json` prints: a whole run in one object.
#ifndef GR_RUN_SUMMARY_H
#define GR_RUN_SUMMARY_H

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

#endif

/// Messages to the user: errors, warnings and progress on stderr, coloured on a terminal only.
#ifndef GR_REPORT_H
#define GR_REPORT_H

#include "grouser/status.h"
#include "page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// "grouser: error: …"
void gr_report_error(const char *format, ...) GR_PRINTF(1, 2);

/// Prints all messages of a log, one per line, as gr_error_format() writes them, and the number of those left out.
void gr_report_log(const GrErrorLog *log);

/// Exit code for a status: GR_EXIT_INPUT when the input is wrong, GR_EXIT_FAILURE otherwise.
int gr_report_exit_code(GrStatus status);

/// Prints `text` wrapped to `width` columns; lines after the first are indented by `indent` spaces.
void gr_print_wrapped(const char *text, int indent, int width, FILE *file);

/// Writes a file that an option asked for, frees its text, and says so: on stderr where stdout has JSON. A path that
/// cannot be written is not the input's fault: GR_ERROR_NUMERIC.
GrStatus gr_report_file(const char *path, GrBuffer *text, bool json, GrErrorLog *log);
GrStatus gr_report_page(const char *path, GrPage *page, bool json, GrErrorLog *log);

// Progress bar on stderr: on a terminal only, and only when the work takes longer than two seconds.
//
//     GrProgress progress = gr_progress_begin("sweep");
//     for (…) gr_progress_update(&progress, i, count);
//     gr_progress_end(&progress);

typedef struct GrProgress {
    const char *label;
    bool terminal;
    double start; ///< [s]
    double shown; ///< when the bar was last drawn [s]; 0: not yet
} GrProgress;

/// Wall time, from any origin [s].
double gr_progress_now(void);

GrProgress gr_progress_begin(const char *label);

/// Bars that begin while this is on are not shown: one bar speaks for many jobs in threads. Call it from the main
/// thread while no other runs.
void gr_progress_mute(bool mute);

/// `done` of `total`, in any unit. Cheap: draws at most ten times a second. `progress`: a GrProgress, the context of
/// callbacks that report progress.
void gr_progress_update(void *progress, double done, double total);

/// Removes the bar.
void gr_progress_end(GrProgress *progress);

/// The line that is shown after `elapsed` seconds; empty before two seconds. For tests.
void gr_progress_line(const char *label, double done, double total, double elapsed, char *out, size_t size);

// Interrupts.

/// From here on Ctrl-C and kill are noted. A second one ends the program at once. A part of a longer job that watches,
/// too, does not forget what came before it began.
void gr_interrupts_watch(void);

/// For processes that go on after an interrupted job.
void gr_interrupts_forget(void);
bool gr_interrupted(void);

#endif

/// Progress bar on stderr: on a terminal only, and only when the work takes longer than two seconds.
///
///     GrProgress progress = gr_progress_begin("sweep");
///     for (…) gr_progress_update(&progress, i, count);
///     gr_progress_end(&progress);
#ifndef GR_PROGRESS_H
#define GR_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

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

/// `done` of `total`, in any unit. Cheap: draws at most ten times a second.
void gr_progress_update(GrProgress *progress, double done, double total);

/// Removes the bar.
void gr_progress_end(GrProgress *progress);

/// The line that is shown after `elapsed` seconds; empty before two seconds. For tests.
void gr_progress_line(const char *label, double done, double total, double elapsed, char *out, size_t size);

#endif

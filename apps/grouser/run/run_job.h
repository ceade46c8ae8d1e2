/// A recorded run with a progress bar that Ctrl-C ends.
#ifndef GR_RUN_JOB_H
#define GR_RUN_JOB_H

#include "run_recorder.h"

#include <stdio.h>

/// From here on Ctrl-C and kill are noted. A second one ends the program at once. A part of a longer job that watches,
/// too, does not forget what came before it began.
void gr_run_watch_interrupts(void);

/// For processes that go on after an interrupted job.
void gr_run_forget_interrupts(void);
bool gr_run_is_interrupted(void);

/// gr_run_recorded() with a progress bar, until Ctrl-C.
GrStatus gr_run_job(GrWorld *world, GrRecordedRun def, GrRunSummary *summary, GrErrorLog *log);

/// Says what a run has left in its folder: "wrote DIRECTORY/{run.csv, ...}".
void gr_run_print_files(const char *directory, FILE *out);

#endif

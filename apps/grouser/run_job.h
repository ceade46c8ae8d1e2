/// A run with everything recorded, and a progress bar: what `grouser run` and `grouser bench` share.
#ifndef GR_RUN_JOB_H
#define GR_RUN_JOB_H

#include "grouser/run.h"

/// Runs the world and writes run.csv, run.mcap, summary.json and report.html into the directory.
GrStatus gr_run_recorded(GrWorld *world, const char *directory, GrRunSummary *summary, GrErrorLog *log);

#endif

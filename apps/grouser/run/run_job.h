/// A run with everything recorded, and a progress bar: the common part of `grouser run` and `grouser bench`.
#ifndef GR_RUN_JOB_H
#define GR_RUN_JOB_H

#include "grouser/run.h"
#include "grouser/trust.h"

/// How far to trust a run of this world.
void gr_run_trust(const GrWorld *world, GrTrust *out);

/// Runs the world and writes run.csv, run.mcap, replay.bin, summary.json and report.html into the directory, and
/// ruts.bin where wheels leave ruts. `picture`: file for a picture of the end, as text; NULL: none.
GrStatus gr_run_recorded(GrWorld *world, const char *directory, const char *picture, GrRunSummary *summary,
                         GrErrorLog *log);

/// Writes ground.tif and ruts.tif into the directory: the ground with the ruts of the run, and the ruts alone.
GrStatus gr_run_write_ruts(GrWorld *world, const char *directory, GrErrorLog *log);

#endif

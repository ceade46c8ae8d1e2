/// A rover that drives over bumps to two way-points, and its samples: something to record.
#ifndef GR_SAMPLE_RUN_H
#define GR_SAMPLE_RUN_H

#include "grouser/drive.h"
#include "grouser/record.h"

enum { GR_SAMPLE_RUN_ROCKS = 40, GR_SAMPLE_RUN_LOOSE = 2, GR_SAMPLE_RUN_STEPS = 10 };

typedef struct GrSampleRun {
    GrRoverDef rover;
    GrTerrain *terrain;
    GrSoilDef soil;
    GrModel *model;
    GrData *data;
    GrControl control;
    GrControlState state;
    GrControlOutput out;
    GrWayPoint path[2];
    GrRecordRock rocks[GR_SAMPLE_RUN_ROCKS];
    GrSample sample;  ///< the present one
    double potential; ///< mechanical energy at the start [J]
    GrRecordDef def;  ///< all files, in `directory`
} GrSampleRun;

/// False when something cannot be made. `rover` is a file.
bool gr_sample_run_make(GrSampleRun *run, const char *rover, const char *directory);
void gr_sample_run_free(GrSampleRun *run);

/// Drives on for GR_SAMPLE_RUN_STEPS steps of 5 ms and fills the sample. False at the end of the path.
bool gr_sample_run_next(GrSampleRun *run);

/// A summary with something in every field; wheels are owned.
GrRunSummary gr_sample_run_summary(const GrSampleRun *run, GrOutcome outcome);

#endif

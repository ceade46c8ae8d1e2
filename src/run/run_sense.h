/// The sensors of a run: measures after every step, writes the files of the recording, and hands on what is delivered.
/// `grouser run`, the live view, ROS 2 and Python all measure with it.
#ifndef GR_RUN_SENSE_H
#define GR_RUN_SENSE_H

#include "grouser/record.h"
#include "grouser/run.h"
#include "grouser/sense.h"

typedef struct GrRunSenseDef {
    GrWorld *world;        ///< must outlive the sensors
    const char *directory; ///< of the recording; NULL: no files
    GrRecord *record;      ///< its run.mcap takes the messages; whose first sample has not been added
    void *context;
    /// Gets each measurement when it is delivered, latency included; NULL: nobody does.
    GrStatus (*take)(void *context, const GrMeasurement *measurement, GrErrorLog *log);
} GrRunSenseDef;

typedef struct GrRunSense GrRunSense;

/// `*out` is NULL where the rover has no sensors, or the scenario leaves them out (`record: {sensors: false}`).
GrStatus gr_run_sense_open(const GrRunSenseDef *def, GrRunSense **out, GrErrorLog *log);

/// Call it before the first step and after every one; NULL is allowed.
GrStatus gr_run_sense_step(GrRunSense *sense, const GrData *d, GrErrorLog *log);

/// Steps until a time or an outcome, as gr_mission_advance() does, and measures meanwhile; NULL: only that.
GrStatus gr_run_sense_advance(GrRunSense *sense, GrWorld *world, double until, GrOutcome *outcome, GrErrorLog *log);

/// Where the rover believes to be, as GrRoverDef::localisation has it; NULL is allowed.
void gr_run_sense_sample(const GrRunSense *sense, GrSample *sample);
void gr_run_sense_summarise(const GrRunSense *sense, GrRunSummary *summary);

/// Completes the files; NULL is allowed.
GrStatus gr_run_sense_close(GrRunSense *sense, GrErrorLog *log);

#endif

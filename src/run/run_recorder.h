/// A run with its files: the description of a world for recordings, the recorder, and the whole run. `grouser run`, the
/// live view, ROS 2, Python and the benchmarks record with it.
#ifndef GR_RUN_RECORDER_H
#define GR_RUN_RECORDER_H

#include "grouser/record.h"
#include "grouser/run.h"
#include "grouser/trust.h"
#include "lane_pool.h"
#include "run_tables.h"

/// How far to trust a run of this world.
void gr_run_trust(const GrWorld *world, GrTrust *out);

/// A world as a recording describes it; `def` points to the other members and to the world. Do not move it.
typedef struct GrRunDescription {
    GrRecordDef def;
    GrTrust trust;
    GrRecordRock *rocks;
    const char *soils[GR_SOIL_MAP_NAMES + 1];
} GrRunDescription;

/// False: out of memory.
bool gr_run_describe(GrWorld *world, GrRunDescription *out);
void gr_run_description_free(GrRunDescription *description);

/// The recording of a run into a directory; every field is internal. Do not move it.
typedef struct GrRunRecorder {
    GrWorld *world;
    const char *directory;
    GrRunDescription description;
    GrRecord *record;
    GrBox2 box; ///< of the track [m]
    int lock;   ///< of the folder, from gr_run_recorder_close() on
} GrRunRecorder;

/// `replay_page`: with replay.html where the build has the viewer. `bands`: as in GrRecordDef.
GrStatus gr_run_recorder_open(GrRunRecorder *recorder, GrWorld *world, const char *directory, bool replay_page,
                              const GrRunBands *bands, GrErrorLog *log);
GrStatus gr_run_recorder_add(GrRunRecorder *recorder, const GrSample *sample, GrErrorLog *log);
/// Completes the files; NULL: the run failed. The caller ends `recorder->lock` with gr_folder_unlock().
GrStatus gr_run_recorder_close(GrRunRecorder *recorder, const GrRunSummary *summary, GrErrorLog *log);

/// How a run is recorded, and who looks on. Zero-initialise.
typedef struct GrRecordedRun {
    const char *directory;   ///< NULL: no files
    const char *picture;     ///< file for a picture of the end, as text; NULL: none
    bool replay_page;        ///< replay.html where the build has the viewer
    const GrRunBands *bands; ///< of samples of the soil; NULL: none
    GrLanePool *pool;        ///< a GPU on which it advances, if the rover has no sensors; NULL: the processor
    int *lock;               ///< takes over the lock of the folder, for more files; NULL: it ends with the recording
    void *context;
    GrStatus (*sample)(void *context, const GrSample *sample, GrErrorLog *log); ///< gets every sample; NULL: nobody
    void (*progress)(void *context, double time, double duration);              ///< NULL: nobody
    bool (*stop)(void *context);                                                ///< NULL: never
} GrRecordedRun;

/// Runs the world with its sensors and writes replay.bin, summary.json and report.html into the directory, run.csv and
/// run.mcap unless the scenario leaves them out, and ruts.bin where wheels leave ruts.
GrStatus gr_run_recorded(GrWorld *world, const GrRecordedRun *def, GrRunSummary *summary, GrErrorLog *log);

/// Writes ground.tif and ruts.tif into the directory: the ground with the ruts of the run, and the ruts alone.
GrStatus gr_run_write_ruts(GrWorld *world, const char *directory, GrErrorLog *log);

// Measures the time of a whole run with all its recordings, for `grouser bench` and `make bench`.

typedef struct GrRunSpeed {
    double set_up;    ///< of the world: terrain, rocks, model, start [s]
    double run;       ///< with all recordings, from opening them to closing them [s]
    double cpu;       ///< the same, summed over all threads: time that a single core would need [s]
    double simulated; ///< [s]
    long steps;
    uint64_t hash;
    GrOutcome outcome;
} GrRunSpeed;

/// The fastest of several runs, which must all end in the same bits; `cpu` is the least of them all.
GrStatus gr_run_speed(const GrScenario *scenario, int repeats, GrRunSpeed *best, GrErrorLog *log);

#endif

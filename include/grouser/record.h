/// All recordings of a run in one folder: run.csv, run.mcap, summary.json, report.html (docs/recordings.md).
///
/// Files can be read during the run and after it was killed: rows and chunks are on disk within a second of wall time,
/// summary.json within two, the report from time to time. examples/record_a_run.c records a run through gr_run().
///
/// Example: two seconds of a scenario, twenty samples per second.
///
///     #include <grouser/scenario.h>
///     GrErrorLog log = {0};
///     GrScenario scenario;
///     GrWorld world;
///     if (gr_scenario_load("crossing", NULL, &scenario, &log) != GR_OK ||
///         gr_world_create(&scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrRecordDef def = {.directory = "out.run", .name = "crossing", .model = world.model, .csv = true};
///     GrRecord *record = gr_record_open(&def, &log);
///     GrSample sample;
///     if (record == NULL || !gr_sample_init(world.model, gr_mission_rock_count(world.mission), &sample)) {
///         return 1;
///     }
///     for (int i = 0; i < 40; i++) {
///         gr_mission_advance(world.mission, 0.05 * (i + 1));
///         gr_mission_sample(world.mission, &sample);
///         gr_record_add(record, &sample, &log);
///     }
///     GrRunSummary summary;
///     gr_mission_summary(world.mission, &summary, &log);
///     printf("%s\n", gr_status_text(gr_record_close(record, &summary, &log))); // prints: ok
///     gr_run_summary_free(&summary);
///     gr_sample_free(&sample);
///     gr_world_free(&world);
///     gr_scenario_free(&scenario);
#ifndef GROUSER_RECORD_H
#define GROUSER_RECORD_H

#include "grouser/sample.h"
#include "grouser/terrain.h"
#include "grouser/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rock as an ellipsoid, for maps and 3D views.
typedef struct GrRecordRock {
    GrPose pose; ///< of its middle, at the start
    GrVec3 half; ///< half extents along its own axes [m]
} GrRecordRock;

/// What is recorded. Everything that it points to, but for `directory`, must outlive the GrRecord.
typedef struct GrRecordDef {
    const char *directory;    ///< is made; an older run in it is replaced
    const char *name, *title; ///< of the scenario; `title` may be NULL
    const char *input;        ///< exact text of the input; NULL: none
    const GrTrust *trust;     ///< how far to trust the run; NULL: nothing is said
    const GrRoverDef *rover;  ///< NULL: no shapes in MCAP, all joints turn
    const GrModel *model;
    const GrTerrain *terrain; ///< NULL: the plane z = 0. What is not in memory stays blank on the map
    const GrRuts *ruts;       ///< over it, as they are at every sample; NULL: none
    const GrWayPoint *path;   ///< NULL: none
    int path_count;
    const GrRecordRock *rocks; ///< those that can move come first, in the order of GrSample::rocks
    int rock_count;
    const char *const *soil_names; ///< of GrWheelSample::soil
    int soil_count;
    bool csv, mcap, report; ///< which files; summary.json is always written
    /// The run up to now, for the files that are written while it goes, with `context`; the record frees the summary.
    /// Called from gr_record_add() and so in the run's own thread. NULL: what the samples tell.
    GrStatus (*so_far)(void *context, GrRunSummary *out);
    void *context;
} GrRecordDef;

typedef struct GrRecord GrRecord;

/// NULL when a file cannot be made, or when the folder holds something that is not a run.
GR_API GrRecord *gr_record_open(const GrRecordDef *def, GrErrorLog *log);

/// Copies the sample, most often: a thread writes it, and the run waits for it twice a second, or when it is late. The
/// same thread calls all functions of a record. After a failure (a full disk) the record takes no more samples and says
/// the same again.
GR_API GrStatus gr_record_add(GrRecord *record, const GrSample *sample, GrErrorLog *log);

/// Writes the ends of all files and frees the record; NULL is allowed. Without a summary (NULL) the files say that the
/// run did not come to its end, and what the samples tell.
GR_API GrStatus gr_record_close(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

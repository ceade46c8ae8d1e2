/// Records a run into one folder: run.csv, run.mcap, replay.bin, summary.json, report.html (docs/recordings.md). In
/// libgrouser-run.
///
/// The files can be read during the run, and after the process was killed: rows and chunks are on disk within one
/// second of wall time, summary.json within two. The report is updated from time to time. examples/record_a_run.c
/// records a run through gr_run().
///
/// Example: two seconds of a scenario, twenty samples per second.
///
///     #include <grouser/scenario.h>
///     GrErrorLog log = {0};
///     GrScenario *scenario = NULL;
///     GrWorld *world = NULL;
///     if (gr_scenario_load("crossing", NULL, &scenario, &log) != GR_OK ||
///         gr_world_create(scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrModel *model = gr_world_model(world);
///     const GrRecordDef def = {.directory = "out.run", .name = "crossing", .model = model, .csv = true};
///     GrMission *mission = gr_world_mission(world);
///     GrRecord *record = NULL;
///     gr_record_open(&def, &record, &log);
///     GrSample sample;
///     if (record == NULL || !gr_sample_init(model, gr_mission_rock_count(mission), &sample)) {
///         return 1;
///     }
///     for (int i = 0; i < 40; i++) {
///         gr_mission_advance(mission, 0.05 * (i + 1));
///         gr_mission_sample(mission, &sample);
///         gr_record_add(record, &sample, &log);
///     }
///     GrRunSummary summary;
///     gr_mission_summary(mission, &summary, &log);
///     printf("%s\n", gr_status_text(gr_record_close(record, &summary, &log))); // prints: ok
///     gr_run_summary_free(&summary);
///     gr_sample_free(&sample);
///     gr_world_free(world);
///     gr_scenario_free(scenario);
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
    GrPose pose; ///< of its centre, at the start
    GrVec3 half; ///< half extents along its own axes [m]
} GrRecordRock;

/// What to record. Everything it points to, except `directory`, must outlive the GrRecord.
typedef struct GrRecordDef {
    const char *directory;          ///< is created; an older run in it is replaced
    const char *name, *title;       ///< of the scenario; `title` may be NULL
    const char *input;              ///< exact input text; NULL: none
    const GrTrust *trust;           ///< how far to trust the run; NULL: omitted
    const struct GrRunBands *bands; ///< on samples of the soil; NULL, or none: no bands
    const GrRoverDef *rover;        ///< NULL: no shapes in MCAP, all joints count as revolute
    const GrModel *model;
    const GrTerrain *terrain; ///< NULL: the plane z = 0. Tiles that are not in memory stay blank on the map
    const GrRuts *ruts;       ///< ruts in the terrain, read at every sample; NULL: none
    const GrWayPoint *path;   ///< NULL: none
    int path_count;
    const GrRecordRock *rocks; ///< movable rocks first, in the order of GrSample::rocks; without those of
                               ///< GrSceneDef::field, of which the recording has those that come into view
    int rock_count;
    const char *const *soil_names; ///< names for GrWheelSample::soil
    int soil_count;
    bool supplied;                  ///< GrSample::supply is recorded; gr_mission_is_supplied()
    bool localised;                 ///< GrSample::localisation is recorded
    bool csv, mcap, replay, report; ///< files to write; summary.json is always written
    double rate;                    ///< replay: rate of the samples [Hz] > 0
    double duration;                ///< replay: planned duration [s]; NAN: unknown. A long replay is thinned
    double tolerance;               ///< replay: tolerance of way-points [m]
    /// File that the report links to, relative to `directory`: a page that shows the replay and takes "#t=SECONDS". The
    /// caller writes it after gr_record_close(); an older "replay.html" is removed. NULL: no links.
    const char *replay_page;
    /// Gets the summary of the run so far, for the files that are written during the run. The record frees the summary.
    /// It is called from gr_record_add(), on the same thread. NULL: the summary is computed from the samples.
    GrStatus (*so_far)(void *context, GrRunSummary *out);
    void *context;
} GrRecordDef;

typedef struct GrRecord GrRecord;

/// Opens a record. Fails if a file cannot be created, or if the folder contains anything other than a run.
GR_API GrStatus gr_record_open(const GrRecordDef *def, GrRecord **out, GrErrorLog *log);

/// Adds a sample. It is copied, and a separate thread writes it; the caller waits for that thread about twice a second,
/// or when it falls behind. Call all functions of a record from the same thread. After a failure, such as a full disk,
/// the record accepts no more samples and every call returns the same error.
GR_API GrStatus gr_record_add(GrRecord *record, const GrSample *sample, GrErrorLog *log);

/// Completes all files and frees the record; NULL is allowed. Without a summary (NULL) the files mark the run as not
/// finished, and the summary is computed from the samples.
GR_API GrStatus gr_record_close(GrRecord *record, const GrRunSummary *summary, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

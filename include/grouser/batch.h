/// GrBatch: many runs of one scenario at once, each with numbers of its own.
///
///     gr_batch_create  ->  gr_batch_set (numbers by run)  ->  gr_batch_reset  ->  gr_batch_advance, gr_batch_get,
///     gr_batch_drive, gr_batch_save, gr_batch_restore ...  ->  gr_batch_outcome of each run
///
/// A run of a batch is the run that `grouser run` would do with the same numbers: the same steps, outcomes and bits, on
/// any number of threads. It records nothing; the caller takes what it needs by the names of `grouser list channels`.
///
/// Use a batch from one thread at a time.
///
/// Example: one slope, three soils.
///
///     const char *const overrides[] = {"gravity.tilt_deg=8", "stop.time_s=20", NULL};
///     GrBatchDef def = gr_default_batch_def();
///     def.scenario = "gradeability";
///     def.overrides = overrides;
///     def.count = 3;
///     GrErrorLog log = {0};
///     GrBatch *batch = NULL;
///     const double phi[] = {26, 30, 34}; // [°]
///     if (gr_batch_create(&def, &batch, &log) != GR_OK || gr_batch_set(batch, "soil:phi", phi, &log) != GR_OK ||
///         gr_batch_reset(batch, NULL, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     gr_batch_advance(batch, 20, NULL);
///     const char *const names[] = {"distance_m"};
///     double distance[3];
///     gr_batch_get(batch, names, 1, distance, &log);
///     const bool farther = distance[0] < distance[1] && distance[1] < distance[2];
///     printf("%s, firmer soil is farther: %s\n", gr_outcome_name(gr_batch_outcome(batch, 2)),
///            farther ? "yes" : "no"); // prints: finished, firmer soil is farther: yes
///     gr_batch_free(batch);
#ifndef GROUSER_BATCH_H
#define GROUSER_BATCH_H

#include "grouser/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from gr_default_batch_def().
typedef struct GrBatchDef {
    const char *scenario;         ///< name of a shipped one, or a file
    const char *const *overrides; ///< as for gr_scenario_load(), for all runs; NULL (default): none
    int count;                    ///< number of runs, 1 .. GR_BATCH_MOST; default 1
    int threads;                  ///< 0 (default): one for each processor; at most 64 are used
    const char *device;           ///< of the steps: "cpu" (NULL, default), "cuda" or "cuda:1", a GPU of NVIDIA
} GrBatchDef;

enum { GR_BATCH_MOST = 10000000 };

GR_API GrBatchDef gr_default_batch_def(void);

typedef struct GrBatch GrBatch;

/// Reads the scenario, so that its errors are known at once. No run is placed before gr_batch_reset().
GR_API GrStatus gr_batch_create(const GrBatchDef *def, GrBatch **out, GrErrorLog *log);
GR_API void gr_batch_free(GrBatch *batch);

GR_API int gr_batch_count(const GrBatch *batch);

/// Sets a number of the scenario for each run, by its path as in overrides ("soil:phi", "gravity.tilt_deg",
/// "start.x_m"): values[count]. It counts from the next gr_batch_reset() of the run on. A path that was set before gets
/// new values. A new path and its first value are checked here, all values by gr_batch_reset().
GR_API GrStatus gr_batch_set(GrBatch *batch, const char *path, const double *values, GrErrorLog *log);

/// Builds and places runs at their start: those with mask[i], [count]; NULL: all. A run whose rover cannot stand there
/// has the outcome GR_OUTCOME_FAILED, and gr_batch_cause() says why. Only a number that no scenario may have is an
/// error; the runs of the mask are then without a rover.
GR_API GrStatus gr_batch_reset(GrBatch *batch, const bool *mask, GrErrorLog *log);

/// Drives by hand from now on, in place of path and script: commands[count], for runs with mask[i]; NULL: all.
GR_API void gr_batch_drive(GrBatch *batch, const GrDriveCommand *commands, const bool *mask);

/// Advances every run that has not ended by so many seconds. Fails only with a GPU: where there is none, where it does
/// not offer what a run has, where it breaks, and where it computes other bits than the processor, which the first call
/// finds out. The runs are then as far as they were brought, each after a whole step.
GR_API GrStatus gr_batch_advance(GrBatch *batch, double seconds, GrErrorLog *log);

/// Number of values of a channel in one run: 1, or the number of wheels for "*.slip"; 0: there is no such channel.
GR_API int gr_batch_width(const GrBatch *batch, const char *channel);

/// Present values of channels (`grouser list channels`): values[run][column], the columns of each channel in order.
/// NAN for runs without a rover. An unknown name is an error that suggests the nearest.
GR_API GrStatus gr_batch_get(GrBatch *batch, const char *const *channels, int channel_count, double *values,
                             GrErrorLog *log);

/// GR_OUTCOME_RUNNING until the run has ended; GR_OUTCOME_FAILED before the first reset.
GR_API GrOutcome gr_batch_outcome(const GrBatch *batch, int run);
/// Why the run ended; "" while it is running. Valid until the next call with this batch.
GR_API const char *gr_batch_cause(GrBatch *batch, int run);
/// Simulated time of the run [s].
GR_API double gr_batch_time(const GrBatch *batch, int run);
/// The run itself, owned by the batch; NULL: it has no rover. For samples and summaries.
GR_API GrMission *gr_batch_mission(GrBatch *batch, int run);
/// The world of the run, likewise.
GR_API GrWorld *gr_batch_world(GrBatch *batch, int run);

/// Saves and restores the states of runs, in memory of the caller: those with mask[i], [count]; NULL: all. A restored
/// run continues bit for bit. It must have been placed with the numbers that it had then: restoring refuses runs of
/// another scenario or with other numbers, states of another version of the library, and damaged ones, before it
/// changes any run. A saved run without a rover must be without one.
GR_API size_t gr_batch_size(GrBatch *batch, const bool *mask);
GR_API GrStatus gr_batch_save(GrBatch *batch, const bool *mask, void *out);
GR_API GrStatus gr_batch_restore(GrBatch *batch, const void *saved, size_t size, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

/// Runs of the command: one, and samples of one.
#ifndef GR_RUN_SAMPLES_H
#define GR_RUN_SAMPLES_H

#include "lane_pool.h"
#include "options.h"
#include "run_recorder.h"
#include "run_tables.h"
#include "scenario_data.h"

#include <stdio.h>

/// Loads the scenario with these overrides, as the run itself does.
typedef struct GrScenarioSource {
    const char *name; ///< NULL: a run of a study
    const char *from;
    const GrTextList *overrides;
    GrLanePool *pool; ///< where its runs advance; NULL: on the processors
} GrScenarioSource;

/// Runs on a GPU at a time, where --device names one.
enum { GR_SAMPLES_AT_ONCE = 64 };

GrStatus gr_scenario_source_load(const GrScenarioSource *source, const GrTextList *overrides, GrScenario **out,
                                 uint64_t *hash, GrErrorLog *log);

/// Runs `count` samples in threads, each from its own copy of the scenario. `samples`: their figures, and in a last row
/// of `count` numbers 1 where the sample succeeds, which the caller frees; NULL: not wanted.
GrStatus gr_run_samples(const GrScenarioSource *source, int count, GrRunBands *out, double **samples, GrErrorLog *log);

#endif

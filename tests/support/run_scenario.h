/// A scenario run to its end, in one call.
#ifndef GR_RUN_SCENARIO_H
#define GR_RUN_SCENARIO_H

#include "grouser/run.h"
#include "scenario_data.h"
#include "test.h"

/// `change`: NULL, or what is done to the scenario before its world is made; `hooks`: NULL, or as of gr_run(). The
/// summary is freed by gr_run_summary_free().
static inline GrRunSummary gr_test_run(const char *name, const char *const *overrides, void (*change)(GrScenario *),
                                       const GrRunHooks *hooks)
{
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load(name, overrides, &scenario, &log), GR_OK);
    if (change != NULL) {
        change(scenario);
    }
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(world, hooks, &summary, &log), GR_OK);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return summary;
}

/// Whether a warning of the summary has these words.
static inline bool gr_test_warned(const GrRunSummary *summary, const char *words)
{
    bool found = false;
    for (int i = 0; i < summary->warning_count; i++) {
        found = found || strstr(summary->warnings[i].text, words) != NULL;
    }
    return found;
}

#endif

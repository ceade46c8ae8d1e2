/// A recording looks at a run and does not change it: the last state has the same bits with samples and without.
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

typedef struct Watch {
    GrMission *mission;
    long count;
} Watch;

/// Takes a sample and the summary so far, as recordings do now and then.
static GrStatus look(void *context, const GrSample *sample, GrErrorLog *log)
{
    Watch *watch = context;
    GrRunSummary summary;
    (void)sample;
    assert_int_equal(gr_mission_summary(watch->mission, &summary, log), GR_OK);
    gr_run_summary_free(&summary);
    watch->count++;
    return GR_OK;
}

/// Hash of the last state. `count`: NULL, or number of samples that were looked at.
static uint64_t hash_of(const char *name, const char *const *overrides, long *count)
{
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load(name, overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    Watch watch = {.mission = world->mission};
    const GrRunHooks hooks = {.sample = look, .context = &watch};
    assert_int_equal(gr_run(world, count != NULL ? &hooks : NULL, &summary, &log), GR_OK);
    const uint64_t hash = summary.state_hash;
    if (count != NULL) {
        *count = watch.count;
    }
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

/// Steps end at samples, so that the rate is part of the run; whether anybody takes the samples is not.
static void test_samples_change_nothing(void **state)
{
    (void)state;
    static const char *const RATES[] = {"record.rate_Hz=3", "record.rate_Hz=20", "record.rate_Hz=100"};
    static const struct {
        const char *name, *override;
    } RUNS[] = {
        {"crossing", "step.max_ms=40"},                             // rocks, and steps by the hubs' speed
        {"rock_field", "step={pace: error}"},                       // steps that are repeated
        {"own_track", "step.max_ms=30"},                            // ruts
        {"drawbar", "soil={use: lunar_apollo, law: scm}"},          // a grid
        {"drop", "step={pace: hub}"},                               // flight, landing, rocking
        {"turn", "step={pace: hub, max_ms: 50, hub_travel_mm: 1}"}, // steps that change all the time
    };
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        for (size_t k = 0; k < sizeof RATES / sizeof RATES[0]; k++) {
            const char *const overrides[] = {RUNS[i].override, RATES[k], "stop.time_s=4", NULL};
            long count = 0;
            const uint64_t seen = hash_of(RUNS[i].name, overrides, &count);
            const uint64_t alone = hash_of(RUNS[i].name, overrides, NULL);
            print_message("%s, %s: %ld samples, %016llx\n", RUNS[i].name, RATES[k], count, (unsigned long long)seen);
            assert_true(count > 2);
            assert_true(seen == alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

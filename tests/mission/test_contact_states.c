/// Every one of the 13 contact states of a wheel (LS10 fig. 10) occurs in some recorded run.
#include "scenario_data.h"
#include "support/run_scenario.h"

typedef struct Seen {
    bool states[GR_CONTACT_MODE_COUNT];
} Seen;

static int wheel_count;

static void count_wheels(GrScenario *scenario)
{
    wheel_count = scenario->rover.wheel_count;
}

static GrStatus note(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)log;
    Seen *seen = context;
    for (int i = 0; i < wheel_count; i++) {
        seen->states[sample->wheels[i].state] = true;
        seen->states[sample->wheels[i].stone] = true;
    }
    return GR_OK;
}

static void run(const char *name, const char *const *overrides, Seen *seen)
{
    const GrRunHooks hooks = {.context = seen, .sample = note};
    GrRunSummary summary = gr_test_run(name, overrides, count_wheels, &hooks);
    gr_run_summary_free(&summary);
}

static void test_all_states(void **state)
{
    (void)state;
    Seen seen = {0};
    // Touches are states of one step: every step is recorded.
    run("crossing", (const char *const[]){"stop.time_s=100", "record.rate_Hz=200", NULL}, &seen);
    run("brake", (const char *const[]){"record.rate_Hz=100", NULL}, &seen);
    run("drop", (const char *const[]){"stop.time_s=1", "record.rate_Hz=2000", NULL}, &seen);
    run("drop", (const char *const[]){"soil=none", "stop.time_s=1", NULL}, &seen);
    run("brake", (const char *const[]){"soil=none", "record.rate_Hz=100", NULL}, &seen);
    int missing = 0;
    for (int i = 0; i < GR_CONTACT_MODE_COUNT; i++) {
        if (!seen.states[i]) {
            print_error("never seen: %s\n", gr_wheel_state_text(i));
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

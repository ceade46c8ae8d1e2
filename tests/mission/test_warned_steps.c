/// Runs say when their numbers are unreliable: steps too long for the integrator (an explicit one of 3 ms, O23,
/// under stiff motors on soil), a grid of nodes too coarse for wheels that hardly sink in.
#include "support/run_scenario.h"

static bool warns_of(const char *scenario_name, const char *const *overrides, const char *text, GrEnergySample *energy)
{
    GrRunSummary summary = gr_test_run(scenario_name, overrides, NULL, NULL);
    const bool warned = gr_test_warned(&summary, text);
    *energy = summary.energy;
    gr_run_summary_free(&summary);
    return warned;
}

static void test_explicit_steps(void **state)
{
    (void)state;
    const char *const overrides[] = {"step={pace: fixed, step_ms: 3, integrator: beeman}", "stop.time_s=5", NULL};
    GrEnergySample e;
    const bool warned = warns_of("drawbar", overrides, "trust this run", &e);
    const double losses = fabs(e.soil) + fabs(e.joints) + fabs(e.mechanical) + fabs(e.pull);
    print_message("residual %g J, losses %g J\n", e.residual, losses);
    assert_true(fabs(e.residual) > 0.1 * losses); // else there is nothing to warn of
    assert_true(warned);
}

/// A wheel of radius r touches soil from √(2 r h) before its axle on. On clay it sinks in by 0.1 mm, and that is less
/// than a cell; on lunar soil by a centimetre.
static void test_coarse_grid(void **state)
{
    (void)state;
    const char *const clay[] = {"drive.pull_N=0", "soil={use: wong_heavy_clay_25, law: scm}", "stop.time_s=3", NULL};
    const char *const moon[] = {"drive.pull_N=0", "soil={use: lunar_apollo, law: scm}", "stop.time_s=3", NULL};
    GrEnergySample e;
    assert_true(warns_of("drawbar", clay, "rows of the grid", &e));
    assert_false(warns_of("drawbar", moon, "rows of the grid", &e));
}

/// In flight height becomes speed. Steps of the first order lose half a per cent of the fall at most.
static void test_no_warning_in_flight(void **state)
{
    (void)state;
    const char *const overrides[] = {"step={pace: hub}", "record.rate_Hz=20", "stop.time_s=0.1", NULL};
    GrEnergySample e;
    assert_false(warns_of("drop", overrides, "energy balance", &e));
    assert_near(e.soil, 0, 1e-9); // has not landed
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_explicit_steps), cmocka_unit_test(test_coarse_grid),
                                       cmocka_unit_test(test_no_warning_in_flight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

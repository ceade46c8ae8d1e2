/// Steps that are too long for the integrator are warned of: an explicit one of 3 ms (O23) under stiff motors on soil.
#include "grouser/run.h"
#include "test.h"

static void test_explicit_steps(void **state)
{
    (void)state;
    const char *const overrides[] = {"step={pace: fixed, step_ms: 3, integrator: beeman}", "stop.time_s=5", NULL};
    GrErrorLog log = {0};
    GrScenario scenario;
    GrWorld world;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load("drawbar", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(&scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(&world, NULL, &summary, &log), GR_OK);
    bool warned = false;
    for (int i = 0; i < summary.warning_count; i++) {
        warned = warned || strstr(summary.warnings[i].text, "to be trusted") != NULL;
    }
    const GrEnergySample *e = &summary.energy;
    const double losses = fabs(e->soil) + fabs(e->joints) + fabs(e->mechanical) + fabs(e->pull);
    print_message("residual %g J, losses %g J\n", e->residual, losses);
    assert_true(fabs(e->residual) > 0.1 * losses); // else there is nothing to warn of
    assert_true(warned);
    gr_run_summary_free(&summary);
    gr_world_free(&world);
    gr_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_explicit_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

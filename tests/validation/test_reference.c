/// The linearly implicit integrator at 5 ms against SUNDIALS CVODE, on shipped scenarios from their start, when wheels
/// break loose and dig in: trajectory, slip and energy within 1 %.
#include "grouser/run.h"
#include "test.h"

static GrRunSummary run(const char *name, const char *time, const char *step)
{
    char path[512], stop[64];
    const char *overrides[] = {stop, step, NULL};
    GrScenario scenario;
    GrWorld world;
    GrRunSummary summary;
    snprintf(path, sizeof path, "%s/data/scenarios/%s.yaml", GR_TEST_SOURCE_DIR, name);
    snprintf(stop, sizeof stop, "stop.time_s=%s", time);
    assert_int_equal(gr_scenario_load(path, overrides, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(&scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_run(&world, NULL, &summary, NULL), GR_OK);
    gr_world_free(&world);
    gr_scenario_free(&scenario);
    return summary;
}

static void compare(const char *name, const char *time)
{
    GrRunSummary ours = run(name, time, "step={pace: fixed, step_ms: 5}");
    GrRunSummary reference = run(name, time, "step={pace: fixed, step_ms: 1, integrator: cvode}");
    print_message("%s: %.5f m (reference %.5f), %.4f J (%.4f), slip %.4f (%.4f)\n", name, ours.distance,
                  reference.distance, ours.energy.motor, reference.energy.motor, ours.wheels[0].slip_mean,
                  reference.wheels[0].slip_mean);
    assert_near_rel(ours.distance, reference.distance, 0.01);
    assert_near_rel(ours.energy.motor, reference.energy.motor, 0.01);
    // the reference books a step at its end, the first order in its middle: compared with the energy turned over
    assert_near(ours.energy.soil, reference.energy.soil, 0.01 * fabs(reference.energy.motor));
    for (int i = 0; i < ours.wheel_count; i++) {
        assert_near(ours.wheels[i].slip_mean, reference.wheels[i].slip_mean, 0.01);
        assert_near_rel(ours.wheels[i].sinkage_mean, reference.wheels[i].sinkage_mean, 0.01);
        assert_near_rel(ours.wheels[i].load_mean, reference.wheels[i].load_mean, 0.01);
    }
    gr_run_summary_free(&ours);
    gr_run_summary_free(&reference);
}

static void test_slope(void **state)
{
    (void)state;
    compare("gradeability", "1.5");
}

static void test_hills(void **state)
{
    (void)state;
    compare("crossing", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slope), cmocka_unit_test(test_hills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

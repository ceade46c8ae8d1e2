/// The linearly implicit integrator at 5 ms against SUNDIALS CVODE, on shipped scenarios: trajectory, slip and energy
/// within 1 %. `grouser run NAME --check-reference` does the same for any scenario; docs/validation.md has the table.
#include "grouser/run.h"
#include "test.h"

static void load(const char *name, const char *const *overrides, GrScenario **out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/scenarios/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_scenario_load(path, overrides, out, NULL), GR_OK);
}

/// The reference takes steps of `reference` s.
static void compare(const char *name, const char *const *overrides, double reference)
{
    GrScenario *scenario = NULL;
    GrReference r;
    load(name, overrides, &scenario);
    assert_int_equal(gr_run_reference(scenario, reference, NULL, &r, NULL), GR_OK);
    print_message("%s, %g s, %.3f m: largest difference %.3f %%\n", name, r.time, r.distance, 100 * r.worst);
    assert_true(r.is_cvode);
    assert_int_equal(r.outcome, r.reference_outcome);
    assert_true(r.distance > 0.01);
    for (int i = 0; i < GR_REFERENCE_COUNT; i++) {
        print_message("  %-38s %12.6g %12.6g %8.4f %%\n", r.rows[i].quantity, r.rows[i].value, r.rows[i].half,
                      100 * r.rows[i].change);
    }
    assert_true(r.worst < 0.01);
    gr_scenario_free(scenario);
}

static void test_slope(void **state)
{
    (void)state;
    compare(
        "gradeability",
        (const char *const[]){GR_TEST_STUDY("stop.time_s=10", "stop.time_s=5"), "step={pace: fixed, step_ms: 5}", NULL},
        1e-3);
}

/// As it is shipped, at 25 ms.
static void test_default_pace(void **state)
{
    (void)state;
    compare("gradeability",
            (const char *const[]){GR_TEST_STUDY("stop.time_s=10", "stop.time_s=5"), "step={pace: hub}", NULL}, 1e-3);
}

/// Up a hill of rough ground.
static void test_hills(void **state)
{
    (void)state;
    compare(
        "crossing",
        (const char *const[]){"stop.time_s=2", "start.x_m=-22", "start.y_m=-9", "step={pace: fixed, step_ms: 5}", NULL},
        1e-3);
}

static void test_braking(void **state)
{
    (void)state;
    compare("brake", (const char *const[]){"stop.time_s=12", "step={pace: fixed, step_ms: 5}", NULL}, 1e-3);
}

/// On something hard; it is released 2 mm above.
static void test_deck(void **state)
{
    (void)state;
    compare("egress", (const char *const[]){"stop.time_s=6", "step={pace: fixed, step_ms: 5}", NULL}, 0.25e-3);
}

static GrRunSummary run_cvode(const char *step)
{
    const char *const overrides[] = {"stop.time_s=1.5", step, NULL};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    load("gradeability", overrides, &scenario);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, NULL), GR_OK);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return summary;
}

/// Relative: a tenth of what the comparisons above allow.
static const double ENOUGH = 1e-3;

/// Neither a quarter of its step nor a tolerance of 1e-10 changes what the reference says while wheels break loose; and
/// its own energies balance.
static void test_reference_holds(void **state)
{
    (void)state;
    GrRunSummary usual = run_cvode("step={pace: fixed, step_ms: 1, integrator: cvode, cvode_tolerance: 1e-6}");
    GrRunSummary others[] = {
        run_cvode("step={pace: fixed, step_ms: 0.25, integrator: cvode, cvode_tolerance: 1e-6}"),
        run_cvode("step={pace: fixed, step_ms: 1, integrator: cvode}"),
    };
    assert_true(fabs(usual.energy.residual) < 2e-4 * usual.energy.motor);
    for (int k = 0; k < 2; k++) {
        print_message("%.6f m (%.6f), motor %.6f J (%.6f), soil %.6f J (%.6f), residual %.2g J\n", usual.distance,
                      others[k].distance, usual.energy.motor, others[k].energy.motor, usual.energy.soil,
                      others[k].energy.soil, others[k].energy.residual);
        assert_near_rel(usual.distance, others[k].distance, 2e-4);
        assert_near_rel(usual.energy.motor, others[k].energy.motor, ENOUGH);
        assert_near_rel(usual.energy.soil, others[k].energy.soil, ENOUGH);
        for (int i = 0; i < usual.wheel_count; i++) {
            assert_near(usual.wheels[i].slip_mean, others[k].wheels[i].slip_mean, 2e-4);
        }
        gr_run_summary_free(&others[k]);
    }
    gr_run_summary_free(&usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope),   cmocka_unit_test(test_default_pace), cmocka_unit_test(test_hills),
        cmocka_unit_test(test_braking), cmocka_unit_test(test_deck),         cmocka_unit_test(test_reference_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

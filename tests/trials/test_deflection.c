/// The radial deflection of flexible wheels: a dropped wheel against the energy of its spring, and the warning where
/// the spring is compressed beyond its range.
#include "grouser/trial.h"
#include "scenario_data.h"
#include "support/run_scenario.h"

#include <math.h>

static const double MASS = 40, HEIGHT = 0.1, GRAVITY = 9.80665;
static const double STEPS = 1e-3; // of the integration

/// One wheel without damping falls on rigid ground.
static GrTrialPeaks drop(double stiffness)
{
    GrErrorLog log = {0};
    GrRoverDef rover, wheel;
    GrDropResult result;
    assert_int_equal(gr_rover_load("rashid_like", NULL, &rover, &log), GR_OK);
    rover.wheels[0].stiffness = stiffness;
    rover.wheels[0].damping = 0;
    assert_int_equal(gr_trial_lone_wheel(&rover, 0, MASS, &wheel, &log), GR_OK);
    GrTrialDef def = gr_default_trial_def();
    def.rover = &wheel;
    def.soil = NULL;
    def.gravity = GRAVITY;
    def.step = 1e-4;
    GrDropDef fall = gr_default_drop_def();
    fall.height = HEIGHT;
    fall.limit = 0.4; // past the first impact
    assert_int_equal(gr_trial_drop(&def, &fall, NULL, &result, &log), GR_OK);
    gr_rover_free(&wheel);
    gr_rover_free(&rover);
    return result.peaks;
}

/// m g (h + u) = k u² / 2, less what the contact of the rim takes. That is a spring in series, whose stiffness the load
/// of a rigid wheel tells: F² / (2 k_c) is the energy of its impact.
static void test_spring(void **state)
{
    (void)state;
    const double weight = MASS * GRAVITY;
    const GrTrialPeaks rigid = drop(INFINITY);
    const double contact = rigid.wheel_load * rigid.wheel_load / (2 * weight * HEIGHT);
    assert_true(rigid.deflection == 0);
    for (double k = 5e3; k < 1e5; k *= 2) {
        const double u = weight / k * (1 + sqrt(1 + 2 * k * HEIGHT / weight));
        const GrTrialPeaks peaks = drop(k);
        print_message("k = %g N/m: %g mm deflected, by the energy %g mm\n", k, 1e3 * peaks.deflection, 1e3 * u);
        assert_true(peaks.deflection < (1 + STEPS) * u);
        assert_true(peaks.deflection > (1 - k / contact - STEPS) * u);
    }
}

static void soften(GrScenario *scenario)
{
    for (int i = 0; i < scenario->rover.wheel_count; i++) {
        scenario->rover.wheels[i].stiffness = 200;
    }
}

static void stiffen(GrScenario *scenario)
{
    for (int i = 0; i < scenario->rover.wheel_count; i++) {
        scenario->rover.wheels[i].stiffness = 1e5;
    }
}

/// Whether a run of a rover on rigid ground warns of its flat wheels.
static bool warns(void (*change)(GrScenario *))
{
    const char *const overrides[] = {"soil=none", "start.height_m=0.05", "stop.time_s=1", NULL};
    GrRunSummary summary = gr_test_run("drop", overrides, change, NULL);
    const bool found = gr_test_warned(&summary, "deflected by more than half its radius");
    gr_run_summary_free(&summary);
    return found;
}

static void test_warning(void **state)
{
    (void)state;
    assert_false(warns(NULL));
    assert_false(warns(stiffen));
    assert_true(warns(soften));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spring), cmocka_unit_test(test_warning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

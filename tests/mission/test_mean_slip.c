/// Mean slip of a run, where it is known without a law: wheels that spin on the spot, and wheels that stand.
#include "support/run_scenario.h"

/// The scenario `drawbar` with overrides, run to its end.
static GrRunSummary run(const char *const *overrides)
{
    return gr_test_run("drawbar", overrides, NULL, NULL);
}

/// On slippery rigid ground the rover speeds up by μ g. Its wheels reach the speed v after a time s and roll
/// v (T − s/2) in T, the rover moves by μ g T²/2: the mean slip is 1 less their ratio.
static void test_spinning_on_rigid_ground(void **state)
{
    (void)state;
    const double FRICTION = 5e-4, GRAVITY = 9.80665, TIME = 4, SPEED = 0.05, START = 0.5;
    const double TOLERANCE = 0.006; // the start may come a control period of 0.1 s late: 0.05 a second
    const char *const overrides[] = {"soil=none",      "hard={friction: 5e-4}",
                                     "drive.pull_N=0", "drive.wheel_acceleration_mps2=0.1",
                                     "stop.time_s=5",  NULL};
    const double expected = 1 - FRICTION * GRAVITY * TIME * TIME / 2 / (SPEED * (TIME - START / 2));
    GrRunSummary summary = run(overrides); // drives from second 1 to 5
    for (int i = 0; i < summary.wheel_count; i++) {
        assert_near(summary.wheels[i].slip_mean, expected, TOLERANCE);
    }
    gr_run_summary_free(&summary);
}

/// Nothing rolls: a slip that is noise over noise is not reported.
static void test_standing(void **state)
{
    (void)state;
    const char *const overrides[] = {"drive={}", "stop.time_s=5", NULL};
    GrRunSummary summary = run(overrides);
    for (int i = 0; i < summary.wheel_count; i++) {
        assert_near(summary.wheels[i].slip_mean, 0, 0);
        assert_near(summary.wheels[i].slip_max, 0, 0);
    }
    gr_run_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spinning_on_rigid_ground),
        cmocka_unit_test(test_standing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Sinkage of flexible wheels: it does not include the deflection of the wheel, and neither does the rut that the wheel
/// leaves.
#include "support/run_scenario.h"

#include <math.h>

static void stiffen(GrScenario *scenario)
{
    for (int i = 0; i < scenario->rover.wheel_count; i++) {
        scenario->rover.wheels[i].stiffness = INFINITY;
    }
}

/// Mean sinkage and distance of a car of which the wheels are rigid or as shipped.
static double drive(const char *ruts, bool rigid, double *distance)
{
    const char *const overrides[] = {"rover=lrv_like", "gravity=mars", ruts, "drive.pull_N=0", "stop.time_s=6", NULL};
    GrRunSummary summary = gr_test_run("drawbar", overrides, rigid ? stiffen : NULL, NULL);
    double sinkage = 0; // mean of the wheels: flexible ones tilt the rover and shift load between the axles
    for (int i = 0; i < summary.wheel_count; i++) {
        sinkage += summary.wheels[i].sinkage_mean / summary.wheel_count;
    }
    *distance = summary.distance;
    gr_run_summary_free(&summary);
    return sinkage;
}

/// The patch law knows the load alone, so that soft and rigid wheels sink alike; and the car drives as far in the ruts
/// that its wheels leave as without.
static void test_same_load_same_sinkage(void **state)
{
    (void)state;
    const double SINKAGE = 0.05, DISTANCE = 0.02; // soft wheels share the load otherwise
    double soft_distance, rigid_distance, rut_distance;
    const double soft = drive("ruts=none", false, &soft_distance), rigid = drive("ruts=none", true, &rigid_distance);
    drive("ruts=scm", false, &rut_distance);
    print_message("sinkage %g m, rigid wheels %g m; %g m, in ruts %g m\n", soft, rigid, soft_distance, rut_distance);
    assert_near_rel(soft, rigid, SINKAGE);
    assert_near_rel(rut_distance, soft_distance, DISTANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_load_same_sinkage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Sinkage of flexible wheels: it does not include the deflection of the wheel, and neither does the rut that the wheel
/// leaves.
#include "grouser/analysis.h"
#include "grouser/soil_file.h"
#include "rig.h"
#include "scenario_data.h"
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

/// Load, stiffness and soil of the Lunar Roving Vehicle: tests of rovers, runs and the rig have sinkage and deflection
/// as two figures, and the sinkage is that of a rigid wheel.
static void test_deflection_does_not_count_as_sinkage(void **state)
{
    (void)state;
    const double EXACT = 1e-6, SHARED = 0.05; // soft wheels share the load otherwise
    GrRigDef def = gr_default_rig_def();
    GrRig soft, rigid;
    GrRigPoint a, b, c;
    assert_int_equal(gr_soil_load("lunar_apollo", NULL, &def.soil, NULL, NULL), GR_OK);
    def.wheel.radius = 0.4065;
    def.wheel.width = 0.229;
    def.load = 283.5;
    assert_int_equal(gr_rig_make(&def, &rigid, NULL), GR_OK);
    def.wheel.stiffness = 8000;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        def.dynamic = dynamic > 0;
        assert_int_equal(gr_rig_make(&def, &soft, NULL), GR_OK);
        assert_int_equal(gr_rig_point(&soft, 0.05, 0, &a), GR_OK);
        assert_int_equal(gr_rig_point(&rigid, 0.05, 0, &b), GR_OK);
        assert_near_rel(a.sinkage, b.sinkage, EXACT);
        assert_near_rel(a.deflection, 283.5 / 8000, EXACT);
        assert_near(b.deflection, 0, 0);
        soft.def.by_sinkage = true; // held there it carries the load again
        soft.def.sinkage = a.sinkage;
        assert_int_equal(gr_rig_point(&soft, 0.05, 0, &c), GR_OK);
        assert_near_rel(c.f_z, def.load, EXACT);
        assert_near_rel(c.sinkage, a.sinkage, EXACT);
    }
    GrSteadyDriveDef drive = gr_default_steady_drive_def();
    GrSteadyDrive soft_drive, rigid_drive;
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/lrv_like.yaml", NULL, &rover, NULL), GR_OK);
    drive.rover = &rover;
    drive.soil = &def.soil;
    drive.gravity = 1.62;
    assert_int_equal(gr_steady_drive(&drive, &soft_drive, NULL), GR_OK);
    assert_near_rel(soft_drive.deflection, soft_drive.load_most / rover.wheels[0].stiffness, EXACT);
    for (int i = 0; i < rover.wheel_count; i++) {
        rover.wheels[i].stiffness = INFINITY;
    }
    assert_int_equal(gr_steady_drive(&drive, &rigid_drive, NULL), GR_OK);
    print_message("sinkage %.1f mm, of rigid wheels %.1f mm; deflection %.1f mm\n", 1e3 * soft_drive.sinkage,
                  1e3 * rigid_drive.sinkage, 1e3 * soft_drive.deflection);
    assert_near_rel(soft_drive.sinkage, rigid_drive.sinkage, SHARED);
    assert_near(rigid_drive.deflection, 0, 0);
    gr_rover_free(&rover);
    static const char *const overrides[] = {"rover=lrv_like", "gravity=moon",  "soil=lunar_apollo",
                                            "drive.pull_N=0", "stop.time_s=2", NULL};
    GrRunSummary summary = gr_test_run("drawbar", overrides, NULL, NULL);
    const GrWheelSummary *w = &summary.wheels[0];
    assert_near_rel(w->deflection_mean, w->load_mean / 8000, SHARED);
    assert_true(w->deflection_max >= w->deflection_mean && w->sinkage_max < 0.025);
    gr_run_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_load_same_sinkage),
                                       cmocka_unit_test(test_deflection_does_not_count_as_sinkage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Steady drives by the formulas of the wheels agree with drives that are integrated.
#include "grouser/soil_file.h"
#include "static_drive.h"
#include "test.h"

static const double DEGREE = 3.14159265358979323846 / 180;

typedef struct Case {
    const char *rover, *soil;
    double gravity, slope, heading; ///< [m/s²], [°]
    double allowed;                 ///< of slip and of drift over speed
} Case;

/// The loads are those of the integrated drive; forces along and across follow from them.
static void compare(const Case *c)
{
    GrRoverDef rover;
    GrSoilDef soil;
    char path[512];
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, c->rover);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    snprintf(path, sizeof path, "%s/data/soils/%s.yaml", GR_TEST_SOURCE_DIR, c->soil);
    assert_int_equal(gr_soil_load(path, NULL, &soil, NULL, NULL), GR_OK);
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.gravity = c->gravity;
    def.slope = c->slope * DEGREE;
    def.heading = c->heading * DEGREE;
    GrSteadyDrive driven, computed;
    GrStaticDrive statics;
    assert_int_equal(gr_steady_drive(&def, &driven, NULL), GR_OK);
    assert_int_equal(driven.outcome, GR_DRIVE_STEADY);
    assert_int_equal(gr_static_drive_make(&def, &statics, NULL), GR_OK);
    double normal = 0;
    for (int i = 0; i < statics.wheel_count; i++) {
        normal += driven.loads[i];
    }
    const double along = normal * tan(def.slope);
    gr_static_drive_at(&statics, driven.loads, along * cos(def.heading), along * sin(def.heading), &computed);
    print_message("%s on %s, %g deg: slip %.4f and %.4f, drift %.4f and %.4f, sinkage %.4f and %.4f m\n", c->rover,
                  c->soil, c->slope, driven.slip, computed.slip, driven.drift / driven.speed,
                  computed.drift / computed.speed, driven.sinkage, computed.sinkage);
    assert_int_equal(computed.outcome, GR_DRIVE_STEADY);
    assert_near(computed.slip, driven.slip, c->allowed);
    assert_near(fabs(computed.drift / computed.speed), fabs(driven.drift / driven.speed), c->allowed);
    assert_near(computed.sinkage, driven.sinkage, 0.02 * driven.sinkage + 1e-4);
    assert_near(computed.power, driven.power, 0.02 * fabs(driven.power) + 0.01);
    gr_static_drive_at(&statics, driven.loads, normal, 0, &computed); // 45°
    assert_int_equal(computed.outcome, GR_DRIVE_STUCK);
    gr_static_drive_free(&statics);
    gr_rover_free(&rover);
}

static void test_agrees_with_drives(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"rashid_like", "lunar_mare", 1.62, 10, 0, 0.005},   {"rashid_like", "lunar_mare", 1.62, -10, 0, 0.005},
        {"rashid_like", "lunar_mare", 1.62, 6, 90, 0.005},   {"curiosity_like", "mars_sand", 3.71, 8, 0, 0.005},
        {"curiosity_like", "mars_sand", 3.71, 6, 90, 0.005}, {"rashid_like", "ishigami2007", 9.80665, 15, 0, 0.005},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare(&cases[i]);
    }
}

/// A pull that is off by e of the load moves the slope that needs a slip: tan grows by e, at any slip. The drive that
/// is integrated finds the same.
static void test_errors_of_pull(void **state)
{
    (void)state;
    enum { SLOPE = 8 };
    static const double ERROR = -0.06;
    GrRoverDef rover;
    GrSoilDef soil;
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    GrSteadyDrive usual, off, computed;
    GrStaticDrive statics;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", NULL, &rover, NULL), GR_OK);
    assert_int_equal(gr_soil_load(GR_TEST_SOURCE_DIR "/data/soils/lunar_mare.yaml", NULL, &soil, NULL, NULL), GR_OK);
    def.rover = &rover;
    def.soil = &soil;
    def.gravity = 1.62;
    def.slope = atan(tan(SLOPE * DEGREE) - ERROR);
    assert_int_equal(gr_steady_drive(&def, &usual, NULL), GR_OK);
    def.slope = SLOPE * DEGREE;
    soil.error_fx = ERROR;
    assert_int_equal(gr_steady_drive(&def, &off, NULL), GR_OK);
    assert_int_equal(off.outcome, GR_DRIVE_STEADY);
    print_message("slip %.4f with an error, %.4f on the steeper slope\n", off.slip, usual.slip);
    assert_near(off.slip, usual.slip, 0.015); // the slopes differ by 3.4°, and so do the loads of the axles
    assert_int_equal(gr_static_drive_make(&def, &statics, NULL), GR_OK);
    double normal = 0;
    for (int i = 0; i < statics.wheel_count; i++) {
        normal += off.loads[i];
    }
    gr_static_drive_at(&statics, off.loads, normal * tan(def.slope), 0, &computed);
    assert_near(computed.slip, off.slip, 0.005);
    gr_static_drive_free(&statics);
    gr_rover_free(&rover);
}

/// A wheel that sinks deeper than the law says, or less, pulls the same; drives and steady formulas agree. On a grid as
/// well.
static void test_errors_of_sinkage(void **state)
{
    (void)state;
    static const struct {
        const char *soil;
        double error;
    } cases[] = {{"lunar_mare", 0.08}, {"lunar_mare", -0.03}, {"cmu_smooth_scm", 0.08}, {"cmu_smooth_scm", -0.03}};
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", NULL, &rover, NULL), GR_OK);
    const double radius = rover.wheels[0].radius + rover.wheels[0].grouser_height; // at the tips
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        GrSoilDef soil;
        GrSteadyDrive usual, off;
        GrSteadyDriveDef def = gr_default_steady_drive_def();
        snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/soils/%s.yaml", cases[i].soil);
        assert_int_equal(gr_soil_load(path, NULL, &soil, NULL, NULL), GR_OK);
        def.rover = &rover;
        def.soil = &soil;
        def.gravity = 1.62;
        assert_int_equal(gr_steady_drive(&def, &usual, NULL), GR_OK);
        soil.error_sinkage = cases[i].error;
        assert_int_equal(gr_steady_drive(&def, &off, NULL), GR_OK);
        const double deeper = off.sinkage - usual.sinkage, error = cases[i].error * radius;
        print_message("%s: %.2f mm, %.2f mm with an error of %.2f mm; slip %.4f and %.4f\n", cases[i].soil,
                      1000 * usual.sinkage, 1000 * off.sinkage, 1000 * error, usual.slip, off.slip);
        assert_near(off.slip, usual.slip, 5e-3);
        if (error > 0) {
            assert_near(deeper, error, 0.1 * error);
        } else { // fades where the wheel is not deeper than the error
            assert_true(deeper >= error && deeper <= 0.3 * error);
            assert_true(off.sinkage > 0);
        }
        if (!gr_soil_law_on_grid(soil.law)) {
            GrStaticDrive statics;
            GrSteadyDrive computed;
            assert_int_equal(gr_static_drive_make(&def, &statics, NULL), GR_OK);
            gr_static_drive_at(&statics, off.loads, 0, 0, &computed);
            assert_near(computed.sinkage, off.sinkage, 0.02 * off.sinkage);
            gr_static_drive_free(&statics);
        }
    }
    gr_rover_free(&rover);
}

static void test_refuses_grids(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    GrStaticDrive statics;
    soil.law = GR_SOIL_SCM;
    def.soil = &soil;
    assert_int_equal(gr_static_drive_make(&def, &statics, NULL), GR_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_drives),
        cmocka_unit_test(test_errors_of_pull),
        cmocka_unit_test(test_errors_of_sinkage),
        cmocka_unit_test(test_refuses_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

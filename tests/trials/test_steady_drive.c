/// Steady drives: results must agree with the single wheel, and every kind of failure has a name.
#include "carriage.h"
#include "grouser/analysis.h"
#include "grouser/soil_file.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static GrRoverDef load(const char *name, const char *const *overrides)
{
    char path[512];
    GrRoverDef rover;
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, overrides, &rover, NULL), GR_OK);
    return rover;
}

static GrSteadyDrive drive(const GrSteadyDriveDef *def)
{
    GrSteadyDrive result;
    assert_int_equal(gr_steady_drive(def, &result, NULL), GR_OK);
    return result;
}

/// Slip at which four equal wheels pull `pull` in all, by the static formulas.
static double static_slip(const GrRoverDef *rover, const GrSoilDef *soil, double weight, double pull)
{
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilWheel w;
    wheel.radius = rover->wheels[0].radius;
    wheel.width = rover->wheels[0].width;
    wheel.grouser_count = rover->wheels[0].grouser_count;
    wheel.grouser_height = rover->wheels[0].grouser_height;
    assert_int_equal(gr_soil_wheel_prepare(soil, &wheel, &w, NULL), GR_OK);
    return gr_slip_for_pull(&w, weight / 4, pull / 4);
}

/// A rover whose wheels share alike climbs at the slip of the single wheel, up and down, on Earth and on the Moon.
static void test_slip_is_that_of_the_single_wheel(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like", NULL);
    const GrSoilDef soil = gr_default_soil_def();
    const double gravities[] = {9.80665, 1.62};
    const double slopes[] = {-5, 0, 5, 10, 15, 20};
    for (int g = 0; g < 2; g++) {
        for (int i = 0; i < 6; i++) {
            GrSteadyDriveDef def = gr_default_steady_drive_def();
            def.rover = &rover;
            def.soil = &soil;
            def.gravity = gravities[g];
            def.slope = slopes[i] * PI / 180;
            const GrSteadyDrive result = drive(&def);
            const double weight = 10 * gravities[g];
            const double slip = static_slip(&rover, &soil, weight * cos(def.slope), weight * sin(def.slope));
            print_message("%g m/s2, %g deg: slip %.4f, single wheel %.4f\n", gravities[g], slopes[i], result.slip,
                          slip);
            assert_int_equal(result.outcome, GR_DRIVE_STEADY);
            assert_near(result.slip, slip, 0.02); // the loads are not quite alike
            assert_int_equal(result.warnings, 0);
        }
    }
    gr_rover_free(&rover);
}

/// A pull on level ground works like the slope that asks for the same.
static void test_pull_works_like_a_slope(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like", NULL);
    const GrSoilDef soil = gr_default_soil_def();
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.pull = 0.2 * 98.0665;
    const GrSteadyDrive result = drive(&def);
    assert_int_equal(result.outcome, GR_DRIVE_STEADY);
    assert_near(result.slip, static_slip(&rover, &soil, 98.0665, def.pull), 0.02);
    const double resisted = result.power - def.pull * result.speed;
    assert_true(resisted > 0 && result.power > 0); // the soil takes its share
    gr_rover_free(&rover);
}

static void test_failures_have_names(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like", NULL);
    GrSoilDef soil = gr_default_soil_def();
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.slope = 44 * PI / 180;
    const GrDriveOutcome steep = drive(&def).outcome;
    assert_true(steep == GR_DRIVE_SLIDES || steep == GR_DRIVE_TIPPED || steep == GR_DRIVE_STUCK);
    def.slope = 0;
    def.pull = 60;
    assert_int_equal(drive(&def).outcome, GR_DRIVE_SLIDES);
    for (int i = 0; i < rover.joint_count; i++) { // motors that cannot climb
        if (rover.joints[i].role == GR_ROLE_DRIVE) {
            rover.joints[i].motor.torque_limit = 0.2;
        }
    }
    def.pull = 0;
    def.slope = 12 * PI / 180;
    const GrDriveOutcome weak = drive(&def).outcome;
    assert_true(weak == GR_DRIVE_SLIDES || weak == GR_DRIVE_STALLED);
    GrErrorLog log = {0};
    GrSteadyDrive result;
    def.gravity = 0;
    assert_int_equal(gr_steady_drive(&def, &result, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 1);
    gr_rover_free(&rover);
}

static void test_steepest_slope_is_the_border(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like", NULL);
    const GrSoilDef soil = gr_default_soil_def();
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    double slope = 0;
    def.rover = &rover;
    def.soil = &soil;
    assert_int_equal(gr_steepest_slope(&def, 0.2, 0.8, 0.01, &slope, NULL), GR_OK);
    print_message("steepest slope %.2f deg\n", slope * 180 / PI);
    def.slope = slope;
    assert_int_equal(drive(&def).outcome, GR_DRIVE_STEADY);
    def.slope = slope + 0.02;
    assert_int_not_equal(drive(&def).outcome, GR_DRIVE_STEADY);
    gr_rover_free(&rover);
}

/// In grains a rover has the same slip on a slope wherever it drives, since weight and strength of the soil both grow
/// with gravity (Slonaker et al. 2017; arXiv 2405.11001). A soil after Bekker keeps its constants: the slip changes.
static void test_grains_and_gravity(void **state)
{
    (void)state;
    static const double SIMILAR = 0.01; // of the slip
    static const double gravities[] = {9.80665, 3.71, 1.62};
    GrRoverDef rover = load("rashid_like", NULL);
    GrSoilDef soil = gr_default_soil_def();
    soil.cohesion = 0; // its own length, c/ρg, is not similar
    for (int law = 0; law < 2; law++) {
        double slip[3];
        soil.law = law == 0 ? GR_SOIL_RFT : GR_SOIL_WONG_REECE;
        for (int g = 0; g < 3; g++) {
            GrSteadyDriveDef def = gr_default_steady_drive_def();
            def.rover = &rover;
            def.soil = &soil;
            def.gravity = gravities[g];
            def.slope = 12 * PI / 180;
            def.speed *= sqrt(gravities[g] / gravities[0]); // grousers make the rover heave: speeds go as √g
            const GrSteadyDrive result = drive(&def);
            assert_int_equal(result.outcome, GR_DRIVE_STEADY);
            slip[g] = result.slip;
        }
        print_message("%s on 12 deg: slip %.5f on Earth, %.5f on Mars, %.5f on the Moon\n", gr_soil_law_name(soil.law),
                      slip[0], slip[1], slip[2]);
        for (int g = 1; g < 3; g++) {
            assert_true((fabs(slip[g] / slip[0] - 1) < SIMILAR) == (law == 0));
        }
    }
    gr_rover_free(&rover);
}

/// A rover that slides down backwards may turn across the slope and roll on there: it does not climb. One that goes
/// down at more than twice the speed of its rims slides, too. What does not slide has a slip between −1 and 1.
static void test_what_slides_does_not_drive(void **state)
{
    (void)state;
    static const struct {
        double slope;
        GrDriveOutcome outcome;
    } cases[] = {{18, GR_DRIVE_STEADY}, {28, GR_DRIVE_SLIDES},  {29, GR_DRIVE_SLIDES},
                 {30, GR_DRIVE_SLIDES}, {-25, GR_DRIVE_STEADY}, {-30, GR_DRIVE_SLIDES}};
    GrRoverDef rover = load("rashid_like", NULL);
    GrSoilDef soil;
    assert_int_equal(gr_soil_load(GR_TEST_SOURCE_DIR "/data/soils/mars_dlr_drift.yaml", NULL, &soil, NULL, NULL),
                     GR_OK);
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.gravity = 1.62;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        def.slope = cases[i].slope * PI / 180;
        const GrSteadyDrive result = drive(&def);
        print_message("%g deg: %s, slip %g\n", cases[i].slope, gr_drive_outcome_name(result.outcome), result.slip);
        assert_int_equal(result.outcome, cases[i].outcome);
        assert_true(result.outcome == GR_DRIVE_SLIDES || fabs(result.slip) <= 1);
    }
    gr_rover_free(&rover);
}

/// Wheels that dig swing about a slip close to the limit, and the rover goes on: its means are those of the run itself,
/// a step longer or shorter; on a steeper slope it slides back.
static void test_swings_are_no_failure(void **state)
{
    (void)state;
    char path[512];
    GrRoverDef rover = load("rashid_like", NULL);
    GrSoilDef soil;
    snprintf(path, sizeof path, "%s/data/soils/cmu_fit.yaml", GR_TEST_SOURCE_DIR);
    assert_int_equal(gr_soil_load(path, NULL, &soil, NULL, NULL), GR_OK);
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    def.gravity = 1.62;
    def.slope = 24.1 * PI / 180;
    const GrSteadyDrive all = drive(&def);
    print_message("%s after %.0f s, slip %.3f, sinkage %.4f m\n", gr_drive_outcome_name(all.outcome), all.time,
                  all.slip, all.sinkage);
    assert_int_equal(all.outcome, GR_DRIVE_STEADY);
    assert_true(all.time > 110); // no two windows agree
    assert_true(all.load_least > 0 && all.load_least <= all.load_most);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += all.loads[i];
    }
    assert_near_rel(sum, 10 * 1.62 * cos(def.slope), 0.01);
    def.limit = 180;
    const GrSteadyDrive longer = drive(&def);
    assert_int_equal(longer.outcome, GR_DRIVE_STEADY);
    assert_near(longer.slip, all.slip, 0.03);
    assert_near_rel(longer.power, all.power, 0.05);
    def.slope = 26 * PI / 180;
    assert_int_not_equal(drive(&def).outcome, GR_DRIVE_STEADY);
    gr_rover_free(&rover);
}

/// Grousers that push against a slope in grains once made a rover flutter at 15 Hz where steps were short enough to
/// show it, and slip a quarter more. What a drive settles to does not depend on the step.
static void test_step_does_not_matter(void **state)
{
    (void)state;
    GrRoverDef rover = load("exomars_like", NULL);
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1660;
    soil.friction_angle = 33.4 * PI / 180;
    soil.cohesion = 0;
    double slip[3];
    for (int i = 0; i < 3; i++) {
        GrSteadyDriveDef def = gr_default_steady_drive_def();
        def.rover = &rover;
        def.soil = &soil;
        def.gravity = 3.71;
        def.slope = 8 * PI / 180;
        def.step = 0.005 / (1 << i);
        const GrSteadyDrive result = drive(&def);
        assert_int_equal(result.outcome, GR_DRIVE_STEADY);
        assert_int_equal(result.warnings, 0);
        slip[i] = result.slip;
    }
    print_message("slip %.5f, %.5f and %.5f with steps of 5, 2.5 and 1.25 ms\n", slip[0], slip[1], slip[2]);
    assert_near(slip[1], slip[0], 2e-3); // that of the means that are called steady
    assert_near(slip[2], slip[0], 2e-3);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swings_are_no_failure),
        cmocka_unit_test(test_grains_and_gravity),
        cmocka_unit_test(test_slip_is_that_of_the_single_wheel),
        cmocka_unit_test(test_pull_works_like_a_slope),
        cmocka_unit_test(test_failures_have_names),
        cmocka_unit_test(test_steepest_slope_is_the_border),
        cmocka_unit_test(test_step_does_not_matter),
        cmocka_unit_test(test_what_slides_does_not_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

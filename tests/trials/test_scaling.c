/// Scaled and offloaded rovers on slopes of grains: the simulation must agree with the granular scaling laws.
#include "grouser/analysis.h"
#include "grouser/soil_file.h"
#include "test.h"

static const double EARTH = 9.80665, MOON = 1.62;
static const double SAME_STEPS = 1e-3; // everything is scaled, steps and windows included: rounding, which wheels on
                                       // the verge of spinning amplify, is left
static const double SIMILAR = 0.01;    // of the slip, with other steps

static GrRoverDef load(const char *name)
{
    GrRoverDef rover;
    char path[512];
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    return rover;
}

static GrSoilDef load_grains(void)
{
    GrSoilDef soil;
    assert_int_equal(gr_soil_load(GR_TEST_SOURCE_DIR "/data/soils/grc1_loose_rft.yaml", NULL, &soil, NULL, NULL),
                     GR_OK);
    return soil;
}

static GrSteadyDriveDef climb(const GrRoverDef *rover, const GrSoilDef *soil, double gravity, double degrees)
{
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = rover;
    def.soil = soil;
    def.gravity = gravity;
    def.slope = degrees * GR_DEGREE;
    return def;
}

static GrSteadyDrive drive(const GrSteadyDriveDef *def)
{
    GrSteadyDrive result;
    assert_int_equal(gr_steady_drive(def, &result, NULL), GR_OK);
    assert_int_equal(result.outcome, GR_DRIVE_STEADY);
    return result;
}

/// The rover and its test vehicle of `length`: slip, sinkage over length and power alike (Slonaker et al. 2017).
static void hold_alike(const GrSteadyDriveDef *def, const GrSteadyDrive *own, double to, double length)
{
    const double q = to / def->gravity;
    const GrRoverScale scale = gr_granular_scale(length, q);
    GrRoverDef vehicle;
    assert_int_equal(gr_rover_scale(def->rover, &scale, &vehicle, NULL), GR_OK);
    const GrSteadyDriveDef test = gr_steady_drive_scale(def, &scale, &vehicle);
    assert_near_rel(test.gravity, to, 1e-14);
    assert_near_rel(test.speed, def->speed * sqrt(q * length), 1e-14);
    const GrSteadyDrive there = drive(&test);
    assert_near_rel(there.slip, own->slip, SAME_STEPS);
    assert_near_rel(there.sinkage / length, own->sinkage, SAME_STEPS);
    // P/(m g v) is the same: P goes as r³ q √(q r)
    assert_near_rel(there.power / (pow(length, 3) * q * sqrt(q * length)), own->power, SAME_STEPS);
    gr_rover_free(&vehicle);
}

static void test_similar(void **state)
{
    (void)state;
    static const struct {
        const char *rover;
        double gravity, slopes[3];
    } rows[] = {{"rashid_like", 1.62, {4, 10, 14}}, {"exomars_like", 3.71, {2, 4, 6}}};
    const GrSoilDef soil = load_grains();
    for (int k = 0; k < 2; k++) {
        GrRoverDef rover = load(rows[k].rover);
        for (int i = 0; i < 3; i++) {
            const GrSteadyDriveDef def = climb(&rover, &soil, rows[k].gravity, rows[k].slopes[i]);
            const GrSteadyDrive own = drive(&def);
            print_message("%s, %g m/s2, %g deg: slip %.5f\n", rows[k].rover, rows[k].gravity, rows[k].slopes[i],
                          own.slip);
            hold_alike(&def, &own, EARTH, i == 1 ? 1 : 0.5);
        }
        gr_rover_free(&rover);
    }
}

/// The same with steps and windows that are not scaled, so that the error of the steps is not the same either.
static void test_similar_with_other_steps(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like"), vehicle;
    const GrSoilDef soil = load_grains();
    for (int i = 0; i < 4; i++) {
        const GrSteadyDriveDef moon = climb(&rover, &soil, MOON, i < 2 ? 4 : 8);
        const GrRoverScale scale = gr_granular_scale(i % 2 == 0 ? 1 : 0.5, EARTH / MOON);
        assert_int_equal(gr_rover_scale(&rover, &scale, &vehicle, NULL), GR_OK);
        GrSteadyDriveDef earth = gr_steady_drive_scale(&moon, &scale, &vehicle);
        earth.step = 1e-3;
        earth.window = 3;
        earth.limit = 120;
        assert_near_rel(drive(&earth).slip, drive(&moon).slip, SIMILAR);
        gr_rover_free(&vehicle);
    }
    gr_rover_free(&rover);
}

/// Cohesion has its own length, c/ρg: the same test is no longer similar.
static void test_cohesion_is_not_similar(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like"), vehicle;
    GrSoilDef soil = load_grains();
    soil.cohesion = 100;
    const GrRoverScale scale = gr_granular_scale(1, EARTH / MOON);
    assert_int_equal(gr_rover_scale(&rover, &scale, &vehicle, NULL), GR_OK);
    const GrSteadyDriveDef def = climb(&rover, &soil, MOON, 10), test = gr_steady_drive_scale(&def, &scale, &vehicle);
    assert_true(fabs(drive(&test).slip / drive(&def).slip - 1) > 5 * SIMILAR);
    gr_rover_free(&vehicle);
    gr_rover_free(&rover);
}

static GrSteadyDriveDef slowly(GrSteadyDriveDef def)
{
    def.speed /= 4;
    def.window *= 4;
    def.limit *= 4;
    return def;
}

/// Offloaded rovers slip less on Earth than the rover on the Moon, as wheels of reduced load do on ground and not in
/// flight (Kobayashi et al. 2010), and more so the steeper the slope. A rover that is hung up keeps its mass: it is one
/// under lunar gravity on soil as heavy as on Earth. Both ways must agree at low speed, where inertia does not matter.
static void test_offloaded(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like"), light;
    const GrSoilDef soil = load_grains();
    GrSoilDef heavy = soil;
    heavy.density *= EARTH / MOON;
    assert_int_equal(gr_rover_offload(&rover, MOON / EARTH, &light, NULL), GR_OK);
    double last = 0;
    for (int degrees = 6; degrees <= 14; degrees += 4) {
        const GrSteadyDriveDef moon = slowly(climb(&rover, &soil, MOON, degrees)),
                               hung = slowly(climb(&rover, &heavy, MOON, degrees)),
                               earth = slowly(climb(&light, &soil, EARTH, degrees));
        const double slip = drive(&moon).slip, shown = drive(&earth).slip, by_hanging = drive(&hung).slip;
        print_message("%d deg: slip %.4f on the Moon, %.4f offloaded, %.4f hung up\n", degrees, slip, shown,
                      by_hanging);
        assert_near_rel(by_hanging, shown, SIMILAR);
        assert_true(slip - shown > last && slip > 1.1 * shown);
        last = slip - shown;
    }
    gr_rover_free(&light);
    gr_rover_free(&rover);
}

/// After Bekker: without cohesion and k_c, gravity_scaling makes the rover of the same size similar; without it, the
/// constants do not know gravity, and the offloaded rover slips like the one on the Moon.
static void test_bekker(void **state)
{
    (void)state;
    GrRoverDef rover = load("rashid_like"), light, vehicle;
    GrSoilDef soil = gr_default_soil_def();
    soil.cohesion = soil.k_c = 0;
    const GrRoverScale scale = gr_granular_scale(1, EARTH / MOON);
    assert_int_equal(gr_rover_scale(&rover, &scale, &vehicle, NULL), GR_OK);
    assert_int_equal(gr_rover_offload(&rover, MOON / EARTH, &light, NULL), GR_OK);
    for (int scaling = 0; scaling < 2; scaling++) {
        soil.gravity_scaling = (GrGravityScaling)scaling;
        const GrSteadyDriveDef moon = climb(&rover, &soil, MOON, 8), earth = climb(&light, &soil, EARTH, 8),
                               test = gr_steady_drive_scale(&moon, &scale, &vehicle);
        const double slip = drive(&moon).slip, similar = drive(&test).slip / slip - 1,
                     offloaded = drive(&earth).slip / slip - 1;
        assert_true((fabs(similar) < SAME_STEPS) == (scaling == 1));
        assert_true((fabs(offloaded) < SIMILAR) == (scaling == 0));
    }
    gr_rover_free(&light);
    gr_rover_free(&vehicle);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_similar),
        cmocka_unit_test(test_similar_with_other_steps),
        cmocka_unit_test(test_cohesion_is_not_similar),
        cmocka_unit_test(test_offloaded),
        cmocka_unit_test(test_bekker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

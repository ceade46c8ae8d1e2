/// A parked rover stays where it is: every soil law, several rovers, every length of step that a pace may choose.
///
/// The slope of 15° is below the soil's angle of friction of 24°, so that friction alone holds a locked wheel. The soil
/// is stiff and the slope runs across and along the rover: a rolling memory that follows the motion one step late
/// drives such a rover downhill at long steps, while it holds at short ones.
#include "data.h"
#include "grouser/soil_file.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double EARTH = 9.80665, SLOPE = 15, ACROSS = 60; // [m/s², deg, deg]
static const double CREEP = 2e-5;                             // [m] a tenth of a grain of sand

static GrSoilDef stiff_soil(GrSoilLaw law)
{
    GrSoilDef soil = gr_default_soil_def();
    assert_int_equal(gr_soil_load("marssim_terrain4", NULL, &soil, NULL, NULL), GR_OK);
    soil.law = law;
    return soil;
}

static GrModel *on_slope(const GrRoverDef *rover, const GrSoilDef *soil, double step)
{
    const double tilt = SLOPE * acos(-1) / 180, toward = ACROSS * acos(-1) / 180;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(-EARTH * sin(tilt) * cos(toward), -EARTH * sin(tilt) * sin(toward), -EARTH * cos(tilt));
    options.surface.soil = soil;
    options.step = step;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    return m;
}

static GrData *parked(const GrModel *m)
{
    GrData *d = NULL;
    assert_int_equal(gr_data_create(m, &d, NULL), GR_OK);
    gr_data_set_base_pose(d, (GrPose){{0, 0, 0.3}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    return d;
}

/// How far a rover at rest has moved after `time` [m].
static double creep(const GrRoverDef *rover, const GrSoilDef *soil, double step, double time)
{
    GrModel *m = on_slope(rover, soil, step);
    GrData *d = parked(m);
    const GrVec3 before = gr_data_base_pose(d).position;
    for (int i = 0; i < (int)(time / step); i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    const double moved = gr_norm(gr_sub(gr_data_base_pose(d).position, before));
    gr_data_free(d);
    gr_model_free(m);
    return moved;
}

static void test_every_law_at_every_step(void **state)
{
    (void)state;
    static const char *const rovers[] = {"el_dorado2", "rashid_like", "curiosity_like", "exomars_like"};
    static const double steps[] = {0.0005, 0.005, 0.025}; // [s]
    static const double times[] = {GR_TEST_LONG(1, 1), GR_TEST_LONG(20, 1), GR_TEST_LONG(60, 1)};
    for (int r = 0; r < 4; r++) {
        GrRoverDef rover = gr_default_rover_def();
        load_rover(rovers[r], &rover);
        for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
            const bool slow = law == GR_SOIL_SCM; // a hundred times as many nodes
            for (int k = slow ? 1 : 0; k < 3; k++) {
                const double time = times[k] * (slow ? 0.25 : 1);
                const GrSoilDef soil = stiff_soil((GrSoilLaw)law);
                const double moved = creep(&rover, &soil, steps[k], time);
                if (moved > CREEP) {
                    print_error("%s, %s, %g ms: %.3g mm in %g s\n", rovers[r], gr_soil_law_name((GrSoilLaw)law),
                                1e3 * steps[k], 1e3 * moved, time);
                }
                assert_true(moved < CREEP);
            }
        }
        gr_rover_free(&rover);
    }
}

/// The rocking that is left over from settling is gone after a minute; it never grows.
static void test_rocking_fades(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("el_dorado2", &rover);
    const GrSoilDef soil = stiff_soil(GR_SOIL_BEKKER);
    const double minute = creep(&rover, &soil, 0.025, GR_TEST_LONG(60, 5));
    const double longer = creep(&rover, &soil, 0.025, GR_TEST_LONG(300, 10));
    print_message("el_dorado2, bekker, 25 ms: %.3g mm in 60 s, %.3g mm in 300 s\n", 1e3 * minute, 1e3 * longer);
    assert_true(longer < CREEP);
    gr_rover_free(&rover);
}

/// A rover on the slope that is pushed along and across comes to rest: its base moves less every 5 s, and not at all
/// after 20 s.
static void test_shaken(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (int k = 0; k < 5; k++) {
        const GrSoilDef soil = stiff_soil(laws[k]);
        GrModel *m = on_slope(&rover, &soil, 1e-3);
        GrData *d = parked(m);
        gr_data_set_base_velocity(d, gr_vec3(0.03, 0.05, 0), gr_vec3(0, 0, 0.1));
        double speed = 1, largest[4] = {0};
        for (int i = 0; i < 20000; i++) {
            GrVec3 linear, angular;
            assert_int_equal(gr_step(m, d), GR_OK);
            gr_data_base_velocity(d, &linear, &angular);
            speed = gr_norm(linear) + 0.2 * gr_norm(angular);
            largest[i / 5000] = fmax(largest[i / 5000], speed);
        }
        print_message("%-11s largest speed in each 5 s: %.2g, %.2g, %.2g, %.2g mm/s\n", gr_soil_law_name(laws[k]),
                      1e3 * largest[0], 1e3 * largest[1], 1e3 * largest[2], 1e3 * largest[3]);
        assert_true(largest[1] < 0.1 * largest[0] && largest[2] <= largest[1] && largest[3] <= largest[2]);
        assert_true(speed < 1e-6);
        gr_data_free(d);
        gr_model_free(m);
    }
    gr_rover_free(&rover);
}

/// Lines of unloading that end within less than a hundredth of a millimetre, thousands of times less than a wheel falls
/// in the longest step.
static void test_steep_lines(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    static const double steps[] = {0.001, 0.005, 0.025}; // [s]
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        for (int k = 0; k < 3 && law != GR_SOIL_SCM; k++) {
            GrSoilDef soil = stiff_soil((GrSoilLaw)law);
            soil.unloading_k0 = 1e10; // [Pa/m] under some 10 kPa
            const double moved = creep(&rover, &soil, steps[k], 1000 * steps[k]);
            if (moved > CREEP) {
                print_error("%s, %g ms: %.3g mm\n", gr_soil_law_name((GrSoilLaw)law), 1e3 * steps[k], 1e3 * moved);
            }
            assert_true(moved < CREEP);
        }
    }
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_law_at_every_step),
        cmocka_unit_test(test_rocking_fades),
        cmocka_unit_test(test_shaken),
        cmocka_unit_test(test_steep_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Soils under a gravity other than that of their fit: gravity_scaling against Reece's form, in which the weight of the
/// soil is explicit, and the warning where nothing scales.
#include "support/soil_test.h"

#include "soil_param.h"

static const double EARTH = 9.80665, MOON = 1.62;
static const double EXACT = 1e-9; // the load is found to about 1e-12

static const GrSoilLaw STRESS_LAWS[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN,
                                        GR_SOIL_TERRA};
enum { LAWS = sizeof STRESS_LAWS / sizeof STRESS_LAWS[0] };

static GrSoilSteady rolling(const GrSoilDef *soil, double gravity, double mass, double slip)
{
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilSteady at;
    wheel.gravity = gravity;
    const GrSoilWheel w = prepared(soil, &wheel);
    assert_int_equal(gr_soil_steady_load(&w, slip, 0.1, mass * gravity, 0, &at, NULL), GR_OK);
    return at;
}

/// Bekker's moduli that Reece's have for one wheel under Earth's gravity must give his pressure under any gravity.
static void test_density_is_reece(void **state)
{
    (void)state;
    GrSoilDef reece = ishigami();
    reece.pressure = GR_PRESSURE_REECE;
    reece.n0 = 0.8;
    reece.k_c_reece = 12;
    reece.k_phi_reece = 340;
    const GrSoilWheelDef usual = gr_default_soil_wheel_def();
    GrSoilDef bekker = reece;
    bekker.pressure = GR_PRESSURE_BEKKER;
    bekker.gravity_scaling = GR_GRAVITY_DENSITY;
    const double b = usual.width, shape = pow(b, 1 - reece.n0);
    bekker.k_c = reece.cohesion * reece.k_c_reece * shape;
    bekker.k_phi = reece.density * EARTH * reece.k_phi_reece * shape;
    const double gravities[] = {EARTH, 3.71, MOON, 20};
    for (int law = 0; law < LAWS; law++) {
        for (int g = 0; g < 4; g++) {
            reece.law = bekker.law = STRESS_LAWS[law];
            const GrSoilSteady p = rolling(&reece, gravities[g], 5, 0.3), q = rolling(&bekker, gravities[g], 5, 0.3);
            assert_near_rel(q.sinkage, p.sinkage, EXACT);
            assert_near_rel(q.f_x, p.f_x, 1e-6); // a difference of thrust and resistance
            assert_near_rel(q.torque, p.torque, EXACT);
        }
    }
}

/// Without cohesion, a wheel of the same mass sinks as deep under any gravity and its forces go with gravity (Wong
/// 2012; Wong & Kobayashi 2012). Constants that do not change let it sink less on the Moon.
static void test_same_mass(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.cohesion = soil.k_c = 0;
    soil.terra_in = 0; // the depth that slip digs does not depend on the load
    for (int law = 0; law < LAWS; law++) {
        soil.law = STRESS_LAWS[law];
        for (int i = 0; i < 6; i++) {
            const double slip = -0.2 + 0.2 * i;
            soil.gravity_scaling = GR_GRAVITY_DENSITY;
            const GrSoilSteady earth = rolling(&soil, EARTH, 5, slip), moon = rolling(&soil, MOON, 5, slip);
            assert_near_rel(moon.sinkage, earth.sinkage, EXACT);
            assert_near(moon.f_x / MOON, earth.f_x / EARTH, EXACT);
            assert_near(moon.f_y / MOON, earth.f_y / EARTH, EXACT);
            assert_near_rel(moon.torque / MOON, earth.torque / EARTH, EXACT);
            soil.gravity_scaling = GR_GRAVITY_NONE;
            assert_true(rolling(&soil, MOON, 5, slip).sinkage < 0.6 * earth.sinkage);
        }
    }
}

/// The conversion happens once, whatever is prepared again from a prepared soil, and only where it is asked for.
static void test_conversion(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.fit_gravity = MOON;
    assert_false(gr_soil_scales(&soil));
    assert_near(gr_soil_under_gravity(&soil, EARTH).k_phi, soil.k_phi, 0);
    soil.gravity_scaling = GR_GRAVITY_DENSITY;
    assert_true(gr_soil_scales(&soil));
    const GrSoilDef once = gr_soil_under_gravity(&soil, EARTH), twice = gr_soil_under_gravity(&once, EARTH);
    assert_near_rel(once.k_phi, soil.k_phi * EARTH / MOON, 1e-15);
    assert_near(once.k_c, soil.k_c, 0);
    assert_near(twice.k_phi, once.k_phi, 0);
    GrErrorLog log = {0};
    soil.fit_gravity = 0;
    assert_int_equal(gr_soil_check(&soil, &log), GR_ERROR_VALUE);
    assert_string_equal(log.items[0].field, "fit_gravity");
}

/// A soil whose k_c is negative may carry nothing once k_phi is small.
static void test_carries_nothing(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.gravity_scaling = GR_GRAVITY_DENSITY;
    soil.k_c = -0.5 * soil.k_phi * wheel.width;
    assert_int_equal(gr_soil_check_wheel(&soil, &wheel, NULL), GR_OK);
    wheel.gravity = MOON;
    GrErrorLog log = {0};
    assert_int_equal(gr_soil_check_wheel(&soil, &wheel, &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, "1.62"));
}

static int warnings(GrSoilDef soil, double gravity)
{
    GrErrorLog log = {.quiet = true};
    gr_soil_warn_gravity(&soil, gravity, &log);
    return log.warning_count;
}

static void test_warning(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    assert_int_equal(warnings(soil, EARTH), 0);
    assert_int_equal(warnings(soil, 0.9 * EARTH), 0); // Venus
    assert_int_equal(warnings(soil, MOON), 1);
    assert_int_equal(warnings(soil, 2 * EARTH), 1);
    assert_int_equal(warnings(soil, 0), 0); // nothing presses the wheel into the soil
    soil.law = GR_SOIL_SCM;
    assert_int_equal(warnings(soil, MOON), 1);
    soil.fit_gravity = MOON;
    assert_int_equal(warnings(soil, MOON), 0);
    assert_int_equal(warnings(soil, EARTH), 1);
    soil.gravity_scaling = GR_GRAVITY_DENSITY;
    assert_int_equal(warnings(soil, EARTH), 0);
    soil.gravity_scaling = GR_GRAVITY_NONE;
    soil.pressure = GR_PRESSURE_REECE;
    assert_int_equal(warnings(soil, EARTH), 0);
    soil.pressure = GR_PRESSURE_BEKKER;
    soil.law = GR_SOIL_RFT;
    assert_int_equal(warnings(soil, EARTH), 0);
    soil.law = GR_SOIL_RHEOLOGICAL; // its spring is that of one wheel
    assert_int_equal(warnings(soil, EARTH), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_is_reece), cmocka_unit_test(test_same_mass), cmocka_unit_test(test_conversion),
        cmocka_unit_test(test_carries_nothing),  cmocka_unit_test(test_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

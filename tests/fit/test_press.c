/// The plate rig and measured presses: forces of each kind of body against closed forms and sums, the reader with its
/// messages, and fits that find the parameters and the form that made-up presses were made with.
#include "press_data.h"
#include "press_form.h"
#include "support/soil_test.h"

#include "bearing.h"

static GrPressDef round_plate(const GrSoilDef *soil, double diameter)
{
    GrPressDef def = gr_default_press_def();
    def.soil = *soil;
    def.body = (GrPressBody){.kind = GR_PRESS_CIRCLE, .diameter = diameter};
    return def;
}

static double force_at(const GrPressDef *def, double depth)
{
    double force = 0;
    assert_int_equal(gr_press_run(def, &depth, 1, &force, NULL), GR_OK);
    return force;
}

/// Bekker: π R² (k_c/R + k_φ) z^n. Reece: b is the shorter side. rft: p grows with the depth and not with the size.
static void test_plates(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    const double r = 0.05, z = 0.012;
    GrPressDef def = round_plate(&soil, 2 * r);
    assert_near_rel(force_at(&def, z), M_PI * r * r * (soil.k_c / r + soil.k_phi) * pow(z, soil.n0), 1e-12);
    def.body = (GrPressBody){.kind = GR_PRESS_RECTANGLE, .width = 0.3, .length = 0.04};
    def.soil.pressure = GR_PRESSURE_REECE;
    def.soil.k_c_reece = 5;
    def.soil.k_phi_reece = 400;
    const double b = 0.04, weight = soil.density * def.gravity;
    const double p = (soil.cohesion * 5 + weight * b * 400) * pow(z / b, soil.n0);
    assert_near_rel(force_at(&def, z), 0.3 * b * p, 1e-12);
    def = round_plate(&soil, 0.1);
    def.soil.law = GR_SOIL_RFT;
    def.soil.cohesion = 0;
    const double once = force_at(&def, z), deeper = force_at(&def, 2 * z);
    def.body.diameter = 0.2;
    assert_near_rel(deeper, 2 * once, 1e-9);
    assert_near_rel(force_at(&def, z), 4 * once, 1e-9);
    assert_near_rel(once, force_at(&def, z) / 4, 1e-9);
    def.soil.law = GR_SOIL_DOUBLE_SPRING;
    GrErrorLog log = {0};
    assert_int_equal(gr_press_check(&def, &log), GR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log.items[0].text, "no pressure"));
}

/// The grid of scm has the same plates as the curve, in the form `bearing` too, as far as cells outline a circle.
static void test_grid(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.cohesion = 0;
    for (int k = 0; k < 2; k++) {
        soil.pressure = k == 0 ? GR_PRESSURE_BEKKER : GR_PRESSURE_BEARING;
        GrPressDef def = round_plate(&soil, 0.1);
        const double patch = force_at(&def, 0.015);
        def.soil.law = GR_SOIL_SCM;
        assert_near_rel(force_at(&def, 0.015), patch, 0.02);
    }
}

/// A wheel that does not roll: σ cos θ over both sides of the arc, and τ sin θ of soil that the rim has passed by h
/// sin θ at most: between none and all of it.
static void test_wheel(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.cohesion = 0;
    soil.exit_ratio = 0.1;
    GrPressDef def = gr_default_press_def();
    def.body = (GrPressBody){.kind = GR_PRESS_WHEEL, .radius = 0.09, .width = 0.11};
    const double r = 0.09, h = 0.02, t1 = acos(1 - h / r), p = soil.k_c / 0.11 + soil.k_phi;
    double normal = 0, shear = 0;
    enum { PARTS = 2000 };
    for (int i = 0; i < PARTS; i++) {
        const double t = t1 * (2 * (i + 0.5) / PARTS - 1), sigma = p * pow(r * (cos(t) - cos(t1)), soil.n0);
        const double da = 0.11 * r * 2 * t1 / PARTS;
        normal += sigma * cos(t) * da;
        shear += sigma * tan(soil.friction_angle) * (1 - exp(-h * fabs(sin(t)) / soil.shear_x)) * fabs(sin(t)) * da;
    }
    def.soil = soil;
    const double all = force_at(&def, h);
    assert_true(all > normal && all < normal + shear);
    def.soil.friction_angle = 0;
    assert_near_rel(force_at(&def, h), normal, 1e-3);
    assert_near_rel(gr_press_area(&def.body, h), 2 * 0.11 * r * sin(t1), 1e-12);
}

/// A ring that has turned far: T = 2π (R³ − r³)/3 (c + σ tan φ); and its sinkage carries the stress.
static void test_ring(void **state)
{
    (void)state;
    GrPressDef def = gr_default_press_def();
    def.soil = ishigami();
    def.body = (GrPressBody){.kind = GR_PRESS_RING, .inner = 0.1, .diameter = 0.2};
    const double stress = 8e3, strength = def.soil.cohesion + stress * tan(def.soil.friction_angle);
    const double all = 2 * M_PI * (pow(0.1, 3) - pow(0.05, 3)) / 3 * strength;
    assert_near_rel(gr_press_torque(&def.soil, &def.body, stress, 10), all, 1e-4);
    assert_near_rel(gr_press_shear(&def.soil, stress, def.soil.shear_x), strength * (1 - exp(-1)), 1e-12);
    const double z = gr_press_depth(&def, stress);
    assert_near_rel(force_at(&def, z), stress * gr_press_area(&def.body, 0), 1e-9);
}

static void test_reader(void **state)
{
    (void)state;
    static const char text[] = "# remark\n"
                               "test_id,box,body,trial,time_s,depth_m,force_z_N,in_contact\n"
                               "a,large,plate_60mm,1,0,-0.001,0.1,0\n"
                               "a,large,plate_60mm,1,1,0.001,2,1\n"
                               "a,large,plate_60mm,1,2,0.003,7,1\n"
                               "a,large,plate_60mm,1,3,0.002,1,1\n" // lifted
                               "b,large,wheel_smooth,1,3,0.002,1,1\n";
    const GrPressBody wheel = {.kind = GR_PRESS_WHEEL, .radius = 0.058, .width = 0.05};
    GrPressData data;
    assert_int_equal(gr_press_data_parse(text, sizeof text - 1, "x.csv", &wheel, &data, NULL), GR_OK);
    assert_int_equal(data.count, 2);
    assert_int_equal(data.items[0].count, 2);
    assert_near(data.items[0].body.diameter, 0.06, 1e-15);
    assert_near(data.items[0].force[1], 7, 0);
    assert_int_equal(data.items[1].body.kind, GR_PRESS_WHEEL);
    gr_press_data_free(&data);
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"depth_m,force_N\n0.001,1\n", "the size of '' is not known"},
        {"diameter_m,force_N\n0.1,1\n", "no column 'depth_m'"},
        {"diameter_m,depth_m,force_N\n0.1,0.001,much\n", "'much' is not a number"},
        {"diameter_m,depth_m,force_N,forse_N\n0.1,0.001,1,1\n", "unknown column"},
        {"diameter_m,depth_m,force_N\n0.1,-0.001,1\n", "no row with a depth and a force above 0"},
        {"diameter_m,depth_m,force_N\n", "no row under the header"},
        {"body,depth_m,force_N\nwheel,0.001,1\n", "the size of 'wheel' is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrErrorLog log = {0};
        assert_int_not_equal(gr_press_data_parse(cases[i].text, strlen(cases[i].text), "x.csv", NULL, &data, &log),
                             GR_OK);
        assert_non_null(strstr(log.items[0].text, cases[i].message));
    }
}

/// Two hundred rows become twenty at equal steps of depth, the last one among them.
static void test_thinning(void **state)
{
    (void)state;
    static char text[20000] = "diameter_m,depth_mm,force_N\n";
    for (int i = 1; i <= 200; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "0.1,%g,%g\n", 0.2 * i, 2.0 * i);
    }
    GrPressData data;
    assert_int_equal(gr_press_data_parse(text, strlen(text), "x.csv", NULL, &data, NULL), GR_OK);
    assert_int_equal(data.items[0].count, GR_PRESS_POINTS);
    for (int k = 0; k < GR_PRESS_POINTS; k++) {
        assert_near(data.items[0].depth[k], 0.002 * (k + 1), 1e-12);
    }
    gr_press_data_free(&data);
}

#ifdef GR_TEST_FITS
/// Presses of round plates made by a soil, with made-up errors of 2 %.
static GrPressData made_up(const GrSoilDef *soil, GrPress *items)
{
    static const double sizes[] = {0.06, 0.1, 0.15};
    for (int i = 0; i < 3; i++) {
        GrPress *p = &items[i];
        *p = (GrPress){.body = {.kind = GR_PRESS_CIRCLE, .diameter = sizes[i]}, .count = 12};
        for (int k = 0; k < p->count; k++) {
            p->depth[k] = 0.0025 * (k + 1);
        }
        assert_int_equal(gr_press_predict(p, soil, 9.80665, p->force, NULL), GR_OK);
        for (int k = 0; k < p->count; k++) {
            p->force[k] *= 1 + 0.02 * sin(7.0 * k + i);
        }
    }
    return (GrPressData){items, 3};
}

/// The form that made the presses predicts other sizes best, with its parameters. (rft is Reece's with n = 1.)
static void test_form(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        GrPress items[3];
        GrSoilDef soil = ishigami();
        soil.pressure = (GrPressureForm)form;
        soil.k_c = 3e4;
        soil.n0 = 1.3;
        soil.k_phi_reece = 70;
        soil.cohesion = 20;
        soil.bearing_depth = 0.011;
        const GrPressData data = made_up(&soil, items);
        const unsigned char role[3] = {GR_FIT_USED, GR_FIT_USED, GR_FIT_USED};
        static const GrWheelData none;
        GrFitDef def = gr_default_fit_def();
        def.rig.soil = ishigami();
        def.data = &none;
        def.presses = &data;
        def.press_role = role;
        GrPressFormResult results[GR_PRESS_FORMS];
        int best;
        assert_int_equal(gr_press_form_choose(&def, results, &best, NULL), GR_OK);
        assert_int_equal(best, form);
        assert_true(results[best].crossed.rms < 0.05);
        if (form == 2) {
            assert_near_rel(results[best].value[0], soil.bearing_depth, 0.05);
            assert_near_rel(results[best].value[1], soil.n0, 0.03);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plates), cmocka_unit_test(test_grid),   cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_ring),   cmocka_unit_test(test_reader), cmocka_unit_test(test_thinning),
#ifdef GR_TEST_FITS
        cmocka_unit_test(test_form),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

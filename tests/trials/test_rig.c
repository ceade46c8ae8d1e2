/// The rig against the steady law, against itself when integrated, and at its points of interest.
#include "test.h"

#include "rig.h"

static const double degree = 3.14159265358979323846 / 180;

static GrRig make(GrSoilLaw law, bool dynamic)
{
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    def.soil.law = law;
    def.soil.shear_x_slope = 0.043;
    def.soil.shear_y_slope = 0.020;
    def.dynamic = dynamic;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    return rig;
}

static void test_same_as_steady_law(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        const GrRig rig = make((GrSoilLaw)law, false);
        for (double s = -0.9; s < 1; s += 0.3) {
            GrRigPoint p;
            GrSoilSteady q;
            assert_int_equal(gr_rig_point(&rig, s, 10 * degree, &p), GR_OK);
            assert_int_equal(gr_soil_steady_load(&rig.wheel, s, 10 * degree, rig.def.load, 0, &q, NULL), GR_OK);
            assert_near_rel(p.f_z, rig.def.load, 1e-9);
            assert_near_rel(p.sinkage, q.sinkage, 1e-9);
            assert_near(p.f_x, q.f_x, 1e-7);
            assert_near(p.f_y, q.f_y, 1e-7);
            assert_near(p.torque, q.torque, 1e-8);
        }
    }
}

/// Largest difference of the integrated rig from the steady law, over the load (and over the sinkage).
static double dynamic_difference(GrSoilLaw law, double slip_angle)
{
    const GrRig steady = make(law, false), dynamic = make(law, true);
    const double load = steady.def.load, r = steady.wheel.radius;
    double worst = 0;
    for (int i = 0; i <= 17; i++) {
        const double s = (i - 8) / 10.0;
        GrRigPoint p, q;
        assert_int_equal(gr_rig_point(&steady, s, slip_angle, &p), GR_OK);
        assert_int_equal(gr_rig_point(&dynamic, s, slip_angle, &q), GR_OK);
        worst = fmax(worst, fabs(p.f_x - q.f_x) / load);
        worst = fmax(worst, fabs(p.f_y - q.f_y) / load);
        worst = fmax(worst, fabs(p.f_z - q.f_z) / load);
        worst = fmax(worst, fabs(p.torque - q.torque) / (r * load));
        worst = fmax(worst, fabs(p.sinkage - q.sinkage) / p.sinkage);
    }
    return worst;
}

/// Slips −0.8 … 0.9, every stress law; 1 % is asked for.
static void test_dynamic_meets_static(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        const double straight = dynamic_difference(laws[i], 0), turned = dynamic_difference(laws[i], 20 * degree);
        print_message("%s: dynamic rig within %.1e of the steady law, %.1e at 20 degrees\n", gr_soil_law_name(laws[i]),
                      straight, turned);
        assert_true(straight < 1e-4 && turned < 1e-4);
    }
}

/// Fresh soil, locked and spinning: the ends of the range have a steady state too.
static void test_dynamic_ends(void **state)
{
    (void)state;
    const GrRig rig = make(GR_SOIL_WONG_REECE, true);
    GrRigPoint p;
    assert_int_equal(gr_rig_point(&rig, -1, 0, &p), GR_OK);
    assert_true(p.f_x < 0 && p.torque < 0);
    assert_int_equal(gr_rig_point(&rig, 1, 0, &p), GR_OK);
    assert_true(p.f_x > 0 && p.torque > 0);
}

/// Heavy clay that a wheel hardly dents, with slip sinkage: neither bounces nor hangs over its own rut.
static void test_dynamic_stiff(void **state)
{
    (void)state;
    GrRigDef def = gr_default_rig_def();
    def.soil.law = GR_SOIL_TERRA;
    def.soil.k_c = 12700;
    def.soil.k_phi = 1555950;
    def.soil.n0 = 0.13;
    def.soil.cohesion = 68950;
    def.soil.friction_angle = 34 * degree;
    def.soil.shear_x = def.soil.shear_y = 0.006;
    GrRig rig;
    GrRigPoint p, q;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    for (int i = -8; i <= 9; i++) {
        rig.def.dynamic = false;
        assert_int_equal(gr_rig_point(&rig, i / 10.0, 0, &p), GR_OK);
        rig.def.dynamic = true;
        assert_int_equal(gr_rig_point(&rig, i / 10.0, 0, &q), GR_OK);
        assert_near(q.f_x, p.f_x, 1e-3 * def.load);
        assert_near_rel(q.sinkage, p.sinkage, 1e-3);
    }
}

static void test_features(void **state)
{
    (void)state;
    const GrRig rig = make(GR_SOIL_WONG_REECE, false);
    GrRigFeatures f;
    gr_rig_features(&rig, 0, 0, 0.9, &f);
    assert_int_equal(f.towed.status, GR_OK);
    assert_near(f.towed.torque, 0, 1e-8);
    assert_true(f.towed.slip < 0 && f.towed.f_x < 0);
    assert_int_equal(f.self_propelled.status, GR_OK);
    assert_near(f.self_propelled.f_x, 0, 1e-7);
    assert_true(f.self_propelled.slip > f.towed.slip && f.self_propelled.torque > 0);
    for (int i = 0; i <= 90; i++) {
        GrRigPoint p;
        gr_rig_point(&rig, i / 100.0, 0, &p);
        assert_true(p.f_x <= f.strongest.f_x + 1e-9);
        assert_true(isnan(p.efficiency) || p.efficiency <= f.best.efficiency + 1e-9);
    }
    // η = f_x v/(T ω): what the soil loses is between
    assert_true(f.best.efficiency > 0 && f.best.efficiency < 1 - f.best.slip);
}

static void test_by_sinkage(void **state)
{
    (void)state;
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    GrRigPoint p, q;
    def.by_sinkage = true;
    def.sinkage = 0.015;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, 0.2, 0, &p), GR_OK);
    assert_near(p.sinkage, 0.015, 0);
    rig.def.by_sinkage = false;
    rig.def.load = p.f_z;
    assert_int_equal(gr_rig_point(&rig, 0.2, 0, &q), GR_OK);
    assert_near(q.sinkage, 0.015, 1e-10);
    rig.def.by_sinkage = rig.def.dynamic = true;
    assert_int_equal(gr_rig_point(&rig, 0.2, 0, &q), GR_OK);
    assert_near_rel(q.f_x, p.f_x, 1e-4);
}

/// Lugs: the mean carries the load, the pull swings, and the integrated rig sees the same mean.
static void test_lugs(void **state)
{
    (void)state;
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    GrRigPoint p, q;
    def.wheel.grousers = GR_GROUSER_LUGS;
    def.wheel.grouser_count = 12;
    def.wheel.grouser_height = 0.01;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, 0.3, 0, &p), GR_OK);
    assert_near_rel(p.f_z, def.load, 1e-9);
    assert_true(p.ripple > 0);
    rig.def.dynamic = true;
    assert_int_equal(gr_rig_point(&rig, 0.3, 0, &q), GR_OK);
    print_message("lugs: f_x %.3f N steady, %.3f N integrated\n", p.f_x, q.f_x);
    assert_near(q.f_x, p.f_x, 0.02 * def.load);
}

static void test_no_equilibrium(void **state)
{
    (void)state;
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    GrRigPoint p;
    def.load = 1e7;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, 0.2, 0, &p), GR_ERROR_NOT_CONVERGED);
    assert_true(isnan(p.f_x) && isnan(p.sinkage));
    assert_near(p.slip, 0.2, 0);
    rig.def.dynamic = true;
    assert_int_equal(gr_rig_point(&rig, 0.2, 0, &p), GR_ERROR_NOT_CONVERGED);
}

static void test_refusals(void **state)
{
    (void)state;
    GrRig rig;
    GrErrorLog error_log = {0};
    GrRigDef def = gr_default_rig_def();
    def.load = 0;
    assert_int_equal(gr_rig_make(&def, &rig, &error_log), GR_ERROR_VALUE);
    def = gr_default_rig_def();
    def.by_sinkage = true;
    def.sinkage = 1;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_ERROR_VALUE);
    def = gr_default_rig_def();
    def.soil.k_c = -667000;
    def.soil.k_phi = 192e6;
    def.wheel.width = 0.003;
    memset(&error_log, 0, sizeof error_log);
    assert_int_equal(gr_rig_make(&def, &rig, &error_log), GR_ERROR_VALUE);
    assert_non_null(strstr(error_log.items[0].text, "k_c/b + k_phi"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_steady_law),
        cmocka_unit_test(test_dynamic_meets_static),
        cmocka_unit_test(test_dynamic_ends),
        cmocka_unit_test(test_dynamic_stiff),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_by_sinkage),
        cmocka_unit_test(test_lugs),
        cmocka_unit_test(test_no_equilibrium),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

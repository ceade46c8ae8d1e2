/// The law with state against the static formulas: carriage with imposed slip, parking, breakaway.
#include "carriage.h"
#include "law.h"
#include "support/soil_test.h"

/// Imposed slip at constant load until steady; returns the largest deviation over max(|static|, 5 % of the load).
static double rig_deviation(const GrSoilWheel *w, double slip, double beta, double load, double dt)
{
    GrSoilSteady s;
    GrErrorLog log = {0};
    assert_int_equal(gr_soil_steady_load(w, slip, beta, load, 0, &s, &log), GR_OK);
    const GrCarriage c = gr_carriage_drawn(w, slip, beta, load, 0.05, dt);
    const double got[5] = {c.out.wrench[0], -c.out.wrench[1], c.out.wrench[2], -c.out.wrench[4] / w->radius, c.h * 1e3};
    const double want[5] = {s.f_x, s.f_y, load, s.torque / w->radius, s.sinkage * 1e3};
    double worst = 0;
    for (int i = 0; i < 5; i++) {
        worst = fmax(worst, fabs(got[i] - want[i]) / fmax(fabs(want[i]), i == 4 ? 0 : 0.05 * load));
    }
    return worst;
}

static void test_rig_meets_static(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (int k = 0; k < 5; k++) {
        for (int form = 0; form < 4; form++) {
            const bool combined = (form & 1) != 0, zones = form > 1;
            if (zones && !(gr_law(laws[k])->traits & GR_LAW_FLOW)) {
                continue;
            }
            GrSoilDef soil = ishigami();
            soil.law = laws[k];
            soil.skid_flow = zones ? GR_SKID_TWO_ZONES : GR_SKID_ONE_ZONE;
            soil.damping = 400;
            soil.shear = combined ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
            soil.n1 = laws[k] == GR_SOIL_TERRA ? 0 : 0.1;
            const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
            const GrSoilWheel w = prepared(&soil, &wheel);
            double worst = 0;
            for (int i = -8; i <= 9; i += GR_TEST_LONG(GR_TEST_STUDY(1, 3), 6)) {
                worst = fmax(worst, rig_deviation(&w, 0.1 * i, (i & 1 ? 15 : 0) * test_degree, 64.68, 0.005));
            }
            print_message("%-11s %s shear%s: static met within %.4f %%\n", gr_soil_law_name(w.law),
                          combined ? "combined" : "separate", zones ? ", two zones" : "", 100 * worst);
            assert_true(worst < 0.01);
        }
    }
}

/// Largest slope that a locked wheel holds: where the static formulas at slip −1 carry the weight along the slope.
static double static_slope(const GrSoilWheel *w, double weight)
{
    double low = 0, high = 80 * test_degree;
    for (int i = 0; i < 50; i++) {
        const double slope = 0.5 * (low + high);
        double h_low = 1e-6, h_high = 0.99 * w->radius, force[4] = {0};
        for (int j = 0; j < 40; j++) {
            const double h = 0.5 * (h_low + h_high);
            const Reference f = reference(w, -1 + 1e-12, 0, h);
            reference_forces(&f, 1e-6, force);
            if (force[2] > weight * cos(slope)) {
                h_high = h;
            } else {
                h_low = h;
            }
        }
        if (-force[0] > weight * sin(slope)) {
            low = slope;
        } else {
            high = slope;
        }
    }
    return low;
}

static void test_parked_wheel_stays(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.damping = 400;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    static const double steps[] = {0.001, 0.002, 0.005, 0.01, 0.02};
    for (int k = 0; k < 5; k++) {
        const double creep = gr_carriage_creep(&w, 6.6, 9.80665, 10 * test_degree, 20, steps[k]);
        print_message("parked on 10 deg, dt %2.0f ms: creep %.2e mm in 60 s\n", 1e3 * steps[k], 1e3 * creep);
        assert_near(1e3 * creep, 0, 0.1);
    }
}

static void test_lets_go(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.damping = 400;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double predicted = static_slope(&w, 6.6 * 9.80665) / test_degree;
    const double slope = gr_carriage_lets_go(&w, 6.6, 9.80665, 0.005) / test_degree;
    print_message("breaks away at %.2f deg, static prediction %.2f deg\n", slope, predicted);
    assert_near_rel(slope, predicted, 0.05);
}

static void test_free_climb(void **state)
{
    (void)state;
    // Wheel at constant speed free to move along a 5° slope: its slip is the one at which static f_x carries the
    // weight.
    GrSoilDef soil = ishigami();
    soil.damping = 400;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double weight = 6.6 * 9.80665, slope = 5 * test_degree;
    const double expected = gr_slip_for_pull(&w, weight * cos(slope), weight * sin(slope));
    static const double steps[] = {0.005, 0.01, 0.02, 0.05};
    for (int k = 0; k < 4; k++) {
        const double slip = gr_carriage_climb(&w, 6.6, 9.80665, slope, 0.05, steps[k]);
        print_message("climbs 5 deg at dt %2.0f ms with slip %.5f, static %.5f\n", 1e3 * steps[k], slip, expected);
        assert_near_rel(slip, expected, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rig_meets_static),
                                       cmocka_unit_test(test_parked_wheel_stays), cmocka_unit_test(test_lets_go),
                                       cmocka_unit_test(test_free_climb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// The check table of the models page, and the quadrature against adaptive Simpson.
#include "support/soil_test.h"

#include "random.h"

static void test_published_table(void **state)
{
    (void)state;
    static const double rows[4][6] = {// β, s, h mm, f_x, f_y, T
                                      {5, 0.1, 15.08, 4.920, 13.125, 0.9021},
                                      {5, 0.8, 16.85, 27.705, 3.414, 3.2013},
                                      {15, 0.3, 15.58, 11.433, 22.469, 1.5578},
                                      {30, 0.5, 16.08, 14.245, 25.759, 1.8696}};
    const GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    for (int i = 0; i < 4; i++) {
        GrSoilSteady f;
        GrErrorLog log = {0};
        assert_int_equal(gr_soil_steady_load(&w, rows[i][1], rows[i][0] * test_degree, 64.68, 0, &f, &log), GR_OK);
        print_message("beta %2.0f s %.1f: h %.4f mm f_x %.4f f_y %.4f T %.5f\n", rows[i][0], rows[i][1],
                      1e3 * f.sinkage, f.f_x, f.f_y, f.torque);
        assert_near_rel(f.f_z, 64.68, 1e-11);
        assert_near_rel(1e3 * f.sinkage, rows[i][2], 2e-3);
        assert_near_rel(f.f_x, rows[i][3], 2e-3);
        assert_near_rel(f.f_y, rows[i][4], 2e-3);
        assert_near_rel(f.torque, rows[i][5], 2e-3);
    }
}

/// A load-bearing soil: at this sinkage its pressure (2 … 100 kPa) is at least three times its cohesion. Weaker than
/// that, shear in cohesion pulls the wheel down harder than pressure lifts it, and f_z has no scale to compare with.
static GrSoilWheel random_wheel(GrRandom *g, GrSoilLaw law, double sinkage_ratio)
{
    GrSoilDef s = ishigami();
    GrSoilWheelDef d = gr_default_soil_wheel_def();
    s.law = law;
    s.k_c = 0;
    s.n0 = gr_random_uniform(g, 0.6, 1.6);
    s.n1 = gr_random_uniform(g, 0, 0.3);
    s.peak_a1 = gr_random_uniform(g, 0.33, 0.45);
    s.peak_a2 = gr_random_uniform(g, 0, 0.32);
    s.exit_ratio = gr_random_uniform(g, 0, 1.1);
    const double pressure = pow(10, gr_random_uniform(g, 3.3, 5));
    s.cohesion = gr_random_uniform(g, 0, fmin(3000, pressure / 3));
    s.friction_angle = gr_random_uniform(g, 20, 42) * test_degree;
    s.shear_x = gr_random_uniform(g, 0.01, 0.06);
    s.shear_y = gr_random_uniform(g, 0.01, 0.06);
    s.shear = gr_random_below(g, 2) ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    d.radius = gr_random_uniform(g, 0.05, 0.4);
    d.width = d.radius * gr_random_uniform(g, 0.3, 1.2);
    s.k_phi = pressure / pow(sinkage_ratio * d.radius, s.n0 + s.n1);
    return prepared(&s, &d);
}

/// 10,000 states; the error of every force within 1e-4 of f_z.
static void test_quadrature(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "quadrature");
    double worst = 0, sum = 0;
    int over = 0;
    Reference at = {0};
    const int count = 10000;
    for (int i = 0; i < count; i++) {
        const double ratio = gr_random_uniform(&g, 0.01, 0.6);
        const GrSoilWheel w = random_wheel(&g, gr_random_below(&g, 2) ? GR_SOIL_WONG_REECE : GR_SOIL_BEKKER, ratio);
        const double slip = gr_random_uniform(&g, -0.95, 0.95), beta = gr_random_uniform(&g, 0, 45) * test_degree;
        const double h = w.radius * ratio;
        const Reference f = reference(&w, slip, beta, h);
        double exact[4];
        reference_forces(&f, 1e-9, exact);
        GrSoilSteady got;
        gr_soil_steady(&w, slip, beta, h, 0, &got);
        const double ours[4] = {got.f_x, got.f_y, got.f_z, got.torque / w.radius};
        exact[3] /= w.radius;
        double error = 0;
        for (int k = 0; k < 4; k++) {
            error = fmax(error, fabs(ours[k] - exact[k]) / fabs(exact[2]));
        }
        sum += error;
        over += error > 1e-4;
        if (error > worst) {
            worst = error;
            at = f;
        }
    }
    print_message(
        "quadrature: mean error %.2g, worst %.3g of f_z (n %.2f s %.2f K %.3f r %.2f h/r %.2f), %d of %d over 1e-4\n",
        sum / count, worst, at.n, at.s, at.kx, at.r, at.h / at.r, over, count);
    assert_true(worst <= 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_table), cmocka_unit_test(test_quadrature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

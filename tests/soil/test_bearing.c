/// The pressure `bearing`: Terzaghi's factors and shapes against printed numbers, wheels of every law that takes a
/// pressure against plain sums of the formula, gravity and size, and the power law that grids and rocks use.
#include "support/scm_test.h"
#include "support/soil_test.h"

#include "bearing.h"
#include "compact.h"

static const double EARTH = 9.80665, MOON = 1.62;

/// All three terms count at a depth of 1 to 2 cm.
static GrSoilDef loam(GrSoilLaw law)
{
    GrSoilDef s = ishigami();
    s.law = law;
    s.pressure = GR_PRESSURE_BEARING;
    s.density = 1550;
    s.cohesion = 90;
    s.friction_angle = 33 * test_degree;
    s.n0 = 1.3;
    s.bearing_depth = 0.018;
    s.bearing_n_c = 0.45;
    s.bearing_n_q = 1.1;
    s.surcharge = 0.4;
    return s;
}

/// Terzaghi's N_c, N_q and N_γ as textbooks print them (Bowles 1996, table 4-2; N_γ is a fit of Coduto to his curve).
static void test_factors(void **state)
{
    (void)state;
    static const double printed[][4] = {
        {0, 5.7, 1, 0}, {20, 17.7, 7.4, 5}, {30, 37.2, 22.5, 19.7}, {34, 52.6, 36.5, 36}, {40, 95.7, 81.3, 100.4}};
    GrSoilDef soil = loam(GR_SOIL_WONG_REECE);
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        soil.friction_angle = printed[i][0] * test_degree;
        const GrBearingFactors f = gr_bearing_factors(&soil);
        assert_near_rel(f.n_c, printed[i][1], 0.005);
        assert_near_rel(f.n_q, printed[i][2], 0.01);
        assert_near(f.n_gamma, printed[i][3], 0.21 * printed[i][3]); // authors differ by as much
    }
    soil.bearing_c = 30;
    soil.bearing_gamma = 20;
    assert_near(gr_bearing_factors(&soil).n_c, 30, 0);
    assert_near(gr_bearing_factors(&soil).n_gamma, 20, 0);
}

static double rectangle(double b, double l)
{
    return gr_bearing_width(b * l, 2 * (b + l));
}

static void test_widths(void **state)
{
    (void)state;
    assert_near_rel(rectangle(0.1, 100), 0.1 * (1 - 0.2 * 0.001), 1e-9); // a strip: 1 − 0.2 b/l
    assert_near_rel(rectangle(0.1, 0.5), 0.1 * 0.96, 1e-5);
    assert_near_rel(rectangle(0.1, 0.2), 0.1 * 0.9, 0.001);
    assert_near_rel(rectangle(0.1, 0.1), 0.08, 0.05);
    assert_near_rel(rectangle(0.3, 0.05), rectangle(0.05, 0.3), 1e-9);
    const double d = 0.06;
    assert_near_rel(gr_bearing_width(M_PI * d * d / 4, M_PI * d), 0.6 * d, 1e-12);
}

/// By hand, φ = 33°: N_c 48.090, N_q 32.230, N_γ 33.270. A round plate of 100 mm under Earth's gravity at 10 mm:
/// B = 60 mm, s_c = 1.3; ½ γ B N_γ (10/18)^1.3 + s_c c N_c (10/18)^0.45 + 0.4 γ z_0 N_q (10/18)^1.1 [Pa]
static void test_plate_by_hand(void **state)
{
    (void)state;
    const GrSoilDef soil = loam(GR_SOIL_WONG_REECE);
    const double d = 0.1, weight = soil.density * EARTH, x = 0.010 / 0.018;
    const GrPressureCurve curve = gr_pressure_curve(&soil, weight, d / 2, M_PI * d * d / 4, M_PI * d);
    const double by_width = 0.5 * weight * 0.06 * 33.270 * pow(x, 1.3);
    const double by_cohesion = 1.3 * 90 * 48.090 * pow(x, 0.45);
    const double by_surcharge = 0.4 * weight * 0.018 * 32.230 * pow(x, 1.1);
    assert_near_rel(gr_pressure_at(&curve, 0.010), by_width + by_cohesion + by_surcharge, 2e-4);
    assert_near(gr_pressure_at(&curve, 0), 0, 0);
}

/// Terms of σ under the default wheel at depth z below its entry, by the formula as it is printed; b × l the contact at
/// h.
static void stress_terms(const GrSoilDef *s, double exponent_grows, double h, double z, double out[3])
{
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const double b = wheel.width, l = 2 * sqrt(h * (2 * wheel.radius - h));
    const double m = pow(pow(b, -8) + pow(l, -8), -0.125), ratio = m * m / (b * l);
    const double width = m * (1 - 0.2 * ratio), shape = 1 + 0.3 * ratio, weight = s->density * wheel.gravity;
    const double t = tan(s->friction_angle), c = cos(M_PI / 4 + s->friction_angle / 2), x = z / s->bearing_depth;
    const double n_q = exp((1.5 * M_PI - s->friction_angle) * t) / (2 * c * c), n_c = (n_q - 1) / t;
    const double n_gamma = 2 * (n_q + 1) * t / (1 + 0.4 * sin(4 * s->friction_angle));
    out[0] = 0.5 * weight * width * n_gamma * pow(x, s->n0 + exponent_grows);
    out[1] = shape * s->cohesion * n_c * pow(x, s->bearing_n_c + exponent_grows);
    out[2] = s->surcharge * weight * s->bearing_depth * n_q * pow(x, s->bearing_n_q + exponent_grows);
}

static double stress(const GrSoilDef *s, double exponent_grows, double h, double z)
{
    double terms[3];
    stress_terms(s, exponent_grows, h, z, terms);
    return terms[0] + terms[1] + terms[2];
}

/// f_z, f_x and torque of wong_reece or bekker at slip s ≥ 0, summed over a fine grid of angles that is dense at both
/// ends of the arc, where the stress starts as a power.
static void plain_sum(const GrSoilDef *s, double slip, double h, double out[3])
{
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const double r = wheel.radius, t1 = acos(1 - h / r);
    const bool bekker = s->law == GR_SOIL_BEKKER;
    const double t2 = bekker ? 0 : -acos(1 - s->exit_ratio * h / r), tm = bekker ? 0 : s->peak_a1 + s->peak_a2 * slip;
    const double peak = tm * t1;
    enum { PARTS = 20000 };
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < PARTS; i++) {
        const double u = (i + 0.5) / PARTS, place = u * u * (3 - 2 * u), speed = 6 * u * (1 - u) / PARTS;
        const double theta = t2 + (t1 - t2) * place;
        const double at = theta > peak ? theta : t1 - (theta - t2) / (peak - t2) * (t1 - peak);
        const double sigma = stress(s, s->n1 * slip, h, r * (cos(at) - cos(t1)));
        const double j = r * (t1 - theta) - r * (1 - slip) * (sin(t1) - sin(theta));
        const double tau = (s->cohesion + sigma * tan(s->friction_angle)) * (1 - exp(-j / s->shear_x));
        const double weight = wheel.width * r * (t1 - t2) * speed;
        out[0] += weight * (sigma * cos(theta) + tau * sin(theta));
        out[1] += weight * (tau * cos(theta) - sigma * sin(theta));
        out[2] += weight * r * tau;
    }
}

static void test_wheel_by_sums(void **state)
{
    (void)state;
    const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER};
    for (int k = 0; k < 6; k++) {
        GrSoilDef soil = loam(laws[k % 2]);
        soil.n1 = 0.2;
        const double slip = 0.15 + 0.25 * (k / 2), h = 0.006 + 0.007 * (k / 2);
        const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        const GrSoilWheel w = prepared(&soil, &wheel);
        GrSoilSteady got;
        double sums[3];
        gr_soil_steady(&w, slip, 0, h, 0, &got);
        plain_sum(&soil, slip, h, sums);
        assert_near_rel(got.f_z, sums[0], 2e-5);
        assert_near(got.f_x, sums[1], 2e-5 * sums[0]);
        assert_near_rel(got.torque, sums[2], 2e-5);
    }
}

/// The laws with closed forms have the stress of the formula in their own places: at the peak (ding), at full sinkage
/// (chaikin), and per term in Bekker's closed form (terra, without slip and so without digging).
static void test_closed_forms(void **state)
{
    (void)state;
    const double h = 0.014, r = 0.09, b = 0.11;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    static const GrSoilLaw laws[] = {GR_SOIL_DING, GR_SOIL_CHAIKIN};
    for (int k = 0; k < 2; k++) {
        GrSoilDef soil = loam(laws[k]), plain = soil;
        plain.pressure = GR_PRESSURE_BEKKER; // one number at one depth: both give the same stress there
        plain.n0 = 1;
        plain.k_c = 0;
        const double t1 = acos(1 - h / r), at = k == 0 ? r * (cos(soil.peak_a1 * t1) - cos(t1)) : h;
        soil.peak_a2 = plain.peak_a2 = 0;
        plain.k_phi = stress(&soil, 0, h, at) / at;
        const GrSoilWheel w = prepared(&soil, &wheel), v = prepared(&plain, &wheel);
        GrSoilSteady got, same;
        gr_soil_steady(&w, 0.3, 0.1, h, 0, &got);
        gr_soil_steady(&v, 0.3, 0.1, h, 0, &same);
        assert_near_rel(got.f_z, same.f_z, 1e-10);
        assert_near_rel(got.f_y, same.f_y, 1e-10);
    }
    const GrSoilDef soil = loam(GR_SOIL_TERRA);
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double exponents[3] = {soil.n0, soil.bearing_n_c, soil.bearing_n_q};
    GrSoilSteady got;
    double terms[3], force = 0;
    stress_terms(&soil, 0, h, h, terms);
    for (int k = 0; k < 3; k++) {
        force += b * sqrt(2 * r * h) * (1 - exponents[k] / 3) * terms[k];
    }
    gr_soil_steady(&w, 0, 0, h, 0, &got);
    assert_near_rel(got.f_z, force, 1e-10);
}

/// Without cohesion a wheel of the same mass sinks as deep under any gravity. A wheel and a z_0 that are twice as large
/// carry eight times the load at twice the depth; with the same z_0 they carry more by 2^n.
static void test_scales(void **state)
{
    (void)state;
    GrSoilDef soil = loam(GR_SOIL_WONG_REECE);
    soil.cohesion = 0;
    soil.surcharge = 0;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilSteady earth, moon, large, same;
    GrSoilWheel w = prepared(&soil, &wheel);
    assert_int_equal(gr_soil_steady_load(&w, 0.2, 0, 6 * EARTH, 0, &earth, NULL), GR_OK);
    wheel.gravity = MOON;
    w = prepared(&soil, &wheel);
    assert_int_equal(gr_soil_steady_load(&w, 0.2, 0, 6 * MOON, 0, &moon, NULL), GR_OK);
    assert_near_rel(moon.sinkage, earth.sinkage, 1e-9);
    assert_near_rel(moon.torque / MOON, earth.torque / EARTH, 1e-9);
    wheel = gr_default_soil_wheel_def();
    wheel.radius *= 2;
    wheel.width *= 2;
    soil.shear_x *= 2;
    w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0.2, 0, 2 * earth.sinkage, 0, &same);
    soil.bearing_depth *= 2;
    w = prepared(&soil, &wheel);
    gr_soil_steady(&w, 0.2, 0, 2 * earth.sinkage, 0, &large);
    assert_near_rel(large.f_z, 8 * earth.f_z, 1e-9);
    assert_near_rel(same.f_z, 8 * pow(2, soil.n0) * earth.f_z, 1e-9);
}

/// On a grid, the contact has the area and perimeter that the grid finds: Bekker's curve with that pressure gives the
/// same forces, where one term is alone. With several terms, the power law touches their sum at z_0.
static void test_grid(void **state)
{
    (void)state;
    GrSoilDef soil = loam(GR_SOIL_SCM);
    soil.cohesion = soil.surcharge = 0;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.radius = 0.2; // a contact that is much longer than it is wide, so that its outline matters little
    wheel.width = 0.04;
    double wrench[2];
    for (int k = 0; k < 2; k++) {
        GrScmBody body;
        Scm s;
        if (k == 1) {
            const double weight = soil.density * wheel.gravity;
            const double b = rectangle(wheel.width, 2 * sqrt(0.012 * (2 * wheel.radius - 0.012)));
            soil.pressure = GR_PRESSURE_BEKKER;
            soil.k_c = 0;
            soil.k_phi = 0.5 * weight * b * gr_bearing_factors(&soil).n_gamma / pow(soil.bearing_depth, soil.n0);
        }
        assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, 0.004, &body, NULL), GR_OK);
        scm_begin(&s, &body, NULL);
        const GrScmPose pose = scm_rolling(wheel.radius, 0, wheel.radius - 0.012, 0, 0);
        wrench[k] = scm_step(&s, &pose, 0.01)->wrench[2];
        scm_end(&s);
    }
    assert_true(wrench[0] > 10);
    assert_near_rel(wrench[0], wrench[1], 0.03); // of ten cells across
    const GrSoilDef all = loam(GR_SOIL_SCM);
    const GrPressureCurve curve = gr_pressure_curve(&all, all.density * EARTH, 0.1, 0.01, 0.4);
    const GrPowerLaw power = gr_pressure_power(&curve);
    const double z = all.bearing_depth, e = 1e-6 * z;
    const double slope = (gr_pressure_at(&curve, z + e) - gr_pressure_at(&curve, z - e)) / (2 * e);
    assert_near_rel(power.modulus * pow(z, power.exponent), gr_pressure_at(&curve, z), 1e-12);
    assert_near_rel(power.exponent * power.modulus * pow(z, power.exponent - 1), slope, 1e-7);
}

/// Soil compacted by s is firmer by p(s + h)/p(h), here by differences also in its slope.
static void test_compacted(void **state)
{
    (void)state;
    const GrSoilDef soil = loam(GR_SOIL_WONG_REECE);
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double sunk = 0.01, h = 0.006, e = 1e-7, long_enough = 1e4;
    const GrPressureCurve strip = gr_pressure_curve(&soil, soil.density * EARTH, wheel.width, wheel.width * long_enough,
                                                    2 * (wheel.width + long_enough));
    double by, unused;
    const double gain = gr_compact_gain(&w, sunk, h, &by);
    const double more = gr_compact_gain(&w, sunk, h + e, &unused), less = gr_compact_gain(&w, sunk, h - e, &unused);
    assert_near_rel(gain, gr_pressure_at(&strip, sunk + h) / gr_pressure_at(&strip, h), 1e-4);
    assert_near_rel(by, (more - less) / (2 * e * gain), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors),       cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_plate_by_hand), cmocka_unit_test(test_wheel_by_sums),
                                       cmocka_unit_test(test_closed_forms),  cmocka_unit_test(test_scales),
                                       cmocka_unit_test(test_grid),          cmocka_unit_test(test_compacted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Variants and closed forms against the full integral; springs; chaikin; refusals; slices.
#include "support/soil_test.h"

#include "random.h"

static GrSoilSteady steady(const GrSoilDef *soil, double slip, double beta, double h)
{
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(soil, &wheel);
    GrSoilSteady out;
    gr_soil_steady(&w, slip, beta, h, 0, &out);
    return out;
}

/// Ding's closed form is the integral of linear stresses. Where the stress is linear (n = 1 and a short arc) and shear
/// is spent (far slip, small K), it is the integral of wong_reece; the deviation elsewhere is printed.
static void test_ding(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.shear_x = soil.shear_y = 1e-7;
    soil.shear_x_slope = soil.shear_y_slope = 0;
    soil.cohesion = 0;
    // σ ∝ (cos θ − cos θ1) ≈ (θ1² − θ²)/2 is linear between θ_m and θ1 when θ_m is close to θ1
    soil.peak_a1 = 0.97;
    soil.peak_a2 = 0;
    for (int pass = 0; pass < 2; pass++) {
        soil.law = GR_SOIL_WONG_REECE;
        const GrSoilSteady full = steady(&soil, 0.7, 0.2, 0.002);
        soil.law = GR_SOIL_DING;
        const GrSoilSteady closed = steady(&soil, 0.7, 0.2, 0.002);
        print_message("ding, peak at %.2f of the entry: f_z %+.2f %%, f_x %+.2f %%, T %+.2f %%\n", soil.peak_a1,
                      100 * (closed.f_z / full.f_z - 1), 100 * (closed.f_x / full.f_x - 1),
                      100 * (closed.torque / full.torque - 1));
        if (pass == 0) {
            assert_near_rel(closed.f_z, full.f_z, 0.01);
            assert_near_rel(closed.f_x, full.f_x, 0.01);
            assert_near_rel(closed.torque, full.torque, 0.01);
            assert_near_rel(closed.f_y, full.f_y, 0.01);
        }
        soil.peak_a1 = 0.4;
    }
    // Error of the fast form at the parameters of a rover.
    soil = ishigami();
    for (int i = -2; i <= 4; i++) {
        const double slip = 0.2 * i;
        const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        GrSoilSteady s[2];
        for (int k = 0; k < 2; k++) {
            soil.law = k ? GR_SOIL_DING : GR_SOIL_WONG_REECE;
            const GrSoilWheel w = prepared(&soil, &wheel);
            assert_int_equal(gr_soil_steady_load(&w, slip, 0.1, 64.68, 0, &s[k], NULL), GR_OK);
        }
        print_message("ding at 64.68 N, slip %+.1f: h %.2f (full %.2f) mm, f_x %.2f (%.2f) N, T %.3f (%.3f) N m\n",
                      slip, 1e3 * s[1].sinkage, 1e3 * s[0].sinkage, s[1].f_x, s[0].f_x, s[1].torque, s[0].torque);
    }
}

/// Ding's own integrals: linear stresses by quadrature.
static void test_ding_integrals(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_DING;
    GrRandom g = gr_random_stream(2, "ding");
    for (int k = 0; k < 200; k++) {
        soil.exit_ratio = gr_random_uniform(&g, 0, 1.1);
        const double slip = gr_random_uniform(&g, -0.8, 0.9), beta = gr_random_uniform(&g, 0, 0.7);
        const double h = gr_random_uniform(&g, 0.001, 0.04), r = 0.09, b = 0.11;
        const GrSoilSteady got = steady(&soil, slip, beta, h);
        const double t1 = acos(1 - h / r), t2 = -acos(1 - soil.exit_ratio * h / r);
        const double tm = (soil.peak_a1 + soil.peak_a2 * slip) * t1;
        const double sigma = (soil.k_c / b + soil.k_phi) * pow(r * (cos(tm) - cos(t1)), soil.n0);
        const double reach = slip >= 0 ? r * (1 - slip) : r / (1 + slip);
        const double jx = r * (t1 - tm) - reach * (sin(t1) - sin(tm)), jy = reach * (t1 - tm) * tan(beta);
        const double strength = soil.cohesion + sigma * tan(soil.friction_angle);
        const double tx =
            strength * (1 - exp(-fabs(jx) / (soil.shear_x + soil.shear_x_slope * beta))) * (jx < 0 ? -1 : 1);
        const double ty = strength * (1 - exp(-jy / (soil.shear_y + soil.shear_y_slope * beta)));
        const int count = 4000;
        double fx = 0, fy = 0, fz = 0, torque = 0;
        for (int i = 0; i < 2 * count; i++) {
            const double from = i < count ? t2 : tm, to = i < count ? tm : t1, dt = (to - from) / count;
            const double t = from + ((i % count) + 0.5) * dt,
                         part = i < count ? (t - t2) / (tm - t2) : (t1 - t) / (t1 - tm);
            fx += part * dt * (tx * cos(t) - sigma * sin(t));
            fz += part * dt * (tx * sin(t) + sigma * cos(t));
            fy += part * dt * ty;
            torque += part * dt * tx;
        }
        const double scale = b * r * fabs(fz);
        assert_near(got.f_x, b * r * fx, 1e-6 * scale);
        assert_near(got.f_y, b * r * fy, 1e-6 * scale);
        assert_near(got.f_z, fmax(0, b * r * fz), 1e-6 * scale);
        assert_near(got.torque, b * r * r * torque, 1e-6 * scale);
    }
}

/// bekker is wong_reece with a1 = a2 = λ = 0.
static void test_bekker(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_BEKKER;
    const GrSoilSteady bekker = steady(&soil, 0.3, 0.2, 0.015);
    soil.law = GR_SOIL_WONG_REECE;
    soil.peak_a1 = soil.peak_a2 = soil.exit_ratio = 0;
    const GrSoilSteady same = steady(&soil, 0.3, 0.2, 0.015);
    assert_near_rel(bekker.f_x, same.f_x, 1e-12);
    assert_near_rel(bekker.f_z, same.f_z, 1e-12);
    // Bekker's closed load for a wheel without shear: W = b P √(2r) (1 − n/3) z^(n + 1/2), for z ≪ r
    soil.cohesion = 0;
    soil.friction_angle = 1e-9;
    for (int i = 0; i < 3; i++) {
        soil.n0 = 0.6 + 0.4 * i;
        const double z = 1e-4, p = soil.k_c / 0.11 + soil.k_phi;
        const double exact = steady(&soil, 0, 0, z).f_z;
        const double closed = 0.11 * p * sqrt(0.18) * (1 - soil.n0 / 3) * pow(z, soil.n0 + 0.5);
        print_message("Bekker's closed load, n %.1f: %.4f of the integral\n", soil.n0, closed / exact);
        assert_near_rel(closed, exact, i == 1 ? 1e-3 : 0.12); // exact for n = 1 alone
    }
}

/// A run's force at this motion, of a patch that has been rolled forward.
static GrSoilOutput rolled(const GrSoilWheel *w, const GrSoilMotion *motion, double dt)
{
    double old[GR_STATE_MAX];
    GrSoilOutput out;
    gr_soil_clear(w, old);
    old[GR_HEAD_ROLL] = 1;
    old[GR_HEAD_SINKAGE] = motion->sinkage[0];
    gr_soil_evaluate(w, motion, dt, old, NULL, &out);
    return out;
}

/// Deeper than the radius, the soil reaches up to the axle, θ1 = π/2, and presses there with P (h − r). Without shear
/// and with n = 1: f_z = b r P (π r/4 + h − r), f_x = −b r P (r/2 + h − r).
static void test_deeper_than_the_radius(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_BEKKER;
    soil.cohesion = 0;
    soil.friction_angle = 1e-9;
    soil.n0 = 1;
    soil.n1 = 0;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double r = w.radius, b = wheel.width, p = soil.k_c / b + soil.k_phi;
    for (int i = 1; i < 5; i++) {
        const double h = (1 + 0.2 * i) * r;
        const double f_z = b * r * p * (0.25 * 3.14159265358979323846 * r + h - r);
        const double f_x = -b * r * p * (0.5 * r + h - r);
        const GrSoilSteady s = steady(&soil, 0, 0, h);
        const GrSoilMotion motion = {.twist = {0.1, 0, 0, 0, 0.1 / r, 0}, .sinkage = {h}};
        const GrSoilOutput run = rolled(&w, &motion, 1e-6);
        assert_near_rel(s.f_z, f_z, 1e-6);
        assert_near_rel(s.f_x, f_x, 1e-6);
        assert_near_rel(run.wrench[2], f_z, 1e-4); // twelve nodes
        assert_near_rel(run.wrench[0], f_x, 1e-4);
    }
}

/// The side force acts on the rim, r cos θ below the axle: M_x = −b r² ∫ τ_y cos θ dθ where f_y = −b r ∫ τ_y dθ. Both
/// change their sign with the slip angle.
static void test_roll_moment(void **state)
{
    (void)state;
    const GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    for (int i = 0; i < 8; i++) {
        const double slip = -0.3 + 0.15 * (i / 2), beta = i % 2 == 0 ? 0.3 : -0.3, way = beta > 0 ? 1 : -1;
        const Reference f = reference(&w, slip, beta, 0.02);
        const int count = 20000;
        double force = 0, moment = 0;
        for (int k = 0; k < count; k++) {
            const double d = (f.theta1 - f.theta2) / count, theta = f.theta2 + (k + 0.5) * d;
            double stress[4];
            reference_stress(&f, theta, stress);
            force += f.b * f.r * d * stress[1];
            moment += f.b * f.r * f.r * d * stress[1] * cos(theta);
        }
        const GrSoilSteady s = steady(&soil, slip, beta, 0.02);
        assert_near_rel(s.output.wrench[1], -way * force, 1e-4);
        assert_near_rel(s.output.wrench[3], -way * moment, 1e-4);
    }
}

/// Without slip nothing is dug, and TerRA's load is Bekker's closed form (1956).
static void test_terra_load(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_TERRA;
    for (int i = 0; i < 4; i++) {
        soil.n0 = 0.7 + 0.2 * i;
        for (double h = 0.002; h < 0.05; h *= 2) {
            const double p = soil.k_c / 0.11 + soil.k_phi;
            const double closed = 0.11 * p * sqrt(0.18) * (1 - soil.n0 / 3) * pow(h, soil.n0 + 0.5);
            assert_near_rel(steady(&soil, 0, 0, h).f_z, closed, 1e-9);
        }
    }
}

/// Steady slip sinkage z_s = z_max/(1 + z_max e_out (1 − s)/(l e_in (r/l)^¼ s)), l = r θ1. The load at a given sinkage
/// tells it by Bekker's closed form.
static void test_terra_digs(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_TERRA;
    for (int i = 0; i < 12; i++) {
        const double slip = 0.15 * (1 + i % 4), h = 0.01 * (1 + i / 4), r = 0.09, b = 0.11, n = soil.n0;
        const double l = r * acos(1 - h / r), most = soil.terra_limit * r;
        const double dug =
            most / (1 + most * soil.terra_out * (1 - slip) / (l * soil.terra_in * pow(r / l, 0.25) * slip));
        const double f_z = steady(&soil, slip, 0, h).f_z, base = b * (soil.k_c / b + soil.k_phi) * sqrt(2 * r);
        if (dug < h) {
            assert_near_rel(h - pow(f_z / (base * (1 - n / 3)), 1 / (n + 0.5)), dug, 1e-9);
        } else {
            assert_near(f_z, 0, 0);
        }
    }
}

/// What slip has dug is refilled while the wheel rolls on, z_s' = −e_out (v/l) z_s/(1 + e_α sin α) with l = r θ1:
/// slower on a climb, and not faster on a descent. The load at a given sinkage tells z_s by Bekker's closed form.
static void test_terra_refills(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_TERRA;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const double h = 0.02, v = 0.05, dt = 1e-3, angles[] = {0, 0.2, 0.4, -0.3};
    for (int i = 0; i < 4; i++) {
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double r = w.radius, length = r * acos(1 - h / r), p = soil.k_c / wheel.width + soil.k_phi;
        double state_now[GR_STATE_MAX], next[GR_STATE_MAX], dug[2] = {0};
        GrSoilOutput out;
        gr_soil_clear(&w, state_now);
        enum { DIGS = 400, ROLLS = 400 };
        for (int k = 0; k <= DIGS + ROLLS; k++) { // half the rim's speed is slip, then none
            GrSoilMotion motion = {.twist = {v, 0, 0, 0, (k < DIGS ? 2 : 1) * v / r, 0}, .sinkage = {h}};
            motion.incline = angles[i];
            gr_soil_evaluate(&w, &motion, dt, state_now, next, &out);
            memcpy(state_now, next, sizeof state_now);
            if (k == DIGS || k == DIGS + ROLLS) {
                const double base = wheel.width * p * sqrt(2 * r) * (1 - soil.n0 / 3);
                dug[k > DIGS] = h - pow(out.wrench[2] / base, 1 / (soil.n0 + 0.5));
            }
        }
        const double slowed = 1 + soil.terra_incline * fmax(0, sin(angles[i]));
        const double rate = soil.terra_out * v / (length * slowed);
        print_message("terra on %+.1f rad: %.3f mm dug, %.3f mm left\n", angles[i], 1e3 * dug[0], 1e3 * dug[1]);
        assert_true(dug[0] > 1e-4 && soil.terra_incline > 0);
        assert_near_rel(log(dug[0] / dug[1]), ROLLS * log(1 + dt * rate), 1e-6); // backward Euler
    }
}

static void test_reece_pressure(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.pressure = GR_PRESSURE_REECE;
    soil.k_c_reece = 10;
    soil.k_phi_reece = 900;
    soil.n0 = 1.2;
    soil.n1 = 0.2;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    GrSoilSteady got;
    double exact[4];
    gr_soil_steady(&w, 0.4, 0.1, 0.015, 0, &got);
    const Reference f = reference(&w, 0.4, 0.1, 0.015);
    reference_forces(&f, 1e-9, exact);
    assert_near_rel(got.f_z, exact[2], 1e-5);
    assert_near_rel(got.f_x, exact[0], 1e-4);
}

/// Cutting corners at 1/4 and 3/4 again and again, end points kept, then a trapezoidal sum: what the closed limit must
/// give.
static void test_chaikin(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.law = GR_SOIL_CHAIKIN;
    for (int k = 0; k < 5; k++) {
        const double slip = -0.6 + 0.35 * k, h = 0.015, r = 0.09, b = 0.11;
        static double x[2][8000], y[2][8000];
        int count = GR_CHAIKIN_POINTS, now = 0;
        for (int i = 0; i < count; i++) {
            x[0][i] = soil.points[i].x + soil.points[i].x_slip * slip;
            y[0][i] = soil.points[i].y + soil.points[i].y_slip * slip;
        }
        for (int level = 0; level < 9; level++) {
            int n = 0;
            const int to = 1 - now;
            x[to][n] = x[now][0];
            y[to][n++] = y[now][0];
            for (int i = 0; i + 1 < count; i++) {
                for (int q = 1; q <= 3; q += 2) {
                    x[to][n] = x[now][i] + 0.25 * q * (x[now][i + 1] - x[now][i]);
                    y[to][n++] = y[now][i] + 0.25 * q * (y[now][i + 1] - y[now][i]);
                }
            }
            x[to][n] = x[now][count - 1];
            y[to][n++] = y[now][count - 1];
            count = n;
            now = to;
        }
        const double t1 = acos(1 - h / r), t2 = -acos(1 - soil.exit_ratio * h / r);
        const double p = (soil.k_c / b + soil.k_phi) * pow(h, soil.n0);
        const double reach = slip >= 0 ? r * (1 - slip) : r / (1 + slip);
        double fx = 0, fz = 0, torque = 0;
        for (int i = 0; i + 1 < count; i++) {
            const double t = t2 + (t1 - t2) * 0.5 * (x[now][i] + x[now][i + 1]),
                         dt = (t1 - t2) * (x[now][i + 1] - x[now][i]);
            const double sigma = p * 0.5 * (y[now][i] + y[now][i + 1]);
            const double j = r * (t1 - t) - reach * (sin(t1) - sin(t));
            const double tx = (soil.cohesion + sigma * tan(soil.friction_angle)) * (1 - exp(-fabs(j) / soil.shear_x)) *
                              (j < 0 ? -1 : 1);
            fx += b * r * dt * (tx * cos(t) - sigma * sin(t));
            fz += b * r * dt * (tx * sin(t) + sigma * cos(t));
            torque += b * r * r * dt * tx;
        }
        const GrSoilSteady got = steady(&soil, slip, 0, h);
        print_message("chaikin at slip %+.2f: f_z %.4f (corner cutting %.4f), f_x %.4f (%.4f)\n", slip, got.f_z, fz,
                      got.f_x, fx);
        assert_near(got.f_z, fz, 2e-4 * fz);
        assert_near(got.f_x, fx, 2e-4 * fz);
        assert_near(got.torque, torque, 2e-4 * fz * r);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    GrSoilWheel w;
    GrErrorLog log = {0};
    GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    // DLR-D2 (LS10 table 1): fit for a wheel of 110 mm, not for one of 3 mm.
    soil.k_c = -6.67e5;
    soil.k_phi = 1.92e8;
    soil.n0 = 1.4;
    soil.cohesion = 13;
    soil.friction_angle = 32 * test_degree;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, &log), GR_OK);
    wheel.width = 0.003;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, "k_c/b + k_phi"));
    print_message("refused: %s\n", log.items[0].text);
    wheel.width = 0.1;
    soil.shear_y = 0;
    memset(&log, 0, sizeof log);
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, &log), GR_ERROR_VALUE);
    assert_string_equal(log.items[0].field, "shear_y");
    GrSoilLaw law;
    memset(&log, 0, sizeof log);
    assert_int_equal(gr_soil_law_find("wong_rece", &law, &log), GR_ERROR_NAME);
    assert_non_null(strstr(log.items[0].text, "wong_reece"));
    assert_int_equal(gr_soil_law_find("terra", &law, NULL), GR_OK);
    assert_int_equal(law, GR_SOIL_TERRA);
    // A load that the soil cannot support is reported with a reason.
    soil = gr_default_soil_def();
    wheel = gr_default_soil_wheel_def();
    w = prepared(&soil, &wheel);
    GrSoilSteady s;
    memset(&log, 0, sizeof log);
    assert_int_equal(gr_soil_steady_load(&w, 0.1, 0, 1e9, 0, &s, &log), GR_ERROR_NOT_CONVERGED);
    assert_int_equal(log.error_count, 1);
}

/// n slices at one depth are one wheel; at two depths the deeper side carries more and turns the wheel.
static void test_slices(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel one = prepared(&soil, &wheel);
    wheel.slices = 8;
    const GrSoilWheel many = prepared(&soil, &wheel);
    double a[GR_STATE_MAX] = {0}, b[GR_STATE_MAX] = {0};
    GrSoilMotion m = {.twist = {0.05, 0.01, -0.01, 0, 0.7, 0}};
    for (int i = 0; i < 8; i++) {
        m.sinkage[i] = 0.012;
    }
    GrSoilOutput x, y;
    for (int i = 0; i < 50; i++) {
        double next[GR_STATE_MAX];
        gr_soil_evaluate(&one, &m, 0.01, a, next, &x);
        memcpy(a, next, sizeof a);
        gr_soil_evaluate(&many, &m, 0.01, b, next, &y);
        memcpy(b, next, sizeof b);
    }
    for (int i = 0; i < 6; i++) {
        assert_near(x.wrench[i], y.wrench[i], 1e-10 * x.wrench[2]);
    }
    for (int i = 0; i < 8; i++) {
        m.sinkage[i] = i < 4 ? -0.002 : 0.015; // only the +y half touches
    }
    m.twist[1] = 0;
    gr_soil_clear(&many, b);
    gr_soil_evaluate(&many, &m, 0.01, b, NULL, &y);
    assert_true(y.wrench[2] > 0 && y.wrench[3] > 0.8 * 0.25 * 0.11 * y.wrench[2]);
}

static void test_flexible_wheel(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel rigid = prepared(&soil, &wheel);
    wheel.stiffness = 2e4;
    const GrSoilWheel soft = prepared(&soil, &wheel);
    GrSoilSteady a, b;
    assert_int_equal(gr_soil_steady_load(&rigid, 0.2, 0, 64.68, 0, &a, NULL), GR_OK);
    assert_int_equal(gr_soil_steady_load(&soft, 0.2, 0, 64.68, 0, &b, NULL), GR_OK);
    // In series the hub comes down by load/k more, and the soil sees the same wheel.
    assert_near_rel(b.sinkage, a.sinkage + 64.68 / 2e4, 1e-8);
    assert_near_rel(b.f_x, a.f_x, 1e-6);
}

/// The ground recedes faster than the damped rim can follow, and there is no contact: no force, however close the rim
/// is. The rim relaxes by k u + c u̇ = 0, in one step of backward Euler, on the ground and above it.
static void test_rim_left_behind(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.n0 = 1.44;
    wheel.stiffness = 2e4;
    wheel.damping = 100;
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        soil.law = (GrSoilLaw)law;
        const GrSoilWheel w = prepared(&soil, &wheel);
        for (int i = 1; i <= 100 && law != GR_SOIL_DOUBLE_SPRING; i++) { // of two springs none has a damper
            const double deep = 0.05 * pow(10, -0.05 * i), dt = 1e-3;
            GrSoilMotion motion = {.sinkage = {deep}, .twist = {0.1, 0.02, 0.3, 0, 0.5, 0}};
            double old[GR_STATE_MAX], next[GR_STATE_MAX];
            GrSoilOutput out;
            gr_soil_clear(&w, old);
            old[GR_HEAD_ROLL] = i % 2 == 0 ? -0.97 : 0.97;
            old[GR_HEAD_SLIP] = 0.005;
            old[GR_HEAD_FLEX] = 1.1 * deep * (1 + wheel.stiffness * dt / wheel.damping);
            for (int lifted = 0; lifted < 2; lifted++) {
                motion.sinkage[0] = lifted ? -deep : deep;
                gr_soil_evaluate(&w, &motion, dt, old, next, &out);
                for (int k = 0; k < 6; k++) {
                    assert_near(out.wrench[k], 0, 1e-6);
                }
                assert_near_rel(next[GR_HEAD_FLEX], 1.1 * deep, 1e-12);
            }
        }
    }
}

/// Below the hub, down to the wheel's diameter, the law stays finite, the load grows with depth, and a flag is set.
static void test_deep(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        soil.law = (GrSoilLaw)law;
        const GrSoilWheel w = prepared(&soil, &wheel);
        double last = 0;
        for (int i = 1; i <= 200; i++) {
            GrSoilSteady s;
            const double h = 2 * w.radius * i / 200;
            gr_soil_steady(&w, 0.2, 0.1, h, 0, &s);
            assert_true(isfinite(s.f_z) && s.f_z >= last && isfinite(s.f_x) && isfinite(s.torque));
            assert_true(((s.output.flags & GR_FLAG_DEEP) != 0) == (h > w.radius));
            last = s.f_z;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ding),
                                       cmocka_unit_test(test_ding_integrals),
                                       cmocka_unit_test(test_bekker),
                                       cmocka_unit_test(test_deeper_than_the_radius),
                                       cmocka_unit_test(test_roll_moment),
                                       cmocka_unit_test(test_terra_load),
                                       cmocka_unit_test(test_terra_digs),
                                       cmocka_unit_test(test_terra_refills),
                                       cmocka_unit_test(test_reece_pressure),
                                       cmocka_unit_test(test_chaikin),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_slices),
                                       cmocka_unit_test(test_flexible_wheel),
                                       cmocka_unit_test(test_rim_left_behind),
                                       cmocka_unit_test(test_deep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Digging, ploughing and the wedge pushed along, against the formulas of docs/soil-laws.md written out once more: by
/// adaptive quadrature, in the static formulas and in runs that have settled, forwards and backwards.
#include "carriage.h"
#include "support/soil_test.h"

#include "random.h"

/// u of docs/soil-laws.md, from speeds and not from slip: rim rω along x, hub (v_x, v_y).
static double ploughing(double rim, double v_x, double v_y, double side)
{
    const double speed = hypot(v_x, v_y), skid = fmax(1 - rim / speed, 0);
    return sqrt(skid * skid + (1 - skid * skid) * side * side * v_y * v_y / (speed * speed));
}

typedef struct Expected {
    double dug;
    double force[4]; ///< f_x, f_y, f_z, torque/r
} Expected;

/// The wheel's forces at sinkage h, by the printed formulas.
static Expected expected(const GrSoilWheel *w, double slip, double beta, double h)
{
    const GrSoilDef *s = &w->soil;
    Expected e;
    Reference f = reference(w, slip, beta, h);
    const double v_x = slip >= 0 ? 1 - slip : 1, rim = slip >= 0 ? 1 : 1 + slip, v_y = v_x * tan(beta);
    const double u = ploughing(rim, v_x, v_y, s->plough_side), speed = hypot(v_x, v_y);
    const double j = f.r * (f.theta1 - f.theta2) * fmax(rim / speed - 1, 0);
    const double by_lugs = s->lug_digging * w->wheel.grouser_height * (1 - exp(-j / s->lug_digging_length));
    const double dug = s->slip_sinkage_max * (1 - exp(-j / s->slip_sinkage_length)) + by_lugs;
    e.dug = hypot(dug, s->plough_sinkage * pow(u, s->plough_power));
    if (s->law != GR_SOIL_BEKKER) {
        f.theta2 = -acos(1 - fmin(s->exit_ratio + s->backfill * dug / (2 * f.r), 1) * h / f.r);
    }
    f.pressing = fmax(h - e.dug, 0) / h;
    if (s->law == GR_SOIL_WONG_REECE) {
        const double ratio = f.a1 + f.a2 * slip + s->peak_plough * pow(u, s->plough_power);
        f.theta_m = fmax(ratio, -2 * sqrt(2 * f.lambda) / 3.14159265358979323846) * f.theta1;
    }
    reference_forces(&f, 1e-8, e.force);
    e.force[3] /= f.r;
    // The wedge: passive pressure at the depth h over the side's chord and the front.
    const double phi = s->friction_angle, root = tan(45 * test_degree + phi / 2), gamma = s->density * w->wheel.gravity;
    const double wall = gamma * root * root * h * h / 2 + 2 * s->cohesion * h * root;
    const double sliding = hypot(u, cos(beta) * fmax(slip, 0) / (1 - fmax(slip, 0)));
    const double part = s->wedge + s->wedge_slide * (sliding > 0 ? u / sliding : 0);
    const double breadth =
        2 * sqrt(2 * f.r * h - h * h) * fabs(sin(beta)) + f.b * s->wedge_front * cos(beta) * fmax(-slip, 0);
    e.force[0] -= wall * part * breadth * cos(beta);
    e.force[1] += wall * part * breadth * sin(beta);
    return e;
}

static GrSoilWheel random_wheel(GrRandom *g)
{
    GrSoilDef s = ploughed(ishigami());
    GrSoilWheelDef d = gr_default_soil_wheel_def();
    s.law = gr_random_below(g, 3) ? GR_SOIL_WONG_REECE : GR_SOIL_BEKKER;
    s.shear = gr_random_below(g, 2) ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    s.n0 = gr_random_uniform(g, 0.5, 1.5);
    s.exit_ratio = gr_random_uniform(g, 0, 1);
    s.slip_sinkage_max = gr_random_uniform(g, 0, 0.01);
    s.slip_sinkage_length = gr_random_uniform(g, 0.01, 0.2);
    s.plough_sinkage = gr_random_uniform(g, 0, 0.01);
    s.lug_digging = gr_random_uniform(g, 0, 2);
    s.lug_digging_length = gr_random_uniform(g, 0.05, 0.5);
    s.backfill = gr_random_uniform(g, 0, 3);
    d.grouser_height = 0.004;
    s.plough_side = gr_random_uniform(g, 0.6, 1);
    s.plough_power = gr_random_uniform(g, 0.6, 3);
    s.peak_plough = gr_random_uniform(g, -1.2, 0.3);
    s.wedge = gr_random_uniform(g, 0, 2);
    s.wedge_slide = gr_random_uniform(g, 0, 3);
    s.wedge_front = gr_random_uniform(g, 0, 2);
    return prepared(&s, &d);
}

static double largest_error(const double got[4], const Expected *e)
{
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        worst = fmax(worst, fabs(got[i] - e->force[i]) / e->force[2]);
    }
    return worst;
}

/// Settled: a few very long steps, then short ones.
static void settle(const GrSoilWheel *w, double slip, double beta, double h, double direction, double got[4])
{
    double old[GR_STATE_MAX] = {0}, next[GR_STATE_MAX];
    GrSoilOutput out = {0};
    GrSoilMotion m = {.sinkage = {h}};
    m.twist[0] = direction * 0.05 * (slip >= 0 ? 1 - slip : 1);
    m.twist[1] = fabs(m.twist[0]) * tan(beta);
    m.twist[4] = direction * 0.05 * (slip >= 0 ? 1 : 1 + slip) / w->radius;
    for (int i = 0; i < 20; i++) {
        gr_soil_evaluate(w, &m, i < 10 ? 1e4 : 0.02, old, next, &out);
        memcpy(old, next, sizeof(double) * (size_t)w->state_size);
    }
    got[0] = direction * out.wrench[0];
    got[1] = -out.wrench[1];
    got[2] = out.wrench[2];
    got[3] = -direction * out.wrench[4] / w->radius;
}

static void test_against_quadrature(void **state)
{
    (void)state;
    const double tolerance = 1e-4; // that of the static formulas without ploughing
    GrRandom g = gr_random_stream(1, "ploughing");
    double worst[2] = {0, 0};
    int counted = 0;
    while (counted < GR_TEST_LONG(1500, 200)) {
        const GrSoilWheel w = random_wheel(&g);
        const double slip = gr_random_uniform(&g, -0.95, 0.95), beta = gr_random_uniform(&g, 0, 70) * test_degree;
        const double h = w.radius * gr_random_uniform(&g, 0.1, 0.7);
        const double direction = gr_random_below(&g, 2) ? 1 : -1;
        const Expected e = expected(&w, slip, beta, h);
        GrSoilSteady got;
        double run[4];
        if (h < 1.2 * e.dug || e.force[2] < 5) {
            continue; // shear pulls the wheel down: f_z is no scale
        }
        gr_soil_steady(&w, slip, beta, h, 0, &got);
        settle(&w, slip, beta, h, direction, run);
        const double still[4] = {got.f_x, got.f_y, got.f_z, got.torque / w.radius};
        worst[0] = fmax(worst[0], largest_error(still, &e));
        worst[1] = fmax(worst[1], largest_error(run, &e));
        counted++;
    }
    print_message("static formulas within %.1e, settled runs within %.1e of f_z\n", worst[0], worst[1]);
    assert_true(worst[0] <= tolerance);
    assert_true(worst[1] <= tolerance);
}

/// Sinkage under a load grows with the ploughing fraction, whatever it comes from, and saturates with slip; digging
/// costs pull where a longer arc gives no more shear: without cohesion, and with shear mobilised at once.
static void test_expected_shape(void **state)
{
    (void)state;
    GrSoilDef soil = ploughed(ishigami());
    soil.cohesion = 0;
    soil.shear_x = 0.002;
    soil.shear_x_slope = 0;
    soil.backfill = 0; // which pushes the wheel ahead
    soil.plough_side = 1;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    soil.slip_sinkage_max = 0;
    const GrSoilWheel firm = prepared(&soil, &wheel);
    const double load = 60;
    GrSoilSteady last, now, other;
    assert_int_equal(gr_soil_steady_load(&w, 0, 0, load, 0, &last, NULL), GR_OK);
    double rise[2] = {0, 0}, from = last.sinkage;
    for (int i = 1; i <= 9; i++) {
        assert_int_equal(gr_soil_steady_load(&w, 0.1 * i, 0, load, 0, &now, NULL), GR_OK);
        assert_int_equal(gr_soil_steady_load(&firm, 0.1 * i, 0, load, 0, &other, NULL), GR_OK);
        assert_true(now.sinkage > last.sinkage && now.sinkage > other.sinkage);
        assert_true(now.f_x < other.f_x);
        rise[0] = i == 5 ? now.sinkage - from : rise[0];
        last = now;
    }
    rise[1] = last.sinkage - from - rise[0];
    print_message("sinks %.1f mm deeper up to slip 0.5, %.1f mm more up to 0.9\n", 1e3 * rise[0], 1e3 * rise[1]);
    assert_true(last.sinkage - from < 2 * w.soil.slip_sinkage_max && rise[1] < rise[0]);
    // Skid and yaw of the same u leave the same depth of soil that does not press, and the wheel is deeper by it.
    soil.plough_sinkage = 0;
    const GrSoilWheel whole = prepared(&soil, &wheel);
    double deeper[2] = {0, 0};
    for (int i = 1; i <= 8; i++) {
        for (int yaws = 0; yaws < 2; yaws++) {
            const double u = 0.1 * i, slip = yaws ? 1 - sqrt(1 - u * u) : -u, beta = yaws ? asin(u) : 0; // rω = V
            assert_near(expected(&w, slip, beta, 0.02).dug, w.soil.plough_sinkage * pow(u, w.soil.plough_power), 1e-15);
            assert_int_equal(gr_soil_steady_load(&w, slip, beta, load, 0, &now, NULL), GR_OK);
            assert_int_equal(gr_soil_steady_load(&whole, slip, beta, load, 0, &other, NULL), GR_OK);
            assert_true(now.sinkage - other.sinkage > deeper[yaws]);
            deeper[yaws] = now.sinkage - other.sinkage;
        }
    }
}

/// A run that is drawn at a slip and angle ends with the static sinkage and forces under the load, for every law.
static void test_rig_meets_static(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (int k = 0; k < 5; k++) {
        GrSoilDef soil = ploughed(ishigami());
        soil.law = laws[k];
        soil.damping = 400;
        const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double load = 64.68;
        double worst = 0;
        for (int i = -9; i <= 9; i += 3) {
            GrSoilSteady s;
            const double beta = (i & 1 ? 40 : 0) * test_degree;
            assert_int_equal(gr_soil_steady_load(&w, 0.1 * i, beta, load, 0, &s, NULL), GR_OK);
            const GrCarriage c = gr_carriage_drawn(&w, 0.1 * i, beta, load, 0.05, 0.005);
            worst = fmax(worst, fabs(c.out.wrench[0] - s.f_x) / load);
            worst = fmax(worst, fabs(-c.out.wrench[1] - s.f_y) / load);
            worst = fmax(worst, fabs(c.h - s.sinkage) / s.sinkage);
        }
        print_message("%-11s static met within %.4f %%\n", gr_soil_law_name(w.law), 100 * worst);
        assert_true(worst < 0.01);
    }
}

static void test_parked_wheel_stays(void **state)
{
    (void)state;
    GrSoilDef soil = ploughed(ishigami());
    soil.damping = 400;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    static const double steps[] = {0.001, 0.005, 0.02};
    for (int k = 0; k < 3; k++) {
        const double creep = gr_carriage_creep(&w, 6.6, 9.80665, 10 * test_degree, 20, steps[k]);
        print_message("parked on 10 deg, dt %2.0f ms: creep %.2e mm in 60 s\n", 1e3 * steps[k], 1e3 * creep);
        assert_near(1e3 * creep, 0, 0.1);
    }
}

/// Numbers out of range are refused with their field.
static void test_bad_values(void **state)
{
    (void)state;
    static const struct {
        size_t member;
        double value;
        const char *field;
    } bad[] = {{offsetof(GrSoilDef, slip_sinkage_max), -0.001, "slip_sinkage_max"},
               {offsetof(GrSoilDef, slip_sinkage_length), 0, "slip_sinkage_length"},
               {offsetof(GrSoilDef, plough_sinkage), NAN, "plough_sinkage"},
               {offsetof(GrSoilDef, plough_power), 0.2, "plough_power"},
               {offsetof(GrSoilDef, peak_plough), 0.5, "peak_plough"}, // a1 + |a2| + 0.5 > 1
               {offsetof(GrSoilDef, wedge), -1, "wedge"},
               {offsetof(GrSoilDef, wedge_slide), 1000, "wedge_slide"},
               {offsetof(GrSoilDef, wedge_front), -1, "wedge_front"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        GrSoilDef soil = ploughed(ishigami());
        GrErrorLog log = {.quiet = true};
        memcpy((char *)&soil + bad[i].member, &bad[i].value, sizeof bad[i].value);
        assert_int_not_equal(gr_soil_check(&soil, &log), GR_OK);
        assert_string_equal(log.items[0].field, bad[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_quadrature), cmocka_unit_test(test_expected_shape),
                                       cmocka_unit_test(test_rig_meets_static),
                                       cmocka_unit_test(test_parked_wheel_stays), cmocka_unit_test(test_bad_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// rheological and double_spring: normal forces, stiction, stability, order of convergence.
#include "support/soil_test.h"

static GrSoilWheel spring(GrSoilLaw law, int stencil, double stiffness)
{
    GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.law = law;
    soil.stencil = stencil;
    wheel.stiffness = stiffness;
    wheel.damping = 60;
    return prepared(&soil, &wheel);
}

static double normal(const GrSoilWheel *w, double h, double sink_rate)
{
    double state[GR_STATE_MAX] = {0};
    GrSoilMotion m = {.sinkage = {h}, .twist = {[2] = -sink_rate}};
    GrSoilOutput out;
    gr_soil_evaluate(w, &m, 0.001, state, NULL, &out);
    return out.wrench[2];
}

/// K23 eq. 2.1 and 2.2 by hand.
static void test_rheology(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.law = GR_SOIL_RHEOLOGICAL;
    soil.stiffness = 3e4;
    soil.stiffness_exponent = 1.2;
    soil.rheology_damping = 150;
    GrSoilWheel w = prepared(&soil, &wheel);
    assert_near_rel(normal(&w, 0.01, 0.1), 3e4 * pow(0.01, 1.2) + 15, 1e-12);
    assert_near(normal(&w, 0.01, -100), 0, 0);
    soil.rheology = GR_HUNT_CROSSLEY;
    w = prepared(&soil, &wheel);
    assert_near_rel(normal(&w, 0.01, 0.1), pow(0.01, 1.2) * (3e4 + 15), 1e-12);
}

/// Pushed with less than μ N it stays at rest; with more it slides with friction μ N.
static void test_stiction(void **state)
{
    (void)state;
    const GrSoilWheel w = spring(GR_SOIL_RHEOLOGICAL, 2, INFINITY);
    const double mass = 5, load = 50, h = load / w.soil.stiffness;
    for (int push = 0; push < 2; push++) {
        const double force = (push ? 1.02 : 0.98) * w.soil.friction * load, dt = 0.005;
        double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX], v = 0, x = 0, at_ten = 0;
        for (int i = 0; i < 14000; i++) {
            GrSoilMotion m = {.sinkage = {h}, .twist = {v}};
            GrSoilOutput out;
            gr_soil_evaluate(&w, &m, dt, s, NULL, &out);
            v += dt * (force + out.wrench[0]) / (mass - dt * out.d_twist[0][0]);
            x += dt * v;
            m.twist[0] = v;
            gr_soil_evaluate(&w, &m, dt, s, next, &out);
            memcpy(s, next, sizeof s);
            at_ten = i == 2000 ? x : at_ten;
        }
        print_message("pushed with %.2f of friction: moves %.3g m in 60 s\n", force / (w.soil.friction * load),
                      x - at_ten);
        if (push) {
            assert_near_rel(v, 0.02 * w.soil.friction * load / mass * 70, 0.02);
        } else {
            assert_near(x, at_ten, 1e-9);
        }
    }
}

/// Force of the series springs for u_tot(t) prescribed, at time `end`.
static double series(const GrSoilWheel *w, double dt, double end)
{
    double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX];
    GrSoilOutput out = {0};
    const int count = (int)round(end / dt);
    for (int i = 1; i <= count; i++) {
        const double t = i * dt;
        GrSoilMotion m = {.sinkage = {4e-3 * t * t * t * t * (1 + t)}};
        gr_soil_evaluate(w, &m, dt, s, next, &out);
        memcpy(s, next, sizeof s);
    }
    return out.wrench[2];
}

/// A wheel that slides in any direction feels μ N against it, once the spring is stretched.
static void test_friction_circle(void **state)
{
    (void)state;
    const GrSoilWheel w = spring(GR_SOIL_RHEOLOGICAL, 2, INFINITY);
    for (int k = 0; k < 12; k++) {
        const double angle = 30 * test_degree * k;
        const GrSoilMotion m = {.sinkage = {0.01}, .twist = {0.3 * cos(angle), 0.3 * sin(angle)}};
        double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX];
        GrSoilOutput out;
        for (int i = 0; i < 500; i++) {
            gr_soil_evaluate(&w, &m, 0.01, s, next, &out);
            memcpy(s, next, sizeof s);
        }
        const double most = w.soil.friction * out.wrench[2];
        assert_near(out.wrench[0], -most * cos(angle), 1e-9 * most);
        assert_near(out.wrench[1], -most * sin(angle), 1e-9 * most);
    }
}

/// Order n − 1 where the step resolves the relaxation time (β_w + β_s)/(k_w + k_s).
static void test_order(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++) {
        GrSoilWheel w = spring(GR_SOIL_DOUBLE_SPRING, n, 500);
        w.soil.stiffness = 300;
        w.soil.rheology_damping = 200;
        const double exact = series(&w, 1.0 / 16384, 1);
        GrSoilWheel best = w;
        best.soil.stencil = 5;
        const double reference_force = n < 5 ? series(&best, 1.0 / 4096, 1) : exact;
        const double e1 = fabs(series(&w, 1.0 / 64, 1) - reference_force),
                     e2 = fabs(series(&w, 1.0 / 128, 1) - reference_force);
        const double order = log2(e1 / e2);
        print_message("stencil %d: error %.2e -> %.2e, order %.2f\n", n, e1, e2, order);
        assert_true(order > n - 1 - 0.3 && order < n - 1 + 0.6);
    }
}

/// Stiff parameters at dt = 3 ms, far above the relaxation time: settles on the static force without ringing.
static void test_stable(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++) {
        GrSoilWheel w = spring(GR_SOIL_DOUBLE_SPRING, n, 1e6);
        w.soil.stiffness = 1e6;
        w.soil.rheology_damping = 200;
        double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX], largest = 0;
        GrSoilOutput out = {0};
        for (int i = 0; i < 300; i++) {
            GrSoilMotion m = {.sinkage = {1e-3}};
            gr_soil_evaluate(&w, &m, 0.003, s, next, &out);
            memcpy(s, next, sizeof s);
            largest = fmax(largest, out.wrench[2]);
        }
        assert_near_rel(out.wrench[2], 1e-3 * 5e5, 1e-9);
        assert_true(largest < 3 * 500);
    }
}

/// A mass dropped on it at 3 ms comes to rest at load over the series stiffness.
static void test_drop(void **state)
{
    (void)state;
    GrSoilWheel w = spring(GR_SOIL_DOUBLE_SPRING, 2, 2e5);
    w.soil.stiffness = 1e5;
    w.soil.rheology_damping = 400;
    double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX], h = -0.05, v = 0;
    const double dt = 0.003, mass = 10;
    for (int i = 0; i < 3000; i++) {
        GrSoilOutput out;
        GrSoilMotion m = {.sinkage = {h - dt * v}, .twist = {[2] = v}};
        gr_soil_evaluate(&w, &m, dt, s, NULL, &out);
        v += dt * (out.wrench[2] - mass * 9.81) / (mass - dt * out.d_twist[2][2] + dt * dt * out.d_sinkage[2]);
        h -= dt * v;
        m.sinkage[0] = h;
        m.twist[2] = v;
        gr_soil_evaluate(&w, &m, dt, s, next, &out);
        memcpy(s, next, sizeof s);
        assert_true(isfinite(h) && h < 0.1);
    }
    assert_near_rel(h, mass * 9.81 * (1 / 1e5 + 1 / 2e5), 1e-6);
}

/// An instant has the force of the stencils in the limit of short steps, and a sinkage that is off by a nanometre a
/// nanosecond after the step began changes it by the springs alone, not by 1 m/s in the damper.
static void test_instant(void **state)
{
    (void)state;
    const double dt = 1e-6, speed = 0.05, stiffness[] = {2e4, INFINITY};
    for (int i = 0; i < 2; i++) {
        const GrSoilWheel w = spring(GR_SOIL_DOUBLE_SPRING, 2, stiffness[i]);
        double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX], h = 0;
        GrSoilOutput by_stencil, by_rate, moved;
        for (int k = 0; k < 100000; k++) {
            h += dt * speed;
            const GrSoilMotion m = {.sinkage = {h}, .twist = {[2] = -speed}};
            gr_soil_evaluate(&w, &m, dt, s, next, &by_stencil);
            memcpy(s, next, sizeof s);
        }
        GrSoilMotion m = {.sinkage = {h}, .twist = {[2] = -speed}, .instant = true};
        gr_soil_evaluate(&w, &m, 1e-9, s, next, &by_rate);
        assert_near_rel(by_rate.wrench[2], by_stencil.wrench[2], 1e-4);
        m.sinkage[0] += 1e-9;
        gr_soil_evaluate(&w, &m, 1e-9, s, next, &moved);
        assert_near(moved.wrench[2], by_rate.wrench[2], 2e-9 * w.soil.stiffness);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rheology),        cmocka_unit_test(test_stiction),
                                       cmocka_unit_test(test_friction_circle), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_stable),          cmocka_unit_test(test_drop),
                                       cmocka_unit_test(test_instant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Damping of shear: a mass on the springs of sheared soil swings out at the rate of T, the stress never exceeds the
/// soil's strength, and a steady wheel does not feel it. And the damping of impacts where a file gives none.
#include "support/soil_test.h"

static const double DT = 2e-4, DEPTH = 0.015; // [s, m]

/// `soft`: with cohesion alone, and next to no pressure.
static GrSoilWheel make(GrSoilLaw law, bool combined, bool soft)
{
    GrSoilDef soil = ishigami();
    if (soft) {
        soil.k_c = 0;
        soil.k_phi = 1000;
    }
    soil.law = law;
    soil.shear_x_slope = soil.shear_y_slope = 0;
    soil.shear = combined ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    return prepared(&soil, &wheel);
}

/// One step of a locked wheel at constant sinkage with this speed along `axis`; returns the force along it.
static double slide(const GrSoilWheel *w, int axis, double speed, double *state, GrSoilOutput *out)
{
    double next[GR_STATE_MAX];
    GrSoilMotion m = {.sinkage = {DEPTH}};
    m.twist[axis] = speed;
    gr_soil_evaluate(w, &m, DT, state, next, out);
    memcpy(state, next, sizeof(double) * (size_t)w->state_size);
    return out->wrench[axis];
}

/// Slides by `way` in a tenth of a second and waits as long.
static double move(const GrSoilWheel *w, int axis, double way, double *state)
{
    const int steps = (int)(0.1 / DT);
    GrSoilOutput out;
    double force = 0;
    for (int i = 0; i < 2 * steps; i++) {
        force = slide(w, axis, i < steps ? way / 0.1 : 0, state, &out);
    }
    return force;
}

/// Below its earlier maximum the shear of soil is a spring k and a damper k T: x'' = −(k/m)(x + T x'). Swings of a mass
/// decay by e^(−π ζ/√(1 − ζ²)) per half period, ζ = T √(k/m)/2. Along, the resistance of rolling is a spring without
/// damping, too, over the length of the rolling memory: there the soil is soft, and terra is left out, whose resistance
/// is passive pressure.
static void test_decay(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    const double rate = 20; // [rad/s]
    for (int k = 0; k < 20; k++) {
        const GrSoilLaw law = laws[k / 4];
        const int axis = k & 1;
        if (axis == 0 && law == GR_SOIL_TERRA) {
            continue;
        }
        const GrSoilWheel w = make(law, k & 2, axis == 0);
        const double shear = axis == 0 || k & 2 ? w.soil.shear_x : w.soil.shear_y, way = 0.1 * shear;
        double s[GR_STATE_MAX] = {0};
        GrSoilOutput out;
        move(&w, axis, 1.5 * shear, s);
        const double pushed = move(&w, axis, -0.5 * shear, s), force = move(&w, axis, -way, s);
        const double stiffness = (force - pushed) / way, mass = stiffness / (rate * rate);
        // Let go at `way` from the middle, with the mean force balanced.
        double x = -way, v = 0, before = way, ratio = 0;
        int extremes = 0;
        while (extremes < 4) {
            const double f = slide(&w, axis, v, s, &out) - pushed, old = v;
            v += DT * f / mass;
            x += DT * v;
            if (old * v < 0) {
                extremes++;
                ratio = fabs(x) / before;
                before = fabs(x);
            }
        }
        const double zeta = 0.5 * rate * w.shear_time, half = exp(-3.14159265358979 * zeta / sqrt(1 - zeta * zeta));
        print_message("%-11s %s, axis %d: %.4f per half period, %.4f by T\n", gr_soil_law_name(law),
                      k & 2 ? "combined" : "separate", axis, ratio, half);
        assert_near_rel(ratio, half, axis == 0 ? 0.01 : 0.001);
    }
}

/// However fast a wheel is thrown back and forth, the force across is not above the strength of the patch.
static void test_bounded(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (int k = 0; k < 10; k++) {
        const GrSoilWheel w = make(laws[k / 2], k & 1, false);
        double s[GR_STATE_MAX] = {0}, most = 0;
        for (int i = 0; i < 4000; i++) {
            GrSoilOutput out;
            const double force = slide(&w, 1, i / 100 % 2 ? 5 : -3, s, &out);
            most = fmax(most, fabs(force) / out.strength);
        }
        assert_true(most <= 1 + 1e-12 && most > 0.999);
    }
}

/// In steady rolling nothing changes, so that T has no effect.
static void test_steady(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_DING, GR_SOIL_CHAIKIN, GR_SOIL_TERRA};
    for (int k = 0; k < 10; k++) {
        GrSoilWheel w = make(laws[k / 2], k & 1, false);
        GrSoilOutput out[2];
        assert_true(w.shear_time > 0);
        for (int damped = 0; damped < 2; damped++) {
            double s[GR_STATE_MAX] = {0}, next[GR_STATE_MAX];
            const GrSoilMotion m = {.sinkage = {DEPTH}, .twist = {0.1, 0.02, 0, 0, 0.13 / w.radius, 0}};
            w.shear_time *= damped;
            for (int i = 0; i < 40000; i++) {
                gr_soil_evaluate(&w, &m, 1e-3, s, next, &out[damped]);
                memcpy(s, next, sizeof(double) * (size_t)w.state_size);
            }
            w = make(laws[k / 2], k & 1, false);
        }
        for (int i = 0; i < 6; i++) {
            assert_near(out[1].wrench[i], out[0].wrench[i], 1e-10 * out[0].wrench[2]);
        }
    }
}

/// ζ of the critical damping 2 √(k m) of a wheel with its share m on soil of the stiffness k = n W/h under W = m g,
/// with n = 1 at least. A soil that has a damping keeps it.
static void test_impacts(void **state)
{
    (void)state;
    const double exponents[] = {0.8, 1, 1.4}, mass = 7, gravity = 3.7, ratio = 0.6;
    for (int i = 0; i < 3; i++) {
        GrSoilDef soil = ishigami();
        soil.n0 = exponents[i];
        const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        const GrSoilWheel w = prepared(&soil, &wheel);
        GrSoilSteady s;
        assert_int_equal(gr_soil_steady_load(&w, 0, 0, mass * gravity, 0, &s, NULL), GR_OK);
        const double k = fmax(1, exponents[i]) * mass * gravity / s.sinkage;
        const double found = gr_soil_impact_damping(&soil, wheel.radius, wheel.width, mass, gravity, ratio);
        assert_near_rel(found, ratio * 2 * sqrt(k * mass), 1e-9);
        soil.damping = 12;
        assert_near(gr_soil_impact_damping(&soil, wheel.radius, wheel.width, mass, gravity, ratio), 12, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// The law with state against the static formulas: carriage with imposed slip, parking, letting go.
#include "soil_test.h"

enum { X, Z };

/// A wheel that may move along x and z under constant forces, linearly implicit:
/// (m − dt ∂F/∂u + dt² ∂F/∂h) Δu = dt F(u, h − dt u_z).
typedef struct Carriage {
    const GrSoilWheel *w;
    double mass, force[2]; ///< applied, x and z [N]
    double v[2], x, h;
    double omega, v_y;
    bool fixed_x; ///< v[X] imposed
    double state[GR_STATE_MAX];
    GrSoilOutput out;
} Carriage;

static void carriage_motion(const Carriage *c, double h, GrSoilMotion *m)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < c->w->slices; i++) {
        m->sinkage[i] = h;
    }
    m->twist[0] = c->v[X];
    m->twist[1] = c->v_y;
    m->twist[2] = c->v[Z];
    m->twist[4] = c->omega;
}

static void carriage_step(Carriage *c, double dt)
{
    GrSoilMotion m;
    double next[GR_STATE_MAX];
    carriage_motion(c, c->h - dt * c->v[Z], &m);
    gr_soil_evaluate(c->w, &m, dt, c->state, NULL, &c->out);
    const GrSoilOutput *o = &c->out;
    const double f[2] = {c->force[X] + o->wrench[0], c->force[Z] + o->wrench[2]};
    double a[2][2] = {{c->mass - dt * o->d_twist[0][0], -dt * o->d_twist[0][2] + dt * dt * o->d_sinkage[0]},
                      {-dt * o->d_twist[2][0], c->mass - dt * o->d_twist[2][2] + dt * dt * o->d_sinkage[2]}};
    if (c->fixed_x) {
        c->v[Z] += dt * f[Z] / a[1][1];
    } else {
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        c->v[X] += dt * (f[X] * a[1][1] - f[Z] * a[0][1]) / det;
        c->v[Z] += dt * (f[Z] * a[0][0] - f[X] * a[1][0]) / det;
    }
    c->h -= dt * c->v[Z];
    c->x += dt * c->v[X];
    carriage_motion(c, c->h, &m);
    gr_soil_evaluate(c->w, &m, dt, c->state, next, &c->out);
    memcpy(c->state, next, sizeof(double) * (size_t)c->w->state_size);
}

/// Imposed slip at constant load until steady; returns the largest deviation over max(|static|, 5 % of the load).
static double rig_deviation(const GrSoilWheel *w, double slip, double beta, double load, double dt)
{
    Carriage c = {.w = w, .mass = load / 9.80665, .force = {0, -load}, .fixed_x = true, .h = 1e-3};
    GrSoilSteady s;
    GrErrorLog log = {0};
    const double speed = 0.05;
    assert_int_equal(gr_soil_steady_load(w, slip, beta, load, 0, &s, &log), GR_OK);
    c.v[X] = slip >= 0 ? speed * (1 - slip) : speed;
    c.v_y = c.v[X] * tan(beta);
    c.omega = (slip >= 0 ? speed : speed * (1 + slip)) / w->radius;
    // 1.2 m of travel, and half a minute
    const double time = fmax(30, 1.2 / c.v[X]);
    for (int i = 0; i < (int)(time / dt); i++) {
        carriage_step(&c, dt);
    }
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
        for (int combined = 0; combined < 2; combined++) {
            GrSoilDef soil = ishigami();
            soil.law = laws[k];
            soil.damping = 400;
            soil.shear = combined ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
            soil.n1 = laws[k] == GR_SOIL_TERRA ? 0 : 0.1;
            const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
            const GrSoilWheel w = prepared(&soil, &wheel);
            double worst = 0;
            for (int i = -8; i <= 9; i++) {
                worst = fmax(worst, rig_deviation(&w, 0.1 * i, (i & 1 ? 15 : 0) * test_degree, 64.68, 0.005));
            }
            print_message("%-11s %s shear: static met within %.4f %%\n", gr_soil_law_name(w.law),
                          combined ? "combined" : "separate", 100 * worst);
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

static Carriage parked(const GrSoilWheel *w, double mass, double slope)
{
    const double g = 9.80665;
    return (Carriage){.w = w, .mass = mass, .force = {-mass * g * sin(slope), -mass * g * cos(slope)}, .h = 0.012};
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
        const double dt = steps[k];
        Carriage c = parked(&w, 6.6, 10 * test_degree);
        double mean[2] = {0, 0}, swing = 0;
        // Settles for 20 s (the elastic rocking of a wheel set down on a slope fades slowly at 1 ms); then means over
        // one second, 60 s apart.
        const int second = (int)round(1 / dt);
        for (int i = 0; i < 81 * second; i++) {
            carriage_step(&c, dt);
            if (i >= 20 * second && i < 21 * second) {
                mean[0] += c.x / second;
            } else if (i >= 80 * second) {
                mean[1] += c.x / second;
                swing = fmax(swing, fabs(c.v[X]));
            }
        }
        print_message(
            "parked on 10 deg, dt %2.0f ms: creep %.2e mm in 60 s, speed at the end %.1e m/s, settled at %.3f mm\n",
            1e3 * dt, 1e3 * (mean[1] - mean[0]), swing, 1e3 * c.x);
        assert_near(1e3 * mean[1], 1e3 * mean[0], 0.1);
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
    Carriage c = parked(&w, 6.6, 0);
    double slope = 0;
    while (slope < 80 && fabs(c.v[X]) < 0.1) {
        slope += 0.5 * 0.005;
        c.force[X] = -6.6 * 9.80665 * sin(slope * test_degree);
        c.force[Z] = -6.6 * 9.80665 * cos(slope * test_degree);
        carriage_step(&c, 0.005);
    }
    print_message("lets go at %.2f deg, static prediction %.2f deg\n", slope, predicted);
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
    double low = 0, high = 0.5;
    for (int i = 0; i < 50; i++) {
        GrSoilSteady s;
        const double slip = 0.5 * (low + high);
        assert_int_equal(gr_soil_steady_load(&w, slip, 0, weight * cos(slope), 0, &s, NULL), GR_OK);
        if (s.f_x > weight * sin(slope)) {
            high = slip;
        } else {
            low = slip;
        }
    }
    static const double steps[] = {0.005, 0.01, 0.02, 0.05};
    for (int k = 0; k < 4; k++) {
        Carriage c = parked(&w, 6.6, slope);
        c.omega = 0.05 / w.radius;
        for (int i = 0; i < (int)(60 / steps[k]); i++) {
            carriage_step(&c, steps[k]);
        }
        const double slip = 1 - c.v[X] / 0.05;
        print_message("climbs 5 deg at dt %2.0f ms with slip %.5f, static %.5f\n", 1e3 * steps[k], slip, low);
        assert_near_rel(slip, low, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rig_meets_static),
                                       cmocka_unit_test(test_parked_wheel_stays), cmocka_unit_test(test_lets_go),
                                       cmocka_unit_test(test_free_climb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

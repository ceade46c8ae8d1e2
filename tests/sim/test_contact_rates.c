/// The memory of soil as states of a host with a solver of its own: a wheel on a spring is dropped, driven and braked.
/// Its host integrates motion and soil together by Runge-Kutta steps and finds events; the same host in steps of the
/// unit, whose laws advance their memory themselves, comes to the same end as its steps get shorter.
#include "grouser/contact.h"
#include "grouser/model.h"

#include "support/body_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOTION = 8, STATES_MAX = 600 };
enum { X, Z, ANGLE, BODY_Z, V_X, V_Z, SPIN, BODY_V_Z };

static const double WHEEL_MASS = 4, BODY_MASS = 12, INERTIA = 0.02, SPRING = 4000, DAMPER = 150, LENGTH = 0.2,
                    WEIGHT = 9.80665;
static const double RADIUS = 0.1;

typedef struct Case {
    GrSoilDef soil;
    bool flexible;
    int slices;
} Case;

typedef struct Wheel {
    GrRoverDef part;
    GrModel *m;
    GrContact *unit;
    int states;
    bool prescribed;
    long events;
} Wheel;

static void make_wheel(Wheel *w, const Case *c, bool integrates)
{
    GrErrorLog log = {0};
    *w = (Wheel){.part = gr_default_rover_def()};
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "wheel");
    body.mass = WHEEL_MASS;
    body.inertia = gr_inertia_cylinder_y(WHEEL_MASS, RADIUS, 0.08);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.body = gr_rover_add_body(&w->part, &body);
    wheel.radius = RADIUS;
    wheel.width = 0.08;
    wheel.stiffness = c->flexible ? 2e4 : (double)INFINITY;
    wheel.damping = 50;
    gr_rover_add_wheel(&w->part, &wheel);
    GrOptions options = gr_default_options();
    options.surface.soil = &c->soil;
    options.surface.slices = c->slices;
    assert_int_equal(gr_model_create(&w->part, &options, &w->m, &log), GR_OK);
    assert_int_equal(gr_contact_create(w->m, NULL, &w->unit, &log), GR_OK);
    w->states = gr_contact_state_count(w->unit);
    assert_true(w->states > 0 && w->states <= STATES_MAX);
    assert_true(!integrates || gr_contact_integrate(w->unit));
}

static void free_wheel(Wheel *w)
{
    gr_contact_free(w->unit);
    gr_model_free(w->m);
    gr_rover_free(&w->part);
}

/// Rolls out of its drop for a while, is driven, and braked until it rolls back.
static double torque_at(double time)
{
    const double driven = 3 * sin(GR_PI * (time - 0.3) / 0.5), braked = -3.5 * sin(GR_PI * (time - 0.8) / 0.4);
    return time < 0.3 ? 0 : time < 0.8 ? driven : time < 1.2 ? braked : 0;
}

/// A motion that a host prescribes: rolls with slip, and rises out of its dent and back into it.
static void prescribe(double time, double *y)
{
    const double deep = 0.02, swing = 0.012, rate = 10, slow = 5;
    memset(y, 0, sizeof *y * MOTION);
    y[Z] = RADIUS - deep - swing * sin(rate * time);
    y[V_Z] = -swing * rate * cos(rate * time);
    y[X] = 0.2 / slow * sin(slow * time);
    y[V_X] = 0.2 * cos(slow * time);
    y[ANGLE] = 2.5 / slow * sin(slow * time);
    y[SPIN] = 2.5 * cos(slow * time);
}

static GrPartMotion motion_of(const double *y)
{
    return (GrPartMotion){.pose = {{y[X], 0, y[Z]}, gr_quat_axis_angle(gr_vec3(0, 1, 0), y[ANGLE])},
                          .linear = {y[V_X], 0, y[V_Z]},
                          .angular = {0, y[SPIN], 0},
                          .angle = y[ANGLE]};
}

static double spring_of(const double *y)
{
    return SPRING * (LENGTH - (y[BODY_Z] - y[Z])) - DAMPER * (y[BODY_V_Z] - y[V_Z]);
}

/// Right-hand side of motion and memory.
static void slope_of(Wheel *w, double time, double *y, double *slope, GrPartForce *force)
{
    if (w->prescribed) {
        prescribe(time, y);
    }
    const GrPartMotion motion = motion_of(y);
    const double spring = spring_of(y);
    gr_contact_set_states(w->unit, y + MOTION);
    assert_int_equal(gr_contact_evaluate(w->unit, &motion, 0, force), GR_OK);
    gr_contact_rates(w->unit, slope + MOTION);
    memset(slope, 0, sizeof *slope * MOTION);
    if (!w->prescribed) {
        memcpy(slope, y + V_X, 4 * sizeof *y);
        slope[V_X] = force->force.x / (WHEEL_MASS + BODY_MASS);
        slope[V_Z] = (force->force.z - spring) / WHEEL_MASS - WEIGHT;
        slope[SPIN] = (force->moment.y + torque_at(time)) / INERTIA;
        slope[BODY_V_Z] = spring / BODY_MASS - WEIGHT;
    }
}

enum { STAGES = 7 };

/// Dormand and Prince's method of order 5 with its error by that of order 4.
static double step_by(Wheel *w, double time, double dt, const double *y, double *end)
{
    static const double at[STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double a[STAGES][STAGES - 1] = {
        {0},
        {0.2},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double error[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                         -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    const int n = MOTION + w->states;
    double slope[STAGES][MOTION + STATES_MAX], worst = 0;
    GrPartForce force;
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < s; k++) {
                sum += a[s][k] * slope[k][i];
            }
            end[i] = y[i] + dt * sum;
        }
        slope_of(w, time + at[s] * dt, end, slope[s], &force);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++) {
            sum += error[s] * slope[s][i];
        }
        const bool length = i == Z || i == BODY_Z;
        const double nominal = i >= MOTION ? gr_contact_state_nominal(w->unit, i - MOTION) : length ? 1e-4 : 1;
        worst = fmax(worst, fabs(dt * sum) / nominal);
    }
    return worst;
}

static GrPartForce look(Wheel *w, double time, double *y)
{
    double slope[MOTION + STATES_MAX];
    GrPartForce force;
    slope_of(w, time, y, slope, &force);
    return force;
}

static bool passes(const GrPartForce *a, const GrPartForce *b)
{
    for (int i = 0; i < a->events; i++) {
        if ((a->event[i] > 0) != (b->event[i] > 0)) {
            return true;
        }
    }
    return false;
}

static void go_on(Wheel *w, double time, double *y, GrPartForce *now)
{
    *now = look(w, time, y);
    if (gr_contact_switch(w->unit)) {
        gr_contact_states(w->unit, y + MOTION);
    }
    *now = look(w, time, y);
}

static void start(double *y)
{
    memset(y, 0, sizeof *y * (MOTION + STATES_MAX));
    y[Z] = RADIUS + 0.01;
    y[BODY_Z] = y[Z] + LENGTH;
    y[V_X] = 0.2;
    y[SPIN] = 2;
}

/// Steps with an error below `tolerance` in every state, shortened to end at events.
static void integrate(Wheel *w, double tolerance, double until, double *y)
{
    double time = 0, dt = 1e-4, end[MOTION + STATES_MAX];
    start(y);
    GrPartForce now;
    go_on(w, 0, y, &now);
    while (time < until - 1e-12) {
        double step = fmin(dt, until - time);
        const double error = step_by(w, time, step, y, end) / tolerance;
        dt = step * fmin(4, fmax(0.2, 0.9 * pow(error + 1e-10, -0.2)));
        if (error > 1) {
            continue;
        }
        GrPartForce next = look(w, time + step, end);
        const bool event = passes(&now, &next);
        double low = 0, high = step;
        while (event && high - low > 1e-11) {
            const double middle = 0.5 * (low + high);
            step_by(w, time, middle, y, end);
            next = look(w, time + middle, end);
            *(passes(&now, &next) ? &high : &low) = middle;
        }
        if (event) {
            step_by(w, time, high, y, end);
        }
        time += high;
        memcpy(y, end, sizeof end);
        if (event) {
            w->events++;
            dt = fmin(dt, 1e-4);
            go_on(w, time, y, &now);
        } else {
            now = next;
        }
    }
}

/// The same in steps of the unit, with forces at their ends.
static void step_through(Wheel *w, double dt, double until, double *y)
{
    start(y);
    const int count = (int)lround(until / dt);
    for (int k = 0; k < count; k++) {
        const GrPartMotion at = motion_of(y);
        GrPartForce f;
        assert_int_equal(gr_contact_evaluate(w->unit, &at, dt, &f), GR_OK);
        const double spring = spring_of(y), mass[3] = {WHEEL_MASS + BODY_MASS, WHEEL_MASS, INERTIA};
        const double push[3] = {f.force.x, f.force.z - spring - WHEEL_MASS * WEIGHT,
                                f.moment.y + torque_at((k + 1) * dt)};
        static const int row[3] = {3, 5, 1};
        double a[3][4];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                a[i][j] = (i == j ? mass[i] : 0) - dt * f.derivative[6 * row[i] + row[j]];
            }
            a[i][3] = dt * push[i];
        }
        for (int i = 0; i < 3; i++) {
            for (int r = 0; r < 3; r++) {
                const double by = r == i ? 0 : a[r][i] / a[i][i];
                for (int c = i; c < 4; c++) {
                    a[r][c] -= by * a[i][c];
                }
            }
        }
        y[BODY_V_Z] += dt * (spring / BODY_MASS - WEIGHT);
        y[V_X] += a[0][3] / a[0][0];
        y[V_Z] += a[1][3] / a[1][1];
        y[SPIN] += a[2][3] / a[2][2];
        y[X] += dt * y[V_X], y[Z] += dt * y[V_Z], y[ANGLE] += dt * y[SPIN], y[BODY_Z] += dt * y[BODY_V_Z];
        const GrPartMotion end = motion_of(y);
        assert_int_equal(gr_contact_accept(w->unit, &end, dt), GR_OK);
    }
}

/// The prescribed motion in steps of the unit: the force at its end.
static GrPartForce step_prescribed(Wheel *w, double dt, double until)
{
    const int count = (int)lround(until / dt);
    GrPartForce force = {0};
    for (int k = 0; k < count; k++) {
        double y[MOTION], end[MOTION];
        prescribe(k * dt, y);
        prescribe((k + 1) * dt, end);
        for (int i = 0; i < 4; i++) {
            y[V_X + i] = (end[i] - y[i]) / dt; // a step keeps its twist
        }
        const GrPartMotion at = motion_of(y);
        memcpy(end + V_X, y + V_X, 4 * sizeof *y);
        const GrPartMotion after = motion_of(end);
        assert_int_equal(gr_contact_evaluate(w->unit, &at, dt, &force), GR_OK);
        assert_int_equal(gr_contact_accept(w->unit, &after, dt), GR_OK);
    }
    return force;
}

static Case case_of(GrSoilLaw law)
{
    Case c = {.soil = gr_default_soil_def(), .slices = 1};
    c.soil.law = law;
    c.soil.damping = 200; // a host gives it, where the steps of a rover choose it by its mass
    return c;
}

static const GrSoilLaw LAWS[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_CHAIKIN,
                                 GR_SOIL_DING,       GR_SOIL_TERRA,  GR_SOIL_RFT};

enum { LAW_COUNT = sizeof LAWS / sizeof LAWS[0] };

/// Differences of the forces of steps from those of the states, over the largest load, at two times of the motion.
static double limit_error(const Case *c, double dt)
{
    static const double TIMES[2] = {0.2, 0.6}; // loaded; turned back after rising out of the dent and falling into it
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        Wheel w, own;
        double y[MOTION + STATES_MAX];
        make_wheel(&w, c, true);
        make_wheel(&own, c, false);
        w.prescribed = true;
        integrate(&w, 1e-6, TIMES[k], y);
        const GrPartForce states = look(&w, TIMES[k], y), steps = step_prescribed(&own, dt, TIMES[k]);
        assert_true(states.force.z > 20);
        worst = fmax(worst, gr_norm(gr_sub(states.force, steps.force)) / states.force.z);
        free_wheel(&w);
        free_wheel(&own);
    }
    return worst;
}

/// The states are the limit of ever shorter steps, which differ from it in proportion to their length: all laws, and
/// the first one with a vector of shear, a flexible wheel, and three slices.
static void test_limit_of_steps(void **state)
{
    (void)state;
    static const double LONG = 8e-5, SHORT = 2e-5;
    for (int k = 0; k < LAW_COUNT + 3; k++) {
        Case c = case_of(LAWS[k < LAW_COUNT ? k : 0]);
        c.soil.shear = k == LAW_COUNT ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
        c.flexible = k == LAW_COUNT + 1;
        c.slices = k == LAW_COUNT + 2 ? 3 : 1;
        const double coarse = limit_error(&c, LONG), fine = limit_error(&c, SHORT);
        print_message("case %d: steps of %g and %g s differ from the states by %.2e and %.2e\n", k, LONG, SHORT, coarse,
                      fine);
        assert_true(fine < 1e-3);
        assert_true(fine < 0.3 * coarse); // a quarter for a method of order 1
    }
}

/// Motion and memory together: the end of the drive does not depend on the solver's tolerance, and is that of the
/// host in steps.
static void test_drive(void **state)
{
    (void)state;
    static const double UNTIL = 1.4;
    for (int k = 0; k < GR_TEST_LONG(LAW_COUNT, 1); k++) {
        const Case c = case_of(LAWS[k]);
        double ends[3][MOTION + STATES_MAX];
        long events = 0;
        for (int i = 0; i < 3; i++) {
            Wheel w;
            make_wheel(&w, &c, i < 2);
            if (i < 2) {
                integrate(&w, i == 0 ? 1e-5 : 1e-7, UNTIL, ends[i]);
            } else {
                step_through(&w, 2e-5, UNTIL, ends[i]);
            }
            events = w.events > events ? w.events : events;
            free_wheel(&w);
        }
        print_message("law %d: x %.6f, %.6f, in steps %.6f m; z %.6f, %.6f, %.6f m; %ld events\n", k, ends[0][X],
                      ends[1][X], ends[2][X], ends[0][Z], ends[1][Z], ends[2][Z], events);
        assert_near(ends[0][X], ends[1][X], 2e-5);
        assert_near(ends[0][Z], ends[1][Z], 2e-6);
        assert_near(ends[2][X], ends[1][X], 1e-3);
        assert_near(ends[2][Z], ends[1][Z], 5e-5);
        assert_true(events >= 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limit_of_steps), cmocka_unit_test(test_drive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/// Springs, stops, friction and motors against closed forms, with every integrator that supports them.
#include "data.h"
#include "test.h"

static const double BASE_MASS = 1e9; // as good as fixed
static const double INERTIA = 0.5;   // of the wheel about its axle [kg m²]

/// A heavy base and one wheel about y through its centre of mass, or a slider along x.
static GrRoverDef one_joint(GrJointKind kind)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef base = gr_default_body_def(), wheel = gr_default_body_def();
    snprintf(base.name, sizeof base.name, "base");
    base.mass = BASE_MASS;
    base.inertia = gr_inertia_sphere(BASE_MASS, 10);
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.mass = INERTIA;
    wheel.inertia = (GrSym3){INERTIA, INERTIA, INERTIA, 0, 0, 0};
    gr_rover_add_body(&rover, &base);
    gr_rover_add_body(&rover, &wheel);
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "joint");
    joint.kind = kind;
    joint.child = 1;
    joint.axis = kind == GR_JOINT_REVOLUTE ? gr_vec3(0, 1, 0) : gr_vec3(1, 0, 0);
    gr_rover_add_joint(&rover, &joint);
    return rover;
}

typedef struct Bench {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Bench;

static Bench make(GrRoverDef rover, GrIntegrator integrator, double step)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.step = step;
    Bench b = {.rover = rover};
    assert_int_equal(gr_model_create(&b.rover, &options, &b.m, NULL), GR_OK);
    assert_int_equal(gr_data_create(b.m, &b.d, NULL), GR_OK);
    return b;
}

static void destroy(Bench *b)
{
    gr_data_free(b->d);
    gr_model_free(b->m);
    gr_rover_free(&b->rover);
}

static void run(Bench *b, double duration)
{
    const int steps = (int)lround(duration / b->m->options.step);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(b->m, b->d), GR_OK);
    }
}

static double position(const Bench *b)
{
    return gr_data_joint_position(b->m, b->d, 0);
}

static double velocity(const Bench *b)
{
    return gr_data_joint_velocity(b->m, b->d, 0);
}

/// An external force on the joint.
static void push(Bench *b, double torque)
{
    b->d->tree.applied[GR_BASE_DOF] = torque;
}

static const struct {
    GrIntegrator kind;
    double step;
    double tolerance; // of a solution of size 1
} INTEGRATORS[] = {{GR_INTEGRATOR_LINEAR, 1e-4, 2e-3},
                   {GR_INTEGRATOR_EULER, 1e-4, 2e-3},
                   {GR_INTEGRATOR_BEEMAN, 1e-3, 1e-5},
                   {GR_INTEGRATOR_CVODE, 0.1, 1e-7}};

/// The last one needs SUNDIALS.
static int integrator_count(void)
{
    return gr_integrator_is_built(GR_INTEGRATOR_CVODE) ? 4 : 3;
}

static void test_damped_spring(void **state)
{
    (void)state;
    const double k = 8, c = 1;
    const double decay = c / (2 * INERTIA), omega = sqrt(k / INERTIA - decay * decay);
    for (int kind = GR_JOINT_REVOLUTE; kind <= GR_JOINT_PRISMATIC; kind++) {
        for (int i = 0; i < integrator_count(); i++) {
            GrRoverDef rover = one_joint((GrJointKind)kind);
            rover.joints[0].stiffness = k;
            rover.joints[0].damping = c;
            rover.joints[0].rest = 0.2;
            rover.joints[0].initial = 1.2;
            Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
            run(&b, 1);
            const double exact = 0.2 + exp(-decay) * (cos(omega) + decay / omega * sin(omega));
            assert_near(position(&b), exact, INTEGRATORS[i].tolerance);
            destroy(&b);
        }
    }
}

/// A joint driven against its stop rests where stop force and torque balance, and bounces off without being held.
static void test_end_stop_holds_and_lets_go(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].lower = -0.3;
        rover.joints[0].upper = 0.5;
        rover.joints[0].stop_stiffness = 1e4;
        rover.joints[0].stop_damping = 100;
        Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        push(&b, 2);
        run(&b, 5);
        assert_near(position(&b), 0.5 + 2 / 1e4, 1e-7);
        push(&b, -2);
        run(&b, 5);
        assert_near(position(&b), -0.3 - 2 / 1e4, 1e-7);
        push(&b, 0.5);
        run(&b, 0.1);
        const double leaving = 0.5 / INERTIA * 0.1;           // a stop that pulled would slow it down,
        const double rebound = 2 / 1e4 * sqrt(1e4 / INERTIA); // its spring gives back at most this
        assert_true(velocity(&b) > leaving - 1e-6 && velocity(&b) < leaving + rebound);
        destroy(&b);
    }
}

/// Friction slows a spinning joint by friction/inertia, stops it, and holds it there.
static void test_friction_stops_and_holds(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].friction = 0.5;
        rover.joints[0].friction_travel = 1e-3;
        rover.joints[0].damping = 0.01; // settles the elastic travel
        Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        gr_data_set_joint(b.m, b.d, 0, 0, 2);
        run(&b, 1);
        const double damped = 0.01 / INERTIA; // v' = −friction/I − damped v
        assert_near(velocity(&b), (2 + 1 / damped) * exp(-damped) - 1 / damped, 5e-3);
        run(&b, 4);
        const double distance = 2 / damped - 1 / (damped * damped) * log(1 + 2 * damped);
        assert_near(position(&b), distance, 5e-3);
        push(&b, 0.45); // less than the friction: holds
        run(&b, 30);
        const double held = position(&b);
        run(&b, 30);
        assert_near(position(&b), held, 1e-6);
        push(&b, 0.6); // more: friction breaks away
        run(&b, 2);
        assert_true(position(&b) > held + 0.1);
        destroy(&b);
    }
}

/// A joint shaken below its friction limit for a long time must not drift. Large steps of the implicit integrator.
static void test_friction_does_not_ratchet(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 5e-3, 20e-3};
    for (int i = 0; i < 3; i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].friction = 0.5;
        Bench b = make(rover, GR_INTEGRATOR_LINEAR, steps[i]);
        double first = 0;
        for (int k = 0; k < (int)(60 / steps[i]); k++) {
            push(&b, 0.3 + 0.15 * sin(2 * 3.14159265358979 * gr_data_time(b.d)));
            assert_int_equal(gr_step(b.m, b.d), GR_OK);
            if (k == (int)(10 / steps[i]) - 1) {
                first = position(&b);
            }
        }
        assert_near(position(&b), first, 1e-9);
        destroy(&b);
    }
}

static void test_ideal_speed_motor(void **state)
{
    (void)state;
    const GrIntegrator names[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER, GR_INTEGRATOR_BEEMAN, GR_INTEGRATOR_CVODE};
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_SPEED;
        rover.joints[0].damping = 0.25;
        Bench b = make(rover, names[i], 1e-2);
        gr_data_set_command(b.m, b.d, 0, 1.5);
        run(&b, 1);
        assert_near(velocity(&b), 1.5, 1e-12);
        assert_near(position(&b), 1.5, 0.02);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), 0.25 * 1.5, 1e-9); // what the damper takes
        destroy(&b);
    }
}

/// τ = kp (c − v): exponential approach; with an integral the last error against a load vanishes.
static void test_speed_controller(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_PID;
        rover.joints[0].motor.kp = 2;
        rover.joints[0].motor.kd = 0.1; // acts as inertia
        Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        gr_data_set_command(b.m, b.d, 0, 1);
        run(&b, 0.5);
        const double per_second = 2 / (INERTIA + 0.1), left = exp(-0.5 * per_second);
        assert_near(velocity(&b), 1 - left, INTEGRATORS[i].tolerance);
        // The torque is what accelerates the wheel, I v'. Integrators of higher order report its mean over the step.
        const bool mean = INTEGRATORS[i].kind == GR_INTEGRATOR_CVODE || INTEGRATORS[i].kind == GR_INTEGRATOR_BEEMAN;
        const double before = mean ? exp(INTEGRATORS[i].step * per_second) : 1;
        const double torque = INERTIA * per_second * 0.5 * (1 + before) * left;
        assert_near(gr_data_motor_torque(b.m, b.d, 0), torque, 2 * INTEGRATORS[i].tolerance);
        destroy(&b);

        rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_PID;
        rover.joints[0].motor.kp = 2;
        rover.joints[0].motor.ki = 5;
        b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        gr_data_set_command(b.m, b.d, 0, 1);
        push(&b, -0.7);
        run(&b, 20);
        assert_near(velocity(&b), 1, 1e-6);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), 0.7, 1e-5);
        destroy(&b);
    }
}

/// One long step of a stiff, strongly damped joint is backward Euler's: v' = (v − dt k q/I)/(1 + dt c/I + dt² k/I).
static void test_stiff_step(void **state)
{
    (void)state;
    const double k = 4e3, c = 300, q = 0.02, v = -0.5, steps[] = {0.001, 0.02, 0.5};
    for (int i = 0; i < 3; i++) {
        const double dt = steps[i];
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].stiffness = k;
        rover.joints[0].damping = c;
        Bench b = make(rover, GR_INTEGRATOR_LINEAR, dt);
        gr_data_set_joint(b.m, b.d, 0, q, v);
        run(&b, dt);
        const double end = (v - dt * k * q / INERTIA) / (1 + dt * c / INERTIA + dt * dt * k / INERTIA);
        assert_near_rel(velocity(&b), end, 1e-6);
        assert_near(position(&b), q + dt * end, 1e-9);
        destroy(&b);
    }
}

/// A load holds a motor at its limit for long; its integral does not grow meanwhile, so that the wheel keeps its speed
/// once the load is gone.
static void test_no_winding_up(void **state)
{
    (void)state;
    GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
    rover.joints[0].damping = 10;
    rover.joints[0].motor.kind = GR_MOTOR_PID;
    rover.joints[0].motor.kp = 50;
    rover.joints[0].motor.ki = 20;
    rover.joints[0].motor.torque_limit = 30;
    Bench b = make(rover, GR_INTEGRATOR_LINEAR, 1e-3);
    gr_data_set_command(b.m, b.d, 0, 1);
    push(&b, -60);
    run(&b, 20);
    assert_near(gr_data_motor_torque(b.m, b.d, 0), 30, 1e-12);
    assert_near(velocity(&b), -3, 1e-6); // (30 − 60)/10
    push(&b, 0);
    double fastest = 0;
    for (int i = 0; i < 5000; i++) {
        run(&b, 1e-3);
        fastest = fmax(fastest, velocity(&b));
    }
    print_message("fastest %.4f rad/s\n", fastest);
    assert_true(fastest < 1.05);
    destroy(&b);
}

/// A saturated motor gives exactly its limit, and does not chatter at its target: stiff gain, large steps.
static void test_torque_limit(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 5e-3, 20e-3};
    for (int i = 0; i < 3; i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_PID;
        rover.joints[0].motor.kp = 1000;
        rover.joints[0].motor.torque_limit = 2;
        Bench b = make(rover, GR_INTEGRATOR_LINEAR, steps[i]);
        gr_data_set_command(b.m, b.d, 0, 1);
        run(&b, 0.2);
        assert_near(velocity(&b), 2 / INERTIA * 0.2, 1e-9);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), 2, 1e-12);
        run(&b, 0.2);
        for (int k = 0; k < 20; k++) {
            run(&b, steps[i]);
            assert_near(velocity(&b), 1, 1e-6);
            assert_near(gr_data_motor_torque(b.m, b.d, 0), 0, 1e-3);
        }
        destroy(&b);
    }
}

/// Full voltage: torque falls on the line stall .. no-load, so v = v0 (1 − exp(−t stall/(v0 I))); a load holds it
/// there.
static void test_dc_motor(void **state)
{
    (void)state;
    const double stall = 3, no_load = 4;
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_DC;
        rover.joints[0].motor.kp = 100;
        rover.joints[0].motor.stall_torque = stall;
        rover.joints[0].motor.no_load_speed = no_load;
        Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        gr_data_set_command(b.m, b.d, 0, 10); // out of reach
        run(&b, 0.4);
        assert_near(velocity(&b), no_load * (1 - exp(-0.4 * stall / (no_load * INERTIA))),
                    2 * INTEGRATORS[i].tolerance);
        push(&b, -1);
        run(&b, 20);
        assert_near(velocity(&b), no_load * (1 - 1 / stall), 1e-4);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), 1, 1e-4);
        destroy(&b);
    }
}

static void test_steering_servo(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count(); i++) {
        GrRoverDef rover = one_joint(GR_JOINT_REVOLUTE);
        rover.joints[0].motor.kind = GR_MOTOR_POSITION;
        rover.joints[0].motor.kp = 50;
        rover.joints[0].motor.kd = 5;
        rover.joints[0].motor.ki = 40;
        rover.joints[0].motor.torque_limit = 20;
        Bench b = make(rover, INTEGRATORS[i].kind, INTEGRATORS[i].step);
        gr_data_set_command(b.m, b.d, 0, 0.4);
        push(&b, 3);
        run(&b, 20);
        assert_near(position(&b), 0.4, 1e-6);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), -3, 1e-4);
        push(&b, 25); // stronger than the servo
        run(&b, 0.5);
        assert_true(position(&b) > 0.9);
        assert_near(gr_data_motor_torque(b.m, b.d, 0), -20, 1e-9);
        destroy(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damped_spring),
        cmocka_unit_test(test_end_stop_holds_and_lets_go),
        cmocka_unit_test(test_friction_stops_and_holds),
        cmocka_unit_test(test_friction_does_not_ratchet),
        cmocka_unit_test(test_ideal_speed_motor),
        cmocka_unit_test(test_speed_controller),
        cmocka_unit_test(test_stiff_step),
        cmocka_unit_test(test_no_winding_up),
        cmocka_unit_test(test_torque_limit),
        cmocka_unit_test(test_dc_motor),
        cmocka_unit_test(test_steering_servo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

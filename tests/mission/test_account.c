/// The energy account of a mission: motors that keep their speed, and steering.
#include "mission_data.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double EARTH = 9.80665;

typedef struct Drive {
    GrRoverDef rover;
    GrModel *m;
    GrMission *mission;
} Drive;

static Drive make(const char *name, bool ideal, GrIntegrator integrator, const GrMissionDef *def)
{
    Drive v = {.rover = gr_default_rover_def()};
    GrErrorLog log = {0};
    load_rover(name, &v.rover);
    if (ideal) {
        make_motors_ideal(&v.rover);
    }
    GrSoilDef soil = gr_default_soil_def();
    soil.damping = 400;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -EARTH);
    options.surface.soil = &soil;
    options.integrator = integrator;
    assert_int_equal(gr_model_create(&v.rover, &options, &v.m, &log), GR_OK);
    assert_int_equal(gr_mission_create(v.m, NULL, def, &v.mission, &log), GR_OK);
    assert_int_equal(gr_mission_place(v.mission, &(GrStart){0}, NULL), GR_OK);
    return v;
}

static void destroy(Drive *v)
{
    gr_mission_free(v->mission);
    gr_model_free(v->m);
    gr_rover_free(&v->rover);
}

/// Motors that keep their speed do the work ∫ torque · speed dt of what they report, and nothing is lost in joints that
/// have neither damping nor friction.
static void test_ideal_motors(void **state)
{
    (void)state;
    static const GrIntegrator integrators[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER};
    for (int k = 0; k < 2; k++) {
        static const GrScriptEntry ahead = {.command = {.mode = GR_DRIVE_SKID, .speed = 0.05}};
        GrMissionDef def = gr_default_mission_def();
        def.duration = 8;
        def.control.source = GR_CONTROL_SCRIPT;
        def.control.script = &ahead;
        def.control.script_count = 1;
        def.pace = GR_PACE_FIXED;
        def.step = 0.002;
        Drive v = make("rashid_like", true, integrators[k], &def);
        double work = 0, last[GR_DRIVE_WHEELS_MAX] = {0};
        while (v.mission->s.outcome == GR_OUTCOME_RUNNING) {
            gr_mission_step(v.mission, def.duration);
            for (int i = 0; i < v.m->wheel_count; i++) {
                const int b = v.m->wheels[i].body;
                const double rate = gr_joint_velocity(&v.m->tree, &v.mission->d->tree, b);
                work += def.step * v.mission->d->tree.motor_torque[b] * 0.5 * (rate + last[i]);
                last[i] = rate;
            }
        }
        GrRunSummary sum;
        assert_int_equal(gr_mission_summary(v.mission, &sum, NULL), GR_OK);
        print_message("%s: motors %.6f J, ∫ torque · speed %.6f J, joints %.2g J, residual %.2g J\n",
                      gr_integrator_name(integrators[k]), sum.energy.motor, work, sum.energy.joints,
                      sum.energy.residual);
        assert_true(sum.energy.motor > 0.5);
        assert_near_rel(sum.energy.motor, work, 1e-9);
        assert_near(sum.energy.joints, 0, 1e-9);
        assert_near(sum.energy.residual, 0, 1e-6);
        assert_int_equal(sum.warning_count, 0);
        gr_run_summary_free(&sum);
        destroy(&v);
    }
}

/// What steering takes does not depend on the step: commands come as ramps, so that nothing happens within
/// milliseconds.
static void test_steering(void **state)
{
    (void)state;
    static const GrScriptEntry script[] = {
        {.time = 0, .command = {.mode = GR_DRIVE_ACKERMANN, .speed = 0.05}},
        {.time = 2, .command = {.mode = GR_DRIVE_ACKERMANN, .speed = 0.05, .curvature = 0.4}},
        {.time = 7, .command = {.mode = GR_DRIVE_ACKERMANN, .speed = 0.05, .curvature = -0.4}},
        {.time = 12, .command = {.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.05}},
    };
    static const char *const rovers[] = {"el_dorado2", "curiosity_like"};
    for (int r = 0; r < 2; r++) {
        double electric[2];
        for (int k = 0; k < 2; k++) {
            GrMissionDef def = gr_default_mission_def();
            def.duration = GR_TEST_LONG(20, 6);
            def.control.source = GR_CONTROL_SCRIPT;
            def.control.script = script;
            def.control.script_count = 4;
            def.pace = k == 0 ? GR_PACE_HUB : GR_PACE_FIXED;
            def.step = 0.001;
            Drive v = make(rovers[r], false, GR_INTEGRATOR_LINEAR, &def);
            gr_mission_advance(v.mission, def.duration);
            electric[k] = v.mission->s.account.electric;
            destroy(&v);
        }
        print_message("%s: electric %.4f J at the default pace, %.4f J at 1 ms\n", rovers[r], electric[0], electric[1]);
        assert_near_rel(electric[0], electric[1], 0.01);
    }
}

/// A free body, and a wheel of inertia INERTIA about y in it that a motor turns.
static const double MASS = 8, INERTIA = 0.5, FORCE = 4; // [kg, kg m², N]

static GrRoverDef body_with_wheel(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef base = gr_default_body_def(), wheel = gr_default_body_def();
    snprintf(base.name, sizeof base.name, "base");
    base.mass = MASS - 1;
    base.inertia = gr_inertia_sphere(1e9, 1); // the motor does not turn it
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.mass = 1;
    wheel.inertia = (GrSym3){INERTIA, INERTIA, INERTIA, 0, 0, 0};
    gr_rover_add_body(&rover, &base);
    gr_rover_add_body(&rover, &wheel);
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "axle");
    joint.kind = GR_JOINT_REVOLUTE;
    joint.child = 1;
    joint.axis = gr_vec3(0, 1, 0);
    joint.motor.kind = GR_MOTOR_PID;
    joint.motor.kp = 20;
    gr_rover_add_joint(&rover, &joint);
    return rover;
}

static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)context;
    (void)dt;
    gr_data_add_wrench(m, d, 0, gr_data_base_pose(d).position, gr_vec3(FORCE, 0, 0), gr_vec3(0, 0, 0));
}

/// A constant force F on a body at rest does the work (F t)²/(2 m), with every integrator and whatever its steps: its
/// power grows linearly. Motors that speed a wheel up and stop it again do no work in all; what they gave while they
/// drove is I ω²/2.
static void test_closed_forms(void **state)
{
    (void)state;
    static const GrIntegrator integrators[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER, GR_INTEGRATOR_BEEMAN,
                                               GR_INTEGRATOR_CVODE};
    for (int k = 0; k < 4; k++) {
        if (!gr_integrator_is_built(integrators[k])) {
            continue;
        }
        GrRoverDef rover = body_with_wheel();
        GrOptions options = gr_default_options();
        options.gravity = gr_vec3(0, 0, 0);
        options.integrator = integrators[k];
        GrModel *m = NULL;
        assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        gr_data_set_force(d, push, NULL);
        assert_int_equal(gr_forward(m, d), GR_OK);
        GrAccount account;
        double drive[1];
        gr_account_open(m, d, &account);
        const double dt = 1e-3;
        const int steps = 2000;
        for (int i = 0; i < steps; i++) { // 40 time constants each
            gr_data_set_command(m, d, 0, i < steps / 2 ? 3 : 0);
            assert_int_equal(gr_step_by(m, d, dt), GR_OK);
            gr_account_step(m, d, dt, &account, drive);
        }
        const double impulse = FORCE * dt * steps, spun = 0.5 * INERTIA * 3 * 3;
        print_message("%s: work of the force %.9g J, of the motor %.3g J, %.6g J while it drove (%.6g)\n",
                      gr_integrator_name(integrators[k]), account.contact, account.motor, account.electric, spun);
        assert_near_rel(account.contact, impulse * impulse / (2 * MASS), 1e-6);
        assert_near(account.motor, 0, 1e-3);
        assert_near(account.electric, spun, 1e-3);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_motors),
        cmocka_unit_test(test_steering),
        cmocka_unit_test(test_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

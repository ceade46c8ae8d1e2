/// Parts of a rover that touch each other: where they stop, their forces, and that they do not move the rover.
#include "account.h"
#include "mission_data.h"
#include "scenario_data.h"
#include "test.h"

static const double RADIUS = 0.05;   // of the spheres at the ends of sliders and legs [m]
static const double APART = 0.1;     // of their guides or shoulders from the middle [m]
static const double LENGTH = 0.3;    // of a leg [m]
static const double HEAVY = 3;       // mass of the right limb over that of the left one
static const double ROUNDING = 1e-9; // of what momentum and force go back and forth

/// Driven bodies of the rigid world, behind the base.
enum { LEFT = 1, RIGHT = 2 };

typedef struct Rig {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
    GrErrorLog log;
} Rig;

/// A body of a sphere at `at`, and a joint that carries it `side` of the middle.
static void add_limb(GrRoverDef *rover, const char *name, double side, GrVec3 at, double mass, const GrJointDef *like)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "%s", name);
    body.mass = mass;
    body.com = at;
    body.inertia = gr_inertia_sphere(body.mass, RADIUS);
    GrShapeDef shape = gr_default_shape_def();
    shape.kind = GR_SHAPE_SPHERE;
    shape.radius = RADIUS;
    shape.pose.position = at;
    assert_true(gr_body_add_shape(&body, &shape) >= 0);
    GrJointDef joint = *like;
    snprintf(joint.name, sizeof joint.name, "%s", name);
    joint.child = gr_rover_add_body(rover, &body);
    joint.pose.position.x = side * APART;
    assert_true(gr_rover_add_joint(rover, &joint) >= 0);
}

/// Two limbs on a base, with spheres at at[0] and at[1], far above the ground; the right one is `heavy` times as heavy
/// as the left one.
static Rig make(const GrJointDef *left, const GrJointDef *right, const GrVec3 *at, double heavy,
                GrIntegrator integrator, const GrMaterial *material)
{
    Rig rig = {.rover = gr_default_rover_def()};
    GrBodyDef base = gr_default_body_def();
    snprintf(base.name, sizeof base.name, "base");
    base.mass = 5;
    base.inertia = gr_inertia_box(5, gr_vec3(0.4, 0.3, 0.2));
    GrShapeDef box = gr_default_shape_def();
    box.kind = GR_SHAPE_BOX;
    box.size = gr_vec3(0.1, 0.1, 0.1);
    box.pose.position.z = 0.5;
    assert_true(gr_body_add_shape(&base, &box) >= 0);
    assert_int_equal(gr_rover_add_body(&rig.rover, &base), 0);
    add_limb(&rig.rover, "left", -1, at[0], 1, left);
    add_limb(&rig.rover, "right", 1, at[1], heavy, right);
    GrSceneDef scene = gr_default_scene_def();
    scene.materials[0] = *material;
    scene.rigid_ground = true;
    scene.self_contact = true;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.surface.scene = &scene;
    assert_int_equal(gr_model_create(&rig.rover, &options, &rig.m, &rig.log), GR_OK);
    assert_int_equal(gr_data_create(rig.m, &rig.d, NULL), GR_OK);
    gr_data_set_base_pose(rig.d, (GrPose){{0, 0, 10}, {1, 0, 0, 0}});
    gr_scene_def_free(&scene);
    return rig;
}

static void destroy(Rig *rig)
{
    gr_data_free(rig->d);
    gr_model_free(rig->m);
    gr_rover_free(&rig->rover);
}

static GrJointDef slider(GrMotorKind kind)
{
    GrJointDef joint = gr_default_joint_def();
    joint.kind = GR_JOINT_PRISMATIC;
    joint.axis = gr_vec3(1, 0, 0);
    joint.motor.kind = kind;
    joint.motor.torque_limit = INFINITY;
    return joint;
}

static GrJointDef shoulder(void)
{
    GrJointDef joint = gr_default_joint_def();
    joint.kind = GR_JOINT_REVOLUTE;
    joint.axis = gr_vec3(0, 1, 0);
    joint.motor.kind = GR_MOTOR_TORQUE;
    joint.motor.torque_limit = INFINITY;
    joint.damping = 2;
    return joint;
}

static double momentum_change(const GrBalance *a, const GrBalance *b)
{
    return gr_norm(gr_sub(a->linear, b->linear)) + gr_norm(gr_sub(a->angular, b->angular));
}

/// Two sliders that meet, off their middles and with friction: the speeds after are those of the restitution, and the
/// momentum is that before. Sliders have a constant mass matrix as long as nothing turns, so that the momentum is exact
/// at every step length.
static void test_head_on(void **state)
{
    (void)state;
    const double asked = 0.5, tolerance = 0.01; // of the law's damping against the step
    static const GrIntegrator integrators[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER, GR_INTEGRATOR_BEEMAN};
    GrMaterial material = gr_default_material();
    material.restitution = asked;
    const GrJointDef joint = slider(GR_MOTOR_NONE);
    for (int k = 0; k < 3; k++) {
        Rig rig =
            make(&joint, &joint, (GrVec3[]){gr_vec3(0, 0, 0), gr_vec3(0, 0, 0)}, HEAVY, integrators[k], &material);
        gr_data_set_joint(rig.m, rig.d, 0, 0, 0.3);
        gr_data_set_joint(rig.m, rig.d, 1, 0, -0.2);
        const GrBalance before = gr_balance(rig.m, rig.d);
        bool touched = false;
        for (int i = 0; i < 20000; i++) {
            assert_int_equal(gr_step_by(rig.m, rig.d, 5e-5), GR_OK);
            touched = touched || rig.d->self_contact[LEFT].count > 0;
        }
        const double after = gr_data_joint_velocity(rig.m, rig.d, 1) - gr_data_joint_velocity(rig.m, rig.d, 0);
        const GrBalance end = gr_balance(rig.m, rig.d);
        print_message("%s: %.5f m/s after 0.5 m/s before, momentum off by %.2g kg m/s\n",
                      gr_integrator_name(integrators[k]), after, momentum_change(&before, &end));
        assert_true(touched);
        assert_near(after, asked * 0.5, tolerance);
        assert_near(momentum_change(&before, &end), 0, ROUNDING * gr_norm(before.linear));
        destroy(&rig);
    }
}

/// Legs of different masses that cross, one beside the other: oblique, rubbing, and everything turns. In every step the
/// momentum changes by nothing but what the integrator makes of the motion: all wrenches, as they acted in the step,
/// sum to nothing, and so does M u̇ + bias of the base.
static void test_momentum(void **state)
{
    (void)state;
    const GrMaterial material = gr_default_material();
    const GrJointDef joint = shoulder();
    Rig rig = make(&joint, &joint, (GrVec3[]){gr_vec3(0, 0.03, -LENGTH), gr_vec3(0.01, -0.02, -LENGTH - 0.01)}, HEAVY,
                   GR_INTEGRATOR_LINEAR, &material);
    double largest = 0, worst = 0;
    gr_data_set_command(rig.m, rig.d, 0, -4);
    gr_data_set_command(rig.m, rig.d, 1, 4);
    gr_data_set_base_velocity(rig.d, gr_vec3(0.1, -0.2, 0.3), gr_vec3(0.4, -0.5, 0.6));
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(gr_step_by(rig.m, rig.d, 1e-3), GR_OK);
        const GrTreeData *tree = &rig.d->tree;
        if (tree->pair_count[0] == 0) {
            continue;
        }
        double rate = 0;
        GrWrench sum = {{0, 0, 0}, {0, 0, 0}};
        for (int b = 0; b < rig.m->tree.body_count; b++) {
            sum = gr_wrench_add(sum, tree->wrench[b]);
        }
        rate = gr_norm(sum.force) + gr_norm(sum.moment);
        for (int r = 0; r < GR_BASE_DOF; r++) {
            double row = tree->bias[r];
            for (int c = 0; c < rig.m->tree.dof_count; c++) {
                const GrPaths *paths = &rig.m->tree.paths;
                const int low = r > c ? r : c, high = r > c ? c : r; // the base is at the top of every path
                row += tree->mass[paths->start[low] + paths->depth[high]] * tree->acceleration[c];
            }
            rate = fmax(rate, fabs(row));
        }
        worst = fmax(worst, rate);
        largest = fmax(largest, gr_norm(tree->pair[0].wrench.force));
    }
    print_message("momentum changes by %.2g N in steps with forces up to %.3g N\n", worst, largest);
    assert_true(largest > 5);
    assert_near(worst, 0, ROUNDING * largest);
    destroy(&rig);
}

/// A servo swings a leg onto one that a locked motor holds. It stops where the distance of the spheres' middles is 2 r,
/// but for the depth of Hertz's law; the force there is the motor's torque over its lever arm, and the locked motor
/// takes the same force at its own.
static void test_stop(void **state)
{
    (void)state;
    const double stiffness = 20, target = 1, geometry = 1e-7, balance = 1e-6, rest = 1e-9;
    GrMaterial material = gr_default_material();
    material.young = 1e9;
    material.friction = 0;
    GrJointDef held = shoulder(), swings = shoulder();
    held.motor.kind = GR_MOTOR_SPEED;
    swings.motor.kind = GR_MOTOR_POSITION;
    swings.motor.kp = stiffness;
    const GrVec3 tip = {0, 0, -LENGTH};
    Rig rig = make(&held, &swings, (GrVec3[]){tip, tip}, 1, GR_INTEGRATOR_LINEAR, &material);
    gr_data_set_command(rig.m, rig.d, 1, target); // about y: to the left
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(gr_step_by(rig.m, rig.d, 1e-3), GR_OK);
    }
    assert_near(gr_data_joint_velocity(rig.m, rig.d, 1), 0, rest);
    const double angle = gr_data_joint_position(rig.m, rig.d, 1), torque = gr_data_motor_torque(rig.m, rig.d, 1);
    assert_near_rel(torque, stiffness * (target - angle), balance);
    // from the middle of the left sphere to that of the right one, in x and z of the base
    const double dx = 2 * APART - LENGTH * sin(angle), dz = LENGTH * (1 - cos(angle)), distance = hypot(dx, dz);
    // levers of a force along it about both shoulders, at (∓APART, 0); both spheres hang from theirs
    const double right = fabs(LENGTH * (cos(angle) * dx - sin(angle) * dz)) / distance, left = LENGTH * dx / distance;
    const double force = torque / right;
    // two equal spheres: F = 4/3 E* √R δ^1.5, E* = E/(2 (1 − ν²)), R = r/2
    const double hertz = 4.0 / 3 * material.young / (2 * (1 - material.poisson * material.poisson)) * sqrt(RADIUS / 2);
    const double depth = pow(force / hertz, 2.0 / 3);
    print_message("stops at %.6f°, force %.6f N, depth %.3g m\n", angle * 57.29578,
                  gr_norm(rig.d->self_contact[LEFT].force), depth);
    assert_near(distance, 2 * RADIUS - depth, geometry);
    assert_near_rel(gr_norm(rig.d->self_contact[LEFT].force), force, balance);
    assert_near_rel(gr_norm(rig.d->self_contact[RIGHT].force), force, balance);
    assert_near_rel(fabs(gr_data_motor_torque(rig.m, rig.d, 0)), force * left, balance);
    assert_int_equal(rig.d->rigid_contact[LEFT].count, 0); // nothing but the rover itself
    destroy(&rig);
}

/// The energy of a crash: what the motion loses is booked as lost in contacts.
static void test_energy(void **state)
{
    (void)state;
    const double allowed = 0.01; // of the energy turned over, as missions warn of
    const GrMaterial material = gr_default_material();
    GrJointDef joint = shoulder();
    joint.damping = 0;
    Rig rig = make(&joint, &joint, (GrVec3[]){gr_vec3(0, 0.02, -LENGTH), gr_vec3(0, -0.02, -LENGTH)}, HEAVY,
                   GR_INTEGRATOR_LINEAR, &material);
    gr_data_set_joint(rig.m, rig.d, 0, 0, -1);
    gr_data_set_joint(rig.m, rig.d, 1, 0, 1);
    const GrBalance first = gr_balance(rig.m, rig.d);
    GrAccount account;
    double drive[1];
    gr_account_open(rig.m, rig.d, &account);
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(gr_step_by(rig.m, rig.d, 1e-4), GR_OK);
        gr_account_step(rig.m, rig.d, 1e-4, &account, drive);
    }
    const GrBalance last = gr_balance(rig.m, rig.d);
    const GrEnergySample e = gr_account_balance(&account, last.kinetic, last.gravity, last.spring);
    print_message("%.4g J before, %.4g J after, %.4g J lost in contact, residual %.2g J\n", first.kinetic, last.kinetic,
                  e.soil, e.residual);
    assert_true(e.soil > 0.1 * first.kinetic);
    assert_near(e.residual, 0, allowed * first.kinetic);
    destroy(&rig);
}

/// Bodies that a joint joins and those that overlap at the start do not touch, and the log says so.
static void test_left_out(void **state)
{
    (void)state;
    const GrMaterial material = gr_default_material();
    const GrJointDef joint = slider(GR_MOTOR_NONE);
    Rig rig = make(&joint, &joint, (GrVec3[]){gr_vec3(0.08, 0, 0), gr_vec3(-0.08, 0, 0)}, HEAVY, GR_INTEGRATOR_LINEAR,
                   &material);
    assert_int_equal(rig.m->tree.pair_capacity, 0);
    bool joined = false, inside = false, none = false;
    for (int i = 0; i < rig.log.count; i++) {
        const GrError *e = &rig.log.items[i];
        joined = joined || (e->severity == GR_SEVERITY_INFO && strstr(e->text, "base - left") != NULL);
        inside = inside || (e->severity == GR_SEVERITY_INFO && strstr(e->text, "left - right") != NULL);
        none = none || (e->severity == GR_SEVERITY_WARNING && strstr(e->text, "has no effect") != NULL);
    }
    assert_true(joined && inside && none);
    gr_data_set_joint(rig.m, rig.d, 0, 0, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gr_step_by(rig.m, rig.d, 1e-3), GR_OK);
    }
    assert_near(gr_data_joint_velocity(rig.m, rig.d, 0), 1, 1e-12);
    destroy(&rig);
}

/// The shipped scenario: wheels on legs that turn towards each other meet where the rims do, and servos at the limit of
/// their torque press them together with torque over lever arm.
static void test_clash(void **state)
{
    (void)state;
    // of mmx_like: shoulders, legs, tips of grousers [m], torque limit [N m]; of the script: 45° in 60 s from 20 s on
    const double shoulder_x = 0.13, leg = 0.17, rim = 0.112, limit = 40, begin = 20, rate = 0.75;
    const double lag = 0.3;        // [s] of the servo, 0.2° as in deploy
    const double softness = 0.005; // relative, of the force: rims of 1e7 Pa deflect, and the legs press on
    const double residual = 0.01;  // of the work, as missions warn of
    const double angle = asin((shoulder_x - rim) / leg);
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary sum;
    assert_int_equal(gr_scenario_load("deploy_clash", NULL, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_mission_advance(world->mission, 100), GR_OUTCOME_RUNNING);
    assert_int_equal(gr_mission_summary(world->mission, &sum, NULL), GR_OK);
    assert_int_equal(sum.self_contact_count, 1);
    const GrSelfContact *c = &sum.self_contacts[0];
    print_message("%s - %s at %.2f s, %.1f N; closed form %.2f s, %.1f N\n", c->a, c->b, c->first, c->force_max,
                  begin + angle * 57.29578 / rate, limit / (leg * cos(angle)));
    assert_string_equal(c->a, "wheel_front_left");
    assert_string_equal(c->b, "wheel_rear_left");
    assert_near(c->first, begin + angle * 57.29578 / rate, lag);
    assert_near_rel(c->force_max, limit / (leg * cos(angle)), softness);
    assert_near(sum.energy.residual, 0, residual * sum.energy.electric);
    assert_true(sum.wheels[0].load_max < 1); // [N]: the wheels bear the ground, not each other
    gr_run_summary_free(&sum);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on), cmocka_unit_test(test_momentum), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_energy),  cmocka_unit_test(test_left_out), cmocka_unit_test(test_clash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

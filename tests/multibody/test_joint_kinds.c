/// Screws, spherical and free joints against closed forms and conservation laws.
#include "data.h"
#include "support/random_rover.h"
#include "test.h"

#include <stdlib.h>

static const double BASE_MASS = 1e12; // as good as fixed: what moves it below is 1e-12 of what moves the bob
static const double CLOSED_FORM = 1e-9;
static const double UNIT_NORM = 1e-14;

typedef struct Bench {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
    double force; ///< on the child's centre of mass, along z of the world [N]
} Bench;

/// A base and one body on a joint at its origin.
static Bench make(const GrJointDef *joint, const GrBodyDef *child, double base_mass, GrIntegrator integrator)
{
    Bench b = {.rover = gr_default_rover_def()};
    GrBodyDef base = gr_default_body_def();
    snprintf(base.name, sizeof base.name, "base");
    base.mass = base_mass;
    base.inertia = gr_inertia_sphere(base_mass, 10);
    gr_rover_add_body(&b.rover, &base);
    gr_rover_add_body(&b.rover, child);
    gr_rover_add_joint(&b.rover, joint);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.tolerance = 1e-12;
    options.step = 0.01;
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
    for (int i = 0; i < (int)lround(duration / b->m->options.step); i++) {
        assert_int_equal(gr_step(b->m, b->d), GR_OK);
    }
    assert_int_equal(gr_forward(b->m, b->d), GR_OK);
}

static GrBodyDef make_body(double mass, GrSym3 inertia, GrVec3 com)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "child");
    body.mass = mass;
    body.inertia = inertia;
    body.com = com;
    return body;
}

static GrJointDef make_joint(GrJointKind kind)
{
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "joint");
    joint.kind = kind;
    joint.child = 1;
    return joint;
}

static GrVec3 child_com(const Bench *b)
{
    const GrPose pose = gr_data_body_pose(b->m, b->d, 1);
    return gr_add(pose.position, gr_quat_rotate(pose.rotation, b->rover.bodies[1].com));
}

static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    Bench *b = context;
    gr_data_add_wrench(m, d, 1, child_com(b), gr_vec3(0, 0, b->force), gr_vec3(0, 0, 0));
}

static bool has_reference(void)
{
    return gr_integrator_is_built(GR_INTEGRATOR_CVODE);
}

/// (I + m h²) q̈ = F h + τ for a screw of pitch h along z.
static void test_screw_trades_force_for_torque(void **state)
{
    (void)state;
    const double mass = 2, inertia = 0.02, pitch = 0.05, torque = 0.3;
    const GrBodyDef body = make_body(mass, (GrSym3){inertia, inertia, inertia, 0, 0, 0}, gr_vec3(0, 0, 0.1));
    GrJointDef joint = make_joint(GR_JOINT_SCREW);
    joint.axis = gr_vec3(0, 0, 1);
    joint.pitch = pitch;
    joint.motor.kind = GR_MOTOR_TORQUE;
    Bench b = make(&joint, &body, BASE_MASS, GR_INTEGRATOR_EULER);
    b.force = -4;
    gr_data_set_force(b.d, push, &b);
    gr_data_set_command(b.m, b.d, 0, torque);
    run(&b, 1);
    const double expected = (b.force * pitch + torque) / (inertia + mass * pitch * pitch);
    assert_near(b.d->tree.acceleration[6], expected, CLOSED_FORM * fabs(expected));
    const double angle = gr_data_joint_position(b.m, b.d, 0);
    assert_true(fabs(angle) > 1);
    assert_near(child_com(&b).z, 0.1 + pitch * angle, CLOSED_FORM);
    destroy(&b);
}

/// A bob with equal moments of inertia circles at Ω² = g / (L cos θ), turning with its rod.
static void test_conical_pendulum_goes_round(void **state)
{
    (void)state;
    if (!has_reference()) {
        skip();
    }
    const double mass = 1.5, g = 3.71, length = 0.8, tilt = 0.5;
    const GrBodyDef body = make_body(mass, gr_inertia_sphere(mass, 0.1), gr_vec3(0, 0, -length));
    GrJointDef joint = make_joint(GR_JOINT_SPHERICAL);
    joint.pose.rotation = gr_quat_axis_angle(gr_vec3(1, 0, 0), 0.7); // a frame that is not the world's
    const GrQuat hang = gr_quat_axis_angle(gr_vec3(0, 1, 0), -tilt); // bob at x = L sin θ
    joint.initial_pose.rotation = gr_quat_mul(gr_quat_conjugate(joint.pose.rotation), hang);
    Bench b = make(&joint, &body, BASE_MASS, GR_INTEGRATOR_CVODE);
    b.force = -mass * g;
    gr_data_set_force(b.d, push, &b);
    const double rate = sqrt(g / (length * cos(tilt)));
    const GrVec3 spin = gr_quat_rotate(gr_quat_conjugate(joint.pose.rotation), gr_vec3(0, 0, rate));
    const double rates[3] = {spin.x, spin.y, spin.z};
    for (int i = 0; i < 3; i++) {
        gr_data_set_joint(b.m, b.d, i, gr_data_joint_position(b.m, b.d, i), rates[i]);
    }
    for (int i = 1; i <= 3; i++) {
        run(&b, 0.5);
        const GrVec3 bob = child_com(&b);
        assert_near(bob.x, length * sin(tilt) * cos(0.5 * i * rate), CLOSED_FORM);
        assert_near(bob.y, length * sin(tilt) * sin(0.5 * i * rate), CLOSED_FORM);
        assert_near(bob.z, -length * cos(tilt), CLOSED_FORM);
    }
    destroy(&b);
}

/// A body behind a free joint is independent of the base. It keeps its position while the base rotates, and moves like
/// Euler's top: the angular velocity of a symmetric body precesses about its axis at (I3 − I1) / I1 ω3.
static void test_free_body_ignores_its_parent(void **state)
{
    (void)state;
    if (!has_reference()) {
        skip();
    }
    const GrVec3 omega = {0.3, 0.1, 2}, base_spin = {0.2, -0.4, 0.7}, place = {1, 2, 3};
    const double across = 0.2, along = 0.35, time = 1.5;
    const GrBodyDef body = make_body(4, (GrSym3){across, across, along, 0, 0, 0}, gr_vec3(0, 0, 0));
    GrJointDef joint = make_joint(GR_JOINT_FREE);
    joint.initial_pose.position = place;
    Bench b = make(&joint, &body, 5, GR_INTEGRATOR_CVODE);
    gr_data_set_base_velocity(b.d, gr_vec3(0, 0, 0), base_spin);
    const GrVec3 drift = gr_neg(gr_cross(base_spin, place)), turn = gr_sub(omega, base_spin);
    const double rates[6] = {drift.x, drift.y, drift.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < 6; i++) {
        gr_data_set_joint(b.m, b.d, i, gr_data_joint_position(b.m, b.d, i), rates[i]);
    }
    run(&b, time);
    const GrPose pose = gr_data_body_pose(b.m, b.d, 1);
    assert_near(gr_norm(gr_sub(pose.position, place)), 0, CLOSED_FORM);
    const GrVec3 now = gr_quat_rotate(gr_quat_conjugate(pose.rotation), b.d->tree.frame[6].twist.ang);
    const double phase = (along - across) / across * omega.z * time;
    assert_near(now.x, omega.x * cos(phase) - omega.y * sin(phase), CLOSED_FORM);
    assert_near(now.y, omega.x * sin(phase) + omega.y * cos(phase), CLOSED_FORM);
    assert_near(now.z, omega.z, CLOSED_FORM);
    destroy(&b);
}

/// k φ about each axis of a spherical joint: small turns about any axis swing at √(k / I).
static void test_spherical_spring_swings(void **state)
{
    (void)state;
    if (!has_reference()) {
        skip();
    }
    const double inertia = 0.3, stiffness = 12, turn = 0.9;
    const GrVec3 axis = gr_normalize(gr_vec3(1, -2, 0.5));
    const GrBodyDef body = make_body(1, (GrSym3){inertia, inertia, inertia, 0, 0, 0}, gr_vec3(0, 0, 0));
    GrJointDef joint = make_joint(GR_JOINT_SPHERICAL);
    joint.stiffness = stiffness;
    joint.initial_pose.rotation = gr_quat_axis_angle(axis, turn);
    Bench b = make(&joint, &body, BASE_MASS, GR_INTEGRATOR_CVODE);
    run(&b, 1);
    const double expected = turn * cos(sqrt(stiffness / inertia));
    assert_near(gr_data_joint_position(b.m, b.d, 0), expected * axis.x, CLOSED_FORM);
    assert_near(gr_data_joint_position(b.m, b.d, 1), expected * axis.y, CLOSED_FORM);
    assert_near(gr_data_joint_position(b.m, b.d, 2), expected * axis.z, CLOSED_FORM);
    destroy(&b);
}

/// The default integrator keeps quaternions unit over many steps, and conserves the momentum of bodies without forces.
static void test_long_tumbling_keeps_the_norm(void **state)
{
    (void)state;
    const GrBodyDef body = make_body(4, (GrSym3){0.2, 0.3, 0.4, 0, 0, 0}, gr_vec3(0.1, 0, -0.2));
    const GrJointDef joint = make_joint(GR_JOINT_SPHERICAL);
    Bench b = make(&joint, &body, 50, GR_INTEGRATOR_LINEAR);
    gr_data_set_joint(b.m, b.d, 0, 0.4, 1);
    gr_data_set_joint(b.m, b.d, 1, -0.3, -2);
    run(&b, GR_TEST_LONG(200, 20));
    for (int i = 0; i < b.m->tree.rotation_count; i++) {
        const GrQuat q = gr_tree_quaternion(&b.d->tree, b.m->tree.rotations[i].coordinate);
        assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, UNIT_NORM);
    }
    destroy(&b);
}

/// A state restored in the middle continues with the same bits.
static void test_saved_state_continues(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(8, "saved kinds");
    GrRoverDef rover = gr_random_rover_of_all_kinds(&random, 8);
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, NULL), GR_OK);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    gr_random_state(m, d, &random, 1);
    assert_int_equal(gr_step(m, d), GR_OK);
    const size_t size = gr_data_size(m, d);
    void *saved = malloc(size);
    assert_int_equal(gr_data_save(m, d, saved), GR_OK);
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 20; i++) {
            assert_int_equal(gr_step(m, d), GR_OK);
        }
        hashes[k] = gr_data_hash(m, d);
        assert_int_equal(gr_data_restore(m, d, saved, size, NULL), GR_OK);
    }
    assert_true(hashes[0] == hashes[1]);
    free(saved);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Positions are read back as set, axis by axis.
static void test_positions_are_set_and_read(void **state)
{
    (void)state;
    const GrBodyDef body = make_body(1, (GrSym3){1, 1, 1, 0, 0, 0}, gr_vec3(0, 0, 0));
    const GrJointDef joint = make_joint(GR_JOINT_FREE);
    Bench b = make(&joint, &body, 1, GR_INTEGRATOR_LINEAR);
    const double positions[6] = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6};
    const char *const names[6] = {"joint.x", "joint.y", "joint.z", "joint.rx", "joint.ry", "joint.rz"};
    assert_int_equal(gr_model_joint_count(b.m), 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(gr_model_joint_name(b.m, i), names[i]);
        assert_int_equal(gr_model_joint_slides(b.m, i), i < 3);
        gr_data_set_joint(b.m, b.d, i, positions[i], 0);
    }
    for (int i = 0; i < 6; i++) {
        assert_near(gr_data_joint_position(b.m, b.d, i), positions[i], 1e-14);
    }
    destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_screw_trades_force_for_torque), cmocka_unit_test(test_conical_pendulum_goes_round),
        cmocka_unit_test(test_free_body_ignores_its_parent),  cmocka_unit_test(test_spherical_spring_swings),
        cmocka_unit_test(test_long_tumbling_keeps_the_norm),  cmocka_unit_test(test_saved_state_continues),
        cmocka_unit_test(test_positions_are_set_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

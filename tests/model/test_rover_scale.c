/// Scaled rovers: whatever a rover has (springs, stops, friction, motors, couplings), it moves alike in other units.
#include "support/random_rover.h"
#include "test.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "grouser/scaling.h"

static const GrRoverScale SCALE = {.length = 0.4, .mass = 2.5, .time = 0.7};
static const double ALIKE = 1e-8; // rounding, which motion amplifies

/// A motor, stops and friction for every joint that can have them.
static void equip(GrRoverDef *rover, GrRandom *random)
{
    static const GrMotorKind kinds[] = {GR_MOTOR_TORQUE, GR_MOTOR_PID, GR_MOTOR_DC, GR_MOTOR_POSITION};
    for (int i = 0; i < rover->joint_count; i++) {
        GrJointDef *joint = &rover->joints[i];
        if (joint->motor.kind == GR_MOTOR_NONE) {
            continue;
        }
        joint->motor.kind = kinds[gr_random_below(random, 4)];
        joint->motor.kp = gr_random_uniform(random, 1, 5);
        joint->motor.ki = gr_random_uniform(random, 0, 5);
        joint->motor.kd = gr_random_uniform(random, 0, 0.1);
        joint->motor.torque_limit = gr_random_uniform(random, 1, 3);
        joint->motor.stall_torque = gr_random_uniform(random, 1, 3);
        joint->motor.no_load_speed = gr_random_uniform(random, 1, 3);
        joint->lower = gr_random_uniform(random, -0.7, -0.5);
        joint->upper = gr_random_uniform(random, 0.5, 0.7);
        joint->stop_stiffness = 500;
        joint->stop_damping = 5;
        joint->friction = gr_random_uniform(random, 0, 0.3);
        joint->friction_travel = 5e-3;
    }
}

/// Commands of the motors in the units of `scale`.
static void command(const GrRoverDef *rover, const GrModel *m, GrData *d, const GrRoverScale *scale)
{
    for (int i = 0; i < rover->joint_count; i++) {
        const int joint = gr_model_find_joint(m, rover->joints[i].name);
        const double unit = rover->joints[i].kind == GR_JOINT_PRISMATIC ? scale->length : 1, l = scale->length;
        const double force = scale->mass * l * l / (scale->time * scale->time * unit);
        switch (rover->joints[i].motor.kind) {
        case GR_MOTOR_TORQUE:
            gr_data_set_command(m, d, joint, 0.8 * force);
            break;
        case GR_MOTOR_POSITION:
            gr_data_set_command(m, d, joint, 0.3 * unit);
            break;
        case GR_MOTOR_PID:
        case GR_MOTOR_DC:
            gr_data_set_command(m, d, joint, 0.9 * unit / scale->time);
            break;
        default:
            break;
        }
    }
}

static GrModel *make(const GrRoverDef *rover, const GrRoverScale *scale, GrData **d)
{
    GrOptions options = gr_default_options();
    GrErrorLog log = {0};
    options.gravity = gr_vec3(0, 0, -9.8 * scale->length / (scale->time * scale->time));
    options.step = 2e-3 * scale->time;
    GrModel *m = NULL;
    if (gr_model_create(rover, &options, &m, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
        fail();
    }
    gr_data_create(m, d, NULL);
    assert_non_null(*d);
    return m;
}

static void hold_alike(const GrRoverDef *rover)
{
    static const GrRoverScale own = {1, 1, 1};
    GrRoverDef scaled;
    GrData *d, *e;
    assert_int_equal(gr_rover_scale(rover, &SCALE, &scaled, NULL), GR_OK);
    GrModel *m = make(rover, &own, &d), *n = make(&scaled, &SCALE, &e);
    command(rover, m, d, &own);
    command(rover, n, e, &SCALE);
    for (int i = 0; i < 250; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
        assert_int_equal(gr_step(n, e), GR_OK);
    }
    const GrPose a = gr_data_base_pose(d), b = gr_data_base_pose(e);
    assert_near(b.position.x / SCALE.length, a.position.x, ALIKE);
    assert_near(b.position.y / SCALE.length, a.position.y, ALIKE);
    assert_near(b.position.z / SCALE.length, a.position.z, ALIKE);
    assert_near(fabs(a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x + a.rotation.y * b.rotation.y +
                     a.rotation.z * b.rotation.z),
                1, ALIKE);
    for (int i = 0; i < gr_model_joint_count(m); i++) { // all axes of all joints
        if (m->tree.joints[m->joint_body[i]].motion != GR_MOTION_SPHERICAL) {
            const double unit = gr_model_joint_slides(m, i) ? SCALE.length : 1;
            assert_near(gr_data_joint_position(n, e, i) / unit, gr_data_joint_position(m, d, i), ALIKE);
        }
    }
    gr_data_free(d);
    gr_data_free(e);
    gr_model_free(m);
    gr_model_free(n);
    gr_rover_free(&scaled);
}

static void test_motion(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(11, "scaled rovers");
    for (int i = 0; i < 30; i++) {
        GrRoverDef rover = gr_random_rover_of_all_kinds(&random, 7);
        equip(&rover, &random);
        hold_alike(&rover);
        gr_rover_free(&rover);
    }
}

/// A slide that follows a joint, as a rack its pinion: the ratio is a length.
static void test_rack_and_pinion(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "rack");
    GrRoverDef rover = gr_random_rover(&random, 1);
    for (int k = 1; k < 3; k++) {
        GrBodyDef body = gr_default_body_def();
        snprintf(body.name, sizeof body.name, "body%d", k);
        body.mass = 1;
        body.inertia = gr_inertia_box(1, gr_vec3(0.2, 0.3, 0.1));
        body.com = gr_vec3(0.1, 0, 0);
        GrJointDef joint = gr_default_joint_def();
        snprintf(joint.name, sizeof joint.name, "joint%d", k);
        joint.kind = k == 1 ? GR_JOINT_REVOLUTE : GR_JOINT_PRISMATIC;
        joint.child = gr_rover_add_body(&rover, &body);
        joint.stiffness = 30;
        joint.rest = 0.4;
        joint.motor.kind = GR_MOTOR_TORQUE;
        gr_rover_add_joint(&rover, &joint);
    }
    const GrCouplingDef coupling = {.joint = 1, .of = 0, .ratio = 0.2, .offset = 0.05};
    gr_rover_add_coupling(&rover, &coupling);
    rover.joints[1].initial = 0.05;
    hold_alike(&rover);
    gr_rover_free(&rover);
}

/// Shapes and meshes, which motion in free space does not show.
static void test_shapes(void **state)
{
    (void)state;
    static const GrVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    GrRoverDef rover = gr_default_rover_def(), scaled;
    GrBodyDef body = gr_default_body_def();
    GrShapeDef mesh = gr_default_shape_def(), rod = mesh;
    assert_int_equal(gr_shape_set_mesh(&mesh, corners, 4, NULL), GR_OK);
    rod.kind = GR_SHAPE_ROD;
    rod.to = gr_vec3(1, 2, 3);
    rod.radius = 0.5;
    gr_body_add_shape(&body, &mesh);
    gr_body_add_shape(&body, &rod);
    gr_rover_add_body(&rover, &body);
    GrWheelDef wheel = gr_default_wheel_def();
    wheel.radius = 0.3;
    wheel.stiffness = 1000;
    wheel.mesh = gr_malloc(sizeof corners);
    memcpy(wheel.mesh, corners, sizeof corners);
    wheel.mesh_count = 4;
    gr_rover_add_wheel(&rover, &wheel);
    assert_int_equal(gr_rover_scale(&rover, &SCALE, &scaled, NULL), GR_OK);
    assert_near_rel(scaled.bodies[0].shapes[0].hull->upper.z, 3 * SCALE.length, 1e-15);
    assert_near_rel(scaled.bodies[0].shapes[1].to.y, 2 * SCALE.length, 1e-15);
    assert_near_rel(scaled.bodies[0].shapes[1].radius, 0.5 * SCALE.length, 1e-15);
    assert_near_rel(scaled.wheels[0].mesh[2].y, 2 * SCALE.length, 1e-15);
    assert_near_rel(scaled.wheels[0].stiffness, 1000 * SCALE.mass / (SCALE.time * SCALE.time), 1e-15);
    gr_rover_free(&scaled);
    gr_rover_free(&rover);
}

static void test_refuses(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def(), out;
    const GrRoverScale flat = {.length = 0, .mass = 1, .time = 1};
    GrErrorLog log = {0};
    assert_int_equal(gr_rover_scale(&rover, &flat, &out, &log), GR_ERROR_VALUE);
    assert_int_equal(gr_rover_offload(&rover, -1, &out, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_rack_and_pinion),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

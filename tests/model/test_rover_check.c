/// An invalid definition is refused, and the message says what is wrong and where.
#include "grouser/model.h"

#include "test.h"

#include <math.h>

static GrBodyDef body(const char *name)
{
    GrBodyDef b = gr_default_body_def();
    snprintf(b.name, sizeof b.name, "%s", name);
    b.mass = 2;
    b.inertia = gr_inertia_box(2, (GrVec3){0.3, 0.2, 0.1});
    return b;
}

/// chassis - arm - wheel, and a second arm that follows the first.
static GrRoverDef good_rover(void)
{
    GrRoverDef rover = gr_default_rover_def();
    const char *const names[] = {"chassis", "arm", "wheel", "other"};
    for (int i = 0; i < 4; i++) {
        const GrBodyDef b = body(names[i]);
        gr_rover_add_body(&rover, &b);
    }
    const char *const joints[] = {"arm_joint", "axle", "other_joint"};
    const int parents[] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        GrJointDef j = gr_default_joint_def();
        snprintf(j.name, sizeof j.name, "%s", joints[i]);
        j.kind = GR_JOINT_REVOLUTE;
        j.parent = parents[i];
        j.child = i + 1;
        gr_rover_add_joint(&rover, &j);
    }
    const GrCouplingDef coupling = {.joint = 2, .of = 0, .ratio = -1};
    gr_rover_add_coupling(&rover, &coupling);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.body = 2;
    wheel.radius = 0.1;
    wheel.width = 0.05;
    gr_rover_add_wheel(&rover, &wheel);
    return rover;
}

static void test_good_rover_passes(void **state)
{
    (void)state;
    GrRoverDef rover = good_rover();
    GrErrorLog log = {0};
    assert_int_equal(gr_rover_check(&rover, &log), GR_OK);
    assert_int_equal(log.count, 0);
    gr_rover_free(&rover);
}

typedef void (*Spoil)(GrRoverDef *rover);

static void no_name(GrRoverDef *r)
{
    r->bodies[1].name[0] = '\0';
}
static void same_name(GrRoverDef *r)
{
    snprintf(r->bodies[3].name, 8, "arm");
}
static void negative_mass(GrRoverDef *r)
{
    r->bodies[1].mass = -1;
}
static void mass_nan(GrRoverDef *r)
{
    r->bodies[1].mass = NAN;
}
static void com_infinite(GrRoverDef *r)
{
    r->bodies[1].com.x = INFINITY;
}
static void inertia_negative(GrRoverDef *r)
{
    r->bodies[1].inertia.xx = -1;
}
static void inertia_triangle(GrRoverDef *r)
{
    r->bodies[1].inertia = (GrSym3){1, 1, 3, 0, 0, 0};
}
static void inertia_off_diagonal(GrRoverDef *r)
{
    r->bodies[1].inertia = (GrSym3){1, 1, 1, 2, 0, 0};
}
static void inertia_without_mass(GrRoverDef *r)
{
    r->bodies[1].mass = 0;
}
static void axis_zero(GrRoverDef *r)
{
    r->joints[0].axis = (GrVec3){0, 0, 0};
}
static void rotation_not_unit(GrRoverDef *r)
{
    r->joints[0].pose.rotation.w = 2;
}
static void limits_crossed(GrRoverDef *r)
{
    r->joints[0].lower = 1, r->joints[0].upper = -1;
}
static void initial_outside(GrRoverDef *r)
{
    r->joints[0].lower = 1, r->joints[0].upper = 2;
}
static void negative_damping(GrRoverDef *r)
{
    r->joints[0].damping = -1;
}
static void no_travel(GrRoverDef *r)
{
    r->joints[0].friction_travel = 0;
}
static void parent_missing(GrRoverDef *r)
{
    r->joints[0].parent = 17;
}
static void carries_chassis(GrRoverDef *r)
{
    r->joints[0].child = 0;
}
static void carried_twice(GrRoverDef *r)
{
    r->joints[2].child = 1;
}
static void hangs_on_itself(GrRoverDef *r)
{
    r->joints[0].parent = 2;
}
static void dc_without_stall(GrRoverDef *r)
{
    r->joints[1].motor = (GrMotorDef){.kind = GR_MOTOR_DC, .kp = 1, .torque_limit = 1};
}
static void controller_without_gain(GrRoverDef *r)
{
    r->joints[1].motor.kind = GR_MOTOR_PID;
}
static void limit_zero(GrRoverDef *r)
{
    r->joints[1].motor.torque_limit = 0;
}
static void fixed_with_motor(GrRoverDef *r)
{
    r->joints[1].kind = GR_JOINT_FIXED, r->joints[1].motor.kind = GR_MOTOR_TORQUE;
}
static void ratio_zero(GrRoverDef *r)
{
    r->couplings[0].ratio = 0;
}
static void follows_itself(GrRoverDef *r)
{
    r->couplings[0].of = 2;
}
static void follows_fixed(GrRoverDef *r)
{
    r->joints[0].kind = GR_JOINT_FIXED;
}
static void coupling_missing(GrRoverDef *r)
{
    r->couplings[0].of = 12;
}
static void radius_zero(GrRoverDef *r)
{
    r->wheels[0].radius = 0;
}
static void wheel_nowhere(GrRoverDef *r)
{
    r->wheels[0].body = 9;
}
static void grousers_negative(GrRoverDef *r)
{
    r->wheels[0].grouser_count = -3;
}
static void nothing(GrRoverDef *r)
{
    r->body_count = 0;
}

static void test_each_fault_is_named(void **state)
{
    (void)state;
    const struct {
        Spoil spoil;
        const char *field, *text;
    } cases[] = {
        {no_name, "bodies[1].name", "no name"},
        {same_name, "bodies.arm.name", "used twice"},
        {negative_mass, "bodies.arm.mass", "found -1, allowed: >= 0 kg"},
        {mass_nan, "bodies.arm.mass", "allowed: >= 0 kg"},
        {com_infinite, "bodies.arm.com", "not finite"},
        {inertia_negative, "bodies.arm.inertia", "must be positive definite"},
        {inertia_triangle, "bodies.arm.inertia", "no principal moment larger than the sum"},
        {inertia_off_diagonal, "bodies.arm.inertia", "must be positive definite"},
        {inertia_without_mass, "bodies.arm.inertia", "without mass"},
        {axis_zero, "joints.arm_joint.axis", "not zero"},
        {rotation_not_unit, "joints.arm_joint.pose", "unit quaternion"},
        {limits_crossed, "joints.arm_joint.limits", "not below"},
        {initial_outside, "joints.arm_joint.initial", "allowed: 1 .. 2"},
        {negative_damping, "joints.arm_joint.damping", "found -1, allowed: >= 0"},
        {no_travel, "joints.arm_joint.friction_travel", "allowed: > 0"},
        {parent_missing, "joints.arm_joint.parent", "not a body"},
        {carries_chassis, "joints.arm_joint.child", "floats"},
        {carried_twice, "joints.other_joint.child", "is already carried by joint 'arm_joint'"},
        {hangs_on_itself, "bodies.arm.parent", "is its own ancestor"},
        {dc_without_stall, "joints.axle.motor.stall_torque", "> 0 N m"},
        {controller_without_gain, "joints.axle.motor.kp", "> 0 for a controller"},
        {limit_zero, "joints.axle.motor.torque_limit", "> 0"},
        {fixed_with_motor, "joints.axle.motor", "fixed joint"},
        {ratio_zero, "couplings[0].ratio", "not 0"},
        {follows_itself, "couplings[0].of", "follows itself"},
        {follows_fixed, "couplings[0].joint", "fixed joint"},
        {coupling_missing, "couplings[0].joint", "no joint"},
        {radius_zero, "wheels.wheel.radius", "> 0 m"},
        {wheel_nowhere, "wheels.wheel.body", "not a body"},
        {grousers_negative, "wheels.wheel.grouser_count", ">= 0"},
        {nothing, "bodies", "at least one body"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrRoverDef rover = good_rover();
        const int bodies = rover.body_count;
        GrErrorLog log = {0};
        cases[i].spoil(&rover);
        assert_int_not_equal(gr_rover_check(&rover, &log), GR_OK);
        assert_true(log.error_count > 0);
        assert_string_equal(log.items[0].field, cases[i].field);
        if (strstr(log.items[0].text, cases[i].text) == NULL) {
            print_error("'%s' does not say '%s'\n", log.items[0].text, cases[i].text);
            fail();
        }
        assert_int_not_equal(gr_model_create(&rover, NULL, &(GrModel *){NULL}, NULL), GR_OK);
        rover.body_count = bodies;
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_rover_passes),
        cmocka_unit_test(test_each_fault_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

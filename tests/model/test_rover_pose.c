#include "rover_pose.h"

#include "test.h"
#include "vec3.h"

static void add_body(GrRoverDef *rover, const char *name, double mass, GrVec3 com)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "%s", name);
    body.mass = mass;
    body.com = com;
    assert_true(gr_rover_add_body(rover, &body) >= 0);
}

static void add_joint(GrRoverDef *rover, GrJointKind kind, int parent, int child, GrVec3 at, GrVec3 axis,
                      double initial)
{
    GrJointDef joint = gr_default_joint_def();
    joint.kind = kind;
    joint.parent = parent;
    joint.child = child;
    joint.pose.position = at;
    joint.axis = axis;
    joint.initial = initial;
    assert_true(gr_rover_add_joint(rover, &joint) >= 0);
}

/// Base, arm turned by 90° about z at (1 0 0), slider out by 0.5 along the arm's x; defined leaf first.
static GrRoverDef make_arm(void)
{
    GrRoverDef rover = gr_default_rover_def();
    add_body(&rover, "base", 2, gr_vec3(0, 0, 0));
    add_body(&rover, "slider", 1, gr_vec3(0, 0, 0.2));
    add_body(&rover, "arm", 1, gr_vec3(0, 0, 0));
    add_joint(&rover, GR_JOINT_PRISMATIC, 2, 1, gr_vec3(1, 0, 0), gr_vec3(2, 0, 0), 0.5);
    add_joint(&rover, GR_JOINT_REVOLUTE, 0, 2, gr_vec3(1, 0, 0), gr_vec3(0, 0, 3), acos(-1.0) / 2);
    return rover;
}

static void test_any_order(void **state)
{
    (void)state;
    GrRoverDef rover = make_arm();
    double positions[2];
    GrPose poses[3];
    assert_int_equal(gr_rover_initial_positions(&rover, positions, NULL), GR_OK);
    assert_int_equal(gr_rover_body_poses(&rover, positions, poses, NULL), GR_OK);
    assert_near(poses[1].position.x, 1, 1e-15);
    assert_near(poses[1].position.y, 1.5, 1e-15);
    const GrVec3 x = gr_quat_rotate(poses[1].rotation, gr_vec3(1, 0, 0));
    assert_near(x.y, 1, 1e-15);
    const GrMassProperties m = gr_rover_mass_properties(&rover, poses);
    assert_near(m.mass, 4, 0);
    assert_near(m.com.x, 0.5, 1e-15);
    assert_near(m.com.y, 0.375, 1e-15);
    assert_near(m.com.z, 0.05, 1e-15);
    // points: 2 kg at the origin, 1 kg at (1 0 0), 1 kg at (1 1.5 0.2); I_zz = Σ m (x² + y²) − M (x² + y²)
    assert_near(m.inertia.zz, 1 + 3.25 - 4 * (0.25 + 0.140625), 1e-14);
    assert_near(m.inertia.xz, -(0.2 - 4 * 0.5 * 0.05), 1e-14);
    assert_int_equal(gr_rover_degrees_of_freedom(&rover), 8);
    gr_rover_free(&rover);
}

static void test_couplings_chain(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    add_body(&rover, "base", 1, gr_vec3(0, 0, 0));
    for (int i = 0; i < 3; i++) {
        add_body(&rover, "part", 1, gr_vec3(0, 0, 0));
        add_joint(&rover, GR_JOINT_REVOLUTE, 0, i + 1, gr_vec3(0, 0, 0), gr_vec3(0, 1, 0), i == 2 ? 0.3 : 0);
    }
    // 0 follows 1 follows 2, in the order that needs a second round
    gr_rover_add_coupling(&rover, &(GrCouplingDef){.joint = 0, .of = 1, .ratio = -1});
    gr_rover_add_coupling(&rover, &(GrCouplingDef){.joint = 1, .of = 2, .ratio = 2, .offset = 0.1});
    double positions[3];
    assert_int_equal(gr_rover_initial_positions(&rover, positions, NULL), GR_OK);
    assert_near(positions[1], 0.7, 1e-15);
    assert_near(positions[0], -0.7, 1e-15);
    assert_int_equal(gr_rover_degrees_of_freedom(&rover), 7);
    gr_rover_add_coupling(&rover, &(GrCouplingDef){.joint = 2, .of = 0, .ratio = 1, .offset = 1});
    GrErrorLog log = {0};
    assert_int_equal(gr_rover_initial_positions(&rover, positions, &log), GR_ERROR_MODEL);
    assert_int_equal(log.error_count, 1);
    gr_rover_free(&rover);
}

static void test_loose_body(void **state)
{
    (void)state;
    GrRoverDef rover = make_arm();
    add_body(&rover, "loose", 1, gr_vec3(0, 0, 0));
    double positions[2] = {0, 0};
    GrPose poses[4];
    GrErrorLog log = {0};
    assert_int_equal(gr_rover_body_poses(&rover, positions, poses, &log), GR_ERROR_MODEL);
    assert_non_null(strstr(log.items[0].text, "1 of its 4 bodies"));
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_couplings_chain),
        cmocka_unit_test(test_loose_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

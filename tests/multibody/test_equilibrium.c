/// Equilibria against closed forms.
#include "support/random_rover.h"
#include "test.h"

static const double STIFFNESS = 2e4;
static const double GRAVITY = 9.80665;

/// Feet that stand on the plane z = slope x, on unilateral vertical springs.
typedef struct Ground {
    int body_of_foot[8];
    GrVec3 foot[8];
    int count;
    double slope;
    double load[8];
    int calls;
} Ground;

static void stand(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    Ground *g = context;
    g->calls++;
    for (int i = 0; i < g->count; i++) {
        const GrPose pose = gr_data_body_pose(m, d, g->body_of_foot[i]);
        const GrVec3 foot = gr_add(pose.position, gr_quat_rotate(pose.rotation, g->foot[i]));
        const double depth = g->slope * foot.x - foot.z;
        g->load[i] = depth > 0 ? STIFFNESS * depth : 0;
        gr_data_add_wrench(m, d, g->body_of_foot[i], foot, gr_vec3(0, 0, g->load[i]), gr_vec3(0, 0, 0));
    }
}

static GrBodyDef box(const char *name, double mass, GrVec3 com)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "%s", name);
    body.mass = mass;
    body.com = com;
    body.inertia = gr_inertia_box(mass, gr_vec3(0.5, 0.5, 0.2));
    return body;
}

/// Three feet: loads by the lever rule, whatever the stiffness; dropped from a height and tilted.
static void test_three_feet_share_by_levers(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef body = box("body", 12, gr_vec3(0.1, -0.05, 0));
    gr_rover_add_body(&rover, &body);
    GrModel *m = NULL;
    gr_model_create(&rover, NULL, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    Ground ground = {.count = 3, .foot = {{0.6, 0, -0.3}, {-0.4, 0.5, -0.3}, {-0.4, -0.5, -0.3}}};
    gr_data_set_force(d, stand, &ground);
    gr_data_set_base_pose(d, (GrPose){{3, 2, 1.5}, gr_quat_from_rpy(0.2, -0.1, 0.4)});
    GrEquilibrium info;
    assert_int_equal(gr_settle(m, d, &info, NULL), GR_OK);
    gr_forward(m, d);
    // moments about the two axes through the feet: x: 0.6 a − 0.4 (b + c) = 0.1 W, y: 0.5 (b − c) = −0.05 W
    const double w = 12 * GRAVITY, front = 0.5 * w, rear = w - front;
    assert_near(ground.load[0], front, 0.02 * w); // the body tilts a little on its springs
    assert_near(ground.load[1], rear / 2 - 0.05 * w, 0.02 * w);
    assert_near(ground.load[2], rear / 2 + 0.05 * w, 0.02 * w);
    assert_near_rel(ground.load[0] + ground.load[1] + ground.load[2], w, 1e-8);
    assert_near(gr_data_base_pose(d).position.x, 3, 0.2); // nothing pushed it sideways
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// A pendulum with a torsion spring: m g l sin q = k (q0 − q), on a base that stands on four feet.
static void test_sprung_pendulum(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef base = box("base", 500, gr_vec3(0, 0, 0)), bob = box("bob", 2, gr_vec3(0, 0, -0.4));
    gr_rover_add_body(&rover, &base);
    gr_rover_add_body(&rover, &bob);
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "hinge");
    joint.kind = GR_JOINT_REVOLUTE;
    joint.child = 1;
    joint.stiffness = 6;
    joint.rest = 1.2;
    joint.friction = 3; // taken as relaxed
    gr_rover_add_joint(&rover, &joint);
    GrModel *m = NULL;
    gr_model_create(&rover, NULL, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    Ground ground = {.count = 4, .foot = {{1, 1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, -1}}};
    gr_data_set_force(d, stand, &ground);
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    const GrVec3 rpy = gr_quat_to_rpy(gr_data_base_pose(d).rotation);
    const double q = gr_data_joint_position(m, d, 0);
    assert_near(2 * GRAVITY * 0.4 * sin(q + rpy.y), 6 * (1.2 - q), 1e-6);
    // it stays there after release
    for (int i = 0; i < 400; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    assert_near(gr_data_joint_position(m, d, 0), q, 1e-6);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Forces are needed for one displacement of each free dof, and only where the stiffness of an earlier step is no
/// longer good enough: in less than half of the steps. Joints that motors hold cannot move, and cost nothing.
static void test_held_joints_cost_nothing(void **state)
{
    (void)state;
    enum { FREE = 6, MOST_HELD = 10, SEARCHES = 2, PER_SEARCH = 2 + 4, PER_ITERATION = FREE + 1 };
    for (int held = 0; held <= MOST_HELD; held += MOST_HELD) {
        GrRoverDef rover = gr_default_rover_def();
        const GrBodyDef body = box("body", 12, gr_vec3(0.1, -0.05, 0));
        gr_rover_add_body(&rover, &body);
        for (int i = 0; i < held; i++) {
            char name[16];
            snprintf(name, sizeof name, "arm%d", i);
            const GrBodyDef arm = box(name, 0.5, gr_vec3(0, 0, 0));
            gr_rover_add_body(&rover, &arm);
            GrJointDef joint = gr_default_joint_def();
            snprintf(joint.name, sizeof joint.name, "joint%d", i);
            joint.kind = GR_JOINT_REVOLUTE;
            joint.child = i + 1;
            joint.motor.kind = GR_MOTOR_SPEED;
            gr_rover_add_joint(&rover, &joint);
        }
        GrModel *m = NULL;
        gr_model_create(&rover, NULL, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        Ground ground = {.count = 4, .foot = {{1, 1, -0.3}, {1, -1, -0.3}, {-1, 1, -0.3}, {-1, -1, -0.3}}};
        gr_data_set_force(d, stand, &ground);
        GrEquilibrium info;
        assert_int_equal(gr_settle(m, d, &info, NULL), GR_OK);
        print_message("%d held joints: %d iterations, %d evaluations\n", held, info.iterations, ground.calls);
        assert_true(ground.calls <= SEARCHES * PER_SEARCH + PER_ITERATION * info.iterations / 2);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

static void test_nothing_to_stand_on_is_reported(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef body = box("body", 1, gr_vec3(0, 0, 0));
    gr_rover_add_body(&rover, &body);
    GrModel *m = NULL;
    gr_model_create(&rover, NULL, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    GrErrorLog log = {0};
    assert_int_equal(gr_settle(m, d, NULL, &log), GR_ERROR_NOT_CONVERGED);
    assert_int_equal(log.error_count, 1);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_feet_share_by_levers),
        cmocka_unit_test(test_sprung_pendulum),
        cmocka_unit_test(test_held_joints_cost_nothing),
        cmocka_unit_test(test_nothing_to_stand_on_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

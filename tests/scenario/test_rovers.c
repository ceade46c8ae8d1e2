/// The shipped rovers: they load without messages, have the published mass, and stand on level ground.
#include "test.h"

#include "grouser/rover.h"
#include "rover_yaml.h"
#include "vec3.h"

static const struct {
    const char *path;
    double mass;
    int bodies, wheels, steered, driven, walking, couplings;
} rovers[] = {
    {"el_dorado2.yaml", 22.355, 11, 4, 4, 4, 0, 1},    {"curiosity_like.yaml", 899, 15, 6, 4, 6, 0, 1},
    {"exomars_like.yaml", 310, 22, 6, 6, 6, 6, 0},     {"viper_like.yaml", 430, 13, 4, 4, 4, 0, 0},
    {"rashid_like.yaml", 10, 7, 4, 0, 4, 0, 1},        {"lrv_like.yaml", 700, 14, 4, 4, 4, 0, 0},
    {"mmx_like.yaml", 25, 9, 4, 0, 4, 0, 0},           {"scout_like.yaml", 18, 9, 6, 0, 6, 0, 0},
    {"ex1_like.yaml", 20, 15, 4, 2, 4, 0, 1},          {"urdf_example/pebble.grouser.yaml", 8, 8, 4, 0, 4, 0, 1},
    {"urdf_example/pebble.urdf", 8, 8, 4, 0, 4, 0, 1},
};

enum { ROVER_COUNT = sizeof rovers / sizeof rovers[0], MAX_BODIES = 64 };

static GrRoverDef load(const char *name, const char *const *overrides)
{
    static GrErrorLog error_log;
    char path[512];
    GrRoverDef rover;
    memset(&error_log, 0, sizeof error_log);
    snprintf(path, sizeof path, "%s/data/rovers/%s", GR_TEST_SOURCE_DIR, name);
    const GrStatus status = gr_rover_load(path, overrides, &rover, &error_log);
    for (int i = 0; i < error_log.count; i++) {
        char text[1200];
        gr_error_format(&error_log.items[i], text, sizeof text);
        print_error("%s\n", text);
    }
    assert_int_equal(status, GR_OK);
    assert_int_equal(error_log.count, 0);
    return rover;
}

static double total_mass(const GrRoverDef *rover)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    return mass;
}

static int count_role(const GrRoverDef *rover, GrJointRole role)
{
    int count = 0;
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->role == role) {
            count++;
            assert_true(role == GR_ROLE_PASSIVE || joint->motor.kind != GR_MOTOR_NONE);
        }
    }
    return count;
}

/// Poses of all bodies at joint zero; parents come before their children.
static void zero_poses(const GrRoverDef *rover, GrPose *poses)
{
    assert_true(rover->body_count <= MAX_BODIES);
    poses[0] = gr_pose_identity();
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        assert_int_equal(joint->child, i + 1);
        assert_true(joint->parent < joint->child);
        poses[joint->child] = gr_pose_mul(poses[joint->parent], joint->pose);
    }
}

static void test_counts_and_mass(void **state)
{
    (void)state;
    for (int i = 0; i < ROVER_COUNT; i++) {
        GrRoverDef rover = load(rovers[i].path, NULL);
        assert_near(total_mass(&rover), rovers[i].mass, 1e-9 * rovers[i].mass);
        assert_int_equal(rover.body_count, rovers[i].bodies);
        assert_int_equal(rover.joint_count, rovers[i].bodies - 1);
        assert_int_equal(rover.wheel_count, rovers[i].wheels);
        assert_int_equal(rover.coupling_count, rovers[i].couplings);
        assert_int_equal(count_role(&rover, GR_ROLE_STEER), rovers[i].steered);
        assert_int_equal(count_role(&rover, GR_ROLE_DRIVE), rovers[i].driven);
        assert_int_equal(count_role(&rover, GR_ROLE_WALK), rovers[i].walking);
        assert_true(rover.note_count > 0);
        assert_true(rover.title[0] != '\0');
        gr_rover_free(&rover);
    }
}

static void test_wheels_stand_on_a_plane(void **state)
{
    (void)state;
    for (int i = 0; i < ROVER_COUNT; i++) {
        GrRoverDef rover = load(rovers[i].path, NULL);
        GrPose poses[MAX_BODIES];
        zero_poses(&rover, poses);
        double ground = 0, sum_y = 0;
        for (int w = 0; w < rover.wheel_count; w++) {
            const GrWheelDef *wheel = &rover.wheels[w];
            const GrPose pose = gr_pose_mul(poses[wheel->body], wheel->pose);
            const GrVec3 axle = gr_quat_rotate(pose.rotation, gr_vec3(0, 1, 0));
            const double bottom = pose.position.z - wheel->radius;
            ground = w == 0 ? bottom : ground;
            assert_near(bottom, ground, 1e-12);
            assert_near(axle.y, 1, 1e-12); // a positive turn rolls every wheel forward
            sum_y += pose.position.y;
        }
        assert_near(sum_y, 0, 1e-12);
        gr_rover_free(&rover);
    }
}

/// The weight falls inside the wheels' rectangle, above the ground and below twice the track.
static void test_centre_of_mass(void **state)
{
    (void)state;
    for (int i = 0; i < ROVER_COUNT; i++) {
        GrRoverDef rover = load(rovers[i].path, NULL);
        GrPose poses[MAX_BODIES];
        zero_poses(&rover, poses);
        GrVec3 com = {0}, low = {1e9, 1e9, 1e9}, high = {-1e9, -1e9, -1e9};
        for (int b = 0; b < rover.body_count; b++) {
            const GrPose centre = gr_pose_mul(poses[b], (GrPose){rover.bodies[b].com, {1, 0, 0, 0}});
            com = gr_madd(com, rover.bodies[b].mass / total_mass(&rover), centre.position);
        }
        for (int w = 0; w < rover.wheel_count; w++) {
            const GrVec3 p = gr_pose_mul(poses[rover.wheels[w].body], rover.wheels[w].pose).position;
            const double r = rover.wheels[w].radius;
            low = gr_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z - r));
            high = gr_vec3(fmax(high.x, p.x), fmax(high.y, p.y), 0);
        }
        assert_near(com.x, (low.x + high.x) / 2, 0.1 * (high.x - low.x));
        assert_near(com.y, 0, 0.005);
        assert_in_range((int)(1000 * (com.z - low.z)), 0, (int)(1000 * (high.y - low.y)));
        gr_rover_free(&rover);
    }
}

/// The moment of the springs at joint zero carries the sprung weight (viper_like, lrv_like), as their notes say.
static void test_springs_carry_the_weight(void **state)
{
    (void)state;
    GrRoverDef rover = load("lrv_like.yaml", NULL);
    double force = 0, unsprung = 0;
    for (int i = 0; i < rover.joint_count; i++) {
        const GrJointDef *joint = &rover.joints[i];
        if (joint->kind == GR_JOINT_PRISMATIC) {
            force += joint->stiffness * -joint->rest;
        }
        if (strncmp(rover.bodies[joint->child].name, "payload", 7) != 0) {
            unsprung += rover.bodies[joint->child].mass;
        }
    }
    assert_near_rel(force, (total_mass(&rover) - unsprung) * 1.62, 1e-12);
    gr_rover_free(&rover);
}

/// The springs of ex1_like carry what stands on them at the middle of their travel, on Earth.
static void test_shock_absorbers_stand_at_half_travel(void **state)
{
    (void)state;
    GrRoverDef rover = load("ex1_like.yaml", NULL);
    double force = 0, unsprung = 0;
    for (int i = 0; i < rover.joint_count; i++) {
        const GrJointDef *joint = &rover.joints[i];
        const char *child = rover.bodies[joint->child].name;
        if (joint->kind == GR_JOINT_PRISMATIC) {
            force += joint->stiffness * -joint->rest;
            assert_near(joint->lower + joint->upper, 0, 1e-12);
        }
        if (strncmp(child, "hub", 3) == 0 || strncmp(child, "wheel", 5) == 0) {
            unsprung += rover.bodies[joint->child].mass;
        }
    }
    assert_near_rel(force, (total_mass(&rover) - unsprung) * 9.80665, 1e-12);
    gr_rover_free(&rover);
}

/// One parameter moves the whole rover.
static void test_override_of_a_shipped_rover(void **state)
{
    (void)state;
    const char *const overrides[] = {"params.wheel_radius=0.3", "bodies.bogie_left.mass_kg=13", NULL};
    GrRoverDef rover = load("curiosity_like.yaml", overrides);
    for (int i = 0; i < rover.wheel_count; i++) {
        assert_true(rover.wheels[i].radius == 0.3);
    }
    assert_near(total_mass(&rover), 900, 1e-9);
    gr_rover_free(&rover);
}

static void test_same_bits_every_time(void **state)
{
    (void)state;
    GrRoverDef a = load("curiosity_like.yaml", NULL), b = load("curiosity_like.yaml", NULL);
    assert_memory_equal(a.joints, b.joints, (size_t)a.joint_count * sizeof *a.joints);
    assert_memory_equal(a.wheels, b.wheels, (size_t)a.wheel_count * sizeof *a.wheels);
    gr_rover_free(&a);
    gr_rover_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_mass),
        cmocka_unit_test(test_wheels_stand_on_a_plane),
        cmocka_unit_test(test_centre_of_mass),
        cmocka_unit_test(test_springs_carry_the_weight),
        cmocka_unit_test(test_shock_absorbers_stand_at_half_travel),
        cmocka_unit_test(test_override_of_a_shipped_rover),
        cmocka_unit_test(test_same_bits_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

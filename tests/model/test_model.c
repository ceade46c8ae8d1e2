/// From definition to model: merging, numbering, coupling.
#include "data.h"
#include "support/random_rover.h"
#include "test.h"

static GrBodyDef body(const char *name, double mass, GrVec3 com)
{
    GrBodyDef b = gr_default_body_def();
    snprintf(b.name, sizeof b.name, "%s", name);
    b.mass = mass;
    b.com = com;
    b.inertia = gr_inertia_box(mass, gr_vec3(0.4, 0.2, 0.1));
    return b;
}

static GrJointDef joint(const char *name, GrJointKind kind, int parent, int child, GrVec3 at)
{
    GrJointDef j = gr_default_joint_def();
    snprintf(j.name, sizeof j.name, "%s", name);
    j.kind = kind;
    j.parent = parent;
    j.child = child;
    j.pose.position = at;
    return j;
}

/// Bodies in any order, a mast fixed to the chassis, and a massless frame on it: one moving body, all poses kept.
static void test_fixed_bodies_merge_and_keep_their_place(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef bodies[] = {body("chassis", 10, gr_vec3(0, 0, 0.1)), body("wheel", 1, gr_vec3(0, 0, 0)),
                                body("mast", 2, gr_vec3(0, 0, 0.5)), body("camera", 0, gr_vec3(0, 0, 0))};
    for (int i = 0; i < 4; i++) {
        gr_rover_add_body(&rover, &bodies[i]);
    }
    GrJointDef joints[] = {joint("pan", GR_JOINT_FIXED, 2, 3, gr_vec3(0, 0, 1)),
                           joint("axle", GR_JOINT_REVOLUTE, 0, 1, gr_vec3(0.5, 0.3, -0.2)),
                           joint("foot", GR_JOINT_FIXED, 0, 2, gr_vec3(0.2, 0, 0.3))};
    rover.bodies[3].inertia = (GrSym3){0};
    joints[2].pose.rotation = gr_quat_from_rpy(0, 0, acos(0.0)); // mast turned to the left
    joints[0].pose.position = gr_vec3(0.1, 0, 1);
    for (int i = 0; i < 3; i++) {
        gr_rover_add_joint(&rover, &joints[i]);
    }
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, NULL), GR_OK);
    assert_int_equal(gr_model_body_count(m), 2);
    assert_int_equal(gr_model_dof_count(m), 7);
    assert_int_equal(gr_model_joint_count(m), 1);
    assert_string_equal(gr_model_joint_name(m, 0), "axle");
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    const GrBalance balance = gr_balance(m, d);
    assert_near(balance.mass, 13, 1e-12);
    assert_near(balance.com.z, (10 * 0.1 + 2 * 0.8 - 0.2) / 13, 1e-12);
    gr_forward(m, d);
    const GrPose camera = gr_data_body_pose(m, d, gr_model_find_body(m, "camera"));
    assert_near(camera.position.x, 0.2, 1e-12);
    assert_near(camera.position.y, 0.1, 1e-12);
    assert_near(camera.position.z, 1.3, 1e-12);
    assert_near(gr_quat_to_rpy(camera.rotation).z, acos(0.0), 1e-12);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Poses of the bodies of a moved tree against a direct composition of the definition's frames.
static void test_body_poses_follow_the_definition(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(9, "poses");
    for (int trial = 0; trial < 20; trial++) {
        GrRoverDef rover = gr_random_rover(&random, 12);
        GrModel *m = NULL;
        gr_model_create(&rover, NULL, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        gr_random_state(m, d, &random, 1);
        gr_forward(m, d);
        GrPose pose[12] = {gr_data_base_pose(d)};
        for (int i = 0; i < rover.joint_count; i++) { // children come after their parents here
            const GrJointDef *j = &rover.joints[i];
            GrPose at = gr_pose_mul(pose[j->parent], j->pose);
            const int index = gr_model_find_joint(m, j->name);
            const double q = index >= 0 ? gr_data_joint_position(m, d, index) : 0;
            const GrVec3 axis = gr_normalize(j->axis);
            if (j->kind == GR_JOINT_REVOLUTE) {
                at.rotation = gr_quat_mul(at.rotation, gr_quat_axis_angle(axis, q));
            } else if (j->kind == GR_JOINT_PRISMATIC) {
                at.position = gr_add(at.position, gr_quat_rotate(at.rotation, gr_scale(q, axis)));
            }
            pose[j->child] = at;
            const GrPose ours = gr_data_body_pose(m, d, j->child);
            assert_near(gr_norm(gr_sub(ours.position, at.position)), 0, 1e-12);
            assert_near(gr_norm(gr_quat_log(gr_quat_mul(gr_quat_conjugate(at.rotation), ours.rotation))), 0, 1e-12);
        }
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

/// A chain of couplings: c follows b follows a.
static void test_couplings_chain(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const char *const names[] = {"base", "a", "b", "c"};
    for (int i = 0; i < 4; i++) {
        const GrBodyDef b = body(names[i], 1, gr_vec3(0.1, 0, 0));
        gr_rover_add_body(&rover, &b);
        if (i > 0) {
            const GrJointDef j = joint(names[i], GR_JOINT_REVOLUTE, 0, i, gr_vec3(0, 0.2 * i, 0));
            gr_rover_add_joint(&rover, &j);
        }
    }
    const GrCouplingDef couplings[] = {{.joint = 2, .of = 1, .ratio = 3, .offset = 0.5},
                                       {.joint = 1, .of = 0, .ratio = -2, .offset = 0.1}};
    gr_rover_add_coupling(&rover, &couplings[0]);
    gr_rover_add_coupling(&rover, &couplings[1]);
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, NULL), GR_OK);
    assert_int_equal(gr_model_dof_count(m), 7);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    gr_data_set_joint(m, d, 0, 0.25, 1);
    assert_near(gr_data_joint_position(m, d, 1), -2 * 0.25 + 0.1, 1e-15);
    assert_near(gr_data_joint_position(m, d, 2), 3 * (-2 * 0.25 + 0.1) + 0.5, 1e-15);
    assert_near(gr_data_joint_velocity(m, d, 2), -6, 1e-15);
    for (int i = 0; i < 1000; i++) { // exactly, for ever
        gr_data_set_command(m, d, 0, 1);
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    const double a = gr_data_joint_position(m, d, 0);
    assert_near(gr_data_joint_position(m, d, 1), -2 * a + 0.1, 1e-14);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

static void test_massless_moving_body_is_refused(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef base = body("base", 1, gr_vec3(0, 0, 0));
    GrBodyDef ghost = body("ghost", 0, gr_vec3(0, 0, 0));
    ghost.inertia = (GrSym3){0};
    gr_rover_add_body(&rover, &base);
    gr_rover_add_body(&rover, &ghost);
    const GrJointDef j = joint("hinge", GR_JOINT_REVOLUTE, 0, 1, gr_vec3(0, 0, 0));
    gr_rover_add_joint(&rover, &j);
    GrErrorLog log = {0};
    assert_int_not_equal(gr_model_create(&rover, NULL, &(GrModel *){NULL}, &log), GR_OK);
    assert_int_equal(log.items[0].status, GR_ERROR_MODEL);
    assert_string_equal(log.items[0].field, "hinge");
    gr_rover_free(&rover);
}

/// Every integrator has a name and is found by it where it is built; a name that is nearly one gets it as a hint.
static void test_integrator_names(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrIntegrator found = GR_INTEGRATOR_COUNT;
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        const bool built = gr_integrator_is_built((GrIntegrator)i);
        assert_int_equal(gr_integrator_find(gr_integrator_name((GrIntegrator)i), &found, NULL),
                         built ? GR_OK : GR_ERROR_UNSUPPORTED);
        assert_int_equal(found, i);
        assert_true(gr_integrator_text(found)[0] != '\0');
    }
    assert_int_equal(gr_integrator_find("liner", &found, &log), GR_ERROR_NAME);
    assert_non_null(strstr(log.items[0].text, "did you mean 'linear'?"));
    assert_string_equal(gr_integrator_name(GR_INTEGRATOR_COUNT), "unknown");
    assert_false(gr_integrator_is_built(GR_INTEGRATOR_COUNT));
}

static void test_options_are_checked(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef base = body("base", 1, gr_vec3(0, 0, 0));
    gr_rover_add_body(&rover, &base);
    GrOptions options = gr_default_options();
    GrErrorLog log = {0};
    options.integrator = GR_INTEGRATOR_COUNT;
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_string_equal(log.items[0].field, "integrator");
    options = gr_default_options();
    options.step = 0;
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_string_equal(log.items[1].field, "step");
    double g = 0;
    assert_true(gr_gravity_named("mars", &g));
    assert_near(g, 3.71, 1e-12);
    assert_false(gr_gravity_named("pluto", &g));
    gr_rover_free(&rover);
}

/// A height without grousers must not make the wheel larger, as it does where there are some.
static void test_no_grousers_have_no_height(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    const GrBodyDef chassis = body("chassis", 10, gr_vec3(0, 0, 0.1)), rim = body("wheel", 1, gr_vec3(0, 0, 0));
    const GrJointDef axle = joint("axle", GR_JOINT_REVOLUTE, 0, 1, gr_vec3(0.5, 0.3, -0.2));
    GrWheelDef wheel = gr_default_wheel_def();
    gr_rover_add_body(&rover, &chassis);
    gr_rover_add_body(&rover, &rim);
    gr_rover_add_joint(&rover, &axle);
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.body = 1;
    wheel.radius = 0.1;
    wheel.width = 0.05;
    wheel.grouser_height = 0.02;
    gr_rover_add_wheel(&rover, &wheel);
    for (int count = 0; count < 2; count++) {
        rover.wheels[0].grouser_count = 12 * count;
        GrModel *m = NULL;
        assert_int_equal(gr_model_create(&rover, NULL, &m, NULL), GR_OK);
        assert_near(m->wheels[0].grouser_height, count == 0 ? 0 : 0.02, 0);
        gr_model_free(m);
    }
    gr_rover_free(&rover);
}

/// Definitions that do not come from their gr_default_...() are refused, whatever else is in them.
static void test_definitions_are_initialised(void **state)
{
    (void)state;
    GrRoverDef rover;
    memset(&rover, 0x5a, sizeof rover);
    GrErrorLog log = {0};
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, &log), GR_ERROR_USAGE);
    assert_non_null(strstr(log.items[0].text, "gr_default_rover_def()"));
    rover = gr_default_rover_def();
    const GrOptions options = {.step = 0.005};
    log = (GrErrorLog){0};
    assert_int_equal(gr_model_create(&rover, &options, &m, &log), GR_ERROR_USAGE);
    assert_non_null(strstr(log.items[0].text, "gr_default_options()"));
    const GrSoilDef soil = {.k_phi = 1e6};
    log = (GrErrorLog){0};
    assert_int_equal(gr_soil_check(&soil, &log), GR_ERROR_USAGE);
    assert_non_null(strstr(log.items[0].text, "gr_default_soil_def()"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_bodies_merge_and_keep_their_place),
        cmocka_unit_test(test_body_poses_follow_the_definition),
        cmocka_unit_test(test_couplings_chain),
        cmocka_unit_test(test_massless_moving_body_is_refused),
        cmocka_unit_test(test_integrator_names),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_no_grousers_have_no_height),
        cmocka_unit_test(test_definitions_are_initialised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

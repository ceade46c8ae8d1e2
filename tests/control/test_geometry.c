/// Drive geometry read off the shipped rovers.
#include "control_test.h"

static void test_every_shipped_rover_has_one(void **state)
{
    (void)state;
    for (int k = 0; k < ROVER_COUNT; k++) {
        const GrDriveGeometry g = load_geometry(ROVERS[k]);
        print_message("%-34s %d wheels, %d steer, %d walk, length %.3f m, reach %.3f m, best %s\n", ROVERS[k],
                      g.wheel_count, g.steer_count, g.walk_count, g.length, g.reach,
                      gr_drive_mode_name(gr_drive_best_mode(&g)));
        assert_true(g.wheel_count >= 2 && g.length > 0 && g.reach > 0.5 * g.length);
        assert_near(g.middle_y, 0, 1e-12);
        double height = 0;
        for (int i = 0; i < g.wheel_count; i++) {
            const GrDriveWheel *w = &g.wheels[i];
            assert_true(w->drive >= 0 && w->radius > 0 && w->drive_sign == 1);
            assert_near(w->heading, 0, 1e-12);
            assert_true(w->steer < 0 || (w->steer_min < 0 && w->steer_max > 0 && w->steer_servo));
            assert_near(w->pivot_x + w->lead, w->contact.x, 1e-12);
            assert_near(w->pivot_y + w->side, w->contact.y, 1e-12);
            height += w->contact.z / g.wheel_count;
        }
        for (int i = 0; i < g.wheel_count; i++) { // all stand on one plane
            assert_near(g.wheels[i].contact.z, height, 1e-9);
        }
        GrControl control;
        const GrControlDef def = gr_default_control_def();
        GrErrorLog log = {0};
        assert_int_equal(gr_control_prepare(&g, &def, &control, &log), GR_OK);
    }
}

/// Against the numbers in the rover's file.
static void test_el_dorado_as_published(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("el_dorado2.yaml");
    assert_int_equal(g.steer_count, 4);
    for (int i = 0; i < 4; i++) {
        const GrDriveWheel *w = &g.wheels[i];
        const double side = w->contact.y > 0 ? 1 : -1, axle = w->contact.x > 0 ? 1 : -1;
        assert_near(w->pivot_x, 0.304 * axle, 1e-12);
        assert_near(w->pivot_y, 0.271 * side, 1e-12);
        assert_near(w->lead, 0.00025 * axle, 1e-12);
        assert_near(w->side, (-0.063 + 0.05413) * side, 1e-12);
        assert_near(w->radius, 0.102, 1e-12);
        assert_near(w->steer_max, 60 * PI / 180, 1e-12);
    }
}

static void test_legs_of_exomars(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("exomars_like.yaml");
    assert_int_equal(g.walk_count, 6);
    for (int k = 0; k < 6; k++) {
        const GrDriveWheel *w = &g.wheels[g.walk_order[k]];
        assert_near(w->leg_x, 0, 1e-12);
        assert_true(w->leg_z < -0.1);
        for (int n = -10; n <= 10; n++) {
            const double travel = 0.05 * n * w->stride_max;
            const double angle = gr_leg_angle(w, travel), h = 1e-6;
            assert_near(gr_leg_travel(w, angle), travel, 1e-12);
            assert_near((gr_leg_travel(w, angle + h) - gr_leg_travel(w, angle - h)) / (2 * h),
                        gr_leg_travel_per_angle(w, angle), 1e-8);
        }
        if (k > 0) { // from the rear to the front
            assert_true(w->contact.x > g.wheels[g.walk_order[k - 1]].contact.x - 1e-9);
        }
    }
}

/// Steering and legs that start turned: the geometry is that of the joint at 0.
static void test_initial_steering_is_taken_out(void **state)
{
    (void)state;
    char path[512];
    GrRoverDef rover;
    GrDriveGeometry g;
    snprintf(path, sizeof path, "%s/data/rovers/el_dorado2.yaml", GR_TEST_SOURCE_DIR);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    for (int i = 0; i < rover.joint_count; i++) {
        rover.joints[i].initial = rover.joints[i].role == GR_ROLE_STEER ? 0.4 : 0;
    }
    const GrOptions options = gr_default_options();
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, NULL);
    assert_int_equal(gr_drive_geometry(m, &g, NULL), GR_OK);
    const GrDriveGeometry straight = load_geometry("el_dorado2.yaml");
    for (int i = 0; i < 4; i++) {
        assert_near(g.wheels[i].lead, straight.wheels[i].lead, 1e-12);
        assert_near(g.wheels[i].side, straight.wheels[i].side, 1e-12);
        assert_near(g.wheels[i].heading, 0, 1e-12);
    }
    gr_model_free(m);
    for (int i = 0; i < rover.joint_count; i++) { // a motor that cannot be driven by speed
        rover.joints[i].motor.kind =
            rover.joints[i].role == GR_ROLE_DRIVE ? GR_MOTOR_TORQUE : rover.joints[i].motor.kind;
    }
    gr_model_create(&rover, &options, &m, NULL);
    GrErrorLog log = {0};
    assert_int_equal(gr_drive_geometry(m, &g, &log), GR_ERROR_UNSUPPORTED);
    assert_int_equal(log.error_count, 4);
    gr_model_free(m);
    gr_rover_free(&rover);
}

static void test_bad_definitions_are_refused(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("rashid_like.yaml");
    GrControl control;
    GrControlDef def = gr_default_control_def();
    def.cruise_speed = -1;
    def.slip_factor_max = NAN;
    GrErrorLog log = {0};
    assert_int_equal(gr_control_prepare(&g, &def, &control, &log), GR_ERROR_VALUE);
    assert_true(log.error_count >= 2);
    def = gr_default_control_def();
    def.source = GR_CONTROL_PATH;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_ERROR_FIELD);
    const GrWayPoint back_in_time[] = {{1, 0, 20}, {2, 0, 10}};
    def.path = back_in_time;
    def.path_count = 2;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_ERROR_VALUE);
    def = gr_default_control_def();
    const GrScriptEntry script[] = {{0, {.mode = GR_DRIVE_CRAB, .speed = 0.1}}};
    def.source = GR_CONTROL_SCRIPT;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_ERROR_FIELD);
    def.script = script;
    def.script_count = 1;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_ERROR_UNSUPPORTED);
    def = gr_default_control_def();
    def.mode = GR_DRIVE_DOUBLE_ACKERMANN;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shipped_rover_has_one),
        cmocka_unit_test(test_el_dorado_as_published),
        cmocka_unit_test(test_legs_of_exomars),
        cmocka_unit_test(test_initial_steering_is_taken_out),
        cmocka_unit_test(test_bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

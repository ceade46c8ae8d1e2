/// The control cycle: scripts, rates, waiting for the steering, walking, and state that is plain bytes.
#include "control_test.h"

static const double STEP = 0.05;

static GrControl make(const char *file, const GrScriptEntry *script, int count)
{
    const GrDriveGeometry g = load_geometry(file);
    GrControlDef def = gr_default_control_def();
    def.source = GR_CONTROL_SCRIPT;
    def.script = script;
    def.script_count = count;
    GrControl control;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_OK);
    return control;
}

static void run(Ideal *r, double until)
{
    while (r->seen.time < until - 1e-9) {
        ideal_step(r, STEP);
    }
}

static const GrScriptEntry SCRIPT[] = {
    {5, {.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1}},
    {25, {.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.1}},
    {45, {.mode = GR_DRIVE_CRAB, .speed = 0.05, .crab = 0.5}},
    {65, {.mode = GR_DRIVE_STOP}},
    {75, {.mode = GR_DRIVE_PARK}},
};

static void test_script_by_time(void **state)
{
    (void)state;
    const GrControl control = make("el_dorado2.yaml", SCRIPT, 5);
    Ideal r = {.control = &control};
    run(&r, 5);
    assert_true(r.seen.x == 0 && r.out.request.mode == GR_DRIVE_STOP);
    run(&r, 25);
    assert_near(r.seen.x, 2 - 0.05, 0.02); // the ramp of 0.1 m/s² costs v² / 2a
    assert_near(r.seen.y, 0, 1e-12);
    const double x = r.seen.x;
    run(&r, 45);
    assert_true(r.seen.heading > 1 && r.seen.heading < 2);
    assert_near(r.seen.x, x, 0.2); // it brakes, then turns on the spot
    run(&r, 50);                   // steering has arrived
    const double heading = r.seen.heading, from_x = r.seen.x, from_y = r.seen.y;
    run(&r, 65);
    const double direction = atan2(r.seen.y - from_y, r.seen.x - from_x);
    assert_near(gr_wrap_angle(r.seen.heading - heading), 0, 1e-3);
    assert_near(gr_wrap_angle(direction - heading - 0.5), 0, 1e-2);
    const double steer = r.seen.wheels[0].steer_position;
    run(&r, 75);
    assert_near(r.seen.wheels[0].steer_position, steer, 0.02);
    assert_near(r.seen.wheels[0].drive_velocity, 0, 0);
    run(&r, 90);
    for (int i = 0; i < 4; i++) { // parked: wheels perpendicular to the line to the centre
        const GrDriveWheel *w = &control.geometry.wheels[i];
        assert_near(r.seen.wheels[i].drive_velocity, 0, 0);
        assert_near(fabs(r.seen.wheels[i].steer_position), atan2(fabs(w->contact.x), fabs(w->contact.y)), 0.02);
    }
}

/// Commands of a driver take precedence over the script from their time on, until one gives the rover back.
static void test_driver_takes_over(void **state)
{
    (void)state;
    static const GrScriptEntry by_hand[] = {
        {10, {.mode = GR_DRIVE_SKID, .speed = -0.05}},
        {20, {.mode = GR_DRIVE_MODE_COUNT}},
        {30, {.mode = GR_DRIVE_STOP}},
    };
    GrControl control = make("el_dorado2.yaml", SCRIPT, 5);
    control.def.manual = by_hand;
    control.def.manual_count = 3;
    Ideal r = {.control = &control};
    run(&r, 9);
    assert_true(r.out.request.mode == GR_DRIVE_DOUBLE_ACKERMANN && !r.state.by_hand);
    run(&r, 19);
    assert_true(r.out.request.mode == GR_DRIVE_SKID && r.out.request.speed == -0.05 && r.state.by_hand);
    run(&r, 24);
    assert_true(r.out.request.mode == GR_DRIVE_DOUBLE_ACKERMANN && !r.state.by_hand);
    run(&r, 29);
    assert_true(r.out.request.mode == GR_DRIVE_POINT_TURN); // the script has gone on by its own time
    run(&r, 50);
    assert_true(r.out.request.mode == GR_DRIVE_STOP && r.state.by_hand);
}

static void test_wheels_wait_for_the_steering(void **state)
{
    (void)state;
    const GrScriptEntry script[] = {{0, {.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1, .curvature = 1.2}}};
    GrControl control = make("el_dorado2.yaml", script, 1);
    Ideal r = {.control = &control};
    ideal_step(&r, STEP);
    ideal_step(&r, STEP);
    assert_true(r.state.flags & GR_DRIVE_FLAG_STEERING);
    for (int i = 0; i < 4; i++) { // stands, but rolls about its steering axis without scrubbing
        assert_near(r.state.speed[i], 0, 1e-15);
        assert_true(fabs(r.seen.wheels[i].steer_velocity) <= control.def.steer_rate + 1e-12);
        assert_true(fabs(r.seen.wheels[i].drive_velocity) > 0);
    }
    run(&r, 10);
    assert_true(!(r.state.flags & GR_DRIVE_FLAG_STEERING));
    assert_near(r.out.plan.curvature, 1.2, 0);
    assert_near(r.seen.yaw_rate, 0.12, 1e-9);
    control.def.steer_hold = INFINITY; // configured not to wait
    r = (Ideal){.control = &control};
    run(&r, 1);
    assert_true(r.state.speed[0] > 0);
}

/// Walking legs: the body goes steadily and the wheels that stand do not roll.
static void test_wheel_walking(void **state)
{
    (void)state;
    const double speed = 0.02;
    const GrScriptEntry script[] = {{0, {.mode = GR_DRIVE_WHEEL_WALK, .speed = speed}},
                                    {120, {.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.05}}};
    const GrControl control = make("exomars_like.yaml", script, 2);
    Ideal r = {.control = &control};
    const double half = 0.5 * control.def.stride;
    run(&r, 20);
    assert_true(r.state.walking);
    const double from = r.seen.x, since = r.seen.time;
    int swinging_most = 0;
    while (r.seen.time < 100) {
        ideal_step(&r, STEP);
        int swinging = 0;
        for (int i = 0; i < 6; i++) {
            const GrDriveWheel *w = &control.geometry.wheels[i];
            const GrWheelJoints *joints = &r.seen.wheels[i];
            const double rolling = (joints->drive_velocity + joints->walk_velocity) * w->radius;
            swinging += fabs(rolling) > 1.5 * speed;
            assert_true(fabs(r.state.walk[i]) <= half + 1e-12);
        }
        swinging_most = swinging > swinging_most ? swinging : swinging_most;
        assert_true(swinging <= 2); // one, or two in the step in which they change over
    }
    const double walked = (r.seen.x - from) / (r.seen.time - since);
    print_message("wheel walking: stride %.3f m, %.4f m/s of %.4f, at most %d wheels swing\n", control.def.stride,
                  walked, speed, swinging_most);
    assert_near_rel(walked, speed, 0.02);
    run(&r, 150);
    for (int i = 0; i < 6; i++) { // legs are back
        assert_near(r.seen.wheels[i].walk_position, 0, 1e-12);
    }
    assert_near(r.seen.v_x, 0.05, 1e-9);
}

/// A steering motor that takes a speed is brought to the angle by control.
static void test_speed_steering_is_servoed(void **state)
{
    (void)state;
    GrControl control = make("el_dorado2.yaml", SCRIPT, 5);
    control.geometry.wheels[0].steer_servo = false;
    GrControlState s = {.steer = {0}};
    GrControlObservation seen = {.time = 30};
    GrControlOutput out;
    gr_control_update(&control, &s, &seen, &out);
    s.steer[0] = 0.2;
    seen.wheels[0].steer_position = 0.1;
    gr_control_update(&control, &s, &seen, &out);
    for (int k = 0; k < out.count; k++) {
        if (out.joint[k] == control.geometry.wheels[0].steer) {
            assert_near(out.command[k], control.def.steer_gain * 0.1, 1e-12);
        }
    }
}

static void test_state_is_bytes(void **state)
{
    (void)state;
    const GrControl control = make("el_dorado2.yaml", SCRIPT, 5);
    Ideal r = {.control = &control};
    run(&r, 30);
    unsigned char saved[sizeof r.state];
    memcpy(saved, &r.state, sizeof saved);
    Ideal again = {.control = &control, .seen = r.seen};
    memcpy(&again.state, saved, sizeof saved);
    run(&r, 60);
    run(&again, 60);
    assert_memory_equal(&r.state, &again.state, sizeof r.state);
    assert_memory_equal(&r.seen, &again.seen, sizeof r.seen);
}

/// Wheels that steer on the spot scrub and roll a little while the chassis is pushed about: that does not count as slip
/// of a drive.
static void test_no_slip_is_measured_while_wheels_steer(void **state)
{
    (void)state;
    static const GrScriptEntry crab[] = {{0, {.mode = GR_DRIVE_CRAB, .speed = 0.1, .crab = 0.8}}};
    GrControl control = make("el_dorado2.yaml", crab, 1);
    control.def.compensate_slip = true;
    Ideal r = {.control = &control};
    run(&r, 2 * STEP);
    assert_true(r.state.flags & GR_DRIVE_FLAG_STEERING);
    for (int i = 0; i < control.geometry.wheel_count; i++) {
        r.seen.wheels[i].drive_velocity = 0.5;
    }
    r.seen.v_x = 0.02;
    r.seen.v_y = 0.01;
    r.seen.time += STEP;
    gr_control_update(&control, &r.state, &r.seen, &r.out);
    assert_true(r.state.slip == 0 && r.state.slide == 0);
    run(&r, 20); // steered: half of the rolling is lost from now on, and is measured
    assert_false(r.state.flags & GR_DRIVE_FLAG_STEERING);
    const double slip = r.state.slip, share = 1 - exp(-STEP / control.def.slip_time);
    r.seen.v_x *= 0.5;
    r.seen.v_y *= 0.5;
    gr_control_update(&control, &r.state, &r.seen, &r.out);
    assert_near(r.state.slip, slip + share * (0.5 - slip), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script_by_time),
        cmocka_unit_test(test_driver_takes_over),
        cmocka_unit_test(test_wheels_wait_for_the_steering),
        cmocka_unit_test(test_wheel_walking),
        cmocka_unit_test(test_speed_steering_is_servoed),
        cmocka_unit_test(test_state_is_bytes),
        cmocka_unit_test(test_no_slip_is_measured_while_wheels_steer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

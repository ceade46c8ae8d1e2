/// Dead reckoning: exact without slip, with the expected error otherwise.
#include "control_test.h"

static GrControl make(const char *file)
{
    const GrDriveGeometry g = load_geometry(file);
    const GrControlDef def = gr_default_control_def();
    GrControl control;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_OK);
    return control;
}

/// Joints of a wheel whose contact does not slip while the chassis has this twist and the steering turns at `rate`.
static GrWheelJoints no_slip(const GrDriveWheel *w, double v_x, double v_y, double yaw, double rate)
{
    const double x = v_x - yaw * w->pivot_y, y = v_y + yaw * w->pivot_x;
    const double lead = w->lead, side = w->side; // heading 0
    const double steer = atan2(y, x) + asin((yaw + rate) * lead / hypot(x, y));
    const double c = cos(steer), s = sin(steer);
    const double offset_x = c * lead - s * side, offset_y = s * lead + c * side;
    const double rolling = (x - (yaw + rate) * offset_y) * c + (y + (yaw + rate) * offset_x) * s;
    return (GrWheelJoints){.drive_velocity = w->drive_sign * rolling / w->radius,
                           .steer_position = w->steer_sign * steer,
                           .steer_velocity = w->steer_sign * rate};
}

static void test_any_twist_without_slip_is_found(void **state)
{
    (void)state;
    const GrControl control = make("el_dorado2.yaml");
    GrRandom random = gr_random_stream(4, "odometry");
    for (int k = 0; k < 500; k++) {
        const double v_x = gr_random_uniform(&random, 0.5, 1), v_y = gr_random_uniform(&random, -0.2, 0.2);
        const double yaw = gr_random_uniform(&random, -0.5, 0.5);
        GrControlObservation seen = {0};
        for (int i = 0; i < control.geometry.wheel_count; i++) {
            const double rate = gr_random_uniform(&random, -1, 1);
            seen.wheels[i] = no_slip(&control.geometry.wheels[i], v_x, v_y, yaw, rate);
        }
        GrOdometry found = {0};
        gr_odometry_twist(&control, &seen, &found);
        assert_near(found.v_x, v_x, 1e-11);
        assert_near(found.v_y, v_y, 1e-11);
        assert_near(found.yaw_rate, yaw, 1e-11);
    }
}

/// Legs that swing while the chassis goes on: a hub at leg_x cos θ + leg_z sin θ before the leg's axle moves with the
/// sum of both, and the wheel turns with the leg and about its axle.
static void test_legs_that_swing(void **state)
{
    (void)state;
    const GrControl control = make("exomars_like.yaml");
    assert_true(control.geometry.walk_count > 0);
    GrRandom random = gr_random_stream(6, "legs");
    for (int k = 0; k < 200; k++) {
        const double v_x = gr_random_uniform(&random, -0.1, 0.1), e = 1e-6;
        GrControlObservation seen = {0};
        for (int i = 0; i < control.geometry.wheel_count; i++) {
            const GrDriveWheel *w = &control.geometry.wheels[i];
            GrWheelJoints *joints = &seen.wheels[i];
            double hub = v_x, rate = 0;
            if (w->walk >= 0) {
                const double angle = gr_random_uniform(&random, -0.5, 0.5), a = angle + e, b = angle - e;
                rate = gr_random_uniform(&random, -0.3, 0.3);
                hub += rate * (w->leg_x * (cos(a) - cos(b)) + w->leg_z * (sin(a) - sin(b))) / (2 * e);
                joints->walk_position = w->walk_initial + w->walk_sign * angle;
                joints->walk_velocity = w->walk_sign * rate;
            }
            joints->drive_velocity = w->drive_sign * (hub / w->radius - rate);
        }
        GrOdometry found = {0};
        gr_odometry_twist(&control, &seen, &found);
        assert_near(found.v_x, v_x, 1e-9);
        assert_near(found.v_y, 0, 1e-9);
        assert_near(found.yaw_rate, 0, 1e-9);
    }
}

/// A drive in a spiral of arcs, integrated in closed form beside it.
static void test_ideal_drive_is_reproduced(void **state)
{
    (void)state;
    const GrControl control = make("el_dorado2.yaml");
    GrOdometry odometry = {.x = 3, .y = -2, .heading = 0.7};
    double x = 3, y = -2, heading = 0.7;
    for (int arc = 0; arc < 40; arc++) {
        const double v_x = 0.05 + 0.001 * arc, v_y = 0.01, yaw = 0.04 * sin(arc), dt = 0.5;
        GrControlObservation seen = {0};
        for (int i = 0; i < control.geometry.wheel_count; i++) {
            seen.wheels[i] = no_slip(&control.geometry.wheels[i], v_x, v_y, yaw, 0);
        }
        gr_odometry_twist(&control, &seen, &odometry); // the arc begins with its own twist
        for (int k = 0; k < 20; k++) {
            gr_odometry_update(&control, &seen, dt, &odometry);
            // x' = cos h v_x − sin h v_y, y' = sin h v_x + cos h v_y, h' = yaw
            const double next = heading + yaw * dt;
            if (fabs(yaw) > 1e-6) {
                x += (v_x * (sin(next) - sin(heading)) + v_y * (cos(next) - cos(heading))) / yaw;
                y += (v_x * (cos(heading) - cos(next)) + v_y * (sin(next) - sin(heading))) / yaw;
            } else {
                x += dt * (v_x * cos(heading) - v_y * sin(heading));
                y += dt * (v_x * sin(heading) + v_y * cos(heading));
            }
            heading = next;
        }
    }
    print_message("odometry after 400 s without slip: off by %.2g m, %.2g rad\n", hypot(odometry.x - x, odometry.y - y),
                  fabs(gr_wrap_angle(odometry.heading - heading)));
    assert_near(odometry.x, x, 1e-9);
    assert_near(odometry.y, y, 1e-9);
    assert_near(gr_wrap_angle(odometry.heading - heading), 0, 1e-10);
}

/// Wheels of a skid-steered rover say what the left and right sides rolled; scrubbing does not spoil it.
static void test_skid_odometry_is_differential(void **state)
{
    (void)state;
    const GrControl control = make("rashid_like.yaml");
    GrControlObservation seen = {0};
    const double v = 0.05, yaw = 0.2;
    for (int i = 0; i < control.geometry.wheel_count; i++) {
        const GrDriveWheel *w = &control.geometry.wheels[i];
        seen.wheels[i].drive_velocity = w->drive_sign * (v - yaw * w->contact.y) / w->radius;
    }
    GrOdometry found = {0};
    gr_odometry_twist(&control, &seen, &found);
    assert_near(found.v_x, v, 1e-12);
    assert_near_rel(found.yaw_rate, yaw, 1e-3); // what the weight of "no side slip" leaves
}

static void test_gyro_gives_the_heading(void **state)
{
    (void)state;
    GrControl control = make("rashid_like.yaml");
    control.def.use_gyro = true;
    GrControlObservation seen = {.yaw_rate = 0.03};
    for (int i = 0; i < control.geometry.wheel_count; i++) {
        seen.wheels[i].drive_velocity = 1;
    }
    GrOdometry found = {0};
    gr_odometry_twist(&control, &seen, &found);
    assert_near(found.yaw_rate, 0.03, 1e-15);
    assert_near(found.v_x, control.geometry.wheels[0].radius, 1e-12);
}

/// One wheel that spins on its own is outvoted, not believed.
static void test_one_spinning_wheel_is_averaged(void **state)
{
    (void)state;
    const GrControl control = make("curiosity_like.yaml");
    GrControlObservation seen = {0};
    for (int i = 0; i < control.geometry.wheel_count; i++) {
        seen.wheels[i].drive_velocity = i == 0 ? 2 : 1;
    }
    GrOdometry found = {0};
    gr_odometry_twist(&control, &seen, &found);
    const double radius = control.geometry.wheels[0].radius;
    assert_near(found.v_x, 7.0 / 6 * radius, 0.02 * radius);
    assert_true(fabs(found.yaw_rate) < 0.2 * radius);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_twist_without_slip_is_found), cmocka_unit_test(test_legs_that_swing),
        cmocka_unit_test(test_ideal_drive_is_reproduced),       cmocka_unit_test(test_skid_odometry_is_differential),
        cmocka_unit_test(test_gyro_gives_the_heading),          cmocka_unit_test(test_one_spinning_wheel_is_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

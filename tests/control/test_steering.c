/// Steering geometry: every wheel rolls about one centre of rotation, at the speed of the ground below it.
#include "control_test.h"

/// Rounding of angles and positions of the order of a metre.
static const double EXACT = 1e-12;

typedef struct Contact {
    double x, y; ///< of the wheel at its steering angle
    GrWheelAxes axes;
} Contact;

/// Reference: by rotation of the offset.
static Contact contact_at(const GrDriveWheel *w, double steer)
{
    const double c = cos(w->heading + steer), s = sin(w->heading + steer);
    return (Contact){w->pivot_x + c * w->lead - s * w->side, w->pivot_y + s * w->lead + c * w->side,
                     gr_wheel_axes(w, steer)};
}

/// Rolling speed is the contact's velocity v + yaw × r along the wheel; across it there is none.
static void check_no_slip(const GrDriveGeometry *g, const GrDrivePlan *p, double tolerance)
{
    double worst = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        const Contact c = contact_at(&g->wheels[i], p->steer[i]);
        const double x = p->v_x - p->yaw_rate * c.y, y = p->v_y + p->yaw_rate * c.x;
        assert_near(p->speed[i], x * c.axes.e_x + y * c.axes.e_y, tolerance);
        worst = fmax(worst, fabs(x * c.axes.n_x + y * c.axes.n_y));
    }
    assert_near(p->scrub, worst, tolerance);
}

/// The line of each axle passes through the centre of rotation.
static void check_axles_meet(const GrDriveGeometry *g, const GrDrivePlan *p)
{
    const double x = -p->v_y / p->yaw_rate, y = p->v_x / p->yaw_rate;
    for (int i = 0; i < g->wheel_count; i++) {
        const Contact c = contact_at(&g->wheels[i], p->steer[i]);
        const double distance = (x - c.x) * c.axes.e_x + (y - c.y) * c.axes.e_y;
        assert_near(distance, 0, EXACT * fmax(1, hypot(x, y)));
    }
}

/// Wheels anywhere, mounted at any angle, with any steering offset.
static GrDriveGeometry random_geometry(GrRandom *random, double limit)
{
    GrDriveGeometry g = {.wheel_count = 6, .steer_count = 6, .reach = 1, .length = 1};
    for (int i = 0; i < g.wheel_count; i++) {
        g.wheels[i] = (GrDriveWheel){
            .drive = 2 * i,
            .steer = 2 * i + 1,
            .walk = -1,
            .drive_sign = i % 2 ? 1 : -1,
            .steer_sign = i % 3 ? 1 : -1,
            .radius = 0.1,
            .pivot_x = gr_random_uniform(random, -1, 1),
            .pivot_y = gr_random_uniform(random, -1, 1),
            .lead = gr_random_uniform(random, -0.05, 0.05),
            .side = gr_random_uniform(random, -0.1, 0.1),
            .heading = gr_random_uniform(random, -0.3, 0.3),
            .steer_min = -limit,
            .steer_max = limit,
        };
        const Contact c = contact_at(&g.wheels[i], 0);
        g.wheels[i].contact = (GrVec3){c.x, c.y, 0};
        g.middle_x += g.wheels[i].contact.x / 6;
        g.middle_y += g.wheels[i].contact.y / 6;
    }
    return g;
}

static void test_axles_meet_in_one_centre(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "steering");
    int turns = 0;
    for (int k = 0; k < 2000; k++) {
        const GrDriveGeometry g = random_geometry(&random, PI);
        const GrDriveCommand command = {.mode = GR_DRIVE_DOUBLE_ACKERMANN,
                                        .speed = gr_random_uniform(&random, -1, 1),
                                        .curvature = gr_random_uniform(&random, -3, 3),
                                        .crab = gr_random_uniform(&random, -1.5, 1.5)};
        GrDrivePlan p;
        gr_drive_plan(&g, &command, &p);
        if (p.flags & GR_DRIVE_FLAG_SINGULAR) { // the centre fell on a steering axis
            continue;
        }
        turns++;
        assert_int_equal(p.flags, 0);
        assert_near(p.curvature, command.curvature, 0);
        assert_near(p.scrub, 0, EXACT);
        check_no_slip(&g, &p, EXACT);
        check_axles_meet(&g, &p);
    }
    assert_true(turns > 1800);
}

/// Mode fixed: the same rim speed everywhere, and the steering angles asked for, whatever the geometry. The twist is
/// the one nearest to the rolling velocities: any small change of it is worse.
static void test_fixed_angles_and_speeds(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(7, "steering");
    for (int k = 0; k < 200; k++) {
        const GrDriveGeometry g = random_geometry(&random, PI);
        GrDriveCommand command = {.mode = GR_DRIVE_FIXED, .speed = gr_random_uniform(&random, -1, 1)};
        for (int i = 0; i < g.wheel_count; i++) {
            command.steer[i] = gr_random_uniform(&random, -3, 3);
        }
        GrDrivePlan p;
        gr_drive_plan(&g, &command, &p);
        assert_int_equal(p.flags, 0);
        assert_false(p.holds_steering);
        double error[7] = {0};
        for (int i = 0; i < g.wheel_count; i++) {
            assert_true(p.speed[i] == command.speed);
            assert_true(p.steer[i] == command.steer[i]);
            const Contact c = contact_at(&g.wheels[i], p.steer[i]);
            for (int j = 0; j < 7; j++) { // as planned, and perturbed in v_x, v_y and yaw rate, with both signs
                const double by = j % 2 ? 1e-3 : -1e-3;
                const double yaw = p.yaw_rate + (j == 5 || j == 6 ? by : 0);
                const double x = p.v_x + (j == 1 || j == 2 ? by : 0) - yaw * c.y,
                             y = p.v_y + (j == 3 || j == 4 ? by : 0) + yaw * c.x;
                error[j] += pow(x - command.speed * c.axes.e_x, 2) + pow(y - command.speed * c.axes.e_y, 2);
            }
        }
        for (int j = 1; j < 7; j++) {
            assert_true(error[j] > error[0]);
        }
    }
}

/// Beyond a limit the wheel stands at it, and says so; wheels that do not steer stay straight; turns are ignored aloud.
static void test_fixed_limits(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(8, "steering");
    GrDriveGeometry g = random_geometry(&random, 0.5);
    GrDriveCommand command = {.mode = GR_DRIVE_FIXED, .speed = 0.1};
    GrDrivePlan p;
    for (int i = 0; i < g.wheel_count; i++) {
        command.steer[i] = 0.4;
    }
    g.wheels[2].steer = -1;
    gr_drive_plan(&g, &command, &p);
    assert_int_equal(p.flags, 0);
    assert_true(p.steer[2] == 0 && p.steer[3] == 0.4);
    command.steer[1] = -0.8;
    command.curvature = 1;
    gr_drive_plan(&g, &command, &p);
    assert_true(p.steer[1] == -0.5);
    assert_int_equal(p.flags, GR_DRIVE_FLAG_STEER_LIMIT | GR_DRIVE_FLAG_TURN_IGNORED);
}

/// Equal angles and speeds are a crab: no wheel scrubs, and the twist is that of the crab mode.
static void test_fixed_like_crab(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("exomars_like.yaml");
    GrDriveCommand command = {.mode = GR_DRIVE_FIXED, .speed = 0.05};
    for (int i = 0; i < g.wheel_count; i++) {
        command.steer[i] = 0.3;
    }
    GrDrivePlan fixed, crab;
    gr_drive_plan(&g, &command, &fixed);
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.05, .crab = 0.3}, &crab);
    assert_near(fixed.v_x, crab.v_x, EXACT);
    assert_near(fixed.v_y, crab.v_y, EXACT);
    assert_near(fixed.yaw_rate, 0, EXACT);
    assert_near(fixed.crab, 0.3, EXACT);
    assert_near(fixed.scrub, 0, EXACT);
}

static void test_crab_keeps_the_heading(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "steering");
    for (int k = 0; k < 200; k++) {
        const GrDriveGeometry g = random_geometry(&random, PI);
        const double crab = gr_random_uniform(&random, -1.5, 1.5);
        GrDrivePlan p;
        gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.2, .crab = crab}, &p);
        assert_true(p.yaw_rate == 0);
        assert_near(p.scrub, 0, EXACT);
        for (int i = 0; i < g.wheel_count; i++) { // rolling forward or backward along the same line
            assert_near(sin(p.steer[i] + g.wheels[i].heading - crab), 0, EXACT);
            assert_near(fabs(p.speed[i]), 0.2, EXACT);
        }
        gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.2, .curvature = 1}, &p);
        assert_true(p.flags == GR_DRIVE_FLAG_TURN_IGNORED);
    }
}

/// A left turn is the mirror image of a right turn, and driving backwards only turns the wheels' speeds round.
static void test_left_and_right_mirror(void **state)
{
    (void)state;
    const char *const files[] = {"el_dorado2.yaml", "curiosity_like.yaml", "exomars_like.yaml", "lrv_like.yaml"};
    for (int k = 0; k < 4; k++) {
        const GrDriveGeometry g = load_geometry(files[k]);
        GrDrivePlan left, right, back;
        gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1, .curvature = 0.3}, &left);
        gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1, .curvature = -0.3},
                      &right);
        gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = -0.1, .curvature = 0.3}, &back);
        check_no_slip(&g, &left, EXACT);
        for (int i = 0; i < g.wheel_count; i++) {
            int twin = 0;
            for (int j = 0; j < g.wheel_count; j++) {
                const GrVec3 a = g.wheels[i].contact, b = g.wheels[j].contact;
                twin = hypot(a.x - b.x, a.y + b.y) < 1e-9 ? j : twin;
            }
            assert_near(left.steer[i], -right.steer[twin], EXACT);
            assert_near(left.speed[i], right.speed[twin], EXACT);
            assert_near(left.steer[i], back.steer[i], EXACT);
            assert_near(left.speed[i], -back.speed[i], EXACT);
        }
    }
}

static void test_point_turn_is_about_the_middle(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("el_dorado2.yaml");
    GrDrivePlan p;
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.1}, &p);
    assert_int_equal(p.flags, 0);
    assert_near(p.v_x, 0, EXACT);
    assert_near(p.v_y, 0, EXACT);
    assert_near(p.yaw_rate, 0.1, EXACT);
    assert_near(p.scrub, 0, EXACT);
    check_axles_meet(&g, &p);
    check_no_slip(&g, &p, EXACT);
    // The middle wheels of a rover that cannot steer them are on the axle through the centre.
    const GrDriveGeometry six = load_geometry("curiosity_like.yaml");
    gr_drive_plan(&six, &(GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.1}, &p);
    assert_near(p.centre_x, -0.089, EXACT);
    assert_near(p.scrub, 0, EXACT);
    check_axles_meet(&six, &p);
}

static void test_ackermann_steers_the_front_alone(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("lrv_like.yaml");
    GrDrivePlan p;
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_ACKERMANN, .speed = 1, .curvature = 0.2}, &p);
    assert_int_equal(p.flags, 0);
    assert_near(p.scrub, 0, EXACT);
    check_axles_meet(&g, &p);
    int straight = 0;
    for (int i = 0; i < g.wheel_count; i++) {
        straight += p.steer[i] == 0;
        assert_true((p.steer[i] == 0) == (g.wheels[i].contact.x < g.middle_x));
    }
    assert_int_equal(straight, 2);
}

static void test_skid_is_differential(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("rashid_like.yaml");
    GrDrivePlan p;
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_SKID, .speed = 0.1, .yaw_rate = 0.2}, &p);
    assert_int_equal(p.flags, 0);
    for (int i = 0; i < g.wheel_count; i++) {
        assert_true(p.steer[i] == 0);
        assert_near(p.speed[i], 0.1 - 0.2 * (g.wheels[i].contact.y - p.centre_y), EXACT);
    }
    assert_true(p.scrub > 0.01); // said, not hidden
}

/// Beyond a limit the turn becomes wider, all axles still meet, and the flag is up.
static void test_limits_widen_the_turn(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "steering");
    int limited = 0;
    for (int k = 0; k < 2000; k++) {
        GrDriveGeometry g = random_geometry(&random, gr_random_uniform(&random, 0.35, 1.4));
        for (int i = 0; i < g.wheel_count; i++) {
            g.wheels[i].heading = 0;
            g.wheels[i].lead *= k % 2; // 0: one angle within limits, not two
        }
        const GrDriveCommand command = {
            .mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 1, .curvature = gr_random_uniform(&random, -2, 2)};
        GrDrivePlan p;
        gr_drive_plan(&g, &command, &p);
        bool at_limit = false;
        for (int i = 0; i < g.wheel_count; i++) {
            assert_true(p.steer[i] >= g.wheels[i].steer_min && p.steer[i] <= g.wheels[i].steer_max);
            at_limit = at_limit || fabs(fabs(p.steer[i]) - g.wheels[i].steer_max) < 1e-9;
        }
        assert_near(p.scrub, 0, 1e-9);
        if (p.flags & GR_DRIVE_FLAG_STEER_LIMIT) {
            limited++;
            assert_true(at_limit || k % 2);
            assert_true(fabs(p.curvature) < fabs(command.curvature));
            assert_true(p.curvature * command.curvature > 0);
        } else {
            assert_near(p.curvature, command.curvature, 0);
        }
    }
    assert_true(limited > 100 && limited < 1900);
}

static void test_limits_of_crab_and_point_turn_are_reported(void **state)
{
    (void)state;
    const GrDriveGeometry g = load_geometry("el_dorado2.yaml"); // steers to 60 deg
    GrDrivePlan p;
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.1, .crab = 70 * PI / 180}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_CRAB_LIMIT);
    assert_near(p.crab, 60 * PI / 180, EXACT);
    assert_near(p.scrub, 0, EXACT);
    // Straight back is 180 deg: the wheels roll backwards instead.
    gr_drive_plan(&g, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.1, .crab = PI}, &p);
    assert_int_equal(p.flags, 0);
    assert_near(p.speed[0], -0.1, EXACT);
    const GrDriveGeometry viper = load_geometry("viper_like.yaml"); // steers to 30 deg
    gr_drive_plan(&viper, &(GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.1}, &p);
    assert_true(p.flags & GR_DRIVE_FLAG_STEER_LIMIT);
    assert_true(p.scrub > 0);
    check_no_slip(&viper, &p, EXACT);
}

static void test_what_a_rover_cannot_do_is_reported(void **state)
{
    (void)state;
    const GrDriveGeometry rashid = load_geometry("rashid_like.yaml"), six = load_geometry("curiosity_like.yaml");
    GrDrivePlan p;
    gr_drive_plan(&rashid, &(GrDriveCommand){.mode = GR_DRIVE_ACKERMANN, .speed = 0.1}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_UNSUPPORTED);
    assert_true(p.speed[0] == 0);
    gr_drive_plan(&six, &(GrDriveCommand){.mode = GR_DRIVE_CRAB, .speed = 0.1}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_UNSUPPORTED);
    gr_drive_plan(&six, &(GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1, .crab = 0.1}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_CRAB_IGNORED);
    gr_drive_plan(&six, &(GrDriveCommand){.mode = GR_DRIVE_MODE_COUNT, .speed = 0.1}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_UNSUPPORTED);
    gr_drive_plan(&rashid, &(GrDriveCommand){.mode = GR_DRIVE_WHEEL_WALK, .speed = 0.1}, &p);
    assert_true(p.flags == GR_DRIVE_FLAG_UNSUPPORTED);
    for (int bit = 0; bit < GR_DRIVE_FLAG_COUNT; bit++) {
        assert_true(strlen(gr_drive_flag_text(bit)) > 0);
    }
}

static void test_modes_have_names(void **state)
{
    (void)state;
    for (int mode = 0; mode < GR_DRIVE_MODE_COUNT; mode++) {
        assert_int_equal(gr_drive_mode_named(gr_drive_mode_name((GrDriveMode)mode)), mode);
        assert_true(strlen(gr_drive_mode_text((GrDriveMode)mode)) > 0);
    }
    assert_int_equal(gr_drive_mode_named("moonwalk"), GR_DRIVE_MODE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axles_meet_in_one_centre),
        cmocka_unit_test(test_fixed_angles_and_speeds),
        cmocka_unit_test(test_fixed_limits),
        cmocka_unit_test(test_fixed_like_crab),
        cmocka_unit_test(test_crab_keeps_the_heading),
        cmocka_unit_test(test_left_and_right_mirror),
        cmocka_unit_test(test_point_turn_is_about_the_middle),
        cmocka_unit_test(test_ackermann_steers_the_front_alone),
        cmocka_unit_test(test_skid_is_differential),
        cmocka_unit_test(test_limits_widen_the_turn),
        cmocka_unit_test(test_limits_of_crab_and_point_turn_are_reported),
        cmocka_unit_test(test_what_a_rover_cannot_do_is_reported),
        cmocka_unit_test(test_modes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

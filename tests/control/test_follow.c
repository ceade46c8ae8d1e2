/// Following a path with a rover that never slips: convergence, timing, way-points.
#include "control_test.h"

static const double STEP = 0.1;

static GrControl make(const char *file, const GrWayPoint *path, int count, GrFollower follower)
{
    const GrDriveGeometry g = load_geometry(file);
    GrControlDef def = gr_default_control_def();
    def.source = GR_CONTROL_PATH;
    def.path = path;
    def.path_count = count;
    def.follower = follower;
    GrControl control;
    assert_int_equal(gr_control_prepare(&g, &def, &control, NULL), GR_OK);
    return control;
}

static const char *follower_name(GrFollower follower)
{
    return follower == GR_FOLLOW_PURE_PURSUIT ? "pure pursuit" : follower == GR_FOLLOW_P ? "P" : "PID";
}

/// Starts beside a line: the distance falls, stays small, and the end is reached.
static void test_converges_on_a_line(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{0.01, 0, NAN}, {6, 0, NAN}};
    const char *const files[] = {"el_dorado2.yaml", "curiosity_like.yaml", "rashid_like.yaml", "lrv_like.yaml"};
    for (int f = 0; f < 8; f++) { // the integral of PID settles more slowly: test_side_slip
        const GrFollower follower = f % 2 ? GR_FOLLOW_P : GR_FOLLOW_PURE_PURSUIT;
        GrControl control = make(files[f / 2], path, 2, follower);
        control.def.look_ahead = 0.6;
        control.def.tolerance = 0.3;
        Ideal r = {.control = &control};
        r.seen.y = 0.25;
        double late = 0;
        while (!r.state.finished && r.seen.time < 1000) {
            ideal_step(&r, STEP);
            late = r.seen.x > 4 ? fmax(late, fabs(r.seen.y)) : late;
        }
        print_message("%s on a line, %s: off by %.2g m after 4 m, %.1f s\n", follower_name(follower), files[f / 2],
                      late, r.seen.time);
        assert_true(r.state.finished);
        assert_int_equal(r.state.missed, 0);
        assert_true(late < 0.01);
        assert_near(r.seen.x + control.centre_x, 6, 0.05);
    }
}

/// A steady side slip: P keeps the offset at which its two terms balance, e = −L tan(slide), PID takes it away.
static void test_side_slip(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{0.01, 0, NAN}, {20, 0, NAN}};
    const double slide = 0.1, length = 0.6;
    const GrFollower followers[] = {GR_FOLLOW_P, GR_FOLLOW_PID};
    double off[2] = {0, 0};
    for (int f = 0; f < 2; f++) {
        GrControl control = make("rashid_like.yaml", path, 2, followers[f]);
        control.def.look_ahead = length;
        Ideal r = {.control = &control};
        while (!r.state.finished && r.seen.time < 2000) {
            const double before = r.seen.x;
            ideal_step(&r, STEP);
            r.seen.y += slide * (r.seen.x - before);
            off[f] = r.seen.x > 15 && r.seen.x < 16 ? r.seen.y : off[f];
        }
        assert_true(r.state.finished);
    }
    print_message("side slip of %.1f rad: P is off by %.4f m, PID by %.4f m\n", slide, off[0], off[1]);
    assert_near(off[0], length * tan(slide), 0.1 * length * tan(slide));
    assert_true(fabs(off[1]) < 0.02 * off[0]);
}

/// A circle of way-points: pure pursuit cuts in by about L² / 8R, no more; P follows chord by chord.
static void test_follows_a_circle(void **state)
{
    (void)state;
    enum { COUNT = 72 };
    const double radius = 2;
    GrWayPoint path[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double angle = 2 * PI * (i + 1) / COUNT;
        path[i] = (GrWayPoint){radius * sin(angle), radius * (1 - cos(angle)), NAN};
    }
    for (int f = 0; f < 2; f++) {
        const GrFollower follower = f ? GR_FOLLOW_P : GR_FOLLOW_PURE_PURSUIT;
        GrControl control = make("el_dorado2.yaml", path, COUNT, follower);
        control.def.tolerance = 0.1;
        control.def.look_ahead = 0.5;
        Ideal r = {.control = &control};
        double inside = 0, outside = 0;
        while (!r.state.finished && r.seen.time < 1000) {
            ideal_step(&r, STEP);
            const double off = hypot(r.seen.x, r.seen.y - radius) - radius;
            outside = fmax(outside, off);
            inside = fmax(inside, -off);
        }
        print_message("%s on a circle of %g m: %.3f m inside, %.3f m outside\n", follower_name(follower), radius,
                      inside, outside);
        assert_true(r.state.finished);
        assert_int_equal(r.state.missed, 0);
        assert_true(inside < 0.05 && outside < 0.05);
        assert_near(hypot(r.seen.x, r.seen.y), 0, 0.1); // once round
    }
}

static void test_way_points_are_reached_in_time(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{1, 0, 30}, {2, 0, NAN}, {3, 0, 60}, {4, 0, 100}};
    GrControl control = make("el_dorado2.yaml", path, 4, GR_FOLLOW_PURE_PURSUIT);
    Ideal r = {.control = &control};
    double reached[4] = {0};
    int last = 0;
    while (!r.state.finished && r.seen.time < 200) {
        ideal_step(&r, STEP);
        for (; last < r.state.way_point; last++) {
            reached[last] = r.state.reached_time;
        }
    }
    print_message("arrivals %.2f %.2f %.2f %.2f s, wanted 30 - 60 100\n", reached[0], reached[1], reached[2],
                  reached[3]);
    assert_near(reached[0], 30, 0.5); // a tenth of the tolerance at 3 cm/s
    assert_near(reached[2], 60, 0.5);
    assert_near(reached[3], 100, 1.5); // it brakes before the end
    assert_true(r.state.flag_count[GR_DRIVE_BIT_LATE] == 0);
    const GrWayPoint soon[] = {{1, 0, 1}};
    control = make("el_dorado2.yaml", soon, 1, GR_FOLLOW_PURE_PURSUIT);
    r = (Ideal){.control = &control};
    while (!r.state.finished && r.seen.time < 200) {
        ideal_step(&r, STEP);
    }
    assert_true(r.state.finished && r.state.flag_count[GR_DRIVE_BIT_LATE] > 0);
}

/// A goal behind the rover: it turns on the spot first.
static void test_turns_before_it_goes(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{-2, 0.5, NAN}, {-2, -2, NAN}};
    const char *const files[] = {"el_dorado2.yaml", "curiosity_like.yaml", "rashid_like.yaml"};
    for (int f = 0; f < 3; f++) {
        GrControl control = make(files[f], path, 2, GR_FOLLOW_PURE_PURSUIT);
        Ideal r = {.control = &control};
        bool turned = false;
        while (!r.state.finished && r.seen.time < 2000) {
            ideal_step(&r, STEP);
            turned = turned || r.state.turning;
        }
        print_message("%s: behind and round a corner in %.0f s, largest miss %.3f m\n", files[f], r.seen.time,
                      r.state.miss_max);
        assert_true(turned && r.state.finished);
        assert_int_equal(r.state.missed, 0);
    }
}

/// A fast rover slows down before the corners at which it turns on the spot, and turns to where it wants to go instead
/// of swinging past it.
static void test_fast_round_corners(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{30, 0, NAN}, {30, 20, NAN}, {0, 20, NAN}};
    GrControl control = make("lrv_like.yaml", path, 3, GR_FOLLOW_PURE_PURSUIT);
    control.def.cruise_speed = 2;
    control.def.speed_max = 2;
    Ideal r = {.control = &control};
    double beyond = 0, turned = 0, fastest = 0;
    while (!r.state.finished && r.seen.time < 1000) {
        ideal_step(&r, STEP);
        beyond = fmax(beyond, fmax(r.seen.x - 30, r.seen.y - 20));
        turned += STEP * fabs(r.seen.yaw_rate);
        fastest = fmax(fastest, hypot(r.seen.v_x, r.seen.v_y));
    }
    print_message("at up to %.2f m/s round two corners in %.0f s: %.2f m beyond, turned by %.0f deg\n", fastest,
                  r.seen.time, beyond, turned * 180 / PI);
    assert_true(r.state.finished && fastest > 1);
    assert_int_equal(r.state.missed, 0);
    assert_true(beyond < control.def.tolerance + control.centre_x + 0.5);
    assert_true(turned < 1.5 * PI); // two quarters, and what the line needs
}

/// Half of the speed lost, and a drift to the side: compensated, the rover keeps pace and line.
static void test_slip_is_compensated(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{4, 0, NAN}};
    double off[2], time[2];
    for (int f = 0; f < 2; f++) {
        GrControl control = make("el_dorado2.yaml", path, 1, GR_FOLLOW_PURE_PURSUIT);
        control.def.compensate_slip = f == 1;
        Ideal r = {.control = &control};
        off[f] = 0;
        while (!r.state.finished && r.seen.time < 1000) {
            const double x = r.seen.x, y = r.seen.y;
            ideal_step(&r, STEP);
            const double step_x = r.seen.x - x, step_y = r.seen.y - y; // half of it, turned by −10 deg
            const double c = 0.5 * cos(10 * PI / 180), s = -0.5 * sin(10 * PI / 180);
            r.seen.x = x + c * step_x - s * step_y;
            r.seen.y = y + s * step_x + c * step_y;
            const double v_x = r.seen.v_x, v_y = r.seen.v_y;
            r.seen.v_x = c * v_x - s * v_y;
            r.seen.v_y = s * v_x + c * v_y;
            off[f] = r.seen.x > 2 ? fmax(off[f], fabs(r.seen.y)) : off[f];
        }
        time[f] = r.seen.time;
    }
    print_message("half the speed lost, 10 deg of drift: %.3f m off in %.0f s; compensated %.4f m in %.0f s\n", off[0],
                  time[0], off[1], time[1]);
    assert_true(off[1] < 0.2 * off[0] && time[1] < 0.6 * time[0]);
    assert_near(time[1], 4 / 0.05, 15);
}

static void test_bounded_compensation_is_reported(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{4, 0, NAN}};
    GrControl control = make("curiosity_like.yaml", path, 1, GR_FOLLOW_PURE_PURSUIT);
    control.def.compensate_slip = true;
    GrControlState s = {.slip = 0.9};
    const GrDriveCommand wanted = {.mode = GR_DRIVE_SKID, .speed = 0.1};
    assert_near(gr_slip_compensate(&control, &s, wanted).speed, 0.3, 1e-15);
    assert_true(s.flags == GR_DRIVE_FLAG_SLIP_BOUND);
    s = (GrControlState){.odometry = {.v_x = 0.1},
                         .steered = 1}; // wheels roll, the rover slides back: as much as is allowed
    gr_slip_measure(&control, &(GrControlObservation){.v_x = -0.05}, 100, &s);
    assert_near(s.slip, 1.5, 1e-6);
    assert_near(gr_slip_compensate(&control, &s, wanted).speed, 0.3, 1e-15);
    assert_true(s.flags == GR_DRIVE_FLAG_SLIP_BOUND);
    s = (GrControlState){.slip = 0.5};
    assert_near(gr_slip_compensate(&control, &s, wanted).speed, 0.2, 1e-15);
    assert_true(s.flags == 0);
    // A rover whose wheels lose half of their motion turns half as fast, too: twice the rate is asked for.
    const GrDriveCommand turn = {.mode = GR_DRIVE_POINT_TURN, .yaw_rate = -0.04};
    assert_near(gr_slip_compensate(&control, &s, turn).yaw_rate, -0.08, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converges_on_a_line),
        cmocka_unit_test(test_side_slip),
        cmocka_unit_test(test_follows_a_circle),
        cmocka_unit_test(test_way_points_are_reached_in_time),
        cmocka_unit_test(test_turns_before_it_goes),
        cmocka_unit_test(test_slip_is_compensated),
        cmocka_unit_test(test_bounded_compensation_is_reported),
        cmocka_unit_test(test_fast_round_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

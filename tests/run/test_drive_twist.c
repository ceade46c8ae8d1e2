/// Drive commands from velocities: the motion of the command is that of the twist, in a mode that the rover has.
#include "live_drive.h"

#include "random.h"
#include "test.h"

#include <math.h>

static const double ROUNDING = 1e-12;

static GrDriveLimits limits_with(int count, const GrDriveMode *modes)
{
    GrDriveLimits limits = {.driven = true, .best = modes[0], .speed = 1};
    for (int i = 0; i < count; i++) {
        limits.modes[modes[i]] = true;
    }
    limits.modes[GR_DRIVE_STOP] = true;
    return limits;
}

/// Velocities of a command, by the meaning of its fields (grouser/control.h).
static void assert_same_motion(const GrDriveCommand *c, const GrDriveTwist *t)
{
    assert_true(fabs(c->speed * cos(c->crab) - t->forward) < ROUNDING);
    assert_true(fabs(c->speed * sin(c->crab) - t->left) < ROUNDING);
    assert_true(fabs(c->speed * c->curvature + c->yaw_rate - t->yaw_rate) < ROUNDING);
    assert_true(fabs(c->crab) <= GR_PI / 2 + ROUNDING); // wheels do not steer further
}

static void test_motion(void **state)
{
    (void)state;
    static const GrDriveMode ALL[] = {GR_DRIVE_DOUBLE_ACKERMANN, GR_DRIVE_CRAB, GR_DRIVE_POINT_TURN};
    const GrDriveLimits limits = limits_with(3, ALL);
    GrRandom random = gr_random_stream(6, "twist");
    for (int i = 0; i < 500; i++) {
        const double forward = gr_random_uniform(&random, -1, 1);
        const double left = gr_random_uniform(&random, -1, 1);
        const double yaw_rate = gr_random_uniform(&random, -1, 1);
        const GrDriveTwist t = {i % 5 == 0 ? 0 : forward, i % 2 == 0 ? 0 : left, i % 3 == 0 ? 0 : yaw_rate};
        GrDriveCommand c;
        assert_int_equal(gr_drive_from_twist(&limits, &t, &c, NULL), GR_OK);
        assert_true(gr_drive_limits_allow(&limits, c.mode));
        assert_same_motion(&c, &t);
    }
}

static void test_modes(void **state)
{
    (void)state;
    static const GrDriveMode ACKERMANN[] = {GR_DRIVE_ACKERMANN}, SKID[] = {GR_DRIVE_SKID},
                             CRAB[] = {GR_DRIVE_ACKERMANN, GR_DRIVE_CRAB};
    const GrDriveLimits ackermann = limits_with(1, ACKERMANN), skid = limits_with(1, SKID), crab = limits_with(2, CRAB);
    const GrDriveTwist spin = {.yaw_rate = 0.1}, side = {.forward = 0.1, .left = 0.1}, stop = {0},
                       both = {.left = 0.1, .yaw_rate = 0.1};
    GrDriveCommand c;
    GrErrorLog log = {.quiet = true};
    assert_int_equal(gr_drive_from_twist(&ackermann, &stop, &c, NULL), GR_OK);
    assert_int_equal(c.mode, GR_DRIVE_STOP);
    assert_int_equal(gr_drive_from_twist(&skid, &spin, &c, NULL), GR_OK);
    assert_int_equal(c.mode, GR_DRIVE_SKID);
    assert_same_motion(&c, &spin);
    assert_int_equal(gr_drive_from_twist(&crab, &side, &c, NULL), GR_OK);
    assert_int_equal(c.mode, GR_DRIVE_CRAB);
    assert_int_equal(gr_drive_from_twist(&ackermann, &spin, &c, &log), GR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(log.items[0].text, "turn on the spot"));
    assert_int_equal(gr_drive_from_twist(&ackermann, &side, &c, NULL), GR_ERROR_UNSUPPORTED);
    assert_int_equal(gr_drive_from_twist(&crab, &both, &c, NULL), GR_ERROR_UNSUPPORTED);
    assert_int_equal(gr_drive_from_twist(&(GrDriveLimits){0}, &stop, &c, NULL), GR_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motion), cmocka_unit_test(test_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

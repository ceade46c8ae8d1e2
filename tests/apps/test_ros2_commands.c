/// Commands of ROS 2 nodes as drive commands: the turn of an Ackermann command is that of a bicycle, wheels included.
#include "mission_data.h"
#include "ros2_run.h"
#include "test.h"

#include <math.h>

static GrErrorLog error_log;

typedef struct Rover {
    GrRoverDef rover;
    GrModel *model;
    GrDriveGeometry geometry;
    GrDriveLimits limits;
} Rover;

static Rover load(const char *name)
{
    Rover r = {.limits = {.driven = true, .speed = 1}};
    assert_int_equal(gr_rover_load(name, NULL, &r.rover, &error_log), GR_OK);
    assert_int_equal(gr_model_create(&r.rover, NULL, &r.model, &error_log), GR_OK);
    assert_int_equal(gr_drive_geometry(r.model, &r.geometry, &error_log), GR_OK);
    r.limits.best = gr_drive_best_mode(&r.geometry);
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        r.limits.modes[i] = gr_drive_supports(&r.geometry, (GrDriveMode)i);
    }
    return r;
}

static void unload(Rover *r)
{
    gr_model_free(r->model);
    gr_rover_free(&r->rover);
}

static GrStatus ackermann(const Rover *r, float speed, float angle, GrDriveCommand *out, unsigned *ignored)
{
    const ackermann_msgs_msg_dds__AckermannDrive_ drive = {.speed = speed, .steering_angle = angle};
    memset(&error_log, 0, sizeof error_log);
    return gr_ros2_from_ackermann(&r->limits, &r->geometry, &drive, out, ignored, &error_log);
}

/// The front wheels aim at the centre that a wheel between them, steered to the angle, would aim at: the cotangents of
/// a pair about its middle have that of the angle as their mean.
static void test_ackermann(void **state)
{
    (void)state;
    Rover r = load("curiosity_like");
    for (int i = -3; i <= 3; i++) {
        const float angle = 0.1F * (float)i;
        GrDriveCommand command;
        GrDrivePlan plan;
        unsigned ignored = 0;
        double front = -INFINITY, cotangents = 0;
        int count = 0;
        assert_int_equal(ackermann(&r, 0.05F, angle, &command, &ignored), GR_OK);
        gr_drive_plan(&r.geometry, &command, &plan);
        assert_int_equal(plan.flags, 0);
        for (int w = 0; w < r.geometry.wheel_count; w++) {
            front = fmax(front, r.geometry.wheels[w].contact.x);
        }
        for (int w = 0; w < r.geometry.wheel_count; w++) {
            if (r.geometry.wheels[w].contact.x > front - 1e-6) {
                cotangents += 1 / tan(plan.steer[w]);
                count++;
            }
        }
        assert_int_equal(count, 2);
        if (i != 0) {
            assert_near(cotangents / 2, 1 / tan((double)angle), 1e-6 * fabs(1 / tan((double)angle)));
        } else {
            assert_near(command.curvature, 0, 0);
        }
        assert_int_equal(ignored, 0);
    }
    unload(&r);
}

static void test_refused(void **state)
{
    (void)state;
    Rover r = load("curiosity_like");
    GrDriveCommand command;
    unsigned ignored = 0;
    assert_int_equal(ackermann(&r, NAN, 0, &command, &ignored), GR_ERROR_VALUE);
    assert_int_equal(ackermann(&r, 0.1F, 1.6F, &command, &ignored), GR_ERROR_VALUE);
    assert_int_equal(ackermann(&r, 11, 0, &command, &ignored), GR_ERROR_VALUE);
    assert_string_equal(error_log.items[0].field, "/ackermann_cmd speed");
    assert_int_equal(ackermann(&r, 0, 0.2F, &command, &ignored), GR_OK);
    assert_int_equal(command.mode, GR_DRIVE_STOP);
    const geometry_msgs_msg_dds__Twist_ fast = {.linear.x = 10.5}, fine = {.linear.x = 0.1, .angular.x = 0.1};
    assert_int_equal(gr_ros2_from_twist(&r.limits, &fast, &command, &ignored, &error_log), GR_ERROR_VALUE);
    assert_int_equal(ignored, 0);
    assert_int_equal(gr_ros2_from_twist(&r.limits, &fine, &command, &ignored, &error_log), GR_OK);
    assert_int_equal(ignored, 1u << GR_ROS2_IGNORED_VERTICAL);
    const ackermann_msgs_msg_dds__AckermannDrive_ rates = {.speed = 0.1F, .jerk = 1};
    assert_int_equal(gr_ros2_from_ackermann(&r.limits, &r.geometry, &rates, &command, &ignored, &error_log), GR_OK);
    assert_true((ignored & 1u << GR_ROS2_IGNORED_RATES) != 0);
    unload(&r);

    r = load("scout_like"); // four wheels that do not steer
    assert_int_equal(r.limits.best, GR_DRIVE_SKID);
    assert_int_equal(ackermann(&r, 0.1F, 0.1F, &command, &ignored), GR_ERROR_UNSUPPORTED);
    unload(&r);
}

static int count_nodes(void *context, GrRosTopic topic)
{
    return topic == GR_ROS_START_REQUEST ? *(int *)context : 0;
}

/// After 5 s without another node the log says why that may be; not before, and not when one has connected.
static void test_alone(void **state)
{
    (void)state;
    char text[512] = "";
    int nodes = 0;
    const GrRosBus bus = {.context = &nodes, .count = count_nodes};
    GrRosBusDef def = {.domain = 7, .interface = "lo"};
    assert_false(gr_ros2_is_alone(&bus, &def, 4.9, text, sizeof text));
    assert_true(gr_ros2_is_alone(&bus, &def, 5, text, sizeof text));
    assert_non_null(strstr(text, "ROS_LOCALHOST_ONLY=1"));
    assert_non_null(strstr(text, "domain 7"));
    def.interface = "eth0";
    assert_true(gr_ros2_is_alone(&bus, &def, 5, text, sizeof text));
    assert_non_null(strstr(text, "interface eth0"));
    nodes = 1;
    assert_false(gr_ros2_is_alone(&bus, &def, 60, text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ackermann), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

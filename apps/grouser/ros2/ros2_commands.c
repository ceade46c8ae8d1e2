#include "ros2_commands.h"

#include "elementary.h"

#include <math.h>

const char *gr_ros2_ignored_text(GrRos2Ignored ignored)
{
    static const char *const texts[] = {
#define TEXT(constant, text) [GR_ROS2_IGNORED_##constant] = (text),
        GR_ROS2_IGNORED_LIST(TEXT)
#undef TEXT
    };
    return texts[ignored];
}

static GrStatus check(const char *field, double value, double most, const char *unit, GrErrorLog *log)
{
    if (fabs(value) <= most) { // false for NaN
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "found %g, allowed: %g to %g %s", value,
                        -most, most, unit);
}

GrStatus gr_ros2_from_twist(const GrDriveLimits *limits, const geometry_msgs_msg_dds__Twist_ *twist,
                            GrDriveCommand *out, unsigned *ignored, GrErrorLog *log)
{
    const GrDriveTwist t = {.forward = twist->linear.x, .left = twist->linear.y, .yaw_rate = twist->angular.z};
    if (check("/cmd_vel linear.x", t.forward, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/cmd_vel linear.y", t.left, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/cmd_vel angular.z", t.yaw_rate, GR_ROS2_YAW_RATE_MAX, "rad/s", log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    if (twist->linear.z != 0 || twist->angular.x != 0 || twist->angular.y != 0) {
        *ignored |= 1u << GR_ROS2_IGNORED_VERTICAL;
    }
    return gr_drive_from_twist(limits, &t, out, log);
}

/// Distance of the front axle from the point whose path is commanded, in that mode.
static double front_distance(const GrDriveGeometry *geometry, GrDriveMode mode)
{
    const GrDriveCommand ahead = {.mode = mode, .speed = 1};
    GrDrivePlan plan;
    gr_drive_plan(geometry, &ahead, &plan);
    double front = -INFINITY;
    for (int i = 0; i < geometry->wheel_count; i++) {
        front = fmax(front, geometry->wheels[i].contact.x);
    }
    return front - plan.centre_x;
}

GrStatus gr_ros2_from_ackermann(const GrDriveLimits *limits, const GrDriveGeometry *geometry,
                                const ackermann_msgs_msg_dds__AckermannDrive_ *drive, GrDriveCommand *out,
                                unsigned *ignored, GrErrorLog *log)
{
    const double speed = (double)drive->speed, angle = (double)drive->steering_angle;
    if (check("/ackermann_cmd speed", speed, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/ackermann_cmd steering_angle", angle, 85 * GR_DEGREE, "rad", log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    if (!limits->driven || (limits->best != GR_DRIVE_ACKERMANN && limits->best != GR_DRIVE_DOUBLE_ACKERMANN)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "/ackermann_cmd"},
                            "this rover has no wheels that steer: use /cmd_vel");
    }
    if (drive->steering_angle_velocity != 0 || drive->acceleration != 0 || drive->jerk != 0) {
        *ignored |= 1u << GR_ROS2_IGNORED_RATES;
    }
    const double ahead = front_distance(geometry, limits->best);
    if (!(ahead > 0)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "/ackermann_cmd"},
                            "this rover has no front axle: use /cmd_vel");
    }
    *out = (GrDriveCommand){.mode = GR_DRIVE_STOP};
    if (speed != 0) { // tan(angle) = distance of the front axle · curvature
        *out = (GrDriveCommand){.mode = limits->best, .speed = speed, .curvature = gr_tan(angle) / ahead};
    }
    return GR_OK;
}

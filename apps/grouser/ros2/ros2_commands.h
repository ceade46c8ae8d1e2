/// Commands of ROS 2 nodes to a rover: geometry_msgs/Twist and ackermann_msgs/AckermannDriveStamped.
#ifndef GR_ROS2_COMMANDS_H
#define GR_ROS2_COMMANDS_H

#include "live_drive.h"
#include "ros_types.h"

/// Velocities beyond these are refused [m/s, rad/s]: a mistake of units, or a broken stick.
#define GR_ROS2_SPEED_MAX    10.0
#define GR_ROS2_YAW_RATE_MAX 10.0

/// Why a part of a command has no effect; each is said once in a session.
#define GR_ROS2_IGNORED_LIST(X)                                                                                        \
    X(VERTICAL, "/cmd_vel: linear.z, angular.x and angular.y have no effect on a rover")                               \
    X(RATES, "/ackermann_cmd: steering_angle_velocity, acceleration and jerk have no effect; the scenario's drive "    \
             "limits them")

typedef enum GrRos2Ignored {
#define GR_ROS2_IGNORED_ENUM(constant, text) GR_ROS2_IGNORED_##constant,
    GR_ROS2_IGNORED_LIST(GR_ROS2_IGNORED_ENUM)
#undef GR_ROS2_IGNORED_ENUM
        GR_ROS2_IGNORED_COUNT
} GrRos2Ignored;

const char *gr_ros2_ignored_text(GrRos2Ignored ignored);

/// The drive command of a message. `ignored` gets the bits of what has no effect. An error where the rover cannot move
/// so, or where a number is not finite or too large.
GrStatus gr_ros2_from_twist(const GrDriveLimits *limits, const geometry_msgs_msg_dds__Twist_ *twist,
                            GrDriveCommand *out, unsigned *ignored, GrErrorLog *log);

/// The same for Ackermann steering: the angle is that of a wheel in the middle of the front axle.
GrStatus gr_ros2_from_ackermann(const GrDriveLimits *limits, const GrDriveGeometry *geometry,
                                const ackermann_msgs_msg_dds__AckermannDrive_ *drive, GrDriveCommand *out,
                                unsigned *ignored, GrErrorLog *log);

#endif

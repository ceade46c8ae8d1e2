/// A run that nodes of ROS 2 watch and drive.
#ifndef GR_ROS2_RUN_H
#define GR_ROS2_RUN_H

#include "live_drive.h"
#include "ros_bus.h"
#include "ros_types.h"

#include <stdint.h>

// Commands of ROS 2 nodes to a rover: geometry_msgs/Twist and ackermann_msgs/AckermannDriveStamped.

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

/// The drive command of a message. `ignored` gets the bits of what has no effect. An error where the rover cannot move
/// so, or where a number is not finite or too large.
GrStatus gr_ros2_from_twist(const GrDriveLimits *limits, const geometry_msgs_msg_dds__Twist_ *twist,
                            GrDriveCommand *out, unsigned *ignored, GrErrorLog *log);

/// The same for Ackermann steering: the angle is that of a wheel in the middle of the front axle.
GrStatus gr_ros2_from_ackermann(const GrDriveLimits *limits, const GrDriveGeometry *geometry,
                                const ackermann_msgs_msg_dds__AckermannDrive_ *drive, GrDriveCommand *out,
                                unsigned *ignored, GrErrorLog *log);

typedef struct GrRos2Def {
    const char *scenario;         ///< name or file
    const char *const *overrides; ///< NULL-terminated
    const char *directory;        ///< where to record; NULL: nowhere
    GrRosBusDef bus;
    double pace;    ///< simulated seconds per second; 0: as fast as possible
    bool paused;    ///< waits for the service /grouser/start
    bool once;      ///< ends when the run is over
    double seconds; ///< ends after this wall time; INFINITY: never
} GrRos2Def;

/// What a session of `grouser ros2` has come to: that of the last run, where it was reset.
typedef struct GrRos2Result {
    uint64_t hash;       ///< of the last state
    double time;         ///< simulated [s]
    const char *outcome; ///< "running": it was stopped before its end
    long commands;       ///< that were taken
    long dropped;        ///< messages that slow subscribers have missed
} GrRos2Result;

/// Whether nobody has connected although there was time to [s] since the bus was opened; `text` says why that may be.
bool gr_ros2_is_alone(const GrRosBus *bus, const GrRosBusDef *def, double waited, char *text, size_t size);

/// Loads the scenario and runs it until it is over, or interrupted. Drives are written as NAME_driven.yaml into the
/// working folder.
GrStatus gr_ros2_run(const GrRos2Def *def, GrRos2Result *result, GrErrorLog *log);

#endif

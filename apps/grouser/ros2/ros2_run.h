/// A run that nodes of ROS 2 watch and drive.
#ifndef GR_ROS2_RUN_H
#define GR_ROS2_RUN_H

#include "ros_bus.h"

#include <stdint.h>

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

/// A drive command as velocities, as /cmd_vel has it.
#ifndef GR_DRIVE_TWIST_H
#define GR_DRIVE_TWIST_H

/// Velocities of the chassis in its own frame.
typedef struct GrDriveTwist {
    double forward, left, yaw_rate; ///< [m/s, m/s, rad/s]
} GrDriveTwist;

#endif

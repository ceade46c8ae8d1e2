/// Analyses that need no scenario: the stance of a rover on a plane, and steady driving on soft soil.
/// In libgrouser-run.
///
/// The functions build their own models from definitions and free all memory that they allocate. They are thread-safe.
/// All units are SI, angles are in radians.
///
/// Example: the slip of a small rover on a slope of 5 degrees under lunar gravity.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrSoilDef soil = gr_default_soil_def();
///     GrSteadyDriveDef def = gr_default_steady_drive_def();
///     def.rover = &rover;
///     def.soil = &soil;
///     def.gravity = 1.62;
///     def.slope = 5 * GR_DEGREE;
///     GrSteadyDrive drive;
///     if (gr_steady_drive(&def, &drive, &log) == GR_OK) {
///         printf("%s, slip %.2f\n", gr_drive_outcome_name(drive.outcome), drive.slip); // prints: steady, slip 0.
///     }
///     gr_rover_free(&rover);
#ifndef GROUSER_ANALYSIS_H
#define GROUSER_ANALYSIS_H

#include "grouser/control.h"
#include "grouser/scaling.h"
#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stance of a rover on the rigid horizontal plane z = 0.
typedef struct GrStance {
    double weight;      ///< [N]
    GrVec3 com;         ///< centre of mass above the plane, axes rotated to the rover's heading [m]
    double roll, pitch; ///< of the chassis [rad]
    double clearance;   ///< height of the chassis frame's origin above the plane [m]
    double residual;    ///< largest unbalanced force divided by the weight
} GrStance;

/// Settles `d` on the plane under the model's gravity and writes the load of each wheel [gr_model_wheel_count()] in N.
/// All wheels have the same small compliance: each deflects by 1e-4 of its radius under its share of the weight. The
/// compliance determines the load distribution where the suspension leaves it undetermined. Where gravity leans, as on
/// a slope, every wheel holds a share of the weight along the plane in proportion to its load. Fails if there are no
/// wheels, no gravity, or no equilibrium.
GR_API GrStatus gr_stand_on_plane(const GrModel *m, GrData *d, double *wheel_loads, GrStance *stance, GrErrorLog *log);

/// A rover that drives straight over a plane of soft soil until its motion is steady.
typedef struct GrSteadyDriveDef {
    const GrRoverDef *rover;
    const GrSoilDef *soil;
    double gravity; ///< [m/s²] > 0
    double speed;   ///< rim speed [m/s]; negative: backwards
    double slope;   ///< of the plane [rad]
    double heading; ///< angle between the heading and uphill [rad]; 0: uphill, π/2: the slope falls to the right
    double pull;    ///< load that holds the rover back along the plane, applied at the chassis origin [N]
    double step;    ///< [s]
    double limit;   ///< longest simulated time [s]
    double window;  ///< time over which means are taken [s]
} GrSteadyDriveDef;

/// Defaults: Earth, 0.05 m/s, level ground, steps of 5 ms, at most 120 s, means over 3 s.
GR_API GrSteadyDriveDef gr_default_steady_drive_def(void);

/// The same drive of a scaled rover: gravity, speed, pull and times are scaled; slope, heading and soil stay.
GR_API GrSteadyDriveDef gr_steady_drive_scale(const GrSteadyDriveDef *def, const GrRoverScale *scale,
                                              const GrRoverDef *rover);

/// How a steady drive ended.
#define GR_DRIVE_OUTCOME_LIST(X)                                                                                       \
    X(STEADY, steady, "drives on")                                                                                     \
    X(STUCK, stuck, "wheels turn without progress")                                                                    \
    X(SLIDES, slides, "slides")                                                                                        \
    X(STALLED, stalled, "motors do not turn the wheels")                                                               \
    X(TIPPED, tipped, "tips over")                                                                                     \
    X(UNSETTLED, unsettled, "still changing when the time was up")                                                     \
    X(DIVERGED, diverged, "the calculation failed")

typedef enum GrDriveOutcome {
#define GR_DRIVE_ENUM(id, name, text) GR_DRIVE_##id,
    GR_DRIVE_OUTCOME_LIST(GR_DRIVE_ENUM)
#undef GR_DRIVE_ENUM
        GR_DRIVE_OUTCOME_COUNT
} GrDriveOutcome;

GR_API const char *gr_drive_outcome_name(GrDriveOutcome outcome);
GR_API const char *gr_drive_outcome_text(GrDriveOutcome outcome);

/// Result of a steady drive: means over its last seconds.
typedef struct GrSteadyDrive {
    GrDriveOutcome outcome;
    double time;        ///< simulated [s]
    double speed;       ///< ground speed along the heading [m/s]
    double drift;       ///< ground speed to the left [m/s]
    double slip;        ///< 1 − speed / rim speed; above 1 or below −1: it slides; NAN: wheels stand, it falls
    double sinkage;     ///< depth of the deepest rut [m]
    double torque;      ///< largest of all wheels [N m]
    double torque_mean; ///< mean of all wheels [N m]
    double power;       ///< total of the drive motors [W]
    double load_least, load_most; ///< smallest and largest wheel load [N]
    int warnings;                 ///< steps in which a wheel left the soil law's range
    double deflection;            ///< of the flexible wheel that is deflected most [m]; not included in the sinkage
    double loads[GR_DRIVE_WHEELS_MAX]; ///< of the first wheels [N]
} GrSteadyDrive;

GR_API GrStatus gr_steady_drive(const GrSteadyDriveDef *def, GrSteadyDrive *out, GrErrorLog *log);

/// Finds the steepest slope [rad] that the rover drives steadily, to within `tolerance`. The rover must manage `lower`
/// and fail on `upper`, which may also be a steeper descent. All other parameters are those of `def`.
GR_API GrStatus gr_steepest_slope(const GrSteadyDriveDef *def, double lower, double upper, double tolerance,
                                  double *slope, GrErrorLog *log);

/// Finds the largest pull [N] against which the rover drives steadily, in the same way.
GR_API GrStatus gr_largest_pull(const GrSteadyDriveDef *def, double lower, double upper, double tolerance, double *pull,
                                GrErrorLog *log);

/// Inverse dynamics of a motion: the torques that produce it.
typedef struct GrInverseMotion {
    int count;       ///< samples
    int joint_count; ///< gr_model_joint_count()
    double *time;    ///< [count] [s]
    double *torque;  ///< [count][joint_count] that the motor must supply: the whole less spring, damper and friction of
                     ///< the joint [N m or N]; NAN of a joint that follows another one, which has the sum
    double *rate;    ///< [count][joint_count] [rad/s or m/s]
    double *base;    ///< [count][6] force and moment that the chassis needs from outside, at its origin, world axes [N,
                     ///< N m]: 0 where the motion is free, the reaction where it is held
} GrInverseMotion;

/// Reads a motion from a CSV file with the columns of run.csv: time_s; x_m, y_m, z_m and qw, qx, qy, qz of the chassis
/// (absent: it is at rest); joint.NAME.angle_deg or joint.NAME.position_m (absent: the joint keeps its initial
/// position). external.BODY.fx_N … fz_N, mx_Nm … mz_Nm are wrenches from outside at a body's origin, world axes. Other
/// columns are ignored. Velocities and accelerations are derivatives of the polynomial through five neighbouring
/// samples. Gravity and ground are those of the model. Free with gr_inverse_motion_free().
GR_API GrStatus gr_inverse_motion(const GrModel *m, const char *path, GrInverseMotion *out, GrErrorLog *log);
GR_API void gr_inverse_motion_free(GrInverseMotion *motion);

#ifdef __cplusplus
}
#endif
#endif

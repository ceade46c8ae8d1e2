/// A rover that drives straight and steadily over soft soil: the tilt gives the loads of the wheels and the pull that
/// they need, the soil gives the slip at which they pull so much, their torque and their sinkage.
///
/// All wheels turn at one rim speed and so have one slip. Accelerations, turns, ruts of the wheels ahead and the motion
/// of the suspension are not in it: docs/drives.md compares it with whole simulations.
#ifndef GR_DRIVE_MODEL_H
#define GR_DRIVE_MODEL_H

#include "grouser/analysis.h"
#include "grouser/control.h"
#include "rig.h"

typedef struct GrDriveRover {
    const GrRoverDef *def;
    double gravity; ///< [m/s²]
    GrModel *model; ///< owned: its wheels, prepared for soil
    int wheel_count;
    double weight;                        ///< [N]
    double radius;                        ///< mean, with grousers as the law counts them [m]
    double wheelbase, track;              ///< between the outermost wheels [m]
    double ahead[GR_DRIVE_WHEELS_MAX];    ///< places of the wheels along x, from their mean [m]
    double pitch, roll;                   ///< of the chassis on level ground [rad]
    int shape[GR_DRIVE_WHEELS_MAX];       ///< the first wheel of the same shape
    double friction[GR_DRIVE_WHEELS_MAX]; ///< of the drive joints, which motors overcome besides the soil [N m]
    char names[GR_DRIVE_WHEELS_MAX][GR_NAME_SIZE];
} GrDriveRover;

/// `soil` decides how grousers count. Free with gr_drive_rover_free() when GR_OK; `def` must live as long.
GrStatus gr_drive_rover_make(const GrRoverDef *def, const GrSoilDef *soil, double gravity, GrDriveRover *out,
                             GrErrorLog *log);
void gr_drive_rover_free(GrDriveRover *rover);

/// Loads of the wheels [N] on a slope: `pitch` uphill along the heading, `roll` falling to the right [rad].
GrStatus gr_drive_loads(const GrDriveRover *rover, double pitch, double roll, double *loads, GrErrorLog *log);

enum { GR_DRIVE_SLIPS = 18, GR_DRIVE_LOADS = 3, GR_DRIVE_ANGLES = 8 };

/// A wheel on a soil, at nodes of slip, load and slip angle (drive_soil.c).
typedef struct GrDriveTable {
    GrRig rig;
    double value[GR_DRIVE_ANGLES][GR_DRIVE_SLIPS][GR_DRIVE_LOADS][3];
    unsigned char state[GR_DRIVE_ANGLES][GR_DRIVE_SLIPS]; ///< whether a node was computed
} GrDriveTable;

/// A soil under the wheels of a rover.
typedef struct GrDriveSoil {
    GrDriveTable wheels[GR_DRIVE_WHEELS_MAX]; ///< of those that have a shape of their own
} GrDriveSoil;

GrStatus gr_drive_soil_make(const GrDriveRover *rover, const GrSoilDef *soil, GrDriveSoil *out, GrErrorLog *log);

typedef struct GrDriveWheelPoint {
    double pull;    ///< [N]
    double torque;  ///< of the soil [N m]
    double sinkage; ///< [m]
} GrDriveWheelPoint;

/// One wheel under a load [N], within 0.002 of the load (and of load times radius, and of the radius) of its law. False
/// when the soil cannot carry it.
bool gr_drive_wheel(const GrDriveRover *rover, GrDriveSoil *soil, int wheel, double load, double slip,
                    double slip_angle, GrDriveWheelPoint *out);

/// Steady driving at one slip.
typedef struct GrDrivePoint {
    double pull;    ///< of all wheels, over the weight
    double lean;    ///< tilt of the chassis beyond that of the ground, nose up: rear wheels sink deeper uphill [rad]
    double torque;  ///< mean of the wheels, over the mean load on level ground times the radius
    double sinkage; ///< mean of the wheels, over the radius
    double energy;  ///< of the drives for a metre, without what they absorb while braking [J/m]
} GrDrivePoint;

/// False when the soil cannot carry a load.
bool gr_drive_point(const GrDriveRover *rover, GrDriveSoil *soil, const double *loads, double slip, double slip_angle,
                    GrDrivePoint *out);

/// What tells the tilt of a drive.
typedef enum GrTiltOf { GR_TILT_CHASSIS, GR_TILT_GROUND } GrTiltOf;

/// The slip at which the wheels hold the rover on a slope of `tilt` [rad] and `push` (over the weight) besides, with
/// its point: the least one. 1 where they cannot; the point is then that of the slip 0.95. NAN when the soil cannot
/// carry a load.
double gr_drive_slip(const GrDriveRover *rover, GrDriveSoil *soil, const double *loads, double tilt, GrTiltOf of,
                     double push, double slip_angle, GrDrivePoint *out);

#endif

/// Localisation of a rover from its own sensors, by an error-state Kalman filter, and its error against the truth.
///
/// The filter estimates position, velocity and attitude of an IMU and the biases of its gyros and accelerometers. It
/// corrects them by the wheels, by visual odometry and by a star tracker, as far as the rover has them. It uses
/// measurements in the order of their instants, so that its estimate is late by the largest latency of them all. The
/// true state is used for its error alone: nothing of the filter acts on the rover.
///
/// Example: it is switched on in a rover's definition, GrRoverDef::localisation.
///
///     GrLocalisationDef def = gr_default_localisation_def();
///     def.imu = 0; // index in GrRoverDef::sensors
///     printf("%g\n", def.slip); // prints: 0.2
#ifndef GROUSER_LOCALISE_H
#define GROUSER_LOCALISE_H

#include "grouser/rover.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_LOCALISATION_ENCODERS = 32 };

/// The sensors of a filter, by their index in GrRoverDef::sensors, and what it believes of the rover. Start from
/// gr_default_localisation_def().
typedef struct GrLocalisationDef {
    int imu;                                ///< required; default −1
    int encoders[GR_LOCALISATION_ENCODERS]; ///< of wheels that drive
    int encoder_count;                      ///< default 0: none
    int visual;                             ///< visual_odometry; default −1: none
    int stars;                              ///< star_tracker; default −1: none
    double slip;                            ///< standard deviation of the wheels' mean slip [-] > 0; default 0.2
    double side_slip;      ///< of the angle between motion and heading, to the side and up [rad] > 0; default 3°
    double slip_time;      ///< over which slip and those angles change [s] > 0; default 20
    double start_position; ///< standard deviation of what is known of the start, along each axis [m] > 0; default 0.01
    double start_attitude; ///< about each axis [rad] > 0; default 0.1°
} GrLocalisationDef;

GR_API GrLocalisationDef gr_default_localisation_def(void);

/// Switches it on, in place of an earlier one. False when out of memory.
GR_API bool gr_rover_set_localisation(GrRoverDef *rover, const GrLocalisationDef *def);

/// Checks GrRoverDef::localisation; gr_rover_check() calls it.
GR_API GrStatus gr_localisation_check(const GrRoverDef *rover, GrErrorLog *log);

/// Estimate of where the IMU is, and its error.
typedef struct GrLocalisationSample {
    double delay;         ///< age of the estimate [s]
    GrVec3 position;      ///< world [m]
    double error;         ///< horizontal distance from the truth [m]
    double sigma;         ///< that the filter expects: root of the sum of both horizontal variances [m]
    double error_up;      ///< height less the true one [m]
    double sigma_up;      ///< standard deviation that the filter expects [m]
    double heading_error; ///< [rad]
    double heading_sigma; ///< [rad]
    double nees; ///< normalised squared error of the position: e P⁻¹ e, in the mean 3 where the filter is right
} GrLocalisationSample;

/// Localisation of a whole run.
typedef struct GrLocalisationSummary {
    bool given; ///< false: there is none; the others are then 0
    GrLocalisationSample end;
    double error_max;    ///< [m]
    double error_rms;    ///< over the time [m]
    double beyond;       ///< share of the time with an error above 3 sigma
    double nees_mean;    ///< over the time
    long used, rejected; ///< numbers that corrected the estimate, and those that were too far from it
} GrLocalisationSummary;

#ifdef __cplusplus
}
#endif
#endif

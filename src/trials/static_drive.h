/// A steady straight drive by the steady formulas of the wheels, without integration: thousands of soils in seconds.
///
/// In a straight drive all wheels have the same slip and slip angle, so that two equations are left: the pulls of all
/// wheels carry the weight along the slope, their side forces that across it. The loads of the wheels are given: they
/// come from a drive that was integrated (gr_steady_drive()) and change little with the soil. grouser test compares
/// both on every page that has bands.
#ifndef GR_STATIC_DRIVE_H
#define GR_STATIC_DRIVE_H

#include "grouser/analysis.h"
#include "rig.h"

typedef struct GrStaticDrive {
    GrRig *rigs; ///< [wheel_count] owned
    int wheel_count;
    double speed; ///< of the rims [m/s]
} GrStaticDrive;

/// Whether a drive has steady formulas: up to GR_DRIVE_WHEELS_MAX wheels that drive forward, on a law with a patch.
bool gr_static_drive_fits(const GrSteadyDriveDef *def);

/// The wheels of the rover on a soil under a gravity, rims at a speed. GR_ERROR_UNSUPPORTED where the drive has no
/// steady formulas. Free with gr_static_drive_free(), also after an error.
GrStatus gr_static_drive_make(const GrSteadyDriveDef *def, GrStaticDrive *out, GrErrorLog *log);
void gr_static_drive_free(GrStaticDrive *drive);

/// The drive against a force `along` (positive: uphill, or a pull) and `across` [N], with the loads of the wheels [N].
/// The outcome is GR_DRIVE_STEADY, or GR_DRIVE_STUCK where no slip carries the forces; `drift` is not negative.
void gr_static_drive_at(const GrStaticDrive *drive, const double *loads, double along, double across,
                        GrSteadyDrive *out);

#endif

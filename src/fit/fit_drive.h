/// The soil along a drive, from its telemetry: a most probable soil with its covariance for each segment, and the
/// change points between segments.
///
/// Unknown are the parameters of the soil's spread, which is what is known before; an offset of each measured quantity,
/// constant along the drive; and the true slip of each stretch. What is measured is slip, tilt, torque and sinkage of
/// each stretch, with independent scatter. docs/drives.md has the equations.
#ifndef GR_FIT_DRIVE_H
#define GR_FIT_DRIVE_H

#include "soil_spread.h"
#include "telemetry.h"

enum { GR_DRIVE_SEGMENTS = 8 };

/// Standard deviations of what a stretch measures less what the model predicts; tilt in rad, torque over load and
/// radius, sinkage over the radius.
typedef struct GrDriveNoise {
    double scatter[GR_DRIVE_QUANTITIES]; ///< independent from stretch to stretch
    double offset[GR_DRIVE_QUANTITIES];  ///< the same along the whole drive: errors of sensors and of the model
} GrDriveNoise;

/// Slip 0.02 and 0.01, tilt 0.5° and 0.3°, torque 0.01 and 0.005, sinkage 0.03 and 0.03.
GrDriveNoise gr_default_drive_noise(void);

typedef struct GrDriveFitDef {
    const GrDriveRover *rover;
    const GrStretches *stretches;
    const GrSoilDef *soil;     ///< where the search starts, and what is not free
    const GrSoilSpread *prior; ///< its parameters are free
    GrDriveNoise noise;
    int segments;    ///< 0: as many as the data asks for
    double shortest; ///< segment [m]
} GrDriveFitDef;

typedef struct GrDriveSegment {
    int first, count; ///< stretches
    double from, to;  ///< [m]
    GrSoilDef soil;   ///< the most probable one
    // In the order of the prior's parameters, in the file's unit:
    double value[GR_SPREAD_PARAMS];
    double low[GR_SPREAD_PARAMS], high[GR_SPREAD_PARAMS]; ///< 5 % and 95 %
    double narrowed[GR_SPREAD_PARAMS];                    ///< deviation after over deviation before, in normal scores
    double deviation[GR_SPREAD_PARAMS];                   ///< of the value, or of its logarithm (`logarithmic`)
    bool logarithmic[GR_SPREAD_PARAMS];
    double correlation[GR_SPREAD_PARAMS][GR_SPREAD_PARAMS];
    double offset[GR_DRIVE_QUANTITIES];   ///< estimated
    double residual[GR_DRIVE_QUANTITIES]; ///< root mean square of measured less predicted, offsets included; NAN: none
    double pull_residual; ///< the same of the pull at the measured slip, over the weight, without the slip's own errors
    double noise_factor;  ///< by which the scatter was raised to agree with the residuals and their correlation
} GrDriveSegment;

typedef struct GrDriveFit {
    GrDriveSegment segments[GR_DRIVE_SEGMENTS];
    int count;
} GrDriveFit;

GrStatus gr_fit_drive(const GrDriveFitDef *def, GrDriveFit *out, GrErrorLog *log);

/// The spread of a segment's soil as the block of a soil file has it.
void gr_drive_spread(const GrDriveFitDef *def, const GrDriveSegment *segment, const char *source, GrSoilSpread *out);

#endif

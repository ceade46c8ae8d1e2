/// What a rover does on a soil along a drive, with bands, beside what was measured.
///
/// Bands are from samples of the soil's spread. Each sample adds errors, the same along the whole drive: those of the
/// measurement (GrDriveNoise), or the residuals that the soil's fit left, whichever are larger; outside the conditions
/// of the fit its discrepancy, where the soil has one.
#ifndef GR_DRIVE_PREDICT_H
#define GR_DRIVE_PREDICT_H

#include "fit_drive.h"

/// Constant, key in JSON, name, unit, factor from the model's unit.
#define GR_PREDICTED_LIST(X)                                                                                           \
    X(GR_PREDICTED_SLIP, slip, "slip", "-", 1)                                                                         \
    X(GR_PREDICTED_ENERGY, energy_J_per_m, "drive energy", "J/m", 1)                                                   \
    X(GR_PREDICTED_TORQUE, torque_Nm, "drive torque", "N m", 1)                                                        \
    X(GR_PREDICTED_SINKAGE, sinkage_m, "sinkage", "mm", 1000)

typedef enum GrPredicted {
#define GR_PREDICTED_ENUM(constant, key, name, unit, factor) constant,
    GR_PREDICTED_LIST(GR_PREDICTED_ENUM)
#undef GR_PREDICTED_ENUM
        GR_PREDICTED_QUANTITIES
} GrPredicted;

typedef struct GrPredictedInfo {
    const char *key, *name, *unit;
    double factor; ///< shown value = factor · SI value
} GrPredictedInfo;

extern const GrPredictedInfo gr_predicted[GR_PREDICTED_QUANTITIES];

typedef struct GrDriveBand {
    double value;     ///< of the soil itself
    double low, high; ///< 5 % and 95 %; NAN: no samples
    double measured;  ///< NAN: not measured
} GrDriveBand;

typedef struct GrDrivePredictDef {
    const GrDriveRover *rover;
    const GrStretches *stretches;
    const GrSoilDef *soil;
    const GrSoilSpread *spread;
    const GrSoilSources *sources; ///< of parameters that an override sets, which do not vary; NULL: none
    GrDriveNoise noise;           ///< of the measurement
    int samples;                  ///< 0: no bands
    uint64_t seed;
} GrDrivePredictDef;

typedef struct GrDrivePrediction {
    GrDriveBand (*items)[GR_PREDICTED_QUANTITIES]; ///< [stretches]
    int count;
    int stuck;         ///< stretches where the soil itself cannot hold the rover; their slip is 1
    int extrapolated;  ///< stretches outside the conditions of the soil's data
    GrDriveBand total; ///< energy of the drives on all stretches where it was predicted [J]
} GrDrivePrediction;

/// Free with gr_drive_prediction_free() when GR_OK.
GrStatus gr_drive_predict(const GrDrivePredictDef *def, GrDrivePrediction *out, GrErrorLog *log);
void gr_drive_prediction_free(GrDrivePrediction *prediction);

/// Stretches with a measured value, and of these the ones inside the band.
typedef struct GrCoverage {
    int measured, inside;
} GrCoverage;
GrCoverage gr_drive_coverage(const GrDrivePrediction *prediction, GrPredicted quantity);

#endif

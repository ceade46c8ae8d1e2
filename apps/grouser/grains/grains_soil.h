/// Soils of the fast laws from plates and an annulus in grains, and what they predict for a wheel.
#ifndef GR_GRAINS_SOIL_H
#define GR_GRAINS_SOIL_H

#include "grain_study_yaml.h"
#include "grains_report.h"
#include "press_form.h"

/// Shear stress under the annulus: τ = (c + σ tan φ)(1 − exp(−j/K)) through all its curves, with standard errors.
typedef struct GrGrainsShear {
    double cohesion, angle, modulus;                   ///< [Pa], [rad], [m]
    double cohesion_error, angle_error, modulus_error; ///< from the scatter of means over equal parts of the travel
    double scatter;                                    ///< [Pa]
} GrGrainsShear;

GrStatus gr_grains_shear_fit(const GrGrainsStudy *shear, GrGrainsShear *out, GrErrorLog *log);

/// A law with the soil that plates and shear gave it.
typedef struct GrGrainsSoil {
    GrSoilLaw law;
    int form; ///< of gr_press_forms
    GrFitResult fit;
    GrSoilSources sources;
    GrSoilSpread spread;
    GrPressScore presses;
} GrGrainsSoil;

/// What the laws' fits share: presses, and how well each form of pressure predicts other sizes.
typedef struct GrGrainsPresses {
    GrPressData data;
    GrPressFormResult forms[GR_PRESS_FORMS];
} GrGrainsPresses;

/// `bed`: before the tests; its bulk density and gravity, and friction of its walls, are those of the soil.
GrStatus gr_grains_soil(const GrGrainStudyDef *def, const GrBin *bed, const GrGrainsShear *shear,
                        GrGrainsPresses *presses, GrSoilLaw law, GrGrainsSoil *out, GrErrorLog *log);

/// Of one wheel at one slip: with the soil itself, and a 90 % band over samples of it. NAN: no equilibrium.
typedef struct GrGrainsPrediction {
    double value[3], low[3], high[3]; ///< pull [N], torque [N m], sinkage [m]
} GrGrainsPrediction;

GrGrainsPrediction gr_grains_predict(const GrGrainsSoil *soil, const GrBinRigDef *wheel, double gravity, double slip);

#endif

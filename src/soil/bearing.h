/// Pressure under plates and wheels by bearing capacity: GR_PRESSURE_BEARING.
///
///   p = s_c c N_c (z/z_0)^n_c + f γ z_0 N_q (z/z_0)^n_q + ½ γ B N_γ (z/z_0)^n
///
/// At the depth z_0 this is the bearing capacity of a footing (Terzaghi 1943): cohesion, the soil beside it as a
/// surcharge, of which f counts, and the weight of the wedges below it, whose size goes with the width. Less deep, a
/// part of it is mobilised, and p(0) = 0. In sand without surcharge p ~ γ B: a larger plate meets more pressure at the
/// same depth, and γ makes it scale with gravity.
///
/// B is the width that a strip of the same pressure has, with Terzaghi's shapes: b (1 − 0.2 b/l) for a rectangle with
/// the shorter side b, 0.6 d for a circle; s_c is 1 + 0.3 b/l, and 1.3. Where a wheel's contact becomes longer than it
/// is wide, b/l must not have a kink: the shorter side is m = (b⁻⁸ + l⁻⁸)^(−1/8), and m²/(b l) stands for b/l. That is
/// exact for strips, and gives 0.76 b instead of 0.8 b for a square.
#ifndef GR_BEARING_H
#define GR_BEARING_H

#include "soil_wheel.h"

/// Terzaghi's factors for the friction angle of the soil, or those that it gives.
typedef struct GrBearingFactors {
    double n_c, n_q, n_gamma;
} GrBearingFactors;

GrBearingFactors gr_bearing_factors(const GrSoilDef *soil);

/// B [m] of a contact of this area and perimeter.
double gr_bearing_width(double area, double perimeter);

/// p(z) = Σ pressure_k (z/length)^exponent_k
typedef struct GrPressureCurve {
    int count;
    double pressure[GR_PRESSURE_TERMS]; ///< [Pa]
    double exponent[GR_PRESSURE_TERMS];
    double length; ///< [m]
} GrPressureCurve;

/// Curve of any form of pressure under a plate of the width b of Bekker's and Reece's forms, and of the area and the
/// perimeter of `bearing`. No term is 0; a form that carries nothing has none.
GrPressureCurve gr_pressure_curve(const GrSoilDef *soil, double unit_weight, double b, double area, double perimeter);

double gr_pressure_at(const GrPressureCurve *curve, double z);

/// The power law P z^n that touches the curve at its length z_0, for grounds that know one power only: scm and rocks.
/// It is the curve itself where one term is alone.
typedef struct GrPowerLaw {
    double modulus, exponent;
} GrPowerLaw;

GrPowerLaw gr_pressure_power(const GrPressureCurve *curve);

/// The terms under a wheel that is sunk by `deepest`, whose first exponent is `exponent`:
/// p = Σ exp(log_k + n_k ln z), and ∂ log_k/∂ deepest.
typedef struct GrBearingTerms {
    double log[GR_PRESSURE_TERMS], exponent[GR_PRESSURE_TERMS], slope[GR_PRESSURE_TERMS];
} GrBearingTerms;

GrBearingTerms gr_bearing_terms(const GrSoilWheel *w, double exponent, double deepest);

/// p(z) there, and its derivative by both depths.
double gr_bearing_pressure(const GrSoilWheel *w, double exponent, double deepest, double z, double *by_depth);

/// Fills `terms` of a wheel; its pressure is that of a strip of its width.
void gr_bearing_prepare(GrSoilWheel *w);

#endif

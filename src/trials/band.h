/// A prediction with its band: what a soil whose spread is known (soil_spread.h) says about a wheel, and how well.
///
///     variance = of the parameters' covariance + of the errors that remain
///
/// Inside the conditions that the data cover the residual scatter remains; outside it grows to the discrepancy. The
/// first part is linear in the parameters, which suits the covariance of a fit; wide classes of soils need samples. On
/// a grid (law scm) it is left out: derivatives of means there are noise, and the discrepancy of a fit then includes
/// it.
#ifndef GR_BAND_H
#define GR_BAND_H

#include "rig.h"
#include "soil_spread.h"

/// Standard deviations of the normal distribution in half a 90 % band.
#define GR_BAND_HALF 1.6448536269514722

/// Unit of the error of a quantity: load, load times radius, or radius.
double gr_spread_unit(GrSpreadQuantity quantity, const GrCondition *at);

typedef struct GrWheelBand {
    GrRigPoint point;                        ///< with the soil itself
    double value[GR_SPREAD_QUANTITIES];      ///< of that point [N, N, N m, m]
    double parameters[GR_SPREAD_QUANTITIES]; ///< standard deviation from the parameters
    double deviation[GR_SPREAD_QUANTITIES];  ///< whole standard deviation; NAN: not known
    double outside;                          ///< of the range of the data
} GrWheelBand;

/// Prediction for the soil, wheel and load of a rig; false when there is no equilibrium.
bool gr_band_predict(const GrRigDef *rig, const GrSoilSpread *spread, double slip, double slip_angle, GrWheelBand *out);

#endif

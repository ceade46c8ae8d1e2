/// Wheels that dig and plough: how much of the sinkage no longer presses, and the wedge of soil pushed along.
///
/// The forms are new here, found on trials of yawed, skidding and spinning wheels (docs/soil-laws.md). Everything here
/// depends on the rolling memory, so it is constant during a step, and on h.
#ifndef GR_PLOUGH_H
#define GR_PLOUGH_H

#include "patch.h"

#include <math.h>

/// What a wheel's travel looks like to the soil, from the rolling memory or as given for steady rolling.
typedef struct GrTravel {
    double roll;  ///< −1 … 1
    double slip;  ///< −1 … 1
    double angle; ///< |β| [rad]
    double side;  ///< sin β with sign
} GrTravel;

/// Sets `dug`, `plough` and `exit_ratio` of the input at its slip and angle, for a wheel sunk by `h` > 0.
void gr_plough_input(const GrSoilWheel *w, double h, GrPatchInput *in);

/// θ_m/θ1 = a1 + a2 s + a_u u^p. A ploughing wheel's peak may not pass the exit.
static inline double gr_peak_ratio(const GrSoilWheel *w, const GrPatchInput *in)
{
    const double q = w->soil.peak_a1 + w->soil.peak_a2 * in->slip;
    if (w->soil.peak_plough == 0) {
        return q;
    }
    const double ploughing = q + w->soil.peak_plough * in->plough;
    return ploughing > w->peak_lowest ? ploughing : w->peak_lowest;
}

/// A wheel that pushes a wedge of soil.
typedef struct GrWedgeWheel {
    double radius, width; ///< [m]
    double unit_weight;   ///< of the soil [N/m³]
    double passive;       ///< N = tan²(π/4 + φ/2)
} GrWedgeWheel;

typedef struct GrWedge {
    double force, force_h; ///< [N], by the sinkage [N/m]
} GrWedge;

/// u, the part of the travel in which the rim is dragged through the soil, of a wheel whose travel has the components
/// `cosine` ≥ 0 along and `sine` ≥ 0 across it: u² = q² + (1 − q²) (k sin β)², q = max(0, 1 − rω/V), k = plough_side.
double gr_plough_fraction(const GrSoilDef *soil, double slip, double sine, double cosine);

/// The wedge of a wheel that is sunk by `h` > 0, against its travel with the components `cosine` ≥ 0 and `sine` ≥ 0.
GrWedge gr_plough_force(const GrSoilDef *soil, const GrWedgeWheel *wheel, double slip, double sine, double cosine,
                        double h);

/// Adds the wedge that the wheel pushes along its travel.
void gr_plough_wedge(const GrSoilWheel *w, const GrTravel *travel, double h, GrSoilOutput *out);

#endif

/// Terms beside the stress along the contact: side force, bulldozing, ploughing, grousers.
#ifndef GR_EXTRAS_H
#define GR_EXTRAS_H

#include "patch.h"
#include "soil_wheel.h"

#include <math.h>

// ---- Wheels that dig and plough: how much of the sinkage no longer presses, and the wedge of soil pushed along.
//
// The forms are new here, found on trials of yawed, skidding and spinning wheels (docs/soil-laws.md). Everything here
// depends on the rolling memory, so it is constant during a step, and on h.

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

/// Front bulldozing R_b [N] at sinkage z > 0 and its derivative (Bekker 1969).
double gr_front_bulldozing(const GrSoilWheel *w, double z, double *derivative);

/// Bulldozing on one full side wall at sinkage h > 0 [N] and its derivative (Hegedus 1960).
double gr_side_hegedus(const GrSoilWheel *w, double h, double *derivative);

/// The same over the wheel's own side walls, rotated by `angle`, in a passive-pressure field (LS10 eq. 3.9).
double gr_side_mesh(const GrSoilWheel *w, double h, double angle, double *derivative);

/// Area of one side below the surface [m²] and its derivative.
double gr_sunk_area(double radius, double h, double *derivative);

/// Passive force of all lugs in the soil [N], its moment arms, and derivatives by h.
typedef struct GrLugs {
    double x, z, t; ///< Σ P cos θ, Σ P sin θ, Σ P over the lugs
    double x_h, z_h, t_h;
} GrLugs;
GrLugs gr_lug_wedges(const GrSoilWheel *w, double h, double angle);

/// Errors of the law that a sample of a fitted soil has, over the force that carries the wheel: a pull and a torque in
/// the direction in which the wheel has `roll`ed, a force against the side slip, whose sine is `sine`.
typedef struct GrLawErrors {
    double pull, side; ///< along x and y of the contact frame
    double moment;     ///< about y [m]
} GrLawErrors;
GrLawErrors gr_law_errors(const GrSoilWheel *w, double roll, double sine);

/// Adds them.
void gr_law_errors_add(const GrSoilWheel *w, double roll, double sine, GrSoilOutput *out);

/// Adds all enabled add-ons. `old` and `next` are heads of states; `steady`: no states, rolling forward.
void gr_extras_add(const GrSoilWheel *w, const GrSoilMotion *motion, double sinkage, double compaction_h, double dt,
                   bool steady, const double *old, double *next, GrSoilOutput *out);

#endif

/// Evaluation of a wheel on its soil, and what the soil remembers between steps.
#ifndef GR_EVALUATE_H
#define GR_EVALUATE_H

#include "patch.h"
#include "soil_wheel.h"

// Rolling memory: direction, slip and slip angle, filtered over distance and not over time, so that nothing changes at
// rest and nothing jumps when passing through rest.

/// Updates the head of the state over dt with this twist, slip and slip angle; `sinkage` is the largest of the slices,
/// `mobilised` the fraction of the patch's strength that the torque uses, 0 … 1.
void gr_memory_update(const GrSoilWheel *w, const double *twist, double slip, double slip_angle, double sinkage,
                      double mobilised, double dt, const double *old, double *next);

/// Rate at which the rim of a wheel rises that is deflected by `flex` at the end of the step [m/s].
static inline double gr_rim_rate(const double *twist, double flex, double dt, const double *old)
{
    return twist[2] + (flex - old[GR_HEAD_FLEX]) / dt;
}

/// Travel, over the length of the patch, within which a wheel keeps its rise: a parked rover that rocks within it would
/// otherwise gain energy from soil that hardens under it.
#define GR_RISE_PLAY 0.25

/// Rise of a wheel from its soil in a step.
typedef struct GrRise {
    double way;   ///< [m]
    double slope; ///< its derivative by dt v_z
} GrRise;

/// dt v_z where the wheel sinks, dt (v_z − θ1 |v_x|/2) where it rises: the rim leaves the soil at θ with v_z − v_x sin
/// θ, of which this is the mean over its front; a wheel that rises more slowly rolls onto new soil. Only for soil that
/// unloads along its own line. `rate`: v_z of the rim [m/s]; `old`: state at the start of the step, from which the
/// travel is taken, so that the rise in a step depends on the normal velocity alone. Its pieces are straight: Newton's
/// method ends after a few of them (gr_soil_turns()). A smooth share of v_z let it alternate between flat and steep
/// parts on hard soil.
GrRise gr_rise(double rate, double dt, const double *old);

/// gr_sum_slices for a wheel that may be flexible: finds the deflection u with k_w u = f_z(h − u).
double gr_sum_flexible(const GrSoilWheel *w, const GrSoilMotion *motion, const GrPatchInput *base, const double *old,
                       double *next, GrSoilOutput *out);

/// n and K from the filtered slip and slip angle.
void gr_base_input(const GrSoilWheel *w, double roll, double slip, double angle, double angle_used, GrPatchInput *base,
                   int *flags);

/// Envelope flags of a sinkage, a slip and a slip angle ≥ 0 [rad].
int gr_envelope_flags(const GrSoilWheel *w, double sinkage, double slip, double angle);

// A sample of a fitted soil has an error of the law's sinkage: a wheel sinks deeper than the law says by it, or less.
// The law is evaluated at the sinkage that it says itself, so that forces under a load stay as they are.

/// Sinkage that the law sees of a wheel that is h deep: without the error, which is a fall of the ground where it is
/// positive. A negative one grows with the depth, as e h/√(h² + e²), so that no wheel stands above the ground. `slope`
/// is its derivative. ≤ 0: no contact.
double gr_law_sinkage(const GrSoilWheel *w, double h, double *slope);

/// The motion that the law sees; returns the slope at the deepest slice.
double gr_law_motion(const GrSoilWheel *w, const GrSoilMotion *motion, GrSoilMotion *out);

#endif

/// `skid_flow: two_zones`: the two zones of flow under a skidding wheel (Wong & Reece 1967, part II).
///
/// Soil before a skidding wheel flows forward and up along the rim, the soil under it backward. They part at θ_t, where
/// the rim's absolute velocity makes δ = 45° − φ/2 with its normal, the direction of the edge of a passive wedge:
///   tan δ = (cos θ_t − rω/v_x)/sin θ_t,   θ_t = arccos((rω/v_x) cos δ) − δ
/// θ_t = 0 for a wheel that rolls without slip. Where θ_t would be beyond the entry θ1, there is no zone before the
/// wheel. Shear restarts at θ_t:
///   behind   j = r [(θ_t − θ) − (v_x/rω)(sin θ_t − sin θ)]
///   before   j = r [K_v (θ1 − θ) − (v_x/rω)(sin θ1 − sin θ)],  K_v such that j(θ_t) = 0: K_v rω = v_x C̄
/// with C̄ the mean of cos θ over θ_t … θ1. In front of θ_t the shear stress drives, behind it brakes. The theory is for
/// s ≤ 0. So that nothing jumps, θ_t goes from 0 to θ1 as the slip rises to GR_ZONES_FADE, where one zone is left.
#ifndef GR_TWO_ZONES_H
#define GR_TWO_ZONES_H

#include "integrate.h"

static const double GR_ZONES_FADE = 0.05;

typedef struct GrZones {
    double memory;                             ///< 1, or −1 for a wheel that rolls backward
    double entry, entry_h;                     ///< where soil enters, and its derivative by h
    double turn, turn_h;                       ///< θ_t with the sign of `memory`, and its derivative by h
    double mean_c, mean_c_h, mean_s, mean_s_h; ///< of cos θ and sin θ between θ_t and the entry
} GrZones;

static inline bool gr_zones_used(const GrSoilWheel *w, double slip)
{
    return w->zones && slip < GR_ZONES_FADE;
}

GrZones gr_zones(const GrSoilWheel *w, double slip, double memory, double entry, double entry_h);

/// Arc that the soil at a node of a run has travelled in its zone, and the derivative of its logarithm by h.
typedef struct GrZoneArc {
    double length, log_h;
} GrZoneArc;

/// A run has few nodes: as θ_t passes one of them, nothing may jump. In the half of the front zone next to θ_t the arc
/// L = θ1 − θ is replaced by one that goes to 0 at θ_t, as behind it: 1/L' = b/L + (1 − b)/g, g = θ − θ_t, b = 0 … 1
/// over that half. In steady rolling arc_law.c corrects the difference.
GrZoneArc gr_zone_arc(const GrZones *zones, double theta, double theta_h);

/// Puts the slip velocities of two zones into `k`. Returns the zones for gr_zones_derivatives.
GrZones gr_zones_motion(int n, const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, const GrStressField *f,
                        GrNodeMotion *k);

/// The sums over the nodes take ∂along/∂(v_x, v_z, ω) = (−C, −S, r). Before θ_t it is (C̄ − C, S̄ − S, 0) of a rolled
/// patch: adds the difference.
void gr_zones_derivatives(int n, const GrSoilWheel *w, const GrPatchInput *in, const GrZones *zones,
                          const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q, GrPatch *out);

#endif

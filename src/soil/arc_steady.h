/// The static formulas of the arc laws (K23 ch. 2-3), integrated to 1e-4 of f_z or better for any slip, slip angle and
/// soil.
#ifndef GR_ARC_STEADY_H
#define GR_ARC_STEADY_H

#include "patch.h"

/// Integrals over the patch of a wheel that rolls forwards and slips to the left, b r dθ included [N].
typedef struct GrArcSums {
    double normal_x, normal_z; ///< −∫σ sin θ, ∫σ cos θ
    double strength;           ///< ∫(c + σ tan φ)
    double x, z, t;            ///< ∫τ_x cos θ, ∫τ_x sin θ, ∫τ_x
    double y, y_c, y_s;        ///< ∫τ_y, ∫τ_y cos θ, ∫τ_y sin θ
} GrArcSums;

/// Gauss-Legendre in t with u = 1 − (1 − t)², u = 0 at the peak and 1 at either end of the arc: the nodes of a run.
extern const double gr_panel_x[GR_PANEL_NODES], gr_panel_w[GR_PANEL_NODES];

/// Accurate integrals: over intervals between the kinks of the integrand, graded towards them. Uses h, slip, angle,
/// exponent, k_x, k_y and width of `in`, and the arc at d = 1.
void gr_arc_steady(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, GrArcSums *sums);

/// The same sums at the nodes of a run.
void gr_arc_steady_at_nodes(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, GrArcSums *sums);

#endif

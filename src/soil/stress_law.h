/// The remainder of a stress law once its normal stress is known.
#ifndef GR_STRESS_LAW_H
#define GR_STRESS_LAW_H

#include "combined.h"
#include "pressing.h"
#include "two_zones.h"

#include <string.h>

/// Shear at the nodes, by the static formulas or by the state, from tau and tau_h in `q`. `load` is the patch's
/// strength ∫τ_max dA.
GR_INLINE void gr_node_shear(const int n, const GrSoilWheel *w, const GrPatchInput *in, const GrNodeMotion *k,
                             double load, double load_h, const double *old, double *restrict next, GrNodeShear *q)
{
    if (in->steady) {
        gr_shear_steady(n, w, k, q);
        return;
    }
    double rho_h;
    const double rho = gr_load_factor(old[GR_SLICE_LOAD], load, load_h, &rho_h);
    next[GR_SLICE_LOAD] = load;
    if (w->soil.shear == GR_SHEAR_COMBINED) {
        gr_mobilise_pair(n, in, rho, rho_h, k, old + GR_SLICE_NODES, next + GR_SLICE_NODES, q);
    } else {
        gr_mobilise_axes(n, in, rho, rho_h, k, old + GR_SLICE_NODES, next + GR_SLICE_NODES, q);
    }
}

/// For laws with one node: the derivatives of its two shear stresses by the twist.
GR_INLINE void gr_one_node_derivatives(const GrSoilWheel *w, const GrPatchInput *in, const GrNodeMotion *k,
                                       const GrNodeShear *q, double x_by[6], double y_by[6])
{
    const bool cross = w->soil.shear == GR_SHEAR_COMBINED && !in->steady;
    const double r = w->radius, mc = k->mean_c[0], ms = k->mean_s[0];
    const double xv = k->scale_x * q->x_t[0], xa = cross ? k->scale_y * q->x_across[0] : 0;
    const double yv = k->scale_y * q->y_t[0], ya = cross ? k->scale_x * q->y_along[0] : 0;
    const double x[6] = {-xv * mc, -xa, -xv * ms, -xa * r * mc, xv * r + q->x_w[0], -xa * r * ms};
    const double y[6] = {-ya * mc, -yv, -ya * ms, -yv * r * mc, ya * r + q->y_w[0], -yv * r * ms};
    memcpy(x_by, x, sizeof x);
    memcpy(y_by, y, sizeof y);
}

/// stress field -> slip velocities -> mobilised shear -> sums. `n` is a constant at every call, so that the loops
/// unroll. `out` must be zero; it is cleared before the field is computed, since no vector register survives a call.
GR_INLINE void gr_stress_law(const int n, const GrSoilWheel *w, const GrPatchInput *in, const GrPressing *pressing,
                             const GrArc *arc, const GrStressField *f, const double *old, double *restrict next,
                             GrPatch *out)
{
    GrNodeMotion k;
    GrNodeShear q;
    out->theta_front = arc->front;
    out->theta_peak = arc->peak;
    out->theta_rear = arc->rear;
    gr_node_motion(n, w, in, arc, f, &k);
    const bool zoned = gr_zones_used(w, in->slip);
    const GrZones zones = zoned ? gr_zones_motion(n, w, in, arc, f, &k) : (GrZones){0};
    double load_h;
    const double load = gr_sum_normal(n, w->soil.cohesion, pressing, w->tan_phi, k.lag.lever, f, &q, &load_h, out);
    out->strength = load;
    out->d_strength = load_h;
    gr_node_shear(n, w, in, &k, load, load_h, old, next, &q);
    gr_sum_along(n, w->radius, f, &k, &q, out);
    gr_sum_across(n, w->radius, f, &k, &q, out);
    if (w->soil.shear == GR_SHEAR_COMBINED && !in->steady) {
        gr_sum_cross(n, w->radius, f, &k, &q, out);
    }
    if (zoned && !in->steady) {
        gr_zones_derivatives(n, w, in, &zones, f, &k, &q, out);
    }
}

#endif

/// The whole of a stress law after its normal stress is known.
#ifndef GR_STRESS_LAW_H
#define GR_STRESS_LAW_H

#include "combined.h"

#include <string.h>

/// stress field -> slip velocities -> mobilised shear -> sums. `n` is a constant at every call, so that the loops unroll.
GR_INLINE void gr_stress_law(const int n, const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc,
                             const GrStressField *f, const double *old, double *restrict next, GrPatch *out)
{
    GrNodeMotion k;
    GrNodeShear q;
    memset(out, 0, sizeof *out);
    out->theta_front = arc->front;
    out->theta_peak = arc->peak;
    out->theta_rear = arc->rear;
    gr_node_motion(n, w->radius, in, arc, f, &k);
    double load_h;
    const double load = gr_node_strength(n, w->soil.cohesion, w->tan_phi, f, &q, &load_h);
    const bool combined = w->soil.shear == GR_SHEAR_COMBINED;
    if (in->steady) {
        gr_shear_steady(n, w, in, &k, &q);
    } else {
        double rho_h;
        const double rho = gr_load_factor(old[GR_SLICE_LOAD], load, load_h, &rho_h);
        const double *m = old + GR_SLICE_NODES;
        double *m_next = next + GR_SLICE_NODES;
        next[GR_SLICE_LOAD] = load;
        if (combined) {
            gr_mobilise_pair(n, in, rho, rho_h, &k, m, m_next, &q);
        } else {
            gr_mobilise_axes(n, in, rho, rho_h, &k, m, m_next, &q);
        }
    }
    gr_sum_normal(n, f, &k, out);
    gr_sum_along(n, w->radius, f, &k, &q, out);
    gr_sum_across(n, w->radius, f, &k, &q, out);
    if (combined && !in->steady) {
        gr_sum_cross(n, w->radius, &k, &q, out);
    }
}

#endif

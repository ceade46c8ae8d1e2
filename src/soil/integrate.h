/// From normal stress at the nodes to wrench, derivatives and new state: the part common to all stress laws.
#ifndef GR_INTEGRATE_H
#define GR_INTEGRATE_H

#include "mobilise.h"
#include "patch.h"
#include "pressing.h"

#include <math.h>

#define GR_INLINE static inline __attribute__((always_inline))

/// Geometry and kinematics at the nodes. Suffix _h: derivative by h.
typedef struct GrNodeMotion {
    double scale_x, scale_y; // dt/K: t = dt v̄/K
    GrShearLag lag;
    double mean_c[GR_NODES_MAX], mean_s[GR_NODES_MAX];   // of the arc travelled since entry
    double fresh[GR_NODES_MAX], fresh_w[GR_NODES_MAX];   // dt |ω|/L, and the negative of its derivative by ω
    double inverse_fresh[GR_NODES_MAX];                  // L/(dt |ω|)
    double by_arc_h[GR_NODES_MAX];                       // −ω ∂ log L/∂h
    double along[GR_NODES_MAX], along_h[GR_NODES_MAX];   // t along the rim
    double across[GR_NODES_MAX], across_h[GR_NODES_MAX]; // t across
} GrNodeMotion;

/// Shear at the nodes, times weight: τ_max times the lever of GrShearLag, τ = (m + T ṁ) τ_max along (x) and across (y),
/// their derivatives by t, by ω through renewal alone, and by h.
typedef struct GrNodeShear {
    double tau[GR_NODES_MAX], tau_h[GR_NODES_MAX];
    double x[GR_NODES_MAX], x_t[GR_NODES_MAX], x_w[GR_NODES_MAX], x_h[GR_NODES_MAX];
    double y[GR_NODES_MAX], y_t[GR_NODES_MAX], y_w[GR_NODES_MAX], y_h[GR_NODES_MAX];
    double x_across[GR_NODES_MAX], y_along[GR_NODES_MAX]; // GR_SHEAR_COMBINED: ∂x/∂t_y, ∂y/∂t_x
} GrNodeShear;

/// sin θ and cos θ of a field whose θ is known.
GR_INLINE void gr_field_angles(const int n, GrStressField *f)
{
    for (int i = 0; i < n; i++) {
        f->s[i] = gr_fast_sin(f->theta[i]);
        f->c[i] = gr_fast_cos(f->theta[i]);
    }
}

/// Slip velocities, mean since entry, as t = dt v̄/K (over 1 s in the static formulas):
///   along  = rω − v_x C − v_z S,   across = −(v_y + r ω_z S + r ω_x C)
/// C and S are the means of cos θ and sin θ over the arc that the soil has travelled, C = (sin θ_e − sin θ)/(θ_e − θ):
/// integrated over time this is the papers' j (K23 eq. 2.10, 2.12). They are weighted by d²: a patch that has not been
/// rolled shears with the local cos θ and sin θ and is a set of springs, whose work over a closed path is zero.
GR_INLINE void gr_node_motion(const int n, const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc,
                              const GrStressField *f, GrNodeMotion *k)
{
    const double *u = in->twist, dt = in->steady ? 1 : in->dt;
    const double d2 = in->roll * in->roll, rest = 1 - d2;
    // The side on which soil enters: by the rolling memory for the means, by ω for the renewal. They differ only over
    // half a patch after a reversal.
    const double memory = in->roll < 0 ? -1.0 : 1.0;
    const double entry = in->roll < 0 ? arc->rear : arc->front;
    const double entry_h = in->roll < 0 ? arc->rear_h : arc->front_h;
    const double entry_s = gr_fast_sin(entry), entry_c = gr_fast_cos(entry);
    const double side = u[4] < 0 ? -1.0 : 1.0;
    const double edge = u[4] < 0 ? arc->rear : arc->front;
    const double edge_h = u[4] < 0 ? arc->rear_h : arc->front_h;
    const double scale_x = dt / in->k_x, scale_y = w->soil.shear == GR_SHEAR_COMBINED ? scale_x : dt / in->k_y;
    const double ux = scale_x * u[0], uz = scale_x * u[2], rim = scale_x * w->radius * u[4];
    const double uy = scale_y * u[1], rx = scale_y * w->radius * u[3], rz = scale_y * w->radius * u[5];
    const double fresh = fabs(u[4]) * dt, fresh_w = -side * dt, by_arc = -side * u[4];
    const double inverse_fresh = 1 / (fresh + 1e-300);
    k->scale_x = scale_x;
    k->scale_y = scale_y;
    k->lag = gr_shear_lag(in->steady || in->resting ? 0 : w->shear_time, dt);
    const double entry_ch = entry_c * entry_h, entry_sh = entry_s * entry_h;
    // One division for both lengths, in its own loop: short dependency chains overlap.
    double inverse_gone[GR_NODES_MAX];
    for (int i = 0; i < n; i++) {
        const double t = f->theta[i];
        const double since = gr_fma(side, edge - t, 1e-12), gone = gr_fma(memory, entry - t, 1e-12);
        const double both = 1 / (since * gone);
        k->inverse_fresh[i] = inverse_fresh * since;
        const double inverse = gone * both;
        k->fresh[i] = fresh * inverse;
        k->fresh_w[i] = fresh_w * inverse;
        k->by_arc_h[i] = by_arc * inverse * (edge_h - f->theta_h[i]);
        inverse_gone[i] = memory * since * both;
    }
    for (int i = 0; i < n; i++) {
        const double t_h = f->theta_h[i], s = f->s[i], c = f->c[i];
        const double inverse = inverse_gone[i], part = d2 * inverse;
        // d² C, d² S and their derivatives: d² (memory (x_e − x) − mean gone_h)/gone; the local ones have the remaining
        // weight.
        const double c_mean = (entry_s - s) * part, s_mean = (c - entry_c) * part;
        const double gone_log_h = (entry_h - t_h) * inverse, rest_h = rest * t_h;
        const double c_mean_h = gr_fma(-c_mean, gone_log_h, gr_fma(-c, t_h, entry_ch) * part);
        const double s_mean_h = gr_fma(-s_mean, gone_log_h, gr_fma(-s, t_h, entry_sh) * part);
        const double mc = gr_fma(rest, c, c_mean), ms = gr_fma(rest, s, s_mean);
        const double mc_h = gr_fma(-rest_h, s, c_mean_h), ms_h = gr_fma(rest_h, c, s_mean_h);
        k->mean_c[i] = mc;
        k->mean_s[i] = ms;
        k->along[i] = gr_fma(-ux, mc, gr_fma(-uz, ms, rim));
        k->along_h[i] = gr_fma(-ux, mc_h, -uz * ms_h);
        k->across[i] = gr_fma(-rz, ms, gr_fma(-rx, mc, -uy));
        k->across_h[i] = gr_fma(-rz, ms_h, -rx * mc_h);
    }
}

/// One axis of the shear: its inputs and the arrays for its results.
typedef struct GrShearAxis {
    const double *t, *t_h; ///< slip in this step and its derivative
    double rho, rho_h;     ///< see gr_load_factor
    double *stress, *stress_t, *stress_w, *stress_h;
} GrShearAxis;

/// Shear with damping is at most τ_max, `most` of tau. Only fast wheels exceed it: apart from the loop over all.
GR_INLINE void gr_bound_axis(const int n, const GrShearAxis *axis, double most, const GrNodeShear *q)
{
    for (int i = 0; i < n; i++) {
        const double stress = axis->stress[i], bound = most * q->tau[i];
        if (gr_abs(stress) > bound) {
            axis->stress[i] = gr_times_sign(bound, stress);
            axis->stress_h[i] = gr_times_sign(most * q->tau_h[i], stress);
            axis->stress_t[i] = axis->stress_w[i] = 0;
        }
    }
}

/// m[n] then M[n] in `old` and `next`. Returns whether any stress exceeds its bound.
GR_INLINE uint64_t gr_mobilise_axis(const int n, const GrShearAxis *axis, const GrNodeMotion *k, const double *tau,
                                    const double *tau_h, const double *old, double *restrict next)
{
    const double rho = axis->rho, rho_h = axis->rho_h, late = k->lag.late, most = 1 - late;
    const double *t = axis->t, *t_h = axis->t_h;
    double *restrict stress = axis->stress, *restrict stress_t = axis->stress_t;
    double *restrict stress_w = axis->stress_w, *restrict stress_h = axis->stress_h;
    uint64_t beyond = 0;
    for (int i = 0; i < n; i++) {
        const double chi = gr_mobilise_chi(t[i], k->inverse_fresh[i]);
        const GrRenewal a = gr_renewal(chi, gr_fast_expm1(chi), t[i], k->fresh[i], k->fresh_w[i]);
        const GrMobilised g = gr_mobilise(rho, late, old[i], old[n + i], t[i], tau[i], &a);
        next[i] = g.m;
        next[n + i] = g.peak;
        stress[i] = g.stress;
        stress_t[i] = g.d_t;
        stress_w[i] = g.d_rate;
        const double by_motion = gr_fma(g.d_t, t_h[i], k->by_arc_h[i] * g.d_rate);
        stress_h[i] = gr_fma(tau_h[i], g.part, gr_fma(rho_h, g.d_old, by_motion));
        beyond |= gr_mask_greater(gr_abs(g.part), most);
    }
    return beyond;
}

/// GR_SHEAR_SEPARATE: both axes independently. State and derivatives are arrays of x, then of y; the loops are short,
/// so that the dependency chains of exp overlap. rho, rho_h: see gr_load_factor.
GR_INLINE void gr_mobilise_axes(const int n, const GrPatchInput *in, double rho, double rho_h, const GrNodeMotion *k,
                                const double *old, double *restrict next, GrNodeShear *restrict q)
{
    const GrShearAxis x = {k->along, k->along_h, rho * in->keep_x, rho_h, q->x, q->x_t, q->x_w, q->x_h};
    const GrShearAxis y = {k->across, k->across_h, rho * in->keep_y, rho_h, q->y, q->y_t, q->y_w, q->y_h};
    const uint64_t beyond = gr_mobilise_axis(n, &x, k, q->tau, q->tau_h, old, next) |
                            gr_mobilise_axis(n, &y, k, q->tau, q->tau_h, old + 2 * n, next + 2 * n);
    if (beyond != 0) {
        gr_bound_axis(n, &x, 1 - k->lag.late, q);
        gr_bound_axis(n, &y, 1 - k->lag.late, q);
    }
}

/// ρ = min(1, load under which the shear was mobilised / load now). More load on sheared soil does not raise its shear
/// stress, less load lowers it. With m alone as the state, pushing sideways while lightly loaded and back while heavily
/// loaded would produce energy (Mindlin & Deresiewicz 1953 for spheres). rho_h is divided by ρ, as gr_mobilise expects.
static inline double gr_load_factor(double old_load, double load, double load_h, double *rho_h)
{
    const bool more = load > old_load;
    *rho_h = more && load > 0 ? -load_h / load : 0;
    return more ? old_load / load : 1;
}

/// wτ_max = w (c + σ tan φ), times `lever`, and its sum without, the load of gr_load_factor; and the contribution of
/// normal stress alone: f_z = ∫σ cos θ, f_x = −∫σ sin θ (K23 eq. 3.4, 3.5).
GR_INLINE double gr_sum_normal(const int n, double cohesion, const GrPressing *pressing, double tan_phi, double lever,
                               const GrStressField *f, GrNodeShear *q, double *load_h, GrPatch *out)
{
    const double bond = cohesion * pressing->bond, bond_h = cohesion * pressing->bond_h;
    double load = 0, slope = 0, x = 0, z = 0, x_h = 0, z_h = 0;
#pragma omp simd reduction(+ : load, slope, x, z, x_h, z_h)
    for (int i = 0; i < n; i++) {
        const double w = f->weight[i], w_h = f->weight_h[i], s = f->s[i], c = f->c[i];
        const double p = w * f->sigma[i], p_h = gr_fma(w_h, f->sigma[i], w * f->sigma_h[i]);
        const double turn = p * f->theta_h[i];
        const double tau = gr_fma(tan_phi, p, bond * w);
        const double tau_h = gr_fma(tan_phi, p_h, gr_fma(bond, w_h, bond_h * w));
        q->tau[i] = lever * tau;
        q->tau_h[i] = lever * tau_h;
        load += tau;
        slope += tau_h;
        x = gr_fma(-p, s, x);
        z = gr_fma(p, c, z);
        x_h = gr_fma(-p_h, s, gr_fma(-turn, c, x_h));
        z_h = gr_fma(p_h, c, gr_fma(-turn, s, z_h));
    }
    out->compaction = x;
    out->d_compaction = x_h;
    out->wrench[0] = x;
    out->wrench[2] = z;
    out->d_h[0] = x_h;
    out->d_h[2] = z_h;
    *load_h = slope;
    return load;
}

/// Shear along: f_x = ∫τ cos θ, f_z = ∫τ sin θ, torque −r ∫τ (K23 eq. 3.4, 3.5, 3.7).
GR_INLINE void gr_sum_along(const int n, double r, const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q,
                            GrPatch *out)
{
    double x = 0, z = 0, t = 0, x_h = 0, z_h = 0, t_h = 0;
    double xx = 0, zx = 0, tx = 0, xz = 0, zz = 0, tz = 0, xw = 0, zw = 0, tw = 0;
    const double scale = k->scale_x, reach = r * scale;
#pragma omp simd reduction(+ : x, z, t, x_h, z_h, t_h, xx, zx, tx, xz, zz, tz, xw, zw, tw)
    for (int i = 0; i < n; i++) {
        const double s = f->s[i], c = f->c[i];
        const double p = q->x[i], turn = p * f->theta_h[i], p_h = q->x_h[i], by_t = q->x_t[i];
        const double by_vx = by_t * k->mean_c[i], by_vz = by_t * k->mean_s[i];
        const double by_w = gr_fma(reach, by_t, q->x_w[i]);
        x = gr_fma(p, c, x);
        z = gr_fma(p, s, z);
        t += p;
        x_h = gr_fma(p_h, c, gr_fma(-turn, s, x_h));
        z_h = gr_fma(p_h, s, gr_fma(turn, c, z_h));
        t_h += p_h;
        xx = gr_fma(by_vx, c, xx);
        zx = gr_fma(by_vx, s, zx);
        tx += by_vx;
        xz = gr_fma(by_vz, c, xz);
        zz = gr_fma(by_vz, s, zz);
        tz += by_vz;
        xw = gr_fma(by_w, c, xw);
        zw = gr_fma(by_w, s, zw);
        tw += by_w;
    }
    const double force[3] = {x, z, -r * t}, slope[3] = {x_h, z_h, -r * t_h};
    const double by[3][3] = {
        {-scale * xx, -scale * xz, xw}, {-scale * zx, -scale * zz, zw}, {reach * tx, reach * tz, -r * tw}};
    static const int row[3] = {0, 2, 4}, column[3] = {0, 2, 4};
    for (int i = 0; i < 3; i++) {
        out->wrench[row[i]] += force[i];
        out->d_h[row[i]] += slope[i];
        for (int j = 0; j < 3; j++) {
            out->d_twist[row[i]][column[j]] = by[i][j];
        }
    }
}

/// Shear across: f_y = ∫τ_y (K23 eq. 3.6), and its torques r ∫τ_y cos θ about x and r ∫τ_y sin θ about z.
GR_INLINE void gr_sum_across(const int n, double r, const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q,
                             GrPatch *out)
{
    double y = 0, c1 = 0, s1 = 0, y_h = 0, c_h = 0, s_h = 0;
    double yv = 0, cv = 0, sv = 0, yc = 0, cc = 0, sc = 0, ys = 0, cs = 0, ss = 0, yw = 0, cw = 0, sw = 0;
#pragma omp simd reduction(+ : y, c1, s1, y_h, c_h, s_h, yv, cv, sv, yc, cc, sc, ys, cs, ss, yw, cw, sw)
    for (int i = 0; i < n; i++) {
        const double s = f->s[i], c = f->c[i];
        const double p = q->y[i], turn = p * f->theta_h[i], p_h = q->y_h[i], by_t = q->y_t[i];
        const double by_c = by_t * k->mean_c[i], by_s = by_t * k->mean_s[i], by_w = q->y_w[i];
        y += p;
        c1 = gr_fma(p, c, c1);
        s1 = gr_fma(p, s, s1);
        y_h += p_h;
        c_h = gr_fma(p_h, c, gr_fma(-turn, s, c_h));
        s_h = gr_fma(p_h, s, gr_fma(turn, c, s_h));
        yv += by_t;
        cv = gr_fma(by_t, c, cv);
        sv = gr_fma(by_t, s, sv);
        yc += by_c;
        cc = gr_fma(by_c, c, cc);
        sc = gr_fma(by_c, s, sc);
        ys += by_s;
        cs = gr_fma(by_s, c, cs);
        ss = gr_fma(by_s, s, ss);
        yw += by_w;
        cw = gr_fma(by_w, c, cw);
        sw = gr_fma(by_w, s, sw);
    }
    const double force[3] = {y, r * c1, r * s1}, slope[3] = {y_h, r * c_h, r * s_h};
    const double v = -k->scale_y, rv = r * v, rrv = r * rv;
    const double by[3][4] = {
        {v * yv, rv * yc, yw, rv * ys}, {rv * cv, rrv * cc, r * cw, rrv * cs}, {rv * sv, rrv * sc, r * sw, rrv * ss}};
    static const int row[3] = {1, 3, 5}, column[4] = {1, 3, 4, 5};
    for (int i = 0; i < 3; i++) {
        out->wrench[row[i]] += force[i];
        out->d_h[row[i]] += slope[i];
        for (int j = 0; j < 4; j++) {
            out->d_twist[row[i]][column[j]] = by[i][j];
        }
    }
}

/// The static formulas (K23 eq. 2.9-2.12): no state, and only the derivatives of the geometry.
GR_INLINE void gr_shear_steady(const int n, const GrSoilWheel *w, const GrNodeMotion *k, GrNodeShear *q)
{
    for (int i = 0; i < n; i++) {
        double x, y;
        if (w->soil.shear == GR_SHEAR_COMBINED) {
            const double size = sqrt(k->along[i] * k->along[i] + k->across[i] * k->across[i]) + 1e-300;
            const double m = gr_mobilise_steady(size, k->inverse_fresh[i]) / size;
            x = m * k->along[i];
            y = m * k->across[i];
        } else {
            x = gr_mobilise_steady(k->along[i], k->inverse_fresh[i]);
            y = gr_mobilise_steady(k->across[i], k->inverse_fresh[i]);
        }
        q->x[i] = q->tau[i] * x;
        q->y[i] = q->tau[i] * y;
        q->x_h[i] = q->tau_h[i] * x;
        q->y_h[i] = q->tau_h[i] * y;
        q->x_t[i] = q->x_w[i] = q->y_t[i] = q->y_w[i] = 0;
        q->x_across[i] = q->y_along[i] = 0;
    }
}

#endif

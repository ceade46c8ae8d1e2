/// From normal stress at the nodes to wrench, derivatives and new state: what all stress laws share.
#ifndef GR_INTEGRATE_H
#define GR_INTEGRATE_H

#include "mobilise.h"
#include "patch.h"

#include <math.h>

#define GR_INLINE static inline __attribute__((always_inline))

/// Geometry and kinematics at the nodes. Suffix _h: derivative to h.
typedef struct GrNodeMotion {
    double mean_c[GR_NODES_MAX], mean_s[GR_NODES_MAX];   // of the arc travelled since entry
    double arc[GR_NODES_MAX];                            // L
    double fresh[GR_NODES_MAX], fresh_w[GR_NODES_MAX];   // dt |ω|/L, and less its derivative to ω
    double by_arc_h[GR_NODES_MAX];                       // −ω ∂ log L/∂h
    double along[GR_NODES_MAX], along_h[GR_NODES_MAX];   // v̄ along the rim
    double across[GR_NODES_MAX], across_h[GR_NODES_MAX]; // v̄ across
} GrNodeMotion;

/// wτ_max, m and the derivatives of m at the nodes.
typedef struct GrNodeShear {
    double tau[GR_NODES_MAX], tau_h[GR_NODES_MAX]; // weight · τ_max
    double x[GR_NODES_MAX], x_v[GR_NODES_MAX], x_w[GR_NODES_MAX], x_h[GR_NODES_MAX];
    double y[GR_NODES_MAX], y_v[GR_NODES_MAX], y_w[GR_NODES_MAX], y_h[GR_NODES_MAX];
    double x_across[GR_NODES_MAX], y_along[GR_NODES_MAX]; // GR_SHEAR_COMBINED: ∂m_x/∂v̄_y, ∂m_y/∂v̄_x
} GrNodeShear;

/// sin θ and cos θ of a field whose θ is known.
GR_INLINE void gr_field_angles(const int n, GrStressField *f)
{
    for (int i = 0; i < n; i++) {
        f->s[i] = gr_fast_sin(f->theta[i]);
        f->c[i] = gr_fast_cos(f->theta[i]);
    }
}

/// Slip velocities, mean since entry:
///   along  = rω − v_x C − v_z S,   across = −(v_y + r ω_z S + r ω_x C)
/// C and S are the means of cos θ and sin θ over the arc that the soil has travelled, C = (sin θ_e − sin θ)/(θ_e − θ):
/// integrated over time this is the papers' j (K23 eq. 2.10, 2.12). They come in with d²: a patch that has not been
/// rolled shears with the local cos θ and sin θ, and is then a set of springs whose work over a closed path is zero.
GR_INLINE void gr_node_motion(const int n, double radius, const GrPatchInput *in, const GrArc *arc,
                              const GrStressField *f, GrNodeMotion *k)
{
    const double *u = in->twist;
    const double d2 = in->roll * in->roll, rest = 1 - d2;
    // The side on which soil enters: by the rolling memory for the means, by ω for the renewal. They differ only
    // for half a patch after a reversal.
    const double memory = in->roll < 0 ? -1.0 : 1.0;
    const double entry = in->roll < 0 ? arc->rear : arc->front;
    const double entry_h = in->roll < 0 ? arc->rear_h : arc->front_h;
    const double entry_s = gr_fast_sin(entry), entry_c = gr_fast_cos(entry);
    const double side = u[4] < 0 ? -1.0 : 1.0;
    const double edge = u[4] < 0 ? arc->rear : arc->front;
    const double edge_h = u[4] < 0 ? arc->rear_h : arc->front_h;
    const double rim = radius * u[4], rz = radius * u[5], rx = radius * u[3];
    const double fresh = fabs(u[4]) * in->dt, fresh_w = -side * in->dt, by_arc = -side * u[4];
    const double entry_ch = entry_c * entry_h, entry_sh = entry_s * entry_h;
    // One division for both lengths, by itself: short chains overlap.
    double inverse_gone[GR_NODES_MAX];
    for (int i = 0; i < n; i++) {
        const double t = f->theta[i];
        const double since = gr_fma(side, edge - t, 1e-12), gone = gr_fma(memory, entry - t, 1e-12);
        const double both = 1 / (since * gone);
        k->arc[i] = since;
        const double inverse = gone * both;
        k->fresh[i] = fresh * inverse;
        k->fresh_w[i] = fresh_w * inverse;
        k->by_arc_h[i] = by_arc * inverse * (edge_h - f->theta_h[i]);
        inverse_gone[i] = memory * since * both;
    }
    for (int i = 0; i < n; i++) {
        const double t_h = f->theta_h[i], s = f->s[i], c = f->c[i];
        const double inverse = inverse_gone[i], part = d2 * inverse;
        // d² C, d² S and their derivatives: d² (memory (x_e − x) − mean gone_h)/gone; the local ones have the rest.
        const double c_mean = (entry_s - s) * part, s_mean = (c - entry_c) * part;
        const double gone_log_h = (entry_h - t_h) * inverse, rest_h = rest * t_h;
        const double c_mean_h = gr_fma(-c_mean, gone_log_h, gr_fma(-c, t_h, entry_ch) * part);
        const double s_mean_h = gr_fma(-s_mean, gone_log_h, gr_fma(-s, t_h, entry_sh) * part);
        const double mc = gr_fma(rest, c, c_mean), ms = gr_fma(rest, s, s_mean);
        const double mc_h = gr_fma(-rest_h, s, c_mean_h), ms_h = gr_fma(rest_h, c, s_mean_h);
        k->mean_c[i] = mc;
        k->mean_s[i] = ms;
        k->along[i] = gr_fma(-u[0], mc, gr_fma(-u[2], ms, rim));
        k->along_h[i] = gr_fma(-u[0], mc_h, -u[2] * ms_h);
        k->across[i] = gr_fma(-rz, ms, gr_fma(-rx, mc, -u[1]));
        k->across_h[i] = gr_fma(-rz, ms_h, -rx * mc_h);
    }
}

/// One axis of the shear: what drives it, and where its results go.
typedef struct GrShearAxis {
    double by_rate_k;            ///< 1/(|ω| K)
    const double *v, *v_h;       ///< slip velocity and its derivative
    double inverse_k_dt;         ///< dt/K
    double rho, rho_h;           ///< see gr_load_factor
    double *m, *m_v, *m_w, *m_h; ///< mobilisation and its derivatives
} GrShearAxis;

/// m[n] then M[n] in `old` and `next`.
GR_INLINE void gr_mobilise_axis(const int n, const GrShearAxis *axis, const GrNodeMotion *k, const double *old,
                                double *restrict next)
{
    const double inverse_k_dt = axis->inverse_k_dt, rho = axis->rho, rho_h = axis->rho_h;
    const double *v = axis->v, *v_h = axis->v_h;
    double *restrict m = axis->m, *restrict m_v = axis->m_v, *restrict m_w = axis->m_w, *restrict m_h = axis->m_h;
    for (int i = 0; i < n; i++) {
        const double chi = gr_mobilise_chi(v[i], k->arc[i], axis->by_rate_k);
        const GrRenewal a = gr_renewal(chi, gr_fast_expm1(chi), v[i], k->fresh[i], k->fresh_w[i], inverse_k_dt);
        const GrMobilised g = gr_mobilise(rho * old[i], rho * old[n + i], v[i], &a, inverse_k_dt);
        next[i] = m[i] = g.m;
        next[n + i] = g.peak;
        m_v[i] = g.d_v;
        m_w[i] = g.d_rate;
        m_h[i] = gr_fma(g.d_v, v_h[i], gr_fma(rho_h, g.d_old, k->by_arc_h[i] * g.d_rate));
    }
}

/// GR_SHEAR_SEPARATE: both axes by themselves. State and derivatives are arrays of x, then of y; in short loops, so
/// that the long chains of exp overlap. rho, rho_h: see gr_load_factor.
GR_INLINE void gr_mobilise_axes(const int n, const GrPatchInput *in, double rho, double rho_h, const GrNodeMotion *k,
                                const double *old, double *restrict next, GrNodeShear *restrict q)
{
    const double rate = fabs(in->twist[4]), inverse_x = in->dt / in->k_x, inverse_y = in->dt / in->k_y;
    const double by_rate_x = 1 / (rate * in->k_x + 1e-300), by_rate_y = 1 / (rate * in->k_y + 1e-300);
    const GrShearAxis x = {.by_rate_k = by_rate_x,
                           .v = k->along,
                           .v_h = k->along_h,
                           .inverse_k_dt = inverse_x,
                           .rho = rho * in->keep_x,
                           .rho_h = rho_h,
                           .m = q->x,
                           .m_v = q->x_v,
                           .m_w = q->x_w,
                           .m_h = q->x_h};
    const GrShearAxis y = {.by_rate_k = by_rate_y,
                           .v = k->across,
                           .v_h = k->across_h,
                           .inverse_k_dt = inverse_y,
                           .rho = rho * in->keep_y,
                           .rho_h = rho_h,
                           .m = q->y,
                           .m_v = q->y_v,
                           .m_w = q->y_w,
                           .m_h = q->y_h};
    gr_mobilise_axis(n, &x, k, old, next);
    gr_mobilise_axis(n, &y, k, old + 2 * n, next + 2 * n);
}

/// ρ = min(1, load under which the shear was mobilised / load now). More load on sheared soil does not raise its shear
/// stress, less load lowers it. With m alone as the state, pushing sideways while lightly loaded and back while heavily
/// loaded would give energy away (Mindlin & Deresiewicz 1953 for spheres). rho_h is over ρ, as gr_mobilise wants it.
static inline double gr_load_factor(double old_load, double load, double load_h, double *rho_h)
{
    const bool more = load > old_load;
    *rho_h = more && load > 0 ? -load_h / load : 0;
    return more ? old_load / load : 1;
}

/// wτ_max = w (c + σ tan φ) and its sum, the load of gr_load_factor; and what normal stress does by itself:
/// f_z = ∫σ cos θ, f_x = −∫σ sin θ (K23 eq. 3.4, 3.5).
GR_INLINE double gr_sum_normal(const int n, double cohesion, double tan_phi, const GrStressField *f, GrNodeShear *q,
                               double *load_h, GrPatch *out)
{
    double load = 0, slope = 0, x = 0, z = 0, x_h = 0, z_h = 0;
#pragma omp simd reduction(+ : load, slope, x, z, x_h, z_h)
    for (int i = 0; i < n; i++) {
        const double w = f->weight[i], w_h = f->weight_h[i], s = f->s[i], c = f->c[i];
        const double p = w * f->sigma[i], p_h = gr_fma(w_h, f->sigma[i], w * f->sigma_h[i]);
        const double turn = p * f->theta_h[i];
        const double tau = gr_fma(tan_phi, p, cohesion * w), tau_h = gr_fma(tan_phi, p_h, cohesion * w_h);
        q->tau[i] = tau;
        q->tau_h[i] = tau_h;
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
#pragma omp simd reduction(+ : x, z, t, x_h, z_h, t_h, xx, zx, tx, xz, zz, tz, xw, zw, tw)
    for (int i = 0; i < n; i++) {
        const double s = f->s[i], c = f->c[i], tau = q->tau[i];
        const double p = tau * q->x[i], turn = p * f->theta_h[i];
        const double p_h = gr_fma(q->tau_h[i], q->x[i], tau * q->x_h[i]);
        const double by_v = tau * q->x_v[i];
        const double by_vx = by_v * k->mean_c[i], by_vz = by_v * k->mean_s[i];
        const double by_w = gr_fma(r, by_v, tau * q->x_w[i]);
        x = gr_fma(p, c, x);
        z = gr_fma(p, s, z);
        t += p;
        x_h = gr_fma(p_h, c, gr_fma(-turn, s, x_h));
        z_h = gr_fma(p_h, s, gr_fma(turn, c, z_h));
        t_h += p_h;
        xx = gr_fma(-by_vx, c, xx);
        zx = gr_fma(-by_vx, s, zx);
        tx -= by_vx;
        xz = gr_fma(-by_vz, c, xz);
        zz = gr_fma(-by_vz, s, zz);
        tz -= by_vz;
        xw = gr_fma(by_w, c, xw);
        zw = gr_fma(by_w, s, zw);
        tw += by_w;
    }
    const double force[3] = {x, z, -r * t}, slope[3] = {x_h, z_h, -r * t_h};
    const double by[3][3] = {{xx, xz, xw}, {zx, zz, zw}, {-r * tx, -r * tz, -r * tw}};
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
        const double s = f->s[i], c = f->c[i], tau = q->tau[i];
        const double p = tau * q->y[i], turn = p * f->theta_h[i];
        const double p_h = gr_fma(q->tau_h[i], q->y[i], tau * q->y_h[i]);
        const double by_v = tau * q->y_v[i];
        const double by_c = by_v * k->mean_c[i], by_s = by_v * k->mean_s[i];
        const double by_w = tau * q->y_w[i];
        y += p;
        c1 = gr_fma(p, c, c1);
        s1 = gr_fma(p, s, s1);
        y_h += p_h;
        c_h = gr_fma(p_h, c, gr_fma(-turn, s, c_h));
        s_h = gr_fma(p_h, s, gr_fma(turn, c, s_h));
        yv -= by_v;
        cv = gr_fma(-by_v, c, cv);
        sv = gr_fma(-by_v, s, sv);
        yc -= by_c;
        cc = gr_fma(-by_c, c, cc);
        sc = gr_fma(-by_c, s, sc);
        ys -= by_s;
        cs = gr_fma(-by_s, c, cs);
        ss = gr_fma(-by_s, s, ss);
        yw += by_w;
        cw = gr_fma(by_w, c, cw);
        sw = gr_fma(by_w, s, sw);
    }
    const double force[3] = {y, r * c1, r * s1}, slope[3] = {y_h, r * c_h, r * s_h};
    const double by[3][4] = {
        {yv, r * yc, yw, r * ys}, {r * cv, r * r * cc, r * cw, r * r * cs}, {r * sv, r * r * sc, r * sw, r * r * ss}};
    static const int row[3] = {1, 3, 5}, column[4] = {1, 3, 4, 5};
    for (int i = 0; i < 3; i++) {
        out->wrench[row[i]] += force[i];
        out->d_h[row[i]] += slope[i];
        for (int j = 0; j < 4; j++) {
            out->d_twist[row[i]][column[j]] = by[i][j];
        }
    }
}

/// The static formulas (K23 eq. 2.9-2.12): no state, no derivatives but those of the geometry.
GR_INLINE void gr_shear_steady(const int n, const GrSoilWheel *w, const GrPatchInput *in, const GrNodeMotion *k,
                               GrNodeShear *q)
{
    const double rate = fabs(in->twist[4]);
    const bool combined = w->soil.shear == GR_SHEAR_COMBINED;
    const double by_kx = 1 / (rate * in->k_x + 1e-300), by_ky = 1 / (rate * in->k_y + 1e-300);
    for (int i = 0; i < n; i++) {
        if (combined) {
            const double speed = sqrt(k->along[i] * k->along[i] + k->across[i] * k->across[i]) + 1e-300;
            const double m = gr_mobilise_steady(speed, k->arc[i], by_kx) / speed;
            q->x[i] = m * k->along[i];
            q->y[i] = m * k->across[i];
        } else {
            q->x[i] = gr_mobilise_steady(k->along[i], k->arc[i], by_kx);
            q->y[i] = gr_mobilise_steady(k->across[i], k->arc[i], by_ky);
        }
        q->x_v[i] = q->x_w[i] = q->x_h[i] = q->y_v[i] = q->y_w[i] = q->y_h[i] = 0;
        q->x_across[i] = q->y_along[i] = 0;
    }
}

#endif

/// GR_SHEAR_COMBINED: one K, the mobilised shear is a vector along the slip velocity and stays in one circle.
#ifndef GR_COMBINED_H
#define GR_COMBINED_H

#include "integrate.h"

/// As gr_mobilise with m and v̄ as vectors and M the radius seen so far:
///   elastic m = p q1, virgin m = p q2, held m = M q1 p/|p|,  p = m_old + dt v̄/K
/// The peak of the x axis holds M; that of y is unused.
GR_INLINE void gr_mobilise_pair(const int n, const GrPatchInput *in, double rho, double rho_h, const GrNodeMotion *k,
                                const double *old, double *restrict next, GrNodeShear *restrict q)
{
    const double rate = fabs(in->twist[4]), dt = in->dt;
    const double inverse_k = 1 / in->k_x, inverse_rate_k = 1 / (rate * in->k_x + 1e-300);
    const double kept = rho * in->keep_x;
    const double *old_x = old, *old_peak = old + n, *old_y = old + 2 * n;
    for (int i = 0; i < n; i++) {
        const double vx = k->along[i], vy = k->across[i];
        const double speed = sqrt(vx * vx + vy * vy);
        const double ex = vx / (speed + 1e-300), ey = vy / (speed + 1e-300);
        const double chi = gr_mobilise_chi(speed, k->arc[i], inverse_rate_k);
        const double b = chi / gr_fast_expm1(chi);
        const double b_chi = b * (1 - chi - b) / chi;
        const double renewal = k->fresh[i] * b;
        const double q_elastic = 1 / (1 + renewal);
        const double q_virgin = 1 / (1 + renewal + dt * speed * inverse_k);
        const double mx = kept * old_x[i], my = kept * old_y[i], seen = kept * old_peak[i];
        const double px = mx + dt * inverse_k * vx, py = my + dt * inverse_k * vy;
        const double p = sqrt(px * px + py * py) + 1e-300;
        const double ux = px / p, uy = py / p;
        const double peak = seen * q_elastic;
        const double is_elastic = p * q_elastic <= peak ? 1.0 : 0.0;
        const double is_virgin = p * q_virgin >= peak ? 1.0 - is_elastic : 0.0;
        const double is_held = 1.0 - is_elastic - is_virgin;
        const double g = is_elastic * q_elastic + is_virgin * q_virgin + is_held * peak / p;
        const double f = is_virgin * q_virgin + (1 - is_virgin) * q_elastic;
        const double x = px * g, y = py * g, size = p * g;
        next[i] = q->x[i] = x;
        next[n + i] = size > peak ? size : peak;
        next[2 * n + i] = q->y[i] = y;
        next[3 * n + i] = 0;
        const double step = dt * inverse_k, fade = f * (b_chi + is_virgin);
        q->x_v[i] = step * (g * (1 - is_held * ux * ux) - x * fade * ex);
        q->x_across[i] = step * (-g * is_held * ux * uy - x * fade * ey);
        q->y_v[i] = step * (g * (1 - is_held * uy * uy) - y * fade * ey);
        q->y_along[i] = step * (-g * is_held * ux * uy - y * fade * ex);
        const double by_rate = f * b * (chi + b) * k->fresh_w[i];
        q->x_w[i] = x * by_rate;
        q->y_w[i] = y * by_rate;
        // Common factor ρ of old m and M.
        const double radial = is_held * (ux * mx + uy * my);
        const double old_dx = g * (mx - radial * ux) + is_held * x, old_dy = g * (my - radial * uy) + is_held * y;
        const double by_arc = by_rate * k->by_arc_h[i];
        q->x_h[i] = q->x_v[i] * k->along_h[i] + q->x_across[i] * k->across_h[i] + x * by_arc + rho_h * old_dx;
        q->y_h[i] = q->y_v[i] * k->across_h[i] + q->y_along[i] * k->along_h[i] + y * by_arc + rho_h * old_dy;
    }
}

/// What slip along does to the force across, and the other way round.
GR_INLINE void gr_sum_cross(const int n, double r, const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q,
                            GrPatch *out)
{
    for (int i = 0; i < n; i++) {
        const double c = f->c[i], s = f->s[i], mc = k->mean_c[i], ms = k->mean_s[i];
        const double along[3] = {c, s, -r}, across[3] = {1, r * c, r * s};
        const double v_across[3] = {-1, -r * mc, -r * ms}, v_along[3] = {-mc, -ms, r};
        static const int row_x[3] = {0, 2, 4}, row_y[3] = {1, 3, 5};
        const double gx = q->tau[i] * q->x_across[i], gy = q->tau[i] * q->y_along[i];
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                out->d_twist[row_x[a]][row_y[b]] += gx * along[a] * v_across[b];
                out->d_twist[row_y[a]][row_x[b]] += gy * across[a] * v_along[b];
            }
        }
    }
}

#endif

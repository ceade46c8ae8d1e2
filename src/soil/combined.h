/// GR_SHEAR_COMBINED: one K, the mobilised shear is a vector along the slip velocity, bounded by a circle.
#ifndef GR_COMBINED_H
#define GR_COMBINED_H

#include "integrate.h"

/// A vector within a circle. Beyond it only its direction counts: derivatives lose their radial part.
typedef struct GrInCircle {
    double x, y;
    double scale;          ///< on the derivatives: 1, or radius/size outside
    double away_x, away_y; ///< unit vector that is taken out of them, 0 inside
} GrInCircle;

static inline GrInCircle gr_in_circle(double x, double y, double radius)
{
    const double size = sqrt(x * x + y * y), outside = size > radius ? 1.0 : 0.0;
    const double by_size = outside / (size + 1e-300), scale = 1 - outside + radius * by_size;
    return (GrInCircle){x * scale, y * scale, scale, x * by_size, y * by_size};
}

static inline void gr_in_circle_change(const GrInCircle *c, double *x, double *y)
{
    const double radial = c->away_x * *x + c->away_y * *y;
    *x = c->scale * (*x - radial * c->away_x);
    *y = c->scale * (*y - radial * c->away_y);
}

/// As gr_mobilise with m and t as vectors and M the largest magnitude so far:
///   elastic m = p q1, virgin m = p q2, held m = M q1 p/|p|,  p = m_old + t
/// M is stored as the peak of the x axis; that of y is not used.
GR_INLINE void gr_mobilise_pair(const int n, const GrPatchInput *in, double rho, double rho_h, const GrNodeMotion *k,
                                const double *old, double *restrict next, GrNodeShear *restrict q)
{
    const double kept = rho * in->keep_x, late = k->lag.late;
    const double *old_x = old, *old_peak = old + n, *old_y = old + 2 * n;
    for (int i = 0; i < n; i++) {
        const double tx = k->along[i], ty = k->across[i], tau = q->tau[i], tau_h = q->tau_h[i];
        const double slip = sqrt(tx * tx + ty * ty);
        const double ex = tx / (slip + 1e-300), ey = ty / (slip + 1e-300);
        const double chi = gr_mobilise_chi(slip, k->inverse_fresh[i]);
        const double b = chi / gr_fast_expm1(chi);
        const double b_chi = b * (1 - chi - b) / chi;
        const double renewal = k->fresh[i] * b;
        const double q_elastic = 1 / (1 + renewal);
        const double q_virgin = 1 / (1 + renewal + slip);
        const double mx = kept * old_x[i], my = kept * old_y[i], seen = kept * old_peak[i];
        const double px = mx + tx, py = my + ty;
        const double p = sqrt(px * px + py * py) + 1e-300;
        const double ux = px / p, uy = py / p;
        const double peak = seen * q_elastic;
        const double is_elastic = p * q_elastic <= peak ? 1.0 : 0.0;
        const double is_virgin = p * q_virgin >= peak ? 1.0 - is_elastic : 0.0;
        const double is_held = 1.0 - is_elastic - is_virgin;
        const double g = is_elastic * q_elastic + is_virgin * q_virgin + is_held * peak / p;
        const double f = is_virgin * q_virgin + (1 - is_virgin) * q_elastic;
        const double m_x = px * g, m_y = py * g, size = p * g;
        next[i] = m_x;
        next[n + i] = size > peak ? size : peak;
        next[2 * n + i] = m_y;
        next[3 * n + i] = 0;
        const GrInCircle in_circle = gr_in_circle(m_x - late * mx, m_y - late * my, 1 - late);
        q->x[i] = tau * in_circle.x;
        q->y[i] = tau * in_circle.y;
        const double x = tau * m_x, y = tau * m_y, gain = tau * g;
        const double fade = f * (b_chi + is_virgin), mixed = -gain * is_held * ux * uy;
        q->x_t[i] = gain * (1 - is_held * ux * ux) - x * fade * ex;
        q->x_across[i] = mixed - x * fade * ey;
        q->y_t[i] = gain * (1 - is_held * uy * uy) - y * fade * ey;
        q->y_along[i] = mixed - y * fade * ex;
        const double by_rate = f * b * (chi + b) * k->fresh_w[i];
        q->x_w[i] = x * by_rate;
        q->y_w[i] = y * by_rate;
        // Common factor ρ of old m and M.
        const double radial = is_held * (ux * mx + uy * my), before = tau * late;
        double old_dx = gain * (mx - radial * ux) + is_held * x - before * mx;
        double old_dy = gain * (my - radial * uy) + is_held * y - before * my;
        gr_in_circle_change(&in_circle, &q->x_t[i], &q->y_along[i]);
        gr_in_circle_change(&in_circle, &q->x_across[i], &q->y_t[i]);
        gr_in_circle_change(&in_circle, &q->x_w[i], &q->y_w[i]);
        gr_in_circle_change(&in_circle, &old_dx, &old_dy);
        const double by_arc = k->by_arc_h[i];
        q->x_h[i] = q->x_t[i] * k->along_h[i] + q->x_across[i] * k->across_h[i] + q->x_w[i] * by_arc + rho_h * old_dx +
                    tau_h * in_circle.x;
        q->y_h[i] = q->y_t[i] * k->across_h[i] + q->y_along[i] * k->along_h[i] + q->y_w[i] * by_arc + rho_h * old_dy +
                    tau_h * in_circle.y;
    }
}

/// Cross derivatives: of the force across by slip along, and vice versa.
GR_INLINE void gr_sum_cross(const int n, double r, const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q,
                            GrPatch *out)
{
    for (int i = 0; i < n; i++) {
        const double c = f->c[i], s = f->s[i], mc = k->mean_c[i], ms = k->mean_s[i];
        const double along[3] = {c, s, -r}, across[3] = {1, r * c, r * s};
        const double v_across[3] = {-1, -r * mc, -r * ms}, v_along[3] = {-mc, -ms, r};
        static const int row_x[3] = {0, 2, 4}, row_y[3] = {1, 3, 5};
        const double gx = k->scale_y * q->x_across[i], gy = k->scale_x * q->y_along[i];
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                out->d_twist[row_x[a]][row_y[b]] += gx * along[a] * v_across[b];
                out->d_twist[row_y[a]][row_x[b]] += gy * across[a] * v_along[b];
            }
        }
    }
}

#endif

/// Closed form with linearised stresses (Ding et al. 2010; data/README formulas): σ and τ rise linearly from the ends of
/// the arc to their values at θ_m. One shear node instead of sixteen.
#include "stress_law.h"

/// sin x / x and its derivative.
static double sinc(double x, double *slope)
{
    if (fabs(x) < 1e-3) {
        *slope = -x / 3 * (1 - x * x / 10);
        return 1 - x * x / 6 * (1 - x * x / 20);
    }
    const double s = sin(x) / x;
    *slope = (cos(x) - s) / x;
    return s;
}

/// ∫ of the unit triangle times cos θ (A), sin θ (B) and 1 (C), with derivatives to h.
///   A = (cos θ_m − cos θ2)/(θ_m − θ2) + (cos θ_m − cos θ1)/(θ1 − θ_m), B the same with sin, C = (θ1 − θ2)/2
/// written with sinc so that a side of no length is no exception.
typedef struct Triangle {
    double a, a_h, b, b_h, c, c_h;
} Triangle;

static Triangle triangle(const GrArc *arc)
{
    const double front = 0.5 * (arc->peak + arc->front), front_h = 0.5 * (arc->peak_h + arc->front_h);
    const double rear = 0.5 * (arc->peak + arc->rear), rear_h = 0.5 * (arc->peak_h + arc->rear_h);
    const double p_h = 0.5 * (arc->front_h - arc->peak_h), q_h = 0.5 * (arc->peak_h - arc->rear_h);
    double dp, dq;
    const double p = sinc(0.5 * (arc->front - arc->peak), &dp), q = sinc(0.5 * (arc->peak - arc->rear), &dq);
    const double sf = sin(front), cf = cos(front), sr = sin(rear), cr = cos(rear);
    return (Triangle){
        .a = sf * p - sr * q,
        .a_h = cf * front_h * p + sf * dp * p_h - cr * rear_h * q - sr * dq * q_h,
        .b = cr * q - cf * p,
        .b_h = -sr * rear_h * q + cr * dq * q_h + sf * front_h * p - cf * dp * p_h,
        .c = 0.5 * (arc->front - arc->rear),
        .c_h = 0.5 * (arc->front_h - arc->rear_h),
    };
}

/// Mobilisation at the one node, along and across.
static void mobilise(const GrSoilWheel *w, const GrPatchInput *in, const GrNodeMotion *k, double load, double load_h,
                     const double *old, double *next, GrNodeShear *q)
{
    if (in->steady) {
        gr_shear_steady(1, w, in, k, q);
        return;
    }
    double rho_h;
    const double rho = gr_load_factor(old[GR_SLICE_LOAD], load, load_h, &rho_h);
    const double *m = old + GR_SLICE_NODES;
    double *m_next = next + GR_SLICE_NODES;
    next[GR_SLICE_LOAD] = load;
    if (w->soil.shear == GR_SHEAR_COMBINED) {
        gr_mobilise_pair(1, in, rho, rho_h, k, m, m_next, q);
        return;
    }
    gr_mobilise_axes(1, in, rho, rho_h, k, m, m_next, q);
    q->x_across[0] = q->y_along[0] = 0;
}

/// Adds br (coefficient · stress) to row i, with the derivatives of both.
static void add(GrPatch *out, int i, double coefficient, double coefficient_h, double stress, double stress_h,
                const double *by_twist)
{
    out->wrench[i] += coefficient * stress;
    out->d_h[i] += coefficient_h * stress + coefficient * stress_h;
    for (int j = 0; j < 6 && by_twist != NULL; j++) {
        out->d_twist[i][j] += coefficient * by_twist[j];
    }
}

void gr_patch_ding(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const double r = w->radius, br = in->width * r;
    const GrArc arc = gr_arc(r, in->h, in->roll, w->soil.exit_ratio, w->soil.peak_a1 + w->soil.peak_a2 * in->slip);
    const Triangle g = triangle(&arc);
    const double phi = arc.ratio * arc.theta1, deeper = in->h > r ? in->h - r : 0;
    const double z = r * (cos(phi) - cos(arc.theta1)) + deeper;
    const double z_h = 1 - r * sin(phi) * arc.ratio * arc.theta1_h;
    const double sigma = exp(w->log_pressure + in->exponent * (log(z) - w->log_length));
    const double sigma_h = in->exponent * sigma / z * z_h;
    const double strength = w->soil.cohesion + w->tan_phi * sigma, strength_h = w->tan_phi * sigma_h;
    GrStressField f = {.theta = {arc.peak}, .theta_h = {arc.peak_h}};
    GrNodeMotion k;
    GrNodeShear q;
    gr_node_motion(1, r, in, &arc, &f, &k);
    mobilise(w, in, &k, br * g.c * strength, br * (g.c_h * strength + g.c * strength_h), old, next, &q);
    memset(out, 0, sizeof *out);
    out->theta_front = arc.front;
    out->theta_peak = arc.peak;
    out->theta_rear = arc.rear;
    const double mc = k.mean_c[0], ms = k.mean_s[0];
    const double tx = strength * q.x[0], tx_h = strength_h * q.x[0] + strength * q.x_h[0];
    const double ty = strength * q.y[0], ty_h = strength_h * q.y[0] + strength * q.y_h[0];
    const double xv = strength * q.x_v[0], xa = strength * q.x_across[0];
    const double yv = strength * q.y_v[0], ya = strength * q.y_along[0];
    const double x_by[6] = {-xv * mc, -xa, -xv * ms, -xa * r * mc, xv * r + strength * q.x_w[0], -xa * r * ms};
    const double y_by[6] = {-ya * mc, -yv, -ya * ms, -yv * r * mc, ya * r + strength * q.y_w[0], -yv * r * ms};
    // F_N = br (A σ + B τ), DP = br (A τ − B σ), T = b r² C τ
    add(out, 0, -br * g.b, -br * g.b_h, sigma, sigma_h, NULL);
    out->compaction = out->wrench[0];
    out->d_compaction = out->d_h[0];
    add(out, 2, br * g.a, br * g.a_h, sigma, sigma_h, NULL);
    add(out, 0, br * g.a, br * g.a_h, tx, tx_h, x_by);
    add(out, 2, br * g.b, br * g.b_h, tx, tx_h, x_by);
    add(out, 4, -br * r * g.c, -br * r * g.c_h, tx, tx_h, x_by);
    add(out, 1, br * g.c, br * g.c_h, ty, ty_h, y_by);
    add(out, 3, br * r * g.a, br * r * g.a_h, ty, ty_h, y_by);
    add(out, 5, br * r * g.b, br * r * g.b_h, ty, ty_h, y_by);
}

/// Closed form with linearised stresses (Ding et al. 2010): σ and τ rise linearly from the ends
/// of the arc to their values at θ_m. One shear node instead of twelve.
#include "elementary.h"
#include "extras.h"
#include "law.h"
#include "stress_law.h"

/// sin x / x and its derivative.
static double sinc(double x, double *derivative)
{
    if (fabs(x) < 1e-3) {
        *derivative = -x / 3 * (1 - x * x / 10);
        return 1 - x * x / 6 * (1 - x * x / 20);
    }
    const double s = gr_sin(x) / x;
    *derivative = (gr_cos(x) - s) / x;
    return s;
}

/// ∫ of the unit triangle times cos θ (A), sin θ (B) and 1 (C), with derivatives by h.
///   A = (cos θ_m − cos θ2)/(θ_m − θ2) + (cos θ_m − cos θ1)/(θ1 − θ_m), B the same with sin, C = (θ1 − θ2)/2
/// written with sinc, so that a side of zero length needs no special case.
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
    const double sf = gr_sin(front), cf = gr_cos(front), sr = gr_sin(rear), cr = gr_cos(rear);
    return (Triangle){
        .a = sf * p - sr * q,
        .a_h = cf * front_h * p + sf * dp * p_h - cr * rear_h * q - sr * dq * q_h,
        .b = cr * q - cf * p,
        .b_h = -sr * rear_h * q + cr * dq * q_h + sf * front_h * p - cf * dp * p_h,
        .c = 0.5 * (arc->front - arc->rear),
        .c_h = 0.5 * (arc->front_h - arc->rear_h),
    };
}

/// Where the patch has not been rolled, the slip of the node must be conjugate to its stress: f_x, f_z and T have the
/// coefficients A, B and r C, so the local cos θ and sin θ are A/C and B/C. With those of θ_m, small closed loops of
/// rotation and translation produced energy.
static void match_work(const GrPatchInput *in, double r, const GrArc *arc, const Triangle *g, const GrStressField *f,
                       GrNodeMotion *k)
{
    const double *u = in->twist, fresh = 1 - in->roll * in->roll, by_c = 1 / g->c;
    const double c = fresh * (g->a * by_c - f->c[0]), s = fresh * (g->b * by_c - f->s[0]);
    const double c_h = fresh * ((g->a_h - g->a * by_c * g->c_h) * by_c + f->s[0] * arc->peak_h);
    const double s_h = fresh * ((g->b_h - g->b * by_c * g->c_h) * by_c - f->c[0] * arc->peak_h);
    k->mean_c[0] += c;
    k->mean_s[0] += s;
    k->along[0] -= k->scale_x * (u[0] * c + u[2] * s);
    k->along_h[0] -= k->scale_x * (u[0] * c_h + u[2] * s_h);
    k->across[0] -= k->scale_y * r * (u[5] * s + u[3] * c);
    k->across_h[0] -= k->scale_y * r * (u[5] * s_h + u[3] * c_h);
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
    const GrArc arc = gr_arc(r, in->h, in->roll, in->exit_ratio, gr_peak_ratio(w, in));
    const Triangle g = triangle(&arc);
    const double phi = arc.ratio * arc.theta1, deeper = in->h > r ? in->h - r : 0;
    const double z = r * (gr_cos(phi) - gr_cos(arc.theta1)) + deeper;
    const double z_h = 1 - r * gr_sin(phi) * arc.ratio * arc.theta1_h;
    const GrPressing pressing = gr_pressing(w, in);
    double sigma = gr_exp(w->log_pressure + in->exponent * (gr_log(z) - w->log_length) + pressing.log);
    double sigma_h = in->exponent * sigma / z * z_h + in->exponent * sigma * pressing.slope;
    gr_pressing_add(&pressing, gr_log(z), z_h / z, &sigma, &sigma_h);
    const double strength = w->soil.cohesion * pressing.bond + w->tan_phi * sigma;
    const double strength_h = w->soil.cohesion * pressing.bond_h + w->tan_phi * sigma_h;
    GrStressField f = {.theta = {arc.peak}, .theta_h = {arc.peak_h}};
    GrNodeMotion k;
    GrNodeShear q;
    q.x_across[0] = q.y_along[0] = 0;
    gr_field_angles(1, &f);
    gr_node_motion(1, w, in, &arc, &f, &k);
    match_work(in, r, &arc, &g, &f, &k);
    q.tau[0] = k.lag.lever * strength;
    q.tau_h[0] = k.lag.lever * strength_h;
    gr_node_shear(1, w, in, &k, br * g.c * strength, br * (g.c_h * strength + g.c * strength_h), old, next, &q);
    memset(out, 0, sizeof *out);
    out->strength = br * g.c * strength;
    out->theta_front = arc.front;
    out->theta_peak = arc.peak;
    out->theta_rear = arc.rear;
    const double tx = q.x[0], tx_h = q.x_h[0], ty = q.y[0], ty_h = q.y_h[0];
    double x_by[6], y_by[6];
    gr_one_node_derivatives(w, in, &k, &q, x_by, y_by);
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

const GrLaw gr_law_ding = {
    .name = "ding",
    .text = "closed form with linearised stresses (Ding et al.)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_ARC | GR_LAW_PEAK,
    .nodes = 1,
    .slice_state = GR_SLICE_NODES + 4,
    .memory = &gr_memory_shear,
};

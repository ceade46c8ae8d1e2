/// The laws with stress along the contact arc: pressure and sinkage along it, split at its peak, with GR_PANEL_NODES
/// nodes on each side. bekker and wong_reece differ only in the arc.

#include "arc_steady.h"
#include "elementary.h"
#include "extras.h"
#include "law.h"
#include "patch.h"
#include "pressing.h"
#include "stress_law.h"

/// σ at the nodes. With u = 0 at the peak and 1 at either end of the arc,
///   z(u) = r (cos(θ_m + u (θ1 − θ_m)) − cos θ1)
/// on both sides of the peak: in front u = (θ − θ_m)/(θ1 − θ_m) makes it r (cos θ − cos θ1), and behind it is K23's
/// second line (eq. 2.5). Thus the powers computed for the front serve the rear as well.
static void arc_stress(const GrSoilWheel *w, const GrPatchInput *in, const GrPressing *pressing, const GrArc *arc,
                       GrStressField *restrict f)
{
    const double r = w->radius, br = in->width * r;
    const double ahead = arc->front - arc->peak, ahead_h = arc->front_h - arc->peak_h;
    const double behind = arc->rear - arc->peak, behind_h = arc->rear_h - arc->peak_h;
    const double cos_theta1 = gr_fast_cos(arc->theta1);
    const double deeper = in->h > r ? in->h - r : 0;
    const double log_p = w->log_pressure - in->exponent * w->log_length + pressing->log;
    // Short loops, so that the long dependency chains of log, exp and division overlap.
    double log_z[GR_PANEL_NODES], slope[GR_PANEL_NODES];
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        const int j = GR_PANEL_NODES + i;
        const double u = gr_panel_x[i];
        const double part = gr_fma(u, 1 - arc->ratio, arc->ratio), phi = part * arc->theta1;
        const double z = gr_fma(r, gr_fast_cos(phi) - cos_theta1, deeper);
        log_z[i] = z;
        slope[i] = gr_fma(-r * arc->theta1_h, gr_fast_sin(phi) * part, 1) / z + pressing->slope;
        const double front = gr_fma(u, ahead, arc->peak), rear = gr_fma(u, behind, arc->peak);
        f->theta[i] = front;
        f->s[i] = gr_fast_sin(front);
        f->c[i] = gr_fast_cos(front);
        f->theta[j] = rear;
        f->s[j] = gr_fast_sin(rear);
        f->c[j] = gr_fast_cos(rear);
    }
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        const int j = GR_PANEL_NODES + i;
        const double u = gr_panel_x[i], g = gr_panel_w[i] * br;
        log_z[i] = gr_fast_log(log_z[i]);
        f->theta_h[i] = gr_fma(u, ahead_h, arc->peak_h);
        f->weight[i] = g * ahead;
        f->weight_h[i] = g * ahead_h;
        f->theta_h[j] = gr_fma(u, behind_h, arc->peak_h);
        f->weight[j] = -g * behind;
        f->weight_h[j] = -g * behind_h;
    }
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        // p = P (z/z_P)^n
        const double sigma = gr_fast_exp(gr_fma(in->exponent, log_z[i], log_p));
        f->sigma[i] = f->sigma[GR_PANEL_NODES + i] = sigma;
        f->sigma_h[i] = f->sigma_h[GR_PANEL_NODES + i] = in->exponent * sigma * slope[i];
    }
    for (int k = 0; k < pressing->more; k++) {
        const double n = pressing->more_exponent[k], rest = pressing->more_slope[k] - n * pressing->slope;
        for (int i = 0; i < GR_PANEL_NODES; i++) {
            const double sigma = gr_fast_exp(gr_fma(n, log_z[i], pressing->more_log[k]));
            f->sigma[i] = f->sigma[GR_PANEL_NODES + i] += sigma;
            f->sigma_h[i] = f->sigma_h[GR_PANEL_NODES + i] += sigma * gr_fma(n, slope[i], rest);
        }
    }
}

/// Adds the fraction `part` of the sums; `lateral` is −1 … 1, the fraction and sign of the side force.
static void add_sums(const GrArcSums *sums, double r, double part, double ahead, double lateral, double *wrench)
{
    wrench[0] += part * ahead * (sums->normal_x + sums->x);
    wrench[1] -= part * lateral * sums->y;
    wrench[2] += part * (sums->normal_z + sums->z);
    wrench[3] -= part * lateral * r * sums->y_c;
    wrench[4] -= part * ahead * r * sums->t;
    wrench[5] -= part * ahead * lateral * r * sums->y_s;
}

/// sin β over sin β̄, clamped to −1 … 1.
static double lateral_share(const GrPatchInput *in)
{
    const double share = in->side / (gr_sin(in->angle) + 1e-12);
    return share > 1 ? 1 : share < -1 ? -1 : share;
}

/// The static formulas.
static void steady_law(const GrSoilWheel *w, const GrPatchInput *in, double exit_ratio, double peak_ratio, GrPatch *out)
{
    const GrArc arc = gr_arc(w->radius, in->h, 1, exit_ratio, peak_ratio);
    GrArcSums sums;
    gr_arc_steady(w, in, &arc, &sums);
    memset(out, 0, sizeof *out);
    add_sums(&sums, w->radius, 1, 1, lateral_share(in), out->wrench);
    out->compaction = sums.normal_x;
    out->strength = sums.strength;
    out->theta_front = arc.front;
    out->theta_peak = arc.peak;
    out->theta_rear = arc.rear;
    // f_z is roughly proportional to h^(n + 1/2), which gives a slope for finding a flexible wheel's deflection.
    out->d_h[2] = out->wrench[2] > 0 ? (in->exponent + 0.5) * out->wrench[2] / in->h : 0;
}

/// Weight of the correction, 0 … 1. The nodes of a run resolve shear poorly when it is mobilised within a small part of
/// the patch or changes sign in it. κ is the largest χ over the longer side of the peak. Up to κ = 3 the nodes are
/// within 5e-5 of f_z; only up to half of that when the strength is all cohesion and f_z a small difference; only up to
/// 0.6 when τ_x changes sign. It depends on the memory alone, so it is constant during a step.
static double correction_due(const GrSoilWheel *w, const GrPatchInput *in, double exit_ratio, double peak_ratio,
                             const double *old)
{
    const double low = 3, high = 4, turn_factor = 5;
    // Below half of full rolling, the steady formulas do not apply.
    const double rolled = 2 * gr_abs(in->roll) - 1;
    if (gr_zones_used(w, in->slip)) {
        return rolled > 0 ? rolled : 0; // no node is where the zones part
    }
    const double h = old[GR_SLICE_SINKAGE], r = w->radius, cos1 = h < r ? 1 - h * w->inverse_radius : 0;
    const bool driving = in->slip >= 0;
    const double rim = driving ? 1 : 1 + in->slip, v_x = driving ? 1 - in->slip : 1;
    const double at_entry = gr_abs(rim - v_x * cos1), at_bottom = gr_abs(rim - v_x);
    const bool turns = rim < v_x && rim > v_x * cos1;
    const double along = (at_entry > at_bottom ? at_entry : at_bottom) * (turns ? turn_factor : 1);
    // tan β = β (15 − β²)/(15 − 6 β²) to 1 % up to 75°; √λ ≤ (1 + λ)/2
    const double b2 = in->angle * in->angle, across = v_x * in->angle * (15 - b2);
    const double behind = 0.5 * (1 + exit_ratio) + peak_ratio, ahead = 1 - peak_ratio;
    const double theta1_squared = 2 * (1 - cos1) * (1.2 - 0.2 * cos1);
    const double reach = r * (ahead > behind ? ahead : behind);
    const double reach_squared = theta1_squared * reach * reach;
    const double base_x = rim * in->k_x;
    const double base_y = rim * (15 - 6 * b2) * (w->soil.shear == GR_SHEAR_COMBINED ? in->k_x : in->k_y);
    // 2κ < 3: the usual case needs neither a square root nor a division
    const double limit = 0.25 * low * low;
    if (reach_squared * along * along <= limit * base_x * base_x &&
        reach_squared * across * across <= limit * base_y * base_y) {
        return 0;
    }
    const double arc = sqrt(theta1_squared), cohesive = w->soil.cohesion * in->width * r * (behind + ahead) * arc;
    const double share = cohesive / (old[GR_SLICE_LOAD] + 1e-300), share2 = share * share;
    const double k_x = along / (base_x + 1e-300), k_y = across / (gr_abs(base_y) + 1e-300);
    const double kappa = arc * reach * (k_x > k_y ? k_x : k_y) * (1 + share2 * share2);
    const double part = (kappa - low) / (high - low);
    return part > 0 && rolled > 0 ? (part < 1 ? part : 1) * rolled : 0;
}

/// Adds the difference between the static formulas and the sum over the run's nodes, at the memory's slip, slip angle
/// and sinkage, scaled with the patch's strength. In steady rolling the run thus gives the integral and not the sum
/// over its nodes.
static void correct(const GrSoilWheel *w, const GrPatchInput *in, double exit_ratio, double peak_ratio, double due,
                    double h, GrPatch *out)
{
    GrPatchInput at = *in;
    GrArcSums fine, coarse;
    at.h = h;
    at.risen = 0;
    const GrArc arc = gr_arc(w->radius, h, 1, exit_ratio, peak_ratio);
    gr_arc_steady(w, &at, &arc, &fine);
    gr_arc_steady_at_nodes(w, &at, &arc, &coarse);
    const double part = due / coarse.strength, ahead = in->roll < 0 ? -1 : 1, lateral = lateral_share(in);
    double missing[6] = {0};
    add_sums(&fine, w->radius, part, ahead, lateral, missing);
    add_sums(&coarse, w->radius, -part, ahead, lateral, missing);
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += missing[i] * out->strength;
        out->d_h[i] += missing[i] * out->d_strength;
    }
    const double compaction = part * ahead * (fine.normal_x - coarse.normal_x);
    out->compaction += compaction * out->strength;
    out->d_compaction += compaction * out->d_strength;
}

/// exit_ratio and peak_ratio as in gr_arc.
static void arc_law(const GrSoilWheel *w, const GrPatchInput *in, double exit_ratio, double peak_ratio,
                    const double *old, double *next, GrPatch *out)
{
    if (in->steady) {
        steady_law(w, in, exit_ratio, peak_ratio, out);
        return;
    }
    memset(out, 0, sizeof *out);
    const double due = correction_due(w, in, exit_ratio, peak_ratio, old);
    const GrArc arc = gr_arc(w->radius, in->h, in->roll, exit_ratio, peak_ratio);
    GrStressField field;
    const GrPressing pressing = gr_pressing(w, in);
    arc_stress(w, in, &pressing, &arc, &field);
    gr_stress_law(GR_PATCH_NODES, w, in, &pressing, &arc, &field, old, next, out);
    next[GR_SLICE_SINKAGE] = in->h;
    if (due > 0) {
        correct(w, in, exit_ratio, peak_ratio, due, old[GR_SLICE_SINKAGE], out);
    }
}

// ---- bekker

/// θ_m = 0 and θ2 = 0 (Bekker 1956; K23 eq. 2.4).
void gr_patch_bekker(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    arc_law(w, in, 0, 0, old, next, out);
}

const GrLaw gr_law_bekker = {
    .name = "bekker",
    .text = "stress integral, peak at the bottom, no contact behind it (Bekker 1956)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_FLOW,
    .nodes = GR_PATCH_NODES,
    .slice_state = GR_SLICE_NODES + 4 * GR_PATCH_NODES,
    .memory = &gr_memory_shear,
};

// ---- wong_reece

void gr_patch_wong_reece(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    arc_law(w, in, in->exit_ratio, gr_peak_ratio(w, in), old, next, out);
}

const GrLaw gr_law_wong_reece = {
    .name = "wong_reece",
    .text = "stress integral with peak angle, exit angle and slip sinkage (Wong & Reece 1967)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_FLOW | GR_LAW_ARC | GR_LAW_PEAK,
    .nodes = GR_PATCH_NODES,
    .slice_state = GR_SLICE_NODES + 4 * GR_PATCH_NODES,
    .memory = &gr_memory_shear,
};

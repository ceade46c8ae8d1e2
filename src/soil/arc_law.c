#include "arc_law.h"

#include "stress_law.h"

/// Gauss-Legendre in t with u = 1 − (1 − t)²: denser towards the end of the arc, where the stress starts as a power and
/// the shear as a steep exponential. Over random states the mean error is a sixth of that with plain u = t.
static const double panel_x[GR_PANEL_NODES] = {0.066390394168858391, 0.31009584357909414, 0.61645562796664966,
                                               0.85507481404984664,  0.97130523004535885, 0.99885990837201044};
static const double panel_w[GR_PANEL_NODES] = {0.16553967927953861, 0.29965025571195142,  0.28978358839870655,
                                               0.17813034617398468, 0.061111317336187174, 0.0057848130996318789};

/// σ at the nodes. With u = 0 at the peak and 1 at either end of the arc,
///   z(u) = r (cos(θ_m + u (θ1 − θ_m)) − cos θ1)
/// on both sides of the peak: in front u = (θ − θ_m)/(θ1 − θ_m) makes it r (cos θ − cos θ1), and behind it is K23's
/// second line (eq. 2.5). So the front's eight powers serve the rear as well. Only the part low … low + span of u.
static void arc_stress(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, double low, double span,
                       GrStressField *restrict f)
{
    const double r = w->radius, br_span = in->width * r * span;
    const double ahead = arc->front - arc->peak, ahead_h = arc->front_h - arc->peak_h;
    const double behind = arc->rear - arc->peak, behind_h = arc->rear_h - arc->peak_h;
    const double cos_theta1 = gr_fast_cos(arc->theta1);
    const double deeper = in->h > r ? in->h - r : 0;
    const double log_p = w->log_pressure - in->exponent * w->log_length;
    // In short loops: log, exp and the divisions of one node overlap with those of the next.
    double z[GR_PANEL_NODES], z_h[GR_PANEL_NODES], log_z[GR_PANEL_NODES], u[GR_PANEL_NODES];
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        u[i] = gr_fma(span, panel_x[i], low);
        const double part = gr_fma(u[i], 1 - arc->ratio, arc->ratio), phi = part * arc->theta1;
        z[i] = gr_fma(r, gr_fast_cos(phi) - cos_theta1, deeper);
        z_h[i] = gr_fma(-r * arc->theta1_h, gr_fast_sin(phi) * part, 1);
    }
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        log_z[i] = gr_fast_log(z[i]);
    }
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        // p = P (z/z_P)^n
        const double sigma = gr_fast_exp(gr_fma(in->exponent, log_z[i], log_p));
        f->sigma[i] = f->sigma[GR_PANEL_NODES + i] = sigma;
        f->sigma_h[i] = f->sigma_h[GR_PANEL_NODES + i] = in->exponent * sigma * z_h[i] / z[i];
    }
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        const int j = GR_PANEL_NODES + i;
        const double g = panel_w[i] * br_span;
        f->theta[i] = gr_fma(u[i], ahead, arc->peak);
        f->theta_h[i] = gr_fma(u[i], ahead_h, arc->peak_h);
        f->weight[i] = g * ahead;
        f->weight_h[i] = g * ahead_h;
        f->theta[j] = gr_fma(u[i], behind, arc->peak);
        f->theta_h[j] = gr_fma(u[i], behind_h, arc->peak_h);
        f->weight[j] = -g * behind;
        f->weight_h[j] = -g * behind_h;
    }
}

/// Sum of two parts of one patch in steady rolling.
static void add_part(const GrPatch *part, GrPatch *out)
{
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += part->wrench[i];
        out->d_h[i] += part->d_h[i];
    }
    out->compaction += part->compaction;
    out->d_compaction += part->d_compaction;
    out->strength += part->strength;
}

void gr_arc_law(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, const double *old, double *next,
                GrPatch *out)
{
    GrStressField field;
    if (!in->steady) {
        arc_stress(w, in, arc, 0, 1, &field);
        gr_stress_law(GR_PATCH_NODES, w, in, arc, &field, old, next, out);
        return;
    }
    // The static formulas have no state to carry and are not in a hurry: four parts, for the states in which a skidding
    // wheel's shear changes sign inside the patch (up to 1e-3 of f_z with one part, at sinkages above r/3).
    enum { PARTS = 4 };
    for (int i = 0; i < PARTS; i++) {
        GrPatch part;
        arc_stress(w, in, arc, (double)i / PARTS, 1.0 / PARTS, &field);
        gr_stress_law(GR_PATCH_NODES, w, in, arc, &field, old, next, &part);
        if (i == 0) {
            *out = part;
        } else {
            add_part(&part, out);
        }
    }
}

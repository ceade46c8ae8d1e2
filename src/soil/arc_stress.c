#include "nodes.h"
#include "patch.h"
#include "vmath.h"

/// p = P (z/z_P)^n at depth z, and its derivative. z > 0.
static inline double pressure(double log_p, double n, double z, double *slope)
{
    const double p = gr_fast_exp(log_p + n * gr_fast_log(z));
    *slope = n * p / z;
    return p;
}

/// σ at the nodes. With u = 0 at the peak and 1 at either end of the arc,
///   z(u) = r (cos(θ_m + u (θ1 − θ_m)) − cos θ1)
/// on both sides of the peak: in front u = (θ − θ_m)/(θ1 − θ_m) makes it r (cos θ − cos θ1), and behind it is K23's
/// second line (eq. 2.5). So the front's eight powers serve the rear as well.
void gr_arc_stress(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, GrStressField *restrict f)
{
    const double r = w->radius, br = in->width * r;
    const double ahead = arc->front - arc->peak, ahead_h = arc->front_h - arc->peak_h;
    const double behind = arc->rear - arc->peak, behind_h = arc->rear_h - arc->peak_h;
    const double cos_theta1 = gr_fast_cos(arc->theta1);
    const double deeper = in->h > r ? in->h - r : 0;
    const double log_p = w->log_pressure - in->exponent * w->log_length;
    for (int i = 0; i < GR_PANEL_NODES; i++) {
        const double u = gr_panel_x[i], g = gr_panel_w[i] * br;
        const int j = GR_PANEL_NODES + i;
        const double part = arc->ratio + u * (1 - arc->ratio), phi = part * arc->theta1;
        const double z = r * (gr_fast_cos(phi) - cos_theta1) + deeper;
        const double z_h = 1 - r * gr_fast_sin(phi) * part * arc->theta1_h;
        double slope;
        const double sigma = pressure(log_p, in->exponent, z, &slope);
        f->sigma[i] = f->sigma[j] = sigma;
        f->sigma_h[i] = f->sigma_h[j] = slope * z_h;
        f->theta[i] = arc->peak + u * ahead;
        f->theta_h[i] = arc->peak_h + u * ahead_h;
        f->weight[i] = g * ahead;
        f->weight_h[i] = g * ahead_h;
        f->theta[j] = arc->peak + u * behind;
        f->theta_h[j] = arc->peak_h + u * behind_h;
        f->weight[j] = -g * behind;
        f->weight_h[j] = -g * behind_h;
    }
}

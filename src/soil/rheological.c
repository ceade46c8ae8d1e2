/// Soil as spring and damper (K23 eq. 2.1, 2.2; B23 4.3.2) with Coulomb friction that sticks.
#include "elementary.h"
#include "friction.h"
#include "law.h"

#include <math.h>
#include <string.h>

void gr_patch_rheological(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const GrSoilDef *s = &w->soil;
    const double n = s->stiffness_exponent, sink_rate = in->steady ? 0 : -in->twist[2];
    const double power = gr_pow(in->h, n), derivative = n * power / in->h;
    memset(out, 0, sizeof *out);
    // Kelvin-Voigt k h^n + c ḣ, its damper blended in over damping_depth; Hunt-Crossley k h^n + c ḣ h^n
    double part = power, part_h = derivative;
    if (s->rheology == GR_KELVIN_VOIGT) {
        const double x = in->h / s->damping_depth;
        part = x < 1 ? x * x * (3 - 2 * x) : 1;
        part_h = x < 1 ? 6 * x * (1 - x) / s->damping_depth : 0;
    }
    const double share = 1.0 / w->slices;
    const double f = share * (s->stiffness * power + s->rheology_damping * sink_rate * part);
    if (f > 0) {
        out->wrench[2] = f;
        out->d_h[2] = share * (s->stiffness * derivative + s->rheology_damping * sink_rate * part_h);
        out->d_twist[2][2] = -share * s->rheology_damping * part;
    }
    gr_friction_add(w, in, old, next, out);
}

static double exponent(const GrSoilDef *soil)
{
    return soil->stiffness_exponent;
}

const GrLaw gr_law_rheological = {
    .name = "rheological",
    .text = "spring and damper with Coulomb friction that sticks (Kelvin-Voigt, Hunt-Crossley)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_SPRING | GR_LAW_RHEOLOGY,
    .nodes = 0,
    .slice_state = GR_FRICTION_STATE,
    .exponent = exponent,
    .own = {{GR_SOIL_ROW("stiffness_exponent", "stiffness_exponent", "", "exponent of the normal force",
                         stiffness_exponent, 1, 0.5, 3, false, 0)}},
};

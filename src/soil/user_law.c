/// GR_SOIL_USER: a law that is a function provided by the caller (grouser/soil_law.h).
#include "law.h"

#include <math.h>
#include <string.h>

static void evaluate(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const GrUserLaw *law = w->soil.user;
    memset(out, 0, sizeof *out);
    if (law->state > 0) {
        memcpy(next, old, sizeof(double) * (size_t)law->state);
    }
    law->evaluate(law->context, in, old, next, out);
}

/// Derivatives by forward differences, by sinkage and by each component of the twist. Forward, since a law may be
/// one-sided: a backward step from a shallow contact would leave the soil.
static void differentiate(const GrSoilWheel *w, const GrPatchInput *in, const double *old, GrPatch *out)
{
    double scratch[GR_USER_STATE];
    GrPatch moved;
    GrPatchInput at = *in;
    const double deeper = 1e-6 * in->h + 1e-12;
    at.h = in->h + deeper;
    evaluate(w, &at, old, scratch, &moved);
    for (int i = 0; i < 6; i++) {
        out->d_h[i] = (moved.wrench[i] - out->wrench[i]) / (at.h - in->h);
    }
    out->d_compaction = (moved.compaction - out->compaction) / (at.h - in->h);
    out->d_strength = (moved.strength - out->strength) / (at.h - in->h);
    at.h = in->h;
    for (int j = 0; j < 6; j++) {
        const double scale = j < 3 ? 1e-3 : 1e-3 * w->inverse_radius;
        const double value = in->twist[j];
        at.twist[j] = value + 1e-5 * fmax(fabs(value), scale);
        evaluate(w, &at, old, scratch, &moved);
        for (int i = 0; i < 6; i++) {
            out->d_twist[i][j] = (moved.wrench[i] - out->wrench[i]) / (at.twist[j] - value);
        }
        at.twist[j] = value;
    }
}

void gr_patch_user(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    static const double fresh[GR_USER_STATE];
    double unused[GR_USER_STATE];
    // The steady formulas have no state; a law with a state starts from fresh soil.
    const double *from = in->steady ? fresh : old;
    evaluate(w, in, from, in->steady ? unused : next, out);
    if (!w->soil.user->derivatives && !in->steady) {
        differentiate(w, in, from, out);
    }
}

static GrStatus check(const GrSoilDef *soil, GrErrorLog *log)
{
    const GrLocation at = {.field = "user"};
    if (soil->user == NULL || soil->user->evaluate == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "the law GR_SOIL_USER needs the functions of the caller");
    }
    if (soil->user->state < 0 || soil->user->state > GR_USER_STATE) {
        return gr_error_add(
            log, GR_ERROR_VALUE, at, "the law %s: found a state of %d numbers, it must be at least 0 and at most %d",
            soil->user->name != NULL ? soil->user->name : "of the caller", soil->user->state, GR_USER_STATE);
    }
    return GR_OK;
}

const GrLaw gr_law_user = {
    .name = "user",
    .text = "a function of the calling program",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_DAMPED,
    .nodes = 0,
    .slice_state = GR_USER_STATE,
    .check = check,
};

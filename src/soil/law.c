/// The table of the soil laws: one row each, from GR_SOIL_LAW_LIST; the descriptors are in the laws' own files.
#include "law.h"

#include "check.h"
#include "choice.h"

#include <math.h>
#include <string.h>

#define GR_LAW_ROW(id, name) [GR_SOIL_##id] = &gr_law_##name,
static const GrLaw *const laws[] = {GR_SOIL_LAW_LIST(GR_LAW_ROW)[GR_SOIL_USER] = &gr_law_user};
#undef GR_LAW_ROW

const GrLaw *gr_law(GrSoilLaw law)
{
    return laws[law];
}

GrSoilLaw gr_law_with(unsigned trait)
{
    int law = 0;
    while (law < GR_SOIL_USER && (laws[law]->traits & trait) == 0) {
        law++;
    }
    return (GrSoilLaw)law;
}

GrSoilLaw gr_law_of_pressure(void)
{
    return gr_law_with(GR_LAW_ARC);
}

void gr_law_patch(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    // A switch instead of a table of pointers, so that the same code runs on a GPU.
    switch (w->law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        gr_patch_##name(w, in, old, next, out);                                                                        \
        break;
        GR_SOIL_PATCH_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    case GR_SOIL_USER:
        gr_patch_user(w, in, old, next, out);
        break;
    default:
        GR_CHECK(false); // grid laws have no patch
        break;
    }
}

double gr_law_time(const GrSoilWheel *w)
{
    switch (w->law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        return gr_law_##name.time != NULL ? gr_law_##name.time(w) : (double)INFINITY;
        GR_SOIL_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    default:
        return gr_law_user.time != NULL ? gr_law_user.time(w) : (double)INFINITY;
    }
}

unsigned gr_law_traits(GrSoilLaw law)
{
    switch (law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        return gr_law_##name.traits;
        GR_SOIL_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    default:
        return gr_law_user.traits;
    }
}

double gr_law_angle_checked(GrSoilLaw law)
{
    switch (law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        return gr_law_##name.angle_checked;
        GR_SOIL_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    default:
        return gr_law_user.angle_checked;
    }
}

bool gr_law_finishes(const GrSoilWheel *w)
{
    switch (w->law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        return gr_law_##name.finish != NULL;
        GR_SOIL_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    default:
        return false;
    }
}

void gr_law_finish(const GrSoilWheel *w, const double twist[6], double dt, const double *old, double *next)
{
    switch (w->law) {
#define GR_LAW_CASE(id, name)                                                                                          \
    case GR_SOIL_##id:                                                                                                 \
        if (gr_law_##name.finish != NULL) {                                                                            \
            gr_law_##name.finish(w, twist, dt, old, next);                                                             \
        }                                                                                                              \
        break;
        GR_SOIL_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    default:
        break;
    }
}

const char *gr_soil_law_name(GrSoilLaw law)
{
    return (unsigned)law <= GR_SOIL_USER ? laws[law]->name : "unknown";
}

const char *gr_soil_law_text(GrSoilLaw law)
{
    return (unsigned)law <= GR_SOIL_USER ? laws[law]->text : "unknown";
}

bool gr_soil_law_on_grid(GrSoilLaw law)
{
    return (unsigned)law <= GR_SOIL_USER && gr_law_has(law, GR_LAW_GRID);
}

bool gr_soil_law_is_fast(GrSoilLaw law)
{
    return (unsigned)law <= GR_SOIL_USER && !gr_law_has(law, GR_LAW_GRID | GR_LAW_GRAINS);
}

GrStatus gr_soil_law_find(const char *name, GrSoilLaw *out, GrErrorLog *log)
{
    const char *names[GR_SOIL_LAW_COUNT];
    for (int i = 0; i < GR_SOIL_LAW_COUNT; i++) {
        names[i] = laws[i]->name;
    }
    const GrChoice choice = {"soil law", "law", names, GR_SOIL_LAW_COUNT};
    const int index = gr_choice_find(&choice, name, log);
    *out = index >= 0 ? (GrSoilLaw)index : *out;
    return index >= 0 ? GR_OK : GR_ERROR_NAME;
}

// ---- the law of a C program

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

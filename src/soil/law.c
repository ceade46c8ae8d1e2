/// The table of the soil laws: one row each, from GR_SOIL_LAW_LIST; the descriptors are in the laws' own files.
#include "law.h"
#include "check.h"
#include "choice.h"

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

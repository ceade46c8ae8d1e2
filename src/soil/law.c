#include "patch.h"
#include "text.h"

#include <assert.h>
#include <string.h>

enum { STRESS_STATE = GR_SLICE_NODES + 4 * GR_PATCH_NODES, CHAIKIN_STATE = GR_SLICE_NODES + 4 * GR_NODES_MAX };

/// The one table of laws: shear nodes of a slice, doubles of its state, whether it integrates stresses.
static const struct {
    int nodes, slice_state;
    bool stress;
} rows[GR_SOIL_LAW_COUNT] = {
    [GR_SOIL_WONG_REECE] = {GR_PATCH_NODES, STRESS_STATE, true},
    [GR_SOIL_BEKKER] = {GR_PATCH_NODES, STRESS_STATE, true},
    [GR_SOIL_DING] = {1, GR_SLICE_NODES + 4, true},
    [GR_SOIL_CHAIKIN] = {GR_NODES_MAX, CHAIKIN_STATE, true},
    [GR_SOIL_RHEOLOGICAL] = {0, GR_FRICTION_STATE, false},
    [GR_SOIL_DOUBLE_SPRING] = {0, GR_FRICTION_STATE + GR_STENCIL_STATE, false},
    [GR_SOIL_TERRA] = {1, GR_TERRA_STATE, true},
    [GR_SOIL_SCM] = {0, 0, true}, // its state is that of the nodes: scm.h
};

GrLawInfo gr_law_info(GrSoilLaw law)
{
    return (GrLawInfo){gr_soil_law_name(law), gr_soil_law_text(law), rows[law].nodes, rows[law].slice_state,
                       rows[law].stress};
}

void gr_law_patch(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    // A switch and not a table of pointers: the same code runs on a GPU.
    switch (w->law) {
#define GR_LAW_CASE(id, name, text)                                                                                    \
    case GR_SOIL_##id:                                                                                                 \
        gr_patch_##name(w, in, old, next, out);                                                                        \
        break;
        GR_SOIL_PATCH_LAW_LIST(GR_LAW_CASE)
#undef GR_LAW_CASE
    case GR_SOIL_SCM:
    case GR_SOIL_LAW_COUNT:
        assert(false); // a grid is no patch
        break;
    }
}

#define GR_LAW_NAME(id, name, text) #name,
static const char *const names[] = {GR_SOIL_LAW_LIST(GR_LAW_NAME)};
#undef GR_LAW_NAME
#define GR_LAW_TEXT(id, name, text) text,
static const char *const texts[] = {GR_SOIL_LAW_LIST(GR_LAW_TEXT)};
#undef GR_LAW_TEXT

const char *gr_soil_law_name(GrSoilLaw law)
{
    return (unsigned)law < GR_SOIL_LAW_COUNT ? names[law] : "unknown";
}

const char *gr_soil_law_text(GrSoilLaw law)
{
    return (unsigned)law < GR_SOIL_LAW_COUNT ? texts[law] : "unknown";
}

GrStatus gr_soil_law_find(const char *name, GrSoilLaw *out, GrErrorLog *log)
{
    for (int i = 0; i < GR_SOIL_LAW_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (GrSoilLaw)i;
            return GR_OK;
        }
    }
    const GrLocation at = {.field = "law"};
    const char *near = gr_text_nearest(name, names, GR_SOIL_LAW_COUNT);
    if (near != NULL) {
        return gr_error_add(log, GR_ERROR_NAME, at, "no soil law is called \"%s\"; did you mean \"%s\"?", name, near);
    }
    return gr_error_add(log, GR_ERROR_NAME, at,
                        "no soil law is called \"%s\"; there are wong_reece, bekker, ding, chaikin, rheological, "
                        "double_spring, terra, scm",
                        name);
}

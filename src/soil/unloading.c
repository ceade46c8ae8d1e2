/// Where a soil's line of unloading (pressing.h) does not act as its file says: under flexible wheels, and in long
/// steps.
#include "law.h"
#include "pressing.h"

void gr_soil_warn_unloading(const GrSoilWheel *w, GrErrorLog *log)
{
    const GrSoilDef *s = &w->soil;
    const bool plastic = s->unloading_k0 > 0 || s->unloading_grow > 0 || s->unloading_rebound > 0;
    if (plastic && !w->unloads && (gr_law(w->law)->traits & GR_LAW_PATCH) != 0) {
        gr_warning_add(log, (GrLocation){.field = "soil"},
                       "k_0, A_u and unloading_rebound of %s have no effect under wheels with a stiffness: there soil "
                       "unloads along "
                       "its curve",
                       w->soil.name);
    }
}

bool gr_unloading_is_softened(const GrSoilWheel *w, const GrPatchInput *in, double sinkage)
{
    const double deepest = in->risen > 0 ? sinkage + in->risen : sinkage, reach = deepest - in->dug;
    if (!w->unloads || !in->secant || !(reach > 0)) {
        return false;
    }
    GrPatchInput exact = *in;
    exact.secant = false;
    const double line = gr_unloading(w, &exact, in->exponent, deepest, reach).length;
    return gr_unloading(w, in, in->exponent, deepest, reach).length > line;
}

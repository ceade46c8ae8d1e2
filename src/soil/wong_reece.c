/// Stress integral over the contact arc after Wong & Reece (1967), as in K23 ch. 2-3 and Ishigami et al. (2007).
#include "arc_law.h"
#include "law.h"
#include "plough.h"

void gr_patch_wong_reece(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    gr_arc_law(w, in, in->exit_ratio, gr_peak_ratio(w, in), old, next, out);
}

const GrLaw gr_law_wong_reece = {
    .name = "wong_reece",
    .text = "stress integral with peak angle, exit angle and slip sinkage (Wong & Reece 1967)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_FLOW | GR_LAW_ARC | GR_LAW_PEAK,
    .nodes = GR_PATCH_NODES,
    .slice_state = GR_SLICE_NODES + 4 * GR_PATCH_NODES,
};

/// Stress integral over the contact arc after Wong & Reece (1967), as in K23 ch. 2-3 and Ishigami et al. (2007).
#include "arc_law.h"

void gr_patch_wong_reece(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    gr_arc_law(w, in, w->soil.exit_ratio, w->soil.peak_a1 + w->soil.peak_a2 * in->slip, old, next, out);
}

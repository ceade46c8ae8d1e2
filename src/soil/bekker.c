/// Bekker's classic case of the stress integral: the stress peaks at the bottom and ends there.
#include "arc_law.h"
#include "law.h"

/// θ_m = 0 and θ2 = 0 (Bekker 1956; K23 eq. 2.4).
void gr_patch_bekker(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    gr_arc_law(w, in, 0, 0, old, next, out);
}

const GrLaw gr_law_bekker = {
    .name = "bekker",
    .text = "stress integral, peak at the bottom, no contact behind it (Bekker 1956)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_FLOW,
    .nodes = GR_PATCH_NODES,
    .slice_state = GR_SLICE_NODES + 4 * GR_PATCH_NODES,
};

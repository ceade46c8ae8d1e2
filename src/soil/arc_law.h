/// Pressure-sinkage along the arc, split at its peak, with GR_PANEL_NODES nodes on each side. The laws wong_reece and
/// bekker differ only in the arc.
#ifndef GR_ARC_LAW_H
#define GR_ARC_LAW_H

#include "patch.h"

/// exit_ratio and peak_ratio as in gr_arc.
void gr_arc_law(const GrSoilWheel *w, const GrPatchInput *in, double exit_ratio, double peak_ratio, const double *old,
                double *next, GrPatch *out);

#endif

/// Pressure-sinkage along the arc, split at its peak, GR_PANEL_NODES on each side: wong_reece and bekker differ only in
/// the arc.
#ifndef GR_ARC_LAW_H
#define GR_ARC_LAW_H

#include "patch.h"

void gr_arc_law(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, const double *old, double *next,
                GrPatch *out);

#endif

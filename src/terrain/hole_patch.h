/// One hole with the ground around it, the unit of filling.
#ifndef GR_HOLE_PATCH_H
#define GR_HOLE_PATCH_H

#include "clean_def.h"
#include "holes.h"

enum { GR_CELL_GOOD, GR_CELL_HOLE, GR_CELL_OTHER };

/// Window [i0, i0 + nx) x [j0, j0 + ny) of the map.
typedef struct GrPatch {
    int64_t i0, j0;
    int nx, ny;
    double dx, dy;
    double *z;           ///< heights; those of the hole are filled in
    unsigned char *kind; ///< GR_CELL_…; cells of other holes are neither ground nor to be filled
} GrPatch;

/// Fills the cells of the hole by kriging from the ground around it, then removes the bias at the seam.
GrStatus gr_patch_fill(GrPatch *patch, const GrCleanDef *def);

/// Corrects the cells of the hole until no step to adjacent ground exceeds `limit`, as far as the ground allows.
GrStatus gr_patch_limit(GrPatch *patch, double limit);

/// Adds the bias of a prediction to the cells of the hole: where the ground is known, at most 3 cells from the hole,
/// `error` is height minus prediction; it is propagated inwards by 7 x 7 averages and smoothed `rounds` times (O23
/// 3.2).
GrStatus gr_patch_correct(GrPatch *patch, double *error, int rounds);

/// Whether a cell of the hole is within `reach` cells, diagonals included.
bool gr_patch_near_hole(const GrPatch *patch, int i, int j, int reach);

#endif

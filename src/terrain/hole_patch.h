/// One hole with the ground around it: what filling works on.
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
    unsigned char *kind; ///< GR_CELL_…; other holes are neither ground nor to be filled
} GrPatch;

/// Fills the cells of the hole by kriging from the ground around it, then takes the bias at the seam away.
GrStatus gr_patch_fill(GrPatch *patch, const GrCleanDef *def);

/// Bends the cells of the hole until no step to the ground beside it is larger than `limit`, as far as the ground
/// itself lets it.
GrStatus gr_patch_limit(GrPatch *patch, double limit);

/// Adds the bias of a prediction to the cells of the hole: where the ground is known, at most 3 cells from the hole,
/// `error` is height minus prediction; it is carried inwards by 7 x 7 averages and evened out `rounds` times (O23 3.2).
GrStatus gr_patch_correct(GrPatch *patch, double *error, int rounds);

/// Is a cell of the hole within `reach` cells, diagonals included?
bool gr_patch_near_hole(const GrPatch *patch, int i, int j, int reach);

#endif

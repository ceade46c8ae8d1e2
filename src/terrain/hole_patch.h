/// Parts of the repair of a map (clean.h): marked cells, their groups, outliers, and the filling of one hole.
///
/// No library: GDALFillNodata() blends by distance and gives no error of what it fills; the equations of kriging are
/// solved by LAPACK.
#ifndef GR_HOLE_PATCH_H
#define GR_HOLE_PATCH_H

#include "grouser/status.h"

#include "alloc.h"
#include "clean.h"
#include "raster.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct GrBitmap {
    int64_t nx, ny, words; ///< words per row
    uint64_t *bits;
} GrBitmap;

static inline bool gr_bitmap_init(GrBitmap *map, int64_t nx, int64_t ny)
{
    const int64_t words = (nx + 63) / 64;
    *map = (GrBitmap){nx, ny, words, gr_calloc((size_t)(words * ny), sizeof(uint64_t))};
    return map->bits != NULL;
}

static inline void gr_bitmap_free(GrBitmap *map)
{
    gr_free(map->bits);
    map->bits = NULL;
}

static inline bool gr_bitmap_get(const GrBitmap *map, int64_t i, int64_t j)
{
    return map->bits != NULL && (map->bits[j * map->words + i / 64] >> (i % 64) & 1u) != 0;
}

static inline void gr_bitmap_set(GrBitmap *map, int64_t i, int64_t j)
{
    map->bits[j * map->words + i / 64] |= (uint64_t)1 << (i % 64);
}

// Connected groups of marked cells in a bitmap, diagonal neighbours included.

/// Marked cells [i0, i1) of row j.
typedef struct GrRun {
    int64_t i0, i1, j;
    int64_t hole; ///< number of its hole
} GrRun;

typedef struct GrHole {
    int64_t first_run, run_count; ///< in GrHoles.runs
    int64_t cells;
    int64_t i0, j0, i1, j1; ///< box, ends excluded
} GrHole;

/// Runs are grouped by hole, and holes ordered by their first cell.
typedef struct GrHoles {
    GrRun *runs;
    GrHole *holes;
    int64_t run_count, hole_count;
} GrHoles;

GrStatus gr_holes_find(const GrBitmap *map, GrHoles *out);
void gr_holes_free(GrHoles *holes);

// One hole with the ground around it, the unit of filling.

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

// Cells that cannot be ground (O23 3.2).

/// Sets the bits of cells without data in `voids` and of outliers in `outliers`, row by row with bounded memory.
/// `*p95` is the 95th percentile of the change from cell to cell [m].
GrStatus gr_outlier_find(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrBitmap *voids,
                         GrBitmap *outliers, double *p95, GrProgressFn progress, void *context, GrErrorLog *log);

/// Loads LAPACKE, once for all threads; before a hole is filled.
GrStatus gr_lapack_start(GrErrorLog *log);

#endif

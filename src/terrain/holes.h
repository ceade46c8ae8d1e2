/// Connected groups of marked cells in a bitmap, diagonal neighbours included.
#ifndef GR_HOLES_H
#define GR_HOLES_H

#include "bitmap.h"
#include "grouser/status.h"

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

#endif

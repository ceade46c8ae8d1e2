/// Repair of a map (O23 3.2): finds outliers, fills them and the voids by kriging, and removes the seams. Good cells
/// keep their exact bits.
#ifndef GR_CLEAN_H
#define GR_CLEAN_H

#include "clean_def.h"
#include "raster.h"

/// A cell that gets a new height; NAN where an outlier could only be removed.
typedef struct GrFill {
    int64_t cell; ///< j nx + i
    double z;
} GrFill;

typedef struct GrCleaning {
    GrFill *fills; ///< in the order of cells
    int64_t fill_count;
    int64_t columns;
    double cells, voids, outliers; ///< of the map before
    double filled, left;           ///< numbers of cells
    int holes, holes_left;         ///< numbers of connected voids that were filled and left
    int64_t largest_hole;          ///< cells of the largest filled hole
    double largest_seam;           ///< largest step from a filled cell to an adjacent good one [m]
} GrCleaning;

GrStatus gr_clean(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrCleaning *out,
                  GrProgressFn progress, void *context, GrErrorLog *log);
void gr_cleaning_free(GrCleaning *cleaning);

/// The map with its new cells. `*overlay` must outlive the source.
typedef struct GrCleanOverlay {
    const GrCleaning *cleaning;
    GrSource source;
} GrCleanOverlay;
GrSource gr_clean_overlay(GrCleanOverlay *overlay);

#endif

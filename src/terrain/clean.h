/// Repair of a map (O23 3.2): outliers are found, they and the voids filled by kriging, the seams taken away. Cells
/// that are good stay bit by bit what they were.
#ifndef GR_CLEAN_H
#define GR_CLEAN_H

#include "clean_def.h"
#include "raster.h"

/// A cell that gets a new height; NAN where an outlier could only be taken out.
typedef struct GrFill {
    int64_t cell; ///< j nx + i
    double z;
} GrFill;

typedef struct GrCleaning {
    GrFill *fills; ///< in the order of cells
    int64_t fill_count;
    int64_t columns;
    double cells, voids, outliers; ///< of the map before
    double filled, left;           ///< cells
    int holes, holes_left;         ///< connected voids that were filled, that were left
    int64_t largest_hole;          ///< cells of the largest that was filled
    double largest_seam;           ///< largest step from a filled to a good cell beside it [m]
} GrCleaning;

GrStatus gr_clean(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrCleaning *out,
                  GrProgressFn progress, void *context, GrErrorLog *log);
void gr_cleaning_free(GrCleaning *cleaning);

/// The map with its new cells. `*overlay` must live as long as the source is used.
typedef struct GrCleanOverlay {
    const GrCleaning *cleaning;
    GrSource source;
} GrCleanOverlay;
GrSource gr_clean_overlay(GrCleanOverlay *overlay);

#endif

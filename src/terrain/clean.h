/// Repair of a map (O23 3.2): finds outliers, fills them and the voids by kriging, and removes the seams. Good cells
/// keep their exact bits.
#ifndef GR_CLEAN_H
#define GR_CLEAN_H

#include "raster.h"

#include <stdbool.h>
#include <stdint.h>

/// Start from gr_default_clean_def(): values for HiRISE maps of 1 m.
typedef struct GrCleanDef {
    int kernel_hole;     ///< side of the zeroed middle of the kernel [cells]; default 70
    double kernel_sigma; ///< of the Gaussian [cells]; default 35: O23 does not print it
    double threshold;    ///< [m] > 0; default 0.7
    bool plain_kernel;   ///< the kernel alone decides, as printed in O23; default: an outlier must also stand out from
                         ///< its neighbours
    bool keep_outliers;  ///< fill voids only
    int samples;         ///< for kriging, 8 .. 4000; default 1000
    int seam_rounds;     ///< rounds of 7 x 7 averaging of the bias; default 8
    bool fill_border;    ///< fill large voids at the border of the map too
    int64_t hole_limit;  ///< voids of more cells are left; default 1000000
    uint64_t seed;       ///< of the choice of samples; default 1
} GrCleanDef;

GrCleanDef gr_default_clean_def(void);

// Repair of a map (O23 3.2): finds outliers, fills them and the voids by kriging, and removes the seams. Good cells
// keep their exact bits.

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

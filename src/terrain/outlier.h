/// Cells that cannot be ground (O23 3.2).
#ifndef GR_OUTLIER_H
#define GR_OUTLIER_H

#include "bitmap.h"
#include "clean_def.h"
#include "raster.h"

/// Sets the bits of cells without data in `voids` and of outliers in `outliers`, row by row with bounded memory.
/// `*p95` is the 95th percentile of the change from cell to cell [m].
GrStatus gr_outlier_find(const GrGridFrame *frame, GrSource source, const GrCleanDef *def, GrBitmap *voids,
                         GrBitmap *outliers, double *p95, GrProgressFn progress, void *context, GrErrorLog *log);

#endif

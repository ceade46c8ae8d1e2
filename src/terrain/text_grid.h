/// Height grids as text: a matrix of heights, northern row first, or lines of x, y, z on a regular grid in any order.
///
/// Numbers are separated by commas, semicolons, tabs or blanks; lines that begin with # are skipped; a first line of
/// words is a header. Empty cells, "nan" and "nodata" mean no data.
#ifndef GR_TEXT_GRID_H
#define GR_TEXT_GRID_H

#include "raster.h"

typedef struct GrTextGrid {
    GrGridFrame frame; ///< x0 = y0 = 0 and dx = dy = 0 for a matrix: text has no georeference
    double *heights;   ///< row by row from the south; gr_free() it
} GrTextGrid;

/// `layout` auto: x, y, z when the head names x, y and z or `name` ends in .xyz; a matrix otherwise.
GrStatus gr_text_grid_parse(const char *text, size_t size, const char *name, GrTextLayout layout, double nodata,
                            GrTextGrid *out, GrErrorLog *log);

#endif

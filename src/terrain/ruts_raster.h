/// Ruts as a GeoTIFF on their own nodes.
#ifndef GR_RUTS_RASTER_H
#define GR_RUTS_RASTER_H

#include "grouser/terrain.h"

/// Which heights are written.
typedef enum GrRutsLayer {
    GR_RUTS_GROUND, ///< ground with ruts
    GR_RUTS_CHANGE, ///< ruts alone: ground with them minus without
} GrRutsLayer;

/// Writes the box of all changed nodes with a margin of half a metre, one pixel per node. `terrain`: the ground below,
/// NULL: the plane z = 0; its tiles are loaded. The georeference is that of the ruts. Of a box of more than 4e7 nodes
/// only blocks with ruts are written, so that the size of the file follows the length of the track, not the area of the
/// box. Fails when no node was changed.
GrStatus gr_ruts_raster_write(const char *path, GrTerrain *terrain, const GrRuts *ruts, GrRutsLayer layer,
                              GrErrorLog *log);

/// Extent of the ruts, and the largest lowering and rise of the ground [m].
typedef struct GrRutsExtent {
    GrBox2 box; ///< of the changed nodes; x_lower > x_upper: there are none
    double deepest, highest;
    double area; ///< changed [m²]
} GrRutsExtent;
GrRutsExtent gr_ruts_extent(const GrRuts *ruts);

#endif

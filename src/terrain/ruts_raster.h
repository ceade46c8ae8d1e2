/// Ruts as a GeoTIFF on their own nodes.
#ifndef GR_RUTS_RASTER_H
#define GR_RUTS_RASTER_H

#include "grouser/terrain.h"

/// Which heights are written.
typedef enum GrRutsLayer {
    GR_RUTS_GROUND, ///< ground with ruts
    GR_RUTS_CHANGE, ///< ruts alone: ground with them minus without
} GrRutsLayer;

/// Writes the box of all changed nodes, half a metre around it, one pixel a node. `terrain`: the ground below, NULL:
/// the plane z = 0; its tiles are brought in. The place on the planet is that of the ruts. A box of more than 4e7 nodes
/// is written in blocks, and only those with ruts: a long track gives a long file, and not a wide one. Fails when no
/// node was changed.
GrStatus gr_ruts_raster_write(const char *path, GrTerrain *terrain, const GrRuts *ruts, GrRutsLayer layer,
                              GrErrorLog *log);

/// Largest fall of the ground below and rise above what it was at first [m].
typedef struct GrRutsExtent {
    GrBox2 box; ///< of the changed nodes; x_lower > x_upper: there are none
    double deepest, highest;
    double area; ///< changed [m²]
} GrRutsExtent;
GrRutsExtent gr_ruts_extent(const GrRuts *ruts);

#endif

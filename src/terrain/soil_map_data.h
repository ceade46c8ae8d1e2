/// Writes soil maps to files.
#ifndef GR_SOIL_MAP_DATA_H
#define GR_SOIL_MAP_DATA_H

#include "grouser/soil_map.h"
#include "raster.h"

/// Writes the classes as a GeoTIFF of bytes whose description is the legend.
GrStatus gr_soil_map_write(const GrSoilMap *map, const char *path, const GrGeoreference *place, GrErrorLog *log);

#endif

/// Writes soil maps to files.
#ifndef GR_SOIL_MAP_DATA_H
#define GR_SOIL_MAP_DATA_H

#include "grouser/soil_map.h"
#include "raster.h"

/// Writes the classes as a GeoTIFF of bytes whose description is the legend.
GrStatus gr_soil_map_write(const GrSoilMap *map, const char *path, const GrGeoreference *place, GrErrorLog *log);

/// Parses a legend such as "1=ES-1 2=ES-2".
GrStatus gr_soil_map_legend(GrSoilMap *map, const char *legend, const char *path, GrErrorLog *log);

#endif

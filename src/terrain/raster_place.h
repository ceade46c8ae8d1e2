/// Georeference of a GDAL dataset: position of its pixels, the body, and the transformation to longitude and latitude.
#ifndef GR_RASTER_PLACE_H
#define GR_RASTER_PLACE_H

#include "raster_gdal.h"

/// Transformations between the file's projection and its own longitude and latitude; NULL where there are none.
typedef struct GrPlaceReader GrPlaceReader;

/// Fills frame, place and has_crs of `out` for the whole file. Refuses rotated and geographic grids, with a message
/// that says how to reproject them.
GrStatus gr_place_read(GDALDatasetH dataset, const char *path, const GrRasterOptions *options, GrRaster *out,
                       bool *columns_from_west, bool *rows_from_north, GrPlaceReader **reader, GrErrorLog *log);

/// Implements GrToMap.
GrStatus gr_place_to_map(void *reader, const double lonlat[4], GrBox2 *box, GrErrorLog *log);

/// Longitude, latitude and scale of the projection at the centre of the frame; warns when map metres are not ground
/// metres.
void gr_place_middle(GrPlaceReader *reader, GrRaster *out, const char *path, GrErrorLog *log);

void gr_place_free(GrPlaceReader *reader);

#endif

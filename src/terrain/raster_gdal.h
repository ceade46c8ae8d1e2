/// Rasters through GDAL: errors, places on a planet, and guards against what files may ask for.
#ifndef GR_RASTER_GDAL_H
#define GR_RASTER_GDAL_H

#include "grouser/status.h"

#include "gdal_api.h"
#include "raster.h"

/// Silences GDAL until gr_gdal_loud(): GDAL's messages go into our errors instead of onto stderr.
void gr_gdal_quiet(void);
void gr_gdal_loud(void);

/// GDAL's last message, or `otherwise` when there is none.
const char *gr_gdal_message(const char *otherwise);

// Georeference of a GDAL dataset: position of its pixels, the body, and the transformation to longitude and latitude.

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

// What a raster may reach: local files in its own folder and below, nothing else.
//
// A map that came by mail must not read other files of the machine as heights, nor talk to a server. GDAL on its own
// does both: files of its WMS driver are XML under any name, a VRT names sources anywhere, a raw VRT band or the label
// of a PDS product turns any file into heights, and side files (.ovr, .msk, .aux.xml) may be any of these.

/// The formats that are opened, NULL-terminated: those that hold their data in local files.
extern const char *const gr_raster_drivers[];

/// Before a raster is opened: it is a local file, and what it and its side files name lies in its folder or below.
/// Call gr_gdal_start() first.
GrStatus gr_raster_guard_path(const char *path, GrErrorLog *log);

/// After it was opened: every file of the dataset (a GDALDatasetH) lies in the raster's folder or below.
GrStatus gr_raster_guard_files(void *dataset, const char *path, GrErrorLog *log);

#endif

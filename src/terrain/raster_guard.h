/// What a raster may reach: local files in its own folder and below, nothing else.
///
/// A map that came by mail must not read other files of the machine as heights, nor talk to a server. GDAL on its own
/// does both: files of its WMS driver are XML under any name, a VRT names sources anywhere, a raw VRT band or the label
/// of a PDS product turns any file into heights, and side files (.ovr, .msk, .aux.xml) may be any of these.
#ifndef GR_RASTER_GUARD_H
#define GR_RASTER_GUARD_H

#include "grouser/status.h"

/// The formats that are opened, NULL-terminated: those that hold their data in local files.
extern const char *const gr_raster_drivers[];

/// Whether the network and everything else that GDAL can reach are allowed (gr_raster_allow_network()).
bool gr_raster_is_network_allowed(void);

/// Before a raster is opened: it is a local file, and what it and its side files name lies in its folder or below.
/// Call gr_gdal_start() first.
GrStatus gr_raster_guard_path(const char *path, GrErrorLog *log);

/// After it was opened: every file of the dataset (a GDALDatasetH) lies in the raster's folder or below.
GrStatus gr_raster_guard_files(void *dataset, const char *path, GrErrorLog *log);

#endif

/// Helpers shared by the files that use GDAL.
#ifndef GR_RASTER_GDAL_H
#define GR_RASTER_GDAL_H

#include "raster.h"

#include <gdal.h>

/// Registers the formats once, and bounds GDAL's block cache unless GDAL_CACHEMAX is set.
void gr_gdal_start(void);

/// Silences GDAL until gr_gdal_loud(): GDAL's messages go into our errors instead of onto stderr.
void gr_gdal_quiet(void);
void gr_gdal_loud(void);

/// GDAL's last message, or `otherwise` when there is none.
const char *gr_gdal_message(const char *otherwise);

#endif

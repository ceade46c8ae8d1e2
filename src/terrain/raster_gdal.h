/// Helpers shared by the files that use GDAL.
#ifndef GR_RASTER_GDAL_H
#define GR_RASTER_GDAL_H

#include "gdal_api.h"
#include "raster.h"

/// Silences GDAL until gr_gdal_loud(): GDAL's messages go into our errors instead of onto stderr.
void gr_gdal_quiet(void);
void gr_gdal_loud(void);

/// GDAL's last message, or `otherwise` when there is none.
const char *gr_gdal_message(const char *otherwise);

#endif

#define GR_GDAL_LOADER
#include "gdal_api.h"

#include "alloc.h"
#include "raster_gdal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CACHE_BYTES = 64 << 20 };

GrGdal gr_gdal;

static char fault[GR_LAZY_FAULT]; ///< why GDAL could not be loaded; "": it is loaded

/// The formats that are opened. GTiff, PNG, VRT and MEM are also written. Formats that name servers or databases, or
/// files by patterns, are missing.
const char *const gr_raster_drivers[] = {
    "GTiff",       "COG", "VRT", "MEM",  "PDS",    "PDS4",    "ISIS3",   "ISIS2", "VICAR", "FITS", "PNG",
    "JPEG",        "BMP", "HFA", "ENVI", "EHdr",   "AAIGrid", "XYZ",     "DTED",  "SAGA",  "GSAG", "GSBG",
    "JP2OpenJPEG", "BT",  "BAG", "HDF5", "netCDF", "SRTMHGT", "USGSDEM", "GS7BG", "RMF",   "BSB",  NULL};

static bool is_wanted(const char *driver)
{
    for (int i = 0; gr_raster_drivers[i] != NULL; i++) {
        if (strcmp(driver, gr_raster_drivers[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// Where the program that uses the library has not registered formats for itself, only ours are there: GDAL also opens
/// files on its own, such as overviews beside a raster. No file of a VRT may run Python, and none may be on a server.
static void register_formats(void)
{
    const bool ours = gr_gdal.GDALGetDriverCount() == 0 && !gr_hook_network();
    gr_gdal.GDALAllRegister();
    for (int i = gr_gdal.GDALGetDriverCount() - 1; ours && i >= 0; i--) {
        GDALDriverH driver = gr_gdal.GDALGetDriver(i);
        if (!is_wanted(gr_gdal.GDALGetDriverShortName(driver))) {
            gr_gdal.GDALDeregisterDriver(driver);
            gr_gdal.GDALDestroyDriver(driver);
        }
    }
    if (ours) {
        gr_gdal.CPLSetConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
        gr_gdal.CPLSetConfigOption("CPL_VSIL_CURL_ALLOWED_FILENAME", "none");
    }
}

static void start(void)
{
    static const char *const names[] = {GR_GDAL_FUNCTIONS(GR_LAZY_NAME)};
    if (gr_lazy_load(GR_GDAL_LIBRARY, names, (int)(sizeof names / sizeof names[0]), &gr_gdal, fault)) {
        register_formats();
        gr_gdal_cache(0);
    }
}

void gr_gdal_cache(GIntBig bytes)
{
    // GDAL's default is a fraction of the machine's memory, but the terrain caches tiles itself.
    if (gr_gdal.CPLGetConfigOption != NULL && gr_gdal.CPLGetConfigOption("GDAL_CACHEMAX", NULL) == NULL) {
        gr_gdal.GDALSetCacheMax64(bytes > CACHE_BYTES ? bytes : CACHE_BYTES);
    }
}

GrStatus gr_gdal_start(const char *path, GrErrorLog *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return fault[0] == '\0' ? GR_OK
                            : gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                                           "needs GDAL, but %s cannot be loaded: %s", GR_GDAL_LIBRARY, fault);
}

// ---- messages

void gr_gdal_quiet(void)
{
    gr_gdal.CPLErrorReset();
    gr_gdal.CPLPushErrorHandler(gr_gdal.CPLQuietErrorHandler);
}

void gr_gdal_loud(void)
{
    gr_gdal.CPLPopErrorHandler();
}

const char *gr_gdal_message(const char *otherwise)
{
    const char *message = gr_gdal.CPLGetLastErrorMsg();
    return message != NULL && message[0] != '\0' ? message : otherwise;
}

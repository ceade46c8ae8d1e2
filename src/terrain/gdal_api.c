#define GR_GDAL_LOADER
#include "gdal_api.h"

#include "raster_gdal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CACHE_BYTES = 64 << 20 };

GrGdal gr_gdal;

static char fault[256]; ///< why GDAL could not be loaded; "": it is loaded

/// POSIX makes this valid although C does not convert between pointers to objects and to functions.
static void find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);
    if (found == NULL && fault[0] == '\0') {
        snprintf(fault, sizeof fault, "it has no %s", name);
    }
    memcpy(function, &found, size);
}

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
    const bool ours = gr_gdal.GDALGetDriverCount() == 0 && !gr_raster_is_network_allowed();
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
    void *library = dlopen(GR_GDAL_LIBRARY, RTLD_LAZY | RTLD_LOCAL); // never closed: GDAL keeps handlers at exit
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(fault, sizeof fault, "%s", why != NULL ? why : "no reason given");
        return;
    }
#define FIND(name) find(library, #name, &gr_gdal.name, sizeof gr_gdal.name);
    GR_GDAL_FUNCTIONS(FIND)
#undef FIND
    if (fault[0] == '\0') {
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

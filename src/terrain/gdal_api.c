#define GR_GDAL_LOADER
#include "gdal_api.h"

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
        gr_gdal.GDALAllRegister();
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

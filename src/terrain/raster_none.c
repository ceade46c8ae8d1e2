/// Replaces the files that need GDAL in a build without it.
#include "raster.h"

#include <string.h>

static GrStatus fail(const char *path, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                        "this build has no GDAL; only .csv, .xyz and .txt grids can be read; make build includes GDAL");
}

GrStatus gr_raster_open_gdal(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    (void)options;
    (void)out;
    return fail(path, log);
}

void gr_raster_expect_readers(int count)
{
    (void)count;
}

GrStatus gr_raster_write(const char *path, const GrGridFrame *frame, const GrGeoreference *place, GrSource source,
                         const GrRasterWrite *how, GrProgressFn progress, void *progress_context, GrErrorLog *log)
{
    (void)frame;
    (void)place;
    (void)source;
    (void)how;
    (void)progress;
    (void)progress_context;
    return fail(path, log);
}

GrStatus gr_picture_write(const char *path, const unsigned char *pixels, int width, int height, GrErrorLog *log)
{
    (void)pixels;
    (void)width;
    (void)height;
    return fail(path, log);
}

bool gr_raster_same_crs(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

void gr_raster_allow_network(bool allowed)
{
    (void)allowed; // nothing here reaches further than a text file
}

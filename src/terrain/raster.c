#include "raster.h"

#include "alloc.h"
#include "file.h"
#include "parts.h"
#include "raster_nodes.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

GrRasterOptions gr_default_raster_options(void)
{
    return (GrRasterOptions){.height_scale = NAN, .height_offset = NAN, .nodata = NAN, .band = 1};
}

GrRasterWrite gr_default_raster_write(void)
{
    return (GrRasterWrite){.driver = "GTiff", .type = "Float32", .scale = 1, .nodata = -32767};
}

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

GrStatus gr_raster_open(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    *out = (GrRaster){.lon = NAN, .lat = NAN, .nodata = NAN, .scale = 1, .overview = 1};
    struct stat info;
    const GrLocation at = {.file = path};
    char nodes[GR_FILE_PATH_SIZE];
    if (gr_raster_find_nodes(path, nodes)) {
        return gr_raster_open_nodes(nodes, out, log);
    }
    // A path that is not a file may still be valid for GDAL (/vsizip/…), which looks at it below where that is allowed.
    const bool is_virtual = strncmp(path, "/vsi", 4) == 0;
    if (stat(path, &info) != 0 && !is_virtual) {
        return gr_error_add(log, GR_ERROR_FILE, at, "cannot be read: %s", strerror(errno));
    }
    if (!is_virtual && S_ISREG(info.st_mode) && info.st_size == 0) {
        return gr_error_add(log, GR_ERROR_FILE, at, "is empty: it has no bytes");
    }
    if (options->band < 1) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "bands count from 1, not %d", options->band);
    }
    const bool text = has_extension(path, "csv") || has_extension(path, "xyz") || has_extension(path, "txt");
    const GrStatus status =
        text ? gr_raster_open_text(path, options, out, log) : gr_raster_open_gdal(path, options, out, log);
    if (status != GR_OK) {
        gr_raster_close(out);
    }
    return status;
}

void gr_raster_close(GrRaster *raster)
{
    if (raster->source.free != NULL) {
        raster->source.free(raster->source.context);
    }
    gr_free(raster->place.crs);
    raster->source = (GrSource){0};
    raster->place.crs = NULL;
}

/// Nodes whose pixels are at least half inside an interval of the map.
static void span_of(double lower, double upper, double origin, double step, int64_t nodes, int64_t *first,
                    int64_t *count)
{
    const double a = fmax(0, ceil((lower - origin) / step - 1e-9));
    const double b = fmin((double)(nodes - 1), floor((upper - origin) / step + 1e-9));
    *first = b >= a ? (int64_t)a : 0;
    *count = b >= a ? (int64_t)(b - a) + 1 : 0;
}

static GrStatus cut_pixels(const GrRaster *raster, const char *path, const double v[4], int64_t *i0, int64_t *j0,
                           GrGridFrame *cut, GrErrorLog *log)
{
    const double columns = (double)raster->frame.nx, rows = (double)raster->frame.ny;
    for (int k = 0; k < 4; k++) {
        if (v[k] != floor(v[k])) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                "a window in pixels takes whole numbers, not %g", v[k]);
        }
    }
    if (!(v[0] >= 0 && v[1] >= 0 && v[2] >= 2 && v[3] >= 2 && v[0] + v[2] <= columns && v[1] + v[3] <= rows)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "the window of %.0f x %.0f pixels at column %.0f, row %.0f is not inside the file's %.0f x "
                            "%.0f pixels, or smaller than 2 x 2",
                            v[2], v[3], v[0], v[1], columns, rows);
    }
    *i0 = (int64_t)v[0];
    *j0 = raster->frame.ny - (int64_t)v[1] - (int64_t)v[3];
    cut->nx = (int64_t)v[2];
    cut->ny = (int64_t)v[3];
    return GR_OK;
}

GrStatus gr_raster_cut(const GrRaster *raster, const char *path, const GrWindow *window, GrToMap to_map, void *context,
                       int64_t *i0, int64_t *j0, GrGridFrame *cut, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    *cut = *f;
    *i0 = *j0 = 0;
    GrStatus status = GR_OK;
    if (window->kind == GR_WINDOW_PIXEL) {
        status = cut_pixels(raster, path, window->v, i0, j0, cut, log);
    } else if (window->kind != GR_WINDOW_ALL) {
        GrBox2 box = {window->v[0], window->v[1], window->v[2], window->v[3]};
        if (window->kind == GR_WINDOW_LONLAT) {
            if (to_map == NULL) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                    "has no georeference: a window by longitude and latitude has no meaning in it");
            }
            status = to_map(context, window->v, &box, log);
        }
        if (status == GR_OK) {
            span_of(box.x_lower, box.x_upper, f->x0, f->dx, f->nx, i0, &cut->nx);
            span_of(box.y_lower, box.y_upper, f->y0, f->dy, f->ny, j0, &cut->ny);
        }
        if (status == GR_OK && (cut->nx < 2 || cut->ny < 2)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                                "the window (east %.8g to %.8g, north %.8g to %.8g) contains less than 2 x 2 pixels of "
                                "the map (east %.8g to %.8g, north %.8g to %.8g)",
                                box.x_lower, box.x_upper, box.y_lower, box.y_upper, f->x0,
                                f->x0 + (double)(f->nx - 1) * f->dx, f->y0, f->y0 + (double)(f->ny - 1) * f->dy);
        }
    }
    cut->x0 = f->x0 + (double)*i0 * f->dx;
    cut->y0 = f->y0 + (double)*j0 * f->dy;
    return status;
}

#ifndef GR_WITH_GDAL

GrStatus gr_raster_open_gdal(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log)
{
    (void)options, (void)out;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

GrStatus gr_raster_write(const char *path, const GrGridFrame *frame, const GrGeoreference *place, GrSource source,
                         const GrRasterWrite *how, GrProgressFn progress, void *progress_context, GrErrorLog *log)
{
    (void)frame, (void)place, (void)source, (void)how, (void)progress, (void)progress_context;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

GrStatus gr_picture_write(const char *path, const unsigned char *pixels, int width, int height, GrErrorLog *log)
{
    (void)pixels, (void)width, (void)height;
    return gr_part_missing("GDAL", (GrLocation){.file = path}, log);
}

bool gr_raster_same_crs(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

void gr_raster_expect_readers(int count)
{
    (void)count;
}

void gr_raster_allow_network(bool allowed)
{
    (void)allowed; // text files reach no network
}

#endif

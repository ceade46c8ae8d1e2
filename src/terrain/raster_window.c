/// Defaults of rasters, and the part of one that is used.
#include "raster.h"

#include "alloc.h"

#include <math.h>

GrRasterOptions gr_default_raster_options(void)
{
    return (GrRasterOptions){.height_scale = NAN, .height_offset = NAN, .nodata = NAN, .band = 1};
}

GrRasterWrite gr_default_raster_write(void)
{
    return (GrRasterWrite){.driver = "GTiff", .type = "Float32", .scale = 1, .nodata = -32767};
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

/// The whole map of an edited scenario, coarsely, so that a window can be chosen on it.
#include "chunk.h"
#include "editor.h"
#include "file.h"
#include "json.h"
#include "out_of_memory.h"
#include "raster.h"

#include "alloc.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 256, LEVELS = 10000 };

/// Every `step`-th node of every `step`-th row, from the north.
static GrStatus read_nodes(const GrRaster *raster, int64_t step, int nx, int ny, double *out, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    double *row = gr_malloc((size_t)f->nx * sizeof *row);
    GrStatus status = row != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    for (int j = 0; j < ny && status == GR_OK && row != NULL; j++) {
        const GrGridWindow window = {0, f->ny - 1 - j * step, (int)f->nx, 1};
        status = raster->source.read(raster->source.context, window, row, log);
        for (int i = 0; i < nx && status == GR_OK; i++) {
            out[j * nx + i] = row[i * step];
        }
    }
    gr_free(row);
    return status;
}

/// Heights as whole levels between the lowest and the highest; −1: no data.
static void put_heights(const double *z, int count, GrJson *json)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < count; i++) {
        low = isnan(z[i]) ? low : fmin(low, z[i]);
        high = isnan(z[i]) ? high : fmax(high, z[i]);
    }
    const double unit = high > low ? (high - low) / LEVELS : 1;
    gr_json_number(json, "low", low);
    gr_json_number(json, "unit", unit);
    gr_json_begin_array(json, "heights");
    for (int i = 0; i < count; i++) {
        gr_json_integer(json, NULL, isnan(z[i]) ? -1 : llround((z[i] - low) / unit));
    }
    gr_json_end(json);
}

GrStatus gr_editor_put_map(const char *path, GrBuffer *chunk, GrErrorLog *log)
{
    GrRaster raster;
    GrBuffer text = {0};
    GrRasterOptions options = gr_default_raster_options();
    options.assume_metre = true;
    GrStatus status = gr_raster_open(path, &options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    const GrGridFrame *f = &raster.frame;
    const int64_t longer = f->nx > f->ny ? f->nx : f->ny, step = (longer + MOST_NODES - 1) / MOST_NODES;
    const int nx = (int)((f->nx + step - 1) / step), ny = (int)((f->ny + step - 1) / step);
    double *z = gr_malloc((size_t)nx * (size_t)ny * sizeof *z);
    status = z != NULL ? read_nodes(&raster, step, nx, ny, z, log) : gr_out_of_memory(log, path);
    if (status == GR_OK && z != NULL) {
        GrJson json = gr_json_to_buffer(&text, false);
        gr_json_begin_object(&json, NULL);
        gr_json_integer(&json, "columns", f->nx);
        gr_json_integer(&json, "rows", f->ny);
        gr_json_number(&json, "pixel_m", f->dx);
        gr_json_integer(&json, "step", step);
        gr_json_integer(&json, "nx", nx);
        gr_json_integer(&json, "ny", ny);
        put_heights(z, nx * ny, &json);
        gr_json_end(&json);
        gr_json_finish(&json);
        gr_chunk_put(chunk, "MAPS", text.data, text.size);
    }
    status = status == GR_OK && (text.failed || chunk->failed) ? gr_out_of_memory(log, path) : status;
    gr_free(z);
    gr_buffer_free(&text);
    gr_raster_close(&raster);
    return status;
}

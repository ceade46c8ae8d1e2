/// Loads terrain layers from files.
#include "alloc.h"
#include "out_of_memory.h"
#include "raster.h"
#include "terrain_data.h"

#include <math.h>
#include <string.h>

/// The first file defines the world's georeference; later ones must agree with it.
static GrStatus agree_on_place(GrTerrain *terrain, const GrRaster *raster, const char *path, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    if (terrain->layer_count == 0 && terrain->georeference.crs[0] == '\0') {
        GrGeoreference place = raster->place;
        if (raster->has_crs) {
            place.origin_east = nearbyint(f->x0 + 0.5 * (double)(f->nx - 1) * f->dx);
            place.origin_north = nearbyint(f->y0 + 0.5 * (double)(f->ny - 1) * f->dy);
        }
        return gr_terrain_set_georeference(terrain, &place);
    }
    if (!gr_raster_same_crs(terrain->georeference.crs, raster->place.crs)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "has another projection than the layers below it; reproject it with gdalwarp -t_srs LOWER "
                            "-r bilinear, where LOWER is the lower layer's file");
    }
    return GR_OK;
}

static bool fits(const GrLayerDef *def)
{
    return (double)def->frame.nx * (double)def->frame.ny * sizeof(double) <= (double)def->memory_limit;
}

/// Reads the whole map and makes it resident.
static GrStatus add_resident(GrTerrain *terrain, const GrLayerDef *def, GrRaster *raster, const char *path,
                             GrErrorLog *log)
{
    const GrGridFrame *f = &def->frame;
    double *heights = gr_malloc((size_t)(f->nx * f->ny) * sizeof *heights);
    if (heights == NULL) {
        gr_raster_close(raster);
        return gr_out_of_memory(log, path);
    }
    GrStatus status =
        raster->source.read(raster->source.context, (GrGridWindow){0, 0, (int)f->nx, (int)f->ny}, heights, log);
    int64_t good = 0;
    for (int64_t k = 0; k < f->nx * f->ny && status == GR_OK; k++) {
        good += !isnan(heights[k]);
    }
    if (status == GR_OK && good == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                              "has no cell with data: all %lld x %lld are nodata", (long long)f->nx, (long long)f->ny);
    }
    if (status == GR_OK) {
        status = gr_terrain_add_grid(terrain, def, heights, log);
    }
    gr_free(heights);
    gr_raster_close(raster);
    return status;
}

GrStatus gr_terrain_add_file(GrTerrain *terrain, const char *path, const GrRasterOptions *options,
                             const GrLayerDef *def, GrErrorLog *log)
{
    GrRaster raster;
    GrStatus status = gr_raster_open(path, options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    status = agree_on_place(terrain, &raster, path, log);
    if (status != GR_OK) {
        gr_raster_close(&raster);
        return status;
    }
    GrLayerDef layer = *def;
    layer.frame = raster.frame;
    layer.frame.x0 -= terrain->georeference.origin_east;
    layer.frame.y0 -= terrain->georeference.origin_north;
    if (fits(&layer)) {
        return add_resident(terrain, &layer, &raster, path, log);
    }
    const GrSource source = raster.source;
    raster.source = (GrSource){0}; // the layer owns it now
    gr_raster_close(&raster);
    return gr_terrain_add_source(terrain, &layer, source, log);
}

GrTerrain *gr_terrain_open(const char *path, GrErrorLog *log)
{
    GrTerrain *terrain = gr_terrain_create();
    const GrRasterOptions options = gr_default_raster_options();
    const GrLayerDef def = gr_default_layer_def();
    if (terrain == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    if (gr_terrain_add_file(terrain, path, &options, &def, log) != GR_OK) {
        gr_terrain_free(terrain);
        return NULL;
    }
    return terrain;
}

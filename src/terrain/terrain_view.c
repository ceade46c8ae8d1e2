/// Terrains beside the one that is queried: made from files, looked at coarsely, shared by several worlds.
#include "alloc.h"

#include "messages.h"
#include "out_of_memory.h"
#include "raster.h"
#include "terrain_data.h"
#include "terrain_view.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

// ---- layers from files

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

static GrTerrain *open_terrain(const char *path, GrErrorLog *log)
{
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
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

GrStatus gr_terrain_open(const char *path, GrTerrain **out, GrErrorLog *log)
{
    *out = open_terrain(path, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_FILE);
}

// ---- a second look

/// Every `stride`-th node of a source.
typedef struct Thinned {
    GrSource source;
    int stride;
} Thinned;

struct GrTerrainView {
    GrTerrain terrain;
    Thinned thinned[GR_MAX_LAYERS];
    bool borrowed[GR_MAX_LAYERS]; ///< the layer has the tiles of the other terrain
};

/// Whole rows are read, since a file answers few long requests faster than many short ones.
static GrStatus read_thinned(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const Thinned *t = context;
    if (t->source.read_every != NULL) {
        return t->source.read_every(t->source.context, window, t->stride, out, log);
    }
    const int width = (window.ni - 1) * t->stride + 1;
    double *row = gr_malloc((size_t)width * sizeof *row);
    if (row == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    for (int j = 0; j < window.nj && status == GR_OK; j++) {
        const GrGridWindow line = {window.i0 * t->stride, (window.j0 + j) * t->stride, width, 1};
        status = t->source.read(t->source.context, line, row, log);
        for (int i = 0; i < window.ni && status == GR_OK; i++) {
            out[(size_t)j * (size_t)window.ni + (size_t)i] = row[(size_t)i * (size_t)t->stride];
        }
    }
    gr_free(row);
    return status;
}

static bool is_resident(const GrLayer *layer)
{
    const GrGridFrame *f = &layer->def.frame;
    const int64_t tiles = ((f->nx - 2) / GR_TILE_CELLS + 1) * ((f->ny - 2) / GR_TILE_CELLS + 1);
    return layer->source.read == NULL || layer->tiles.count == tiles;
}

/// At least two nodes remain along each side.
static int stride_of(const GrGridFrame *f, double cell)
{
    const double most = (double)((f->nx < f->ny ? f->nx : f->ny) - 1);
    return (int)fmax(1, fmin(fmin(most, 1e6), floor(cell / fmax(f->dx, f->dy) * (1 + 1e-9))));
}

static bool open_layer(GrTerrainView *view, int k, const GrLayer *from, double cell)
{
    GrLayer *layer = &view->terrain.layers[k];
    Thinned *thinned = &view->thinned[k];
    *layer = *from;
    layer->source = (GrSource){0};
    layer->lent = NULL;
    view->borrowed[k] = is_resident(from);
    if (view->borrowed[k]) {
        return true;
    }
    GrGridFrame *f = &layer->def.frame;
    *thinned = (Thinned){from->source, stride_of(f, cell)};
    *f = (GrGridFrame){.nx = (f->nx - 1) / thinned->stride + 1,
                       .ny = (f->ny - 1) / thinned->stride + 1,
                       .x0 = f->x0,
                       .y0 = f->y0,
                       .dx = f->dx * thinned->stride,
                       .dy = f->dy * thinned->stride};
    layer->per_dx = 1 / f->dx;
    layer->per_dy = 1 / f->dy;
    layer->cells_x = (double)(f->nx - 1);
    layer->cells_y = (double)(f->ny - 1);
    layer->source = (GrSource){.read = read_thinned, .context = thinned};
    return gr_tiles_init(&layer->tiles, from->tiles.limit);
}

GrTerrainView *gr_terrain_view_open(const GrTerrain *terrain, double cell)
{
    GrTerrainView *view = gr_calloc(1, sizeof *view);
    for (int k = 0; view != NULL && k < terrain->layer_count; k++) {
        if (!open_layer(view, k, &terrain->layers[k], cell)) {
            gr_terrain_view_close(view);
            return NULL;
        }
        view->terrain.layer_count++;
    }
    return view;
}

void gr_terrain_view_close(GrTerrainView *view)
{
    for (int k = 0; view != NULL && k < view->terrain.layer_count; k++) {
        if (!view->borrowed[k]) {
            gr_tiles_free(&view->terrain.layers[k].tiles);
        }
    }
    gr_free(view);
}

double gr_terrain_view_cost(const GrTerrain *terrain, double cell, double width, double height)
{
    double cost = 0;
    for (int k = 0; k < terrain->layer_count; k++) {
        const GrLayer *layer = &terrain->layers[k];
        const GrGridFrame *f = &layer->def.frame;
        const double columns = fmin(width / f->dx + 1, (double)f->nx), rows = fmin(height / f->dy + 1, (double)f->ny);
        cost += is_resident(layer) ? 0 : columns * rows / stride_of(f, cell);
    }
    return cost;
}

GrTerrain *gr_terrain_view_terrain(GrTerrainView *view)
{
    return &view->terrain;
}

double gr_terrain_finest_cell(const GrTerrain *terrain)
{
    double cell = (double)INFINITY;
    for (int i = 0; i < gr_terrain_layer_count(terrain); i++) {
        const GrGridFrame *f = &gr_terrain_layer(terrain, i)->frame;
        cell = fmin(cell, fmin(f->dx, f->dy));
    }
    return cell;
}

// ---- one base for many worlds

struct GrLentLayer {
    GrTerrainShare *share;
    int layer;
};

struct GrTerrainShare {
    GrTerrain *base;
    pthread_mutex_t lock; ///< of all below, and of the base
    int users;            ///< borrowed terrains, and the owner
    GrLentLayer lent[GR_MAX_LAYERS];
};

GrTerrainShare *gr_terrain_share_create(GrTerrain *base)
{
    GrTerrainShare *share = gr_calloc(1, sizeof *share);
    if (share == NULL || pthread_mutex_init(&share->lock, NULL) != 0) {
        gr_free(share);
        gr_terrain_free(base);
        return NULL;
    }
    share->base = base;
    share->users = 1;
    for (int k = 0; k < GR_MAX_LAYERS; k++) {
        share->lent[k] = (GrLentLayer){share, k};
    }
    return share;
}

void gr_terrain_share_release(GrTerrainShare *share)
{
    if (share == NULL) {
        return;
    }
    pthread_mutex_lock(&share->lock);
    const bool last = --share->users == 0;
    pthread_mutex_unlock(&share->lock);
    if (last) {
        pthread_mutex_destroy(&share->lock);
        gr_terrain_free(share->base);
        gr_free(share);
    }
}

void gr_lent_layer_return(const GrLentLayer *lent)
{
    gr_terrain_share_release(lent->share);
}

/// Sources may read files and are for one thread at a time.
static GrStatus read_base(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const GrLentLayer *lent = context;
    GrTerrainShare *share = lent->share;
    const GrSource source = share->base->layers[lent->layer].source;
    pthread_mutex_lock(&share->lock);
    const GrStatus status = source.read(source.context, window, out, log);
    pthread_mutex_unlock(&share->lock);
    return status;
}

GrStatus gr_lent_tile(const GrLentLayer *lent, int64_t tx, int64_t ty, const double **nodes, GrErrorLog *log)
{
    GrTerrainShare *share = lent->share;
    GrLayer *layer = &share->base->layers[lent->layer];
    GrStatus status = GR_OK;
    pthread_mutex_lock(&share->lock);
    *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(tx, ty));
    if (*nodes == NULL && layer->tiles.count < layer->tiles.limit) {
        status = gr_layer_load_tile(layer, layer->source, tx, ty, log);
        *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(tx, ty));
    }
    pthread_mutex_unlock(&share->lock);
    return status;
}

GrTerrain *gr_terrain_borrow(GrTerrainShare *share)
{
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    bool made = terrain != NULL;
    pthread_mutex_lock(&share->lock);
    const GrTerrain *base = share->base;
    made = made && gr_terrain_set_georeference(terrain, &base->georeference) == GR_OK;
    for (int k = 0; made && k < base->layer_count; k++) {
        GrLayer *layer = &terrain->layers[k];
        *layer = base->layers[k];
        layer->lent = &share->lent[k];
        if (layer->source.read != NULL) {
            layer->source = (GrSource){.read = read_base, .context = &share->lent[k]};
            made = gr_tiles_init(&layer->tiles, base->layers[k].tiles.limit);
        }
        terrain->layer_count += made;
        share->users += made;
    }
    pthread_mutex_unlock(&share->lock);
    if (!made) {
        gr_terrain_free(terrain);
        return NULL;
    }
    return terrain;
}

size_t gr_terrain_share_memory(GrTerrainShare *share)
{
    pthread_mutex_lock(&share->lock);
    const size_t memory = gr_terrain_memory(share->base);
    pthread_mutex_unlock(&share->lock);
    return memory;
}

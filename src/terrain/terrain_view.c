#include "terrain_view.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "terrain_data.h"

#include <math.h>

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

/// A surface as a layer of a terrain: heights are generated where they are asked for, and kept.
#include "alloc.h"
#include "out_of_memory.h"
#include "term.h"
#include "tiles.h"

#include <math.h>

/// Tiles of 64 x 64 nodes that a layer keeps, 18 MB: a run asks for most of its ground several times, for its own tiles
/// and for rocks, replay and report.
enum { KEPT_TILES = 512 };
/// Coarser windows would fill tiles with few nodes.
enum { COARSEST_KEPT = 2 };

typedef struct LayerSource {
    GrSurface *surface;
    GrGridFrame frame;
    GrTiles kept; ///< NAN: a node that has not been asked for yet
} LayerSource;

/// The tile that keeps a node; NULL: none. With `add` it is made, if there is room.
static double *find_tile(GrTiles *kept, int64_t i, int64_t j, bool add)
{
    const uint64_t key = gr_tile_key(i >> GR_TILE_SHIFT, j >> GR_TILE_SHIFT);
    double *tile = gr_tiles_use(kept, key);
    if (tile == NULL && add) {
        tile = gr_tiles_add(kept, key);
        for (int k = 0; tile != NULL && k < GR_TILE_CELLS * GR_TILE_CELLS; k++) {
            tile[k] = (double)NAN;
        }
    }
    return tile;
}

/// `count` nodes, up to GR_TERM_ROW, of a row: every `stride`-th from (i, j) on.
static void read_row(LayerSource *source, int64_t i, int64_t j, int count, int stride, double *out)
{
    const GrGridFrame *f = &source->frame;
    double x[GR_TERM_ROW], heights[GR_TERM_ROW], *nodes[GR_TERM_ROW], *tile = NULL;
    int64_t column = -1; // of the tile
    int missing[GR_TERM_ROW], n = 0;
    gr_tiles_begin_round(&source->kept);
    for (int k = 0; k < count; k++) {
        const int64_t at = i + (int64_t)k * stride;
        if (at >> GR_TILE_SHIFT != column) {
            column = at >> GR_TILE_SHIFT;
            tile = find_tile(&source->kept, at, j, stride <= COARSEST_KEPT);
        }
        double *node = tile != NULL ? tile + j % GR_TILE_CELLS * GR_TILE_CELLS + at % GR_TILE_CELLS : NULL;
        out[k] = node != NULL ? *node : (double)NAN;
        if (isnan(out[k])) {
            x[n] = f->x0 + (double)at * f->dx;
            nodes[n] = node;
            missing[n++] = k;
        }
    }
    gr_surface_row(source->surface, x, n, f->y0 + (double)j * f->dy, heights);
    for (int k = 0; k < n; k++) {
        out[missing[k]] = heights[k];
        if (nodes[k] != NULL) {
            *nodes[k] = heights[k];
        }
    }
}

static GrStatus read_every(void *context, GrGridWindow window, int stride, double *out, GrErrorLog *log)
{
    (void)log;
    for (int j = 0; j < window.nj; j++) {
        for (int first = 0; first < window.ni; first += GR_TERM_ROW) {
            const int count = window.ni - first < GR_TERM_ROW ? window.ni - first : GR_TERM_ROW;
            read_row(context, (window.i0 + first) * stride, (window.j0 + j) * stride, count, stride, out);
            out += count;
        }
    }
    return GR_OK;
}

static GrStatus read_layer(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    return read_every(context, window, 1, out, log);
}

static void free_layer(void *context)
{
    LayerSource *source = context;
    gr_tiles_free(&source->kept);
    gr_surface_free(source->surface);
    gr_free(source);
}

GrStatus gr_terrain_add_surface(GrTerrain *terrain, const GrLayerDef *def, GrSurface *surface, GrErrorLog *log)
{
    LayerSource *source = gr_malloc(sizeof *source);
    if (source == NULL || !gr_tiles_init(&source->kept, KEPT_TILES)) {
        gr_free(source);
        gr_surface_free(surface);
        return gr_out_of_memory(log, NULL);
    }
    source->surface = surface;
    source->frame = def->frame;
    return gr_terrain_add_source(terrain, def, (GrSource){read_layer, free_layer, source, read_every}, log);
}

/// Layers of a terrain, and loading of their tiles into memory.
#include "terrain_data.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

enum { LEAST_TILES = 16 };

GrLayerDef gr_default_layer_def(void)
{
    return (GrLayerDef){.memory_limit = (size_t)64 << 20};
}

static GrTerrain *make_terrain(void)
{
    GrTerrain *terrain = gr_calloc(1, sizeof *terrain);
    if (terrain != NULL) {
        terrain->georeference.crs = gr_strdup("");
        if (terrain->georeference.crs == NULL) {
            gr_free(terrain);
            terrain = NULL;
        }
    }
    return terrain;
}

GrStatus gr_terrain_create(GrTerrain **out, GrErrorLog *log)
{
    *out = make_terrain();
    return *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_terrain_free(GrTerrain *terrain)
{
    if (terrain == NULL) {
        return;
    }
    for (int k = 0; k < terrain->layer_count; k++) {
        GrLayer *layer = &terrain->layers[k];
        if (layer->lent == NULL || layer->source.read != NULL) {
            gr_tiles_free(&layer->tiles);
        }
        if (layer->lent != NULL) {
            gr_lent_layer_return(layer->lent);
        } else if (layer->source.free != NULL) {
            layer->source.free(layer->source.context);
        }
    }
    gr_free(terrain->georeference.crs);
    gr_free(terrain);
}

static GrStatus check_layer(const GrTerrain *terrain, const GrLayerDef *def, GrErrorLog *log)
{
    const GrGridFrame *f = &def->frame;
    const GrLocation nowhere = {0};
    if (terrain->layer_count == GR_MAX_LAYERS) {
        return gr_error_add(log, GR_ERROR_MODEL, nowhere, "a terrain has at most %d layers", GR_MAX_LAYERS);
    }
    // Tile indices must fit into 32 bits.
    const int64_t most = (int64_t)1 << 37;
    if (f->nx < 2 || f->ny < 2 || f->nx > most || f->ny > most) {
        return gr_error_add(log, GR_ERROR_VALUE, nowhere,
                            "a height field needs at least 2 x 2 nodes and at most 2^37 along a side, not %lld x %lld",
                            (long long)f->nx, (long long)f->ny);
    }
    if (!(f->dx > 0 && f->dy > 0 && isfinite(f->dx) && isfinite(f->dy) && isfinite(f->x0) && isfinite(f->y0))) {
        return gr_error_add(log, GR_ERROR_VALUE, nowhere,
                            "the spacing of a height field must be above 0 and its place finite, not %g x %g m at "
                            "(%g, %g)",
                            f->dx, f->dy, f->x0, f->y0);
    }
    if (!(def->margin >= 0 && isfinite(def->margin))) {
        return gr_error_add(log, GR_ERROR_VALUE, nowhere, "the margin of a layer must be 0 or more, not %g m",
                            def->margin);
    }
    return GR_OK;
}

static int64_t tiles_along(int64_t nodes)
{
    return (nodes - 2) / GR_TILE_CELLS + 1;
}

static GrStatus add_layer(GrTerrain *terrain, const GrLayerDef *def, int64_t tile_limit, GrErrorLog *log)
{
    GrLayer *layer = &terrain->layers[terrain->layer_count];
    *layer = (GrLayer){
        .def = *def,
        .per_dx = 1 / def->frame.dx,
        .per_dy = 1 / def->frame.dy,
        .cells_x = (double)(def->frame.nx - 1),
        .cells_y = (double)(def->frame.ny - 1),
    };
    if (!gr_tiles_init(&layer->tiles, tile_limit)) {
        return gr_out_of_memory(log, NULL);
    }
    terrain->layer_count++;
    return GR_OK;
}

GrStatus gr_terrain_add_source(GrTerrain *terrain, const GrLayerDef *def, GrSource source, GrErrorLog *log)
{
    GrStatus status = check_layer(terrain, def, log);
    if (status == GR_OK) {
        const int64_t fit = (int64_t)(def->memory_limit / (GR_TILE_NODES * sizeof(double)));
        status = add_layer(terrain, def, fit > LEAST_TILES ? fit : LEAST_TILES, log);
    }
    if (status != GR_OK) {
        if (source.free != NULL) {
            source.free(source.context);
        }
        return status;
    }
    terrain->layers[terrain->layer_count - 1].source = source;
    return GR_OK;
}

/// Nodes beyond the border continue the slope of the border: z(−1) = 2 z(0) − z(1).
static void extend_line(double *line, ptrdiff_t stride, int first, int last)
{
    for (int k = first - 1; k >= 0; k--) {
        line[k * stride] = 2 * line[(k + 1) * stride] - line[(k + 2) * stride];
    }
    for (int k = last + 1; k < GR_TILE_STRIDE; k++) {
        line[k * stride] = 2 * line[(k - 1) * stride] - line[(k - 2) * stride];
    }
}

typedef struct Span {
    int64_t start; ///< first node of the map in the tile
    int first;     ///< its index in the tile
    int count;
} Span;

/// Nodes of the map that a tile contains along one side.
static Span tile_span(int64_t tile, int64_t nodes)
{
    const int64_t lower = tile * GR_TILE_CELLS - 1, upper = lower + GR_TILE_STRIDE;
    const int64_t start = lower < 0 ? 0 : lower, end = upper > nodes ? nodes : upper;
    return (Span){start, (int)(start - lower), (int)(end - start)};
}

/// Fills a tile from `read`, which is called for nodes inside the frame only.
static GrStatus fill_tile(const GrGridFrame *frame, GrSource source, int64_t tx, int64_t ty, double *nodes,
                          GrErrorLog *log)
{
    const Span sx = tile_span(tx, frame->nx), sy = tile_span(ty, frame->ny);
    static _Thread_local double window[GR_TILE_NODES];
    const GrStatus status =
        source.read(source.context, (GrGridWindow){sx.start, sy.start, sx.count, sy.count}, window, log);
    if (status != GR_OK) {
        return status;
    }
    for (int j = 0; j < sy.count; j++) {
        double *row = nodes + (ptrdiff_t)(sy.first + j) * GR_TILE_STRIDE;
        memcpy(row + sx.first, window + (ptrdiff_t)j * sx.count, (size_t)sx.count * sizeof *row);
        extend_line(row, 1, sx.first, sx.first + sx.count - 1);
    }
    for (int i = 0; i < GR_TILE_STRIDE; i++) {
        extend_line(nodes + i, GR_TILE_STRIDE, sy.first, sy.first + sy.count - 1);
    }
    return GR_OK;
}

static GrStatus no_room(const GrLayer *layer, GrErrorLog *log)
{
    if (layer->tiles.count < layer->tiles.limit) {
        return gr_out_of_memory(log, NULL);
    }
    return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0},
                        "the requested area needs more than the %lld tiles (%.0f MB) that the layer may keep",
                        (long long)layer->tiles.limit,
                        (double)layer->tiles.limit * GR_TILE_NODES * sizeof(double) / 1e6);
}

GrStatus gr_layer_load_tile(GrLayer *layer, GrSource source, int64_t tx, int64_t ty, GrErrorLog *log)
{
    const uint64_t key = gr_tile_key(tx, ty);
    if (gr_tiles_touch(&layer->tiles, key)) {
        return GR_OK;
    }
    if (layer->lent != NULL) {
        const double *lent;
        const GrStatus found = gr_lent_tile(layer->lent, tx, ty, &lent, log);
        if (found != GR_OK || lent != NULL) {
            return found != GR_OK || gr_tiles_lend(&layer->tiles, key, lent) ? found : no_room(layer, log);
        }
    }
    double *nodes = gr_tiles_add(&layer->tiles, key);
    if (nodes == NULL) {
        return no_room(layer, log);
    }
    const GrStatus status = fill_tile(&layer->def.frame, source, tx, ty, nodes, log);
    if (status != GR_OK) {
        gr_tiles_remove(&layer->tiles, key);
    }
    return status;
}

typedef struct MemoryGrid {
    const double *heights;
    int64_t nx;
} MemoryGrid;

static GrStatus read_memory(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const MemoryGrid *grid = context;
    for (int j = 0; j < window.nj; j++) {
        memcpy(out + (ptrdiff_t)j * window.ni, grid->heights + (window.j0 + j) * grid->nx + window.i0,
               (size_t)window.ni * sizeof *out);
    }
    return GR_OK;
}

GrStatus gr_terrain_add_grid(GrTerrain *terrain, const GrLayerDef *def, const double *heights, GrErrorLog *log)
{
    GrStatus status = check_layer(terrain, def, log);
    if (status != GR_OK) {
        return status;
    }
    const int64_t tiles_x = tiles_along(def->frame.nx), tiles_y = tiles_along(def->frame.ny);
    status = add_layer(terrain, def, tiles_x * tiles_y, log);
    MemoryGrid grid = {heights, def->frame.nx};
    for (int64_t ty = 0; status == GR_OK && ty < tiles_y; ty++) {
        for (int64_t tx = 0; status == GR_OK && tx < tiles_x; tx++) {
            GrLayer *layer = &terrain->layers[terrain->layer_count - 1];
            status = gr_layer_load_tile(layer, (GrSource){.read = read_memory, .context = &grid}, tx, ty, log);
            if (status != GR_OK) {
                gr_tiles_free(&layer->tiles);
                terrain->layer_count--;
            }
        }
    }
    return status;
}

/// Tiles [first, last] that an interval of world coordinates touches; false when it misses the layer.
static bool tile_range(double lower, double upper, double origin, double per, int64_t nodes, int64_t *first,
                       int64_t *last)
{
    const double a = floor((lower - origin) * per), b = floor((upper - origin) * per);
    if (!(b >= 0 && a <= (double)(nodes - 1))) {
        return false;
    }
    const int64_t cells = nodes - 1;
    const int64_t i = a > 0 ? (int64_t)a : 0, j = b < (double)cells ? (int64_t)b : cells - 1;
    *first = (i < cells ? i : cells - 1) / GR_TILE_CELLS;
    *last = j / GR_TILE_CELLS;
    return true;
}

static GrStatus prefetch_layer(GrLayer *layer, GrBox2 box, GrErrorLog *log)
{
    int64_t x_first, x_last, y_first, y_last;
    const GrGridFrame *f = &layer->def.frame;
    if (layer->source.read == NULL ||
        !tile_range(box.x_lower, box.x_upper, f->x0, layer->per_dx, f->nx, &x_first, &x_last) ||
        !tile_range(box.y_lower, box.y_upper, f->y0, layer->per_dy, f->ny, &y_first, &y_last)) {
        return GR_OK;
    }
    gr_tiles_begin_round(&layer->tiles);
    // First touch the tiles in memory, so that none of them is evicted for another of the same box.
    for (int64_t ty = y_first; ty <= y_last; ty++) {
        for (int64_t tx = x_first; tx <= x_last; tx++) {
            gr_tiles_touch(&layer->tiles, gr_tile_key(tx, ty));
        }
    }
    for (int64_t ty = y_first; ty <= y_last; ty++) {
        for (int64_t tx = x_first; tx <= x_last; tx++) {
            const GrStatus status = gr_layer_load_tile(layer, layer->source, tx, ty, log);
            if (status != GR_OK) {
                return status;
            }
        }
    }
    return GR_OK;
}

GrStatus gr_terrain_prefetch(GrTerrain *terrain, GrBox2 box, GrErrorLog *log)
{
    if (!(box.x_upper >= box.x_lower && box.y_upper >= box.y_lower)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the box to prefetch is empty or not a number");
    }
    for (int k = 0; k < terrain->layer_count; k++) {
        const GrStatus status = prefetch_layer(&terrain->layers[k], box, log);
        if (status != GR_OK) {
            return status;
        }
    }
    return GR_OK;
}

size_t gr_terrain_memory(const GrTerrain *terrain)
{
    size_t total = 0;
    for (int k = 0; k < terrain->layer_count; k++) {
        total += gr_tiles_memory(&terrain->layers[k].tiles);
    }
    return total;
}

int gr_terrain_layer_count(const GrTerrain *terrain)
{
    return terrain->layer_count;
}

const GrLayerDef *gr_terrain_layer(const GrTerrain *terrain, int layer)
{
    return &terrain->layers[layer].def;
}

GrBox2 gr_terrain_box(const GrTerrain *terrain)
{
    GrBox2 box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < terrain->layer_count; k++) {
        const GrLayer *layer = &terrain->layers[k];
        const GrGridFrame *f = &layer->def.frame;
        if (layer->def.mode == GR_LAYER_REPLACE) {
            box.x_lower = fmin(box.x_lower, f->x0);
            box.y_lower = fmin(box.y_lower, f->y0);
            box.x_upper = fmax(box.x_upper, f->x0 + layer->cells_x * f->dx);
            box.y_upper = fmax(box.y_upper, f->y0 + layer->cells_y * f->dy);
        }
    }
    return box;
}

GrStatus gr_terrain_set_georeference(GrTerrain *terrain, const GrGeoreference *georeference)
{
    char *crs = gr_strdup(georeference->crs != NULL ? georeference->crs : terrain->georeference.crs);
    if (crs == NULL) {
        return GR_ERROR_MEMORY;
    }
    gr_free(terrain->georeference.crs);
    terrain->georeference = *georeference;
    terrain->georeference.crs = crs;
    return GR_OK;
}

const GrGeoreference *gr_terrain_georeference(const GrTerrain *terrain)
{
    return &terrain->georeference;
}

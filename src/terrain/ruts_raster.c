#include "ruts_raster.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "raster.h"
#include "ruts.h"

#include <math.h>

/// Margin around the ruts [m]; number of nodes up to which the whole box is written; block size of larger files
/// [nodes].
static const double MARGIN = 0.5, MOST_NODES = 4e7;
enum { BLOCK = 1024 };

typedef struct Export {
    GrTerrain *terrain;
    const GrRuts *ruts;
    GrRutsLayer layer;
    GrGridFrame frame;
    int64_t i0, j0; ///< south-west node
    unsigned char
        *blocks; ///< of the file, row by row from the north: 1 where there are ruts; NULL: all blocks are written
    int64_t block_columns;
} Export;

GrRutsExtent gr_ruts_extent(const GrRuts *ruts)
{
    const double inf = (double)INFINITY;
    GrRutsExtent out = {.box = {inf, inf, -inf, -inf}};
    GrRutsPeek peek = {NULL};
    for (int k = 0; k < gr_ruts_tile_count(ruts); k++) {
        int64_t i, j;
        const GrRutsTileView tile = gr_ruts_peek(ruts, k, &peek);
        gr_ruts_tile_place(ruts, k, &i, &j);
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            const double z = tile.heights[n];
            if (z != 0) {
                const int64_t node_i = i + n % GR_RUT_NODES, node_j = j + n / GR_RUT_NODES;
                const double x = (double)node_i * ruts->def.cell, y = (double)node_j * ruts->def.cell;
                out.box = (GrBox2){fmin(out.box.x_lower, x), fmin(out.box.y_lower, y), fmax(out.box.x_upper, x),
                                   fmax(out.box.y_upper, y)};
                out.deepest = fmin(out.deepest, z);
                out.highest = fmax(out.highest, z);
                out.area += ruts->def.cell * ruts->def.cell;
            }
        }
    }
    gr_ruts_peek_end(&peek);
    return out;
}

static double height_at(const Export *e, int64_t i, int64_t j)
{
    const double change = gr_ruts_get(e->ruts, i, j);
    double ground = 0;
    if (e->terrain != NULL) {
        gr_terrain_height(e->terrain, (double)i * e->frame.dx, (double)j * e->frame.dy, &ground); // NAN: none
    }
    return isnan(ground) ? ground : e->layer == GR_RUTS_CHANGE ? change : ground + change;
}

static GrStatus read_nodes(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const Export *e = context;
    const GrGridFrame *f = &e->frame;
    GrStatus status = GR_OK;
    for (int j = 0; j < window.nj && status == GR_OK; j++) {
        if (e->terrain != NULL) { // row by row, since a wide band may exceed the terrain's tile memory
            const double x = f->x0 + (double)window.i0 * f->dx, y = f->y0 + (double)(window.j0 + j) * f->dy;
            status = gr_terrain_prefetch(e->terrain, (GrBox2){x, y, x + (window.ni - 1) * f->dx, y}, log);
        }
        for (int i = 0; i < window.ni && status == GR_OK; i++) {
            out[(ptrdiff_t)j * window.ni + i] = height_at(e, e->i0 + window.i0 + i, e->j0 + window.j0 + j);
        }
    }
    return status;
}

static bool is_wanted(void *context, int64_t column, int64_t row)
{
    const Export *e = context;
    return e->blocks[row * e->block_columns + column] != 0;
}

/// Marks the blocks of the file that contain nodes of a tile.
static GrStatus mark_blocks(Export *e)
{
    const GrGridFrame *f = &e->frame;
    const int64_t columns = (f->nx + BLOCK - 1) / BLOCK, rows = (f->ny + BLOCK - 1) / BLOCK;
    e->block_columns = columns;
    e->blocks = gr_calloc((size_t)(columns * rows), 1);
    if (e->blocks == NULL) {
        return GR_ERROR_MEMORY;
    }
    for (int k = 0; k < gr_ruts_tile_count(e->ruts); k++) {
        int64_t i, j;
        gr_ruts_tile_place(e->ruts, k, &i, &j);
        for (int corner = 0; corner < 4; corner++) { // a tile is smaller than a block
            const int64_t ci = i - e->i0 + (corner & 1) * (GR_RUT_NODES - 1);
            const int64_t cj = f->ny - 1 - (j - e->j0 + (corner >> 1) * (GR_RUT_NODES - 1));
            if (ci >= 0 && cj >= 0 && ci < f->nx && cj < f->ny) {
                e->blocks[cj / BLOCK * columns + ci / BLOCK] = 1;
            }
        }
    }
    return GR_OK;
}

/// Frame of the ruts' nodes over their box and the margin, clipped to the map.
static GrGridFrame frame_of(const GrRuts *ruts, const GrTerrain *terrain, GrBox2 box, int64_t *i0, int64_t *j0)
{
    const double cell = ruts->def.cell, inf = (double)INFINITY;
    const GrBox2 map = terrain != NULL ? gr_terrain_box(terrain) : (GrBox2){-inf, -inf, inf, inf};
    *i0 = (int64_t)ceil(fmax(box.x_lower - MARGIN, map.x_lower) / cell);
    *j0 = (int64_t)ceil(fmax(box.y_lower - MARGIN, map.y_lower) / cell);
    const int64_t i1 = (int64_t)floor(fmin(box.x_upper + MARGIN, map.x_upper) / cell);
    const int64_t j1 = (int64_t)floor(fmin(box.y_upper + MARGIN, map.y_upper) / cell);
    return (GrGridFrame){i1 - *i0 + 1, j1 - *j0 + 1, (double)*i0 * cell, (double)*j0 * cell, cell, cell};
}

GrStatus gr_ruts_raster_write(const char *path, GrTerrain *terrain, const GrRuts *ruts, GrRutsLayer layer,
                              GrErrorLog *log)
{
    const GrRutsExtent extent = gr_ruts_extent(ruts);
    const GrGeoreference nowhere = {.crs = NULL}, *place = gr_ruts_georeference(ruts);
    Export e = {.terrain = terrain, .ruts = ruts, .layer = layer};
    if (!(extent.box.x_lower <= extent.box.x_upper)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path}, "there are no ruts to write");
    }
    e.frame = frame_of(ruts, terrain, extent.box, &e.i0, &e.j0);
    GrRasterWrite how = gr_default_raster_write();
    how.type = "Float64"; // heights are thousands of metres, changes tenths of millimetres
    how.description = layer == GR_RUTS_CHANGE ? "change of the ground by wheels [m]" : "ground with ruts [m]";
    GrStatus status = GR_OK;
    if ((double)e.frame.nx * (double)e.frame.ny > MOST_NODES) {
        status = mark_blocks(&e);
        how.wanted = is_wanted;
        how.block = BLOCK;
    }
    if (status == GR_OK) {
        const GrSource source = {.read = read_nodes, .context = &e};
        status = gr_raster_write(path, &e.frame, place != NULL ? place : &nowhere, source, &how, NULL, NULL, log);
    } else {
        gr_out_of_memory(log, path);
    }
    gr_free(e.blocks);
    return status;
}

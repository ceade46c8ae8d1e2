/// Bounds of the ground follow the ruts.
#include "ray_ground_data.h"

#include "alloc.h"

#include <string.h>

static void put_region(GrRayGround *g, uint64_t key)
{
    uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & g->rutted_mask;
    while (g->rutted[at] != 0 && g->rutted[at] != key) {
        at = (at + 1) & g->rutted_mask;
    }
    g->rutted_count += g->rutted[at] == 0;
    g->rutted[at] = key;
}

/// At most half full.
static bool reserve_regions(GrRayGround *g, int more)
{
    uint64_t size = g->rutted != NULL ? g->rutted_mask + 1 : 64;
    if (g->rutted != NULL && (uint64_t)(g->rutted_count + more) * 2 <= size) {
        return true;
    }
    while ((uint64_t)(g->rutted_count + more) * 2 > size) {
        size *= 2;
    }
    uint64_t *old = g->rutted, old_size = old != NULL ? g->rutted_mask + 1 : 0;
    g->rutted = gr_calloc((size_t)size, sizeof *g->rutted);
    if (g->rutted == NULL) {
        g->rutted = old;
        return false;
    }
    g->rutted_mask = size - 1;
    g->rutted_count = 0;
    for (uint64_t i = 0; i < old_size; i++) {
        if (old[i] != 0) {
            put_region(g, old[i]);
        }
    }
    gr_free(old);
    return true;
}

/// Cells west and south of a tile's nodes depend on them too, and under a bicubic surface those east and north.
static bool mark_regions(GrRayGround *g, const GrSeenRut *tile)
{
    const int64_t a = tile->i >> GR_RUT_SHIFT, b = tile->j >> GR_RUT_SHIFT;
    if (!reserve_regions(g, 9)) {
        return false;
    }
    const int after = g->ruts->def.interpolation == GR_BICUBIC ? 1 : 0;
    for (int64_t j = b - 1; j <= b + after; j++) {
        for (int64_t i = a - 1; i <= a + after; i++) {
            put_region(g, gr_region_key(i, j));
        }
    }
    return true;
}

static float lift_of(const GrRuts *ruts, const GrRutsTileView *view)
{
    GrExtent e = {0, 0, false}; // the nodes around it may be flat
    for (int k = 0; k < GR_RUT_NODES * GR_RUT_NODES; k++) {
        gr_extent_widen(&e, view->heights[k]);
    }
    return gr_round_up(gr_extent_bound(&e, ruts->def.interpolation));
}

/// The blocks that a tile of the ruts reaches.
static void lift_around(GrRayGround *g, const GrSeenRut *tile)
{
    const double cell = g->ruts->def.cell, side = (GR_RUT_NODES + 2) * cell;
    const double x = (double)tile->i * cell - 2 * cell, y = (double)tile->j * cell - 2 * cell;
    const int64_t i0 = (int64_t)fmax(0, floor((x - g->x0) * g->per_dx)) >> GR_BLOCK_SHIFT;
    const int64_t j0 = (int64_t)fmax(0, floor((y - g->y0) * g->per_dy)) >> GR_BLOCK_SHIFT;
    const int64_t i1 = (int64_t)fmax(-1, floor((x + side + 2 * cell - g->x0) * g->per_dx)) >> GR_BLOCK_SHIFT;
    const int64_t j1 = (int64_t)fmax(-1, floor((y + side + 2 * cell - g->y0) * g->per_dy)) >> GR_BLOCK_SHIFT;
    for (int64_t j = j0; j <= j1 && j < g->by; j++) {
        for (int64_t i = i0; i <= i1 && i < g->bx; i++) {
            gr_ray_lift_block(g, i, j, tile);
        }
    }
}

/// Forgets all ruts: other ones, or tiles that are gone.
static void forget_ruts(GrRayGround *g)
{
    g->seen_count = 0;
    g->rutted_count = 0;
    if (g->rutted != NULL) {
        memset(g->rutted, 0, (size_t)(g->rutted_mask + 1) * sizeof *g->rutted);
    }
    for (int64_t b = 0; b < g->bx * g->by; b++) {
        GrRayBlock *block = &g->blocks[b];
        if (block->base != NULL) {
            memcpy(block->bounds, block->base, GR_BLOCK_NODES * sizeof *block->base);
            gr_ray_fill_levels(block);
            gr_ray_raise_top(g, b % g->bx, b / g->bx);
        }
    }
}

static bool reserve_seen(GrRayGround *g, int count)
{
    GrSeenRut *grown = count > g->seen_count ? gr_realloc(g->seen, (size_t)count * sizeof *grown) : g->seen;
    if (grown == NULL && count > 0) {
        return false;
    }
    g->seen = grown;
    return true;
}

static bool is_moved(const GrRayGround *g, const GrRuts *ruts)
{
    bool moved = g->ruts != ruts || (ruts != NULL && gr_ruts_tile_count(ruts) < g->seen_count);
    for (int k = 0; k < g->seen_count && !moved; k++) {
        int64_t i, j;
        gr_ruts_tile_place(ruts, k, &i, &j);
        moved = i != g->seen[k].i || j != g->seen[k].j;
    }
    return moved;
}

/// Only tiles whose hash is a new one are read.
GrStatus gr_ray_follow_ruts(GrRayGround *g, const GrRuts *ruts)
{
    if (is_moved(g, ruts)) {
        forget_ruts(g);
    }
    g->ruts = ruts;
    const int count = ruts != NULL ? gr_ruts_tile_count(ruts) : 0;
    GrRutsPeek peek = {0};
    bool good = reserve_seen(g, count);
    for (int k = 0; k < count && good; k++) {
        const uint64_t hash = gr_ruts_hash_tile(ruts, k);
        const bool known = k < g->seen_count;
        if (known && g->seen[k].hash == hash) {
            continue;
        }
        const GrRutsTileView view = gr_ruts_peek(ruts, k, &peek);
        good = view.heights != NULL;
        if (!good) {
            break;
        }
        GrSeenRut tile = {.hash = hash, .lift = lift_of(ruts, &view)};
        gr_ruts_tile_place(ruts, k, &tile.i, &tile.j);
        g->seen[k] = tile;
        g->seen_count = known ? g->seen_count : k + 1;
        good = known || mark_regions(g, &tile);
        lift_around(g, &tile);
    }
    gr_ruts_peek_end(&peek);
    return good ? GR_OK : GR_ERROR_MEMORY;
}

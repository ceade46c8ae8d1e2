#include "ray_ground.h"

#include "alloc.h"
#include "ruts.h"
#include "terrain_data.h"
#include "vec3.h"

#include <string.h>

enum {
    BLOCK_SHIFT = GR_TILE_SHIFT,
    BLOCK_CELLS = 1 << BLOCK_SHIFT,
    BLOCK_NODES = BLOCK_CELLS * BLOCK_CELLS,
    BLOCK_BOUNDS = (4 * BLOCK_NODES - 1) / 3, // 64² + 32² + … + 1
    LEVELS_MAX = 32,
    START_LEVEL = 4,
    SAMPLES = 5, // intervals of a piece of a smooth surface that are searched for a change of sign
};
static const double MOST_BLOCKS = 4e6;
static const double FLAT_HALF = 1e5; // half the side of the plane z = 0 [m]
static const double ROOT_HEIGHT = 1e-7; // a range is good to this over the sine of the angle to the ground [m]
static const double OVERSHOOT = 0.28125; // of a bicubic surface over its 16 nodes, as a fraction of their range

/// 64 x 64 cells.
typedef struct Block {
    float *base;          ///< [BLOCK_NODES] bounds of the cells without ruts; NULL: not made
    float *bounds;        ///< [BLOCK_BOUNDS] level by level, with ruts
    const GrLayer *plain; ///< the ground here is this layer alone, and the cells are its own; NULL: several
} Block;

/// Tiles of the ruts as they were last seen.
typedef struct SeenTile {
    uint64_t hash;
    int64_t i, j; ///< south-west node
    float lift;   ///< most that the ground rises there [m]
} SeenTile;

struct GrRayGround {
    const GrTerrain *terrain;
    GrTerrain *flat; ///< owned, where there is no other
    double x0, y0, dx, dy, per_dx, per_dy;
    int64_t nx, ny; ///< cells
    int64_t bx, by; ///< blocks
    double finest;  ///< smallest cell of a layer [m]
    Block *blocks;  ///< [by][bx]
    float *top[LEVELS_MAX];
    int64_t top_nx[LEVELS_MAX];
    int levels; ///< all, those of a block included
    const GrRuts *ruts;
    SeenTile *seen;
    int seen_count;
    uint64_t *rutted; ///< hash of regions of 32 x 32 cells of the ruts that are not flat; 0: empty
    uint64_t rutted_mask;
    int rutted_count;
};

/// Where the bounds of a level begin in a block.
static const int LEVEL_START[BLOCK_SHIFT + 1] = {
    0,
    BLOCK_NODES,
    BLOCK_NODES + BLOCK_NODES / 4,
    BLOCK_NODES + BLOCK_NODES / 4 + BLOCK_NODES / 16,
    BLOCK_NODES + BLOCK_NODES / 4 + BLOCK_NODES / 16 + BLOCK_NODES / 64,
    BLOCK_NODES + BLOCK_NODES / 4 + BLOCK_NODES / 16 + BLOCK_NODES / 64 + BLOCK_NODES / 256,
    BLOCK_BOUNDS - 1,
};

static float round_up(double value)
{
    const float near = (float)value;
    return (double)near < value ? nextafterf(near, INFINITY) : near;
}

// ---------------------------------------------------------------------------------------------------------------------
// The map

/// A plane as a terrain of one cell.
static GrTerrain *make_flat(void)
{
    static const double heights[4] = {0, 0, 0, 0};
    GrTerrain *flat = gr_terrain_create();
    GrLayerDef layer = gr_default_layer_def();
    layer.frame = (GrGridFrame){
        .nx = 2, .ny = 2, .x0 = -FLAT_HALF, .y0 = -FLAT_HALF, .dx = 2 * FLAT_HALF, .dy = 2 * FLAT_HALF};
    if (flat != NULL && gr_terrain_add_grid(flat, &layer, heights, NULL) != GR_OK) {
        gr_terrain_free(flat);
        return NULL;
    }
    return flat;
}

/// The grid of the finest layer, over the whole map; coarser if that has too many blocks.
static void choose_grid(GrRayGround *g)
{
    const GrBox2 box = gr_terrain_box(g->terrain);
    const GrLayer *finest = &g->terrain->layers[0];
    for (int k = 1; k < g->terrain->layer_count; k++) {
        const GrLayer *layer = &g->terrain->layers[k];
        finest = layer->def.frame.dx < finest->def.frame.dx ? layer : finest;
    }
    const GrGridFrame *f = &finest->def.frame;
    g->finest = fmin(f->dx, f->dy);
    g->dx = f->dx;
    g->dy = f->dy;
    while ((box.x_upper - box.x_lower) / g->dx * (box.y_upper - box.y_lower) / g->dy > MOST_BLOCKS * BLOCK_NODES) {
        g->dx *= 2;
        g->dy *= 2;
    }
    // The corner is a node of the layer, so that the cells are its own.
    g->x0 = f->x0 - g->dx * ceil((f->x0 - box.x_lower) / g->dx - 1e-9);
    g->y0 = f->y0 - g->dy * ceil((f->y0 - box.y_lower) / g->dy - 1e-9);
    g->per_dx = 1 / g->dx;
    g->per_dy = 1 / g->dy;
    g->nx = (int64_t)fmax(1, ceil((box.x_upper - g->x0) * g->per_dx - 1e-9));
    g->ny = (int64_t)fmax(1, ceil((box.y_upper - g->y0) * g->per_dy - 1e-9));
    g->bx = (g->nx + BLOCK_CELLS - 1) >> BLOCK_SHIFT;
    g->by = (g->ny + BLOCK_CELLS - 1) >> BLOCK_SHIFT;
}

static bool allocate_levels(GrRayGround *g)
{
    int64_t nx = g->bx, ny = g->by;
    g->levels = BLOCK_SHIFT;
    g->blocks = gr_calloc((size_t)(nx * ny), sizeof *g->blocks);
    bool good = g->blocks != NULL;
    for (;;) {
        float *level = gr_malloc((size_t)(nx * ny) * sizeof *level);
        good = good && level != NULL;
        for (int64_t i = 0; level != NULL && i < nx * ny; i++) {
            level[i] = INFINITY;
        }
        g->top[g->levels] = level;
        g->top_nx[g->levels++] = nx;
        if (nx == 1 && ny == 1) {
            return good;
        }
        nx = (nx + 1) / 2;
        ny = (ny + 1) / 2;
    }
}

GrRayGround *gr_ray_ground_create(const GrTerrain *terrain)
{
    GrRayGround *g = gr_calloc(1, sizeof *g);
    if (g == NULL) {
        return NULL;
    }
    g->flat = terrain == NULL || terrain->layer_count == 0 ? make_flat() : NULL;
    g->terrain = g->flat != NULL ? g->flat : terrain;
    if (g->terrain == NULL || g->terrain->layer_count == 0) {
        gr_free(g);
        return NULL;
    }
    choose_grid(g);
    if (!allocate_levels(g)) {
        gr_ray_ground_free(g);
        return NULL;
    }
    return g;
}

void gr_ray_ground_free(GrRayGround *g)
{
    if (g == NULL) {
        return;
    }
    for (int64_t b = 0; g->blocks != NULL && b < g->bx * g->by; b++) {
        gr_free(g->blocks[b].base);
        gr_free(g->blocks[b].bounds);
    }
    for (int k = 0; k < g->levels; k++) {
        gr_free(g->top[k]);
    }
    gr_free(g->blocks);
    gr_free(g->seen);
    gr_free(g->rutted);
    gr_terrain_free(g->flat);
    gr_free(g);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

typedef struct Extent {
    double lower, upper;
    bool hole; ///< a node has no height
} Extent;

static void widen(Extent *e, double z)
{
    e->hole = e->hole || isnan(z);
    e->lower = z < e->lower ? z : e->lower;
    e->upper = z > e->upper ? z : e->upper;
}

static double upper_bound(const Extent *e, GrInterpolation interpolation)
{
    return interpolation == GR_BICUBIC ? e->upper + OVERSHOOT * (e->upper - e->lower) : e->upper;
}

/// Control points of the Bézier curve that a Catmull-Rom spline is between p1 and p2.
static void control_points(double p0, double p1, double p2, double p3, double out[4])
{
    out[0] = p1;
    out[1] = p1 + (p2 - p0) / 6;
    out[2] = p2 - (p3 - p1) / 6;
    out[3] = p2;
}

/// A bicubic patch lies in the hull of its Bézier control points, a tight bound on a slope.
static Extent bicubic_extent(const double *node)
{
    Extent e = {INFINITY, -INFINITY, false};
    double rows[4][4], column[4];
    for (int b = 0; b < 4; b++) {
        const double *p = node + (ptrdiff_t)(b - 1) * GR_TILE_STRIDE;
        control_points(p[-1], p[0], p[1], p[2], rows[b]);
    }
    for (int a = 0; a < 4; a++) {
        control_points(rows[0][a], rows[1][a], rows[2][a], rows[3][a], column);
        for (int b = 0; b < 4; b++) {
            widen(&e, column[b]);
        }
    }
    return e;
}

static Extent bilinear_extent(const double *node)
{
    Extent e = {INFINITY, -INFINITY, false};
    for (int k = 0; k < 4; k++) {
        widen(&e, node[(ptrdiff_t)(k / 2) * GR_TILE_STRIDE + k % 2]);
    }
    return e;
}

/// Bounds of a tile's own cells. The sums of a bicubic patch round: a little more than its bound.
static void bound_tile(const double *nodes, GrInterpolation interpolation, float *base)
{
    for (int j = 0; j < BLOCK_CELLS; j++) {
        for (int i = 0; i < BLOCK_CELLS; i++) {
            const double *node = nodes + (ptrdiff_t)(j + 1) * GR_TILE_STRIDE + i + 1;
            const Extent e = interpolation == GR_BICUBIC ? bicubic_extent(node) : bilinear_extent(node);
            const double rounding = interpolation == GR_BICUBIC ? 1e-14 * (fabs(e.upper) + e.upper - e.lower) : 0;
            base[j * BLOCK_CELLS + i] = e.hole ? -INFINITY : round_up(e.upper + rounding);
        }
    }
}

/// Upper bound of one layer in a rectangle; false: a tile is not in memory. −INFINITY: the layer is not there.
static bool bound_layer(const GrLayer *layer, const GrBox2 *box, double *upper)
{
    const GrGridFrame *f = &layer->def.frame;
    const int before = layer->def.interpolation == GR_BICUBIC ? 1 : 0;
    const double u0 = (box->x_lower - f->x0) * layer->per_dx, u1 = (box->x_upper - f->x0) * layer->per_dx;
    const double v0 = (box->y_lower - f->y0) * layer->per_dy, v1 = (box->y_upper - f->y0) * layer->per_dy;
    *upper = -INFINITY;
    if (u1 < 0 || v1 < 0 || u0 > layer->cells_x || v0 > layer->cells_y) {
        return true;
    }
    const int64_t i0 = (int64_t)fmax(0, floor(u0) - before), i1 = (int64_t)fmin(layer->cells_x, ceil(u1) + before);
    const int64_t j0 = (int64_t)fmax(0, floor(v0) - before), j1 = (int64_t)fmin(layer->cells_y, ceil(v1) + before);
    Extent e = {INFINITY, -INFINITY, false};
    for (int64_t j = j0; j <= j1; j++) {
        for (int64_t i = i0; i <= i1; i++) {
            const int64_t ci = i - ((double)i >= layer->cells_x), cj = j - ((double)j >= layer->cells_y);
            const double *nodes =
                gr_tiles_find(&layer->tiles, gr_tile_key(ci >> GR_TILE_SHIFT, cj >> GR_TILE_SHIFT));
            if (nodes == NULL) {
                return false;
            }
            const int64_t ti = i - (ci >> GR_TILE_SHIFT << GR_TILE_SHIFT);
            const int64_t tj = j - (cj >> GR_TILE_SHIFT << GR_TILE_SHIFT);
            widen(&e, nodes[(tj + 1) * GR_TILE_STRIDE + ti + 1]);
        }
    }
    const bool at_border = u0 < 1 || v0 < 1 || u1 > layer->cells_x - 1 || v1 > layer->cells_y - 1;
    if (at_border && before > 0) { // nodes beyond it continue its slope: z(−1) = 2 z(0) − z(1)
        const double range = e.upper - e.lower;
        e.upper += range;
        e.lower -= range;
    }
    *upper = e.upper > -(double)INFINITY ? upper_bound(&e, layer->def.interpolation) : *upper;
    return true;
}

/// A layer that replaces gives at most the larger of the two, one that adds at most the sum.
static bool bound_cell(const GrRayGround *g, const GrBox2 *box, float *out)
{
    double bound = -INFINITY;
    for (int k = 0; k < g->terrain->layer_count; k++) {
        const GrLayer *layer = &g->terrain->layers[k];
        double upper;
        if (!bound_layer(layer, box, &upper)) {
            return false;
        }
        bound = layer->def.mode == GR_LAYER_REPLACE ? fmax(bound, upper) : bound + fmax(0, upper);
    }
    *out = round_up(bound);
    return true;
}

static GrBox2 box_of(const GrRayGround *g, int64_t i, int64_t j, int64_t cells)
{
    return (GrBox2){g->x0 + (double)i * g->dx, g->y0 + (double)j * g->dy, g->x0 + (double)(i + cells) * g->dx,
                    g->y0 + (double)(j + cells) * g->dy};
}

static bool overlaps(const GrBox2 *a, const GrBox2 *b)
{
    return a->x_lower <= b->x_upper && b->x_lower <= a->x_upper && a->y_lower <= b->y_upper && b->y_lower <= a->y_upper;
}

static GrBox2 box_of_layer(const GrLayer *layer)
{
    const GrGridFrame *f = &layer->def.frame;
    return (GrBox2){f->x0, f->y0, f->x0 + layer->cells_x * f->dx, f->y0 + layer->cells_y * f->dy};
}

/// The layer whose own cells the block has, with no other above it; NULL: there is none.
static const GrLayer *plain_layer(const GrRayGround *g, const GrBox2 *box)
{
    for (int k = g->terrain->layer_count - 1; k >= 0; k--) {
        const GrLayer *layer = &g->terrain->layers[k];
        const GrBox2 all = box_of_layer(layer);
        if (!overlaps(&all, box)) {
            continue;
        }
        const GrGridFrame *f = &layer->def.frame;
        const double margin = k > 0 ? layer->def.margin : 0;
        const bool whole = k == 0 || (box->x_lower - margin >= all.x_lower && box->x_upper + margin <= all.x_upper &&
                                      box->y_lower - margin >= all.y_lower && box->y_upper + margin <= all.y_upper);
        const bool own = f->dx == g->dx && f->dy == g->dy && f->x0 == g->x0 && f->y0 == g->y0;
        return whole && own && layer->def.mode == GR_LAYER_REPLACE ? layer : NULL;
    }
    return NULL;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/// The bounds above one cell, from those below it.
static void raise_block(Block *block, int i, int j)
{
    for (int level = 1; level <= BLOCK_SHIFT; level++) {
        i >>= 1;
        j >>= 1;
        const int side = BLOCK_CELLS >> level;
        const float *below = block->bounds + LEVEL_START[level - 1] + (ptrdiff_t)2 * j * 2 * side + 2 * i;
        block->bounds[LEVEL_START[level] + j * side + i] =
            larger(larger(below[0], below[1]), larger(below[2 * side], below[2 * side + 1]));
    }
}

static void raise_top(GrRayGround *g, int64_t i, int64_t j)
{
    g->top[BLOCK_SHIFT][j * g->bx + i] = g->blocks[j * g->bx + i].bounds[BLOCK_BOUNDS - 1];
    for (int level = BLOCK_SHIFT + 1; level < g->levels; level++) {
        i >>= 1;
        j >>= 1;
        const float *below = g->top[level - 1];
        const int64_t nx = g->top_nx[level - 1], rows = (g->by + (1 << (level - 1 - BLOCK_SHIFT)) - 1) >>
                                                        (level - 1 - BLOCK_SHIFT);
        float most = -INFINITY;
        for (int64_t b = 2 * j; b < 2 * j + 2 && b < rows; b++) {
            for (int64_t a = 2 * i; a < 2 * i + 2 && a < nx; a++) {
                most = larger(most, below[b * nx + a]);
            }
        }
        g->top[level][j * g->top_nx[level] + i] = most;
    }
}

static void fill_levels(Block *block)
{
    for (int j = 0; j < BLOCK_CELLS; j += 2) {
        for (int i = 0; i < BLOCK_CELLS; i += 2) {
            const float *b = block->bounds + j * BLOCK_CELLS + i;
            block->bounds[LEVEL_START[1] + j / 2 * (BLOCK_CELLS / 2) + i / 2] =
                larger(larger(b[0], b[1]), larger(b[BLOCK_CELLS], b[BLOCK_CELLS + 1]));
        }
    }
    for (int level = 2; level <= BLOCK_SHIFT; level++) {
        const int side = BLOCK_CELLS >> level;
        for (int j = 0; j < side; j++) {
            for (int i = 0; i < side; i++) {
                const float *b = block->bounds + LEVEL_START[level - 1] + (ptrdiff_t)2 * j * 2 * side + 2 * i;
                block->bounds[LEVEL_START[level] + j * side + i] =
                    larger(larger(b[0], b[1]), larger(b[2 * side], b[2 * side + 1]));
            }
        }
    }
}

/// Raises the bounds of the cells of one block under a tile of the ruts.
static void lift_block(GrRayGround *g, int64_t bi, int64_t bj, const SeenTile *tile)
{
    Block *block = &g->blocks[bj * g->bx + bi];
    if (block->base == NULL) {
        return;
    }
    const double cell = g->ruts->def.cell, reach = g->ruts->def.interpolation == GR_BICUBIC ? 2 : 1;
    const double x0 = ((double)tile->i - reach) * cell, x1 = ((double)(tile->i + GR_RUT_NODES - 1) + reach) * cell;
    const double y0 = ((double)tile->j - reach) * cell, y1 = ((double)(tile->j + GR_RUT_NODES - 1) + reach) * cell;
    const double first_i = (double)(bi << BLOCK_SHIFT), first_j = (double)(bj << BLOCK_SHIFT);
    const int i0 = (int)fmax(0, floor((x0 - g->x0) * g->per_dx) - first_i);
    const int j0 = (int)fmax(0, floor((y0 - g->y0) * g->per_dy) - first_j);
    const int i1 = (int)fmin(BLOCK_CELLS - 1, floor((x1 - g->x0) * g->per_dx) - first_i);
    const int j1 = (int)fmin(BLOCK_CELLS - 1, floor((y1 - g->y0) * g->per_dy) - first_j);
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            const int k = j * BLOCK_CELLS + i;
            const float bound = round_up((double)block->base[k] + (double)tile->lift);
            if (bound > block->bounds[k]) {
                block->bounds[k] = bound;
                raise_block(block, i, j);
            }
        }
    }
    raise_top(g, bi, bj);
}

static bool fill_block(GrRayGround *g, Block *block, int64_t bi, int64_t bj)
{
    if (block->plain != NULL) {
        const double *nodes = gr_tiles_find(&block->plain->tiles, gr_tile_key(bi, bj));
        if (nodes == NULL) {
            return false;
        }
        bound_tile(nodes, block->plain->def.interpolation, block->base);
        return true;
    }
    for (int k = 0; k < BLOCK_NODES; k++) {
        const GrBox2 cell = box_of(g, (bi << BLOCK_SHIFT) + k % BLOCK_CELLS, (bj << BLOCK_SHIFT) + k / BLOCK_CELLS, 1);
        if (!bound_cell(g, &cell, &block->base[k])) {
            return false;
        }
    }
    return true;
}

/// GR_OK also where the tiles of the block are not in memory: it is then left out.
static GrStatus make_block(GrRayGround *g, int64_t bi, int64_t bj)
{
    Block *block = &g->blocks[bj * g->bx + bi];
    if (block->base != NULL) {
        return GR_OK;
    }
    const GrBox2 box = box_of(g, bi << BLOCK_SHIFT, bj << BLOCK_SHIFT, BLOCK_CELLS);
    block->plain = plain_layer(g, &box);
    block->base = gr_malloc(BLOCK_NODES * sizeof *block->base);
    block->bounds = gr_malloc(BLOCK_BOUNDS * sizeof *block->bounds);
    const bool memory = block->base != NULL && block->bounds != NULL;
    if (!memory || !fill_block(g, block, bi, bj)) {
        gr_free(block->base);
        gr_free(block->bounds);
        *block = (Block){0};
        return memory ? GR_OK : GR_ERROR_MEMORY;
    }
    // Cells beyond the border of the map have no ground.
    for (int k = 0; k < BLOCK_NODES; k++) {
        const int64_t i = (bi << BLOCK_SHIFT) + k % BLOCK_CELLS, j = (bj << BLOCK_SHIFT) + k / BLOCK_CELLS;
        block->base[k] = i < g->nx && j < g->ny ? block->base[k] : -INFINITY;
    }
    memcpy(block->bounds, block->base, BLOCK_NODES * sizeof *block->base);
    fill_levels(block);
    raise_top(g, bi, bj);
    for (int k = 0; k < g->seen_count; k++) {
        lift_block(g, bi, bj, &g->seen[k]);
    }
    return GR_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ruts

static uint64_t region_key(int64_t a, int64_t b)
{
    return ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1; // 0: empty
}

static bool is_rutted(const GrRayGround *g, int64_t a, int64_t b)
{
    const uint64_t key = region_key(a, b);
    for (uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & g->rutted_mask;; at = (at + 1) & g->rutted_mask) {
        if (g->rutted[at] == key || g->rutted[at] == 0) {
            return g->rutted[at] == key;
        }
    }
}

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
static bool mark_regions(GrRayGround *g, const SeenTile *tile)
{
    const int64_t a = tile->i >> GR_RUT_SHIFT, b = tile->j >> GR_RUT_SHIFT;
    if (!reserve_regions(g, 9)) {
        return false;
    }
    const int after = g->ruts->def.interpolation == GR_BICUBIC ? 1 : 0;
    for (int64_t j = b - 1; j <= b + after; j++) {
        for (int64_t i = a - 1; i <= a + after; i++) {
            put_region(g, region_key(i, j));
        }
    }
    return true;
}

static float lift_of(const GrRuts *ruts, const GrRutsTileView *view)
{
    Extent e = {0, 0, false}; // the nodes around it may be flat
    for (int k = 0; k < GR_RUT_NODES * GR_RUT_NODES; k++) {
        widen(&e, view->heights[k]);
    }
    return round_up(upper_bound(&e, ruts->def.interpolation));
}

/// The blocks that a tile of the ruts reaches.
static void lift_around(GrRayGround *g, const SeenTile *tile)
{
    const double cell = g->ruts->def.cell, side = (GR_RUT_NODES + 2) * cell;
    const double x = (double)tile->i * cell - 2 * cell, y = (double)tile->j * cell - 2 * cell;
    const int64_t i0 = (int64_t)fmax(0, floor((x - g->x0) * g->per_dx)) >> BLOCK_SHIFT;
    const int64_t j0 = (int64_t)fmax(0, floor((y - g->y0) * g->per_dy)) >> BLOCK_SHIFT;
    const int64_t i1 = (int64_t)fmax(-1, floor((x + side + 2 * cell - g->x0) * g->per_dx)) >> BLOCK_SHIFT;
    const int64_t j1 = (int64_t)fmax(-1, floor((y + side + 2 * cell - g->y0) * g->per_dy)) >> BLOCK_SHIFT;
    for (int64_t j = j0; j <= j1 && j < g->by; j++) {
        for (int64_t i = i0; i <= i1 && i < g->bx; i++) {
            lift_block(g, i, j, tile);
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
        Block *block = &g->blocks[b];
        if (block->base != NULL) {
            memcpy(block->bounds, block->base, BLOCK_NODES * sizeof *block->base);
            fill_levels(block);
            raise_top(g, b % g->bx, b / g->bx);
        }
    }
}

static bool reserve_seen(GrRayGround *g, int count)
{
    SeenTile *grown = count > g->seen_count ? gr_realloc(g->seen, (size_t)count * sizeof *grown) : g->seen;
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

/// Takes up what has changed since the last call: only tiles whose hash is a new one are read.
static GrStatus follow_ruts(GrRayGround *g, const GrRuts *ruts)
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
        SeenTile tile = {.hash = hash, .lift = lift_of(ruts, &view)};
        gr_ruts_tile_place(ruts, k, &tile.i, &tile.j);
        g->seen[k] = tile;
        g->seen_count = known ? g->seen_count : k + 1;
        good = known || mark_regions(g, &tile);
        lift_around(g, &tile);
    }
    gr_ruts_peek_end(&peek);
    return good ? GR_OK : GR_ERROR_MEMORY;
}

GrStatus gr_ray_ground_prepare(GrRayGround *g, const GrRuts *ruts, GrBox2 box)
{
    GrStatus status = follow_ruts(g, ruts);
    const int64_t i0 = (int64_t)fmax(0, floor((box.x_lower - g->x0) * g->per_dx)) >> BLOCK_SHIFT;
    const int64_t j0 = (int64_t)fmax(0, floor((box.y_lower - g->y0) * g->per_dy)) >> BLOCK_SHIFT;
    const int64_t i1 = (int64_t)fmax(-1, floor((box.x_upper - g->x0) * g->per_dx)) >> BLOCK_SHIFT;
    const int64_t j1 = (int64_t)fmax(-1, floor((box.y_upper - g->y0) * g->per_dy)) >> BLOCK_SHIFT;
    for (int64_t j = j0; j <= j1 && j < g->by && status == GR_OK; j++) {
        for (int64_t i = i0; i <= i1 && i < g->bx && status == GR_OK; i++) {
            status = make_block(g, i, j);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// The root in a cell

/// The ray inside one cell of level 0.
typedef struct Cell {
    const GrRayGround *g;
    const GrRay *ray;
    const GrLayer *plain; ///< NULL: any layers
    const double *nodes;  ///< of the plain layer: the south-west node
    double i, j;          ///< of the cell
    bool ruts;            ///< the ground here may have ruts
    bool blind;           ///< ground that is not in memory was met
} Cell;

/// Height of the ray above the ground; NaN where there is none.
static double height_above(Cell *c, double t)
{
    const GrRay *ray = c->ray;
    const double x = ray->from.x + t * ray->along.x, y = ray->from.y + t * ray->along.y;
    double ground;
    if (c->plain != NULL) {
        const double u = fmax(0, fmin(1, (x - c->g->x0) * c->plain->per_dx - c->i));
        const double v = fmax(0, fmin(1, (y - c->g->y0) * c->plain->per_dy - c->j));
        ground = c->plain->def.interpolation == GR_BICUBIC ? gr_bicubic_height(c->nodes, GR_TILE_STRIDE, u, v)
                                                           : gr_bilinear(c->nodes, GR_TILE_STRIDE, u, v, 0, 0).z;
    } else {
        c->blind = gr_terrain_height(c->g->terrain, x, y, &ground) == GR_GROUND_NOT_LOADED || c->blind;
    }
    if (c->ruts) {
        ground += gr_ruts_slope(c->g->ruts, x, y).z;
    }
    return ray->from.z + t * ray->along.z - ground;
}

/// First root in (0, 1] of the quadratic with these values at 0, 1/2 and 1, the first of which is above 0.
static bool quadratic_root(double f0, double fm, double f1, double *s)
{
    const double a = 2 * (f0 - 2 * fm + f1), b = 4 * fm - 3 * f0 - f1, d = b * b - 4 * a * f0;
    if (d < 0) {
        return false;
    }
    // 2 f0/(−b ± √d): of equal signs nothing cancels, and a may be 0.
    const double q = -b + (b < 0 ? sqrt(d) : -sqrt(d));
    const double first = 2 * f0 / q, second = q / (2 * a);
    double least = INFINITY;
    least = first > 0 && first <= 1 ? first : least;
    least = second > 0 && second < least && second <= 1 ? second : least;
    if (least > 1 && f1 <= 0) {
        least = 1; // rounding
    }
    *s = least;
    return least <= 1;
}

/// Root between a point above the ground and one below it: the Illinois method, with bisection against slow progress.
static double refine(Cell *c, double ta, double fa, double tb, double fb)
{
    for (int k = 0; k < 60 && fabs(fb - fa) > 0 && tb - ta > 1e-15 * fabs(tb); k++) {
        const double t = k % 4 == 3 ? 0.5 * (ta + tb) : tb - fb * (tb - ta) / (fb - fa);
        const double f = height_above(c, t);
        if (fabs(f) < ROOT_HEIGHT) {
            return t;
        }
        if (f > 0) {
            ta = t;
            fa = f;
            fb *= 0.5;
        } else {
            tb = t;
            fb = f;
            fa *= 0.5;
        }
    }
    return tb;
}

/// The same on a smooth piece: from the root of the parabola through its ends and its middle.
static double refine_smooth(Cell *c, double t0, double f0, double t1, double f1)
{
    const double tm = 0.5 * (t0 + t1), fm = height_above(c, tm);
    double s = 0.5;
    quadratic_root(f0, fm, f1, &s);
    const double guess = t0 + s * (t1 - t0), f = height_above(c, guess);
    if (fabs(f) < ROOT_HEIGHT) {
        return guess;
    }
    double ta = t0, fa = f0, tb = t1, fb = f1;
    const double ts[2] = {fmin(tm, guess), fmax(tm, guess)}, fs[2] = {tm < guess ? fm : f, tm < guess ? f : fm};
    for (int k = 1; k >= 0; k--) { // the earliest bracket
        if (fs[k] <= 0) {
            tb = ts[k];
            fb = fs[k];
        }
    }
    for (int k = 0; k < 2; k++) {
        if (fs[k] > 0 && ts[k] < tb) {
            ta = ts[k];
            fa = fs[k];
        }
    }
    return refine(c, ta, fa, tb, fb);
}

/// The first change of sign between samples. Where the ray ends below the ground, one in the middle is enough.
static bool search(Cell *c, double t0, double t1, double f0, int samples, double *t)
{
    const double f1 = height_above(c, t1);
    if (f1 <= 0 && c->plain != NULL) {
        *t = refine_smooth(c, t0, f0, t1, f1);
        return true;
    }
    double ta = t0, fa = f0;
    for (int k = 1; k <= samples; k++) {
        const double tb = k == samples ? t1 : t0 + (t1 - t0) * k / samples;
        const double fb = k == samples ? f1 : height_above(c, tb);
        if (fb <= 0) {
            *t = fa > 0 ? refine(c, ta, fa, tb, fb) : tb;
            return true;
        }
        ta = tb;
        fa = fb;
    }
    return false;
}

/// A piece of the ray over which the ground is one polynomial, or any number of them where layers are blended.
static bool hit_piece(Cell *c, double t0, double t1, double *t)
{
    const double f0 = height_above(c, t0);
    if (f0 <= 0) { // a wall at a border, or the ray begins below the ground
        *t = t0;
        return true;
    }
    const bool bilinear = !c->ruts || c->g->ruts->def.interpolation == GR_BILINEAR;
    if (c->plain != NULL && c->plain->def.interpolation == GR_BILINEAR && bilinear) {
        double s;
        const double tm = 0.5 * (t0 + t1);
        const bool hit = quadratic_root(f0, height_above(c, tm), height_above(c, t1), &s);
        *t = hit ? t0 + s * (t1 - t0) : *t;
        return hit;
    }
    int samples = c->ruts ? 2 : SAMPLES;
    if (c->plain == NULL) {
        const double length = (t1 - t0) * sqrt(c->ray->along.x * c->ray->along.x + c->ray->along.y * c->ray->along.y);
        samples = 1 + (int)fmin(1e4, SAMPLES * length / c->g->finest);
    }
    return search(c, t0, t1, f0, samples, t);
}

/// Next border of a grid of lines `spacing` apart along one axis, from cell `i`; t there.
static double border(double from, double along, int64_t i, double spacing)
{
    return along == 0 ? (double)INFINITY : ((double)(i + (along > 0)) * spacing - from) / along;
}

/// Goes through cells of a grid with its origin at (0, 0).
typedef struct Walk {
    const GrRay *ray;
    double spacing;
    int64_t i, j;
} Walk;

static Walk walk_begin(const GrRay *ray, double spacing, double t)
{
    return (Walk){ray, spacing, (int64_t)floor((ray->from.x + t * ray->along.x) / spacing),
                  (int64_t)floor((ray->from.y + t * ray->along.y) / spacing)};
}

/// t where the ray leaves the cell, at most `end`; goes on to the next one.
static double walk_on(Walk *w, double end)
{
    const double tx = border(w->ray->from.x, w->ray->along.x, w->i, w->spacing);
    const double ty = border(w->ray->from.y, w->ray->along.y, w->j, w->spacing);
    if (fmin(tx, ty) >= end) {
        return end;
    }
    if (tx <= ty) {
        w->i += w->ray->along.x > 0 ? 1 : -1;
    } else {
        w->j += w->ray->along.y > 0 ? 1 : -1;
    }
    return fmin(tx, ty);
}

/// Cell by cell of the ruts.
static bool hit_rutted(Cell *c, double t0, double t1, double *t)
{
    Walk w = walk_begin(c->ray, c->g->ruts->def.cell, t0);
    c->ruts = true;
    for (double at = t0; at < t1;) {
        const double next = fmax(at, walk_on(&w, t1));
        if (hit_piece(c, at, next, t)) {
            return true;
        }
        at = next;
    }
    return false;
}

/// The ray in a cell, where it is below the cell's bound.
static bool hit_cell(Cell *c, double bound, double t0, double t1, double *t)
{
    const double rise = c->ray->along.z, meets = (bound - c->ray->from.z) / rise;
    t0 = rise < 0 ? fmax(t0, meets) : t0;
    t1 = rise > 0 ? fmin(t1, meets) : t1;
    if (!(t0 <= t1)) {
        return false;
    }
    if (c->g->rutted_count == 0) {
        return hit_piece(c, t0, t1, t);
    }
    Walk w = walk_begin(c->ray, c->g->ruts->def.cell * GR_RUT_NODES, t0);
    for (double at = t0;;) {
        const bool rutted = is_rutted(c->g, w.i, w.j);
        const double next = fmax(at, walk_on(&w, t1));
        c->ruts = false;
        if (rutted ? hit_rutted(c, at, next, t) : hit_piece(c, at, next, t)) {
            return true;
        }
        if (next >= t1) {
            return false;
        }
        at = next;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The way through the levels

/// Position of a ray in the grid.
typedef struct Way {
    double u, v, du, dv; ///< of from and along, in cells
    int64_t i, j;        ///< cell of level 0
    double t;
} Way;

static double clip_axis(double from, double along, double size, double *begin, double *end)
{
    if (along == 0) {
        return from >= 0 && from <= size ? *begin : (double)INFINITY;
    }
    const double a = -from / along, b = (size - from) / along;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin;
}

static int64_t clamp_cell(double place, int64_t lower, int64_t upper)
{
    const int64_t cell = (int64_t)floor(place);
    return cell < lower ? lower : cell > upper ? upper : cell;
}

/// t where the ray leaves the cell of this level, and the cell of level 0 that it enters there.
static double leave(const Way *w, int level, int64_t *i, int64_t *j)
{
    const int64_t size = (int64_t)1 << level, i0 = w->i >> level << level, j0 = w->j >> level << level;
    const double tu = w->du == 0 ? (double)INFINITY : ((double)(w->du > 0 ? i0 + size : i0) - w->u) / w->du;
    const double tv = w->dv == 0 ? (double)INFINITY : ((double)(w->dv > 0 ? j0 + size : j0) - w->v) / w->dv;
    const double t = fmin(tu, tv);
    if (tu <= tv) {
        *i = w->du > 0 ? i0 + size : i0 - 1;
        *j = tu == (double)INFINITY ? w->j : clamp_cell(w->v + t * w->dv, j0, j0 + size - 1);
    } else {
        *j = w->dv > 0 ? j0 + size : j0 - 1;
        *i = clamp_cell(w->u + t * w->du, i0, i0 + size - 1);
    }
    return fmax(t, w->t);
}

static double bound_at(const GrRayGround *g, const Way *w, int level)
{
    if (level > BLOCK_SHIFT) {
        return (double)g->top[level][(w->j >> level) * g->top_nx[level] + (w->i >> level)];
    }
    const Block *block = &g->blocks[(w->j >> BLOCK_SHIFT) * g->bx + (w->i >> BLOCK_SHIFT)];
    if (block->base == NULL) {
        return INFINITY;
    }
    const int64_t i = (w->i & (BLOCK_CELLS - 1)) >> level, j = (w->j & (BLOCK_CELLS - 1)) >> level;
    return (double)block->bounds[LEVEL_START[level] + j * (BLOCK_CELLS >> level) + i];
}

static GrRayResult try_cell(const GrRayGround *g, const GrRay *ray, const Way *w, double bound, double end, double *t)
{
    const Block *block = &g->blocks[(w->j >> BLOCK_SHIFT) * g->bx + (w->i >> BLOCK_SHIFT)];
    Cell c = {.g = g, .ray = ray, .plain = block->plain, .i = (double)w->i, .j = (double)w->j};
    if (c.plain != NULL) {
        const double *nodes =
            gr_tiles_find(&c.plain->tiles, gr_tile_key(w->i >> BLOCK_SHIFT, w->j >> BLOCK_SHIFT));
        if (nodes == NULL) {
            return GR_RAY_BLIND;
        }
        c.nodes = nodes + ((w->j & (BLOCK_CELLS - 1)) + 1) * GR_TILE_STRIDE + (w->i & (BLOCK_CELLS - 1)) + 1;
    }
    if (hit_cell(&c, bound, w->t, end, t)) {
        return GR_RAY_HIT;
    }
    return c.blind ? GR_RAY_BLIND : GR_RAY_MISS;
}

GrRayResult gr_ray_ground_cast(const GrRayGround *g, const GrRay *ray, double *t)
{
    Way w = {.u = (ray->from.x - g->x0) * g->per_dx,
             .v = (ray->from.y - g->y0) * g->per_dy,
             .du = ray->along.x * g->per_dx,
             .dv = ray->along.y * g->per_dy};
    double begin = ray->begin, end = ray->end;
    clip_axis(w.u, w.du, (double)g->nx, &begin, &end);
    const double inside = clip_axis(w.v, w.dv, (double)g->ny, &begin, &end);
    if (inside == (double)INFINITY || (w.du == 0 && (w.u < 0 || w.u > (double)g->nx)) || begin > end) {
        return GR_RAY_MISS;
    }
    w.t = begin;
    w.i = clamp_cell(w.u + begin * w.du, 0, g->nx - 1);
    w.j = clamp_cell(w.v + begin * w.dv, 0, g->ny - 1);
    int level = START_LEVEL < g->levels - 1 ? START_LEVEL : g->levels - 1;
    for (;;) {
        int64_t i, j;
        const double out = leave(&w, level, &i, &j), stop = fmin(out, end);
        const double low = ray->from.z + (ray->along.z < 0 ? stop : w.t) * ray->along.z;
        const double bound = bound_at(g, &w, level);
        if (level <= BLOCK_SHIFT && bound == (double)INFINITY) {
            return GR_RAY_BLIND;
        }
        if (low <= bound && level > 0) {
            level--;
            continue;
        }
        if (low <= bound) {
            const GrRayResult result = try_cell(g, ray, &w, bound, stop, t);
            if (result != GR_RAY_MISS) {
                return result;
            }
        }
        if (out >= end || i < 0 || j < 0 || i >= g->nx || j >= g->ny) {
            return GR_RAY_MISS;
        }
        const int up = level + 1;
        level = up < g->levels && (i >> up != w.i >> up || j >> up != w.j >> up) ? up : level;
        w.t = out;
        w.i = i;
        w.j = j;
    }
}

GrVec3 gr_ray_ground_normal(const GrRayGround *g, double x, double y)
{
    double z;
    GrVec3 normal;
    const GrGround found = gr_ground_height_normal(g->terrain, g->ruts, x, y, &z, &normal);
    return found == GR_GROUND_OK ? normal : gr_vec3(0, 0, 1);
}

#include "ray_ground_data.h"

#include "alloc.h"

#include <string.h>

static const double MOST_BLOCKS = 4e6;
static const double FLAT_HALF = 1e5; // half the side of the plane z = 0 [m]

/// A plane as a terrain of one cell.
static GrTerrain *make_flat(void)
{
    static const double heights[4] = {0, 0, 0, 0};
    GrTerrain *flat = NULL;
    gr_terrain_create(&flat, NULL);
    GrLayerDef layer = gr_default_layer_def();
    layer.frame =
        (GrGridFrame){.nx = 2, .ny = 2, .x0 = -FLAT_HALF, .y0 = -FLAT_HALF, .dx = 2 * FLAT_HALF, .dy = 2 * FLAT_HALF};
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
    while ((box.x_upper - box.x_lower) / g->dx * (box.y_upper - box.y_lower) / g->dy > MOST_BLOCKS * GR_BLOCK_NODES) {
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
    g->bx = (g->nx + GR_BLOCK_CELLS - 1) >> GR_BLOCK_SHIFT;
    g->by = (g->ny + GR_BLOCK_CELLS - 1) >> GR_BLOCK_SHIFT;
}

static bool allocate_levels(GrRayGround *g)
{
    int64_t nx = g->bx, ny = g->by;
    g->levels = GR_BLOCK_SHIFT;
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
        gr_free(g->blocks[b].bends);
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

/// Control points of the Bézier curve that a Catmull-Rom spline is between p1 and p2.
static void control_points(double p0, double p1, double p2, double p3, double out[4])
{
    out[0] = p1;
    out[1] = p1 + (p2 - p0) / 6;
    out[2] = p2 - (p3 - p1) / 6;
    out[3] = p2;
}

/// Bézier control points of a bicubic patch.
static void patch_points(const double *node, double out[4][4])
{
    double rows[4][4];
    for (int b = 0; b < 4; b++) {
        const double *p = node + (ptrdiff_t)(b - 1) * GR_TILE_STRIDE;
        control_points(p[-1], p[0], p[1], p[2], rows[b]);
    }
    for (int a = 0; a < 4; a++) {
        control_points(rows[0][a], rows[1][a], rows[2][a], rows[3][a], out[a]);
    }
}

/// A bicubic patch lies in the hull of its control points, a tight bound on a slope.
static GrExtent bicubic_extent(const double *node)
{
    GrExtent e = {INFINITY, -INFINITY, false};
    double p[4][4];
    patch_points(node, p);
    for (int k = 0; k < 16; k++) {
        gr_extent_widen(&e, p[k / 4][k % 4]);
    }
    return e;
}

/// Its second derivatives lie in the hulls of differences of the points: 6 times the second ones along an axis, 9 times
/// the mixed ones. The largest magnitude, with a little more for rounding.
static float bicubic_bend(const double *node)
{
    double p[4][4], most = 0;
    patch_points(node, p);
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 2; b++) {
            most = fmax(most, 6 * fabs(p[a][b] - 2 * p[a][b + 1] + p[a][b + 2]));
            most = fmax(most, 6 * fabs(p[b][a] - 2 * p[b + 1][a] + p[b + 2][a]));
        }
    }
    for (int k = 0; k < 9; k++) {
        const int a = k / 3, b = k % 3;
        most = fmax(most, 9 * fabs(p[a][b] - p[a + 1][b] - p[a][b + 1] + p[a + 1][b + 1]));
    }
    return gr_round_up(most + 1e-12 * fabs(node[0]));
}

static void bend_tile(const double *nodes, float *bends)
{
    for (int k = 0; k < GR_BLOCK_NODES; k++) {
        const int i = k % GR_BLOCK_CELLS, j = k / GR_BLOCK_CELLS;
        bends[k] = bicubic_bend(nodes + (ptrdiff_t)(j + 1) * GR_TILE_STRIDE + i + 1);
    }
}

static GrExtent bilinear_extent(const double *node)
{
    GrExtent e = {INFINITY, -INFINITY, false};
    for (int k = 0; k < 4; k++) {
        gr_extent_widen(&e, node[(ptrdiff_t)(k / 2) * GR_TILE_STRIDE + k % 2]);
    }
    return e;
}

/// Bounds of a tile's own cells. The sums of a bicubic patch round: a little more than its bound.
static void bound_tile(const double *nodes, GrInterpolation interpolation, float *base)
{
    for (int j = 0; j < GR_BLOCK_CELLS; j++) {
        for (int i = 0; i < GR_BLOCK_CELLS; i++) {
            const double *node = nodes + (ptrdiff_t)(j + 1) * GR_TILE_STRIDE + i + 1;
            const GrExtent e = interpolation == GR_BICUBIC ? bicubic_extent(node) : bilinear_extent(node);
            const double rounding = interpolation == GR_BICUBIC ? 1e-14 * (fabs(e.upper) + e.upper - e.lower) : 0;
            base[j * GR_BLOCK_CELLS + i] = e.hole ? -INFINITY : gr_round_up(e.upper + rounding);
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
    GrExtent e = {INFINITY, -INFINITY, false};
    for (int64_t j = j0; j <= j1; j++) {
        for (int64_t i = i0; i <= i1; i++) {
            const int64_t ci = i - ((double)i >= layer->cells_x), cj = j - ((double)j >= layer->cells_y);
            const double *nodes = gr_tiles_find(&layer->tiles, gr_tile_key(ci >> GR_TILE_SHIFT, cj >> GR_TILE_SHIFT));
            if (nodes == NULL) {
                return false;
            }
            const int64_t ti = i - (ci >> GR_TILE_SHIFT << GR_TILE_SHIFT);
            const int64_t tj = j - (cj >> GR_TILE_SHIFT << GR_TILE_SHIFT);
            gr_extent_widen(&e, nodes[(tj + 1) * GR_TILE_STRIDE + ti + 1]);
        }
    }
    const bool at_border = u0 < 1 || v0 < 1 || u1 > layer->cells_x - 1 || v1 > layer->cells_y - 1;
    if (at_border && before > 0) { // nodes beyond it continue its slope: z(−1) = 2 z(0) − z(1)
        const double range = e.upper - e.lower;
        e.upper += range;
        e.lower -= range;
    }
    *upper = e.upper > -(double)INFINITY ? gr_extent_bound(&e, layer->def.interpolation) : *upper;
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
    *out = gr_round_up(bound);
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
static void raise_block(GrRayBlock *block, int i, int j)
{
    for (int level = 1; level <= GR_BLOCK_SHIFT; level++) {
        i >>= 1;
        j >>= 1;
        const int side = GR_BLOCK_CELLS >> level;
        const float *below = block->bounds + gr_level_start(level - 1) + (ptrdiff_t)2 * j * 2 * side + 2 * i;
        block->bounds[gr_level_start(level) + j * side + i] =
            larger(larger(below[0], below[1]), larger(below[2 * side], below[2 * side + 1]));
    }
}

void gr_ray_raise_top(GrRayGround *g, int64_t i, int64_t j)
{
    g->top[GR_BLOCK_SHIFT][j * g->bx + i] = g->blocks[j * g->bx + i].bounds[GR_BLOCK_BOUNDS - 1];
    for (int level = GR_BLOCK_SHIFT + 1; level < g->levels; level++) {
        i >>= 1;
        j >>= 1;
        const float *below = g->top[level - 1];
        const int64_t nx = g->top_nx[level - 1],
                      rows = (g->by + (1 << (level - 1 - GR_BLOCK_SHIFT)) - 1) >> (level - 1 - GR_BLOCK_SHIFT);
        float most = -INFINITY;
        for (int64_t b = 2 * j; b < 2 * j + 2 && b < rows; b++) {
            for (int64_t a = 2 * i; a < 2 * i + 2 && a < nx; a++) {
                most = larger(most, below[b * nx + a]);
            }
        }
        g->top[level][j * g->top_nx[level] + i] = most;
    }
}

void gr_ray_fill_levels(GrRayBlock *block)
{
    for (int j = 0; j < GR_BLOCK_CELLS; j += 2) {
        for (int i = 0; i < GR_BLOCK_CELLS; i += 2) {
            const float *b = block->bounds + j * GR_BLOCK_CELLS + i;
            block->bounds[gr_level_start(1) + j / 2 * (GR_BLOCK_CELLS / 2) + i / 2] =
                larger(larger(b[0], b[1]), larger(b[GR_BLOCK_CELLS], b[GR_BLOCK_CELLS + 1]));
        }
    }
    for (int level = 2; level <= GR_BLOCK_SHIFT; level++) {
        const int side = GR_BLOCK_CELLS >> level;
        for (int j = 0; j < side; j++) {
            for (int i = 0; i < side; i++) {
                const float *b = block->bounds + gr_level_start(level - 1) + (ptrdiff_t)2 * j * 2 * side + 2 * i;
                block->bounds[gr_level_start(level) + j * side + i] =
                    larger(larger(b[0], b[1]), larger(b[2 * side], b[2 * side + 1]));
            }
        }
    }
}

void gr_ray_lift_block(GrRayGround *g, int64_t bi, int64_t bj, const GrSeenRut *tile)
{
    GrRayBlock *block = &g->blocks[bj * g->bx + bi];
    if (block->base == NULL) {
        return;
    }
    const double cell = g->ruts->def.cell, reach = g->ruts->def.interpolation == GR_BICUBIC ? 2 : 1;
    const double x0 = ((double)tile->i - reach) * cell, x1 = ((double)(tile->i + GR_RUT_NODES - 1) + reach) * cell;
    const double y0 = ((double)tile->j - reach) * cell, y1 = ((double)(tile->j + GR_RUT_NODES - 1) + reach) * cell;
    const double first_i = (double)(bi << GR_BLOCK_SHIFT), first_j = (double)(bj << GR_BLOCK_SHIFT);
    const int i0 = (int)fmax(0, floor((x0 - g->x0) * g->per_dx) - first_i);
    const int j0 = (int)fmax(0, floor((y0 - g->y0) * g->per_dy) - first_j);
    const int i1 = (int)fmin(GR_BLOCK_CELLS - 1, floor((x1 - g->x0) * g->per_dx) - first_i);
    const int j1 = (int)fmin(GR_BLOCK_CELLS - 1, floor((y1 - g->y0) * g->per_dy) - first_j);
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            const int k = j * GR_BLOCK_CELLS + i;
            const float bound = gr_round_up((double)block->base[k] + (double)tile->lift);
            if (bound > block->bounds[k]) {
                block->bounds[k] = bound;
                raise_block(block, i, j);
            }
        }
    }
    gr_ray_raise_top(g, bi, bj);
}

static bool fill_block(GrRayGround *g, GrRayBlock *block, int64_t bi, int64_t bj)
{
    if (block->plain != NULL) {
        const double *nodes = gr_tiles_find(&block->plain->tiles, gr_tile_key(bi, bj));
        if (nodes == NULL) {
            return false;
        }
        bound_tile(nodes, block->plain->def.interpolation, block->base);
        if (block->bends != NULL) {
            bend_tile(nodes, block->bends);
        }
        return true;
    }
    for (int k = 0; k < GR_BLOCK_NODES; k++) {
        const GrBox2 cell =
            box_of(g, (bi << GR_BLOCK_SHIFT) + k % GR_BLOCK_CELLS, (bj << GR_BLOCK_SHIFT) + k / GR_BLOCK_CELLS, 1);
        if (!bound_cell(g, &cell, &block->base[k])) {
            return false;
        }
    }
    return true;
}

/// GR_OK also where the tiles of the block are not in memory: it is then left out.
static GrStatus make_block(GrRayGround *g, int64_t bi, int64_t bj)
{
    GrRayBlock *block = &g->blocks[bj * g->bx + bi];
    if (block->base != NULL) {
        return GR_OK;
    }
    const GrBox2 box = box_of(g, bi << GR_BLOCK_SHIFT, bj << GR_BLOCK_SHIFT, GR_BLOCK_CELLS);
    block->plain = plain_layer(g, &box);
    block->base = gr_malloc(GR_BLOCK_NODES * sizeof *block->base);
    block->bounds = gr_malloc(GR_BLOCK_BOUNDS * sizeof *block->bounds);
    const bool smooth = block->plain != NULL && block->plain->def.interpolation == GR_BICUBIC;
    block->bends = smooth ? gr_malloc(GR_BLOCK_NODES * sizeof *block->bends) : NULL;
    const bool memory = block->base != NULL && block->bounds != NULL && (block->bends != NULL || !smooth);
    if (!memory || !fill_block(g, block, bi, bj)) {
        gr_free(block->base);
        gr_free(block->bounds);
        gr_free(block->bends);
        *block = (GrRayBlock){0};
        return memory ? GR_OK : GR_ERROR_MEMORY;
    }
    // Cells beyond the border of the map have no ground.
    for (int k = 0; k < GR_BLOCK_NODES; k++) {
        const int64_t i = (bi << GR_BLOCK_SHIFT) + k % GR_BLOCK_CELLS, j = (bj << GR_BLOCK_SHIFT) + k / GR_BLOCK_CELLS;
        block->base[k] = i < g->nx && j < g->ny ? block->base[k] : -INFINITY;
    }
    memcpy(block->bounds, block->base, GR_BLOCK_NODES * sizeof *block->base);
    gr_ray_fill_levels(block);
    gr_ray_raise_top(g, bi, bj);
    for (int k = 0; k < g->seen_count; k++) {
        gr_ray_lift_block(g, bi, bj, &g->seen[k]);
    }
    return GR_OK;
}

GrStatus gr_ray_ground_prepare(GrRayGround *g, const GrRuts *ruts, GrBox2 box)
{
    GrStatus status = gr_ray_follow_ruts(g, ruts);
    const int64_t i0 = (int64_t)fmax(0, floor((box.x_lower - g->x0) * g->per_dx)) >> GR_BLOCK_SHIFT;
    const int64_t j0 = (int64_t)fmax(0, floor((box.y_lower - g->y0) * g->per_dy)) >> GR_BLOCK_SHIFT;
    const int64_t i1 = (int64_t)fmax(-1, floor((box.x_upper - g->x0) * g->per_dx)) >> GR_BLOCK_SHIFT;
    const int64_t j1 = (int64_t)fmax(-1, floor((box.y_upper - g->y0) * g->per_dy)) >> GR_BLOCK_SHIFT;
    for (int64_t j = j0; j <= j1 && j < g->by && status == GR_OK; j++) {
        for (int64_t i = i0; i <= i1 && i < g->bx && status == GR_OK; i++) {
            status = make_block(g, i, j);
        }
    }
    return status;
}

double gr_ray_ground_rut(const GrRayGround *g, double x, double y)
{
    return g->rutted_count > 0 ? gr_ruts_slope(g->ruts, x, y).z : 0;
}

GrVec3 gr_ray_ground_normal(const GrRayGround *g, double x, double y)
{
    double z;
    GrVec3 normal;
    const GrGround found = gr_ground_height_normal(g->terrain, g->ruts, x, y, &z, &normal);
    return found == GR_GROUND_OK ? normal : gr_vec3(0, 0, 1);
}

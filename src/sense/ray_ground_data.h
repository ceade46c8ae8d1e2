/// Internals of GrRayGround: blocks of bounds, and what is known of the ruts.
#ifndef GR_RAY_GROUND_DATA_H
#define GR_RAY_GROUND_DATA_H

#include "ray_ground.h"
#include "ruts.h"
#include "terrain_data.h"
#include "vec3.h"

enum {
    GR_BLOCK_SHIFT = GR_TILE_SHIFT,
    GR_BLOCK_CELLS = 1 << GR_BLOCK_SHIFT,
    GR_BLOCK_NODES = GR_BLOCK_CELLS * GR_BLOCK_CELLS,
    GR_BLOCK_BOUNDS = (4 * GR_BLOCK_NODES - 1) / 3, ///< 64² + 32² + … + 1
    GR_RAY_LEVELS = 32,
};

/// 64 x 64 cells.
typedef struct GrRayBlock {
    float *base;   ///< [GR_BLOCK_NODES] bounds of the cells without ruts; NULL: not made
    float *bounds; ///< [GR_BLOCK_BOUNDS] level by level, with ruts
    float *bends;  ///< [GR_BLOCK_NODES] bounds of the second derivatives in a bicubic cell, per cell²; NULL: none
    const GrLayer *plain; ///< the ground here is this layer alone, and the cells are its own; NULL: several
} GrRayBlock;

/// A tile of the ruts as it was last seen.
typedef struct GrSeenRut {
    uint64_t hash;
    int64_t i, j; ///< south-west node
    float lift;   ///< most that the ground rises there [m]
} GrSeenRut;

struct GrRayGround {
    const GrTerrain *terrain;
    GrTerrain *flat; ///< owned, where there is no other
    double x0, y0, dx, dy, per_dx, per_dy;
    int64_t nx, ny;            ///< cells
    int64_t bx, by;            ///< blocks
    double finest;             ///< smallest cell of a layer [m]
    GrRayBlock *blocks;        ///< [by][bx]
    float *top[GR_RAY_LEVELS]; ///< from the level of blocks on
    int64_t top_nx[GR_RAY_LEVELS];
    int levels; ///< all, those of a block included
    const GrRuts *ruts;
    GrSeenRut *seen; ///< [seen_count] by the index of the tile
    int seen_count;
    uint64_t *rutted; ///< hash of regions of 32 x 32 cells of the ruts that are not flat; 0: empty
    uint64_t rutted_mask;
    int rutted_count;
};

/// Where the bounds of a level begin in a block: after 64² + 32² + … of the levels below.
static inline int gr_level_start(int level)
{
    return (4 * GR_BLOCK_NODES - (4 * GR_BLOCK_NODES >> 2 * level)) / 3;
}

static inline float gr_round_up(double value)
{
    const float near = (float)value;
    return (double)near < value ? nextafterf(near, INFINITY) : near;
}

/// Range of some heights.
typedef struct GrExtent {
    double lower, upper;
    bool hole; ///< a node has no height
} GrExtent;

static inline void gr_extent_widen(GrExtent *e, double z)
{
    e->hole = e->hole || isnan(z);
    e->lower = z < e->lower ? z : e->lower;
    e->upper = z > e->upper ? z : e->upper;
}

/// Upper bound of a surface through nodes in this range. A bicubic one has weights of −0.28125 in all, and overshoots
/// by at most that part of the range.
static inline double gr_extent_bound(const GrExtent *e, GrInterpolation interpolation)
{
    return interpolation == GR_BICUBIC ? e->upper + 0.28125 * (e->upper - e->lower) : e->upper;
}

static inline uint64_t gr_region_key(int64_t a, int64_t b)
{
    return ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1; // 0: empty
}

/// Whether a region of 32 x 32 cells of the ruts may not be flat; only where there are any.
static inline bool gr_ray_is_rutted(const GrRayGround *g, int64_t a, int64_t b)
{
    const uint64_t key = gr_region_key(a, b);
    for (uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & g->rutted_mask;; at = (at + 1) & g->rutted_mask) {
        if (g->rutted[at] == key || g->rutted[at] == 0) {
            return g->rutted[at] == key;
        }
    }
}

// ray_ground.c

/// The levels of a block above its cells.
void gr_ray_fill_levels(GrRayBlock *block);

/// The levels above a block.
void gr_ray_raise_top(GrRayGround *g, int64_t i, int64_t j);

/// Raises the bounds of the cells of one block under a tile of the ruts.
void gr_ray_lift_block(GrRayGround *g, int64_t bi, int64_t bj, const GrSeenRut *tile);

// ray_ruts.c

/// Takes up what has changed since the last call. GR_ERROR_MEMORY when that failed.
GrStatus gr_ray_follow_ruts(GrRayGround *g, const GrRuts *ruts);

#endif

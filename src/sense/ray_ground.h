/// Rays against the ground: a maximum mipmap over the cells of a terrain, and its ruts.
///
///     level 0      upper bound of the ground in every cell of the finest grid          ray: skip a cell of any level
///     level 1      the larger of 2 x 2 bounds                                          while it stays above its bound,
///     ...          64 x 64 cells are a block, made when rays may reach it              else go down a level; in a cell
///     level 6      the bound of a block                                                of level 0 find the root of
///     ...          levels over all blocks of the map                                   height of ray − height of
///     ground
///
/// (Tevs, Ihrke & Seidel 2008). The ground is that of gr_ground_height(): any layers, either interpolation, with ruts
/// on their own grid. The root of one bilinear cell is that of a quadratic equation, elsewhere the ground is sampled
/// along the ray and the first change of sign is refined: a crest that is pierced over less than a fifth of a cell may
/// be missed. New ruts raise the bounds of the cells around them, in a time that grows with the logarithm of the map.
#ifndef GR_RAY_GROUND_H
#define GR_RAY_GROUND_H

#include "grouser/terrain.h"
#include "ray_shape.h"

typedef enum GrRayResult {
    GR_RAY_MISS,
    GR_RAY_HIT,
    GR_RAY_BLIND, ///< it reached ground that is not in memory
} GrRayResult;

typedef struct GrRayGround GrRayGround;

/// `terrain` must outlive it; NULL: the plane z = 0. NULL when out of memory.
GrRayGround *gr_ray_ground_create(const GrTerrain *terrain);
void gr_ray_ground_free(GrRayGround *ground);

/// Makes ready for rays in a box: makes blocks whose tiles are in memory, and takes up changes of the ruts (NULL:
/// none), which are read until the next call. GR_ERROR_MEMORY: rays would see old ground.
GrStatus gr_ray_ground_prepare(GrRayGround *ground, const GrRuts *ruts, GrBox2 box);

/// The first point of the ground on the ray. Changes nothing, so that many threads may cast rays.
GrRayResult gr_ray_ground_cast(const GrRayGround *ground, const GrRay *ray, double *t);

/// Whether the ground stands in the way of a ray; false where that is not in memory.
bool gr_ray_ground_hides(const GrRayGround *ground, const GrRay *ray);

/// Change of the ground's height by wheels at a point [m].
double gr_ray_ground_rut(const GrRayGround *ground, double x, double y);

/// Upward unit normal at a point of the ground.
GrVec3 gr_ray_ground_normal(const GrRayGround *ground, double x, double y);

#endif

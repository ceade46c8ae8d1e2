/// Internals of GrTerrain.
#ifndef GR_TERRAIN_DATA_H
#define GR_TERRAIN_DATA_H

#include "grouser/terrain.h"
#include "interpolate.h"
#include "tiles.h"

enum { GR_MAX_LAYERS = 16 };

typedef struct GrLayer {
    GrLayerDef def;
    double per_dx, per_dy;   ///< 1 / spacing
    double cells_x, cells_y; ///< nodes − 1
    GrTiles tiles;
    GrSource source; ///< read is NULL when all is resident
} GrLayer;

struct GrTerrain {
    GrLayer layers[GR_MAX_LAYERS]; ///< from the lowest to the highest
    int layer_count;
    GrGeoreference georeference;
};

/// Height and slope at a point; basis of gr_terrain_height_normal().
GrGround gr_terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out);

/// Height and normal of the soil, without rigid layers.
GrGround gr_terrain_soil_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal);

/// Sets the heights of points to the ground, bitwise equal to gr_terrain_height() but faster for a few points close
/// together. False when one of them has no ground.
bool gr_terrain_drop(const GrTerrain *terrain, int count, GrVec3 *points);

#endif

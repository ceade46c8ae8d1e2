/// GrTerrain from the inside.
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

/// Height and slope at a point; what gr_terrain_height_normal() is made of.
GrGround gr_terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out);

/// Height and normal of the soil, without hard layers.
GrGround gr_terrain_soil_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal);

/// Puts points onto the ground, to the bits of gr_terrain_height(): faster for a few that are near each other. False
/// where one of them has no ground.
bool gr_terrain_drop(const GrTerrain *terrain, int count, GrVec3 *points);

#endif

/// Internals of GrTerrain.
#ifndef GR_TERRAIN_DATA_H
#define GR_TERRAIN_DATA_H

#include "grouser/terrain.h"
#include "interpolate.h"
#include "tiles.h"

enum { GR_MAX_LAYERS = 16 };

/// A layer of another terrain that this one shows (terrain_share.h).
typedef struct GrLentLayer GrLentLayer;

typedef struct GrLayer {
    GrLayerDef def;
    double per_dx, per_dy;   ///< 1 / spacing
    double cells_x, cells_y; ///< nodes − 1
    GrTiles tiles;
    GrSource source;         ///< read is NULL when all is resident
    const GrLentLayer *lent; ///< NULL: tiles and source are its own
} GrLayer;

struct GrTerrain {
    GrLayer layers[GR_MAX_LAYERS]; ///< from the lowest to the highest
    int layer_count;
    GrGeoreference georeference;
};

/// Reads a tile into the layer's memory unless it is there.
GrStatus gr_layer_load_tile(GrLayer *layer, GrSource source, int64_t tx, int64_t ty, GrErrorLog *log);

/// A tile of the shared layer, valid as long as that; NULL when its memory is full.
GrStatus gr_lent_tile(const GrLentLayer *lent, int64_t tx, int64_t ty, const double **nodes, GrErrorLog *log);
/// Ends the use of one lent layer.
void gr_lent_layer_return(const GrLentLayer *lent);

/// Height and slope at a point; basis of gr_terrain_height_normal().
GrGround gr_terrain_slope(const GrTerrain *terrain, double x, double y, GrSlope *out);

/// Height and normal of the soil, without rigid layers.
GrGround gr_terrain_soil_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal);

/// Sets the heights of points to the ground, bitwise equal to gr_terrain_height() but faster for a few points close
/// together. False when one of them has no ground.
bool gr_terrain_drop(const GrTerrain *terrain, int count, GrVec3 *points);

#endif

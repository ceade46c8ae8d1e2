/// Internals of GrTerrain: tiles of heights, and layers made of them.
#ifndef GR_TERRAIN_DATA_H
#define GR_TERRAIN_DATA_H

#include "grouser/terrain.h"

#include "interpolate.h"

#include <stddef.h>
#include <stdint.h>

// Tiles of a layer that are in memory, found by a hash in constant time for any size of map.
//
// A tile covers 64 x 64 cells and includes the nodes around them, so that any query inside it needs only this tile:
//
//     node  -1   0   1  ...  63   64   65       67 x 67 nodes; cell i lies between nodes i and i + 1,
//            o---+---+-- ... -+----+----o       bicubic interpolation reaches from i - 1 to i + 2

enum {
    GR_TILE_SHIFT = 6,
    GR_TILE_CELLS = 1 << GR_TILE_SHIFT,
    GR_TILE_STRIDE = GR_TILE_CELLS + 3,
    GR_TILE_NODES = GR_TILE_STRIDE * GR_TILE_STRIDE,
};

#define GR_TILE_NO_KEY UINT64_MAX

typedef struct GrTileSlot {
    uint64_t key;        ///< GR_TILE_NO_KEY: empty
    const double *nodes; ///< GR_TILE_NODES heights
    double *own;         ///< the same, if the memory is the table's; NULL: lent
    uint64_t used;       ///< round in which it was last used
} GrTileSlot;

/// Open addressing with linear probing; at most half full.
typedef struct GrTiles {
    GrTileSlot *slots;
    uint64_t mask; ///< slots − 1, a power of two minus one
    int shift;     ///< of the hash, 64 − log2(slots)
    int64_t count;
    int64_t limit;  ///< most tiles in memory
    uint64_t clock; ///< counts gr_tiles_touch() rounds
} GrTiles;

/// False when out of memory.
int gr_tiles_init(GrTiles *tiles, int64_t limit);
void gr_tiles_free(GrTiles *tiles);

static inline uint64_t gr_tile_key(int64_t tx, int64_t ty)
{
    return (uint64_t)ty << 32 | (uint64_t)tx;
}

/// Fibonacci hashing: the high bits of a product with 2^64 over the golden ratio.
static inline uint64_t gr_tile_hash(uint64_t key, int shift)
{
    return ((key ^ key >> 29) * 0x9e3779b97f4a7c15u) >> shift;
}

/// Nodes of a tile, from node (−1, −1) on; NULL when it is not in memory.
static inline const double *gr_tiles_find(const GrTiles *tiles, uint64_t key)
{
    for (uint64_t at = gr_tile_hash(key, tiles->shift);; at = (at + 1) & tiles->mask) {
        const GrTileSlot *slot = &tiles->slots[at];
        if (slot->key == key) {
            return slot->nodes;
        }
        if (slot->key == GR_TILE_NO_KEY) {
            return NULL;
        }
    }
}

/// Begins a round: tiles touched from now on count as newer than all before.
void gr_tiles_begin_round(GrTiles *tiles);

/// Marks a tile as used in this round; 0 when it is not in memory.
int gr_tiles_touch(GrTiles *tiles, uint64_t key);

/// Memory of a tile of the table's own, which is marked as used; NULL when it has none.
double *gr_tiles_use(GrTiles *tiles, uint64_t key);

/// Memory for a new tile; evicts the least recently used one if necessary. NULL when all tiles were used in this round,
/// or out of memory.
double *gr_tiles_add(GrTiles *tiles, uint64_t key);

/// Adds a tile in memory of somebody else, which must stay. Evicts as gr_tiles_add() does; 0 when that fails.
int gr_tiles_lend(GrTiles *tiles, uint64_t key, const double *nodes);

/// Removes a tile, for example when it could not be read.
void gr_tiles_remove(GrTiles *tiles, uint64_t key);

size_t gr_tiles_memory(const GrTiles *tiles);

// Internals of GrTerrain.

enum { GR_MAX_LAYERS = 16 };

/// A layer of another terrain that this one shows (terrain_view.h).
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

/// Tiles of a layer that are in memory, found by hash in constant time whatever the size of the map.
///
/// A tile covers 64 x 64 cells and carries the nodes around them too, so that any query inside it needs this tile
/// alone:
///
///     node  -1   0   1  ...  63   64   65       67 x 67 nodes; cell i lies between nodes i and i + 1,
///            o---+---+-- ... -+----+----o       bicubic interpolation reaches from i - 1 to i + 2
#ifndef GR_TILES_H
#define GR_TILES_H

#include <stddef.h>
#include <stdint.h>

enum {
    GR_TILE_SHIFT = 6,
    GR_TILE_CELLS = 1 << GR_TILE_SHIFT,
    GR_TILE_STRIDE = GR_TILE_CELLS + 3,
    GR_TILE_NODES = GR_TILE_STRIDE * GR_TILE_STRIDE,
};

#define GR_TILE_NO_KEY UINT64_MAX

typedef struct GrTileSlot {
    uint64_t key;  ///< GR_TILE_NO_KEY: empty
    double *nodes; ///< GR_TILE_NODES heights
    uint64_t used; ///< when it was last asked for
} GrTileSlot;

/// Open addressing with linear probing; at most half full.
typedef struct GrTiles {
    GrTileSlot *slots;
    uint64_t mask; ///< slots − 1, a power of two minus one
    int shift;     ///< of the hash, 64 − log2(slots)
    int64_t count;
    int64_t limit;  ///< tiles kept at most
    uint64_t clock; ///< counts gr_tiles_touch() rounds
} GrTiles;

/// False when memory is out.
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

/// Nodes of a tile, from node (−1, −1) on; NULL when it is not here.
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

/// A round of asking begins: what is touched after it is newer than all before.
void gr_tiles_begin_round(GrTiles *tiles);

/// Marks a tile as asked for in this round; 0 when it is not here.
int gr_tiles_touch(GrTiles *tiles, uint64_t key);

/// Memory for a tile that is not here; the tile asked for longest ago makes room. NULL when all tiles are of this round
/// or memory is out.
double *gr_tiles_add(GrTiles *tiles, uint64_t key);

/// Takes a tile out again, as when it could not be read.
void gr_tiles_remove(GrTiles *tiles, uint64_t key);

size_t gr_tiles_memory(const GrTiles *tiles);

#endif

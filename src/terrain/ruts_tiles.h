/// Tiles of ruts by the place of their nodes: for the files that keep and read them.
#ifndef GR_RUTS_TILES_H
#define GR_RUTS_TILES_H

#include "ruts.h"

enum { GR_RUT_TILE_NODES = GR_RUT_NODES * GR_RUT_NODES, GR_RUT_STATES = 64 };

/// Never 0: both halves carry an offset of 2^31.
static inline uint64_t gr_ruts_key(int64_t i, int64_t j)
{
    const uint64_t tx = (uint64_t)((i >> GR_RUT_SHIFT) + ((int64_t)1 << 31));
    const uint64_t ty = (uint64_t)((j >> GR_RUT_SHIFT) + ((int64_t)1 << 31));
    return ty << 32 | (tx & 0xffffffffu);
}

static inline uint32_t gr_ruts_slot(const GrRuts *ruts, uint64_t key)
{
    return (uint32_t)(((key ^ key >> 29) * 0x9e3779b97f4a7c15u) >> 32) & (ruts->block.slot_count - 1);
}

/// Index of a tile, −1 when there is none.
static inline int32_t gr_ruts_find(const GrRuts *ruts, uint64_t key)
{
    for (uint32_t at = gr_ruts_slot(ruts, key);; at = (at + 1) & (ruts->block.slot_count - 1)) {
        if (ruts->keys[at] == key) {
            return ruts->slots[at];
        }
        if (ruts->keys[at] == 0) {
            return -1;
        }
    }
}

static inline unsigned char *gr_ruts_nodes(const GrRuts *ruts, int32_t tile)
{
    return atomic_load_explicit(&ruts->nodes[tile], memory_order_acquire);
}

static inline ptrdiff_t gr_ruts_node(int64_t i, int64_t j)
{
    return (ptrdiff_t)((j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (i & (GR_RUT_NODES - 1)));
}

/// Reads a stored tile into memory, for one of several readers. NULL: memory is out, or it cannot be read.
unsigned char *gr_ruts_load_tile(const GrRuts *ruts, int32_t tile);

#endif

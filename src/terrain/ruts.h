/// GrRuts from the inside.
#ifndef GR_RUTS_H
#define GR_RUTS_H

#include "grouser/terrain.h"
#include "interpolate.h"

enum { GR_RUT_SHIFT = 5, GR_RUT_NODES = 1 << GR_RUT_SHIFT };

/// One allocation without pointers; tile k lies at bytes + k tile_size:
///
///     double height[32][32], float state[32][32][state_count]
typedef struct GrRutsBlock {
    uint32_t slot_count; ///< power of two, at least twice the capacity
    int32_t tile_count;
    int32_t tile_capacity;
    size_t tile_size;
} GrRutsBlock;

struct GrRuts {
    GrRutsDef def;
    double per_cell;
    GrRutsBlock block;
    uint64_t *keys;       ///< [slot_count] of the hash; 0: empty
    int32_t *slots;       ///< [slot_count] tile number
    uint64_t *tile_keys;  ///< [tile_capacity] in the order of their making
    unsigned char *bytes; ///< [tile_capacity · tile_size]
};

/// Change of height and slope at a point.
GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y);

#endif

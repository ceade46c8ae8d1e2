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

/// The nodes of one tile: node (i, j) lies at ((j & 31) 32 + (i & 31)), its states at state_count times that.
typedef struct GrRutsTile {
    double *heights; ///< NULL: there is no such tile
    float *states;
} GrRutsTile;

/// The tile of node (i, j) for reading: never made here. Valid as long as gr_ruts_height() says.
GrRutsTile gr_ruts_tile_find(const GrRuts *ruts, int64_t i, int64_t j);

/// The same for writing: made when there is none; heights are NULL when the tiles are used up.
GrRutsTile gr_ruts_tile_make(GrRuts *ruts, int64_t i, int64_t j);

/// Change of height and slope at a point.
GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y);

#endif

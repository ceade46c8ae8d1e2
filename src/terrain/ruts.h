/// GrRuts from the inside.
#ifndef GR_RUTS_H
#define GR_RUTS_H

#include "grouser/terrain.h"
#include "interpolate.h"

enum { GR_RUT_SHIFT = 5, GR_RUT_NODES = 1 << GR_RUT_SHIFT };

/// Tiles of one allocation: a track that grows is never copied.
enum { GR_RUT_CHUNK_SHIFT = 5, GR_RUT_CHUNK = 1 << GR_RUT_CHUNK_SHIFT };

/// Tile k lies in chunk k/32, at (k mod 32) tile_size:
///
///     double height[32][32], float state[32][32][state_count]
typedef struct GrRutsBlock {
    uint32_t slot_count; ///< power of two, at least twice the capacity
    int32_t tile_count;
    int32_t tile_capacity;
    size_t tile_size;
} GrRutsBlock;

/// What was in the tiles that have been written to since gr_ruts_mark().
typedef struct GrRutsJournal {
    bool open;
    bool lost;             ///< more tiles were written to than there was room for
    uint32_t epoch;        ///< counts marks, from 1
    int32_t base;          ///< tiles at the mark: those from here on are new
    int32_t count;         ///< tiles kept
    int32_t capacity;      ///< room for them
    int32_t *tiles;        ///< [capacity] their numbers
    unsigned char *before; ///< [capacity · tile_size]
} GrRutsJournal;

struct GrRuts {
    GrRutsDef def;
    double per_cell;
    GrRutsBlock block;
    uint64_t *keys;         ///< [slot_count] of the hash; 0: empty
    int32_t *slots;         ///< [slot_count] tile number
    uint64_t *tile_keys;    ///< [tile_capacity] in the order of their making
    uint32_t *marks;        ///< [tile_capacity] the journal's epoch in which a tile was kept
    unsigned char **chunks; ///< [tile_capacity/32, rounded up] of 32 tile_size bytes
    GrRutsJournal journal;
    GrGeoreference place; ///< of node (0, 0)
    bool placed;          ///< it is known
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

/// The same for writing where there is one: never made here.
GrRutsTile gr_ruts_tile_change(GrRuts *ruts, int64_t i, int64_t j);

/// Tile number k, 0 .. gr_ruts_tile_count() − 1, and its node in the south-west.
GrRutsTile gr_ruts_tile_at(const GrRuts *ruts, int k, int64_t *i, int64_t *j);

/// Forgets tile number k; the last one takes its number. Not while a journal is open.
void gr_ruts_tile_drop(GrRuts *ruts, int k);

/// gr_ruts_undo() brings back what was here at the last mark, as often as it is called; only tiles that were written to
/// since are copied, so that the length of a track does not matter. `tiles`: that may be written to at most. To be
/// called between steps; copying, clearing and restoring end it.
GrStatus gr_ruts_mark(GrRuts *ruts, int tiles);

/// GR_ERROR_MEMORY when more tiles were written to than the mark had room for: the ruts are then as they are.
GrStatus gr_ruts_undo(GrRuts *ruts);

/// Change of height and slope at a point.
GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y);

#endif

/// Internals of GrRuts.
#ifndef GR_RUTS_H
#define GR_RUTS_H

#include "buffer.h"
#include "grouser/terrain.h"
#include "interpolate.h"

#include <stdatomic.h>

enum { GR_RUT_SHIFT = 5, GR_RUT_NODES = 1 << GR_RUT_SHIFT };

/// Tiles per allocation; a growing track is never copied.
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

/// Former contents of the tiles written to since gr_ruts_mark().
typedef struct GrRutsJournal {
    bool open;
    bool lost;             ///< more tiles were written to than the journal has room for
    uint32_t epoch;        ///< counts marks, from 1
    int32_t base;          ///< number of tiles at the mark; later ones are new
    int32_t count;         ///< tiles saved
    int32_t capacity;      ///< room for them
    int32_t *tiles;        ///< [capacity] their indices
    unsigned char *before; ///< [capacity · tile_size]
} GrRutsJournal;

struct GrRuts {
    GrRutsDef def;
    double per_cell;
    GrRutsBlock block;
    uint64_t *keys;            ///< [slot_count] of the hash; 0: empty
    int32_t *slots;            ///< [slot_count] tile number
    uint64_t *tile_keys;       ///< [tile_capacity] in the order of their creation
    uint32_t *marks;           ///< [tile_capacity] the journal's epoch in which a tile was saved
    _Atomic(uint64_t) *hashes; ///< [tile_capacity] of a tile since its last change; 0: not known
    unsigned char **chunks;    ///< [tile_capacity/32, rounded up] of 32 tile_size bytes
    GrRutsJournal journal;
    GrGeoreference place; ///< of node (0, 0)
    bool placed;          ///< `place` is known
};

/// The nodes of one tile: node (i, j) lies at ((j & 31) 32 + (i & 31)), its states at state_count times that.
typedef struct GrRutsTile {
    double *heights; ///< NULL: there is no such tile
    float *states;
} GrRutsTile;

/// The same for reading.
typedef struct GrRutsTileView {
    const double *heights;
    const float *states;
} GrRutsTileView;

/// The tile of node (i, j) for reading; never creates it. Valid as long as the result of gr_ruts_height().
GrRutsTileView gr_ruts_tile_find(const GrRuts *ruts, int64_t i, int64_t j);

/// For writing; creates it if needed. Heights are NULL when all tiles are used.
GrRutsTile gr_ruts_tile_make(GrRuts *ruts, int64_t i, int64_t j);

/// The same for writing to an existing tile; never creates it.
GrRutsTile gr_ruts_tile_change(GrRuts *ruts, int64_t i, int64_t j);

/// The tile of index k, 0 .. gr_ruts_tile_count() − 1, for reading, and its node in the south-west.
GrRutsTileView gr_ruts_tile_at(const GrRuts *ruts, int k, int64_t *i, int64_t *j);

/// Removes the tile of index k; the last tile takes its index. Not allowed while a journal is open.
void gr_ruts_tile_drop(GrRuts *ruts, int k);

/// Sets a mark. gr_ruts_undo() restores the ruts at the last mark, any number of times. Only tiles written to since are
/// copied, so that the length of the track does not matter. `tiles`: most tiles that may be written to. Call it between
/// steps; copying, clearing and restoring end it.
GrStatus gr_ruts_mark(GrRuts *ruts, int tiles);

/// GR_ERROR_MEMORY when more tiles were written to than the mark had room for: the ruts are then unchanged.
GrStatus gr_ruts_undo(GrRuts *ruts);

/// Appends the ruts as gr_ruts_restore() reads them, with heights and states rounded to multiples of `resolution` > 0
/// [their unit]: a tenth of the bytes and less. GR_ERROR_VALUE: a value is no number, or above 2^28 times the
/// resolution; `out` is then of no use.
GrStatus gr_ruts_save_rounded(const GrRuts *ruts, double resolution, GrBuffer *out);

/// Change of height and slope at a point.
GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y);

#endif

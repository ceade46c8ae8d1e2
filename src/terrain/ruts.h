/// Internals of GrRuts, and the file that it keeps tiles in.
#ifndef GR_RUTS_H
#define GR_RUTS_H

#include "grouser/terrain.h"

#include "buffer.h"
#include "interpolate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Tiles of ruts as bytes: nodes that are all zero take a bit, the others are as they are. Saved ruts have this form
// (ruts_save.c), and so do tiles of a long track in a temporary file.
//
// The file has no name and goes with the process. It is made in $TMPDIR, or in /var/tmp, which is on a disk where /tmp
// may be in memory. Where it cannot be made or grow, tiles stay in memory.

/// Bytes of a tile as gr_ruts_pack() writes them. `nodes`: as in GrRutsBlock.
size_t gr_ruts_packed_size(const unsigned char *nodes, int state_count);
size_t gr_ruts_pack(const unsigned char *nodes, int state_count, unsigned char *out);

/// Writes all of `nodes`; returns the bytes that were read, 0: there are too few.
size_t gr_ruts_unpack(const unsigned char *bytes, size_t size, int state_count, unsigned char *nodes);

/// Zero-initialised: never stored.
typedef struct GrStoredTile {
    int64_t at;    ///< place in the file
    uint32_t size; ///< [bytes]; 0: not stored
    uint32_t room; ///< bytes at that place, which a tile keeps when it is stored again
} GrStoredTile;

/// Zero-initialise; free with gr_store_close().
typedef struct GrRutsStore {
    bool opened; ///< a file was asked for
    bool full;   ///< it cannot grow
    int fd;      ///< −1: it could not be made
    int64_t end; ///< of the file [bytes]
} GrRutsStore;

/// Writes a packed tile. False: it cannot be stored, and no other can.
bool gr_store_put(GrRutsStore *store, GrStoredTile *tile, const unsigned char *packed, size_t size);

/// Reads a tile into `packed`, which has room for its size. May be called by several threads at once.
bool gr_store_get(const GrRutsStore *store, const GrStoredTile *tile, unsigned char *packed);

void gr_store_close(GrRutsStore *store);

// Internals of GrRuts.

enum { GR_RUT_SHIFT = 5, GR_RUT_NODES = 1 << GR_RUT_SHIFT };

/// Nodes of a tile:
///
///     double height[32][32], float state[32][32][state_count]
typedef struct GrRutsBlock {
    uint32_t slot_count; ///< power of two, at least twice `table_size`
    int32_t tile_count;
    int32_t tile_capacity; ///< tiles that can be made without an allocation, and those that are
    int32_t table_size;    ///< entries of the tables, at least tile_capacity
    size_t tile_size;      ///< [bytes]
} GrRutsBlock;

/// Former contents of the tiles written to since gr_ruts_mark().
typedef struct GrRutsJournal {
    bool open;
    bool lost;             ///< there was no memory for a tile that was written to
    uint32_t epoch;        ///< counts marks, from 1
    int32_t base;          ///< number of tiles at the mark; later ones are new
    int32_t count;         ///< tiles saved
    int32_t capacity;      ///< room for them
    int32_t *tiles;        ///< [capacity] their indices
    unsigned char *before; ///< [capacity · tile_size]
} GrRutsJournal;

/// Tiles never move. Of a long track, what wheels have left behind goes into a file (GrRutsStore) when room for new
/// tiles is needed, and comes back into memory when someone asks for it: by gr_ruts_reserve() and by anyone, also by
/// several readers at once.
struct GrRuts {
    GrRutsDef def;
    double per_cell;
    GrRutsBlock block;
    uint64_t *keys;                  ///< [slot_count] of the hash; 0: empty
    int32_t *slots;                  ///< [slot_count] tile number
    uint64_t *tile_keys;             ///< [table_size] in the order of their creation
    uint32_t *marks;                 ///< [table_size] the journal's epoch in which a tile was saved
    _Atomic(uint64_t) *hashes;       ///< [table_size] of a tile since its last change; 0: not known
    _Atomic(unsigned char *) *nodes; ///< [table_size] of tile_size bytes; NULL: stored. Ready ones follow those in use
    GrStoredTile *stored;            ///< [table_size] the same in the file, if it is there since its last change
    GrRutsStore store;
    uint32_t *written; ///< [table_size] the round in which a tile was last made or asked for to be changed
    uint32_t round;    ///< counts the times that room was made
    atomic_bool lost;  ///< a tile could not be read from the file, or memory is out
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

/// Index of the tile of node (i, j), 0 .. gr_ruts_tile_count() − 1; −1: there is none.
int gr_ruts_tile_number(const GrRuts *ruts, int64_t i, int64_t j);

/// Node in the south-west of the tile of index k, 0 .. gr_ruts_tile_count() − 1.
void gr_ruts_tile_place(const GrRuts *ruts, int k, int64_t *i, int64_t *j);

/// A look at one tile after another. Zero-initialise; free with gr_ruts_peek_end().
typedef struct GrRutsPeek {
    unsigned char *room;
} GrRutsPeek;

/// The tile of index k for reading, until the next look. A stored tile stays in the file.
GrRutsTileView gr_ruts_peek(const GrRuts *ruts, int k, GrRutsPeek *peek);
void gr_ruts_peek_end(GrRutsPeek *peek);

/// Whether a tile could not be read from the file, or memory was out: what was read of it is wrong.
bool gr_ruts_is_lost(const GrRuts *ruts);

/// Removes the tile of index k; the last tile takes its index. Not allowed while a journal is open.
void gr_ruts_tile_drop(GrRuts *ruts, int k);

/// Sets a mark. gr_ruts_undo() restores the ruts at the last mark, any number of times. Only tiles written to since are
/// copied, so that the length of the track does not matter. `tiles`: how many will probably be written to. Call it
/// between steps; copying, clearing and restoring end it.
GrStatus gr_ruts_mark(GrRuts *ruts, int tiles);

/// GR_ERROR_MEMORY when there was no memory for all tiles that were written to: the ruts are then unchanged.
GrStatus gr_ruts_undo(GrRuts *ruts);

/// Appends the ruts as gr_ruts_restore() reads them, with heights and states rounded to multiples of `resolution` > 0
/// [their unit]: a tenth of the bytes and less. GR_ERROR_VALUE: a value is not a number, or above 2^28 times the
/// resolution; `out` is then of no use.
GrStatus gr_ruts_save_rounded(const GrRuts *ruts, double resolution, GrBuffer *out);

/// Hash of a tile. Kept until the tile changes: a run asks for the hash again and again, and of a long track little
/// changes.
uint64_t gr_ruts_hash_tile(const GrRuts *ruts, int tile);

/// Change of height and slope at a point.
GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y);

#endif

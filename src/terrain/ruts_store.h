/// Tiles of ruts as bytes: nodes that are all zero take a bit, the others are as they are. Saved ruts have this form
/// (ruts_save.c), and so do tiles of a long track in a temporary file.
///
/// The file has no name and goes with the process. It is made in $TMPDIR, or in /var/tmp, which is on a disk where /tmp
/// may be in memory. Where it cannot be made or grow, tiles stay in memory.
#ifndef GR_RUTS_STORE_H
#define GR_RUTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif

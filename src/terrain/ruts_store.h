/// Packed tiles of ruts (ruts_pack.h): in memory, and those of a long track in a temporary file.
///
/// The file has no name and goes with the process. It is made in $TMPDIR, or in /var/tmp, which is on a disk where /tmp
/// may be in memory. Where it cannot be made or grow, tiles stay in memory.
#ifndef GR_RUTS_STORE_H
#define GR_RUTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Zero-initialised: not packed.
typedef struct GrPackedTile {
    unsigned char *bytes; ///< NULL: in the file, or not packed
    uint32_t size;        ///< [bytes]; 0: not packed
    int64_t at;           ///< place in the file
} GrPackedTile;

/// Zero-initialise; gr_store_close() when all tiles are dropped.
typedef struct GrRutsStore {
    bool opened; ///< a file was asked for
    bool full;   ///< it cannot grow
    int fd;      ///< −1: it could not be made
    int64_t end; ///< of the file [bytes]
    size_t held; ///< in memory [bytes]
} GrRutsStore;

/// Keeps a copy of a packed tile in memory. False: out of memory.
bool gr_store_put(GrRutsStore *store, GrPackedTile *tile, const unsigned char *packed, size_t size);

/// Forgets a tile, packed or not. Its room in the file is not used again.
void gr_store_drop(GrRutsStore *store, GrPackedTile *tile);

/// The bytes of a packed tile; `*room`: memory for them, NULL where they are in memory already, to be freed by the
/// caller. NULL: they cannot be read, or memory is out. May be called by several threads at once.
const unsigned char *gr_store_get(const GrRutsStore *store, const GrPackedTile *tile, unsigned char **room);

/// Moves a packed tile from memory into the file. False: it stays there, and so will all others.
bool gr_store_move_out(GrRutsStore *store, GrPackedTile *tile);

void gr_store_close(GrRutsStore *store);

#endif

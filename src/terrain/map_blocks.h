/// The blocks into which a map is divided for its statistics, and the order in which threads take them.
///
/// Blocks are squares of nodes; what is computed from one needs a border of one node around it, as far as the map goes:
///
///         +---------------+ window: the block and its border
///         | +-----------+ |
///         | |   block   | |
///         | +-----------+ |
///         +---------------+
///
/// Files are compressed in blocks of their own, and those that two windows share need not be decompressed twice while
/// the reader still has them. The columns of blocks are therefore divided into stripes from south to north, one for
/// each thread or more, so narrow that the reader's cache covers a row of it. A thread takes a stripe from its south;
/// when none is left it takes blocks from the north of the fullest one.
#ifndef GR_MAP_BLOCKS_H
#define GR_MAP_BLOCKS_H

#include "grouser/terrain.h"

/// Side of a block in nodes; a smaller map is one block. The most blocks that are looked at: a larger map is sampled by
/// blocks spread evenly over it.
enum { GR_MAP_BLOCK = 1024, GR_MAP_MOST_BLOCKS = 96, GR_MAP_MOST_THREADS = 64 };

/// A block [i0, i1) x [j0, j1) and its window.
typedef struct GrMapPlace {
    int64_t i0, i1, j0, j1;
    GrGridWindow window;
} GrMapPlace;

/// Blocks of which no thread has taken any are [first, end) of the order.
typedef struct GrMapStripe {
    int first, end;
    bool owned; ///< by a thread that takes them from the first on
} GrMapStripe;

typedef struct GrMapBlocks {
    const GrGridFrame *frame;
    int64_t total, across; ///< blocks of the map; in a row of them
    int looked;            ///< blocks that are looked at
    int order[GR_MAP_MOST_BLOCKS];
    int stripe_count;
    GrMapStripe stripes[GR_MAP_MOST_BLOCKS];
} GrMapBlocks;

GrMapBlocks gr_map_blocks(const GrGridFrame *frame, int threads);

/// Where block n of those that are looked at lies.
GrMapPlace gr_map_place(const GrMapBlocks *blocks, int n);

/// Takes the next block; `*stripe` is that of the calling thread, −1 at first. Returns −1 when all are taken. Not for
/// two threads at once.
int gr_map_take(GrMapBlocks *blocks, int *stripe);

#endif

/// Tiles of whole numbers in few bytes: what a plane through the neighbours before does not predict, by range coder.
///
///     NW  N  NE      prediction of X: W + N − NW; outside the tile all are 0
///     W   X          how far off the neighbours' predictions were chooses the contexts of its bits
///
/// Ruts are flat or evenly curved nearly everywhere, and rough along the edges of wheels and grousers.
#ifndef GR_TILE_CODE_H
#define GR_TILE_CODE_H

#include "range_code.h"

/// Nodes along a side of a tile; largest magnitude of a number.
enum { GR_TILE_SIDE = 32, GR_TILE_MOST = 1 << 28 };

enum { GR_TILE_LEVELS = 24, GR_TILE_BITS = 32 };

/// Contexts of one kind of numbers.
typedef struct GrTileModel {
    GrBitContext row[3];                               ///< a row has anything not predicted; by the two rows before
    GrBitContext zero[GR_TILE_LEVELS];                 ///< a number is as predicted
    GrBitContext sign[3];                              ///< by that of its western neighbour
    GrBitContext length[GR_TILE_LEVELS][GR_TILE_BITS]; ///< one more bit
    GrBitContext second[GR_TILE_LEVELS][GR_TILE_BITS]; ///< second highest bit
    GrBitContext third[GR_TILE_BITS];
} GrTileModel;

void gr_tile_model_init(GrTileModel *model);

/// Values row by row.
void gr_tile_write(GrRangeWriter *writer, GrTileModel *model, const int32_t values[GR_TILE_SIDE * GR_TILE_SIDE]);

/// False: the bytes are damaged.
bool gr_tile_read(GrRangeReader *reader, GrTileModel *model, int32_t values[GR_TILE_SIDE * GR_TILE_SIDE]);

#endif

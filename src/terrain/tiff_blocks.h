/// Blocks of a GeoTIFF, decompressed faster than by libtiff.
///
/// Heights are mostly stored as floats or doubles, deflated in tiles after "predictor 3" of TIFF: each row of a tile
/// has first the highest bytes of all its numbers, then the next ones, …, and of each byte the difference to the one
/// before. libtiff undoes this byte by byte, which takes longer than inflating them; here it is done in vectors. GDAL
/// finds the tiles in the file and inflates them.
///
/// Tiles stay in a cache of the raster: windows that lie side by side share some. Whatever is unusual (another layout
/// of the file, a tile that is missing or damaged, no memory) is left to GDAL, which also says what is wrong.
#ifndef GR_TIFF_BLOCKS_H
#define GR_TIFF_BLOCKS_H

#include "gdal_api.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct GrTiffBlocks GrTiffBlocks;

/// Numbers of a row of a window, from its column on: floats or doubles.
typedef struct GrTiffRow {
    int column, row; ///< in the window
    int count;
    const float *floats; ///< [count]; NULL: doubles
    const double *doubles;
} GrTiffRow;

typedef void (*GrTiffTake)(void *context, GrTiffRow row);

/// NULL: the file is none of this kind, or there is no memory. `dataset` is the file at `path` itself, not an overview
/// of it, and must outlive the result. The cache covers windows side by side of so many columns and rows, and what is
/// around them, as far as 96 MB go.
GrTiffBlocks *gr_tiff_blocks_open(const char *path, GDALDatasetH dataset, int columns, int rows);
void gr_tiff_blocks_close(GrTiffBlocks *blocks);

/// Gives a window of the file to `take` in pieces of rows, in any order. False: it must be read by GDAL; some pieces
/// may have been given.
bool gr_tiff_blocks_read(GrTiffBlocks *blocks, int column, int row, int columns, int rows, GrTiffTake take,
                         void *context);

#endif

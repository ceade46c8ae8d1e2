/// Tiles of ruts as whole numbers in few bytes: heights and states in units of a resolution, less what a plane through
/// three neighbours predicts, as varints, and those compressed by zstd where the build has it.
///
///     NW  N      prediction of X: W + N − NW; outside the tile all are 0
///     W   X
///
/// Without the prediction zstd would leave twice the bytes.
#ifndef GR_RUTS_ROUNDED_H
#define GR_RUTS_ROUNDED_H

#include "ruts.h"

/// Whether this build compresses, and reads what is compressed.
bool gr_rounded_zstd(void);

typedef struct GrRoundedWriter GrRoundedWriter;

/// Appends to `out`. NULL: out of memory.
GrRoundedWriter *gr_rounded_write_begin(GrBuffer *out);

/// False: a value is not a number, or above 2^28 times the resolution.
bool gr_rounded_write(GrRoundedWriter *writer, GrRutsTileView tile, int state_count, double resolution);

/// Frees the writer, which may be NULL. False: out of memory.
bool gr_rounded_write_end(GrRoundedWriter *writer);

typedef struct GrRoundedReader GrRoundedReader;

/// `compressed`: by zstd. NULL: out of memory.
GrRoundedReader *gr_rounded_read_begin(const unsigned char *bytes, size_t size, bool compressed);

/// False: the bytes are damaged.
bool gr_rounded_read(GrRoundedReader *reader, GrRutsTile tile, int state_count, double resolution);

/// Frees the reader, which may be NULL. Returns whether all bytes were used, and no more.
bool gr_rounded_read_end(GrRoundedReader *reader);

#endif

/// Columns of numbers as whole quanta, of which differences are varints (docs/replay.md). Chunks are compressed by
/// zlib, which browsers undo themselves.
#ifndef GR_COLUMN_H
#define GR_COLUMN_H

#include "buffer.h"

#include <stdint.h>

/// Zigzag varint: small numbers of either sign take one byte.
void gr_column_put_signed(GrBuffer *out, int64_t value);

enum { GR_COLUMN_MOST = 1024 };

/// Appends `count` values, at most GR_COLUMN_MOST. Each is rounded to a multiple of `quantum`; 0: a power of two that
/// keeps 13 bits of the largest magnitude. Values that are not finite are missing.
void gr_column_put(GrBuffer *out, const double *values, int count, double quantum);

#endif

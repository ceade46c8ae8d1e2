/// Bytes of replays: chunks, and columns of numbers in them.
#ifndef GR_CHUNK_H
#define GR_CHUNK_H

#include "buffer.h"

#include <stdint.h>

// Chunks of a replay (docs/replay.md): a type, two sizes, a checksum, and a payload that may be compressed with zlib.
//
//     char type[4]; u32 stored; u32 raw; u32 crc; u8 payload[stored]
//
// `stored` < `raw`: the payload is a zlib stream of `raw` bytes; otherwise it is not compressed. `crc` is the CRC-32
// of the twelve bytes before it and of the payload as it is stored.

#define GR_REPLAY_OLD_MAGIC "GRPLAY01" ///< of version 0.2 and before
#define GR_REPLAY_MAGIC     "GRPLAY02"
enum { GR_REPLAY_MAGIC_SIZE = 8, GR_CHUNK_HEADER_SIZE = 16 };

/// What a payload contains, for the choice of its compression.
typedef enum GrChunkContent {
    GR_CHUNK_BYTES,   ///< anything
    GR_CHUNK_NUMBERS, ///< columns of numbers (gr_column_put()), heights: only runs of equal bytes repeat. A search for
                      ///< other repetitions would save 2 to 5 % of the size at twice the time
} GrChunkContent;

/// Appends a whole chunk to `out`, compressed if that makes it smaller. A build without zlib compresses nothing.
void gr_chunk_put_as(GrBuffer *out, const char type[4], GrChunkContent content, const void *payload, size_t size);

/// The same for any bytes.
void gr_chunk_put(GrBuffer *out, const char type[4], const void *payload, size_t size);

/// A chunk in memory.
typedef struct GrChunk {
    char type[5]; ///< terminated
    uint32_t stored, raw, crc;
    const unsigned char *payload; ///< [stored] in the bytes that were read
} GrChunk;

/// Reads the chunk at the start of `bytes`. Returns its whole size; 0: there is no whole chunk.
size_t gr_chunk_read(const unsigned char *bytes, size_t size, GrChunk *out);

/// Whether the checksum of a chunk that gr_chunk_read() found is right.
bool gr_chunk_intact(const GrChunk *chunk);

/// Appends the payload without compression. False: it is damaged, or memory is out.
bool gr_chunk_unpack(const GrChunk *chunk, GrBuffer *out);

// Columns of numbers as whole quanta, of which differences are varints (docs/replay.md). Chunks are compressed by
// zlib, which browsers undo themselves.

/// Zigzag varint: small numbers of either sign take one byte.
void gr_column_put_signed(GrBuffer *out, int64_t value);

enum { GR_COLUMN_MOST = 1024 };

/// Appends `count` values, at most GR_COLUMN_MOST. Each is rounded to a multiple of `quantum`; 0: a power of two that
/// keeps 13 bits of the largest magnitude. Values that are not finite are missing.
void gr_column_put(GrBuffer *out, const double *values, int count, double quantum);

#endif

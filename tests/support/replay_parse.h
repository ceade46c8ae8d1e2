/// A reader of replays for tests, written from docs/replay.md and not from the writer.
#ifndef GR_REPLAY_PARSE_H
#define GR_REPLAY_PARSE_H

#include "chunk.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A place in the payload of a chunk.
typedef struct GrCursor {
    const unsigned char *at, *end;
} GrCursor;

static inline uint64_t gr_cursor_bytes(GrCursor *c, int size)
{
    assert_true(c->end - c->at >= size);
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)*c->at++ << (8 * i);
    }
    return value;
}

static inline double gr_cursor_number(GrCursor *c)
{
    const uint64_t bits = gr_cursor_bytes(c, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t gr_cursor_varint(GrCursor *c)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_in_range(shift, 0, 63);
        const uint64_t byte = gr_cursor_bytes(c, 1);
        value |= (byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
}

static inline int64_t gr_cursor_signed(GrCursor *c)
{
    const uint64_t z = gr_cursor_varint(c);
    return (z & 1) != 0 ? -(int64_t)(z >> 1) - 1 : (int64_t)(z >> 1);
}

/// Reads a column of `count` values.
static inline void gr_cursor_column(GrCursor *c, double *out, int count)
{
    const double quantum = gr_cursor_number(c);
    const int order = (int)gr_cursor_bytes(c, 1), missing = (int)gr_cursor_bytes(c, 1);
    const unsigned char *mask = c->at;
    c->at += missing ? (count + 7) / 8 : 0;
    assert_in_range(order, 0, 2);
    double last = 0, slope = 0; // value and first difference, in quanta
    for (int i = 0; i < count; i++) {
        const double read = (double)gr_cursor_signed(c);
        slope = order == 2 ? slope + read : read;
        last = order > 0 ? last + slope : read;
        out[i] = missing && (mask[i / 8] >> (i % 8) & 1) != 0 ? (double)NAN : quantum * last;
    }
}

/// A whole replay in memory, read chunk by chunk.
typedef struct GrReplayReader {
    const unsigned char *at, *end;
    GrBuffer payload; ///< of the present chunk
    char type[5];
} GrReplayReader;

static inline GrReplayReader gr_replay_reader(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    return (GrReplayReader){.at = bytes, .end = bytes + size};
}

/// Goes to the next chunk; false at the end.
static inline bool gr_replay_next(GrReplayReader *r, GrCursor *payload)
{
    GrChunk chunk;
    const size_t size = gr_chunk_read(r->at, (size_t)(r->end - r->at), &chunk);
    if (size == 0) {
        gr_buffer_free(&r->payload);
        return false;
    }
    r->at += size;
    r->payload.size = 0;
    assert_true(gr_chunk_intact(&chunk));
    assert_true(gr_chunk_unpack(&chunk, &r->payload));
    assert_int_equal(r->payload.size, chunk.raw);
    memcpy(r->type, chunk.type, sizeof r->type);
    payload->at = (const unsigned char *)r->payload.data;
    payload->end = payload->at + r->payload.size;
    return true;
}

#endif

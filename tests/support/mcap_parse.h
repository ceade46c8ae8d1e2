/// A small reader of MCAP for tests, written from the specification: from the front, records as they come.
#ifndef GR_MCAP_PARSE_H
#define GR_MCAP_PARSE_H

#include "buffer.h"

#include <stdint.h>
#include <string.h>
#ifdef GR_WITH_ZSTD
#include <zstd.h>
#endif

static inline uint64_t mcap_u(const char *at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)at[i] << (8 * i);
    }
    return value;
}

/// One record: `next` is NULL when the bytes end before it does.
typedef struct McapRecord {
    int opcode;
    const char *body;
    size_t size;
    const char *next;
} McapRecord;

static inline McapRecord mcap_record(const char *at, const char *end)
{
    McapRecord r = {0};
    if (end - at < 9) {
        return r;
    }
    r.opcode = (unsigned char)at[0];
    r.size = mcap_u(at + 1, 8);
    r.body = at + 9;
    r.next = r.size <= (size_t)(end - r.body) ? r.body + r.size : NULL;
    return r;
}

static inline uint32_t mcap_slow_crc(const char *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

/// Records of a chunk, unpacked; false when checksum or sizes are wrong.
static inline bool mcap_unpack(const McapRecord *chunk, GrBuffer *out)
{
    const size_t size = mcap_u(chunk->body + 16, 8), name = mcap_u(chunk->body + 28, 4);
    const char *packed = chunk->body + 32 + name;
    const size_t packed_size = mcap_u(packed, 8);
    out->size = 0;
    if (packed + 8 + packed_size != chunk->next || !gr_buffer_reserve(out, size)) {
        return false;
    }
#ifdef GR_WITH_ZSTD
    // decompressing compares the checksum of the frame, which has one by this bit of its descriptor
    if (name != 4 || packed_size < 5 || (packed[8 + 4] & 4) == 0 ||
        ZSTD_decompress(out->data, size, packed + 8, packed_size) != size) {
        return false;
    }
    out->size = size;
    return mcap_u(chunk->body + 24, 4) == 0;
#else
    if (name != 0 || packed_size != size) {
        return false;
    }
    memcpy(out->data, packed + 8, size);
    out->size = size;
    return mcap_slow_crc(out->data, size) == mcap_u(chunk->body + 24, 4);
#endif
}

/// What a file holds, as far as it goes.
typedef struct McapContent {
    int schemas, channels, chunks, messages, metadata;
    bool has_footer;
    bool broken; ///< something is wrong, other than an end that came early
    int late;    ///< messages that are earlier than one before them
    uint64_t last_time, latest_time;
} McapContent;

static inline McapContent mcap_content(const char *data, size_t size)
{
    McapContent c = {0};
    const char *end = data + size;
    GrBuffer unpacked = {0};
    if (size < 8 || memcmp(data, "\x89MCAP0\r\n", 8) != 0) {
        c.broken = true;
        return c;
    }
    for (const char *at = data + 8; !c.has_footer;) {
        const McapRecord r = mcap_record(at, end);
        if (r.next == NULL) {
            break;
        }
        c.schemas += r.opcode == 3;
        c.channels += r.opcode == 4;
        c.metadata += r.opcode == 12;
        c.has_footer = r.opcode == 2;
        if (r.opcode == 15) {
            break; // the summary says it all again
        }
        if (r.opcode == 6) {
            c.chunks++;
            c.broken = c.broken || !mcap_unpack(&r, &unpacked);
            for (const char *inside = unpacked.data; !c.broken && inside < unpacked.data + unpacked.size;) {
                const McapRecord message = mcap_record(inside, unpacked.data + unpacked.size);
                c.broken = message.next == NULL || message.opcode != 5 || message.size < 22;
                c.messages++;
                c.last_time = c.broken ? 0 : mcap_u(message.body + 6, 8);
                c.late += c.last_time < c.latest_time;
                c.latest_time = c.last_time > c.latest_time ? c.last_time : c.latest_time;
                inside = message.next;
            }
        }
        at = r.next;
    }
    gr_buffer_free(&unpacked);
    return c;
}

#endif

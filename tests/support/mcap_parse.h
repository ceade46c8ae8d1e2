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

/// Takes one record: of the data section, and after a chunk those inside it.
typedef void McapTake(void *context, const McapRecord *record);

/// Walks through a file as far as it goes. False: something is wrong, other than an end that came early.
static inline bool mcap_walk(const char *data, size_t size, McapTake *take, void *context)
{
    GrBuffer unpacked = {0};
    bool good = size >= 8 && memcmp(data, "\x89MCAP0\r\n", 8) == 0;
    for (const char *at = data + 8; good;) {
        const McapRecord r = mcap_record(at, data + size);
        if (r.next == NULL || r.opcode == 15) { // the summary says it all again
            break;
        }
        take(context, &r);
        if (r.opcode == 6) {
            good = mcap_unpack(&r, &unpacked);
            for (const char *inside = unpacked.data; good && inside < unpacked.data + unpacked.size;) {
                const McapRecord message = mcap_record(inside, unpacked.data + unpacked.size);
                good = message.next != NULL && message.opcode == 5 && message.size >= 22;
                if (good) {
                    take(context, &message);
                }
                inside = message.next;
            }
        }
        at = r.next;
    }
    gr_buffer_free(&unpacked);
    return good;
}

/// What a file holds, as far as it goes.
typedef struct McapContent {
    int schemas, channels, chunks, messages, metadata;
    bool broken;
    int late; ///< messages that are earlier than one before them
    uint64_t last_time, latest_time;
} McapContent;

static inline void mcap_count(void *context, const McapRecord *r)
{
    McapContent *c = context;
    c->schemas += r->opcode == 3;
    c->channels += r->opcode == 4;
    c->chunks += r->opcode == 6;
    c->metadata += r->opcode == 12;
    if (r->opcode == 5) {
        c->messages++;
        c->last_time = mcap_u(r->body + 6, 8);
        c->late += c->last_time < c->latest_time;
        c->latest_time = c->last_time > c->latest_time ? c->last_time : c->latest_time;
    }
}

static inline McapContent mcap_content(const char *data, size_t size)
{
    McapContent c = {0};
    c.broken = !mcap_walk(data, size, mcap_count, &c);
    return c;
}

#endif

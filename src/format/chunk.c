/// Bytes of replays: chunks, columns of numbers, and text that carries them.
#include "chunk.h"

#include "base64.h"
#include "check.h"
#include "crc32.h"
#include "protobuf.h"
#include "whole.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- chunks

#ifdef GR_WITH_ZLIB
#include <zlib.h>
#endif

enum { CRC_AT = 12 };

/// Larger chunks are not unpacked: a damaged size must not take all memory.
enum { RAW_MAX = 1 << 30 };

static uint32_t load32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#ifdef GR_WITH_ZLIB
static int deflate_as(GrChunkContent content, z_stream *z)
{
    return content == GR_CHUNK_NUMBERS ? deflateInit2(z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_RLE)
                                       : deflateInit(z, Z_BEST_SPEED + 2);
}
#endif

/// Appends the payload compressed; returns its size, 0: not smaller.
static size_t pack(GrBuffer *out, GrChunkContent content, const void *payload, size_t size)
{
#ifdef GR_WITH_ZLIB
    z_stream z = {.next_in = (z_const Bytef *)payload, .avail_in = (uInt)size};
    if (size < 64 || !gr_buffer_reserve(out, size) || deflate_as(content, &z) != Z_OK) {
        return 0;
    }
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)size - 1; // a stream that needs more is of no use
    const bool smaller = deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    out->size += smaller ? z.total_out : 0;
    return smaller ? z.total_out : 0;
#else // own programs could not read it again
    (void)out, (void)content, (void)payload, (void)size;
    return 0;
#endif
}

static uint32_t checksum(const void *header, const void *payload, size_t stored)
{
    return gr_crc32(gr_crc32(0, header, CRC_AT), payload, stored);
}

void gr_chunk_put_as(GrBuffer *out, const char type[4], GrChunkContent content, const void *payload, size_t size)
{
    const size_t start = out->size;
    unsigned char header[GR_CHUNK_HEADER_SIZE] = {0};
    gr_buffer_add(out, (const char *)header, sizeof header);
    size_t stored = pack(out, content, payload, size);
    if (stored == 0) {
        stored = size;
        gr_buffer_add(out, payload, size);
    }
    if (out->failed) {
        return;
    }
    memcpy(header, type, 4);
    gr_proto_store(header + 4, stored, 4);
    gr_proto_store(header + 8, size, 4);
    gr_proto_store(header + CRC_AT, checksum(header, out->data + start + sizeof header, stored), 4);
    memcpy(out->data + start, header, sizeof header);
}

void gr_chunk_put(GrBuffer *out, const char type[4], const void *payload, size_t size)
{
    gr_chunk_put_as(out, type, GR_CHUNK_BYTES, payload, size);
}

size_t gr_chunk_read(const unsigned char *bytes, size_t size, GrChunk *out)
{
    if (size < GR_CHUNK_HEADER_SIZE) {
        return 0;
    }
    *out = (GrChunk){.stored = load32(bytes + 4),
                     .raw = load32(bytes + 8),
                     .crc = load32(bytes + CRC_AT),
                     .payload = bytes + GR_CHUNK_HEADER_SIZE};
    memcpy(out->type, bytes, 4);
    return out->stored <= size - GR_CHUNK_HEADER_SIZE ? GR_CHUNK_HEADER_SIZE + (size_t)out->stored : 0;
}

bool gr_chunk_intact(const GrChunk *chunk)
{
    return chunk->crc == checksum(chunk->payload - GR_CHUNK_HEADER_SIZE, chunk->payload, chunk->stored);
}

bool gr_chunk_unpack(const GrChunk *chunk, GrBuffer *out)
{
    if (chunk->stored == chunk->raw) {
        gr_buffer_add(out, (const char *)chunk->payload, chunk->stored);
        return !out->failed;
    }
#ifdef GR_WITH_ZLIB
    uLongf size = chunk->raw;
    if (chunk->raw > RAW_MAX || !gr_buffer_reserve(out, chunk->raw) ||
        uncompress((Bytef *)out->data + out->size, &size, chunk->payload, chunk->stored) != Z_OK ||
        size != chunk->raw) {
        return false;
    }
    out->size += size;
    out->data[out->size] = '\0';
    return true;
#else
    return false;
#endif
}

// ---- columns

enum { BITS = 13, VARINT_MOST = 10 };
static const double LARGEST = 4503599627370496; // 2^52: exact in a reader's doubles

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void gr_column_put_signed(GrBuffer *out, int64_t value)
{
    gr_proto_varint(out, zigzag(value));
}

static void put_missing(GrBuffer *out, const double *values, int count)
{
    for (int i = 0; i < count; i += 8) {
        unsigned char mask = 0;
        for (int k = i; k < i + 8 && k < count; k++) {
            mask |= (unsigned char)(!isfinite(values[k]) << (k - i));
        }
        gr_buffer_add(out, (const char *)&mask, 1);
    }
}

/// Values in quanta; a missing one repeats the last.
static void round_all(const double *values, int count, double per, int64_t *restrict q)
{
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        const double units = values[i] * per;
        const double limited = units > LARGEST ? LARGEST : units < -LARGEST ? -LARGEST : units;
        last = isfinite(values[i]) ? gr_nearest(limited) : last;
        q[i] = last;
    }
}

static uint64_t size_of(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

/// The order of differences whose sum of magnitudes is the least. The first two do not count.
static int choose_order(const int64_t *q, int count)
{
    uint64_t sums[3] = {0};
    for (int i = 2; i < count; i++) {
        const int64_t change = q[i] - q[i - 1], before = q[i - 1] - q[i - 2];
        sums[0] += size_of(q[i]);
        sums[1] += size_of(change);
        sums[2] += size_of(change - before);
    }
    const int best = sums[1] <= sums[0] ? 1 : 0;
    return sums[2] < sums[best] ? 2 : best;
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
    GR_CHECK(count <= GR_COLUMN_MOST);
    double most = 0;
    bool missing = false;
    for (int i = 0; i < count; i++) {
        const double size = fabs(values[i]);
        missing = missing || !isfinite(size);
        most = isfinite(size) && size > most ? size : most;
    }
    if (!(quantum > 0)) {
        quantum = most > 0 ? ldexp(1, ilogb(most) - BITS) : 1;
    }
    uint64_t bits;
    memcpy(&bits, &quantum, sizeof bits);
    int64_t q[GR_COLUMN_MOST] = {0};
    round_all(values, count, 1 / quantum, q);
    const int order = choose_order(q, count);
    gr_proto_fixed(out, bits, 8);
    gr_proto_byte(out, (unsigned)order);
    gr_proto_byte(out, missing);
    if (missing) {
        put_missing(out, values, count);
    }
    if (!gr_buffer_reserve(out, VARINT_MOST * (size_t)count)) {
        return;
    }
    for (int k = 0; k < order; k++) {
        for (int i = count - 1; i > 0; i--) {
            q[i] -= q[i - 1];
        }
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    for (int i = 0; i < count; i++) {
        at = gr_proto_store_varint(at, zigzag(q[i]));
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    out->data[out->size] = '\0';
}

// ---- base64

void gr_base64_put(GrBuffer *out, const void *data, size_t size)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    if (!gr_buffer_reserve(out, 4 * ((size + 2) / 3))) {
        return;
    }
    char *at = out->data + out->size;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0, c = left > 2 ? bytes[i + 2] : 0;
        *at++ = DIGITS[a >> 2];
        *at++ = DIGITS[(a & 3) << 4 | b >> 4];
        *at++ = left > 1 ? DIGITS[(b & 15) << 2 | c >> 6] : '=';
        *at++ = left > 2 ? DIGITS[c & 63] : '=';
    }
    out->size = (size_t)(at - out->data);
    *at = '\0';
}

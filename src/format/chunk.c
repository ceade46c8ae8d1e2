#include "chunk.h"

#include "crc32.h"
#include "protobuf.h"

#include <string.h>
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

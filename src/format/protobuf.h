/// Protocol Buffers, encoded into a growing buffer: fields one after another, messages inside messages.
///
///     gr_proto_string(&bytes, 1, "world");
///     const size_t pose = gr_proto_begin(&bytes, 2);
///     gr_proto_double(&bytes, 1, 0.5);
///     gr_proto_end(&bytes, pose);
///
/// No library: protobuf-c needs generated code for every message, which would be longer than the table of fields
/// (proto_schema.h) that both messages and descriptors come from. The wire format is these few functions.
#ifndef GR_PROTOBUF_H
#define GR_PROTOBUF_H

#include "buffer.h"

#include <stdint.h>
#include <string.h>

typedef enum GrProtoWire { GR_WIRE_VARINT = 0, GR_WIRE_64 = 1, GR_WIRE_BYTES = 2, GR_WIRE_32 = 5 } GrProtoWire;

/// Room for `size` bytes at the end, counted as written; NULL when out of memory.
static inline unsigned char *gr_proto_room(GrBuffer *out, size_t size)
{
    if (out->capacity < out->size + size + 1 && !gr_buffer_reserve(out, size)) {
        return NULL;
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    out->size += size;
    return at;
}

/// Little-endian, `size` 2, 4 or 8, where there is room; returns the position after it.
static inline unsigned char *gr_proto_store(unsigned char *at, uint64_t value, int size)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(at, &value, (size_t)size);
    return at + size;
}

/// A varint of at most ten bytes, where there is room.
static inline unsigned char *gr_proto_store_varint(unsigned char *at, uint64_t value)
{
    for (; value >= 128; value >>= 7) {
        *at++ = (unsigned char)((value & 127) | 128u);
    }
    *at++ = (unsigned char)value;
    return at;
}

/// A tag, one or two bytes for fields below 2048, where there is room for two. Without a branch: samples have hundreds.
static inline unsigned char *gr_proto_store_tag(unsigned char *at, int field, GrProtoWire wire)
{
    const unsigned tag = (unsigned)field << 3 | (unsigned)wire, more = tag >= 128;
    at[0] = (unsigned char)(tag | more << 7);
    at[1] = (unsigned char)(tag >> 7);
    return at + 1 + more;
}

/// Text, where there is room.
static inline unsigned char *gr_proto_store_text(unsigned char *at, int field, const char *text, size_t length)
{
    at = gr_proto_store_varint(gr_proto_store_tag(at, field, GR_WIRE_BYTES), length);
    memcpy(at, text, length);
    return at + length;
}

static inline void gr_proto_byte(GrBuffer *out, unsigned value)
{
    unsigned char *at = gr_proto_room(out, 1);
    if (at != NULL) {
        *at = (unsigned char)value;
    }
}

static inline void gr_proto_varint(GrBuffer *out, uint64_t value)
{
    for (; value >= 128; value >>= 7) {
        gr_proto_byte(out, (unsigned)(value & 127) | 128u);
    }
    gr_proto_byte(out, (unsigned)value);
}

static inline void gr_proto_tag(GrBuffer *out, int field, GrProtoWire wire)
{
    gr_proto_varint(out, (uint64_t)field << 3 | (uint64_t)wire);
}

/// Little-endian, `size` 2, 4 or 8.
static inline void gr_proto_fixed(GrBuffer *out, uint64_t value, int size)
{
    unsigned char *at = gr_proto_room(out, (size_t)size);
    if (at != NULL) {
        gr_proto_store(at, value, size);
    }
}

static inline void gr_proto_float(GrBuffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    gr_proto_fixed(out, bits, 4);
}

static inline void gr_proto_double(GrBuffer *out, int field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    gr_proto_tag(out, field, GR_WIRE_64);
    gr_proto_fixed(out, bits, 8);
}

static inline void gr_proto_fixed32(GrBuffer *out, int field, uint32_t value)
{
    gr_proto_tag(out, field, GR_WIRE_32);
    gr_proto_fixed(out, value, 4);
}

/// Integers, booleans and enumerations; negative ones take ten bytes.
static inline void gr_proto_integer(GrBuffer *out, int field, int64_t value)
{
    gr_proto_tag(out, field, GR_WIRE_VARINT);
    gr_proto_varint(out, (uint64_t)value);
}

static inline void gr_proto_bytes(GrBuffer *out, int field, const void *data, size_t size)
{
    gr_proto_tag(out, field, GR_WIRE_BYTES);
    gr_proto_varint(out, size);
    unsigned char *at = gr_proto_room(out, size);
    if (at != NULL && size > 0) {
        memcpy(at, data, size);
    }
}

static inline void gr_proto_string(GrBuffer *out, int field, const char *text)
{
    gr_proto_bytes(out, field, text, strlen(text));
}

/// Opens a nested message; pass the result to gr_proto_end().
size_t gr_proto_begin(GrBuffer *out, int field);
void gr_proto_end(GrBuffer *out, size_t begin);

/// A google.protobuf.Timestamp [ns].
void gr_proto_time(GrBuffer *out, int field, int64_t time);

#endif

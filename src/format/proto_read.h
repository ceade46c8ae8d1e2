/// Protocol Buffers, read field by field. Nothing in the bytes is trusted: every length is checked against what is
/// there.
///
///     GrProtoReader reader = gr_proto_reader(data, size);
///     GrProtoField field;
///     while (gr_proto_next(&reader, &field)) { ... }
///     if (reader.failed) { ... }
#ifndef GR_PROTO_READ_H
#define GR_PROTO_READ_H

#include "protobuf.h"

typedef struct GrProtoReader {
    const unsigned char *at, *end;
    bool failed; ///< the bytes end within a field, or it has a kind that is not used here
} GrProtoReader;

typedef struct GrProtoField {
    int number;
    GrProtoWire wire;
    uint64_t value;             ///< bits of a number; 0 for bytes
    const unsigned char *bytes; ///< texts and messages
    size_t size;
} GrProtoField;

static inline GrProtoReader gr_proto_reader(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    return (GrProtoReader){.at = bytes, .end = bytes + size};
}

static inline uint64_t gr_proto_read_varint(GrProtoReader *r)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        const unsigned char byte = *r->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
    r->failed = true;
    return 0;
}

static inline uint64_t gr_proto_read_fixed(GrProtoReader *r, int size)
{
    uint64_t value = 0;
    if (r->end - r->at < size) {
        r->failed = true;
        return 0;
    }
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)*r->at++ << (8 * i);
    }
    return value;
}

/// The next field; false at the end, or when it failed.
static inline bool gr_proto_next(GrProtoReader *r, GrProtoField *out)
{
    if (r->failed || r->at == r->end) {
        return false;
    }
    const uint64_t tag = gr_proto_read_varint(r);
    *out = (GrProtoField){.number = (int)(tag >> 3 & INT32_MAX), .wire = (GrProtoWire)(tag & 7)};
    switch (out->wire) {
    case GR_WIRE_VARINT:
        out->value = gr_proto_read_varint(r);
        break;
    case GR_WIRE_64:
        out->value = gr_proto_read_fixed(r, 8);
        break;
    case GR_WIRE_32:
        out->value = gr_proto_read_fixed(r, 4);
        break;
    case GR_WIRE_BYTES: {
        const uint64_t size = gr_proto_read_varint(r);
        if (size > (uint64_t)(r->end - r->at)) {
            r->failed = true;
            break;
        }
        out->bytes = r->at;
        out->size = (size_t)size;
        r->at += size;
        break;
    }
    default:
        r->failed = true;
        break;
    }
    return !r->failed;
}

#endif

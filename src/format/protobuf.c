#include "protobuf.h"

/// Reserves one byte for the length, which is enough for most messages here.
size_t gr_proto_begin(GrBuffer *out, int field)
{
    gr_proto_tag(out, field, GR_WIRE_BYTES);
    gr_proto_byte(out, 0);
    return out->size;
}

void gr_proto_end(GrBuffer *out, size_t begin)
{
    if (out->failed) {
        return;
    }
    const size_t size = out->size - begin;
    int extra = 0; // bytes of the length beyond the first
    for (size_t left = size >> 7; left > 0; left >>= 7) {
        extra++;
    }
    if (extra > 0) {
        if (gr_proto_room(out, (size_t)extra) == NULL) {
            return;
        }
        memmove(out->data + begin + extra, out->data + begin, size);
    }
    unsigned char *at = (unsigned char *)out->data + begin - 1;
    for (int i = 0; i <= extra; i++) {
        at[i] = (unsigned char)((size >> (7 * i) & 127) | (i < extra ? 128u : 0u));
    }
}

void gr_proto_time(GrBuffer *out, int field, int64_t time)
{
    const size_t begin = gr_proto_begin(out, field);
    gr_proto_integer(out, 1, time / 1000000000);
    gr_proto_integer(out, 2, time % 1000000000);
    gr_proto_end(out, begin);
}

#include "field_message.h"

#include "check.h"
#include "protobuf.h"

/// Largest size of a field that is not text: tag and varint.
enum { FIELD_SIZE = 2 + 10 };

static GrProtoWire wire_of(const GrRunField *field, bool single)
{
    switch (field->kind) {
    case GR_FIELD_NUMBER:
        return single ? GR_WIRE_32 : GR_WIRE_64;
    case GR_FIELD_SOIL:
        return GR_WIRE_BYTES;
    default:
        return GR_WIRE_VARINT;
    }
}

GrFieldMessage gr_field_message(const GrFieldGroup *group, const char *const *soils, int soil_count)
{
    GR_CHECK(group->count <= GR_MESSAGE_FIELDS);
    size_t longest = 0;
    for (int i = 0; i < soil_count; i++) {
        const size_t length = strlen(soils[i]);
        longest = length > longest ? length : longest;
    }
    GrFieldMessage message = {.count = group->count,
                              .room = (size_t)group->count * (FIELD_SIZE + longest),
                              .soils = soils,
                              .soil_count = soil_count};
    for (int i = 0; i < group->count; i++) {
        const GrRunField *field = &group->fields[i];
        GrMessageField *out = &message.fields[i];
        *out = (GrMessageField){.kind = (unsigned char)field->kind,
                                .single = gr_field_single(group, field),
                                .offset = field->offset,
                                .scale = field->scale};
        const unsigned char *end = gr_proto_store_tag(out->tag, i + 1, wire_of(field, out->single));
        out->tag_size = (unsigned char)(end - out->tag);
    }
    return message;
}

static unsigned char *store_number(unsigned char *at, bool single, double value)
{
    if (single) {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return gr_proto_store(at, bits, 4);
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return gr_proto_store(at, bits, 8);
}

static unsigned char *store_soil(const GrFieldMessage *message, unsigned char *at, int soil)
{
    const char *name = soil >= 0 && soil < message->soil_count ? message->soils[soil] : "";
    const size_t length = strlen(name);
    at = gr_proto_store_varint(at, length);
    for (size_t i = 0; i < length; i++) {
        at[i] = (unsigned char)name[i];
    }
    return at + length;
}

unsigned char *gr_field_message_store(const GrFieldMessage *message, const void *from, unsigned char *at)
{
    for (int i = 0; i < message->count; i++) {
        const GrMessageField *field = &message->fields[i];
        const void *value = (const char *)from + field->offset;
        memcpy(at, field->tag, sizeof field->tag);
        at += field->tag_size;
        if (field->kind == GR_FIELD_NUMBER) {
            at = store_number(at, field->single, field->scale * *(const double *)value);
        } else if (field->kind == GR_FIELD_SOIL) {
            at = store_soil(message, at, *(const int *)value);
        } else {
            at = gr_proto_store_varint(at, (uint64_t)(int64_t)(*(const int *)value));
        }
    }
    return at;
}

#include "proto_schema.h"

#include "check.h"
#include "protobuf.h"

#include <ctype.h>
#include <stdio.h>

enum {
    // fields of descriptors (google/protobuf/descriptor.proto)
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_DEPENDENCY = 3,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_SYNTAX = 12,
    MESSAGE_NAME = 1,
    MESSAGE_FIELD = 2,
    MESSAGE_ENUM = 4,
    FIELD_NAME = 1,
    FIELD_NUMBER = 3,
    FIELD_LABEL = 4,
    FIELD_TYPE = 5,
    FIELD_TYPE_NAME = 6,
    FIELD_JSON_NAME = 10,
    ENUM_NAME = 1,
    ENUM_VALUE = 2,
    VALUE_NAME = 1,
    VALUE_NUMBER = 2,
    // values of FIELD_LABEL and FIELD_TYPE
    LABEL_OPTIONAL = 1,
    LABEL_REPEATED = 3,
    TYPE_DOUBLE = 1,
    TYPE_FLOAT = 2,
    TYPE_INT32 = 5,
    TYPE_STRING = 9,
    TYPE_MESSAGE = 11,
    TYPE_ENUM = 14,
};

// ---- descriptors

typedef struct Field {
    const char *name;
    int type;
    const char *of; ///< message or enumeration, with its package; NULL: a plain type
    bool repeated;
    const char *json; ///< its name in JSON; NULL: that of Protocol Buffers
} Field;

static void put_field(GrBuffer *set, int number, const Field *f)
{
    const size_t field = gr_proto_begin(set, MESSAGE_FIELD);
    gr_proto_string(set, FIELD_NAME, f->name);
    gr_proto_integer(set, FIELD_NUMBER, number);
    gr_proto_integer(set, FIELD_LABEL, f->repeated ? LABEL_REPEATED : LABEL_OPTIONAL);
    gr_proto_integer(set, FIELD_TYPE, f->type);
    if (f->of != NULL) {
        char full[96];
        snprintf(full, sizeof full, ".%s", f->of);
        gr_proto_string(set, FIELD_TYPE_NAME, full);
    }
    if (f->json != NULL) {
        gr_proto_string(set, FIELD_JSON_NAME, f->json);
    }
    gr_proto_end(set, field);
}

static void put_enum_value(GrBuffer *set, const char *name, size_t length, int number)
{
    const size_t value = gr_proto_begin(set, ENUM_VALUE);
    gr_proto_bytes(set, VALUE_NAME, name, length);
    gr_proto_integer(set, VALUE_NUMBER, number);
    gr_proto_end(set, value);
}

static size_t begin_file(GrBuffer *set, const char *name, const char *package)
{
    const size_t file = gr_proto_begin(set, SET_FILE);
    gr_proto_string(set, FILE_NAME, name);
    gr_proto_string(set, FILE_PACKAGE, package);
    return file;
}

static void end_file(GrBuffer *set, size_t file)
{
    gr_proto_string(set, FILE_SYNTAX, "proto3");
    gr_proto_end(set, file);
}

static int add_to(const GrTopicSink *sink, const char *package, const char *name, GrBuffer *set)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", package, name);
    const int schema = sink->schema(sink->context, full, set);
    gr_buffer_free(set);
    return schema;
}

// ---- Foxglove's types

/// A type: the fields of a message, whose numbers count from 1, or the values of an enumeration, which count from 0.
typedef struct Type {
    const char *name;
    int type;
    const char *text;
} Type;

/// Messages follow what they contain. The first two are Google's.
static const Type TYPES[] = {
    {"Timestamp", TYPE_MESSAGE, "int64 seconds, int32 nanos"},
    {"Duration", TYPE_MESSAGE, "int64 seconds, int32 nanos"},
    {"Vector2", TYPE_MESSAGE, "double x, double y"},
    {"Vector3", TYPE_MESSAGE, "double x, double y, double z"},
    {"Point3", TYPE_MESSAGE, "double x, double y, double z"},
    {"Quaternion", TYPE_MESSAGE, "double x, double y, double z, double w"},
    {"Pose", TYPE_MESSAGE, "Vector3 position, Quaternion orientation"},
    {"Color", TYPE_MESSAGE, "double r, double g, double b, double a"},
    {"KeyValuePair", TYPE_MESSAGE, "string key, string value"},
    {"FrameTransform", TYPE_MESSAGE,
     "Timestamp timestamp, string parent_frame_id, string child_frame_id, Vector3 translation, Quaternion rotation"},
    {"FrameTransforms", TYPE_MESSAGE, "FrameTransform[] transforms"},
    {"ArrowPrimitive", TYPE_MESSAGE,
     "Pose pose, double shaft_length, double shaft_diameter, double head_length, double head_diameter, Color color"},
    {"CubePrimitive", TYPE_MESSAGE, "Pose pose, Vector3 size, Color color"},
    {"SpherePrimitive", TYPE_MESSAGE, "Pose pose, Vector3 size, Color color"},
    {"CylinderPrimitive", TYPE_MESSAGE, "Pose pose, Vector3 size, double bottom_scale, double top_scale, Color color"},
    {"LinePrimitive.Type", TYPE_ENUM, "LINE_STRIP LINE_LOOP LINE_LIST"},
    {"LinePrimitive", TYPE_MESSAGE,
     "LinePrimitive.Type type, Pose pose, double thickness, bool scale_invariant, Point3[] points, Color color, "
     "Color[] colors, fixed32[] indices"},
    {"TriangleListPrimitive", TYPE_MESSAGE,
     "Pose pose, Point3[] points, Color color, Color[] colors, fixed32[] indices"},
    {"TextPrimitive", TYPE_MESSAGE,
     "Pose pose, bool billboard, double font_size, bool scale_invariant, Color color, string text"},
    {"ModelPrimitive", TYPE_MESSAGE,
     "Pose pose, Vector3 scale, Color color, bool override_color, string url, string media_type, bytes data"},
    {"SceneEntityDeletion.Type", TYPE_ENUM, "MATCHING_ID ALL"},
    {"SceneEntityDeletion", TYPE_MESSAGE, "Timestamp timestamp, SceneEntityDeletion.Type type, string id"},
    {"SceneEntity", TYPE_MESSAGE,
     "Timestamp timestamp, string frame_id, string id, Duration lifetime, bool frame_locked, KeyValuePair[] metadata, "
     "ArrowPrimitive[] arrows, CubePrimitive[] cubes, SpherePrimitive[] spheres, CylinderPrimitive[] cylinders, "
     "LinePrimitive[] lines, TriangleListPrimitive[] triangles, TextPrimitive[] texts, ModelPrimitive[] models"},
    {"SceneUpdate", TYPE_MESSAGE, "SceneEntityDeletion[] deletions, SceneEntity[] entities"},
    {"PackedElementField.NumericType", TYPE_ENUM, "UNKNOWN UINT8 INT8 UINT16 INT16 UINT32 INT32 FLOAT32 FLOAT64"},
    {"PackedElementField", TYPE_MESSAGE, "string name, fixed32 offset, PackedElementField.NumericType type"},
    {"Grid", TYPE_MESSAGE,
     "Timestamp timestamp, string frame_id, Pose pose, fixed32 column_count, Vector2 cell_size, fixed32 row_stride, "
     "fixed32 cell_stride, PackedElementField[] fields, bytes data"},
    {"PointCloud", TYPE_MESSAGE,
     "Timestamp timestamp, string frame_id, Pose pose, fixed32 point_stride, PackedElementField[] fields, bytes data"},
    {"RawImage", TYPE_MESSAGE,
     "Timestamp timestamp, fixed32 width, fixed32 height, string encoding, fixed32 step, bytes data, string frame_id"},
    {"CameraCalibration", TYPE_MESSAGE,
     "Timestamp timestamp, fixed32 width, fixed32 height, string distortion_model, double[] D, double[] K, double[] R, "
     "double[] P, string frame_id"},
    {"double", TYPE_DOUBLE, ""},
    {"int64", 3, ""},
    {"int32", TYPE_INT32, ""},
    {"fixed32", 7, ""},
    {"bool", 8, ""},
    {"string", TYPE_STRING, ""},
    {"bytes", 12, ""},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

/// Google's types have their own files, under the names that readers may have built in.
static const char *const GOOGLE[] = {"google/protobuf/timestamp.proto", "google/protobuf/duration.proto"};
enum { GOOGLE_COUNT = sizeof GOOGLE / sizeof GOOGLE[0] };

static int find_type(const char *name, size_t length)
{
    int i = 0;
    while (i < TYPE_COUNT && (strncmp(TYPES[i].name, name, length) != 0 || TYPES[i].name[length] != '\0')) {
        i++;
    }
    GR_CHECK(i < TYPE_COUNT);
    return i;
}

enum { FIELD_NAME_SIZE = 32, TYPE_NAME_SIZE = 64 };

/// A field of a type of Foxglove's.
typedef struct FoxgloveField {
    Field field;
    int type; ///< index
    char name[FIELD_NAME_SIZE], of[TYPE_NAME_SIZE];
} FoxgloveField;

/// Reads a field, such as "Vector3 position" or "Point3[] points", and moves on to the next; false at the end.
static bool next_field(const char **at, FoxgloveField *out)
{
    const size_t word = strcspn(*at, " ");
    if (word == 0) {
        return false;
    }
    const char *name = *at + word + 1;
    const size_t length = strcspn(name, ",");
    const bool repeated = (*at)[word - 1] == ']';
    out->type = find_type(*at, repeated ? word - 2 : word);
    const Type *type = &TYPES[out->type];
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, name);
    snprintf(out->of, sizeof out->of, "%s.%s", out->type < GOOGLE_COUNT ? "google.protobuf" : "foxglove", type->name);
    out->field = (Field){.name = out->name, .type = type->type, .repeated = repeated};
    out->field.of = type->type == TYPE_MESSAGE || type->type == TYPE_ENUM ? out->of : NULL;
    *at = name + length + strspn(name + length, ", ");
    return true;
}

static void put_enum(GrBuffer *set, const char *name, const char *values)
{
    const size_t begin = gr_proto_begin(set, MESSAGE_ENUM);
    gr_proto_string(set, ENUM_NAME, name);
    int number = 0;
    for (const char *value = values; *value != '\0';) {
        const size_t length = strcspn(value, " ");
        put_enum_value(set, value, length, number++);
        value += length + (value[length] == ' ');
    }
    gr_proto_end(set, begin);
}

static void put_message(GrBuffer *set, const Type *type)
{
    const size_t begin = gr_proto_begin(set, FILE_MESSAGE), length = strlen(type->name);
    FoxgloveField field;
    int number = 1;
    gr_proto_string(set, MESSAGE_NAME, type->name);
    for (const char *at = type->text; next_field(&at, &field);) {
        put_field(set, number++, &field.field);
    }
    for (int i = 0; i < TYPE_COUNT; i++) { // Message.Enumeration
        if (strncmp(TYPES[i].name, type->name, length) == 0 && TYPES[i].name[length] == '.') {
            put_enum(set, TYPES[i].name + length + 1, TYPES[i].text);
        }
    }
    gr_proto_end(set, begin);
}

int gr_foxglove_schema(const GrTopicSink *sink, const char *name)
{
    bool wanted[TYPE_COUNT] = {false};
    char file_name[96];
    GrBuffer set = {0};
    FoxgloveField field;
    wanted[find_type(name, strlen(name))] = true;
    for (int i = TYPE_COUNT - 1; i >= 0; i--) {
        for (const char *at = TYPES[i].text; wanted[i] && TYPES[i].type == TYPE_MESSAGE && next_field(&at, &field);) {
            wanted[field.type] = true;
        }
    }
    for (int i = 0; i < GOOGLE_COUNT; i++) {
        if (wanted[i]) {
            const size_t file = begin_file(&set, GOOGLE[i], "google.protobuf");
            put_message(&set, &TYPES[i]);
            end_file(&set, file);
        }
    }
    snprintf(file_name, sizeof file_name, "foxglove/%s.proto", name);
    const size_t file = begin_file(&set, file_name, "foxglove");
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (i < GOOGLE_COUNT && wanted[i]) {
            gr_proto_string(&set, FILE_DEPENDENCY, GOOGLE[i]);
        } else if (wanted[i] && TYPES[i].type == TYPE_MESSAGE) {
            put_message(&set, &TYPES[i]);
        }
    }
    end_file(&set, file);
    return add_to(sink, "foxglove", name, &set);
}

// ---- our types

/// How kinds of recorded fields are declared and encoded; the first is a number in single precision.
typedef struct Form {
    int type;
    GrProtoWire wire;
    const char *of;
} Form;

static Form form_of(const GrChannelGroup *group, const GrChannelRow *field)
{
    static const Form SINGLE = {TYPE_FLOAT, GR_WIRE_32, NULL};
    static const Form FORMS[] = {[GR_CHANNEL_NUMBER] = {TYPE_DOUBLE, GR_WIRE_64, NULL},
                                 [GR_CHANNEL_INTEGER] = {TYPE_INT32, GR_WIRE_VARINT, NULL},
                                 [GR_CHANNEL_STATE] = {TYPE_ENUM, GR_WIRE_VARINT, "grouser.ContactState"},
                                 [GR_CHANNEL_MODE] = {TYPE_ENUM, GR_WIRE_VARINT, "grouser.DriveMode"},
                                 [GR_CHANNEL_SOIL] = {TYPE_STRING, GR_WIRE_BYTES, NULL}};
    return field->kind == GR_CHANNEL_NUMBER && gr_channel_single(group, field) ? SINGLE : FORMS[field->kind];
}

/// "soft: slipping, braking" -> SOFT_SLIPPING_BRAKING
static void put_state_value(GrBuffer *set, const char *text, int number)
{
    char name[64];
    size_t length = 0;
    for (const char *c = text; *c != '\0' && length < sizeof name; c++) {
        if (isalnum((unsigned char)*c)) {
            name[length++] = (char)toupper((unsigned char)*c);
        } else if (length > 0 && name[length - 1] != '_') {
            name[length++] = '_';
        }
    }
    put_enum_value(set, name, length, number);
}

static bool has_kind(const GrChannelGroup *group, GrChannelKind kind)
{
    for (int i = 0; i < group->count; i++) {
        if (group->rows[i].kind == kind) {
            return true;
        }
    }
    return false;
}

/// The enumerations of a group, each once.
static void put_field_enums(GrBuffer *set, const GrChannelGroup *group)
{
    static const GrChannelKind kinds[] = {GR_CHANNEL_STATE, GR_CHANNEL_MODE};
    for (int i = 0; i < 2; i++) {
        const bool state = kinds[i] == GR_CHANNEL_STATE;
        if (!has_kind(group, kinds[i])) {
            continue;
        }
        const size_t begin = gr_proto_begin(set, FILE_ENUM);
        gr_proto_string(set, ENUM_NAME, state ? "ContactState" : "DriveMode");
        const int count = state ? gr_wheel_state_count() : GR_DRIVE_MODE_COUNT;
        for (int k = 0; k < count; k++) {
            put_state_value(set, state ? gr_wheel_state_text(k) : gr_drive_mode_name((GrDriveMode)k), k);
        }
        gr_proto_end(set, begin);
    }
}

static void put_fields(GrBuffer *set, const char *name, const GrChannelGroup *group)
{
    const size_t message = gr_proto_begin(set, FILE_MESSAGE);
    gr_proto_string(set, MESSAGE_NAME, name);
    for (int i = 0; i < group->count; i++) {
        const Form form = form_of(group, &group->rows[i]);
        put_field(set, i + 1, &(Field){.name = group->rows[i].name, .type = form.type, .of = form.of});
    }
    gr_proto_end(set, message);
}

int gr_channel_schema(const GrTopicSink *sink, const char *name, const GrChannelGroup *group)
{
    char file_name[96];
    GrBuffer set = {0};
    snprintf(file_name, sizeof file_name, "grouser/%s.proto", name);
    const size_t file = begin_file(&set, file_name, "grouser");
    put_fields(&set, name, group);
    put_field_enums(&set, group);
    end_file(&set, file);
    return add_to(sink, "grouser", name, &set);
}

enum { PART_NAME_SIZE = GR_NAME_SIZE + 16 };

/// "hitch.rx" -> hitch_rx
static void put_identifier(const char *name, char out[PART_NAME_SIZE])
{
    snprintf(out, GR_NAME_SIZE, "%s%s", isdigit((unsigned char)name[0]) ? "_" : "", name);
    for (char *c = out; *c != '\0'; c++) {
        *c = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
}

/// The identifier of a part, with its index where a part before has the same.
static void name_part(const GrSchemaPart *parts, int index, char out[PART_NAME_SIZE])
{
    char other[PART_NAME_SIZE];
    bool taken = false;
    put_identifier(parts[index].name, out);
    for (int i = 0; i < index && !taken; i++) {
        put_identifier(parts[i].name, other);
        taken = strcmp(other, out) == 0;
    }
    if (taken) {
        const size_t length = strlen(out);
        snprintf(out + length, PART_NAME_SIZE - length, "_%d", index);
    }
}

int gr_parts_schema(const GrTopicSink *sink, const char *name, const GrSchemaPart *parts, int count)
{
    char text[96], identifier[PART_NAME_SIZE];
    GrBuffer set = {.failed = parts == NULL};
    snprintf(text, sizeof text, "grouser/%s.proto", name);
    const size_t file = begin_file(&set, text, "grouser");
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int k = 0; k < i; k++) {
            known = known || parts[k].channels == parts[i].channels;
        }
        if (!known) {
            put_fields(&set, parts[i].type, parts[i].channels);
        }
    }
    const size_t message = gr_proto_begin(&set, FILE_MESSAGE);
    gr_proto_string(&set, MESSAGE_NAME, name);
    for (int i = 0; i < count; i++) {
        name_part(parts, i, identifier);
        snprintf(text, sizeof text, "grouser.%s", parts[i].type);
        put_field(&set, i + 1, &(Field){.name = identifier, .type = TYPE_MESSAGE, .of = text, .json = parts[i].name});
    }
    gr_proto_end(&set, message);
    end_file(&set, file);
    return add_to(sink, "grouser", name, &set);
}

// ---- messages of samples

/// Largest size of a field that is not text: tag and varint.
enum { FIELD_SIZE = 2 + 10 };

GrChannelMessage gr_channel_message(const GrChannelGroup *group, const char *const *soils, int soil_count)
{
    GR_CHECK(group->count <= GR_MESSAGE_FIELDS);
    size_t longest = 0;
    for (int i = 0; i < soil_count; i++) {
        const size_t length = strlen(soils[i]);
        longest = length > longest ? length : longest;
    }
    GrChannelMessage message = {.count = group->count,
                                .room = (size_t)group->count * (FIELD_SIZE + longest),
                                .soils = soils,
                                .soil_count = soil_count};
    for (int i = 0; i < group->count; i++) {
        const GrChannelRow *field = &group->rows[i];
        GrMessageField *out = &message.fields[i];
        *out = (GrMessageField){.kind = (unsigned char)field->kind,
                                .single = gr_channel_single(group, field),
                                .offset = field->offset,
                                .scale = field->scale};
        const unsigned char *end = gr_proto_store_tag(out->tag, i + 1, form_of(group, field).wire);
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

static unsigned char *store_soil(const GrChannelMessage *message, unsigned char *at, int soil)
{
    const char *name = soil >= 0 && soil < message->soil_count ? message->soils[soil] : "";
    const size_t length = strlen(name);
    at = gr_proto_store_varint(at, length);
    for (size_t i = 0; i < length; i++) {
        at[i] = (unsigned char)name[i];
    }
    return at + length;
}

unsigned char *gr_channel_message_store(const GrChannelMessage *message, const void *from, unsigned char *at)
{
    for (int i = 0; i < message->count; i++) {
        const GrMessageField *field = &message->fields[i];
        const void *value = (const char *)from + field->offset;
        memcpy(at, field->tag, sizeof field->tag);
        at += field->tag_size;
        if (field->kind == GR_CHANNEL_NUMBER) {
            at = store_number(at, field->single, field->scale * *(const double *)value);
        } else if (field->kind == GR_CHANNEL_SOIL) {
            at = store_soil(message, at, *(const int *)value);
        } else {
            at = gr_proto_store_varint(at, (uint64_t)(int64_t)(*(const int *)value));
        }
    }
    return at;
}

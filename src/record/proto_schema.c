#include "proto_schema.h"

#include "protobuf.h"

#include <ctype.h>
#include <stdio.h>

/// FieldDescriptorProto.Type
typedef enum FieldType {
    TYPE_DOUBLE = 1,
    TYPE_FLOAT = 2,
    TYPE_INT64 = 3,
    TYPE_INT32 = 5,
    TYPE_FIXED32 = 7,
    TYPE_BOOL = 8,
    TYPE_STRING = 9,
    TYPE_MESSAGE = 11,
    TYPE_BYTES = 12,
    TYPE_ENUM = 14,
} FieldType;

typedef enum Label { LABEL_OPTIONAL = 1, LABEL_REPEATED = 3 } Label;

/// A row of the table of types: rows of one type are adjacent, and field numbers count from 1 within it.
typedef struct Row {
    const char *message; ///< with its package; NULL: the same as in the row above
    const char *name;
    const char *of; ///< message or enumeration, with its package; NULL for plain types
    FieldType type;
    Label label;
} Row;

#define PLAIN(name, type)                                                                                              \
    {                                                                                                                  \
        NULL, name, NULL, type, LABEL_OPTIONAL                                                                         \
    }
#define INSIDE(name, of)                                                                                               \
    {                                                                                                                  \
        NULL, name, of, TYPE_MESSAGE, LABEL_OPTIONAL                                                                   \
    }
#define MANY(name, of)                                                                                                 \
    {                                                                                                                  \
        NULL, name, of, TYPE_MESSAGE, LABEL_REPEATED                                                                   \
    }
#define CHOICE(name, of)                                                                                               \
    {                                                                                                                  \
        NULL, name, of, TYPE_ENUM, LABEL_OPTIONAL                                                                      \
    }
#define STAMP "google.protobuf.Timestamp"

/// Field numbers are those that Foxglove publishes, which count from 1 without a gap.
static const Row ROWS[] = {
    {"google.protobuf.Timestamp", "seconds", NULL, TYPE_INT64, LABEL_OPTIONAL},
    PLAIN("nanos", TYPE_INT32),
    {"google.protobuf.Duration", "seconds", NULL, TYPE_INT64, LABEL_OPTIONAL},
    PLAIN("nanos", TYPE_INT32),
    {"foxglove.Vector2", "x", NULL, TYPE_DOUBLE, LABEL_OPTIONAL},
    PLAIN("y", TYPE_DOUBLE),
    {"foxglove.Vector3", "x", NULL, TYPE_DOUBLE, LABEL_OPTIONAL},
    PLAIN("y", TYPE_DOUBLE),
    PLAIN("z", TYPE_DOUBLE),
    {"foxglove.Point3", "x", NULL, TYPE_DOUBLE, LABEL_OPTIONAL},
    PLAIN("y", TYPE_DOUBLE),
    PLAIN("z", TYPE_DOUBLE),
    {"foxglove.Quaternion", "x", NULL, TYPE_DOUBLE, LABEL_OPTIONAL},
    PLAIN("y", TYPE_DOUBLE),
    PLAIN("z", TYPE_DOUBLE),
    PLAIN("w", TYPE_DOUBLE),
    {"foxglove.Pose", "position", "foxglove.Vector3", TYPE_MESSAGE, LABEL_OPTIONAL},
    INSIDE("orientation", "foxglove.Quaternion"),
    {"foxglove.Color", "r", NULL, TYPE_DOUBLE, LABEL_OPTIONAL},
    PLAIN("g", TYPE_DOUBLE),
    PLAIN("b", TYPE_DOUBLE),
    PLAIN("a", TYPE_DOUBLE),
    {"foxglove.KeyValuePair", "key", NULL, TYPE_STRING, LABEL_OPTIONAL},
    PLAIN("value", TYPE_STRING),
    {"foxglove.FrameTransform", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("parent_frame_id", TYPE_STRING),
    PLAIN("child_frame_id", TYPE_STRING),
    INSIDE("translation", "foxglove.Vector3"),
    INSIDE("rotation", "foxglove.Quaternion"),
    {"foxglove.FrameTransforms", "transforms", "foxglove.FrameTransform", TYPE_MESSAGE, LABEL_REPEATED},
    {"foxglove.ArrowPrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("shaft_length", TYPE_DOUBLE),
    PLAIN("shaft_diameter", TYPE_DOUBLE),
    PLAIN("head_length", TYPE_DOUBLE),
    PLAIN("head_diameter", TYPE_DOUBLE),
    INSIDE("color", "foxglove.Color"),
    {"foxglove.CubePrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    INSIDE("size", "foxglove.Vector3"),
    INSIDE("color", "foxglove.Color"),
    {"foxglove.SpherePrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    INSIDE("size", "foxglove.Vector3"),
    INSIDE("color", "foxglove.Color"),
    {"foxglove.CylinderPrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    INSIDE("size", "foxglove.Vector3"),
    PLAIN("bottom_scale", TYPE_DOUBLE),
    PLAIN("top_scale", TYPE_DOUBLE),
    INSIDE("color", "foxglove.Color"),
    {"foxglove.LinePrimitive", "type", "foxglove.LinePrimitive.Type", TYPE_ENUM, LABEL_OPTIONAL},
    INSIDE("pose", "foxglove.Pose"),
    PLAIN("thickness", TYPE_DOUBLE),
    PLAIN("scale_invariant", TYPE_BOOL),
    MANY("points", "foxglove.Point3"),
    INSIDE("color", "foxglove.Color"),
    MANY("colors", "foxglove.Color"),
    {NULL, "indices", NULL, TYPE_FIXED32, LABEL_REPEATED},
    {"foxglove.TriangleListPrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    MANY("points", "foxglove.Point3"),
    INSIDE("color", "foxglove.Color"),
    MANY("colors", "foxglove.Color"),
    {NULL, "indices", NULL, TYPE_FIXED32, LABEL_REPEATED},
    {"foxglove.TextPrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("billboard", TYPE_BOOL),
    PLAIN("font_size", TYPE_DOUBLE),
    PLAIN("scale_invariant", TYPE_BOOL),
    INSIDE("color", "foxglove.Color"),
    PLAIN("text", TYPE_STRING),
    {"foxglove.ModelPrimitive", "pose", "foxglove.Pose", TYPE_MESSAGE, LABEL_OPTIONAL},
    INSIDE("scale", "foxglove.Vector3"),
    INSIDE("color", "foxglove.Color"),
    PLAIN("override_color", TYPE_BOOL),
    PLAIN("url", TYPE_STRING),
    PLAIN("media_type", TYPE_STRING),
    PLAIN("data", TYPE_BYTES),
    {"foxglove.SceneEntityDeletion", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    CHOICE("type", "foxglove.SceneEntityDeletion.Type"),
    PLAIN("id", TYPE_STRING),
    {"foxglove.SceneEntity", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("frame_id", TYPE_STRING),
    PLAIN("id", TYPE_STRING),
    INSIDE("lifetime", "google.protobuf.Duration"),
    PLAIN("frame_locked", TYPE_BOOL),
    MANY("metadata", "foxglove.KeyValuePair"),
    MANY("arrows", "foxglove.ArrowPrimitive"),
    MANY("cubes", "foxglove.CubePrimitive"),
    MANY("spheres", "foxglove.SpherePrimitive"),
    MANY("cylinders", "foxglove.CylinderPrimitive"),
    MANY("lines", "foxglove.LinePrimitive"),
    MANY("triangles", "foxglove.TriangleListPrimitive"),
    MANY("texts", "foxglove.TextPrimitive"),
    MANY("models", "foxglove.ModelPrimitive"),
    {"foxglove.SceneUpdate", "deletions", "foxglove.SceneEntityDeletion", TYPE_MESSAGE, LABEL_REPEATED},
    MANY("entities", "foxglove.SceneEntity"),
    {"foxglove.PackedElementField", "name", NULL, TYPE_STRING, LABEL_OPTIONAL},
    PLAIN("offset", TYPE_FIXED32),
    CHOICE("type", "foxglove.PackedElementField.NumericType"),
    {"foxglove.Grid", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("frame_id", TYPE_STRING),
    INSIDE("pose", "foxglove.Pose"),
    PLAIN("column_count", TYPE_FIXED32),
    INSIDE("cell_size", "foxglove.Vector2"),
    PLAIN("row_stride", TYPE_FIXED32),
    PLAIN("cell_stride", TYPE_FIXED32),
    MANY("fields", "foxglove.PackedElementField"),
    PLAIN("data", TYPE_BYTES),
    {"foxglove.PointCloud", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("frame_id", TYPE_STRING),
    INSIDE("pose", "foxglove.Pose"),
    PLAIN("point_stride", TYPE_FIXED32),
    MANY("fields", "foxglove.PackedElementField"),
    PLAIN("data", TYPE_BYTES),
    {"foxglove.RawImage", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("width", TYPE_FIXED32),
    PLAIN("height", TYPE_FIXED32),
    PLAIN("encoding", TYPE_STRING),
    PLAIN("step", TYPE_FIXED32),
    PLAIN("data", TYPE_BYTES),
    PLAIN("frame_id", TYPE_STRING),
    {"foxglove.CameraCalibration", "timestamp", STAMP, TYPE_MESSAGE, LABEL_OPTIONAL},
    PLAIN("width", TYPE_FIXED32),
    PLAIN("height", TYPE_FIXED32),
    PLAIN("distortion_model", TYPE_STRING),
    {NULL, "D", NULL, TYPE_DOUBLE, LABEL_REPEATED},
    {NULL, "K", NULL, TYPE_DOUBLE, LABEL_REPEATED},
    {NULL, "R", NULL, TYPE_DOUBLE, LABEL_REPEATED},
    {NULL, "P", NULL, TYPE_DOUBLE, LABEL_REPEATED},
    PLAIN("frame_id", TYPE_STRING),
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

/// Enumerations inside messages; values count from 0, in the order of the text.
static const struct {
    const char *message, *name, *values;
} ENUMS[] = {
    {"foxglove.LinePrimitive", "Type", "LINE_STRIP LINE_LOOP LINE_LIST"},
    {"foxglove.SceneEntityDeletion", "Type", "MATCHING_ID ALL"},
    {"foxglove.PackedElementField", "NumericType", "UNKNOWN UINT8 INT8 UINT16 INT16 UINT32 INT32 FLOAT32 FLOAT64"},
};
enum { ENUM_COUNT = sizeof ENUMS / sizeof ENUMS[0] };

/// Field numbers of the descriptors themselves (google/protobuf/descriptor.proto).
enum {
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
    VALUE_NUMBER = 2
};

/// `json`: its name in JSON; NULL: that of Protocol Buffers.
static void put_named_field(GrBuffer *set, int number, const Row *row, const char *json)
{
    const size_t field = gr_proto_begin(set, MESSAGE_FIELD);
    gr_proto_string(set, FIELD_NAME, row->name);
    gr_proto_integer(set, FIELD_NUMBER, number);
    gr_proto_integer(set, FIELD_LABEL, row->label);
    gr_proto_integer(set, FIELD_TYPE, row->type);
    if (row->of != NULL) {
        char full[96];
        snprintf(full, sizeof full, ".%s", row->of);
        gr_proto_string(set, FIELD_TYPE_NAME, full);
    }
    if (json != NULL) {
        gr_proto_string(set, FIELD_JSON_NAME, json);
    }
    gr_proto_end(set, field);
}

static void put_field(GrBuffer *set, int number, const Row *row)
{
    put_named_field(set, number, row, NULL);
}

static void put_enum_value(GrBuffer *set, const char *name, size_t length, int number)
{
    const size_t value = gr_proto_begin(set, ENUM_VALUE);
    gr_proto_bytes(set, VALUE_NAME, name, length);
    gr_proto_integer(set, VALUE_NUMBER, number);
    gr_proto_end(set, value);
}

static void put_enum(GrBuffer *set, int field, const char *name, const char *values)
{
    const size_t begin = gr_proto_begin(set, field);
    gr_proto_string(set, ENUM_NAME, name);
    int number = 0;
    for (const char *value = values; *value != '\0';) {
        const size_t length = strcspn(value, " ");
        put_enum_value(set, value, length, number++);
        value += length + (value[length] == ' ');
    }
    gr_proto_end(set, begin);
}

/// First row of a message.
static int find_message(const char *name)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        if (ROWS[i].message != NULL && strcmp(ROWS[i].message, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool is_of_message(int row, int first)
{
    return row < ROW_COUNT && (row == first || ROWS[row].message == NULL);
}

static void put_message(GrBuffer *set, int first)
{
    const char *name = ROWS[first].message;
    const size_t begin = gr_proto_begin(set, FILE_MESSAGE);
    gr_proto_string(set, MESSAGE_NAME, strrchr(name, '.') + 1);
    for (int i = first; is_of_message(i, first); i++) {
        put_field(set, i - first + 1, &ROWS[i]);
    }
    for (int i = 0; i < ENUM_COUNT; i++) {
        if (strcmp(ENUMS[i].message, name) == 0) {
            put_enum(set, MESSAGE_ENUM, ENUMS[i].name, ENUMS[i].values);
        }
    }
    gr_proto_end(set, begin);
}

/// Marks a message and all types that it contains. Types are not recursive.
static void mark(int first, bool *wanted)
{
    if (first < 0 || wanted[first]) {
        return;
    }
    wanted[first] = true;
    for (int i = first; is_of_message(i, first); i++) {
        if (ROWS[i].type == TYPE_MESSAGE) {
            mark(find_message(ROWS[i].of), wanted);
        }
    }
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

/// Google's two types have files of their own, under the names that readers may have built in.
static const struct {
    const char *message, *file;
} GOOGLE[] = {
    {"google.protobuf.Timestamp", "google/protobuf/timestamp.proto"},
    {"google.protobuf.Duration", "google/protobuf/duration.proto"},
};
enum { GOOGLE_COUNT = sizeof GOOGLE / sizeof GOOGLE[0] };

void gr_foxglove_schema(GrBuffer *set, const char *type)
{
    bool wanted[ROW_COUNT] = {false};
    mark(find_message(type), wanted);
    for (int i = 0; i < GOOGLE_COUNT; i++) {
        const int first = find_message(GOOGLE[i].message);
        if (wanted[first]) {
            const size_t file = begin_file(set, GOOGLE[i].file, "google.protobuf");
            put_message(set, first);
            end_file(set, file);
        }
    }
    char name[96];
    snprintf(name, sizeof name, "foxglove/%s.proto", strrchr(type, '.') + 1);
    const size_t file = begin_file(set, name, "foxglove");
    for (int i = 0; i < GOOGLE_COUNT; i++) {
        if (wanted[find_message(GOOGLE[i].message)]) {
            gr_proto_string(set, FILE_DEPENDENCY, GOOGLE[i].file);
        }
    }
    for (int i = 0; i < ROW_COUNT; i++) {
        if (wanted[i] && strncmp(ROWS[i].message, "foxglove.", 9) == 0) {
            put_message(set, i);
        }
    }
    end_file(set, file);
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

static bool has_kind(const GrFieldGroup *group, GrFieldKind kind)
{
    for (int i = 0; i < group->count; i++) {
        if (group->fields[i].kind == kind) {
            return true;
        }
    }
    return false;
}

/// The enumerations of a group, each once.
static void put_field_enums(GrBuffer *set, const GrFieldGroup *group)
{
    static const GrFieldKind kinds[] = {GR_FIELD_STATE, GR_FIELD_MODE};
    for (int i = 0; i < 2; i++) {
        const bool state = kinds[i] == GR_FIELD_STATE;
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

static void put_fields(GrBuffer *set, const char *name, const GrFieldGroup *group)
{
    const size_t message = gr_proto_begin(set, FILE_MESSAGE);
    gr_proto_string(set, MESSAGE_NAME, name);
    for (int i = 0; i < group->count; i++) {
        const GrRunField *field = &group->fields[i];
        Row row = {.name = field->name, .label = LABEL_OPTIONAL};
        switch (field->kind) {
        case GR_FIELD_NUMBER:
            row.type = gr_field_single(group, field) ? TYPE_FLOAT : TYPE_DOUBLE;
            break;
        case GR_FIELD_INTEGER:
            row.type = TYPE_INT32;
            break;
        case GR_FIELD_STATE:
        case GR_FIELD_MODE:
            row.type = TYPE_ENUM;
            row.of = field->kind == GR_FIELD_STATE ? "grouser.ContactState" : "grouser.DriveMode";
            break;
        case GR_FIELD_SOIL:
            row.type = TYPE_STRING;
            break;
        }
        put_field(set, i + 1, &row);
    }
    gr_proto_end(set, message);
}

void gr_field_schema(GrBuffer *set, const char *name, const GrFieldGroup *group)
{
    char file_name[96];
    snprintf(file_name, sizeof file_name, "grouser/%s.proto", name);
    const size_t file = begin_file(set, file_name, "grouser");
    put_fields(set, name, group);
    put_field_enums(set, group);
    end_file(set, file);
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

void gr_parts_schema(GrBuffer *set, const char *name, const GrSchemaPart *parts, int count)
{
    char text[96], identifier[PART_NAME_SIZE];
    snprintf(text, sizeof text, "grouser/%s.proto", name);
    const size_t file = begin_file(set, text, "grouser");
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int k = 0; k < i; k++) {
            known = known || parts[k].fields == parts[i].fields;
        }
        if (!known) {
            put_fields(set, parts[i].type, parts[i].fields);
        }
    }
    const size_t message = gr_proto_begin(set, FILE_MESSAGE);
    gr_proto_string(set, MESSAGE_NAME, name);
    for (int i = 0; i < count; i++) {
        name_part(parts, i, identifier);
        snprintf(text, sizeof text, "grouser.%s", parts[i].type);
        const Row row = {.name = identifier, .of = text, .type = TYPE_MESSAGE, .label = LABEL_OPTIONAL};
        put_named_field(set, i + 1, &row, parts[i].name);
    }
    gr_proto_end(set, message);
    end_file(set, file);
}

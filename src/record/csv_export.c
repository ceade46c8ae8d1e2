/// Columns are found in the schemas of the recording itself, so that recordings of other versions can be read.
///
///     /body                grouser.Body      time_s, x_m, ...          begins a row
///     /energy, /supply     grouser.Energy    energy.electric_J, ...
///     /wheels/NAME         grouser.Wheel     NAME.slip, ...
///     /joints              grouser.Joints    joint.NAME.angle_deg, ... a message for each joint
///     /joints/NAME         grouser.Joint     the same, of earlier versions
#include "csv_export.h"

#include "alloc.h"
#include "csv.h"
#include "decimal.h"
#include "elementary.h"
#include "grouser/sample.h"
#include "list.h"
#include "mcap_read.h"
#include "out_of_memory.h"
#include "proto_read.h"
#include "sink.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { FLUSH_SIZE = 256 * 1024, TEXT_SIZE = 128, NAME_SIZE = 3 * GR_NAME_SIZE, ENUM_MOST = 1000 };

/// Fields of descriptors, and types of fields (google/protobuf/descriptor.proto).
enum {
    SET_FILE = 1,
    FILE_MESSAGE = 4,
    MESSAGE_NAME = 1,
    MESSAGE_FIELD = 2,
    FIELD_NAME = 1,
    FIELD_NUMBER = 3,
    FIELD_TYPE = 5,
    FIELD_TYPE_NAME = 6,
    FIELD_JSON_NAME = 10,
    TYPE_DOUBLE = 1,
    TYPE_FLOAT = 2,
    TYPE_INT32 = 5,
    TYPE_STRING = 9,
    TYPE_MESSAGE = 11,
    TYPE_ENUM = 14,
};

/// A field of a message, as its descriptor has it.
typedef struct Field {
    int number, type;
    char name[GR_NAME_SIZE], json[GR_NAME_SIZE], of[GR_NAME_SIZE];
} Field;

typedef struct Column {
    int topic;
    int part;   ///< field number of the message that it is in; 0: none
    int number; ///< field number
    int type;
    bool mode; ///< of enumerations: a drive mode, else a contact state
    bool told; ///< the present row has it
    double value;
    char text[TEXT_SIZE];
} Column;

typedef struct Export {
    GrMcapReader *reader;
    const char *path; ///< of the recording
    GrErrorLog *log;
    GrSink sink;
    GrBuffer rows;
    Column *columns;
    int count;
    int *first; ///< [topics + 1] columns of each topic
    int body;   ///< topic that begins a row
    bool open;  ///< there is a row
    long row_count;
    GrStatus status;
} Export;

static void take_text(char *out, size_t room, const GrProtoField *field)
{
    const size_t size = field->size < room - 1 ? field->size : room - 1;
    memcpy(out, field->bytes, size);
    out[size] = '\0';
}

static bool is_text(const GrProtoField *field, const char *text)
{
    return field->wire == GR_WIRE_BYTES && field->size == strlen(text) && memcmp(field->bytes, text, field->size) == 0;
}

static Field read_field(const GrProtoField *descriptor)
{
    Field out = {0};
    GrProtoReader r = gr_proto_reader(descriptor->bytes, descriptor->size);
    GrProtoField f;
    while (gr_proto_next(&r, &f)) {
        if (f.wire == GR_WIRE_BYTES) {
            char *to = f.number == FIELD_NAME        ? out.name
                       : f.number == FIELD_JSON_NAME ? out.json
                       : f.number == FIELD_TYPE_NAME ? out.of
                                                     : NULL;
            if (to != NULL) {
                take_text(to, GR_NAME_SIZE, &f);
            }
        } else if (f.number == FIELD_NUMBER) {
            out.number = (int)f.value;
        } else if (f.number == FIELD_TYPE) {
            out.type = (int)f.value;
        }
    }
    return out;
}

/// The descriptor of a message, by its name without package; its `bytes` are NULL where there is none.
static GrProtoField find_message(const GrMcapTopic *topic, const char *name)
{
    GrProtoReader set = gr_proto_reader(topic->schema, topic->schema_size);
    GrProtoField file, message, field;
    while (gr_proto_next(&set, &file)) {
        GrProtoReader in_file = gr_proto_reader(file.bytes, file.number == SET_FILE ? file.size : 0);
        while (gr_proto_next(&in_file, &message)) {
            const bool used = message.number == FILE_MESSAGE && message.wire == GR_WIRE_BYTES;
            GrProtoReader in_message = gr_proto_reader(message.bytes, used ? message.size : 0);
            while (gr_proto_next(&in_message, &field)) {
                if (field.number == MESSAGE_NAME && is_text(&field, name)) {
                    return message;
                }
            }
        }
    }
    return (GrProtoField){0};
}

static const char *last_part(const char *name)
{
    const char *point = strrchr(name, '.');
    return point != NULL ? point + 1 : name;
}

static GrStatus add_column(Export *e, int topic, int part, const char *prefix, const Field *field)
{
    char name[NAME_SIZE];
    const Column column = {.topic = topic,
                           .part = part,
                           .number = field->number,
                           .type = field->type,
                           .mode = strcmp(last_part(field->of), "DriveMode") == 0};
    if (gr_list_add(&e->columns, &e->count, &column, sizeof column) < 0) {
        return gr_out_of_memory(e->log, e->path);
    }
    snprintf(name, sizeof name, "%s%s", prefix, field->name);
    if (e->rows.size > 0) {
        gr_buffer_puts(&e->rows, ",");
    }
    gr_csv_put(&e->rows, name);
    return GR_OK;
}

/// Columns of a message; those of the messages in it with their names.
static GrStatus add_message(Export *e, int topic, int part, const char *message, const char *prefix)
{
    const GrMcapTopic *about = gr_mcap_reader_topic(e->reader, topic);
    const GrProtoField descriptor = find_message(about, message);
    GrProtoReader r = gr_proto_reader(descriptor.bytes, descriptor.size);
    GrProtoField f;
    GrStatus status = GR_OK;
    while (status == GR_OK && gr_proto_next(&r, &f)) {
        if (f.number != MESSAGE_FIELD || f.wire != GR_WIRE_BYTES) {
            continue;
        }
        const Field field = read_field(&f);
        if (field.type != TYPE_MESSAGE) {
            status = add_column(e, topic, part, prefix, &field);
        } else if (part == 0) {
            char inside[NAME_SIZE];
            snprintf(inside, sizeof inside, "%s%s.", prefix, field.json[0] != '\0' ? field.json : field.name);
            status = add_message(e, topic, field.number, last_part(field.of), inside);
        }
    }
    return status;
}

/// What stands before the names of a topic's columns; false: it has none in the table.
static bool prefix_of(const GrMcapTopic *topic, char out[NAME_SIZE])
{
    static const struct {
        const char *folder, *prefix; ///< a folder ends with a slash, and the rest of the topic is a name
    } ROWS[] = {{"/body", ""},    {"/energy", "energy."}, {"/supply", "supply."}, {"/localisation", "localisation."},
                {"/wheels/", ""}, {"/joints/", "joint."}, {"/joints", "joint."}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const size_t length = strlen(ROWS[i].folder);
        const bool named = ROWS[i].folder[length - 1] == '/';
        if (named && strncmp(topic->topic, ROWS[i].folder, length) == 0) {
            snprintf(out, NAME_SIZE, "%s%.*s.", ROWS[i].prefix, GR_NAME_SIZE, topic->topic + length);
            return true;
        }
        if (strcmp(topic->topic, ROWS[i].folder) == 0) {
            snprintf(out, NAME_SIZE, "%s", ROWS[i].prefix);
            return true;
        }
    }
    return false;
}

static GrStatus list_columns(Export *e)
{
    const int topics = gr_mcap_reader_topic_count(e->reader);
    char prefix[NAME_SIZE];
    GrStatus status = GR_OK;
    e->body = -1;
    for (int i = 0; i < topics && status == GR_OK; i++) {
        const GrMcapTopic *topic = gr_mcap_reader_topic(e->reader, i);
        e->first[i] = e->count;
        if (strncmp(topic->schema_name, "grouser.", 8) == 0 && prefix_of(topic, prefix)) {
            e->body = strcmp(topic->topic, "/body") == 0 ? i : e->body;
            status = add_message(e, i, 0, last_part(topic->schema_name), prefix);
        }
    }
    e->first[topics] = e->count;
    if (status == GR_OK && e->body < 0) {
        status = gr_error_add(e->log, GR_ERROR_SYNTAX, (GrLocation){.file = e->path},
                              "has no topic /body: it is not the recording of a run of this program");
    }
    gr_buffer_puts(&e->rows, "\n");
    return status;
}

static GrStatus flush(Export *e)
{
    if (e->rows.failed) {
        return gr_out_of_memory(e->log, e->sink.path);
    }
    const GrStatus status = gr_sink_write(&e->sink, e->rows.data, e->rows.size, e->log);
    e->rows.size = 0;
    return status;
}

/// The nearest number with `digits` decimal digits.
static double rounded(double value, int digits)
{
    static const double TENS[] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    const int above = (int)floor(gr_log10(fabs(value))), shift = digits - 1 - above;
    if (shift < -8 || shift > 16) {
        return value;
    }
    const double half = shift > 8 ? TENS[8] : 1, rest = TENS[shift < 0 ? -shift : shift > 8 ? shift - 8 : shift];
    return shift < 0 ? rint(value / rest) * rest : rint(value * half * rest) / half / rest;
}

/// The shortest decimal number that single precision does not tell from `value`, which has it.
static double shortest(double value)
{
    for (int digits = 6; digits < 9 && value != 0 && isfinite(value); digits++) {
        const double shorter = rounded(value, digits);
        if ((float)shorter == (float)value) {
            return shorter;
        }
    }
    return value;
}

static void put_cell(GrBuffer *rows, const Column *c)
{
    char number[GR_DECIMAL_SIZE];
    if (c->type == TYPE_STRING) {
        gr_csv_put(rows, c->text);
    } else if (c->type == TYPE_ENUM) {
        const int value = c->value >= 0 && c->value < ENUM_MOST ? (int)c->value : -1;
        gr_csv_put(rows, c->mode ? gr_drive_mode_name((GrDriveMode)value) : gr_wheel_state_text(value));
    } else if (!isnan(c->value)) {
        const double value = c->type == TYPE_FLOAT ? shortest(c->value) : c->value;
        gr_buffer_add(rows, number, (size_t)gr_decimal_write(value, number));
    }
}

static void end_row(Export *e)
{
    for (int i = 0; i < e->count; i++) {
        if (i > 0) {
            gr_buffer_puts(&e->rows, ",");
        }
        if (e->columns[i].told) {
            put_cell(&e->rows, &e->columns[i]);
        }
        e->columns[i].told = false;
    }
    gr_buffer_puts(&e->rows, "\n");
    e->row_count++;
    if (e->rows.size >= FLUSH_SIZE && e->status == GR_OK) {
        e->status = flush(e);
    }
}

static double number_of(const Column *c, uint64_t bits)
{
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    switch (c->type) {
    case TYPE_DOUBLE:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    case TYPE_FLOAT:
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    default:
        return (double)(int64_t)bits;
    }
}

/// Takes the fields of a message into the columns from `first` up to `end`. A field that is not there is zero.
static bool take_fields(Export *e, int first, int end, int part, GrProtoReader r)
{
    GrProtoField f;
    for (int i = first; i < end; i++) {
        Column *c = &e->columns[i];
        if (c->part == part) {
            c->told = true;
            c->value = 0;
            c->text[0] = '\0';
        }
    }
    int next = first; // fields are in the order of the columns, as a rule
    while (gr_proto_next(&r, &f)) {
        int i = next;
        while (i < end && (e->columns[i].part != part || e->columns[i].number != f.number)) {
            i++;
        }
        if (i == end) {
            continue;
        }
        Column *c = &e->columns[i];
        if (f.wire == GR_WIRE_BYTES && c->type == TYPE_STRING) {
            take_text(c->text, sizeof c->text, &f);
        } else if (f.wire != GR_WIRE_BYTES) {
            c->value = number_of(c, f.value);
        }
        next = i + 1 < end ? i + 1 : first;
    }
    return !r.failed;
}

/// The messages inside a message.
static bool take_parts(Export *e, int first, int end, GrProtoReader r)
{
    GrProtoField f;
    bool good = true;
    int at = first;
    while (good && gr_proto_next(&r, &f)) {
        while (at < end && e->columns[at].part < f.number) {
            at++;
        }
        int last = at;
        while (last < end && e->columns[last].part == f.number) {
            last++;
        }
        good = f.wire == GR_WIRE_BYTES && take_fields(e, at, last, f.number, gr_proto_reader(f.bytes, f.size));
        at = last;
    }
    return good && !r.failed;
}

static void take_message(void *context, const GrMcapMessage *message)
{
    Export *e = context;
    const int first = e->first[message->topic], end = e->first[message->topic + 1];
    if (first == end || e->status != GR_OK) {
        return;
    }
    if (message->topic == e->body && e->open) {
        end_row(e);
    }
    e->open = true;
    const GrProtoReader r = gr_proto_reader(message->data, message->size);
    const bool parts = e->columns[first].part > 0;
    if (!(parts ? take_parts(e, first, end, r) : take_fields(e, first, end, 0, r))) {
        e->status = gr_error_add(e->log, GR_ERROR_SYNTAX, (GrLocation){.file = e->path},
                                 "a message of the topic %s at %.3f s is damaged",
                                 gr_mcap_reader_topic(e->reader, message->topic)->topic, 1e-9 * (double)message->time);
    }
}

static GrStatus write_table(Export *e)
{
    GrStatus status = list_columns(e);
    if (status == GR_OK) {
        status = gr_mcap_reader_all(e->reader, GR_MCAP_ANY_TOPIC, &(GrMcapSpan){.until = UINT64_MAX}, take_message, e,
                                    e->log);
    }
    if (status == GR_OK && e->status == GR_OK && e->open) {
        end_row(e);
    }
    status = status == GR_OK ? e->status : status;
    return status == GR_OK ? flush(e) : status;
}

GrStatus gr_csv_export(const char *mcap_path, const char *csv_path, long *rows, GrErrorLog *log)
{
    Export e = {.path = mcap_path, .log = log, .sink.fd = -1, .reader = gr_mcap_reader_open(mcap_path, log)};
    if (e.reader == NULL) {
        return GR_ERROR_FILE;
    }
    GrStatus status = GR_OK;
    e.first = gr_calloc((size_t)gr_mcap_reader_topic_count(e.reader) + 1, sizeof *e.first);
    if (e.first == NULL) {
        status = gr_out_of_memory(log, mcap_path);
    }
    status = status == GR_OK ? gr_sink_open(&e.sink, csv_path, log) : status;
    const bool opened = status == GR_OK;
    status = opened ? write_table(&e) : status;
    const GrStatus closed = gr_sink_close(&e.sink, status == GR_OK ? log : NULL);
    status = status == GR_OK ? closed : status;
    if (opened && status != GR_OK) {
        unlink(csv_path);
    }
    if (rows != NULL) {
        *rows = e.row_count;
    }
    gr_mcap_reader_close(e.reader);
    gr_buffer_free(&e.rows);
    gr_free(e.columns);
    gr_free(e.first);
    return status;
}

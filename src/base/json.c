#include "json.h"

#include "check.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <string.h>

GrJson gr_json_to_buffer(GrBuffer *buffer, bool pretty)
{
    return (GrJson){.buffer = buffer, .pretty = pretty, .empty = true};
}

GrJson gr_json_to_file(FILE *file, bool pretty)
{
    return (GrJson){.file = file, .pretty = pretty, .empty = true};
}

static void put(GrJson *json, const char *text, size_t length)
{
    if (json->buffer != NULL) {
        gr_buffer_add(json->buffer, text, length);
    } else {
        fwrite(text, 1, length, json->file); // a failure stays in ferror() until gr_json_finish()
    }
}

static void puts_(GrJson *json, const char *text)
{
    put(json, text, strlen(text));
}

static void put_line_end(GrJson *json)
{
    if (json->pretty) {
        puts_(json, "\n");
        for (int i = 0; i < json->depth; i++) {
            puts_(json, "  ");
        }
    }
}

static void put_quoted(GrJson *json, const char *text)
{
    puts_(json, "\"");
    for (const char *c = text; *c != '\0';) {
        uint32_t code;
        const int length = gr_text_decode(c, &code);
        if (length == 0) {
            puts_(json, "\xef\xbf\xbd");
            c++;
            continue;
        }
        char escape[8];
        if (*c == '"' || *c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *c);
            puts_(json, escape);
        } else if (*c == '\n') {
            puts_(json, "\\n");
        } else if (*c == '\t') {
            puts_(json, "\\t");
        } else if (gr_text_is_control(c)) { // all below U+10000
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code & 0xffffu);
            puts_(json, escape);
        } else {
            put(json, c, (size_t)length);
        }
        c += length;
    }
    puts_(json, "\"");
}

/// Comma, line end and key before a value.
static void begin_value(GrJson *json, const char *key)
{
    const bool in_object = json->depth > 0 && json->closers[json->depth - 1] == '}';
    GR_CHECK(in_object == (key != NULL));
    GR_CHECK(json->depth > 0 || json->empty);
    if (!json->empty) {
        puts_(json, json->pretty ? "," : ", ");
    }
    if (json->depth > 0) {
        put_line_end(json);
    }
    json->empty = false;
    if (key != NULL) {
        put_quoted(json, key);
        puts_(json, ": ");
    }
}

static void begin_level(GrJson *json, const char *key, const char *opener, char closer)
{
    begin_value(json, key);
    GR_CHECK(json->depth < GR_JSON_DEPTH);
    puts_(json, opener);
    json->closers[json->depth++] = closer;
    json->empty = true;
}

void gr_json_begin_object(GrJson *json, const char *key)
{
    begin_level(json, key, "{", '}');
}

void gr_json_begin_array(GrJson *json, const char *key)
{
    begin_level(json, key, "[", ']');
}

void gr_json_end(GrJson *json)
{
    GR_CHECK(json->depth > 0);
    const char closer[2] = {json->closers[--json->depth], '\0'};
    if (!json->empty) {
        put_line_end(json);
    }
    puts_(json, closer);
    json->empty = false;
}

void gr_json_string(GrJson *json, const char *key, const char *value)
{
    begin_value(json, key);
    put_quoted(json, value);
}

static void put_number(GrJson *json, double value)
{
    char text[GR_NUMBER_SIZE];
    gr_number_format(value, text);
    puts_(json, isfinite(value) ? text : "null");
}

void gr_json_number(GrJson *json, const char *key, double value)
{
    begin_value(json, key);
    put_number(json, value);
}

void gr_json_integer(GrJson *json, const char *key, long long value)
{
    char text[GR_NUMBER_SIZE];
    snprintf(text, sizeof text, "%lld", value);
    begin_value(json, key);
    puts_(json, text);
}

void gr_json_bool(GrJson *json, const char *key, bool value)
{
    begin_value(json, key);
    puts_(json, value ? "true" : "false");
}

void gr_json_null(GrJson *json, const char *key)
{
    begin_value(json, key);
    puts_(json, "null");
}

void gr_json_numbers(GrJson *json, const char *key, const double *values, int count)
{
    begin_value(json, key);
    puts_(json, "[");
    for (int i = 0; i < count; i++) {
        puts_(json, i > 0 ? ", " : "");
        put_number(json, values[i]);
    }
    puts_(json, "]");
}

GrStatus gr_json_finish(GrJson *json)
{
    GR_CHECK(json->depth == 0);
    puts_(json, "\n");
    if (json->buffer != NULL) {
        return json->buffer->failed ? GR_ERROR_MEMORY : GR_OK;
    }
    return fflush(json->file) != 0 || ferror(json->file) ? GR_ERROR_FILE : GR_OK;
}

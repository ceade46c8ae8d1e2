#include "fields.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "raster_nodes.h"
#include "text.h"
#include "usual.h"

#include <stdio.h>
#include <string.h>

GrHint gr_suggestion(const GrErrorLog *log, const char *word, const char *const *names, int count)
{
    if (log == NULL || log->dropped > 0) {
        return (GrHint){""};
    }
    const char *without_unit = NULL; // mass for mass_kg
    const size_t length = strlen(word);
    for (int i = 0; i < count && without_unit == NULL; i++) {
        without_unit = strncmp(names[i], word, length) == 0 && names[i][length] == '_' ? names[i] : NULL;
    }
    char otherwise[120];
    snprintf(otherwise, sizeof otherwise, "; did you mean '%s'?", without_unit != NULL ? without_unit : "");
    return gr_text_hint(word, names, count, without_unit != NULL ? otherwise : NULL);
}

static const char *kind_text(const GrNode *node)
{
    if (node->kind == GR_NODE_MAPPING) {
        return "a mapping";
    }
    if (node->kind == GR_NODE_LIST) {
        return "a list";
    }
    const bool null = !node->quoted &&
                      (strcmp(node->text, "") == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
    return null ? "nothing" : "a single value";
}

/// Whether the node is a non-empty scalar; reports anything else.
static bool is_value(const GrNode *node, const char *wanted)
{
    const char *kind = kind_text(node);
    if (strcmp(kind, "a single value") == 0) {
        return true;
    }
    gr_node_error(node, GR_ERROR_VALUE, "found %s; %s is needed", kind, wanted);
    return false;
}

bool gr_node_is_mapping(const GrNode *node)
{
    if (node->kind == GR_NODE_MAPPING) {
        return true;
    }
    gr_node_error(node, GR_ERROR_VALUE, "found %s; a mapping of keys to values is needed", kind_text(node));
    return false;
}

const char *gr_range_text(GrRange range, char *out, size_t size)
{
    const bool below = isfinite(range.lower), above = isfinite(range.upper);
    if (!below && !above) {
        snprintf(out, size, "any finite number");
    } else if (!above) {
        gr_print(out, size, "%s %g", range.lower_open ? "more than" : "at least", range.lower);
    } else if (!below) {
        gr_print(out, size, "%s %g", range.upper_open ? "less than" : "at most", range.upper);
    } else {
        gr_print(out, size, "%s%g to %s%g", range.lower_open ? "more than " : "", range.lower,
                 range.upper_open ? "less than " : "", range.upper);
    }
    return out;
}

static bool check_range(const GrNode *node, GrRange range, double value)
{
    const bool inside = (range.lower_open ? value > range.lower : value >= range.lower) &&
                        (range.upper_open ? value < range.upper : value <= range.upper);
    if (inside && (range.infinite || isfinite(value))) {
        return true;
    }
    if (inside) {
        gr_node_error(node, GR_ERROR_VALUE, "%.60s is infinite; a finite number is needed", node->text);
        return false;
    }
    char allowed[80], number[32];
    gr_range_text(range, allowed, sizeof allowed);
    // Show the text of the file, and the value if it is an expression.
    double plain;
    if (gr_number_parse(node->text, &plain)) {
        number[0] = '\0';
    } else {
        gr_print(number, sizeof number, " = %g", value);
    }
    gr_node_error(node, GR_ERROR_VALUE, "%.60s%s is out of range; allowed: %s%s", node->text, number, allowed,
                  range.infinite ? ", or inf" : "");
    return false;
}

/// Evaluates the text of a node as an expression.
static bool evaluate(GrNode *node, double *value)
{
    GrExpressionError error;
    const GrScope scope = gr_node_scope(node);
    if (!gr_expression_evaluate(node->text, &scope, value, &error)) {
        if (error.text[0] != '\0') {
            gr_node_error_at(node, error.position, GR_ERROR_VALUE, "in the expression '%.80s': %s", node->text,
                             error.text);
        }
        return false;
    }
    return true;
}

bool gr_node_number(GrNode *node, GrRange range, double *out)
{
    double value;
    if (!is_value(node, "a number or an expression")) {
        return false;
    }
    if (!gr_number_parse(node->text, &value)) {
        const bool yaml_infinity = strcmp(node->text, ".inf") == 0 || strcmp(node->text, "-.inf") == 0;
        if (yaml_infinity) {
            value = node->text[0] == '-' ? -INFINITY : INFINITY;
        } else if (!evaluate(node, &value)) {
            return false;
        }
    }
    if (!check_range(node, range, value)) {
        return false;
    }
    gr_warn_unusual(node, value);
    *out = value;
    return true;
}

bool gr_node_integer(GrNode *node, int lower, int upper, int *out)
{
    double value;
    if (!gr_node_number(node, GR_BETWEEN(lower, upper), &value)) {
        return false;
    }
    if (value != floor(value)) {
        gr_node_error(node, GR_ERROR_VALUE, "%.60s is not a whole number; allowed: %d to %d", node->text, lower, upper);
        return false;
    }
    *out = (int)value;
    return true;
}

bool gr_node_bool(GrNode *node, bool *out)
{
    if (!is_value(node, "true or false")) {
        return false;
    }
    const bool yes = strcmp(node->text, "true") == 0;
    if (!yes && strcmp(node->text, "false") != 0) {
        gr_node_error(node, GR_ERROR_VALUE, "'%.60s' is neither true nor false", node->text);
        return false;
    }
    *out = yes;
    return true;
}

bool gr_node_text(GrNode *node, char *out, size_t size)
{
    if (!is_value(node, "text")) {
        return false;
    }
    if (node->text[0] == '\0') {
        gr_node_error(node, GR_ERROR_VALUE, "the text is empty");
        return false;
    }
    if (strlen(node->text) >= size) {
        gr_node_error(node, GR_ERROR_VALUE, "the text has %zu bytes; at most %zu are allowed", strlen(node->text),
                      size - 1);
        return false;
    }
    gr_text_copy(out, size, node->text);
    size_t length = strlen(out);
    while (length > 1 && out[length - 1] == '\n') { // of a block
        out[--length] = '\0';
    }
    if (strpbrk(out, "\n\r\t") != NULL) {
        gr_node_error(node, GR_ERROR_VALUE, "the text has a line end or a tab; one line is allowed");
        return false;
    }
    return true;
}

bool gr_node_numbers(GrNode *node, GrRange range, double *out, int count)
{
    if (node->kind != GR_NODE_LIST) {
        gr_node_error(node, GR_ERROR_VALUE, "found %s; a list of %d numbers is needed", kind_text(node), count);
        return false;
    }
    if (node->count != count) {
        gr_node_error(node, GR_ERROR_VALUE, "found a list of %d; a list of %d numbers is needed", node->count, count);
        return false;
    }
    double values[16];
    bool good = count <= 16;
    int i = 0;
    for (GrNode *item = node->first; item != NULL && i < 16; item = item->next, i++) {
        good = gr_node_number(item, range, &values[i]) && good;
    }
    if (good) {
        memcpy(out, values, (size_t)count * sizeof *out);
    }
    return good;
}

bool gr_node_choice(GrNode *node, const char *const *names, int count, int *out)
{
    if (!is_value(node, "a word")) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    gr_node_error(node, GR_ERROR_VALUE, "'%.60s' is not allowed here%s", node->text,
                  gr_suggestion(node->document->log, node->text, names, count).text);
    return false;
}

void gr_fields_ask(GrNode *mapping, const char *key)
{
    if (mapping == NULL || mapping->kind != GR_NODE_MAPPING) {
        return;
    }
    for (const GrAsked *asked = mapping->asked; asked != NULL; asked = asked->next) {
        if (asked->key[0] == key[0] && strcmp(asked->key, key) == 0) {
            return;
        }
    }
    GrAsked *asked = gr_arena_alloc(&mapping->document->arena, sizeof *asked);
    const char *copy = gr_arena_strndup(&mapping->document->arena, key, strlen(key));
    if (asked != NULL && copy != NULL) {
        *asked = (GrAsked){.key = copy, .next = mapping->asked};
        mapping->asked = asked;
    }
}

GrNode *gr_field(GrNode *mapping, const char *key, GrPresence presence)
{
    if (mapping == NULL || mapping->kind != GR_NODE_MAPPING) {
        return NULL;
    }
    gr_fields_ask(mapping, key);
    GrNode *node = gr_node_find(mapping, key);
    if (node != NULL) {
        node->used = true;
    } else if (presence == GR_REQUIRED) {
        gr_node_error(mapping, GR_ERROR_FIELD, "the required key '%s' is missing", key);
    }
    return node;
}

GrNode *gr_field_mapping(GrNode *mapping, const char *key, GrPresence presence)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_is_mapping(node) ? node : NULL;
}

GrNode *gr_field_list(GrNode *mapping, const char *key, GrPresence presence)
{
    GrNode *node = gr_field(mapping, key, presence);
    if (node != NULL && node->kind != GR_NODE_LIST) {
        gr_node_error(node, GR_ERROR_VALUE, "found %s; a list is needed", kind_text(node));
        return NULL;
    }
    return node;
}

bool gr_field_number(GrNode *mapping, const char *key, GrPresence presence, GrRange range, double *out)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_number(node, range, out);
}

bool gr_field_integer(GrNode *mapping, const char *key, GrPresence presence, int lower, int upper, int *out)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_integer(node, lower, upper, out);
}

bool gr_field_bool(GrNode *mapping, const char *key, GrPresence presence, bool *out)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_bool(node, out);
}

bool gr_field_text(GrNode *mapping, const char *key, GrPresence presence, char *out, size_t size)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_text(node, out, size);
}

bool gr_field_numbers(GrNode *mapping, const char *key, GrPresence presence, GrRange range, double *out, int count)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_numbers(node, range, out, count);
}

bool gr_field_vec3(GrNode *mapping, const char *key, GrPresence presence, GrRange range, GrVec3 *out)
{
    double v[3];
    if (!gr_field_numbers(mapping, key, presence, range, v, 3)) {
        return false;
    }
    *out = (GrVec3){v[0], v[1], v[2]};
    return true;
}

bool gr_field_choice(GrNode *mapping, const char *key, GrPresence presence, const char *const *names, int count,
                     int *out)
{
    GrNode *node = gr_field(mapping, key, presence);
    return node != NULL && gr_node_choice(node, names, count, out);
}

static void report_unknown(const GrNode *child, const char *const *names, int count)
{
    char path[GR_PATH_SIZE];
    GrDocument *document = child->document;
    const GrLocation at = {.file = child->file,
                           .line = child->key_line,
                           .column = child->key_column,
                           .field = gr_node_path(child, path, sizeof path)};
    gr_document_note(document, GR_ERROR_FIELD);
    gr_error_add(document->log, GR_ERROR_FIELD, at, "unknown key '%.60s'%s", child->key,
                 gr_suggestion(document->log, child->key, names, count).text);
}

void gr_fields_end(GrNode *mapping)
{
    if (mapping == NULL || mapping->kind != GR_NODE_MAPPING) {
        return;
    }
    int count = 0;
    for (const GrAsked *asked = mapping->asked; asked != NULL; asked = asked->next) {
        count++;
    }
    const char **names = gr_calloc((size_t)count + 1, sizeof *names);
    if (names == NULL) {
        return;
    }
    int i = count;
    for (const GrAsked *asked = mapping->asked; asked != NULL; asked = asked->next) {
        names[--i] = asked->key;
    }
    for (const GrNode *child = mapping->first; child != NULL; child = child->next) {
        if (!child->used) {
            report_unknown(child, names, count);
        }
    }
    gr_free(names);
}

bool gr_node_file(GrNode *node, char *out)
{
    char name[GR_FILE_PATH_SIZE];
    if (!gr_node_text(node, name, sizeof name)) {
        return false;
    }
    if (!gr_node_beside(node, name, out)) {
        gr_node_error(node, GR_ERROR_FILE, "the path is too long");
        return false;
    }
    if (!gr_file_exists(out) && !gr_raster_find_nodes(out, name)) {
        gr_node_error(node, GR_ERROR_FILE, "%.300s: there is no such file", out);
        return false;
    }
    return true;
}

void gr_document_name(const GrDocument *document, char *out, size_t size)
{
    const char *slash = strrchr(document->file, '/');
    gr_text_copy(out, size, slash != NULL ? slash + 1 : document->file);
    char *dot = strchr(out + (out[0] != '\0'), '.');
    if (dot != NULL) {
        *dot = '\0';
    }
}

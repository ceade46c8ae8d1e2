#include "rover_write.h"

#include "alloc.h"
#include "document.h"
#include "include.h"
#include "json.h"
#include "out_of_memory.h"
#include "rover_yaml.h"

#include "grouser/localise.h"
#include "grouser/sense.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/// Value of a number that `repeat` gave to a copy, or to one around it.
static const GrBinding *find_binding(const GrNode *node, const char *word, size_t length)
{
    for (; node != NULL; node = node->parent) {
        for (const GrBinding *b = node->bindings; b != NULL; b = b->next) {
            if (strlen(b->name) == length && strncmp(b->name, word, length) == 0) {
                return b;
            }
        }
    }
    return NULL;
}

/// Whether YAML reads the text as it is, without quotes, after "key:" or "-".
static bool is_plain(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && strchr("?:,[]{}#&*!|>'\"%@` ", text[0]) == NULL && strncmp(text, "- ", 2) != 0 &&
           strstr(text, ": ") == NULL && strstr(text, " #") == NULL && strchr(text, '\n') == NULL &&
           text[length - 1] != ':' && text[length - 1] != ' ' && strcmp(text, "-") != 0;
}

static void put_quoted(const char *text, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false); // a JSON string is a YAML string
    gr_json_string(&json, NULL, text);
}

/// An unquoted scalar may be an expression: numbers of its copy take the place of their names.
static void put_scalar(const GrNode *node, GrBuffer *out)
{
    GrBuffer text = {0};
    for (const char *at = node->text; *at != '\0';) {
        size_t length = 0;
        while (is_word(at[length])) {
            length++;
        }
        const bool begins = length > 0 && !isdigit((unsigned char)at[0]);
        const GrBinding *b = begins && !node->quoted ? find_binding(node, at, length) : NULL;
        if (b != NULL) {
            gr_buffer_printf(&text, "(%.17g)", b->value);
        } else {
            gr_buffer_add(&text, at, length > 0 ? length : 1);
        }
        at += length > 0 ? length : 1;
    }
    const char *all = text.data != NULL ? text.data : "";
    node->quoted || node->block || !is_plain(all) ? put_quoted(all, out) : gr_buffer_puts(out, all);
    out->failed = out->failed || text.failed;
    gr_buffer_free(&text);
}

static void put_children(const GrNode *node, int indent, GrBuffer *out);

/// A list of numbers, expressions or words, which fits on one line.
static bool is_short_list(const GrNode *node)
{
    bool all = node->kind == GR_NODE_LIST;
    for (const GrNode *item = node->first; item != NULL && all; item = item->next) {
        all = item->kind == GR_NODE_SCALAR && !item->quoted && !item->block && is_plain(item->text) &&
              strpbrk(item->text, ",[]{}") == NULL;
    }
    return all;
}

static void put_short_list(const GrNode *node, GrBuffer *out)
{
    gr_buffer_puts(out, " [");
    for (const GrNode *item = node->first; item != NULL; item = item->next) {
        put_scalar(item, out);
        gr_buffer_puts(out, item->next != NULL ? ", " : "");
    }
    gr_buffer_puts(out, "]\n");
}

static void put_value(const GrNode *node, int indent, GrBuffer *out)
{
    if (node->kind == GR_NODE_SCALAR) {
        gr_buffer_puts(out, " ");
        put_scalar(node, out);
        gr_buffer_puts(out, "\n");
    } else if (is_short_list(node)) {
        put_short_list(node, out);
    } else if (node->first == NULL) {
        gr_buffer_puts(out, " {}\n");
    } else {
        gr_buffer_puts(out, "\n");
        put_children(node, indent + 2, out);
    }
}

static void put_children(const GrNode *node, int indent, GrBuffer *out)
{
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        gr_buffer_printf(out, "%*s", indent, "");
        if (node->kind == GR_NODE_LIST) {
            gr_buffer_puts(out, "-");
        } else {
            strpbrk(child->key, "${}: #[],\"'") != NULL ? put_quoted(child->key, out) : gr_buffer_puts(out, child->key);
            gr_buffer_puts(out, ":");
        }
        put_value(child, indent, out);
    }
}

void gr_node_write(const GrNode *mapping, GrBuffer *out)
{
    put_children(mapping, 0, out);
}

static bool same_items(const void *a, int a_count, const void *b, int b_count, size_t size)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * size) == 0);
}

static bool same_bodies(const GrRoverDef *a, const GrRoverDef *b)
{
    bool same = a->body_count == b->body_count;
    for (int i = 0; i < a->body_count && same; i++) {
        const GrBodyDef x = a->bodies[i], y = b->bodies[i];
        same = same_items(x.shapes, x.shape_count, y.shapes, y.shape_count, sizeof *x.shapes) && x.mass == y.mass &&
               strcmp(x.name, y.name) == 0 && same_items(&x.com, 1, &y.com, 1, sizeof x.com) &&
               same_items(&x.inertia, 1, &y.inertia, 1, sizeof x.inertia);
    }
    return same;
}

/// Everything but its name, which is that of the file.
static bool same_rovers(const GrRoverDef *a, const GrRoverDef *b)
{
    return same_bodies(a, b) && same_items(a->joints, a->joint_count, b->joints, b->joint_count, sizeof *a->joints) &&
           same_items(a->couplings, a->coupling_count, b->couplings, b->coupling_count, sizeof *a->couplings) &&
           same_items(a->wheels, a->wheel_count, b->wheels, b->wheel_count, sizeof *a->wheels) &&
           same_items(a->notes, a->note_count, b->notes, b->note_count, sizeof *a->notes) &&
           same_items(a->sensors, a->sensor_count, b->sensors, b->sensor_count, sizeof *a->sensors) &&
           same_items(a->localisation, a->localisation != NULL, b->localisation, b->localisation != NULL,
                      sizeof *a->localisation);
}

static bool is_same(const GrRoverDef *rover, const GrBuffer *text, const char *path)
{
    GrRoverDef again;
    GrErrorLog quiet = {.quiet = true};
    if (text->failed || gr_rover_parse_yaml(text->data, text->size, path, NULL, &again, &quiet) != GR_OK) {
        return false;
    }
    const bool same = same_rovers(rover, &again);
    gr_rover_free(&again);
    return same;
}

/// The file with its overrides, as it was written or with the copies of `repeat`.
static GrStatus write_as(const char *path, const char *const *overrides, bool copies, GrBuffer *out)
{
    GrDocument *document;
    GrErrorLog quiet = {.quiet = true};
    GrStatus status = gr_document_load(path, &document, &quiet);
    if (status != GR_OK) {
        return status;
    }
    gr_document_include(document, GR_INCLUDE_ROVER, NULL);
    if (copies) {
        gr_document_prepare(document, overrides);
    }
    for (int i = 0; !copies && overrides != NULL && overrides[i] != NULL; i++) {
        gr_document_override(document, overrides[i]);
    }
    status = document->status;
    for (GrNode *section = document->root->first, *before = NULL; section != NULL && copies; section = section->next) {
        if (strcmp(section->key, "repeat") == 0) {
            *(before != NULL ? &before->next : &document->root->first) = section->next;
        } else {
            before = section;
        }
    }
    if (status == GR_OK) {
        gr_node_write(document->root, out);
    }
    gr_document_free(document);
    return status;
}

GrStatus gr_rover_write(const char *path, const char *const *overrides, GrBuffer *out, GrErrorLog *log)
{
    GrRoverDef rover;
    GrStatus status = gr_rover_load(path, overrides, &rover, log);
    if (status != GR_OK) {
        return status;
    }
    bool same = false;
    for (int copies = 0; copies < 2 && !same; copies++) {
        GrBuffer text = {0};
        same = write_as(path, overrides, copies == 1, &text) == GR_OK && is_same(&rover, &text, path);
        if (same) {
            gr_buffer_add(out, text.data, text.size);
        }
        gr_buffer_free(&text);
    }
    gr_rover_free(&rover);
    return same ? GR_OK
                : gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = path},
                               "the rover cannot be written as one file: it has meshes or is a URDF");
}

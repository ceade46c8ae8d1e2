#include "document.h"

#include "alloc.h"
#include "document_cache.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"
#include "yaml.h"

#include <stdio.h>
#include <string.h>

GrNode *gr_node_create(GrDocument *document, GrNodeKind kind)
{
    if (document->node_count == GR_DOCUMENT_NODES) {
        document->node_count++; // report only once
        document->status = document->status == GR_OK ? GR_ERROR_SYNTAX : document->status;
        gr_error_add(document->log, GR_ERROR_SYNTAX, (GrLocation){.file = document->file},
                     "has more than %d values, counting aliases and repeats", GR_DOCUMENT_NODES);
    }
    if (document->node_count > GR_DOCUMENT_NODES) {
        return NULL;
    }
    GrNode *node = gr_arena_alloc(&document->arena, sizeof *node);
    if (node == NULL) {
        document->status = GR_ERROR_MEMORY;
        gr_out_of_memory(document->log, document->file);
        return NULL;
    }
    document->node_count++;
    node->document = document;
    node->kind = kind;
    node->file = document->file;
    return node;
}

GrNode *gr_node_find(const GrNode *mapping, const char *key)
{
    if (mapping == NULL || mapping->kind != GR_NODE_MAPPING) {
        return NULL;
    }
    for (GrNode *child = mapping->first; child != NULL; child = child->next) {
        if (child->key[0] == key[0] && strcmp(child->key, key) == 0) { // most keys differ in their first letter
            return child;
        }
    }
    return NULL;
}

bool gr_node_append(GrNode *parent, GrNode *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->kind == GR_NODE_MAPPING) {
        const GrNode *twin = gr_node_find(parent, child->key);
        if (twin != NULL) {
            // Reported and dropped; reading continues with the rest of the file.
            gr_node_error_at(child, GR_AT_KEY, GR_ERROR_NAME, "this key is given twice; first on line %d",
                             twin->key_line);
            return true;
        }
        if (parent->count == GR_DOCUMENT_KEYS) {
            gr_node_error(parent, GR_ERROR_SYNTAX, "has more than %d keys", GR_DOCUMENT_KEYS);
            return false;
        }
    }
    child->index = parent->count++;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    return true;
}

GrNode *gr_node_copy(const GrNode *node)
{
    GrNode *copy = gr_node_create(node->document, node->kind);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *node;
    copy->parent = copy->next = copy->first = copy->last = NULL;
    copy->count = 0;
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        GrNode *child_copy = gr_node_copy(child);
        if (child_copy == NULL || !gr_node_append(copy, child_copy)) {
            return NULL;
        }
    }
    return copy;
}

const char *gr_node_path(const GrNode *node, char *out, size_t size)
{
    const GrNode *chain[2 * GR_DOCUMENT_DEPTH + 2];
    int depth = 0;
    for (const GrNode *n = node; n != NULL && depth < 2 * GR_DOCUMENT_DEPTH + 2; n = n->parent) {
        chain[depth++] = n;
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = depth - 1; i >= 0 && used < size; i--) {
        int written = 0;
        if (chain[i]->key != NULL) {
            written = snprintf(out + used, size - used, "%s%s", used > 0 ? "." : "", chain[i]->key);
        } else if (chain[i]->parent != NULL) {
            written = snprintf(out + used, size - used, "[%d]", chain[i]->index);
        }
        used += (size_t)(written > 0 ? written : 0);
    }
    return out;
}

static GrLocation node_location(const GrNode *node, int offset, char *path, size_t size)
{
    const bool no_place = node->line == 0 || node->kind != GR_NODE_SCALAR; // an empty value has none
    const bool at_key = node->key != NULL && (offset == GR_AT_KEY || no_place);
    GrLocation at = {.file = node->file,
                     .line = at_key ? node->key_line : node->line,
                     .column = at_key ? node->key_column : node->column,
                     .field = gr_node_path(node, path, size)};
    if (!at_key && offset > 0 && at.column > 0 && !node->block) {
        at.column += offset + node->quoted;
    }
    return at;
}

GrLocation gr_node_location(const GrNode *node, char *path, size_t size)
{
    return node_location(node, 0, path, size);
}

static void add_error(const GrNode *node, GrLocation at, GrStatus status, const char *format, va_list args)
{
    char text[GR_ERROR_TEXT_SIZE];
    gr_vprint(text, sizeof text, format, args);
    gr_document_note(node->document, status);
    gr_error_add(node->document->log, status, at, "%s", text);
}

bool gr_node_is_override(const GrNode *node)
{
    return strncmp(node->file, GR_OVERRIDE_LABEL, sizeof GR_OVERRIDE_LABEL - 1) == 0;
}

bool gr_node_beside(const GrNode *node, const char *name, char *out)
{
    return gr_file_beside(gr_node_is_override(node) ? "" : node->file, name, out);
}

GrStatus gr_node_error(const GrNode *node, GrStatus status, const char *format, ...)
{
    char path[GR_PATH_SIZE];
    va_list args;
    va_start(args, format);
    add_error(node, node_location(node, 0, path, sizeof path), status, format, args);
    va_end(args);
    return status;
}

GrStatus gr_node_error_at(const GrNode *node, int offset, GrStatus status, const char *format, ...)
{
    char path[GR_PATH_SIZE];
    va_list args;
    va_start(args, format);
    add_error(node, node_location(node, offset, path, sizeof path), status, format, args);
    va_end(args);
    return status;
}

GrStatus gr_node_out_of_memory(const GrNode *node)
{
    return gr_node_error(node, GR_ERROR_MEMORY, "%s", gr_status_text(GR_ERROR_MEMORY));
}

void gr_node_warning(const GrNode *node, const char *format, ...)
{
    char path[GR_PATH_SIZE];
    char text[GR_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    gr_warning_add(node->document->log, node_location(node, 0, path, sizeof path), "%s", text);
}

static bool is_said(const GrErrorLog *log, const GrLocation *at, const char *text)
{
    for (int i = 0; log != NULL && i < log->count; i++) {
        const GrError *e = &log->items[i];
        if (e->severity == GR_SEVERITY_WARNING && e->line == at->line && e->column == at->column &&
            strcmp(e->file, at->file) == 0 && strcmp(e->text, text) == 0) {
            return true;
        }
    }
    return false;
}

void gr_node_warning_once(const GrNode *node, const char *format, ...)
{
    char path[GR_PATH_SIZE];
    char text[GR_ERROR_TEXT_SIZE];
    const GrLocation at = node_location(node, 0, path, sizeof path);
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    if (!is_said(node->document->log, &at, text)) {
        gr_warning_add(node->document->log, at, "%s", text);
    }
}

GrNode *gr_node_parse(GrDocument *document, const char *text, size_t length, const char *file)
{
    return gr_yaml_parse(document, text, length, file);
}

GrStatus gr_document_parse(const char *text, size_t length, const char *file, GrDocument **out, GrErrorLog *log)
{
    return gr_document_parse_shared(NULL, text, length, file, out, log);
}

GrStatus gr_document_parse_shared(GrDocumentCache *cache, const char *text, size_t length, const char *file,
                                  GrDocument **out, GrErrorLog *log)
{
    *out = NULL;
    GrDocument *document = gr_calloc(1, sizeof *document);
    if (document == NULL) {
        return gr_out_of_memory(log, file);
    }
    document->log = log;
    document->parsed = cache;
    document->file = gr_arena_strndup(&document->arena, file, strlen(file));
    if (document->file == NULL) {
        gr_document_note(document, gr_out_of_memory(log, file));
    } else {
        document->root = gr_document_cache_parse(cache, document, text, length, document->file);
    }
    if (document->root != NULL && document->root->kind != GR_NODE_MAPPING) {
        gr_node_error(document->root, GR_ERROR_VALUE, "the file must be a mapping of keys to values");
        document->root = NULL;
    }
    if (document->root == NULL) {
        const GrStatus status = document->status != GR_OK ? document->status : GR_ERROR_MEMORY;
        gr_document_free(document);
        return status;
    }
    *out = document;
    return GR_OK;
}

GrStatus gr_document_load(const char *path, GrDocument **out, GrErrorLog *log)
{
    return gr_document_load_shared(NULL, path, out, log);
}

GrStatus gr_document_load_shared(GrDocumentCache *cache, const char *path, GrDocument **out, GrErrorLog *log)
{
    char *text;
    size_t length;
    *out = NULL;
    GrStatus status = gr_file_read(path, GR_DOCUMENT_BYTES, &text, &length, log);
    if (status == GR_OK) {
        status = gr_document_parse_shared(cache, text, length, path, out, log);
        gr_free(text);
    }
    return status;
}

void gr_document_prepare(GrDocument *document, const char *const *overrides)
{
    // An override of a path with ${name}, or of the repeat itself, must be applied before the copies are made, any
    // other afterwards.
    document->overridden = overrides != NULL && overrides[0] != NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
            const char *equals = strchr(overrides[i], '=');
            const char *mark = strstr(overrides[i], "${");
            const bool early = strncmp(overrides[i], "repeat.", 7) == 0 || strncmp(overrides[i], "params.", 7) == 0 ||
                               (mark != NULL && equals != NULL && mark < equals);
            if (early == (pass == 0)) {
                gr_document_override(document, overrides[i]);
            }
        }
        if (pass == 0) {
            gr_document_read_params(document);
            gr_document_repeat(document);
        }
    }
}

void gr_document_note(GrDocument *document, GrStatus status)
{
    if (status != GR_OK && document->status == GR_OK) {
        document->status = status;
    }
}

void gr_document_free(GrDocument *document)
{
    if (document != NULL) {
        gr_arena_free(&document->arena);
        gr_free(document);
    }
}

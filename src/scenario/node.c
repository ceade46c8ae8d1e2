/// The nodes of a document: making, finding, copying, their paths, and messages about them.
#include "document.h"

#include "file.h"
#include "number.h"
#include "out_of_memory.h"

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

void gr_document_note(GrDocument *document, GrStatus status)
{
    if (status != GR_OK && document->status == GR_OK) {
        document->status = status;
    }
}

// ---- the node that a message refers to

/// Whether the path of a node ends in `field`, such as "path[2]", "drive.path[2]", or "look_ahead" for the key
/// look_ahead_m.
static bool ends_in(const char *path, const char *field)
{
    const size_t length = strlen(field);
    for (const char *at = strstr(path, field); at != NULL; at = strstr(at + 1, field)) {
        const bool begins = at == path || at[-1] == '.', ends = at[length] == '\0';
        const bool unit = at[length] == '_' && strpbrk(at + length, ".[") == NULL;
        if (begins && (ends || unit)) {
            return true;
        }
    }
    return false;
}

static int depth_of(const GrNode *node)
{
    int depth = 0;
    for (; node->parent != NULL; node = node->parent) {
        depth++;
    }
    return depth;
}

/// The next node in the order of the file.
static const GrNode *next_of(const GrNode *node)
{
    if (node->first != NULL) {
        return node->first;
    }
    while (node != NULL && node->next == NULL) {
        node = node->parent;
    }
    return node != NULL ? node->next : NULL;
}

const GrNode *gr_document_place(const GrDocument *document, const char *field)
{
    const GrNode *best = NULL;
    char path[GR_PATH_SIZE];
    for (const GrNode *node = document->root; field[0] != '\0' && node != NULL; node = next_of(node)) {
        if (ends_in(gr_node_path(node, path, sizeof path), field) &&
            (best == NULL || depth_of(node) < depth_of(best))) {
            best = node;
        }
    }
    return best;
}

/// What a file takes from others: `include:`, and `{use: FILE, set: ...}` for a rover or a soil.
#include "include.h"

#include "alloc.h"
#include "document_cache.h"
#include "fields.h"
#include "file.h"
#include "find.h"
#include "number.h"
#include "soil_yaml.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/// Puts the items of `from` before those of `to`.
static void prepend(GrNode *to, GrNode *from)
{
    if (from->count == 0) {
        return;
    }
    from->last->next = to->first;
    to->first = from->first;
    to->last = to->last != NULL ? to->last : from->last;
    to->count += from->count;
    int index = 0;
    for (GrNode *item = to->first; item != NULL; item = item->next) {
        item->parent = to;
        item->index = index++;
    }
}

/// Moves the children of `from` that `to` does not have; mappings that both have are merged. Overrides of both apply,
/// those of the including file last.
static void merge(GrNode *to, GrNode *from)
{
    for (GrNode *child = from->first, *next; child != NULL; child = next) {
        next = child->next;
        GrNode *own = gr_node_find(to, child->key);
        if (own == NULL) {
            child->next = NULL;
            gr_node_append(to, child);
        } else if (own->kind == GR_NODE_MAPPING && child->kind == GR_NODE_MAPPING) {
            merge(own, child);
        } else if (own->kind == GR_NODE_LIST && child->kind == GR_NODE_LIST && strcmp(child->key, "overrides") == 0) {
            prepend(own, child);
        }
    }
}

static void remove_child(GrNode *mapping, const GrNode *child)
{
    GrNode **link = &mapping->first;
    GrNode *last = NULL;
    while (*link != child) {
        last = *link;
        link = &(*link)->next;
    }
    *link = child->next;
    mapping->count--;
    if (mapping->last == child) {
        mapping->last = last;
    }
}

typedef struct Included {
    GrIncludeKind kind;
    GrBuffer *texts; ///< NULL: not wanted
} Included;

static void include_all(GrNode *root, const Included *how, int depth);

/// Reads the file that `node` names and merges it into `into`.
static void include_one(GrNode *node, GrNode *into, const Included *how, int depth)
{
    GrDocument *document = node->document;
    char name[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE], *text;
    size_t length;
    GrErrorLog log = {.quiet = true};
    if (!gr_node_text(node, name, sizeof name)) {
        return;
    }
    if (depth == GR_INCLUDE_DEPTH) {
        gr_node_error(node, GR_ERROR_FILE,
                      "includes are nested more than %d deep: do files include each other in a cycle?",
                      GR_INCLUDE_DEPTH);
        return;
    }
    const bool shipped = strpbrk(name, "./") == NULL;
    if (shipped ? gr_find_file(how->kind.folder, how->kind.word, name, path, &log) != GR_OK
                : !gr_file_beside(node->file, name, path)) {
        gr_node_error(node, GR_ERROR_FILE, "%s", shipped ? log.items[0].text : "the path is too long");
        return;
    }
    // Messages and reports quote what is read: a file that is not YAML is not opened.
    const char *ending = strrchr(path, '.');
    if (ending == NULL || (strcmp(ending, ".yaml") != 0 && strcmp(ending, ".yml") != 0)) {
        gr_node_error(node, GR_ERROR_FILE, "'%s' is not included; the name of a file ends with .yaml or .yml", name);
        return;
    }
    if (gr_file_read(path, GR_DOCUMENT_BYTES, &text, &length, &log) != GR_OK) {
        gr_node_error(node, GR_ERROR_FILE, "%.300s: %s", path, log.count > 0 ? log.items[0].text : "cannot be read");
        return;
    }
    const char *file = gr_arena_strndup(&document->arena, path, strlen(path));
    GrNode *root = file != NULL ? gr_document_cache_parse(document->parsed, document, text, length, file) : NULL;
    if (how->texts != NULL) {
        gr_buffer_printf(how->texts, "# ---- %s\n%s\n", name, text);
    }
    gr_free(text);
    if (root == NULL || !gr_node_is_mapping(root)) {
        return;
    }
    include_all(root, how, depth + 1);
    merge(into, root);
}

static void include_all(GrNode *root, const Included *how, int depth)
{
    GrNode *include = gr_node_find(root, "include");
    if (include == NULL) {
        return;
    }
    remove_child(root, include);
    if (include->kind == GR_NODE_LIST) {
        // Values merged first are kept, so go backwards: the last file of the list wins.
        for (int i = include->count - 1; i >= 0; i--) {
            GrNode *item = include->first;
            for (int k = 0; k < i; k++) {
                item = item->next;
            }
            include_one(item, root, how, depth);
        }
    } else {
        include_one(include, root, how, depth);
    }
}

void gr_document_include(GrDocument *document, GrIncludeKind kind, GrBuffer *texts)
{
    const Included how = {kind, texts};
    include_all(document->root, &how, 0);
}

// ---- use and set

void gr_overrides_clear(GrOverrides *lists, int count)
{
    for (int i = 0; i < count; i++) {
        lists[i].count = 0;
        lists[i].items[0] = NULL;
    }
}

bool gr_overrides_add(GrOverrides *list, const char *name, const char *value)
{
    if (list->count == GR_OVERRIDES_MAX) {
        return false;
    }
    char *text = list->texts[list->count];
    if (snprintf(text, GR_OVERRIDE_SIZE, "%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "") >=
        GR_OVERRIDE_SIZE) {
        return false;
    }
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
    return true;
}

void gr_read_set(GrNode *mapping, GrOverrides *out)
{
    GrNode *set = gr_field_mapping(mapping, "set", GR_OPTIONAL);
    for (GrNode *item = set != NULL ? set->first : NULL; item != NULL; item = item->next) {
        item->used = true;
        double number;
        char text[64];
        if (item->kind != GR_NODE_SCALAR) {
            gr_node_error(item, GR_ERROR_VALUE, "a value is needed");
            continue;
        }
        const char *value = item->text;
        if (!item->quoted && gr_node_find(item->document->root, "params") != NULL && value[0] != '\0' &&
            strpbrk(value, "+-*/(") != NULL && gr_node_number(item, GR_ANY, &number)) {
            gr_print(text, sizeof text, "%.17g", number);
            value = text;
        }
        if (!gr_overrides_add(out, item->key, value)) {
            gr_node_error(item, GR_ERROR_VALUE, "too many values, or one that is too long");
        }
    }
}

/// Inserts `set:` of the file before the existing overrides: later ones win, so the command line takes precedence.
static void read_set_first(GrNode *mapping, GrOverrides *overrides)
{
    const char *given[GR_OVERRIDES_MAX];
    const int count = overrides->count;
    memcpy(given, overrides->items, sizeof(*given) * (size_t)count);
    gr_read_set(mapping, overrides);
    const int added = overrides->count - count;
    memmove(overrides->items, overrides->items + count, sizeof(*given) * (size_t)added);
    memcpy(overrides->items + added, given, sizeof(*given) * (size_t)count);
}

static GrStatus find_by_name(const char *kind, const char *word, const char *name, char path[GR_FILE_PATH_SIZE],
                             GrErrorLog *log)
{
    return strcmp(kind, "soils") == 0 ? gr_soil_find(name, path, log) : gr_find_file(kind, word, name, path, log);
}

bool gr_read_use(GrNode *node, const char *kind, const char *word, GrOverrides *overrides, char path[GR_FILE_PATH_SIZE])
{
    char given[GR_FILE_PATH_SIZE], beside[GR_FILE_PATH_SIZE];
    GrNode *name = node;
    if (node->kind == GR_NODE_MAPPING) {
        name = gr_field(node, "use", GR_REQUIRED);
        read_set_first(node, overrides);
    }
    if (name == NULL || !gr_node_text(name, given, sizeof given)) {
        return false;
    }
    GrErrorLog log = {.quiet = true};
    const bool is_path = strpbrk(given, "./") != NULL;
    if (!is_path ? find_by_name(kind, word, given, path, &log) == GR_OK : gr_node_beside(name, given, beside)) {
        if (is_path && !gr_file_exists(beside)) {
            gr_node_error(name, GR_ERROR_FILE, "%.300s: there is no such file", beside);
            return false;
        }
        return !is_path || gr_text_copy(path, GR_FILE_PATH_SIZE, beside);
    }
    gr_node_error(name, is_path ? GR_ERROR_FILE : GR_ERROR_NAME, "%s",
                  is_path ? "the path is too long" : log.items[0].text);
    return false;
}

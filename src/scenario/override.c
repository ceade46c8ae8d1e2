/// Overrides "path=value" of a document, applied before it is read.
#include "document.h"
#include "yaml.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// State of an override while its path is followed down the tree.
typedef struct Walk {
    GrDocument *document;
    const char *label; ///< the override as the user wrote it, in place of a file name
    GrNode *node;
} Walk;

static bool fail(const Walk *walk, GrStatus status, const char *path, const char *text)
{
    gr_document_note(walk->document, status);
    gr_error_add(walk->document->log, status, (GrLocation){.file = walk->label, .field = path}, "%s", text);
    return false;
}

static bool fail_memory(const Walk *walk)
{
    gr_document_note(walk->document, gr_out_of_memory(walk->document->log, walk->label));
    return false;
}

static bool fail_unknown(const Walk *walk, const char *path, const char *name)
{
    const char **names = gr_calloc((size_t)walk->node->count + 1, sizeof *names);
    if (names == NULL) {
        return fail_memory(walk);
    }
    int count = 0;
    for (const GrNode *child = walk->node->first; child != NULL; child = child->next) {
        names[count++] = child->key;
    }
    char text[300], inside[GR_PATH_SIZE];
    gr_node_path(walk->node, inside, sizeof inside);
    snprintf(text, sizeof text, "there is no '%.60s' in %.100s%.100s", name, inside[0] != '\0' ? inside : "the file",
             gr_text_hint(name, names, count, "").text);
    gr_free(names);
    return fail(walk, GR_ERROR_FIELD, path, text);
}

static GrNode *list_item(const GrNode *list, const char *index)
{
    char *end;
    const long wanted = strtol(index, &end, 10);
    if (*end != '\0' || end == index || wanted < 0 || wanted >= list->count) {
        return NULL;
    }
    GrNode *item = list->first;
    for (long i = 0; i < wanted; i++) {
        item = item->next;
    }
    return item;
}

/// Creates a mapping that the file lacks but may have; NULL: the name is not one of those, or out of memory.
static GrNode *begin_section(Walk *walk, const char *name)
{
    const char *const *section = walk->node == walk->document->root ? walk->document->sections : NULL;
    while (section != NULL && *section != NULL && strcmp(*section, name) != 0) {
        section++;
    }
    if (section == NULL || *section == NULL) {
        return NULL;
    }
    GrNode *made = gr_node_create(walk->document, GR_NODE_MAPPING);
    if (made == NULL) {
        return NULL;
    }
    made->key = *section;
    made->file = walk->label;
    return gr_node_append(walk->node, made) ? made : NULL;
}

/// One segment of the path: a key, or an index. Descends, or for the last segment stops above a key that is to be
/// added.
static bool step(Walk *walk, const char *path, const char *segment, bool last, GrNode **target)
{
    if (walk->node->kind == GR_NODE_SCALAR) {
        return fail(walk, GR_ERROR_FIELD, path, "the path continues beyond a single value");
    }
    if (walk->node->kind == GR_NODE_LIST) {
        *target = list_item(walk->node, segment);
        char text[80];
        snprintf(text, sizeof text, "the list has the indices 0 to %d", walk->node->count - 1);
        return *target != NULL || fail(walk, GR_ERROR_FIELD, path, walk->node->count > 0 ? text : "the list is empty");
    }
    *target = gr_node_find(walk->node, segment);
    *target = *target == NULL && !last ? begin_section(walk, segment) : *target;
    const bool is_param = walk->node->parent == walk->document->root && strcmp(walk->node->key, "params") == 0;
    if (*target == NULL && (!last || is_param)) {
        // A new parameter would not be used anywhere, so it must be a misspelling.
        return fail_unknown(walk, path, segment);
    }
    return true;
}

/// Puts `value` where `old` was.
static void replace(GrNode *old, const GrNode *value)
{
    old->kind = value->kind;
    old->text = value->text;
    old->quoted = value->quoted;
    old->block = value->block;
    old->file = value->file;
    old->line = old->column = 0;
    old->key_line = old->key_column = 0;
    old->first = value->first;
    old->last = value->last;
    old->count = value->count;
    for (GrNode *child = old->first; child != NULL; child = child->next) {
        child->parent = old;
    }
}

/// Lines and columns inside an override are meaningless to the user.
static void forget_lines(GrNode *node)
{
    node->line = node->column = node->key_line = node->key_column = 0;
    for (GrNode *child = node->first; child != NULL; child = child->next) {
        forget_lines(child);
    }
}

static bool apply(Walk *walk, const char *path, char *segments, GrNode *value)
{
    for (char *segment = segments;;) {
        char *end = segment + strcspn(segment, ".[");
        const bool last = *end == '\0';
        *end = '\0';
        const size_t length = strlen(segment);
        if (length > 0 && segment[length - 1] == ']') {
            segment[length - 1] = '\0';
        }
        GrNode *target = NULL;
        if (segment[0] == '\0') {
            return fail(walk, GR_ERROR_FIELD, path, "an empty name in the path");
        }
        if (!step(walk, path, segment, last, &target)) {
            return false;
        }
        if (last && target == NULL) {
            value->key = gr_arena_strndup(&walk->document->arena, segment, strlen(segment));
            return value->key != NULL && gr_node_append(walk->node, value);
        }
        if (last) {
            replace(target, value);
            return true;
        }
        walk->node = target;
        segment = end + 1;
    }
}

/// The value of an override as a node. A plain number needs no parser.
static GrNode *parse_value(GrDocument *document, const char *text, const char *label)
{
    double number;
    if (!gr_number_parse(text, &number)) {
        return gr_yaml_parse(document, text, strlen(text), label);
    }
    GrNode *value = gr_node_create(document, GR_NODE_SCALAR);
    if (value != NULL) {
        value->file = label;
        value->text = gr_arena_strndup(&document->arena, text, strlen(text));
    }
    return value != NULL && value->text != NULL ? value : NULL;
}

bool gr_document_override(GrDocument *document, const char *override)
{
    char label[200];
    snprintf(label, sizeof label, GR_OVERRIDE_LABEL "%.180s'", override);
    Walk walk = {.document = document,
                 .label = gr_arena_strndup(&document->arena, label, strlen(label)),
                 .node = document->root};
    const char *equals = strchr(override, '=');
    if (walk.label == NULL) {
        return fail_memory(&walk);
    }
    if (equals == NULL || equals == override) {
        return fail(&walk, GR_ERROR_USAGE, "", "an override is written path=value");
    }
    GrNode *value = parse_value(document, equals + 1, walk.label);
    const size_t length = (size_t)(equals - override);
    const char *path = gr_arena_strndup(&document->arena, override, length);
    char *segments = gr_arena_strndup(&document->arena, override, length);
    if (value == NULL || path == NULL || segments == NULL) {
        return false;
    }
    forget_lines(value);
    return apply(&walk, path, segments, value);
}

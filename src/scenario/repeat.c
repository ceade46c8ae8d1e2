/// The section repeat of a document: entries with ${name} are copied for each value of the name.
#include "document.h"
#include "fields.h"

#include <stdio.h>
#include <string.h>

// repeat: {side: {left: 1, right: -1}}
//
// An entry whose key has ${side} in it is copied once for each value. In a copy, ${side} in keys and texts becomes the
// value's name, and `side` in expressions is the value's number.

enum { MAX_TEXT = 1024, MAX_VALUES = 64 };

/// The start of the first ${name} in `text` that is a name of `repeat`, with its variable; NULL when there is none.
static GrNode *find_variable(const GrNode *repeat, const char *text)
{
    for (const char *mark = strstr(text, "${"); mark != NULL; mark = strstr(mark + 2, "${")) {
        const char *end = strchr(mark, '}');
        if (end == NULL) {
            return NULL;
        }
        const size_t length = (size_t)(end - mark - 2);
        for (GrNode *variable = repeat->first; variable != NULL; variable = variable->next) {
            if (strlen(variable->key) == length && strncmp(variable->key, mark + 2, length) == 0) {
                return variable;
            }
        }
    }
    return NULL;
}

/// `text` with every ${name} replaced; NULL after an error.
static const char *substitute_text(const GrNode *node, const char *text, const char *name, const char *value)
{
    char mark[80], out[MAX_TEXT];
    const int mark_length = snprintf(mark, sizeof mark, "${%s}", name);
    if (strstr(text, mark) == NULL) {
        return text;
    }
    size_t used = 0;
    while (*text != '\0') {
        const bool hit = strncmp(text, mark, (size_t)mark_length) == 0;
        const size_t length = hit ? strlen(value) : 1;
        if (used + length >= sizeof out) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d bytes of text after ${%s} is replaced", MAX_TEXT, name);
            return NULL;
        }
        memcpy(out + used, hit ? value : text, length);
        used += length;
        text += hit ? mark_length : 1;
    }
    return gr_arena_strndup(&node->document->arena, out, used);
}

static bool substitute(GrNode *node, const char *name, const char *value)
{
    if (node->key != NULL) {
        const char *key = substitute_text(node, node->key, name, value);
        if (key == NULL) {
            return false;
        }
        node->key = key;
    }
    if (node->kind == GR_NODE_SCALAR) {
        const char *text = substitute_text(node, node->text, name, value);
        if (text == NULL) {
            return false;
        }
        node->block = node->block || text != node->text; // columns inside it no longer fit the file
        node->text = text;
    }
    for (GrNode *child = node->first; child != NULL; child = child->next) {
        if (!substitute(child, name, value)) {
            return false;
        }
    }
    return true;
}

static bool bind(GrNode *node, const char *name, double value)
{
    GrBinding *binding = gr_arena_alloc(&node->document->arena, sizeof *binding);
    if (binding == NULL) {
        return false;
    }
    *binding = (GrBinding){.name = name, .value = value, .next = node->bindings};
    node->bindings = binding;
    return true;
}

static bool expand_children(const GrNode *repeat, GrNode *node);

/// Appends `child`, or its copies, to `parent`.
static bool expand_entry(const GrNode *repeat, GrNode *parent, GrNode *child)
{
    const GrNode *variable = child->key != NULL ? find_variable(repeat, child->key) : NULL;
    if (variable == NULL) {
        child->next = NULL;
        return gr_node_append(parent, child) && expand_children(repeat, child);
    }
    for (GrNode *value = variable->first; value != NULL; value = value->next) {
        double number;
        GrNode *copy = gr_node_copy(child);
        if (copy == NULL) {
            return false;
        }
        copy->parent = parent;
        if (!gr_node_number(value, GR_ANY, &number) || !substitute(copy, variable->key, value->key) ||
            !bind(copy, variable->key, number) || !expand_entry(repeat, parent, copy)) {
            return false;
        }
    }
    return true;
}

static bool expand_children(const GrNode *repeat, GrNode *node)
{
    GrNode *child = node->first;
    node->first = node->last = NULL;
    node->count = 0;
    while (child != NULL) {
        GrNode *next = child->next;
        if (!expand_entry(repeat, node, child)) {
            return false;
        }
        child = next;
    }
    return true;
}

static void report_mark(const GrNode *repeat, const GrNode *node, const char *text)
{
    const char *mark = strstr(text, "${");
    if (mark == NULL) {
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(mark + 2, "}"), mark + 2);
    const char *names[MAX_VALUES];
    int count = 0;
    for (const GrNode *variable = repeat != NULL ? repeat->first : NULL; variable != NULL && count < MAX_VALUES;
         variable = variable->next) {
        if (strcmp(variable->key, name) == 0) {
            gr_node_error(node, GR_ERROR_NAME, "'${%s}' is used outside an entry whose key contains it", name);
            return;
        }
        names[count++] = variable->key;
    }
    gr_node_error(node, GR_ERROR_NAME, "'${%s}' is not a name of repeat%s", name,
                  gr_suggestion(node->document->log, name, names, count).text);
}

/// Reports ${...} that remain after expansion: they refer to nothing.
static void report_marks(const GrNode *repeat, const GrNode *node)
{
    if (node->key != NULL && strstr(node->key, "${") != NULL) {
        report_mark(repeat, node, node->key);
        return;
    }
    if (node->kind == GR_NODE_SCALAR) {
        report_mark(repeat, node, node->text);
    }
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        report_marks(repeat, child);
    }
}

static bool check_variable(GrNode *variable)
{
    double number;
    if (!gr_expression_is_name(variable->key) || gr_expression_is_reserved(variable->key)) {
        gr_node_error_at(variable, GR_AT_KEY, GR_ERROR_NAME, "invalid name '%.60s' for expressions", variable->key);
        return false;
    }
    const GrScope scope = gr_node_scope(variable);
    if (scope.lookup(scope.context, variable->key, &number) != GR_LOOKUP_UNKNOWN) {
        gr_node_error_at(variable, GR_AT_KEY, GR_ERROR_NAME, "'%s' is also a name of params", variable->key);
        return false;
    }
    if (!gr_node_is_mapping(variable)) {
        return false;
    }
    if (variable->count == 0 || variable->count > MAX_VALUES) {
        gr_node_error(variable, GR_ERROR_VALUE, "has %d values; allowed: 1 to %d", variable->count, MAX_VALUES);
        return false;
    }
    bool good = true;
    for (GrNode *value = variable->first; value != NULL; value = value->next) {
        if (strlen(value->key) > 40 || strpbrk(value->key, "${}") != NULL) {
            gr_node_error_at(value, GR_AT_KEY, GR_ERROR_NAME, "'%.60s' cannot be part of a name", value->key);
            good = false;
        }
        good = gr_node_number(value, GR_ANY, &number) && good;
    }
    return good;
}

void gr_document_repeat(GrDocument *document)
{
    GrNode *root = document->root;
    GrNode *repeat = gr_field_mapping(root, "repeat", GR_OPTIONAL);
    bool good = true;
    for (GrNode *variable = repeat != NULL ? repeat->first : NULL; variable != NULL; variable = variable->next) {
        variable->used = true;
        good = check_variable(variable) && good;
    }
    if (repeat != NULL && repeat->count > MAX_VALUES) {
        gr_node_error(repeat, GR_ERROR_VALUE, "has %d names; allowed: 1 to %d", repeat->count, MAX_VALUES);
        good = false;
    }
    if (!good) {
        return;
    }
    for (GrNode *section = root->first; section != NULL && repeat != NULL; section = section->next) {
        if (section != repeat && !expand_children(repeat, section)) {
            document->status = document->status == GR_OK ? GR_ERROR_MEMORY : document->status;
            return;
        }
    }
    for (const GrNode *section = root->first; section != NULL; section = section->next) {
        report_marks(repeat, section);
    }
}

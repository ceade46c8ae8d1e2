#include "yaml.h"

#include "out_of_memory.h"
#include "text.h"

#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

// Uses libfyaml's event parser instead of its documents, so that limits on depth, aliases, duplicate keys and the
// number of nodes apply before memory is allocated.

typedef struct Anchor {
    const char *name;
    const GrNode *node;
    struct Anchor *next;
} Anchor;

typedef struct Builder {
    GrDocument *document;
    struct fy_parser *parser;
    const char *file;
    GrNode *stack[GR_DOCUMENT_DEPTH];
    int depth;
    Anchor *anchors;
    GrNode *root;
    // The key that waits for its value, for each open mapping.
    const char *keys[GR_DOCUMENT_DEPTH];
    int key_lines[GR_DOCUMENT_DEPTH], key_columns[GR_DOCUMENT_DEPTH];
    bool ended;
} Builder;

static bool fail_memory(Builder *builder)
{
    gr_document_note(builder->document, gr_out_of_memory(builder->document->log, builder->file));
    return false;
}

static bool fail(Builder *builder, int line, int column, const char *text)
{
    gr_document_note(builder->document, GR_ERROR_SYNTAX);
    // Lines and columns inside an override are meaningless to the user.
    const bool in_file = builder->file == builder->document->file;
    const GrLocation at = {.file = builder->file, .line = in_file ? line : 0, .column = in_file ? column : 0};
    gr_error_add(builder->document->log, GR_ERROR_SYNTAX, at, "%s", text);
    return false;
}

static void event_place(struct fy_event *event, int *line, int *column)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    *line = mark != NULL ? mark->line + 1 : 0;
    *column = mark != NULL ? mark->column + 1 : 0;
}

/// The token's text in the document's memory, "" without a token; NULL and an error when memory runs out.
static const char *token_copy(Builder *builder, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &length) : "";
    const char *copy = text != NULL ? gr_arena_strndup(&builder->document->arena, text, length) : NULL;
    if (copy == NULL) {
        fail_memory(builder);
    }
    return copy;
}

/// Attaches a finished value: as root, item of a list, or value of the pending key.
static bool attach(Builder *builder, GrNode *node)
{
    if (builder->depth == 0) {
        builder->root = node;
        return true;
    }
    const int top = builder->depth - 1;
    GrNode *parent = builder->stack[top];
    if (parent->kind == GR_NODE_MAPPING) {
        node->key = builder->keys[top];
        node->key_line = builder->key_lines[top];
        node->key_column = builder->key_columns[top];
        builder->keys[top] = NULL;
    }
    return gr_node_append(parent, node);
}

/// Whether the open mapping expects a key.
static bool wants_key(const Builder *builder)
{
    return builder->depth > 0 && builder->stack[builder->depth - 1]->kind == GR_NODE_MAPPING &&
           builder->keys[builder->depth - 1] == NULL;
}

static bool set_key(Builder *builder, struct fy_event *event)
{
    int line, column;
    event_place(event, &line, &column);
    if (event->type != FYET_SCALAR || event->scalar.value == NULL) {
        return fail(builder, line, column, "a key must be a plain word");
    }
    const char *key = token_copy(builder, event->scalar.value);
    if (key == NULL) {
        return false;
    }
    if (key[0] == '\0') {
        return fail(builder, line, column, "a key must not be empty");
    }
    if (gr_text_check(key, strlen(key)).text != NULL || strpbrk(key, "\n\r\t") != NULL) {
        return fail(builder, line, column, "a control character in the key");
    }
    if (strcmp(key, "<<") == 0) {
        return fail(builder, line, column, "merge keys (<<) are not supported; write the values out, or use repeat:");
    }
    const int top = builder->depth - 1;
    builder->keys[top] = key;
    builder->key_lines[top] = line;
    builder->key_columns[top] = column;
    return true;
}

static bool remember_anchor(Builder *builder, struct fy_token *token, const GrNode *node)
{
    if (token == NULL) {
        return true;
    }
    Anchor *anchor = gr_arena_alloc(&builder->document->arena, sizeof *anchor);
    if (anchor == NULL) {
        return fail_memory(builder);
    }
    anchor->name = token_copy(builder, token);
    anchor->node = node;
    anchor->next = builder->anchors;
    builder->anchors = anchor;
    return anchor->name != NULL;
}

/// Depth of a tree: 1 for a scalar.
static int tree_depth(const GrNode *node)
{
    int depth = 0;
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        const int below = tree_depth(child);
        depth = below > depth ? below : depth;
    }
    return depth + 1;
}

/// An alias becomes a copy of its anchor, so that each occurrence has its own path. An anchor that is still open would
/// contain itself.
static bool add_alias(Builder *builder, struct fy_event *event)
{
    int line, column;
    event_place(event, &line, &column);
    const char *name = token_copy(builder, event->alias.anchor);
    const Anchor *anchor = builder->anchors;
    if (name == NULL) {
        return false;
    }
    while (anchor != NULL && strcmp(anchor->name, name) != 0) {
        anchor = anchor->next;
    }
    if (anchor == NULL) {
        return fail(builder, line, column, "this alias (*) has no anchor (&) before it");
    }
    for (int i = 0; i < builder->depth; i++) {
        if (builder->stack[i] == anchor->node) {
            return fail(builder, line, column, "this alias (*) stands inside its own anchor (&)");
        }
    }
    if (builder->depth + tree_depth(anchor->node) > GR_DOCUMENT_DEPTH) {
        return fail(builder, line, column, "nested deeper than 32 levels");
    }
    GrNode *copy = gr_node_copy(anchor->node);
    if (copy == NULL) {
        return false;
    }
    copy->key = NULL;
    return attach(builder, copy);
}

/// Whether a scalar takes up room in the text.
static bool has_extent(struct fy_event *event)
{
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    return start != NULL && end != NULL && end->input_pos > start->input_pos;
}

static bool add_node(Builder *builder, struct fy_event *event)
{
    const GrNodeKind kind = event->type == FYET_SCALAR           ? GR_NODE_SCALAR
                            : event->type == FYET_SEQUENCE_START ? GR_NODE_LIST
                                                                 : GR_NODE_MAPPING;
    GrNode *node = gr_node_create(builder->document, kind);
    if (node == NULL) {
        return false;
    }
    node->file = builder->file;
    event_place(event, &node->line, &node->column);
    if (fy_event_get_tag_token(event) != NULL) {
        return fail(builder, node->line, node->column, "tags (!) are not supported");
    }
    if (kind == GR_NODE_SCALAR) {
        node->text = token_copy(builder, event->scalar.value);
        const enum fy_scalar_style style =
            event->scalar.value != NULL ? fy_token_scalar_style(event->scalar.value) : FYSS_PLAIN;
        if (node->text != NULL && node->text[0] == '\0' && style == FYSS_PLAIN && has_extent(event)) {
            return fail_memory(builder); // the scanner saw a word and could not keep it
        }
        node->quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
        node->block = style == FYSS_LITERAL || style == FYSS_FOLDED;
        if (node->text == NULL) {
            return false;
        }
        if (gr_text_check(node->text, strlen(node->text)).text != NULL) { // written as an escape, such as "\e"
            return fail(builder, node->line, node->column, "a control character in the text");
        }
    }
    if (!remember_anchor(builder, fy_event_get_anchor_token(event), node) || !attach(builder, node)) {
        return false;
    }
    if (kind != GR_NODE_SCALAR) {
        if (builder->depth == GR_DOCUMENT_DEPTH) {
            return fail(builder, node->line, node->column, "nested deeper than 32 levels");
        }
        builder->keys[builder->depth] = NULL;
        builder->stack[builder->depth++] = node;
    }
    return true;
}

static bool take_event(Builder *builder, struct fy_event *event)
{
    int line, column;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        event_place(event, &line, &column);
        return !builder->ended || fail(builder, line, column, "a second document (---) in the same file");
    case FYET_DOCUMENT_END:
        builder->ended = true;
        return true;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        builder->depth -= builder->depth > 0;
        return true;
    case FYET_SCALAR:
    case FYET_ALIAS:
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        if (wants_key(builder)) {
            return set_key(builder, event);
        }
        return event->type == FYET_ALIAS ? add_alias(builder, event) : add_node(builder, event);
    default:
        return true;
    }
}

/// Reports the scanner's first error; later ones are its consequences.
static bool report_diagnostics(Builder *builder, struct fy_diag *diag)
{
    void *previous = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &previous);
    if (error == NULL) { // the scanner says what it does not like, but not that its memory ran out
        return fail_memory(builder);
    }
    char text[256];
    snprintf(text, sizeof text, "not valid YAML: %s", error->msg != NULL ? error->msg : "");
    text[strcspn(text, "\n")] = '\0';
    return fail(builder, error->line > 0 ? error->line : 0, error->column > 0 ? error->column : 0, text);
}

static bool run_parser(Builder *builder, struct fy_diag *diag)
{
    bool good = true;
    struct fy_event *event;
    while (good && (event = fy_parser_parse(builder->parser)) != NULL) {
        good = take_event(builder, event);
        fy_parser_event_free(builder->parser, event);
    }
    if (good && (fy_parser_get_stream_error(builder->parser) || fy_diag_got_error(diag))) {
        return report_diagnostics(builder, diag);
    }
    if (good && builder->root == NULL) {
        return fail(builder, 0, 0, "the file is empty");
    }
    return good;
}

GrNode *gr_yaml_parse(GrDocument *document, const char *text, size_t length, const char *file)
{
    Builder builder = {.document = document, .file = file};
    if (length > GR_DOCUMENT_BYTES) {
        fail(&builder, 0, 0, "more than 1 MiB of text");
        return NULL;
    }
    const GrTextFault fault = gr_text_check(text, length);
    if (fault.text != NULL) {
        fail(&builder, fault.line, fault.column, fault.text);
        return NULL;
    }
    const struct fy_diag_cfg diag_config = {.level = FYET_ERROR, .module_mask = ~0u};
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (diag == NULL) {
        fail_memory(&builder);
        return NULL;
    }
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                        .diag = diag};
    builder.parser = fy_parser_create(&config);
    bool good = builder.parser != NULL && fy_parser_set_string(builder.parser, text, length) == 0;
    good = good ? run_parser(&builder, diag) : fail_memory(&builder);
    if (builder.parser != NULL) {
        fy_parser_destroy(builder.parser);
    }
    fy_diag_destroy(diag);
    return good ? builder.root : NULL;
}

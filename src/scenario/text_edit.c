#include "text_edit.h"

#include "arena.h"
#include "document.h"
#include "list.h"
#include "out_of_memory.h"
#include "text.h"

#include "alloc.h"

#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- where every value stands

/// A value with the bytes that it takes.
///
///     key: value      key .. key_end, begin .. end
///
/// A section in block style (without brackets) begins with its first key and ends with its last value.
typedef struct Span {
    GrNodeKind kind;
    bool flow;    ///< [..] or {..}
    bool nothing; ///< no value: `key:`
    int line;     ///< 1-based
    const char *name, *value;
    size_t key, key_end, begin, end;
    int parent, index, count; ///< parent −1: the root
} Span;

typedef struct Outline {
    const char *text;
    size_t size;
    GrArena arena;
    Span *spans; ///< parents before their children
    int count;
    int open[GR_DOCUMENT_DEPTH];
    int depth;
    Span key; ///< that waits for its value; without a name: none
} Outline;

static void free_outline(Outline *o)
{
    gr_arena_free(&o->arena);
    gr_free(o->spans);
}

static const char *token_text(Outline *o, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &length) : "";
    return text != NULL ? gr_arena_strndup(&o->arena, text, length) : NULL;
}

/// The end of "key:", behind its colon.
static size_t behind_colon(const Outline *o, size_t key_end)
{
    const char *colon = memchr(o->text + key_end, ':', o->size - key_end);
    return colon != NULL ? (size_t)(colon - o->text) + 1 : key_end;
}

/// The bytes of an event, quotes included.
static void find_extent(const Outline *o, struct fy_event *event, Span *span)
{
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    const size_t size = o->size;
    span->begin = start != NULL && start->input_pos < size ? start->input_pos : size;
    span->end = end != NULL && end->input_pos <= size && end->input_pos > span->begin ? end->input_pos : span->begin;
    span->line = start != NULL ? start->line + 1 : 0;
    if (event->type != FYET_SCALAR || event->scalar.value == NULL) {
        return;
    }
    const enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    if ((style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && span->begin > 0 && span->end < size) {
        span->begin--;
        span->end++;
    } else if (style == FYSS_LITERAL || style == FYSS_FOLDED) { // its header stands on a line before
        span->flow = true;
        while (span->end > span->begin && strchr(" \n\r", o->text[span->end - 1]) != NULL) {
            span->end--;
        }
    }
}

static bool add_span(Outline *o, struct fy_event *event)
{
    Span span = {.parent = o->depth > 0 ? o->open[o->depth - 1] : -1};
    Span *parent = span.parent >= 0 ? &o->spans[span.parent] : NULL;
    find_extent(o, event, &span);
    span.kind = event->type == FYET_SEQUENCE_START  ? GR_NODE_LIST
                : event->type == FYET_MAPPING_START ? GR_NODE_MAPPING
                                                    : GR_NODE_SCALAR;
    if (parent != NULL && parent->kind == GR_NODE_MAPPING && o->key.name == NULL) {
        o->key = span;
        o->key.name = event->type == FYET_SCALAR ? token_text(o, event->scalar.value) : NULL;
        return o->key.name != NULL;
    }
    if (o->key.name != NULL) {
        span.name = o->key.name;
        span.key = o->key.begin;
        span.key_end = o->key.end;
        span.line = o->key.line;
        o->key.name = NULL;
    }
    span.index = parent != NULL ? parent->count++ : 0;
    if (span.kind == GR_NODE_SCALAR) {
        const bool block = span.flow;
        span.flow = false;
        span.value = event->type == FYET_SCALAR ? token_text(o, event->scalar.value) : "";
        span.nothing = event->type == FYET_SCALAR && span.end == span.begin;
        if (span.nothing || block) {
            span.begin = span.name != NULL ? behind_colon(o, span.key_end) : span.begin;
            span.end = span.nothing ? span.begin : span.end;
        }
    } else {
        span.flow = span.begin < o->size && strchr("[{", o->text[span.begin]) != NULL && span.end > span.begin;
    }
    const int at = gr_list_add(&o->spans, &o->count, &span, sizeof span);
    if (at < 0 || (span.kind == GR_NODE_SCALAR && span.value == NULL) || o->count > GR_DOCUMENT_NODES) {
        return false;
    }
    if (span.kind != GR_NODE_SCALAR) {
        if (o->depth == GR_DOCUMENT_DEPTH) {
            return false;
        }
        o->open[o->depth++] = at;
    }
    return true;
}

static bool take_event(Outline *o, struct fy_event *event)
{
    switch (event->type) {
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        if (o->depth > 0) {
            Span *span = &o->spans[o->open[--o->depth]];
            const struct fy_mark *end = fy_event_end_mark(event);
            if (span->flow && end != NULL && end->input_pos <= o->size) {
                span->end = end->input_pos;
            }
        }
        return true;
    case FYET_SCALAR:
    case FYET_ALIAS:
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        return add_span(o, event);
    default:
        return true;
    }
}

/// Sections in block style end with their last value.
static void find_ends(Outline *o)
{
    for (int i = o->count - 1; i >= 0; i--) {
        const Span *span = &o->spans[i];
        Span *parent = span->parent >= 0 ? &o->spans[span->parent] : NULL;
        if (parent != NULL && !parent->flow && span->end > parent->end) {
            parent->end = span->end;
        }
    }
}

/// False: the text is not YAML, or too large. Free the outline in any case.
static bool make_outline(const char *text, size_t size, Outline *o)
{
    *o = (Outline){.text = text, .size = size};
    const struct fy_diag_cfg diag_config = {.level = FYET_ERROR, .module_mask = ~0u};
    if (size > GR_DOCUMENT_BYTES || gr_text_check(text, size).text != NULL) {
        return false;
    }
    struct fy_diag *diag = fy_diag_create(&diag_config);
    if (diag == NULL) {
        return false;
    }
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                        .diag = diag};
    struct fy_parser *parser = fy_parser_create(&config);
    bool good = parser != NULL && fy_parser_set_string(parser, text, size) == 0;
    struct fy_event *event;
    while (good && (event = fy_parser_parse(parser)) != NULL) {
        good = take_event(o, event);
        fy_parser_event_free(parser, event);
    }
    good = good && !fy_parser_get_stream_error(parser) && !fy_diag_got_error(diag) && !o->arena.failed;
    if (parser != NULL) {
        fy_parser_destroy(parser);
    }
    fy_diag_destroy(diag);
    find_ends(o);
    return good;
}

static int child_of(const Outline *o, int parent, const char *name, size_t length, int index)
{
    for (int i = parent + 1; i < o->count; i++) {
        const Span *span = &o->spans[i];
        if (span->parent == parent &&
            (span->name != NULL ? name != NULL && strlen(span->name) == length && strncmp(span->name, name, length) == 0
                                : name == NULL && span->index == index)) {
            return i;
        }
    }
    return -1;
}

static size_t line_start(const Outline *o, size_t at)
{
    while (at > 0 && o->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t line_end(const Outline *o, size_t at)
{
    const char *end = memchr(o->text + at, '\n', o->size - at);
    return end != NULL ? (size_t)(end - o->text) : o->size;
}

/// First byte of an entry of a section: its key, or the dash of an item in block style.
static size_t entry_start(const Outline *o, int at)
{
    const Span *span = &o->spans[at];
    if (span->name != NULL) {
        return span->key;
    }
    size_t begin = span->begin;
    if (span->parent >= 0 && !o->spans[span->parent].flow) {
        while (begin > 0 && strchr(" \n\r", o->text[begin - 1]) != NULL) {
            begin--;
        }
        begin -= begin > 0;
    }
    return begin;
}

// ---- edits

/// Letters of names, with those of copies such as wheel_${side}; a new key has no copies.
static const char NAME[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-${}";

enum { COPY_LETTERS = 3 };

typedef struct Edit {
    const char *text; ///< for messages
    char path[GR_PATH_SIZE];
    const char *value;
    GrErrorLog *log;
} Edit;

static GrStatus fail(const Edit *edit, const char *why)
{
    return gr_error_add(edit->log, GR_ERROR_VALUE, (GrLocation){.field = edit->path}, "%s", why);
}

/// One step of a path: a name, an index, or the end of a list (`index` −1).
typedef struct Step {
    const char *name; ///< NULL: an item
    size_t length;
    int index;
    bool before; ///< a new item before it
} Step;

/// Takes the next step; false: the path is malformed.
static bool next_step(const char **at, Step *out)
{
    if (**at != '[') {
        *out = (Step){.name = *at, .length = strcspn(*at, ".[")};
        const char *end = *at + out->length;
        *at = end + (*end == '.');
        return out->length > 0 && out->length == strspn(out->name, NAME);
    }
    char *end;
    const bool append = (*at)[1] == '+';
    *out = (Step){.index = append ? -1 : (int)strtol(*at + 1, &end, 10)};
    out->before = !append && *end == '+';
    const char *close = append ? *at + 2 : end + out->before;
    if (*close != ']' || (!append && ((*at)[1] < '0' || (*at)[1] > '9' || out->index < 0))) {
        return false;
    }
    *at = close + 1;
    *at += **at == '.';
    return true;
}

/// Whether a step can be made: a key without copies, or the first item of a list.
static bool is_new(const Step *step)
{
    return step->name != NULL ? strcspn(step->name, NAME + sizeof NAME - 1 - COPY_LETTERS) >= step->length
                              : step->index <= 0;
}

/// Whether a value is one node on one line, so that it cannot add keys of its own.
static bool is_value(const char *value)
{
    Outline o = {0};
    GrBuffer list = {0};
    gr_buffer_printf(&list, "[%s]", value);
    bool good = !list.failed && strpbrk(value, "\n\r") == NULL && make_outline(list.data, list.size, &o);
    if (good) {
        const Span *item = o.count > 1 ? &o.spans[1] : NULL;
        good = item != NULL && o.spans[0].count == 1 && item->begin == 1 && item->end == strlen(value) + 1 &&
               (item->kind == GR_NODE_SCALAR || item->flow);
    }
    free_outline(&o);
    gr_buffer_free(&list);
    return good;
}

static void cut(GrBuffer *buffer, size_t size)
{
    buffer->size = size;
    if (buffer->data != NULL) {
        buffer->data[size] = '\0';
    }
}

static void splice(const Outline *o, size_t begin, size_t end, GrBuffer *out)
{
    gr_buffer_add(out, o->text + begin, end - begin);
}

/// The entry for what is left of a path: "a: {b: value}".
static bool put_entry(const char *path, const char *value, GrBuffer *out)
{
    char closers[GR_DOCUMENT_DEPTH + 1];
    int depth = 0;
    bool first = true;
    while (*path != '\0') {
        Step step;
        if (depth == GR_DOCUMENT_DEPTH || !next_step(&path, &step) || !is_new(&step)) {
            return false;
        }
        if (!first) {
            gr_buffer_puts(out, step.name != NULL ? "{" : "[");
            closers[depth++] = step.name != NULL ? '}' : ']';
        }
        if (step.name != NULL) {
            gr_buffer_printf(out, "%.*s: ", (int)step.length, step.name);
        }
        first = false;
    }
    gr_buffer_puts(out, value);
    while (depth > 0) {
        gr_buffer_add(out, &closers[--depth], 1);
    }
    return true;
}

/// The same as lines that begin at a column: "a:", below it "b: value".
static bool put_lines(const char *path, const char *value, int column, GrBuffer *out)
{
    while (*path != '\0') {
        Step step;
        if (!next_step(&path, &step) || !is_new(&step)) {
            return false;
        }
        if (step.name == NULL) {
            gr_buffer_puts(out, "- ");
            column += 2;
            continue;
        }
        gr_buffer_printf(out, "%.*s:", (int)step.length, step.name);
        column += 2;
        if (*path != '\0') {
            gr_buffer_printf(out, "\n%*s", column, "");
        } else {
            gr_buffer_puts(out, " ");
        }
    }
    gr_buffer_puts(out, value);
    return true;
}

/// Writes the value of an existing key or item.
static GrStatus replace(const Outline *o, int at, const Edit *edit, GrBuffer *out)
{
    const Span *span = &o->spans[at];
    const bool inline_value = span->kind == GR_NODE_SCALAR ? o->text[span->begin] != ' ' : span->flow;
    if (span->nothing && span->name == NULL) {
        return fail(edit, "an item without a value cannot be changed here; write the text");
    }
    if (inline_value || span->nothing || span->name == NULL) {
        splice(o, 0, span->begin, out);
        gr_buffer_printf(out, "%s%s", span->nothing ? " " : "", edit->value);
        splice(o, span->end, o->size, out);
        return GR_OK;
    }
    // A section below its key: what stands behind the colon, perhaps a comment, stays.
    const size_t colon = behind_colon(o, span->key_end), end = line_end(o, colon);
    const char *comment = memchr(o->text + colon, '#', end - colon);
    splice(o, 0, colon, out);
    gr_buffer_printf(out, " %s", edit->value);
    if (comment != NULL) {
        gr_buffer_puts(out, " ");
        splice(o, (size_t)(comment - o->text), end, out);
    }
    splice(o, span->end, o->size, out);
    return GR_OK;
}

/// Adds an entry to a section at its end.
static GrStatus insert(const Outline *o, int at, const char *rest, const Edit *edit, GrBuffer *out)
{
    const Span *span = &o->spans[at];
    GrBuffer entry = {0};
    const size_t first = at + 1 < o->count && !span->flow ? entry_start(o, at + 1) : 0;
    const int indent = (int)(first - line_start(o, first));
    const bool good = span->flow ? put_entry(rest, edit->value, &entry) : put_lines(rest, edit->value, indent, &entry);
    if (!good) {
        gr_buffer_free(&entry);
        return fail(edit, "the list has no such item");
    }
    int last = -1;
    for (int i = at + 1; i < o->count; i++) {
        last = o->spans[i].parent == at ? i : last;
    }
    if (span->flow) {
        const size_t place = last >= 0 ? o->spans[last].end : span->begin + 1;
        splice(o, 0, place, out);
        gr_buffer_printf(out, "%s%s", last >= 0 ? ", " : "", entry.data);
        splice(o, place, o->size, out);
    } else {
        const size_t end = line_end(o, span->end);
        splice(o, 0, end, out);
        gr_buffer_printf(out, "\n%*s%s", indent, "", entry.data);
        splice(o, end, o->size, out);
    }
    gr_buffer_free(&entry);
    return GR_OK;
}

/// Gives a key without a value its first entry.
static GrStatus fill_nothing(const Outline *o, int at, const char *rest, const Edit *edit, GrBuffer *out)
{
    const bool list = rest[0] == '[';
    splice(o, 0, o->spans[at].begin, out);
    gr_buffer_puts(out, list ? " [" : " {");
    const bool good = put_entry(rest, edit->value, out);
    gr_buffer_puts(out, list ? "]" : "}");
    splice(o, o->spans[at].end, o->size, out);
    return good ? GR_OK : fail(edit, "the list has no such item");
}

static GrStatus remove_span(const Outline *o, int at, const Edit *edit, GrBuffer *out)
{
    const Span *span = &o->spans[at];
    while (span->parent > 0 && o->spans[span->parent].count == 1) { // a section that would be empty goes too
        at = span->parent;
        span = &o->spans[at];
    }
    if (span->parent < 0) {
        return fail(edit, "the last key of the file stays");
    }
    const Span *parent = &o->spans[span->parent];
    int before = -1, after = -1;
    for (int i = span->parent + 1; i < o->count; i++) {
        if (o->spans[i].parent == span->parent) {
            before = o->spans[i].index == span->index - 1 ? i : before;
            after = o->spans[i].index == span->index + 1 ? i : after;
        }
    }
    size_t begin = entry_start(o, at), end = span->end;
    const size_t line = line_start(o, begin);
    const bool leads = strspn(o->text + line, " ") >= begin - line;
    if (parent->flow) {
        begin = before >= 0 ? o->spans[before].end : begin;
        end = before < 0 && after >= 0 ? entry_start(o, after) : end;
    } else if (leads) {
        begin = line;
        end = line_end(o, end);
        end += end < o->size;
    } else if (after >= 0) { // the first key of an item, behind its dash
        end = entry_start(o, after);
    }
    splice(o, 0, begin, out);
    splice(o, end, o->size, out);
    return GR_OK;
}

/// Puts an item before another one.
static GrStatus insert_before(const Outline *o, int at, const char *rest, const Edit *edit, GrBuffer *out)
{
    const bool flow = o->spans[o->spans[at].parent].flow;
    const size_t start = entry_start(o, at);
    GrBuffer entry = {0};
    if (rest[0] != '\0' || edit->value[0] == '\0') {
        return fail(edit, "a new item is one value");
    }
    gr_buffer_puts(&entry, edit->value);
    splice(o, 0, start, out);
    gr_buffer_printf(out, flow ? "%s, " : "- %s\n%*s", entry.data, (int)(start - line_start(o, start)), "");
    splice(o, start, o->size, out);
    gr_buffer_free(&entry);
    return GR_OK;
}

static GrStatus apply(const Outline *o, const Edit *edit, GrBuffer *out)
{
    const char *rest = edit->path;
    int at = 0;
    if (o->count == 0) { // comments alone
        splice(o, 0, o->size, out);
        gr_buffer_puts(out, o->size > 0 && o->text[o->size - 1] != '\n' ? "\n" : "");
        const bool good = edit->value[0] != '\0' && put_lines(rest, edit->value, 0, out);
        gr_buffer_puts(out, "\n");
        return good ? GR_OK : fail(edit, "there is no such value");
    }
    while (*rest != '\0') {
        Step step;
        const char *from = rest;
        const Span *span = &o->spans[at];
        if (!next_step(&rest, &step)) {
            return fail(edit, "a path is like start.x_m or drive.path[2]");
        }
        const int child = child_of(o, at, step.name, step.length, step.index);
        if (child >= 0 && step.before) {
            return insert_before(o, child, rest, edit, out);
        }
        if (child >= 0) {
            at = child;
        } else if (edit->value[0] == '\0') {
            return fail(edit, "there is no such value");
        } else if (span->nothing && span->name != NULL) {
            return fill_nothing(o, at, from, edit, out);
        } else if (span->kind != (step.name != NULL ? GR_NODE_MAPPING : GR_NODE_LIST)) {
            return fail(edit, "what stands there is neither a section nor a list; write the text");
        } else if (step.name == NULL && step.index >= 0) {
            return fail(edit, "the list has no such item");
        } else {
            return insert(o, at, from, edit, out);
        }
    }
    return edit->value[0] == '\0' ? remove_span(o, at, edit, out) : replace(o, at, edit, out);
}

GrStatus gr_text_edit(const char *text, size_t size, const char *edit, GrBuffer *out, GrErrorLog *log)
{
    Edit e = {.text = edit, .log = log};
    Outline o, checked;
    const char *equals = strchr(edit, '=');
    const size_t length = equals != NULL ? (size_t)(equals - edit) : 0, before = out->size;
    if (length == 0 || length >= sizeof e.path) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "an edit is PATH=VALUE");
    }
    memcpy(e.path, edit, length);
    e.value = equals + 1;
    if (e.value[0] != '\0' && !is_value(e.value)) {
        return fail(&e, "the value is not YAML on one line: put texts with special characters into quotes");
    }
    GrStatus status = make_outline(text, size, &o)
                          ? apply(&o, &e, out)
                          : fail(&e, "the text cannot be read: correct it first where the message says");
    free_outline(&o);
    if (status == GR_OK && !out->failed) {
        if (!make_outline(out->data + before, out->size - before, &checked)) {
            status = fail(&e, "the text would not be valid YAML");
        }
        free_outline(&checked);
    }
    if (status != GR_OK) {
        cut(out, before);
    }
    return status == GR_OK && out->failed ? gr_out_of_memory(log, NULL) : status;
}

// ---- values

static void put_path(const Outline *o, int at, GrBuffer *out)
{
    const Span *span = &o->spans[at];
    if (span->parent < 0) {
        return;
    }
    put_path(o, span->parent, out);
    if (span->name != NULL) {
        gr_buffer_printf(out, "%s%s", out->size > 0 ? "." : "", span->name);
    } else {
        gr_buffer_printf(out, "[%d]", span->index);
    }
}

GrStatus gr_text_values(const char *text, size_t size, GrTextVisit *visit, void *context)
{
    Outline o;
    GrBuffer path = {0}, whole = {0};
    const bool good = make_outline(text, size, &o);
    for (int i = 1; good && i < o.count; i++) {
        const Span *span = &o.spans[i];
        const bool list = span->kind == GR_NODE_LIST && span->flow;
        if (span->kind != GR_NODE_SCALAR && !list) {
            continue;
        }
        cut(&path, 0);
        cut(&whole, 0);
        put_path(&o, i, &path);
        splice(&o, span->begin, span->end, &whole);
        if (!path.failed && !whole.failed) {
            visit(context, path.data, list ? whole.data : span->value, span->line);
        }
    }
    free_outline(&o);
    gr_buffer_free(&path);
    gr_buffer_free(&whole);
    return good ? GR_OK : GR_ERROR_SYNTAX;
}

/// Grammar of YAML as people write it: lines, each with what is indented below it, and values in braces and brackets.
#include "mutate.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256, DEEP = 40 };

static size_t indent_of(const GrMutation *m, size_t begin)
{
    size_t at = begin;
    while (at < m->size && m->data[at] == ' ') {
        at++;
    }
    return at - begin;
}

static bool is_blank(const GrMutation *m, GrPiece line)
{
    const size_t at = line.begin + indent_of(m, line.begin);
    return at >= m->size || m->data[at] == '\n';
}

/// A line with all lines that are indented more.
static GrPiece below_line(const GrMutation *m, GrPiece line)
{
    const size_t indent = indent_of(m, line.begin);
    while (line.end < m->size) {
        const GrPiece next = gr_mutate_line(m, line.end);
        if (!is_blank(m, next) && indent_of(m, next.begin) <= indent) {
            break;
        }
        line.end = next.end;
    }
    return line;
}

/// The value in braces or brackets around an offset, or from comma to comma; empty when there is none in the line.
static GrPiece flow_item(const GrMutation *m, size_t at)
{
    const GrPiece line = gr_mutate_line(m, at);
    GrPiece item = {at, at};
    while (item.begin > line.begin && memchr(",[{", m->data[item.begin - 1], 3) == NULL) {
        item.begin--;
    }
    while (item.end < line.end && memchr(",]}\n", m->data[item.end], 4) == NULL) {
        item.end++;
    }
    const bool found = item.begin > line.begin && item.end < line.end && m->data[item.end] != '\n';
    return found ? item : (GrPiece){at, at};
}

static GrPiece piece(GrMutation *m)
{
    const size_t at = gr_mutate_below(m, m->size);
    const GrPiece item = flow_item(m, at), line = gr_mutate_line(m, at);
    if (item.end > item.begin && gr_mutate_below(m, 2) == 0) {
        return item;
    }
    return gr_mutate_below(m, 2) == 0 ? line : below_line(m, line);
}

/// A value of any kind.
static void any_value(GrMutation *m, char text[TEXT_SIZE])
{
    static const char *const KINDS[] = {"",
                                        "~",
                                        "null",
                                        "true",
                                        "no",
                                        "''",
                                        "\"a\\\"b\"",
                                        "[]",
                                        "{}",
                                        "[1, 2, 3]",
                                        "[[1, 2], [3]]",
                                        "{a: {b: 1}}",
                                        "*a",
                                        "&a 1",
                                        "&a {b: 1}",
                                        "!!str 1",
                                        "!!int 'x'",
                                        "\"\\u202e\"",
                                        "\"\\x1b[2J\"",
                                        "../../x",
                                        "/dev/zero",
                                        "=1+1",
                                        "<b>&amp;",
                                        "%s%n",
                                        "|\n  text",
                                        ">-\n    folded",
                                        "- 1\n- 2",
                                        "? a\n: b",
                                        "a.b[0].c",
                                        "${i}",
                                        "${i + 1}",
                                        "{repeat: 3}",
                                        "{use: x}",
                                        "[x, y, z]",
                                        "{x: 1, x: 2}",
                                        "2026-07-01T12:00:00Z",
                                        "rashid_like",
                                        "lunar_apollo",
                                        "moon",
                                        "x.csv",
                                        "[[0, 0], [1, 1e9]]"};
    const size_t kind = gr_mutate_below(m, 4);
    if (kind == 0) {
        snprintf(text, TEXT_SIZE, "%s", KINDS[gr_mutate_below(m, sizeof KINDS / sizeof KINDS[0])]);
    } else if (kind == 1) {
        snprintf(text, TEXT_SIZE, "%s", gr_mutate_word(m));
    } else if (kind == 2) {
        const char *word = gr_mutate_word(m);
        snprintf(text, TEXT_SIZE, "{%s: %s}", word, gr_mutate_number(m));
    } else {
        snprintf(text, TEXT_SIZE, "%s", gr_mutate_number(m));
    }
}

/// The value behind a key or a dash.
static void change_value(GrMutation *m)
{
    char text[TEXT_SIZE];
    const GrPiece line = gr_mutate_line(m, gr_mutate_below(m, m->size));
    const uint8_t *from = m->data + line.begin;
    const size_t length = line.end - line.begin;
    const uint8_t *mark = memchr(from, ':', length);
    mark = mark != NULL ? mark : memchr(from, '-', length);
    if (mark == NULL) {
        return;
    }
    const size_t begin = (size_t)(mark - m->data) + 1;
    const size_t end = line.end - (line.end > begin && m->data[line.end - 1] == '\n');
    text[0] = ' ';
    any_value(m, text + 1);
    gr_mutate_replace_text(m, (GrPiece){begin, end > begin ? end : begin}, text);
}

/// One more key, beside a line or below it.
static void add_key(GrMutation *m)
{
    char text[2 * TEXT_SIZE], value[TEXT_SIZE];
    const GrPiece line = gr_mutate_line(m, gr_mutate_below(m, m->size));
    const size_t indent = indent_of(m, line.begin);
    const bool below = gr_mutate_below(m, 2) == 0;
    any_value(m, value);
    snprintf(text, sizeof text, "%*s%s%s: %s\n", (int)(indent < DEEP ? indent + (below ? 2 : 0) : DEEP), "",
             gr_mutate_below(m, 6) == 0 ? "- " : "", gr_mutate_word(m), value);
    const size_t at = below ? line.end : line.begin;
    gr_mutate_replace_text(m, (GrPiece){at, at}, text);
}

/// One more item between braces or brackets.
static void add_item(GrMutation *m)
{
    char text[2 * TEXT_SIZE], value[TEXT_SIZE];
    const size_t start = gr_mutate_below(m, m->size);
    for (size_t at = start; at < m->size; at++) {
        if (m->data[at] == '{' || m->data[at] == '[') {
            any_value(m, value);
            if (m->data[at] == '{') {
                snprintf(text, sizeof text, "%s: %s, ", gr_mutate_word(m), value);
            } else {
                snprintf(text, sizeof text, "%s, ", value);
            }
            gr_mutate_replace_text(m, (GrPiece){at + 1, at + 1}, text);
            return;
        }
    }
}

/// Indents a line and what is below it more or less than it was.
static void indent(GrMutation *m)
{
    GrPiece lines = below_line(m, gr_mutate_line(m, gr_mutate_below(m, m->size)));
    const bool more = gr_mutate_below(m, 2) == 0;
    for (size_t at = lines.begin; at < lines.end && at < m->size; at = gr_mutate_line(m, at).end) {
        const size_t before = m->size;
        if (more) {
            gr_mutate_replace_text(m, (GrPiece){at, at}, "  ");
        } else if (indent_of(m, at) >= 2) {
            gr_mutate_replace(m, (GrPiece){at, at + 2}, NULL, 0);
        }
        lines.end = lines.end + m->size - before;
    }
}

/// An anchor at one value, and its alias in place of another or merged into a mapping.
static void share(GrMutation *m)
{
    for (int i = 0; i < 2; i++) {
        const GrPiece line = gr_mutate_line(m, gr_mutate_below(m, m->size));
        const uint8_t *colon = memchr(m->data + line.begin, ':', line.end - line.begin);
        if (colon != NULL) {
            const size_t at = (size_t)(colon - m->data) + 1;
            gr_mutate_replace_text(m, (GrPiece){at, at},
                                   i == 0                       ? " &a"
                                   : gr_mutate_below(m, 2) == 0 ? " *a"
                                                                : " <<: *a");
        }
    }
}

/// An override in the first line, as the targets take it.
static void override(GrMutation *m)
{
    char text[3 * TEXT_SIZE], value[TEXT_SIZE];
    any_value(m, value);
    value[strcspn(value, "\n")] = '\0';
    const char *first = gr_mutate_word(m), *second = gr_mutate_word(m);
    snprintf(text, sizeof text, gr_mutate_below(m, 2) == 0 ? "#set %s.%s=%s\n" : "#set %s[0].%s=%s\n", first, second,
             value);
    const bool replaces = m->size > 5 && memcmp(m->data, "#set ", 5) == 0;
    gr_mutate_replace_text(m, replaces ? gr_mutate_line(m, 0) : (GrPiece){0, 0}, text);
}

static void (*const STEPS[])(GrMutation *) = {gr_mutate_any_token,
                                              gr_mutate_any_token,
                                              change_value,
                                              change_value,
                                              add_key,
                                              add_key,
                                              add_item,
                                              indent,
                                              share,
                                              override};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

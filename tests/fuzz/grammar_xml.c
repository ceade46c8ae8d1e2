/// Grammar of XML: elements with all that is in them, and attributes.
#include "mutate.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256 };

/// The first `c` from an offset on; the size where there is none.
static size_t find(const GrMutation *m, size_t at, uint8_t c)
{
    const uint8_t *found = at < m->size ? memchr(m->data + at, c, m->size - at) : NULL;
    return found != NULL ? (size_t)(found - m->data) : m->size;
}

/// The tag that begins at the first < from an offset on, or the end of the text.
static GrPiece tag_from(const GrMutation *m, size_t at)
{
    const size_t begin = find(m, at, '<'), end = find(m, begin, '>');
    return (GrPiece){begin, end < m->size ? end + 1 : m->size};
}

/// From a tag to the end of its element, counting tags only.
static GrPiece element(const GrMutation *m, GrPiece tag)
{
    GrPiece all = tag;
    for (int depth = 0; tag.begin < m->size; tag = tag_from(m, tag.end)) {
        const bool closes = tag.begin + 1 < m->size && m->data[tag.begin + 1] == '/';
        const bool whole = tag.end >= 2 && (m->data[tag.end - 2] == '/' || m->data[tag.begin + 1] == '?');
        depth += closes ? -1 : whole ? 0 : 1;
        all.end = tag.end;
        if (depth <= 0) {
            return all;
        }
    }
    return all;
}

static GrPiece piece(GrMutation *m)
{
    const GrPiece tag = tag_from(m, gr_mutate_below(m, m->size));
    if (tag.begin == m->size) {
        return gr_mutate_line(m, gr_mutate_below(m, m->size));
    }
    return gr_mutate_below(m, 4) == 0 ? tag : element(m, tag);
}

static void any_value(GrMutation *m, char text[TEXT_SIZE])
{
    static const char *const KINDS[] = {
        "",          "0 0 0",         "0 0 1",       "1 2",           "1 2 3 4",     "&lt;&#x1b;",
        "&e;",       "package://x/y", "../../x.obj", "/etc/hostname", "nan nan nan", "1e308 1 1",
        "file:///x", "x.stl",         "1e-320 0 0"};
    const size_t kind = gr_mutate_below(m, 4);
    if (kind == 0) {
        snprintf(text, TEXT_SIZE, "%s", KINDS[gr_mutate_below(m, sizeof KINDS / sizeof KINDS[0])]);
    } else if (kind == 1) {
        snprintf(text, TEXT_SIZE, "%s", gr_mutate_word(m));
    } else {
        snprintf(text, TEXT_SIZE, "%s", gr_mutate_number(m));
    }
}

/// The text between a pair of quotes.
static void change_attribute(GrMutation *m)
{
    char text[TEXT_SIZE];
    const size_t equals = find(m, gr_mutate_below(m, m->size), '=');
    const size_t open = find(m, equals, '"'), close = find(m, open + 1, '"');
    if (close < m->size) {
        any_value(m, text);
        gr_mutate_replace_text(m, (GrPiece){open + 1, close}, text);
    }
}

static void add_attribute(GrMutation *m)
{
    char text[2 * TEXT_SIZE], value[TEXT_SIZE];
    const GrPiece tag = tag_from(m, gr_mutate_below(m, m->size));
    size_t at = tag.begin + 1;
    while (at < tag.end && memchr(" />\n", m->data[at], 4) == NULL) {
        at++;
    }
    if (at < tag.end) {
        any_value(m, value);
        snprintf(text, sizeof text, " %s=\"%s\"", gr_mutate_word(m), value);
        gr_mutate_replace_text(m, (GrPiece){at, at}, text);
    }
}

static void add_element(GrMutation *m)
{
    char text[3 * TEXT_SIZE], value[TEXT_SIZE];
    const GrPiece tag = tag_from(m, gr_mutate_below(m, m->size));
    any_value(m, value);
    const char *name = gr_mutate_word(m), *attribute = gr_mutate_word(m);
    if (gr_mutate_below(m, 2) == 0) {
        snprintf(text, sizeof text, "<%s %s=\"%s\"/>", name, attribute, value);
    } else {
        snprintf(text, sizeof text, "<%s>%s</%s>", name, value, name);
    }
    gr_mutate_replace_text(m, (GrPiece){tag.end, tag.end}, text);
}

/// A document type with entities, which must not be expanded.
static void add_entities(GrMutation *m)
{
    static const char *const TYPES[] = {
        "<!DOCTYPE r [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>\n",
        "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY e \"&a;&a;&a;&a;\">]>\n",
        "<!DOCTYPE r SYSTEM \"http://127.0.0.1/x.dtd\">\n",
        "<!--",
        "<![CDATA[",
    };
    const char *type = TYPES[gr_mutate_below(m, sizeof TYPES / sizeof TYPES[0])];
    const GrPiece tag = tag_from(m, 0);
    const size_t at = gr_mutate_below(m, 2) == 0 ? tag.begin : tag.end;
    gr_mutate_replace_text(m, (GrPiece){at, at}, type);
}

static void (*const STEPS[])(GrMutation *) = {gr_mutate_any_token, change_attribute, change_attribute,
                                              add_attribute,       add_element,      add_entities};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

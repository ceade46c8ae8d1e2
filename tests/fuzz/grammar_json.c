/// Grammar of JSON: members, items, and values with all that is in them. Bytes before the first brace are the target's.
#include "mutate.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256 };

/// End of the value or member that begins at an offset: the next comma or closer at its own depth, outside strings.
static size_t item_end(const GrMutation *m, size_t at)
{
    bool quoted = false;
    int depth = 0;
    for (; at < m->size; at++) {
        const uint8_t c = m->data[at];
        if (c == '\\' && quoted) {
            at++;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '{' || c == '[')) {
            depth++;
        } else if (!quoted && (c == '}' || c == ']') && --depth < 0) {
            break;
        } else if (!quoted && c == ',' && depth == 0) {
            break;
        }
    }
    return at < m->size ? at : m->size;
}

/// A member or item: what follows an opener, a comma or a colon.
static GrPiece piece(GrMutation *m)
{
    size_t at = gr_mutate_below(m, m->size);
    while (at > 0 && memchr("{[,:", m->data[at - 1], 4) == NULL) {
        at--;
    }
    return (GrPiece){at, item_end(m, at)};
}

static void any_value(GrMutation *m, char text[TEXT_SIZE])
{
    static const char *const KINDS[] = {"null",
                                        "true",
                                        "false",
                                        "{}",
                                        "[]",
                                        "\"\"",
                                        "\"\\u0000\"",
                                        "[1, 2]",
                                        "\"a=1\"",
                                        "[\"a=1\"]",
                                        "{\"a\": {}}",
                                        "\"\\ud800\"",
                                        "\"\\u001b[2J\"",
                                        "\"\\ud83d\\ude00\"",
                                        "[[[[[]]]]]",
                                        "1e999",
                                        "-0",
                                        "01",
                                        "\"\xff\"",
                                        "\"/body\"",
                                        "\"json\"",
                                        "{\"x\": 1}",
                                        "4294967295",
                                        "4294967296",
                                        "-1",
                                        "\"protobuf\"",
                                        "1.5",
                                        "\"number\""};
    const size_t kind = gr_mutate_below(m, 3);
    if (kind == 0) {
        snprintf(text, TEXT_SIZE, "%s", KINDS[gr_mutate_below(m, sizeof KINDS / sizeof KINDS[0])]);
    } else if (kind == 1) {
        snprintf(text, TEXT_SIZE, "\"%s\"", gr_mutate_word(m));
    } else {
        snprintf(text, TEXT_SIZE, "%s", gr_mutate_number(m));
    }
}

static void change_value(GrMutation *m)
{
    char text[TEXT_SIZE];
    const GrPiece value = piece(m);
    any_value(m, text);
    gr_mutate_replace_text(m, value, text);
}

static void add_member(GrMutation *m)
{
    char text[2 * TEXT_SIZE], value[TEXT_SIZE];
    for (size_t at = gr_mutate_below(m, m->size); at < m->size; at++) {
        if (m->data[at] != '{' && m->data[at] != '[') {
            continue;
        }
        any_value(m, value);
        if (m->data[at] == '{') {
            snprintf(text, sizeof text, "\"%s\": %s, ", gr_mutate_word(m), value);
        } else {
            snprintf(text, sizeof text, "%s, ", value);
        }
        gr_mutate_replace_text(m, (GrPiece){at + 1, at + 1}, text);
        return;
    }
}

/// A whole object with an operation, as all messages are.
static void begin_anew(GrMutation *m)
{
    char text[3 * TEXT_SIZE], value[TEXT_SIZE];
    any_value(m, value);
    const char *operation = gr_mutate_word(m), *key = gr_mutate_word(m);
    snprintf(text, sizeof text, "{\"op\": \"%s\", \"%s\": %s}", operation, key, value);
    const uint8_t *brace = memchr(m->data, '{', m->size);
    gr_mutate_replace_text(m, (GrPiece){brace != NULL ? (size_t)(brace - m->data) : 0, m->size}, text);
}

static void (*const STEPS[])(GrMutation *) = {gr_mutate_any_token, gr_mutate_any_token, change_value,
                                              change_value,        add_member,          begin_anew};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

/// Grammar of lines of cells: tables, height grids, and meshes as text.
#include "mutate.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 128 };

static bool is_separator(uint8_t c)
{
    return c == ',' || c == ';' || c == '\t' || c == ' ' || c == '/';
}

/// A cell with the separator behind it.
static GrPiece cell(const GrMutation *m, size_t at)
{
    const GrPiece line = gr_mutate_line(m, at);
    GrPiece found = {at, at};
    while (found.begin > line.begin && !is_separator(m->data[found.begin - 1])) {
        found.begin--;
    }
    while (found.end < line.end && m->data[found.end] != '\n' && !is_separator(m->data[found.end])) {
        found.end++;
    }
    found.end += found.end < line.end && m->data[found.end] != '\n';
    return found;
}

static GrPiece piece(GrMutation *m)
{
    const size_t at = gr_mutate_below(m, m->size);
    return gr_mutate_below(m, 3) == 0 ? cell(m, at) : gr_mutate_line(m, at);
}

/// A cell gets another content and keeps its separator.
static void change_cell(GrMutation *m)
{
    static const char *const KINDS[] = {"",      "\"",  "\"a,b\"", "\"a\"\"b\"", "'",           "=1+1",
                                        "#",     "nan", "-9999",   "1e999",      "1//2",        "1/2/3",
                                        "-1/-1", "NA",  "\r",      " ",          "\xef\xbb\xbf"};
    const GrPiece old = cell(m, gr_mutate_below(m, m->size));
    const bool separated = old.end > old.begin && is_separator(m->data[old.end - 1]);
    const GrPiece content = {old.begin, old.end - separated};
    const size_t kind = gr_mutate_below(m, 4);
    gr_mutate_replace_text(m, content,
                           kind == 0   ? KINDS[gr_mutate_below(m, sizeof KINDS / sizeof KINDS[0])]
                           : kind == 1 ? gr_mutate_word(m)
                                       : gr_mutate_number(m));
}

/// A line out of a word and numbers: v 1 2 3, f 1 2 -3, vertex 0 0 1e9, ncols 5.
static void add_line(GrMutation *m)
{
    static const char *const SEPARATORS[] = {" ", ",", ";", "\t", "  "};
    char text[TEXT_SIZE];
    const char *separator = SEPARATORS[gr_mutate_below(m, sizeof SEPARATORS / sizeof SEPARATORS[0])];
    int used = gr_mutate_below(m, 3) > 0 ? snprintf(text, sizeof text, "%s", gr_mutate_word(m)) : 0;
    for (size_t i = gr_mutate_below(m, 5); i > 0 && used < TEXT_SIZE - 40; i--) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s%s", used > 0 ? separator : "", gr_mutate_number(m));
    }
    if (used >= TEXT_SIZE - 1) {
        return;
    }
    snprintf(text + used, sizeof text - (size_t)used, "\n");
    const GrPiece line = gr_mutate_line(m, gr_mutate_below(m, m->size));
    gr_mutate_replace_text(m, (GrPiece){line.begin, line.begin}, text);
}

/// All separators of one kind become another's.
static void change_separators(GrMutation *m)
{
    static const uint8_t KINDS[] = {',', ';', '\t', ' '};
    const uint8_t from = KINDS[gr_mutate_below(m, sizeof KINDS)], to = KINDS[gr_mutate_below(m, sizeof KINDS)];
    for (size_t i = 0; i < m->size; i++) {
        m->data[i] = m->data[i] == from ? to : m->data[i];
    }
}

static void (*const STEPS[])(GrMutation *) = {gr_mutate_any_token, change_cell, change_cell,
                                              change_cell,         add_line,    change_separators};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

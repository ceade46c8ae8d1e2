/// Grammar of texts that end in zero bytes: names and titles that writers find hard.
#include "mutate.h"

#include <string.h>

static GrPiece piece(GrMutation *m)
{
    const size_t at = gr_mutate_below(m, m->size);
    GrPiece text = {at, at};
    while (text.begin > 0 && m->data[text.begin - 1] != 0) {
        text.begin--;
    }
    while (text.end < m->size && m->data[text.end] != 0) {
        text.end++;
    }
    text.end += text.end < m->size;
    return text;
}

/// Markup, formulas, escapes of terminals, controls in UTF-8, and bytes that are none.
static void put_hard(GrMutation *m)
{
    static const char *const HARD[] = {"<script>alert(1)</script>",
                                       "</title>",
                                       "</text></svg>",
                                       "<!--",
                                       "-->",
                                       "<![CDATA[",
                                       "]]>",
                                       "&amp;",
                                       "&#0;",
                                       "&",
                                       "\"",
                                       "\" onload=\"x",
                                       "'",
                                       "=1+1",
                                       "+cmd|' /C'!A0",
                                       "-1",
                                       "-1+1",
                                       "@SUM(A1)",
                                       "\t=1",
                                       "\r=1",
                                       "\n=1",
                                       ",",
                                       ";",
                                       "\"\"",
                                       "a\nb",
                                       "\x1b[2J",
                                       "\x1b]0;x\x07",
                                       "\b\b",
                                       "\x7f",
                                       "\r",
                                       "\xc2\x9b[2J",
                                       "\xc2\x85",
                                       "\xe2\x80\xae",
                                       "\xe2\x81\xa6",
                                       "\xff",
                                       "\xc3",
                                       "\xed\xa0\x80",
                                       "\xf4\x90\x80\x80",
                                       "\xc0\x80",
                                       "\xe2\x82\xac",
                                       "\xef\xbf\xbe",
                                       "\xef\xbf\xbf",
                                       "\xf0\x9f\x98\x80",
                                       "\xe2\x80\xa8",
                                       "\\",
                                       "\\u0000",
                                       "%s%n",
                                       "\xef\xbb\xbf",
                                       "../../x",
                                       "1e5",
                                       "-1e5",
                                       "+",
                                       "nan",
                                       "-inf"};
    const char *text = HARD[gr_mutate_below(m, sizeof HARD / sizeof HARD[0])];
    const size_t at = gr_mutate_below(m, 2) == 0 ? piece(m).begin : gr_mutate_below(m, m->size);
    gr_mutate_replace_text(m, (GrPiece){at, at}, text);
}

static void (*const STEPS[])(GrMutation *) = {put_hard, put_hard, put_hard, gr_mutate_any_token};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

/// Grammar of binary files: integers of 1, 2, 4 and 8 bytes, floats, and words.
#include "mutate.h"

#include <string.h>

enum { LONGEST = 256, ALIGNED = 4 };

static GrPiece piece(GrMutation *m)
{
    const size_t begin = gr_mutate_below(m, m->size), left = m->size - begin;
    const size_t length = 1 + gr_mutate_below(m, left < LONGEST ? left : LONGEST);
    return (GrPiece){begin, begin + length};
}

/// Somewhere with room for `width` bytes: more often near the front, where headers are, and at multiples of the width.
static size_t place(GrMutation *m, size_t width)
{
    const size_t span = gr_mutate_below(m, 2) == 0 && m->size > LONGEST ? LONGEST : m->size;
    const size_t at = gr_mutate_below(m, span - width + 1);
    return gr_mutate_below(m, 2) == 0 ? at - at % width : at;
}

/// An integer, little-endian or big-endian, that is a limit, the size of the file, or near to what was there.
static void change_integer(GrMutation *m)
{
    const size_t width = (size_t)1 << gr_mutate_below(m, 4);
    if (m->size < width) {
        return;
    }
    const size_t at = place(m, width);
    const uint64_t all = UINT64_MAX >> (64 - 8 * width), half = all >> 1;
    uint64_t old = 0;
    memcpy(&old, m->data + at, width);
    const uint64_t choices[] = {0,       1,       2,        all,     half,         half + 1,
                                old + 1, old - 1, 2 * old,  m->size, m->size - at, (m->size - 84) / 50,
                                old ^ 1, 1 << 20, 1u << 31, 1000,    all - 7,      old + 8};
    uint64_t value = choices[gr_mutate_below(m, sizeof choices / sizeof choices[0])];
    const bool swapped = gr_mutate_below(m, 4) == 0;
    for (size_t i = 0; i < width; i++) {
        m->data[at + (swapped ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    }
}

static void change_float(GrMutation *m)
{
    static const double HARD[] = {0, -0.0, 1, -1, 1e300, -1e300, 1e38, 1e-320, 1e9, 0.5, 1e-9, 3.5e38};
    const double value = HARD[gr_mutate_below(m, sizeof HARD / sizeof HARD[0])];
    const float narrow = value > 3e38 ? __builtin_inff() : value < -3e38 ? __builtin_nanf("") : (float)value;
    const bool wide = gr_mutate_below(m, 2) == 0;
    const size_t width = wide ? sizeof value : sizeof narrow;
    if (m->size >= width) {
        memcpy(m->data + place(m, width), wide ? (const void *)&value : (const void *)&narrow, width);
    }
}

/// A word that the readers know, over what was there or between it.
static void put_word(GrMutation *m)
{
    const char *word = gr_mutate_word(m);
    const size_t length = strlen(word), at = gr_mutate_below(m, m->size);
    const size_t end = gr_mutate_below(m, 2) == 0 || m->size - at < length ? at : at + length;
    gr_mutate_replace(m, (GrPiece){at, end}, word, length);
}

/// Lengths fit again: the end is cut to a multiple of a record.
static void cut(GrMutation *m)
{
    const size_t at = gr_mutate_below(m, m->size);
    m->size = at - at % ALIGNED;
}

static void (*const STEPS[])(GrMutation *) = {change_integer, change_integer, change_integer,
                                              change_float,   put_word,       cut};

const GrGrammar gr_grammar = {.piece = piece, .steps = STEPS, .step_count = sizeof STEPS / sizeof STEPS[0]};

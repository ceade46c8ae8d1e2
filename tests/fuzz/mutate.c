#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t room, unsigned seed);

enum { PIECE_SIZE = 1 << 16 };

/// Pieces that are kept while the input changes.
static uint8_t kept[PIECE_SIZE];

/// splitmix64.
static uint64_t next(GrMutation *m)
{
    uint64_t z = m->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t gr_mutate_below(GrMutation *m, size_t count)
{
    return count > 0 ? (size_t)(next(m) % count) : 0;
}

void gr_mutate_replace(GrMutation *m, GrPiece piece, const void *text, size_t length)
{
    const size_t removed = piece.end - piece.begin;
    if (m->size - removed + length > m->room) {
        return;
    }
    memmove(m->data + piece.begin + length, m->data + piece.end, m->size - piece.end);
    if (length > 0) {
        memcpy(m->data + piece.begin, text, length);
    }
    m->size = m->size - removed + length;
}

void gr_mutate_replace_text(GrMutation *m, GrPiece piece, const char *text)
{
    gr_mutate_replace(m, piece, text, strlen(text));
}

const char *gr_mutate_number(GrMutation *m)
{
    static const char *const HARD[] = {
        "0",       "-0",       "1",       "-1",         "2",          "0.5",         "1e-9",       "1e9",
        "1e10",    "1e19",     "1e300",   "-1e308",     "1.8e308",    "1e400",       "nan",        ".nan",
        "inf",     "-.inf",    "1e-320",  "2147483647", "2147483648", "-2147483649", "4294967296", "1e",
        "0x10",    "1_0",      "+",       ".",          "1,5",        "- 1",         "1/0",        "2^1024",
        "pi/2",    "sqrt(-1)", "(1 + 2)", "x",          "360",        "-9999",       "65536",      "9007199254740993",
        "0.1e-17", "1e5",      "100000",  "32767",      "255"};
    static char text[32];
    if (gr_mutate_below(m, 2) == 0) {
        return HARD[gr_mutate_below(m, sizeof HARD / sizeof HARD[0])];
    }
    const int whole = (int)gr_mutate_below(m, 40) - 10;
    const int digits = (int)gr_mutate_below(m, 3);
    snprintf(text, sizeof text, digits == 0 ? "%d" : "%d.%d", whole, (int)gr_mutate_below(m, 100));
    return text;
}

const char *gr_mutate_word(GrMutation *m)
{
    return gr_word_count > 0 ? gr_words[gr_mutate_below(m, (size_t)gr_word_count)] : "x";
}

GrPiece gr_mutate_line(const GrMutation *m, size_t at)
{
    GrPiece line = {at, at};
    while (line.begin > 0 && m->data[line.begin - 1] != '\n') {
        line.begin--;
    }
    while (line.end < m->size && m->data[line.end] != '\n') {
        line.end++;
    }
    line.end += line.end < m->size;
    return line;
}

static bool in_token(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-';
}

GrPiece gr_mutate_token(const GrMutation *m, size_t at)
{
    GrPiece token = {at, at};
    while (token.begin > 0 && in_token(m->data[token.begin - 1])) {
        token.begin--;
    }
    while (token.end < m->size && in_token(m->data[token.end])) {
        token.end++;
    }
    return token;
}

void gr_mutate_any_token(GrMutation *m)
{
    const GrPiece token = gr_mutate_token(m, gr_mutate_below(m, m->size));
    if (token.begin == token.end) {
        return;
    }
    const bool number = isdigit(m->data[token.begin]) || m->data[token.begin] == '-' || m->data[token.begin] == '.';
    const bool other = gr_mutate_below(m, 8) == 0;
    gr_mutate_replace_text(m, token, number != other ? gr_mutate_number(m) : gr_mutate_word(m));
}

static void leave_out(GrMutation *m)
{
    gr_mutate_replace(m, gr_grammar.piece(m), NULL, 0);
}

/// Puts a piece, which may come from another input, before or in place of one here.
static void put_piece(GrMutation *m, const uint8_t *text, size_t length)
{
    GrPiece to = {0, 0};
    if (m->size > 0) {
        to = gr_grammar.piece(m);
        to.end = gr_mutate_below(m, 2) == 0 ? to.begin : to.end;
    }
    gr_mutate_replace(m, to, text, length);
}

static size_t keep(const GrMutation *m, GrPiece piece)
{
    const size_t length = piece.end - piece.begin;
    const size_t size = length < PIECE_SIZE ? length : PIECE_SIZE;
    memcpy(kept, m->data + piece.begin, size);
    return size;
}

static void copy_piece(GrMutation *m)
{
    const size_t length = keep(m, gr_grammar.piece(m));
    put_piece(m, kept, length);
}

static void move_piece(GrMutation *m)
{
    const GrPiece piece = gr_grammar.piece(m);
    const size_t length = keep(m, piece);
    if (length == piece.end - piece.begin) {
        gr_mutate_replace(m, piece, NULL, 0);
        put_piece(m, kept, length);
    }
}

/// The same piece many times: limits of counts.
static void repeat_piece(GrMutation *m)
{
    const GrPiece piece = gr_grammar.piece(m);
    const size_t length = keep(m, piece);
    for (size_t i = 1 + gr_mutate_below(m, 40); i > 0; i--) {
        gr_mutate_replace(m, (GrPiece){piece.end, piece.end}, kept, length);
    }
}

static void step(GrMutation *m)
{
    static void (*const COMMON[])(GrMutation *) = {leave_out, copy_piece, move_piece, repeat_piece};
    enum { COMMON_COUNT = sizeof COMMON / sizeof COMMON[0] };
    const size_t i = gr_mutate_below(m, COMMON_COUNT + 2 * (size_t)gr_grammar.step_count);
    if (i < COMMON_COUNT) {
        COMMON[i](m);
    } else {
        gr_grammar.steps[(i - COMMON_COUNT) % (size_t)gr_grammar.step_count](m);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    GrMutation m = {.data = data, .size = size, .room = max_size, .random = seed};
    if (size == 0 || gr_mutate_below(&m, 5) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (size_t i = 1 + gr_mutate_below(&m, 3); i > 0 && m.size > 0; i--) {
        step(&m);
    }
    return m.size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t room, unsigned seed)
{
    GrMutation m = {.data = out, .size = b_size < room ? b_size : room, .room = room, .random = seed};
    if (m.size == 0) {
        return 0;
    }
    memcpy(out, b, m.size);
    const size_t length = keep(&m, gr_grammar.piece(&m));
    m.size = a_size < room ? a_size : room;
    if (m.size > 0) {
        memcpy(out, a, m.size);
    }
    put_piece(&m, kept, length);
    return m.size;
}

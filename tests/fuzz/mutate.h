/// Mutations that know the shape of their input, for libFuzzer.
///
/// A change of single bytes seldom gets beyond the syntax of a file. A grammar therefore says what a natural piece of
/// an input is (a line with what is nested in it, an element, a cell), and which further changes make sense. Pieces are
/// left out, doubled, moved, and taken from other inputs; the grammar's own steps replace values and names. Single
/// bytes change, too, now and then.
///
///     mutate.c           the steps that all grammars have, and libFuzzer's entry points
///     grammar_yaml.c     lines and what is nested in them          scenario, rover, soil, campaign, lander, trace
///     grammar_xml.c      elements and attributes                   URDF, side files of maps
///     grammar_json.c     values of JSON                            messages of viewers
///     grammar_lines.c    lines of cells                            tables, height grids, OBJ, STL as text
///     grammar_bytes.c    integers and counts in binary files       STL, MCAP, ruts, shards, rasters
///     words_TARGET.c     the words that the readers of the target know, out of their sources
///
/// Every target links one grammar and one list of words.
#ifndef GR_MUTATE_H
#define GR_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An input that is being changed in place.
typedef struct GrMutation {
    uint8_t *data;
    size_t size, room;
    uint64_t random; ///< state of the stream
} GrMutation;

typedef struct GrPiece {
    size_t begin, end;
} GrPiece;

typedef struct GrGrammar {
    /// A natural piece of an input that is not empty, chosen at random.
    GrPiece (*piece)(GrMutation *m);
    /// Further changes.
    void (*const *steps)(GrMutation *m);
    int step_count;
} GrGrammar;

/// Of the target.
extern const GrGrammar gr_grammar;

/// Known to the readers of the target.
extern const char *const gr_words[];
extern const int gr_word_count;

/// 0 .. count − 1; 0 when `count` is 0.
size_t gr_mutate_below(GrMutation *m, size_t count);

/// Replaces `piece` by a text. Nothing happens where there is no room for it.
void gr_mutate_replace(GrMutation *m, GrPiece piece, const void *text, size_t length);
void gr_mutate_replace_text(GrMutation *m, GrPiece piece, const char *text);

/// A number that readers find hard, or a small one, as text; valid until the next call.
const char *gr_mutate_number(GrMutation *m);
/// A word that the readers know.
const char *gr_mutate_word(GrMutation *m);

/// The line around an offset, with its line end.
GrPiece gr_mutate_line(const GrMutation *m, size_t at);
/// The run of letters, digits, _ . + and - around an offset; empty where there is none.
GrPiece gr_mutate_token(const GrMutation *m, size_t at);
/// Replaces a token at random: a number by a number, a word by a word, and sometimes by the other.
void gr_mutate_any_token(GrMutation *m);

#endif

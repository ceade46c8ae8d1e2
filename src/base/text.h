/// Small text helpers, and UTF-8.
#ifndef GR_TEXT_H
#define GR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The candidate nearest to `word` by edit distance; NULL when none is near enough to be a plausible typo.
const char *gr_text_nearest(const char *word, const char *const *candidates, int count);

/// Text to append to the message about an unknown name.
typedef struct GrHint {
    char text[300];
} GrHint;

/// "; did you mean 'x'?" when a candidate is near. Otherwise the text `otherwise`, or, when that is NULL, "; allowed:
/// a, b, c" (as much as fits).
GrHint gr_text_hint(const char *word, const char *const *candidates, int count, const char *otherwise);

/// Copies `text` into `out`, cut to `size`, always zero-terminated. Returns 0 when it was cut.
int gr_text_copy(char *out, size_t size, const char *text);

/// Length in bytes of the first UTF-8 character of `text` (1 .. 4); 0 when it is not UTF-8. `text` is zero-terminated.
int gr_text_utf8_length(const char *text);

/// The same, with the character's code.
int gr_text_decode(const char *text, uint32_t *code);

/// A character as it can be written into a file.
typedef struct GrGlyph {
    const char *text; ///< not zero-terminated
    int size;         ///< bytes of `text`
    int taken;        ///< bytes that it stands for
} GrGlyph;

/// The first character of `text`, which is not empty: itself, or '?' in place of a control character other than a line
/// end or a tab, and in place of a byte that is not UTF-8.
GrGlyph gr_text_glyph(const char *text);

/// Columns that UTF-8 text takes on a terminal: combining marks take none, East Asian wide characters two.
int gr_text_width(const char *text);

/// Whether the UTF-8 character at `text` does something to a terminal instead of being shown: control characters
/// (U+0000 to U+001F, U+007F to U+009F) and those that turn the direction of writing.
bool gr_text_is_control(const char *text);

/// Replaces what a terminal would obey or cannot show, in place: each control character, and each byte that is not
/// UTF-8, by '?'. Messages quote files, and files may contain anything.
void gr_text_tame(char *text);

/// The first invalid byte or character; `text` is NULL when there is none.
typedef struct GrTextFault {
    const char *text;
    int line, column; ///< 1-based
} GrTextFault;

/// Valid UTF-8 without control characters. Checked before a library parses a file, since parsers are most likely to
/// fail on invalid text.
GrTextFault gr_text_check(const char *text, size_t length);

#endif

/// Checks whether bytes are valid text.
#ifndef GR_UTF8_H
#define GR_UTF8_H

#include <stddef.h>

/// The first invalid byte or character; `text` is NULL when there is none.
typedef struct GrTextFault {
    const char *text;
    int line, column; ///< 1-based
} GrTextFault;

/// Valid UTF-8 without control characters. Checked before a library parses a file, since parsers are most likely to
/// fail on invalid text.
GrTextFault gr_text_check(const char *text, size_t length);

#endif

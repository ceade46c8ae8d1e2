/// Whether bytes are text.
#ifndef GR_UTF8_H
#define GR_UTF8_H

#include <stddef.h>

/// The first thing that is not text; `text` is NULL when there is none.
typedef struct GrTextFault {
    const char *text;
    int line, column; ///< 1-based
} GrTextFault;

/// Valid UTF-8 without control characters. Checked before a library sees a file: what is not text is where their faults
/// are.
GrTextFault gr_text_check(const char *text, size_t length);

#endif

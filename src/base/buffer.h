/// Growing text buffer. It remembers a failed allocation, so that a writer checks once, at the end.
#ifndef GR_BUFFER_H
#define GR_BUFFER_H

#include "grouser/status.h"

#include <stddef.h>

/// Zero-initialise before use. `data` is NULL while the buffer is empty and zero-terminated afterwards.
typedef struct GrBuffer {
    char *data;
    size_t size;
    size_t capacity;
    bool failed; ///< an allocation failed; `data` lacks everything appended since
} GrBuffer;

/// Makes room for `extra` more bytes; false when out of memory.
bool gr_buffer_reserve(GrBuffer *buffer, size_t extra);

void gr_buffer_add(GrBuffer *buffer, const char *text, size_t length);
void gr_buffer_puts(GrBuffer *buffer, const char *text);
void gr_buffer_printf(GrBuffer *buffer, const char *format, ...) GR_PRINTF(2, 3);

/// Shortest text that reads back as the same number, whatever the locale.
void gr_buffer_number(GrBuffer *buffer, double value);

/// Rounded to `decimals` places, without trailing zeros, whatever the locale.
void gr_buffer_fixed(GrBuffer *buffer, double value, int decimals);

/// Appends a text in which each control character, but for line ends and tabs, and each byte that is not UTF-8 is '?'.
void gr_buffer_text(GrBuffer *buffer, const char *text);

/// The same with & < > " ' escaped for XML and HTML, in text and in attributes.
void gr_buffer_xml(GrBuffer *buffer, const char *text);

void gr_buffer_free(GrBuffer *buffer);

#endif

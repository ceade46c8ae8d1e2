#include "buffer.h"

#include "alloc.h"
#include "number.h"
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool gr_buffer_reserve(GrBuffer *buffer, size_t extra)
{
    if (buffer->failed || extra > SIZE_MAX / 2 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    const size_t needed = buffer->size + extra + 1;
    if (needed <= buffer->capacity) {
        return true;
    }
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : 256;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *data = gr_realloc(buffer->data, capacity);
    if (data == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void gr_buffer_add(GrBuffer *buffer, const char *text, size_t length)
{
    if (!gr_buffer_reserve(buffer, length)) {
        return;
    }
    if (length > 0) {
        memcpy(buffer->data + buffer->size, text, length);
    }
    buffer->size += length;
    buffer->data[buffer->size] = '\0';
}

void gr_buffer_puts(GrBuffer *buffer, const char *text)
{
    gr_buffer_add(buffer, text, strlen(text));
}

void gr_buffer_printf(GrBuffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = gr_vprint(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !gr_buffer_reserve(buffer, (size_t)length)) {
        buffer->failed = true;
        return;
    }
    va_start(args, format);
    gr_vprint(buffer->data + buffer->size, (size_t)length + 1, format, args);
    va_end(args);
    buffer->size += (size_t)length;
}

void gr_buffer_number(GrBuffer *buffer, double value)
{
    char text[GR_NUMBER_SIZE];
    gr_number_format(value, text);
    gr_buffer_puts(buffer, text);
}

void gr_buffer_fixed(GrBuffer *buffer, double value, int decimals)
{
    char text[GR_NUMBER_SIZE];
    gr_number_fixed(value, decimals, text);
    gr_buffer_puts(buffer, text);
}

void gr_buffer_text(GrBuffer *buffer, const char *text)
{
    for (const char *c = text; *c != '\0';) {
        const GrGlyph glyph = gr_text_glyph(c);
        gr_buffer_add(buffer, glyph.text, (size_t)glyph.size);
        c += glyph.taken;
    }
}

/// What stands for a character in XML 1.0; NULL: itself. There is no U+FFFE and no U+FFFF.
static const char *entity_of(GrGlyph glyph)
{
    if (glyph.size == 3 && memcmp(glyph.text, "\xef\xbf", 2) == 0 && (unsigned char)glyph.text[2] >= 0xbe) {
        return "?";
    }
    switch (glyph.text[0]) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void gr_buffer_xml(GrBuffer *buffer, const char *text)
{
    for (const char *c = text; *c != '\0';) {
        const GrGlyph glyph = gr_text_glyph(c);
        const char *entity = entity_of(glyph);
        gr_buffer_add(buffer, entity != NULL ? entity : glyph.text,
                      entity != NULL ? strlen(entity) : (size_t)glyph.size);
        c += glyph.taken;
    }
}

void gr_buffer_free(GrBuffer *buffer)
{
    gr_free(buffer->data);
    *buffer = (GrBuffer){0};
}

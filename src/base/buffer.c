/// Memory that grows: arenas, buffers of bytes, and what the system can still give.
#include "arena.h"

#include "alloc.h"
#include "buffer.h"
#include "memory_limit.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

// ---- arena

enum { BLOCK_SIZE = 16384 };

struct GrArenaBlock {
    GrArenaBlock *next;
    size_t used;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *gr_arena_alloc(GrArena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - BLOCK_SIZE) {
        arena->failed = true;
        return NULL;
    }
    size = (size + align - 1) / align * align;
    if (arena->head == NULL || arena->head->size - arena->head->used < size) {
        const size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        GrArenaBlock *block = gr_calloc(1, sizeof(GrArenaBlock) + capacity);
        if (block == NULL) {
            arena->failed = true;
            return NULL;
        }
        block->size = capacity;
        block->next = arena->head;
        arena->head = block;
    }
    void *memory = arena->head->bytes + arena->head->used;
    arena->head->used += size;
    return memory;
}

char *gr_arena_strndup(GrArena *arena, const char *text, size_t length)
{
    char *copy = gr_arena_alloc(arena, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

void gr_arena_free(GrArena *arena)
{
    GrArenaBlock *block = arena->head;
    while (block != NULL) {
        GrArenaBlock *next = block->next;
        gr_free(block);
        block = next;
    }
    arena->head = NULL;
}

void gr_arena_regions(const GrArena *arena, GrRegionFn *take, void *context)
{
    for (const GrArenaBlock *block = arena->head; block != NULL; block = block->next) {
        take(context, block->bytes, block->used);
    }
}

// ---- limit

/// Memory that this process can still get [bytes]: what the system has available, below the limit of the process.
/// INFINITY where the system does not say.
static double gr_memory_available(void)
{
    double available = (double)INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long kilobytes;
        if (sscanf(line, "MemAvailable: %lu kB", &kilobytes) == 1) { // NOLINT(cert-err34-c): a wrong file sets no limit
            available = 1024.0 * (double)kilobytes;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        available = fmin(available, (double)limit.rlim_cur);
    }
    return available;
}

GrStatus gr_memory_require(double bytes, GrLocation at, const char *change, GrErrorLog *log)
{
    const double available = gr_memory_available();
    if (bytes <= available) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_VALUE, at, "needs %.3g GB of memory, and %.3g GB are available; %s", 1e-9 * bytes,
                        1e-9 * available, change);
}

// ---- buffer

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

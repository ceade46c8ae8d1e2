/// Any bytes as a text and an edit of it, separated by a zero. What is accepted is YAML, and keeps all other values.
#include "text_edit.h"

#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void count(void *context, const char *path, const char *value, int line)
{
    (void)path, (void)value, (void)line;
    ++*(int *)context;
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    const uint8_t *middle = size > 0 ? memchr(data, 0, size) : NULL;
    static char edit[1 << 16];
    const char *text = (const char *)data;
    const size_t length = middle != NULL ? (size_t)(middle - data) : 0;
    if (middle == NULL || size - length - 1 >= sizeof edit) {
        return;
    }
    memcpy(edit, middle + 1, size - length - 1);
    edit[size - length - 1] = '\0';
    int before = 0, after = 0;
    GrBuffer out = {0};
    GrErrorLog log = {.quiet = true};
    gr_text_values(text, length, count, &before);
    const char *equals = strchr(edit, '=');
    if (gr_text_edit(text, length, edit, &out, &log) == GR_OK) {
        if (gr_text_values(out.data, out.size, count, &after) != GR_OK) {
            abort();
        }
        if (equals[1] != '\0' && strpbrk(equals, "[{") == NULL && after > before + 1 + (int)strlen(edit)) {
            abort(); // a plain value adds one, and the sections of its path
        }
    } else if (out.size > 0 || log.error_count == 0) {
        abort();
    }
    gr_buffer_free(&out);
}

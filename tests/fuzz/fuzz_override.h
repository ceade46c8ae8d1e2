/// An override that comes with the bytes of a fuzzer: the rest of a first line that begins with "#set ".
#ifndef GR_FUZZ_OVERRIDE_H
#define GR_FUZZ_OVERRIDE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GR_FUZZ_OVERRIDE = 256 };

/// A list for the readers, NULL when there is no override. `items` holds it.
static inline const char *const *gr_fuzz_override(const uint8_t *data, size_t size, char text[GR_FUZZ_OVERRIDE],
                                                  const char *items[2])
{
    if (size <= 5 || memcmp(data, "#set ", 5) != 0) {
        return NULL;
    }
    const uint8_t *end = memchr(data, '\n', size);
    const size_t length = (end != NULL ? (size_t)(end - data) : size) - 5;
    const size_t kept = length < GR_FUZZ_OVERRIDE ? length : GR_FUZZ_OVERRIDE - 1;
    memcpy(text, data + 5, kept);
    text[kept] = '\0';
    items[0] = text;
    items[1] = NULL;
    return items;
}

#endif

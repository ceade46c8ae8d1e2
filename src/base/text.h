/// Small text helpers.
#ifndef GR_TEXT_H
#define GR_TEXT_H

#include <stddef.h>

/// The candidate nearest to `word` by edit distance, or NULL when none is near enough to be what was meant.
const char *gr_text_nearest(const char *word, const char *const *candidates, int count);

/// Copies `text` into `out`, cut to `size`, always zero-terminated. Returns 0 when it was cut.
int gr_text_copy(char *out, size_t size, const char *text);

#endif

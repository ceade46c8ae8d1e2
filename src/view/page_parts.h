/// The viewer's page in two parts, before and after its data, and data as text.
#ifndef GR_PAGE_PARTS_H
#define GR_PAGE_PARTS_H

#include "buffer.h"

typedef struct GrPageParts {
    const char *before, *after;
    size_t before_size, after_size;
} GrPageParts;

/// Fails with what to do, in a build without the page.
GrStatus gr_page_parts(GrPageParts *out, GrErrorLog *log);

void gr_page_put_base64(GrBuffer *out, const unsigned char *data, size_t size);

#endif

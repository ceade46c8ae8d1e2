/// The viewer's page in two parts, before and after its data.
#ifndef GR_PAGE_PARTS_H
#define GR_PAGE_PARTS_H

#include "buffer.h"

typedef struct GrPageParts {
    const char *before, *after;
    size_t before_size, after_size;
} GrPageParts;

/// Fails with what to do, in a build without the page.
GrStatus gr_page_parts(GrPageParts *out, GrErrorLog *log);

#endif

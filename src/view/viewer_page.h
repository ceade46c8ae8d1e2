/// The web page of the viewer, which is part of the program (viewer/ has its source).
#ifndef GR_VIEWER_PAGE_H
#define GR_VIEWER_PAGE_H

#include "grouser/status.h"

#include <stddef.h>

/// The whole page; NULL in a build without it.
const char *gr_viewer_page(size_t *size);

/// GR_ERROR_UNSUPPORTED with what to do, in a build without the page.
GrStatus gr_viewer_require(GrErrorLog *log);

#endif

/// The simulator inside the viewer's page, as one HTML file.
#ifndef GR_PLAYGROUND_PAGE_H
#define GR_PLAYGROUND_PAGE_H

#include "buffer.h"

/// Appends the page. `scenario`: a shipped one.
GrStatus gr_playground_page(const char *scenario, GrBuffer *page, GrErrorLog *log);

#endif

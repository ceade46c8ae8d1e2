#include "page_parts.h"

#include "viewer_page.h"

#include <string.h>

/// Where the page takes its data.
static const char MARK[] = "<!--GROUSER-REPLAYS-->";

GrStatus gr_page_parts(GrPageParts *out, GrErrorLog *log)
{
    size_t size;
    const GrStatus status = gr_viewer_require(log);
    if (status != GR_OK) {
        return status;
    }
    const char *html = gr_viewer_page(&size), *mark = strstr(html, MARK);
    if (mark == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the viewer's page has no place for data");
    }
    const char *after = mark + sizeof MARK - 1;
    *out = (GrPageParts){html, after, (size_t)(mark - html), size - (size_t)(after - html)};
    return GR_OK;
}

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

void gr_page_put_base64(GrBuffer *out, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!gr_buffer_reserve(out, 4 * ((size + 2) / 3))) {
        return;
    }
    char *at = out->data + out->size;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned a = data[i], b = left > 1 ? data[i + 1] : 0, c = left > 2 ? data[i + 2] : 0;
        *at++ = digits[a >> 2];
        *at++ = digits[(a & 3) << 4 | b >> 4];
        *at++ = left > 1 ? digits[(b & 15) << 2 | c >> 6] : '=';
        *at++ = left > 2 ? digits[c & 63] : '=';
    }
    out->size = (size_t)(at - out->data);
    *at = '\0';
}

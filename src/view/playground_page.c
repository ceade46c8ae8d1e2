#include "playground_page.h"

#include "alloc.h"
#include "base64.h"
#include "page_parts.h"
#include "shipped.h"

#include <string.h>

enum { BUNDLE_MAX = 64 << 20 };

/// What the simulator needs besides what a replay may do: a worker, and WebAssembly.
static const char POLICY[] = "script-src ", MORE[] = "worker-src blob:; script-src 'wasm-unsafe-eval' ";

GrStatus gr_playground_page(const char *scenario, GrBuffer *page, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE], *bundle = NULL;
    size_t size = 0;
    GrPageParts parts;
    GrStatus status = gr_page_parts(&parts, log);
    if (status != GR_OK) {
        return status;
    }
    if (!gr_shipped_find("scenarios", scenario, ".yaml", path)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = scenario},
                            "not a shipped scenario; grouser list scenarios names them");
    }
    if (!gr_shipped_find("playground", "playground", ".bin", path)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                            "the simulator for web pages has not been built: run make playground");
    }
    status = gr_file_read(path, BUNDLE_MAX, &bundle, &size, log);
    const char *policy = strstr(parts.before, POLICY);
    if (status == GR_OK && (policy == NULL || policy >= parts.before + parts.before_size)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the viewer's page has no content security policy");
    }
    if (status == GR_OK) {
        const size_t head = (size_t)(policy - parts.before);
        gr_buffer_add(page, parts.before, head);
        gr_buffer_puts(page, MORE);
        gr_buffer_add(page, policy + sizeof POLICY - 1, parts.before_size - head - (sizeof POLICY - 1));
        gr_buffer_puts(page, "<script type=\"application/octet-stream\" data-playground data-scenario=\"");
        gr_buffer_xml(page, scenario);
        gr_buffer_puts(page, "\">");
        gr_base64_put(page, bundle, size);
        gr_buffer_puts(page, "</script>\n");
        gr_buffer_add(page, parts.after, parts.after_size);
    }
    gr_free(bundle);
    return status == GR_OK && page->failed ? GR_ERROR_MEMORY : status;
}

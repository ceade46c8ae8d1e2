#include "viewer_page.h"

#include "alloc.h"
#include "base64.h"
#include "buffer.h"
#include "chunk.h"
#include "file.h"
#include "out_of_memory.h"
#include "parts.h"
#include "shipped.h"

#include <stdio.h>
#include <string.h>

typedef struct GrPageParts {
    const char *before, *after;
    size_t before_size, after_size;
} GrPageParts;

// ---- parts of a page

/// Where the page takes its data.
static const char MARK[] = "<!--GROUSER-REPLAYS-->";

/// Fails with what to do, in a build without the page.
static GrStatus page_parts(GrPageParts *out, GrErrorLog *log)
{
    size_t size;
    const GrStatus status = gr_viewer_require(log);
    if (status != GR_OK) {
        return status;
    }
    const char *html = gr_viewer_page(&size), *mark = html != NULL ? strstr(html, MARK) : NULL;
    if (mark == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the viewer's page has no place for data");
    }
    const char *after = mark + sizeof MARK - 1;
    *out = (GrPageParts){html, after, (size_t)(mark - html), size - (size_t)(after - html)};
    return GR_OK;
}

// ---- the viewer

#ifdef GR_VIEWER_HTML

// The assembler puts the file into the program; a C array of it would take the compiler seconds.
__asm__(".section .rodata\n"
        ".global gr_viewer_html\n"
        ".hidden gr_viewer_html\n"
        ".global gr_viewer_html_end\n"
        ".hidden gr_viewer_html_end\n"
        "gr_viewer_html:\n"
        ".incbin \"" GR_VIEWER_HTML "\"\n"
        "gr_viewer_html_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char gr_viewer_html[], gr_viewer_html_end[];

const char *gr_viewer_page(size_t *size)
{
    // cppcheck-suppress comparePointers  // the two ends of one object, which the assembler makes
    *size = (size_t)(gr_viewer_html_end - gr_viewer_html);
    return gr_viewer_html;
}

#else

const char *gr_viewer_page(size_t *size)
{
    *size = 0;
    return NULL;
}

#endif

GrStatus gr_viewer_require(GrErrorLog *log)
{
    size_t size;
    if (gr_viewer_page(&size) != NULL) {
        return GR_OK;
    }
    return gr_part_missing("VIEWER", (GrLocation){.field = "viewer"}, log);
}

GrStatus gr_viewer_data_page(const char *kind, const void *data, size_t size, GrBuffer *page, GrErrorLog *log)
{
    GrPageParts parts = {0};
    const GrStatus status = page_parts(&parts, log);
    if (status != GR_OK) {
        return status;
    }
    gr_buffer_add(page, parts.before, parts.before_size);
    gr_buffer_printf(page, "<script type=\"application/octet-stream\" data-%s>", kind);
    gr_base64_put(page, data, size);
    gr_buffer_puts(page, "</script>\n");
    gr_buffer_add(page, parts.after, parts.after_size);
    return page->failed ? gr_out_of_memory(log, kind) : GR_OK;
}

// ---- the playground

enum { BUNDLE_MAX = 64 << 20 };

/// What the simulator needs besides what a replay may do: a worker, and WebAssembly.
static const char POLICY[] = "script-src ", MORE[] = "worker-src blob:; script-src 'wasm-unsafe-eval' ";

GrStatus gr_playground_page(const char *scenario, GrBuffer *page, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE], *bundle = NULL;
    size_t size = 0;
    GrPageParts parts = {0};
    GrStatus status = page_parts(&parts, log);
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
    const char *policy = parts.before != NULL ? strstr(parts.before, POLICY) : NULL;
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

// ---- replays

/// Walks over the chunks: a wrong checksum is an error; a cut file gets a warning.
static GrStatus check_chunks(const char *file, const unsigned char *data, size_t size, GrErrorLog *log)
{
    const GrLocation here = {.file = file};
    size_t at = GR_REPLAY_MAGIC_SIZE;
    while (at < size) {
        GrChunk chunk;
        const size_t length = gr_chunk_read(data + at, size - at, &chunk);
        if (length == 0) {
            gr_warning_add(log, here,
                           "ends inside a chunk at byte %zu: the run was stopped while it was written, or the file is "
                           "damaged; %zu bytes are left out",
                           at, size - at);
            break;
        }
        if (!gr_chunk_intact(&chunk)) {
            return gr_error_add(
                log, GR_ERROR_FILE, here,
                "damaged: the checksum of the chunk at byte %zu is wrong; copy the file again, or repeat "
                "the run",
                at);
        }
        at += length;
    }
    return GR_OK;
}

GrStatus gr_replay_read(const char *path, char **data, size_t *size, GrErrorLog *log)
{
    char file[GR_FILE_PATH_SIZE];
    *data = NULL;
    *size = 0;
    const int length = snprintf(file, sizeof file, "%s/replay.bin", path);
    if (length >= (int)sizeof file) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
    }
    if (!gr_file_exists(file)) {
        char summary[GR_FILE_PATH_SIZE + 16];
        snprintf(summary, sizeof summary, "%s/summary.json", path);
        if (gr_file_exists(summary)) {
            return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path},
                                "this run has no replay.bin: it was recorded by an older version; run it again");
        }
        snprintf(file, sizeof file, "%s", path);
    }
    const GrStatus status = gr_file_read(file, GR_REPLAY_PAGE_MAX, data, size, log);
    if (status != GR_OK) {
        return status;
    }
    if (*size > GR_REPLAY_MAGIC_SIZE && memcmp(*data, GR_REPLAY_OLD_MAGIC, GR_REPLAY_MAGIC_SIZE) == 0) {
        gr_free(*data);
        *data = NULL;
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = file},
                            "a replay of version 0.2 or before: run the scenario again, or open it with that version");
    }
    GrChunk head;
    const bool good =
        *size > GR_REPLAY_MAGIC_SIZE && memcmp(*data, GR_REPLAY_MAGIC, GR_REPLAY_MAGIC_SIZE) == 0 &&
        gr_chunk_read((const unsigned char *)*data + GR_REPLAY_MAGIC_SIZE, *size - GR_REPLAY_MAGIC_SIZE, &head) > 0 &&
        strcmp(head.type, "HEAD") == 0;
    const GrStatus checked =
        good ? check_chunks(file, (const unsigned char *)*data, *size, log)
             : gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = file},
                            "not the replay of a run: give the folder that grouser run wrote, or its replay.bin");
    if (checked != GR_OK) {
        gr_free(*data);
        *data = NULL;
    }
    return checked;
}

/// The folder's name without its ".run", for the list of runs; escaped as an attribute.
static void put_name(GrBuffer *out, const char *path)
{
    char name[GR_FILE_PATH_SIZE];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    if (length - start > 4 && strncmp(path + length - 4, ".run", 4) == 0) {
        length -= 4;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length - start), path + start);
    gr_buffer_xml(out, name);
}

GrStatus gr_replay_page(const char *const *directories, int count, GrBuffer *page, GrErrorLog *log)
{
    GrPageParts parts = {0};
    GrStatus status = page_parts(&parts, log);
    if (status != GR_OK) {
        return status;
    }
    gr_buffer_add(page, parts.before, parts.before_size);
    for (int i = 0; i < count; i++) {
        char *data;
        size_t bytes;
        status = gr_replay_read(directories[i], &data, &bytes, log);
        if (status != GR_OK) {
            return status;
        }
        gr_buffer_puts(page, "<script type=\"application/octet-stream\" data-replay data-name=\"");
        put_name(page, directories[i]);
        gr_buffer_puts(page, "\">");
        gr_base64_put(page, data, bytes);
        gr_buffer_puts(page, "</script>\n");
        gr_free(data);
    }
    gr_buffer_add(page, parts.after, parts.after_size);
    return page->failed ? gr_out_of_memory(log, "replay") : GR_OK;
}

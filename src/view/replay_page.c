#include "replay_page.h"

#include "alloc.h"
#include "chunk.h"
#include "file.h"
#include "out_of_memory.h"
#include "viewer_page.h"

#include <stdio.h>
#include <string.h>

/// Where the page takes its data.
static const char MARK[] = "<!--GROUSER-REPLAYS-->";

GrStatus gr_replay_read(const char *path, char **data, size_t *size, GrErrorLog *log)
{
    char file[GR_FILE_PATH_SIZE];
    *data = NULL;
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
    GrChunk head;
    const bool good =
        *size > GR_REPLAY_MAGIC_SIZE && memcmp(*data, GR_REPLAY_MAGIC, GR_REPLAY_MAGIC_SIZE) == 0 &&
        gr_chunk_read((const unsigned char *)*data + GR_REPLAY_MAGIC_SIZE, *size - GR_REPLAY_MAGIC_SIZE, &head) > 0 &&
        strcmp(head.type, "HEAD") == 0;
    if (!good) {
        gr_free(*data);
        *data = NULL;
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = file},
                            "not the replay of a run: give the folder that grouser run wrote, or its replay.bin");
    }
    return GR_OK;
}

static void put_base64(GrBuffer *out, const unsigned char *data, size_t size)
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
    size_t size;
    GrStatus status = gr_viewer_require(log);
    if (status != GR_OK) {
        return status;
    }
    const char *html = gr_viewer_page(&size), *mark = strstr(html, MARK);
    if (mark == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the viewer's page has no place for replays");
    }
    gr_buffer_add(page, html, (size_t)(mark - html));
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
        put_base64(page, (const unsigned char *)data, bytes);
        gr_buffer_puts(page, "</script>\n");
        gr_free(data);
    }
    mark += sizeof MARK - 1;
    gr_buffer_add(page, mark, size - (size_t)(mark - html));
    return page->failed ? gr_out_of_memory(log, "replay") : GR_OK;
}

#include "replay_page.h"

#include "alloc.h"
#include "base64.h"
#include "chunk.h"
#include "file.h"
#include "out_of_memory.h"
#include "page_parts.h"

#include <stdio.h>
#include <string.h>

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
    GrPageParts parts;
    GrStatus status = gr_page_parts(&parts, log);
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

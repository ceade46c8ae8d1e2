#include "shard.h"

#include "alloc.h"
#include "file.h"
#include "out_of_memory.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char MAGIC[8] = "GRSHARD1";
enum { HEAD_SIZE = 16 };
static const size_t SHARD_MAX = (size_t)1 << 31;

struct GrShard {
    int file;
    char *path;
    bool dirty; ///< has records that are not on the disk yet
};

static GrStatus fail(const char *path, const char *doing, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "%s: %s", doing, strerror(errno));
}

/// Complete records of a file in memory; returns the offset after the last one. `take` may be NULL.
static size_t walk(const char *data, size_t size, GrStatus (*take)(void *context, const GrResult *result),
                   void *context, GrStatus *status)
{
    size_t at = HEAD_SIZE;
    *status = GR_OK;
    while (data != NULL && *status == GR_OK && at < size) {
        GrResult result;
        const size_t length = gr_result_decode((const unsigned char *)data + at, size - at, &result);
        if (length == 0) {
            break;
        }
        *status = take != NULL ? take(context, &result) : GR_OK;
        at += length;
    }
    return at;
}

/// Reads a shard; an empty or cut head counts as an empty shard, since the process was killed while it wrote it.
static GrStatus load(const char *path, uint64_t study, char **data, size_t *size, GrErrorLog *log)
{
    const GrStatus status = gr_file_read(path, SHARD_MAX, data, size, log);
    if (status != GR_OK || *data == NULL || *size < HEAD_SIZE) {
        *size = 0;
        return status;
    }
    uint64_t found;
    memcpy(&found, *data + sizeof MAGIC, sizeof found);
    if (memcmp(*data, MAGIC, sizeof MAGIC) != 0 || found != study) {
        gr_free(*data);
        *data = NULL;
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "this file of results belongs to another campaign; move it away");
    }
    return GR_OK;
}

GrStatus gr_shard_read(const char *path, uint64_t study, GrStatus (*take)(void *context, const GrResult *result),
                       void *context, GrErrorLog *log)
{
    char *data = NULL;
    size_t size = 0;
    GrStatus status = load(path, study, &data, &size, log);
    if (status == GR_OK && size > 0) {
        walk(data, size, take, context, &status);
    }
    gr_free(data);
    return status;
}

static GrStatus write_all(const GrShard *shard, const void *data, size_t size, GrErrorLog *log)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t written = write(shard->file, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return fail(shard->path, "finished runs cannot be stored", log);
        }
        at += written;
        size -= (size_t)written;
    }
    return GR_OK;
}

/// Continues after the last complete record, or begins with a head.
static GrStatus place(GrShard *shard, uint64_t study, size_t end, GrErrorLog *log)
{
    if (ftruncate(shard->file, (off_t)end) != 0 || lseek(shard->file, 0, SEEK_END) < 0) {
        return fail(shard->path, "finished runs cannot be stored", log);
    }
    if (end > 0) {
        return GR_OK;
    }
    unsigned char head[HEAD_SIZE];
    memcpy(head, MAGIC, sizeof MAGIC);
    memcpy(head + sizeof MAGIC, &study, sizeof study);
    return write_all(shard, head, sizeof head, log);
}

GrShard *gr_shard_open(const char *path, uint64_t study, GrErrorLog *log)
{
    size_t end = 0;
    if (gr_file_exists(path)) {
        char *data = NULL;
        size_t size = 0;
        GrStatus status = load(path, study, &data, &size, log);
        if (status != GR_OK) {
            return NULL;
        }
        end = size > 0 ? walk(data, size, NULL, NULL, &status) : 0;
        gr_free(data);
    }
    GrShard *shard = gr_calloc(1, sizeof *shard);
    const size_t length = strlen(path) + 1;
    if (shard == NULL || (shard->path = gr_malloc(length)) == NULL) {
        gr_out_of_memory(log, path);
        gr_free(shard);
        return NULL;
    }
    memcpy(shard->path, path, length);
    shard->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (shard->file < 0) {
        fail(path, "finished runs cannot be stored", log);
    } else if (place(shard, study, end, log) == GR_OK) {
        return shard;
    } else {
        close(shard->file);
    }
    gr_free(shard->path);
    gr_free(shard);
    return NULL;
}

GrStatus gr_shard_add(GrShard *shard, const GrResult *result, GrErrorLog *log)
{
    unsigned char record[GR_RESULT_BYTES];
    const off_t before = lseek(shard->file, 0, SEEK_CUR);
    const GrStatus status = write_all(shard, record, gr_result_encode(result, record), log);
    if (status != GR_OK && before >= 0 && ftruncate(shard->file, before) == 0) { // the disk is full: no half records
        lseek(shard->file, before, SEEK_SET);
    }
    shard->dirty = true;
    return status;
}

GrStatus gr_shard_sync(GrShard *shard, GrErrorLog *log)
{
    if (shard->dirty && fdatasync(shard->file) != 0) {
        return fail(shard->path, "finished runs cannot be stored", log);
    }
    shard->dirty = false;
    return GR_OK;
}

GrStatus gr_shard_clear(GrShard *shard, GrErrorLog *log)
{
    if (ftruncate(shard->file, HEAD_SIZE) != 0 || lseek(shard->file, HEAD_SIZE, SEEK_SET) < 0) {
        return fail(shard->path, "the file cannot be emptied", log);
    }
    shard->dirty = false;
    return GR_OK;
}

GrStatus gr_shard_close(GrShard *shard, GrErrorLog *log)
{
    if (shard == NULL) {
        return GR_OK;
    }
    const GrStatus status = gr_shard_sync(shard, log);
    close(shard->file);
    gr_free(shard->path);
    gr_free(shard);
    return status;
}

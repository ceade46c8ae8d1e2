#include "shard.h"

#include "alloc.h"
#include "buffer.h"
#include "crc32.h"
#include "file.h"
#include "out_of_memory.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char MAGIC[8] = "GRSHARD1";
enum { HEAD_SIZE = 16, RECORD_HEAD = 8, RECORD_MAX = 4096 };
static const size_t SHARD_MAX = (size_t)1 << 31;

struct GrShard {
    int file;
    char *path;
    bool dirty; ///< has records that are not on the disk yet
};

// The bytes of a record are those of this machine's doubles, least significant byte first, as all machines of this
// project have them.
static unsigned char *put(unsigned char *at, const void *data, size_t size)
{
    memcpy(at, data, size);
    return at + size;
}

static unsigned char *put_text(unsigned char *at, const char *text)
{
    const uint16_t size = (uint16_t)strlen(text);
    return put(put(at, &size, sizeof size), text, size);
}

static size_t encode(const GrResult *r, unsigned char out[RECORD_MAX])
{
    unsigned char *at = out + RECORD_HEAD;
    const uint32_t counts[2] = {(uint32_t)r->metric_count, (uint32_t)r->warnings};
    const unsigned char succeeded = r->succeeded;
    at = put(at, &r->key, sizeof r->key);
    at = put(at, &r->state_hash, sizeof r->state_hash);
    at = put(at, &r->wall, sizeof r->wall);
    at = put(at, &r->stepping, sizeof r->stepping);
    at = put(at, &r->progress, sizeof r->progress);
    at = put(at, counts, sizeof counts);
    at = put(at, &succeeded, 1);
    at = put(at, r->metrics, sizeof r->metrics[0] * (size_t)r->metric_count);
    at = put_text(put_text(at, r->outcome), r->cause);
    const uint32_t size = (uint32_t)(at - out - RECORD_HEAD), crc = gr_crc32(0, out + RECORD_HEAD, size);
    put(put(out, &size, sizeof size), &crc, sizeof crc);
    return RECORD_HEAD + size;
}

/// What is left of a record while it is read.
typedef struct Reader {
    const unsigned char *at, *end;
    bool failed;
} Reader;

static void get(Reader *reader, void *out, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        memset(out, 0, size);
        return;
    }
    memcpy(out, reader->at, size);
    reader->at += size;
}

static void get_text(Reader *reader, char *out, size_t room)
{
    uint16_t size = 0;
    get(reader, &size, sizeof size);
    if (size >= room) {
        reader->failed = true;
        size = 0;
    }
    get(reader, out, size);
    out[reader->failed ? 0 : size] = '\0';
}

static bool decode(const unsigned char *data, size_t size, GrResult *r)
{
    Reader reader = {data, data + size, false};
    uint32_t counts[2] = {0};
    unsigned char succeeded = 0;
    *r = (GrResult){0};
    get(&reader, &r->key, sizeof r->key);
    get(&reader, &r->state_hash, sizeof r->state_hash);
    get(&reader, &r->wall, sizeof r->wall);
    get(&reader, &r->stepping, sizeof r->stepping);
    get(&reader, &r->progress, sizeof r->progress);
    get(&reader, counts, sizeof counts);
    get(&reader, &succeeded, 1);
    if (reader.failed || counts[0] > GR_CAMPAIGN_METRICS || counts[1] > INT32_MAX) {
        return false;
    }
    r->metric_count = (int)counts[0];
    r->warnings = (int)counts[1];
    r->succeeded = succeeded != 0;
    get(&reader, r->metrics, sizeof r->metrics[0] * counts[0]);
    get_text(&reader, r->outcome, sizeof r->outcome);
    get_text(&reader, r->cause, sizeof r->cause);
    return !reader.failed && reader.at == reader.end;
}

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
    while (data != NULL && *status == GR_OK && size - at >= RECORD_HEAD) {
        uint32_t length, crc;
        memcpy(&length, data + at, sizeof length);
        memcpy(&crc, data + at + sizeof length, sizeof crc);
        GrResult result;
        if (length > RECORD_MAX - RECORD_HEAD || size - at - RECORD_HEAD < length ||
            gr_crc32(0, data + at + RECORD_HEAD, length) != crc ||
            !decode((const unsigned char *)data + at + RECORD_HEAD, length, &result)) {
            break;
        }
        *status = take != NULL ? take(context, &result) : GR_OK;
        at += RECORD_HEAD + length;
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
    put(put(head, MAGIC, sizeof MAGIC), &study, sizeof study);
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
    unsigned char record[RECORD_MAX];
    const off_t before = lseek(shard->file, 0, SEEK_CUR);
    const GrStatus status = write_all(shard, record, encode(result, record), log);
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

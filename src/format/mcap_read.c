#include "mcap_read.h"

#include "alloc.h"
#include "crc32.h"
#include "file.h"
#include "out_of_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef GR_WITH_ZSTD
#include <zstd.h>
#endif

enum {
    MAGIC_SIZE = 8,
    RECORD_HEAD = 9,   // opcode and length
    FOOTER_BODY = 20,  // start of the summary, of its offsets, and a checksum
    ID_COUNT = 1 << 16 // of channels
};
static const char MAGIC[MAGIC_SIZE] = {'\x89', 'M', 'C', 'A', 'P', '0', '\r', '\n'};
/// Largest summary and chunk that are read [bytes].
static const uint64_t SUMMARY_MAX = 256u << 20, CHUNK_MAX = 256u << 20;

enum { FOOTER = 2, SCHEMA = 3, CHANNEL = 4, MESSAGE = 5, CHUNK = 6, CHUNK_INDEX = 8 };

typedef struct Chunk {
    uint64_t start, end; ///< times [ns]
    uint64_t offset, length;
    const unsigned char *channels; ///< entries of ten bytes: id and place of its index
    size_t channel_count;
} Chunk;

typedef struct Schema {
    unsigned id;
    const unsigned char *name, *encoding, *data;
    size_t name_size, encoding_size, data_size;
} Schema;

struct GrMcapReader {
    char *path;
    int fd;
    uint64_t size;
    unsigned char *summary;
    uint64_t summary_at;
    Schema *schemas;
    int schema_count, schema_room;
    int *topic_of; ///< index of a channel's topic, −1: unknown; [ID_COUNT]
    GrMcapTopic *topics;
    int topic_count, topic_room;
    Chunk *chunks; ///< by start
    int chunk_count, chunk_room;
    // the chunk in memory
    int loaded; ///< −1: none
    unsigned char *packed, *records;
    size_t packed_room, records_room, records_size;
    GrMcapMessage *found; ///< of a search: topic −1: not found; data NULL: taken already; [topic_count]
};

static GrStatus bad(const GrMcapReader *r, uint64_t at, const char *what, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = r->path}, "at byte %llu: %s", (unsigned long long)at,
                        what);
}

// ---- bytes

/// A place in bytes; reading beyond the end fails and gives zeros.
typedef struct Cursor {
    const unsigned char *at, *end;
    bool failed;
} Cursor;

static const unsigned char *skip(Cursor *c, uint64_t size)
{
    const unsigned char *at = c->at;
    if (c->failed || size > (uint64_t)(c->end - c->at)) {
        c->failed = true;
        return NULL;
    }
    c->at += size;
    return at;
}

static uint64_t number(Cursor *c, int size)
{
    const unsigned char *at = skip(c, (uint64_t)size);
    uint64_t value = 0;
    for (int i = size - 1; at != NULL && i >= 0; i--) {
        value = value << 8 | at[i];
    }
    return value;
}

/// Bytes after their length of four bytes.
static const unsigned char *block(Cursor *c, size_t *size)
{
    const uint64_t length = number(c, 4);
    const unsigned char *at = skip(c, length);
    *size = at != NULL ? (size_t)length : 0;
    return at;
}

/// The next record; false: the end, or it is cut off.
static bool next_record(Cursor *c, int *opcode, Cursor *body)
{
    if (c->at == c->end) {
        return false;
    }
    *opcode = (int)number(c, 1);
    const uint64_t length = number(c, 8);
    const unsigned char *at = skip(c, length);
    *body = (Cursor){.at = at, .end = at != NULL ? at + length : NULL, .failed = at == NULL};
    return !c->failed;
}

static bool copy_name(char out[GR_MCAP_NAME_SIZE], const unsigned char *text, size_t size)
{
    if (size >= GR_MCAP_NAME_SIZE || (size > 0 && memchr(text, '\0', size) != NULL)) {
        return false;
    }
    if (size > 0) {
        memcpy(out, text, size);
    }
    out[size] = '\0';
    return true;
}

static GrStatus read_at(const GrMcapReader *r, uint64_t offset, void *out, size_t size, GrErrorLog *log)
{
    char *to = out;
    while (size > 0) {
        const ssize_t got = pread(r->fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return bad(r, offset, got < 0 ? strerror(errno) : "the file ends here", log);
        }
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return GR_OK;
}

/// Makes room for one more item; the capacity doubles.
static bool grow(void **items, int *room, int count, size_t size)
{
    if (count < *room) {
        return true;
    }
    const int wanted = *room > 0 ? 2 * *room : 16;
    void *grown = gr_realloc(*items, (size_t)wanted * size);
    if (grown != NULL) {
        *items = grown;
        *room = wanted;
    }
    return grown != NULL;
}

// ---- summary

static bool take_schema(GrMcapReader *r, Cursor *c, bool *memory)
{
    Schema s = {.id = (unsigned)number(c, 2)};
    s.name = block(c, &s.name_size);
    s.encoding = block(c, &s.encoding_size);
    s.data = block(c, &s.data_size);
    *memory = grow((void **)&r->schemas, &r->schema_room, r->schema_count, sizeof *r->schemas);
    if (!c->failed && *memory) {
        r->schemas[r->schema_count++] = s;
    }
    return !c->failed;
}

/// A schema; an empty one where there is none with this id.
static Schema find_schema(const GrMcapReader *r, unsigned id)
{
    for (int i = 0; i < r->schema_count; i++) {
        if (r->schemas[i].id == id) {
            return r->schemas[i];
        }
    }
    return (Schema){0};
}

static bool take_channel(GrMcapReader *r, Cursor *c, bool *memory)
{
    const size_t id = (size_t)number(c, 2);
    const Schema s = find_schema(r, (unsigned)number(c, 2));
    size_t topic_size, encoding_size;
    const unsigned char *topic = block(c, &topic_size), *encoding = block(c, &encoding_size);
    *memory = grow((void **)&r->topics, &r->topic_room, r->topic_count, sizeof *r->topics);
    if (c->failed || !*memory) {
        return false;
    }
    GrMcapTopic *t = &r->topics[r->topic_count];
    *t = (GrMcapTopic){.schema = (const char *)s.data, .schema_size = s.data_size};
    if (!copy_name(t->topic, topic, topic_size) || !copy_name(t->encoding, encoding, encoding_size) ||
        !copy_name(t->schema_name, s.name, s.name_size) ||
        !copy_name(t->schema_encoding, s.encoding, s.encoding_size)) {
        return false;
    }
    if (r->topic_of[id] < 0) {
        r->topic_of[id] = r->topic_count++;
    }
    return true;
}

static bool take_chunk_index(GrMcapReader *r, Cursor *c, bool *memory)
{
    Chunk chunk = {.start = number(c, 8), .end = 0};
    chunk.end = number(c, 8);
    chunk.offset = number(c, 8);
    chunk.length = number(c, 8);
    size_t map;
    chunk.channels = block(c, &map);
    chunk.channel_count = map / 10;
    *memory = grow((void **)&r->chunks, &r->chunk_room, r->chunk_count, sizeof *r->chunks);
    if (c->failed || !*memory || chunk.end < chunk.start || chunk.length < RECORD_HEAD || chunk.length > CHUNK_MAX ||
        chunk.offset > r->size || chunk.length > r->size - chunk.offset) {
        return false;
    }
    r->chunks[r->chunk_count++] = chunk;
    return true;
}

static GrStatus take_summary(GrMcapReader *r, size_t size, GrErrorLog *log)
{
    Cursor c = {.at = r->summary, .end = r->summary + size}, body;
    int opcode;
    while (next_record(&c, &opcode, &body)) {
        const uint64_t at = r->summary_at + (uint64_t)(body.at - r->summary);
        bool good = true, memory = true;
        if (opcode == SCHEMA) {
            good = take_schema(r, &body, &memory);
        } else if (opcode == CHANNEL) {
            good = take_channel(r, &body, &memory);
        } else if (opcode == CHUNK_INDEX) {
            good = take_chunk_index(r, &body, &memory);
        }
        if (!memory) {
            return gr_out_of_memory(log, r->path);
        }
        if (!good) {
            return bad(r, at, "a record of the index does not fit the file", log);
        }
    }
    return c.failed ? bad(r, r->summary_at + (uint64_t)(c.at - r->summary), "the index is cut off", log) : GR_OK;
}

static int by_start(const void *a, const void *b)
{
    const Chunk *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/// Finds the summary by the footer, checks and reads it.
static GrStatus read_summary(GrMcapReader *r, GrErrorLog *log)
{
    enum { TAIL = RECORD_HEAD + FOOTER_BODY + MAGIC_SIZE };
    unsigned char head[MAGIC_SIZE], tail[TAIL];
    if (r->size < MAGIC_SIZE + TAIL) {
        return bad(r, 0, "too short for an MCAP file", log);
    }
    const uint64_t footer = r->size - TAIL;
    if (read_at(r, 0, head, sizeof head, log) != GR_OK || read_at(r, footer, tail, sizeof tail, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    if (memcmp(head, MAGIC, MAGIC_SIZE) != 0) {
        return bad(r, 0, "not an MCAP file: it begins otherwise", log);
    }
    Cursor c = {.at = tail, .end = tail + TAIL};
    const bool good = number(&c, 1) == FOOTER && number(&c, 8) == FOOTER_BODY &&
                      memcmp(tail + TAIL - MAGIC_SIZE, MAGIC, MAGIC_SIZE) == 0;
    r->summary_at = number(&c, 8);
    number(&c, 8);
    const uint32_t crc = (uint32_t)number(&c, 4);
    if (!good || r->summary_at == 0 || r->summary_at > footer || footer - r->summary_at > SUMMARY_MAX) {
        return bad(r, footer, "the file has no index at its end: it was cut off", log);
    }
    // the checksum covers the footer up to itself
    const size_t size = (size_t)(footer - r->summary_at), covered = size + RECORD_HEAD + FOOTER_BODY - 4;
    r->summary = gr_malloc(covered);
    if (r->summary == NULL) {
        return gr_out_of_memory(log, r->path);
    }
    if (read_at(r, r->summary_at, r->summary, covered, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    if (crc != 0 && crc != gr_crc32(0, r->summary, covered)) {
        return bad(r, r->summary_at, "the index does not match its checksum", log);
    }
    const GrStatus status = take_summary(r, size, log);
    if (status == GR_OK && r->chunk_count > 0) {
        qsort(r->chunks, (size_t)r->chunk_count, sizeof *r->chunks, by_start);
    }
    return status;
}

static bool allocate(GrMcapReader *r, const char *path)
{
    r->path = gr_malloc(strlen(path) + 1);
    r->topic_of = gr_malloc(ID_COUNT * sizeof *r->topic_of);
    if (r->path == NULL || r->topic_of == NULL) {
        return false;
    }
    memcpy(r->path, path, strlen(path) + 1);
    for (int i = 0; i < ID_COUNT; i++) {
        r->topic_of[i] = -1;
    }
    return true;
}

GrMcapReader *gr_mcap_reader_open(const char *path, GrErrorLog *log)
{
    GrMcapReader *r = gr_calloc(1, sizeof *r);
    struct stat about;
    if (r == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    r->loaded = r->fd = -1;
    if (!allocate(r, path)) {
        gr_out_of_memory(log, path);
        gr_mcap_reader_close(r);
        return NULL;
    }
    if (gr_file_check_input(path, log) != GR_OK) {
        gr_mcap_reader_close(r);
        return NULL;
    }
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read: %s",
                     r->fd < 0 ? strerror(errno) : "it is not a file");
        gr_mcap_reader_close(r);
        return NULL;
    }
    r->size = (uint64_t)about.st_size;
    GrStatus status = read_summary(r, log);
    r->found = status == GR_OK ? gr_calloc((size_t)r->topic_count + 1, sizeof *r->found) : NULL;
    if (r->found == NULL) {
        if (status == GR_OK) {
            gr_out_of_memory(log, path);
        }
        gr_mcap_reader_close(r);
        return NULL;
    }
    return r;
}

void gr_mcap_reader_close(GrMcapReader *r)
{
    if (r != NULL) {
        if (r->fd >= 0) {
            close(r->fd);
        }
        gr_free(r->path);
        gr_free(r->summary);
        gr_free(r->schemas);
        gr_free(r->topic_of);
        gr_free(r->topics);
        gr_free(r->chunks);
        gr_free(r->packed);
        gr_free(r->records);
        gr_free(r->found);
        gr_free(r);
    }
}

int gr_mcap_reader_topic_count(const GrMcapReader *r)
{
    return r->topic_count;
}

const GrMcapTopic *gr_mcap_reader_topic(const GrMcapReader *r, int index)
{
    return &r->topics[index];
}

uint64_t gr_mcap_reader_start(const GrMcapReader *r)
{
    return r->chunk_count > 0 ? r->chunks[0].start : 0;
}

uint64_t gr_mcap_reader_end(const GrMcapReader *r)
{
    uint64_t end = 0;
    for (int i = 0; i < r->chunk_count; i++) {
        end = r->chunks[i].end > end ? r->chunks[i].end : end;
    }
    return end;
}

// ---- chunks

static bool ensure(unsigned char **buffer, size_t *room, size_t size)
{
    if (size <= *room) {
        return true;
    }
    unsigned char *grown = gr_realloc(*buffer, size);
    if (grown != NULL) {
        *buffer = grown;
        *room = size;
    }
    return grown != NULL;
}

/// Puts the records of a chunk into memory; NULL, or what is wrong.
static const char *unpack(GrMcapReader *r, const unsigned char *from, size_t size, size_t raw, const char *compression)
{
    if (compression[0] == '\0') {
        if (size != raw) {
            return "the chunk has another size than it says";
        }
        if (raw > 0) {
            memcpy(r->records, from, raw);
        }
        return NULL;
    }
#ifdef GR_WITH_ZSTD
    if (strcmp(compression, "zstd") == 0) {
        const size_t got = ZSTD_decompress(r->records, raw, from, size);
        return ZSTD_isError(got) || got != raw ? "the chunk cannot be decompressed" : NULL;
    }
#endif
    return "the chunk is compressed in a way that this build cannot read";
}

static GrStatus load(GrMcapReader *r, int index, GrErrorLog *log)
{
    const Chunk *chunk = &r->chunks[index];
    const size_t length = (size_t)chunk->length;
    char compression[GR_MCAP_NAME_SIZE];
    size_t name_size;
    if (r->loaded == index) {
        return GR_OK;
    }
    r->loaded = -1;
    if (!ensure(&r->packed, &r->packed_room, length)) {
        return gr_out_of_memory(log, r->path);
    }
    if (read_at(r, chunk->offset, r->packed, length, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    Cursor c = {.at = r->packed, .end = r->packed + length};
    const bool is_chunk = number(&c, 1) == CHUNK && number(&c, 8) == length - RECORD_HEAD;
    skip(&c, 16); // times
    const uint64_t raw = number(&c, 8);
    const uint32_t crc = (uint32_t)number(&c, 4);
    const unsigned char *name = block(&c, &name_size);
    const uint64_t size = number(&c, 8);
    const unsigned char *records = skip(&c, size);
    if (!is_chunk || c.failed || raw > CHUNK_MAX || !copy_name(compression, name, name_size)) {
        return bad(r, chunk->offset, "there is no chunk where the index has one", log);
    }
    if (!ensure(&r->records, &r->records_room, (size_t)raw + 1)) {
        return gr_out_of_memory(log, r->path);
    }
    const char *wrong = unpack(r, records, (size_t)size, (size_t)raw, compression);
    if (wrong == NULL && crc != 0 && crc != gr_crc32(0, (const char *)r->records, (size_t)raw)) {
        wrong = "the chunk does not match its checksum";
    }
    if (wrong != NULL) {
        return bad(r, chunk->offset, wrong, log);
    }
    r->records_size = (size_t)raw;
    r->loaded = index;
    return GR_OK;
}

/// The next message of the loaded chunk in a span; false: none is left, or the chunk is cut off.
static bool next_message(const GrMcapReader *r, Cursor *c, const GrMcapSpan *span, GrMcapMessage *out)
{
    Cursor body;
    int opcode;
    while (next_record(c, &opcode, &body)) {
        if (opcode != MESSAGE) {
            continue;
        }
        const int topic = r->topic_of[number(&body, 2)];
        number(&body, 4);
        const uint64_t time = number(&body, 8);
        number(&body, 8);
        if (body.failed) {
            c->failed = true;
            return false;
        }
        if (topic >= 0 && time <= span->until && (!span->has_after || time > span->after)) {
            *out = (GrMcapMessage){topic, time, (const char *)body.at, (size_t)(body.end - body.at)};
            return true;
        }
    }
    return false;
}

static Cursor chunk_cursor(const GrMcapReader *r)
{
    return (Cursor){.at = r->records, .end = r->records + r->records_size};
}

static bool overlaps(const Chunk *chunk, const GrMcapSpan *span)
{
    return chunk->start <= span->until && (!span->has_after || chunk->end > span->after);
}

/// Topic of an entry in the list of a chunk's channels; −1: unknown.
static int chunk_topic(const GrMcapReader *r, const Chunk *chunk, size_t entry)
{
    const unsigned char *at = chunk->channels + 10 * entry;
    return r->topic_of[at[0] | at[1] << 8];
}

/// Whether a chunk has messages of a topic that is still missing. A chunk that does not say what it has may have all.
static bool has_missing(const GrMcapReader *r, const Chunk *chunk)
{
    bool missing = chunk->channel_count == 0;
    for (size_t i = 0; i < chunk->channel_count && !missing; i++) {
        const int topic = chunk_topic(r, chunk, i);
        missing = topic >= 0 && r->found[topic].topic < 0;
    }
    return missing;
}

GrStatus gr_mcap_reader_latest(GrMcapReader *r, const GrMcapSpan *span, GrMcapTake *take, void *context,
                               GrErrorLog *log)
{
    for (int i = 0; i < r->topic_count; i++) {
        r->found[i].topic = -1;
    }
    for (int k = r->chunk_count - 1; k >= 0; k--) { // backwards: a topic that is found is not looked for any more
        if (!overlaps(&r->chunks[k], span) || !has_missing(r, &r->chunks[k])) {
            continue;
        }
        const GrStatus status = load(r, k, log);
        if (status != GR_OK) {
            return status;
        }
        GrMcapMessage message;
        Cursor c = chunk_cursor(r);
        while (next_message(r, &c, span, &message)) {
            GrMcapMessage *found = &r->found[message.topic];
            if (found->topic < 0 || (found->data != NULL && message.time >= found->time)) {
                *found = message;
            }
        }
        if (c.failed) {
            return bad(r, r->chunks[k].offset, "a record in the chunk is cut off", log);
        }
        for (int i = 0; i < r->topic_count; i++) {
            if (r->found[i].topic >= 0 && r->found[i].data != NULL) {
                take(context, &r->found[i]);
                r->found[i].data = NULL; // taken
            }
        }
    }
    return GR_OK;
}

GrStatus gr_mcap_reader_all(GrMcapReader *r, int topic, const GrMcapSpan *span, GrMcapTake *take, void *context,
                            GrErrorLog *log)
{
    for (int k = 0; k < r->chunk_count; k++) {
        const Chunk *chunk = &r->chunks[k];
        bool here = chunk->channel_count == 0 || topic == GR_MCAP_ANY_TOPIC;
        for (size_t i = 0; i < chunk->channel_count && !here; i++) {
            here = chunk_topic(r, chunk, i) == topic;
        }
        if (!here || !overlaps(chunk, span)) {
            continue;
        }
        const GrStatus status = load(r, k, log);
        if (status != GR_OK) {
            return status;
        }
        GrMcapMessage message;
        Cursor c = chunk_cursor(r);
        while (next_message(r, &c, span, &message)) {
            if (message.topic == topic || topic == GR_MCAP_ANY_TOPIC) {
                take(context, &message);
            }
        }
        if (c.failed) {
            return bad(r, chunk->offset, "a record in the chunk is cut off", log);
        }
    }
    return GR_OK;
}

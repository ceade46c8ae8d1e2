#include "mcap.h"

#include "alloc.h"
#include "clock.h"
#include "crc32.h"
#include "out_of_memory.h"
#include "protobuf.h"
#include "sink.h"

#include <time.h>
#ifdef GR_WITH_ZSTD
#include <zstd.h>
#endif

enum {
    CHUNK_SIZE = 512 * 1024,
    INDEX_ENTRY = 16,   // time, offset
    MESSAGE_HEAD = 31,  // opcode, length; channel, number, two times
    LEVEL = -3,         // zstd level: two thirds of the time of level 1 for a tenth more bytes
    SHORTEST_MATCH = 5, // of zstd, and the logarithm of its table: 6 and 13, those of the level, give a hundredth
    TABLE_LOG = 14,     // more bytes in about the same time
    SUMMARY_SHARE = 50, // the pause between summaries is this many times the time that writing one took
};
static const double FLUSH_SECONDS = 1;
static const char MAGIC[8] = {'\x89', 'M', 'C', 'A', 'P', '0', '\r', '\n'};

typedef enum Opcode {
    HEADER = 1,
    FOOTER,
    SCHEMA,
    CHANNEL,
    MESSAGE,
    CHUNK,
    MESSAGE_INDEX,
    CHUNK_INDEX,
    STATISTICS = 11,
    METADATA,
    METADATA_INDEX,
    SUMMARY_OFFSET,
    DATA_END
} Opcode;

typedef struct Channel {
    uint64_t count;
    GrBuffer index; ///< entries of the open chunk
    size_t kept;    ///< size of `index` while the open chunk is written for readers
} Channel;

typedef struct Span {
    uint64_t start, end; ///< times of messages [ns]
} Span;

struct GrMcap {
    GrSink sink;
    uint64_t size;    ///< of the file without a summary
    bool has_summary; ///< a summary follows after `size`
    GrBuffer out;     ///< bytes to be written next
    GrBuffer chunk;   ///< records of the open chunk
    size_t message;   ///< where the open message begins in `chunk`
    Span chunk_span, span;
    double flushed, summarised; ///< wall times [s]
    double pause;               ///< time until the next summary [s]
    GrBuffer schemas, channels, chunk_indexes, metadata_indexes;
    Channel *channel;
    int schema_count, channel_count, chunk_count, metadata_count;
    uint64_t message_count;
#ifdef GR_WITH_ZSTD
    ZSTD_CCtx *zstd;
#endif
};

#ifdef GR_WITH_ZSTD
static const char COMPRESSION[] = "zstd";

static bool start_packing(GrMcap *mcap)
{
    mcap->zstd = ZSTD_createCCtx();
    if (mcap->zstd != NULL) { // cannot fail: all are in range
        ZSTD_CCtx_setParameter(mcap->zstd, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(mcap->zstd, ZSTD_c_minMatch, SHORTEST_MATCH);
        ZSTD_CCtx_setParameter(mcap->zstd, ZSTD_c_hashLog, TABLE_LOG);
        ZSTD_CCtx_setParameter(mcap->zstd, ZSTD_c_checksumFlag, 1);
    }
    return mcap->zstd != NULL;
}

static void stop_packing(GrMcap *mcap)
{
    ZSTD_freeCCtx(mcap->zstd);
}

/// 0: none. The checksum of zstd, which is compared when a chunk is decompressed, covers the same bytes in a fraction
/// of the time.
static uint32_t chunk_crc(const GrMcap *mcap)
{
    (void)mcap;
    return 0;
}

/// Appends the open chunk compressed; false when out of memory.
static bool pack(GrMcap *mcap)
{
    GrBuffer *out = &mcap->out;
    const size_t bound = ZSTD_compressBound(mcap->chunk.size);
    if (!gr_buffer_reserve(out, bound)) {
        return false;
    }
    const size_t size = ZSTD_compress2(mcap->zstd, out->data + out->size, bound, mcap->chunk.data, mcap->chunk.size);
    out->size += ZSTD_isError(size) ? 0 : size;
    return !ZSTD_isError(size);
}
#else
static const char COMPRESSION[] = "";

static uint32_t chunk_crc(const GrMcap *mcap)
{
    return gr_crc32(0, mcap->chunk.data, mcap->chunk.size);
}

static bool start_packing(GrMcap *mcap)
{
    (void)mcap;
    return true;
}

static void stop_packing(GrMcap *mcap)
{
    (void)mcap;
}

static bool pack(GrMcap *mcap)
{
    gr_buffer_add(&mcap->out, mcap->chunk.data, mcap->chunk.size);
    return !mcap->out.failed;
}
#endif

static void patch(GrBuffer *out, size_t at, uint64_t value, int size)
{
    if (!out->failed) {
        gr_proto_store((unsigned char *)out->data + at, value, size);
    }
}

/// Strings of the container are UTF-8.
static void put_text(GrBuffer *out, const char *text)
{
    const size_t at = out->size;
    gr_proto_fixed(out, 0, 4);
    gr_buffer_text(out, text);
    patch(out, at, out->size - at - 4, 4);
}

static size_t begin_record(GrBuffer *out, Opcode opcode)
{
    gr_proto_byte(out, opcode);
    gr_proto_fixed(out, 0, 8);
    return out->size;
}

static void end_record(GrBuffer *out, size_t begin)
{
    patch(out, begin - 8, out->size - begin, 8);
}

/// Appends the buffer `out` to the file.
static GrStatus flush(GrMcap *mcap, GrErrorLog *log)
{
    if (mcap->out.failed || mcap->chunk.failed) {
        return gr_out_of_memory(log, mcap->sink.path);
    }
    GrStatus status = GR_OK;
    if (mcap->has_summary) {
        status = gr_sink_cut(&mcap->sink, mcap->size, log);
        mcap->has_summary = false;
    }
    if (status == GR_OK) {
        status = gr_sink_write(&mcap->sink, mcap->out.data, mcap->out.size, log);
    }
    mcap->size += mcap->out.size;
    mcap->out.size = 0;
    return status;
}

static void put_header(GrMcap *mcap)
{
    gr_buffer_add(&mcap->out, MAGIC, sizeof MAGIC);
    const size_t begin = begin_record(&mcap->out, HEADER);
    put_text(&mcap->out, ""); // profile: none
    put_text(&mcap->out, "grouser");
    end_record(&mcap->out, begin);
}

static GrMcap *destroy(GrMcap *mcap)
{
    for (int i = 0; i < mcap->channel_count; i++) {
        gr_buffer_free(&mcap->channel[i].index);
    }
    GrBuffer *buffers[] = {&mcap->out,      &mcap->chunk,         &mcap->schemas,
                           &mcap->channels, &mcap->chunk_indexes, &mcap->metadata_indexes};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        gr_buffer_free(buffers[i]);
    }
    stop_packing(mcap);
    gr_free(mcap->channel);
    gr_free(mcap);
    return NULL;
}

GrMcap *gr_mcap_open(const char *path, double now, GrErrorLog *log)
{
    GrMcap *mcap = gr_calloc(1, sizeof *mcap);
    if (mcap == NULL || !start_packing(mcap)) {
        gr_out_of_memory(log, path);
        gr_free(mcap);
        return NULL;
    }
    mcap->flushed = mcap->summarised = now;
    put_header(mcap);
    if (gr_sink_open(&mcap->sink, path, log) != GR_OK || flush(mcap, log) != GR_OK) {
        gr_sink_close(&mcap->sink, NULL);
        return destroy(mcap);
    }
    return mcap;
}

void gr_mcap_metadata(GrMcap *mcap, const char *name, const GrMcapText *texts, int count)
{
    const size_t first = mcap->out.size, begin = begin_record(&mcap->out, METADATA);
    put_text(&mcap->out, name);
    gr_proto_fixed(&mcap->out, 0, 4);
    const size_t map = mcap->out.size;
    for (int i = 0; i < count; i++) {
        put_text(&mcap->out, texts[i].key);
        put_text(&mcap->out, texts[i].value);
    }
    patch(&mcap->out, map - 4, mcap->out.size - map, 4);
    end_record(&mcap->out, begin);

    const size_t index = begin_record(&mcap->metadata_indexes, METADATA_INDEX);
    gr_proto_fixed(&mcap->metadata_indexes, mcap->size + first, 8);
    gr_proto_fixed(&mcap->metadata_indexes, mcap->out.size - first, 8);
    put_text(&mcap->metadata_indexes, name);
    end_record(&mcap->metadata_indexes, index);
    mcap->metadata_count++;
}

int gr_mcap_schema(GrMcap *mcap, const char *name, const GrBuffer *set)
{
    const size_t first = mcap->schemas.size, begin = begin_record(&mcap->schemas, SCHEMA);
    gr_proto_fixed(&mcap->schemas, (uint64_t)++mcap->schema_count, 2);
    put_text(&mcap->schemas, name);
    put_text(&mcap->schemas, "protobuf");
    gr_proto_fixed(&mcap->schemas, set->size, 4);
    gr_buffer_add(&mcap->schemas, set->data, set->size);
    end_record(&mcap->schemas, begin);
    if (mcap->schemas.failed || set->failed) {
        mcap->out.failed = true;
    } else {
        gr_buffer_add(&mcap->out, mcap->schemas.data + first, mcap->schemas.size - first);
    }
    return mcap->schema_count;
}

int gr_mcap_channel(GrMcap *mcap, int schema, const char *topic)
{
    const size_t count = (size_t)mcap->channel_count;
    Channel *grown = gr_realloc(mcap->channel, (count + 1) * sizeof *grown);
    if (grown == NULL) {
        mcap->out.failed = true;
        return 0;
    }
    mcap->channel = grown;
    mcap->channel[count] = (Channel){0};
    const size_t first = mcap->channels.size, begin = begin_record(&mcap->channels, CHANNEL);
    gr_proto_fixed(&mcap->channels, count, 2);
    gr_proto_fixed(&mcap->channels, (uint64_t)schema, 2);
    put_text(&mcap->channels, topic);
    put_text(&mcap->channels, "protobuf");
    gr_proto_fixed(&mcap->channels, 0, 4); // no metadata
    end_record(&mcap->channels, begin);
    if (mcap->channels.failed) {
        mcap->out.failed = true;
    } else {
        gr_buffer_add(&mcap->out, mcap->channels.data + first, mcap->channels.size - first);
    }
    return mcap->channel_count++;
}

static void extend(Span *span, bool first, uint64_t start, uint64_t end)
{
    span->start = first || start < span->start ? start : span->start;
    span->end = first || end > span->end ? end : span->end;
}

GrBuffer *gr_mcap_begin(GrMcap *mcap, int channel, uint64_t time)
{
    Channel *c = &mcap->channel[channel];
    extend(&mcap->chunk_span, mcap->chunk.size == 0, time, time);
    unsigned char *entry = gr_proto_room(&c->index, INDEX_ENTRY);
    if (entry != NULL) {
        gr_proto_store(gr_proto_store(entry, time, 8), mcap->chunk.size, 8);
    }
    mcap->message = mcap->chunk.size + 9;
    unsigned char *head = gr_proto_room(&mcap->chunk, MESSAGE_HEAD);
    if (head != NULL) {
        *head++ = MESSAGE;
        head = gr_proto_store(head, 0, 8); // length: not known yet
        head = gr_proto_store(head, (uint64_t)channel, 2);
        head = gr_proto_store(head, c->count, 4);
        head = gr_proto_store(head, time, 8); // logged
        gr_proto_store(head, time, 8);        // published
    }
    c->count++;
    return &mcap->chunk;
}

void gr_mcap_end(GrMcap *mcap)
{
    end_record(&mcap->chunk, mcap->message);
}

static int sink_schema(void *context, const char *name, const GrBuffer *set)
{
    return gr_mcap_schema(context, name, set);
}

static int sink_channel(void *context, int schema, const char *topic, GrTopicKind kind)
{
    (void)kind; // a file leaves nothing out
    return gr_mcap_channel(context, schema, topic);
}

static GrBuffer *sink_begin(void *context, int channel, uint64_t time)
{
    return gr_mcap_begin(context, channel, time);
}

static void sink_end(void *context)
{
    gr_mcap_end(context);
}

GrTopicSink gr_mcap_sink(GrMcap *mcap)
{
    return (GrTopicSink){
        .context = mcap, .schema = sink_schema, .channel = sink_channel, .begin = sink_begin, .end = sink_end};
}

/// Writes the open chunk; returns its size in the file without what surrounds it, 0 when out of memory.
static size_t put_chunk(GrMcap *mcap)
{
    GrBuffer *out = &mcap->out;
    const size_t begin = begin_record(out, CHUNK);
    gr_proto_fixed(out, mcap->chunk_span.start, 8);
    gr_proto_fixed(out, mcap->chunk_span.end, 8);
    gr_proto_fixed(out, mcap->chunk.size, 8);
    gr_proto_fixed(out, chunk_crc(mcap), 4);
    put_text(out, COMPRESSION);
    gr_proto_fixed(out, 0, 8); // size: not known yet
    const size_t packed = out->size;
    if (!pack(mcap)) {
        return 0;
    }
    patch(out, packed - 8, out->size - packed, 8);
    end_record(out, begin);
    return out->size - packed;
}

/// Writes the message indexes, and their positions into the chunk's index.
static void put_message_indexes(GrMcap *mcap, GrBuffer *places)
{
    GrBuffer *out = &mcap->out;
    for (int i = 0; i < mcap->channel_count; i++) {
        Channel *c = &mcap->channel[i];
        if (c->index.failed) {
            out->failed = true;
        }
        if (c->index.size == 0) {
            continue;
        }
        gr_proto_fixed(places, (uint64_t)i, 2);
        gr_proto_fixed(places, mcap->size + out->size, 8);
        const size_t begin = begin_record(out, MESSAGE_INDEX);
        gr_proto_fixed(out, (uint64_t)i, 2);
        gr_proto_fixed(out, c->index.size, 4);
        gr_buffer_add(out, c->index.data, c->index.size);
        end_record(out, begin);
        mcap->message_count += c->index.size / INDEX_ENTRY;
        c->index.size = 0;
    }
}

static GrStatus close_chunk(GrMcap *mcap, GrErrorLog *log)
{
    const size_t first = mcap->out.size;
    const size_t packed = mcap->chunk.failed ? 0 : put_chunk(mcap);
    if (packed == 0) {
        return gr_out_of_memory(log, mcap->sink.path);
    }
    const size_t length = mcap->out.size - first;

    GrBuffer *index = &mcap->chunk_indexes;
    const size_t begin = begin_record(index, CHUNK_INDEX);
    gr_proto_fixed(index, mcap->chunk_span.start, 8);
    gr_proto_fixed(index, mcap->chunk_span.end, 8);
    gr_proto_fixed(index, mcap->size + first, 8);
    gr_proto_fixed(index, length, 8);
    gr_proto_fixed(index, 0, 4);
    const size_t places = index->size;
    put_message_indexes(mcap, index);
    patch(index, places - 4, index->size - places, 4);
    gr_proto_fixed(index, mcap->out.size - first - length, 8);
    put_text(index, COMPRESSION);
    gr_proto_fixed(index, packed, 8);
    gr_proto_fixed(index, mcap->chunk.size, 8);
    end_record(index, begin);
    mcap->out.failed = mcap->out.failed || index->failed;

    extend(&mcap->span, mcap->chunk_count == 0, mcap->chunk_span.start, mcap->chunk_span.end);
    mcap->chunk_count++;
    mcap->chunk.size = 0;
    return flush(mcap, log);
}

static void put_statistics(const GrMcap *mcap, GrBuffer *out)
{
    const size_t begin = begin_record(out, STATISTICS);
    gr_proto_fixed(out, mcap->message_count, 8);
    gr_proto_fixed(out, (uint64_t)mcap->schema_count, 2);
    gr_proto_fixed(out, (uint64_t)mcap->channel_count, 4);
    gr_proto_fixed(out, 0, 4); // attachments
    gr_proto_fixed(out, (uint64_t)mcap->metadata_count, 4);
    gr_proto_fixed(out, (uint64_t)mcap->chunk_count, 4);
    gr_proto_fixed(out, mcap->span.start, 8);
    gr_proto_fixed(out, mcap->span.end, 8);
    gr_proto_fixed(out, 10 * (uint64_t)mcap->channel_count, 4);
    for (int i = 0; i < mcap->channel_count; i++) {
        gr_proto_fixed(out, (uint64_t)i, 2);
        gr_proto_fixed(out, mcap->channel[i].count, 8);
    }
    end_record(out, begin);
}

/// Data end, summary, offsets of its groups, footer, magic. All chunks are closed.
static void put_summary(const GrMcap *mcap, GrBuffer *out)
{
    const size_t data_end = begin_record(out, DATA_END);
    gr_proto_fixed(out, 0, 4); // no checksum: chunks have their own
    end_record(out, data_end);

    GrBuffer statistics = {0}, offsets = {0};
    put_statistics(mcap, &statistics);
    const struct {
        Opcode opcode;
        const GrBuffer *records;
    } groups[] = {{SCHEMA, &mcap->schemas},
                  {CHANNEL, &mcap->channels},
                  {STATISTICS, &statistics},
                  {CHUNK_INDEX, &mcap->chunk_indexes},
                  {METADATA_INDEX, &mcap->metadata_indexes}};
    const size_t start = out->size;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const GrBuffer *records = groups[i].records;
        if (records->size == 0) {
            continue;
        }
        const size_t begin = begin_record(&offsets, SUMMARY_OFFSET);
        gr_proto_byte(&offsets, groups[i].opcode);
        gr_proto_fixed(&offsets, mcap->size + out->size, 8);
        gr_proto_fixed(&offsets, records->size, 8);
        end_record(&offsets, begin);
        gr_buffer_add(out, records->data, records->size);
    }
    const size_t offsets_start = out->size;
    out->failed = out->failed || offsets.failed || statistics.failed;
    gr_buffer_add(out, offsets.data, offsets.size);
    gr_buffer_free(&statistics);
    gr_buffer_free(&offsets);

    const size_t footer = begin_record(out, FOOTER);
    gr_proto_fixed(out, mcap->size + start, 8);
    gr_proto_fixed(out, mcap->size + offsets_start, 8);
    gr_proto_fixed(out, 0, 4);
    end_record(out, footer);
    if (!out->failed) {
        patch(out, out->size - 4, gr_crc32(0, out->data + start, out->size - 4 - start), 4);
    }
    gr_buffer_add(out, MAGIC, sizeof MAGIC);
}

static GrStatus write_summary(GrMcap *mcap, GrErrorLog *log)
{
    const uint64_t size = mcap->size;
    put_summary(mcap, &mcap->out);
    const GrStatus status = flush(mcap, log);
    mcap->size = size;
    mcap->has_summary = true;
    return status;
}

/// Writes the open chunk and a summary for whoever reads the file now, or after this program was killed. The chunk
/// stays open, and the next write replaces all this: chunks end by their size alone, so that equal runs give equal
/// bytes.
static GrStatus show_chunk(GrMcap *mcap, GrErrorLog *log)
{
    if (mcap->out.size > 0) { // schemas and channels, which stay
        const GrStatus status = flush(mcap, log);
        if (status != GR_OK) {
            return status;
        }
    }
    const uint64_t size = mcap->size, message_count = mcap->message_count;
    const size_t chunk = mcap->chunk.size, indexes = mcap->chunk_indexes.size;
    const Span span = mcap->span;
    for (int i = 0; i < mcap->channel_count; i++) {
        mcap->channel[i].kept = mcap->channel[i].index.size;
    }
    GrStatus status = close_chunk(mcap, log);
    if (status == GR_OK) {
        status = write_summary(mcap, log);
    }
    mcap->size = size;
    mcap->message_count = message_count;
    mcap->chunk.size = chunk;
    mcap->chunk_indexes.size = indexes;
    mcap->chunk_count--;
    mcap->span = span;
    for (int i = 0; i < mcap->channel_count; i++) {
        mcap->channel[i].index.size = mcap->channel[i].kept;
    }
    return status;
}

GrStatus gr_mcap_tick(GrMcap *mcap, double now, GrErrorLog *log)
{
    const bool late = now - mcap->flushed >= FLUSH_SECONDS;
    if (mcap->chunk.size < CHUNK_SIZE && !(late && mcap->chunk.size > 0)) {
        return GR_OK;
    }
    mcap->flushed = now;
    if (mcap->chunk.size < CHUNK_SIZE) {
        return show_chunk(mcap, log);
    }
    GrStatus status = close_chunk(mcap, log);
    if (status == GR_OK && now - mcap->summarised >= mcap->pause) {
        const double start = gr_wall_time();
        status = write_summary(mcap, log);
        mcap->pause = SUMMARY_SHARE * (gr_wall_time() - start);
        mcap->summarised = now;
    }
    return status;
}

GrStatus gr_mcap_close(GrMcap *mcap, GrErrorLog *log)
{
    if (mcap == NULL) {
        return GR_OK;
    }
    GrStatus status = mcap->chunk.size > 0 ? close_chunk(mcap, log) : GR_OK;
    if (status == GR_OK && !mcap->has_summary) {
        status = write_summary(mcap, log);
    }
    const GrStatus closed = gr_sink_close(&mcap->sink, status == GR_OK ? log : NULL);
    destroy(mcap);
    return status == GR_OK ? closed : status;
}

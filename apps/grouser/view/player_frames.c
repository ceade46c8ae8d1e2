#include "player_frames.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "protobuf.h"

enum { TRANSFORMS = 1, CHILD = 3 }; // fields of foxglove.FrameTransforms and .FrameTransform

/// A part of a message: bytes.
typedef struct Bytes {
    const unsigned char *at;
    size_t size;
} Bytes;

/// A frame as it was last seen.
typedef struct Frame {
    char *bytes; ///< of its FrameTransform
    size_t size, room;
    Bytes child; ///< inside `bytes`
} Frame;

typedef struct Frames {
    Frame *items;
    int count, room;
    int last_count; ///< frames of the last message
    uint64_t last_time;
    bool counts_only, failed;
} Frames;

static bool read_varint(Bytes *b, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && b->size > 0; shift += 7) {
        const unsigned byte = *b->at++;
        b->size--;
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

/// The next field: its number, and its bytes where it has a length; false: the end.
static bool next_field(Bytes *b, int *field, Bytes *value)
{
    uint64_t tag, length = 0;
    if (b->size == 0 || !read_varint(b, &tag)) {
        return false;
    }
    const unsigned wire = tag & 7;
    *field = (int)(tag >> 3);
    if (wire == GR_WIRE_VARINT) {
        return read_varint(b, &length);
    }
    if (wire == GR_WIRE_BYTES) {
        if (!read_varint(b, &length)) {
            return false;
        }
    } else if (wire == GR_WIRE_64 || wire == GR_WIRE_32) {
        length = wire == GR_WIRE_64 ? 8 : 4;
    } else {
        return false;
    }
    if (length > b->size) {
        return false;
    }
    *value = (Bytes){b->at, (size_t)length};
    b->at += length;
    b->size -= (size_t)length;
    return true;
}

static Bytes find_child(Bytes transform)
{
    Bytes value = {0}, child = {0};
    int field;
    while (next_field(&transform, &field, &value)) {
        child = field == CHILD ? value : child;
    }
    return child;
}

static Frame *find_frame(Frames *f, Bytes child)
{
    for (int i = 0; i < f->count; i++) {
        const Bytes *known = &f->items[i].child;
        if (known->size == child.size && (child.size == 0 || memcmp(known->at, child.at, child.size) == 0)) {
            return &f->items[i];
        }
    }
    if (f->count == f->room) {
        const int room = f->room > 0 ? 2 * f->room : 64;
        Frame *grown = gr_realloc(f->items, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        f->items = grown;
        f->room = room;
    }
    f->items[f->count] = (Frame){0};
    return &f->items[f->count++];
}

static void note_frame(Frames *f, Bytes transform)
{
    const Bytes child = find_child(transform);
    Frame *frame = find_frame(f, child);
    if (frame != NULL && (frame->bytes == NULL || frame->room < transform.size)) {
        char *grown = gr_realloc(frame->bytes, transform.size + 1);
        frame->bytes = grown != NULL ? grown : frame->bytes;
        frame->room = grown != NULL ? transform.size : frame->room;
    }
    if (frame == NULL || frame->bytes == NULL || frame->room < transform.size) {
        f->failed = true;
        return;
    }
    if (transform.size > 0) {
        memcpy(frame->bytes, transform.at, transform.size);
    }
    frame->size = transform.size;
    frame->child =
        (Bytes){(const unsigned char *)frame->bytes + (child.size > 0 ? child.at - transform.at : 0), child.size};
}

static void take(void *context, const GrMcapMessage *message)
{
    Frames *f = context;
    Bytes rest = {(const unsigned char *)message->data, message->size}, transform = {0};
    int field, count = 0;
    while (next_field(&rest, &field, &transform)) {
        if (field == TRANSFORMS) {
            count++;
            if (!f->counts_only) {
                note_frame(f, transform);
            }
        }
    }
    f->last_count = count;
    f->last_time = message->time;
}

static void put(const Frames *f, const GrTopicSink *sink, int channel)
{
    GrBuffer *out = sink->begin(sink->context, channel, f->last_time);
    for (int i = 0; out != NULL && i < f->count; i++) {
        gr_proto_bytes(out, TRANSFORMS, f->items[i].bytes, f->items[i].size);
    }
    if (out != NULL) {
        sink->end(sink->context);
    }
}

/// Counts the frames of the newest message that `latest` has of the topic.
typedef struct Newest {
    int topic;
    Frames frames;
} Newest;

static void take_newest(void *context, const GrMcapMessage *message)
{
    Newest *newest = context;
    if (message->topic == newest->topic) {
        take(&newest->frames, message);
    }
}

static GrStatus count_frames(GrMcapReader *reader, int topic, uint64_t time, int *out, GrErrorLog *log)
{
    Newest newest = {.topic = topic, .frames = {.counts_only = true}};
    const GrStatus status = gr_mcap_reader_latest(reader, &(GrMcapSpan){.until = time}, take_newest, &newest, log);
    *out = newest.frames.last_count;
    return status;
}

GrStatus gr_player_put_frames(GrMcapReader *reader, int topic, uint64_t time, const GrTopicSink *sink, int channel,
                              GrErrorLog *log)
{
    int first = 0, newest = 0;
    GrStatus status = count_frames(reader, topic, gr_mcap_reader_start(reader), &first, log);
    status = status == GR_OK ? count_frames(reader, topic, time, &newest, log) : status;
    if (status != GR_OK || newest >= first) {
        return status;
    }
    Frames frames = {0};
    status = gr_mcap_reader_all(reader, topic, &(GrMcapSpan){.until = time}, take, &frames, log);
    if (frames.failed) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK) {
        put(&frames, sink, channel);
    }
    for (int i = 0; i < frames.count; i++) {
        gr_free(frames.items[i].bytes);
    }
    gr_free(frames.items);
    return status;
}

/// Where messages by topic go: an MCAP file (gr_mcap_sink()), or clients of Foxglove's protocol (src/serve/foxglove.h).
/// Whoever makes messages need not know which.
///
///     const int schema = sink->schema(sink->context, "grouser.Body", &descriptor_set);
///     const int channel = sink->channel(sink->context, schema, "/body", GR_TOPIC_STREAM);
///     GrBuffer *out = sink->begin(sink->context, channel, time);
///     if (out != NULL) {
///         gr_proto_double(out, 1, 0.5);
///         sink->end(sink->context);
///     }
#ifndef GR_TOPIC_SINK_H
#define GR_TOPIC_SINK_H

#include "buffer.h"

#include <stdint.h>

typedef enum GrTopicKind {
    GR_TOPIC_STREAM,  ///< the next message comes soon: one may be left out
    GR_TOPIC_LATCHED, ///< a message is valid until the next one, which may never come
} GrTopicKind;

typedef struct GrTopicSink {
    void *context;
    /// A protobuf message type: `set` is a FileDescriptorSet. Returns its number.
    int (*schema)(void *context, const char *name, const GrBuffer *set);
    /// A topic with messages of one schema. Returns its number.
    int (*channel)(void *context, int schema, const char *topic, GrTopicKind kind);
    /// Opens a message: append its bytes to what is returned, then call end(). NULL: the message is not wanted.
    /// Times are in nanoseconds.
    GrBuffer *(*begin)(void *context, int channel, uint64_t time);
    void (*end)(void *context);
} GrTopicSink;

#endif

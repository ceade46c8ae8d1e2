/// Message types of recordings: FileDescriptorSets for readers, and how samples are encoded.
///
/// Foxglove's types have the field names, numbers and kinds that Foxglove publishes; ours, "grouser.NAME", come from
/// the table of channels (channel.h): channel i has the number i + 1. The sets are made here and not by protoc,
/// since joints, sensors and states give names that only a run or another table knows.
#ifndef GR_PROTO_SCHEMA_H
#define GR_PROTO_SCHEMA_H

#include "channel.h"
#include "topic_sink.h"

/// Adds a type of Foxglove's, "foxglove.NAME", to a sink, with all types that it contains. Returns its number there.
int gr_foxglove_schema(const GrTopicSink *sink, const char *name);

/// Adds a type "grouser.NAME" of these channels.
int gr_channel_schema(const GrTopicSink *sink, const char *name, const GrChannelGroup *group);

/// A part of a message: a message inside it.
typedef struct GrSchemaPart {
    const char *name;               ///< any text
    const char *type;               ///< "Joint": without its package
    const GrChannelGroup *channels; ///< of that type
} GrSchemaPart;

/// Adds a type "grouser.NAME" that has a message for each part. The name of its field is the part's, with _ for what
/// identifiers cannot have; the part's own name is its name in JSON. `parts`: NULL when out of memory.
int gr_parts_schema(const GrTopicSink *sink, const char *name, const GrSchemaPart *parts, int count);

/// Most fields of a group.
enum { GR_MESSAGE_FIELDS = 48 };

/// A field: where it is in the sample's struct, and its tag.
typedef struct GrMessageField {
    unsigned char tag[2];
    unsigned char tag_size;
    unsigned char kind; ///< GrChannelKind
    bool single;        ///< single precision
    size_t offset;
    double scale;
} GrMessageField;

/// A group of fields as a message: what is the same for all samples.
typedef struct GrChannelMessage {
    int count;
    size_t room; ///< for a whole message [bytes]
    const char *const *soils;
    int soil_count;
    GrMessageField fields[GR_MESSAGE_FIELDS];
} GrChannelMessage;

/// `soils` must outlive the message.
GrChannelMessage gr_channel_message(const GrChannelGroup *group, const char *const *soils, int soil_count);

/// Writes the fields of a struct of the group, where there is `room`; returns the position after them.
unsigned char *gr_channel_message_store(const GrChannelMessage *message, const void *from, unsigned char *at);

#endif

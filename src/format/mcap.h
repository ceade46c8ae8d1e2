/// MCAP container (https://mcap.dev/spec), written as a stream of chunks.
///
///     magic | header | metadata | schemas, channels | chunk, its message indexes | ... | data end | summary | footer |
///     magic
///
/// A chunk is closed at 512 KiB, or after a second of wall time, and is written to the file at once: a reader that
/// starts at the front sees all closed chunks at any time. About once a second the summary and the footer are written
/// after the last chunk, and removed again before the next one. Thus readers that begin with the index at the end can
/// open the file of a run that is still in progress or was killed.
///
/// No library: MCAP has one for C++ alone, which Debian does not package. Tests read the files with the reference
/// reader.
#ifndef GR_MCAP_H
#define GR_MCAP_H

#include "topic_sink.h"

typedef struct GrMcap GrMcap;

/// NULL when the file cannot be created. `now` here and below: wall time [s], from any epoch.
GrMcap *gr_mcap_open(const char *path, double now, GrErrorLog *log);

/// A metadata record of named texts; before the first message.
typedef struct GrMcapText {
    const char *key, *value;
} GrMcapText;
void gr_mcap_metadata(GrMcap *mcap, const char *name, const GrMcapText *texts, int count);

/// A protobuf message type: `set` is a FileDescriptorSet. Returns its number, from 1.
int gr_mcap_schema(GrMcap *mcap, const char *name, const GrBuffer *set);

/// A topic with messages of one schema. Returns its number, from 0.
int gr_mcap_channel(GrMcap *mcap, int schema, const char *topic);

/// Opens a message: append its bytes to what is returned, then call gr_mcap_end(). Times are in nanoseconds.
GrBuffer *gr_mcap_begin(GrMcap *mcap, int channel, uint64_t time);
void gr_mcap_end(GrMcap *mcap);

/// The functions above as a sink.
GrTopicSink gr_mcap_sink(GrMcap *mcap);

/// Closes the chunk when it is due. Call it between messages.
GrStatus gr_mcap_tick(GrMcap *mcap, double now, GrErrorLog *log);

/// Finishes the file and frees the writer; NULL is allowed.
GrStatus gr_mcap_close(GrMcap *mcap, GrErrorLog *log);

#endif

/// MCAP container (https://mcap.dev/spec), written as a stream of chunks.
///
///     magic | header | metadata | schemas, channels | chunk, its message indexes | ... | data end | summary | footer |
///     magic
///
/// A chunk is closed at 256 KiB, or after a second of wall time, and is in the file at once: a reader that goes from
/// the front sees all closed chunks whenever it looks. About once a second the summary and the footer are put behind
/// the last chunk too, and taken away again before the next one, so that readers which begin at the end, with the
/// index, can open the file of a run that still goes, or that was killed.
#ifndef GR_MCAP_H
#define GR_MCAP_H

#include "buffer.h"

#include <stdint.h>

typedef struct GrMcap GrMcap;

/// NULL when the file cannot be made. `now` here and below: wall time [s], from any start.
GrMcap *gr_mcap_open(const char *path, double now, GrErrorLog *log);

/// A record of texts by name, before the first message.
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

/// Closes the chunk when it is due. To be called between messages.
GrStatus gr_mcap_tick(GrMcap *mcap, double now, GrErrorLog *log);

/// Puts an end to the file and frees the writer; NULL is allowed.
GrStatus gr_mcap_close(GrMcap *mcap, GrErrorLog *log);

#endif

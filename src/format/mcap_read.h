/// Reads MCAP files (https://mcap.dev/spec) by the index at their end: topics, and the newest messages before a time.
///
///     GrMcapReader *reader = gr_mcap_reader_open("run.mcap", &log);
///     gr_mcap_reader_latest(reader, &(GrMcapSpan){.until = time}, take, context, &log);
///     gr_mcap_reader_close(reader);
///
/// Only the chunks that are needed are read. Nothing in the file is trusted: every length is checked against what is
/// there, chunks against their checksums, and errors name the file and the place in it. Chunks are plain or, where the
/// build has it, compressed by zstd.
#ifndef GR_MCAP_READ_H
#define GR_MCAP_READ_H

#include "grouser/status.h"

#include <stddef.h>
#include <stdint.h>

enum { GR_MCAP_NAME_SIZE = 256 };

typedef struct GrMcapReader GrMcapReader;

/// A channel, with the schema of its messages.
typedef struct GrMcapTopic {
    char topic[GR_MCAP_NAME_SIZE], encoding[GR_MCAP_NAME_SIZE];
    char schema_name[GR_MCAP_NAME_SIZE], schema_encoding[GR_MCAP_NAME_SIZE];
    const char *schema; ///< belongs to the reader
    size_t schema_size;
} GrMcapTopic;

/// NULL: it cannot be read, is no MCAP, or has no index.
GrMcapReader *gr_mcap_reader_open(const char *path, GrErrorLog *log);
/// NULL is allowed.
void gr_mcap_reader_close(GrMcapReader *reader);

int gr_mcap_reader_topic_count(const GrMcapReader *reader);
const GrMcapTopic *gr_mcap_reader_topic(const GrMcapReader *reader, int index);

/// Times of the first and the last message [ns]; both 0 without messages.
uint64_t gr_mcap_reader_start(const GrMcapReader *reader);
uint64_t gr_mcap_reader_end(const GrMcapReader *reader);

typedef struct GrMcapMessage {
    int topic;        ///< index
    uint64_t time;    ///< when it was logged [ns]
    const char *data; ///< valid during the call
    size_t size;
} GrMcapMessage;

typedef void GrMcapTake(void *context, const GrMcapMessage *message);

/// Times of messages.
typedef struct GrMcapSpan {
    bool has_after;
    uint64_t after; ///< later than this [ns]
    uint64_t until; ///< not later than this [ns]
} GrMcapSpan;

/// The last message of every topic in a span. Chunks are taken to be in order of time, as writers make them.
GrStatus gr_mcap_reader_latest(GrMcapReader *reader, const GrMcapSpan *span, GrMcapTake *take, void *context,
                               GrErrorLog *log);

enum { GR_MCAP_ANY_TOPIC = -1 };

/// All messages of one topic, or of any, in a span, in the order of the file.
GrStatus gr_mcap_reader_all(GrMcapReader *reader, int topic, const GrMcapSpan *span, GrMcapTake *take, void *context,
                            GrErrorLog *log);

#endif

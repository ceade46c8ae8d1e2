/// The chunks of a live run for any number of readers (docs/replay.md): an append-only log that all of them share, and
/// the newest state, which a slow reader misses.
///
/// One thread writes; readers belong to one other thread. Nothing is queued for a reader: it has a place in the log and
/// goes on from there whenever it can. Memory is that of the log, and does not depend on the number of readers.
#ifndef GR_FEED_H
#define GR_FEED_H

#include "grouser/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct GrFeed GrFeed;
typedef struct GrFeedChunk GrFeedChunk;

GrFeed *gr_feed_create(void);
/// All readers must have left.
void gr_feed_free(GrFeed *feed);

/// A new run begins: forgets the log. Readers get RSET and start again.
void gr_feed_restart(GrFeed *feed);

/// Appends a whole chunk to the log; false: out of memory.
bool gr_feed_put(GrFeed *feed, const char *chunk, size_t size);

/// Chunks of which readers get only the newest.
typedef enum GrFeedNewest {
    GR_FEED_LIVE,
    GR_FEED_STAT,
    GR_FEED_EDIT, ///< of an editor, whose text may not make a run yet
    GR_FEED_MAP,  ///< of an editor
    GR_FEED_NEWEST_COUNT
} GrFeedNewest;

/// Replaces the newest chunk of a kind; false: out of memory.
bool gr_feed_set(GrFeed *feed, GrFeedNewest kind, const char *chunk, size_t size);

/// Bytes in the log.
size_t gr_feed_size(const GrFeed *feed);

/// Place of a reader. Zero-initialise it; gr_feed_leave() at the end.
typedef struct GrFeedReader {
    uint64_t run; ///< which run it reads; 0: it has read nothing
    size_t next;  ///< next chunk of the log
    uint64_t seen[GR_FEED_NEWEST_COUNT];
    GrFeedChunk *chunk; ///< being read; NULL: none
    size_t read;        ///< bytes of it
} GrFeedReader;

/// A part of a chunk.
typedef struct GrFeedPiece {
    const char *data; ///< valid until the next call for this reader
    size_t size;
    bool last; ///< of its chunk
} GrFeedPiece;

/// The next piece of at most `most` bytes, where 0 only begins a chunk; false: there is nothing new. Chunks of the log
/// come in order; the newest LIVE only when the reader has read the whole log.
bool gr_feed_read(GrFeed *feed, GrFeedReader *reader, size_t most, GrFeedPiece *out);

void gr_feed_leave(GrFeed *feed, GrFeedReader *reader);

#endif

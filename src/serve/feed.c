#include "feed.h"

#include "alloc.h"
#include "buffer.h"
#include "chunk.h"

#include <pthread.h>
#include <string.h>

/// A chunk does not change. Its count of users is guarded by the feed's mutex.
struct GrFeedChunk {
    int users; ///< the feed and readers
    size_t size;
    char data[];
};

struct GrFeed {
    pthread_mutex_t mutex;
    uint64_t run; ///< counts the runs, from 1
    GrFeedChunk **log;
    size_t count, capacity, size;
    GrFeedChunk *reset; ///< RSET
    GrFeedChunk *newest[GR_FEED_NEWEST_COUNT];
    uint64_t serial[GR_FEED_NEWEST_COUNT]; ///< counts the chunks of the kind; 0: none yet
};

static GrFeedChunk *make_chunk(const char *data, size_t size)
{
    GrFeedChunk *chunk = gr_malloc(sizeof *chunk + size);
    if (chunk != NULL) {
        chunk->users = 1;
        chunk->size = size;
        memcpy(chunk->data, data, size);
    }
    return chunk;
}

static void release(GrFeedChunk *chunk)
{
    if (chunk != NULL && --chunk->users == 0) {
        gr_free(chunk);
    }
}

GrFeed *gr_feed_create(void)
{
    GrFeed *feed = gr_calloc(1, sizeof *feed);
    GrBuffer reset = {0};
    if (feed == NULL) {
        return NULL;
    }
    gr_chunk_put(&reset, "RSET", "", 0);
    feed->reset = reset.failed ? NULL : make_chunk(reset.data, reset.size);
    gr_buffer_free(&reset);
    feed->run = 1;
    if (feed->reset == NULL || pthread_mutex_init(&feed->mutex, NULL) != 0) {
        gr_free(feed->reset);
        gr_free(feed);
        return NULL;
    }
    return feed;
}

static void forget(GrFeed *feed)
{
    for (size_t i = 0; i < feed->count; i++) {
        release(feed->log[i]);
    }
    feed->count = feed->size = 0;
    release(feed->newest[GR_FEED_LIVE]);
    feed->newest[GR_FEED_LIVE] = NULL;
}

void gr_feed_free(GrFeed *feed)
{
    if (feed != NULL) {
        forget(feed);
        for (int k = GR_FEED_STAT; k < GR_FEED_NEWEST_COUNT; k++) {
            release(feed->newest[k]);
        }
        release(feed->reset);
        gr_free(feed->log);
        pthread_mutex_destroy(&feed->mutex);
        gr_free(feed);
    }
}

void gr_feed_restart(GrFeed *feed)
{
    pthread_mutex_lock(&feed->mutex);
    feed->run += feed->count > 0; // nobody needs to forget nothing
    forget(feed);
    pthread_mutex_unlock(&feed->mutex);
}

static bool append(GrFeed *feed, GrFeedChunk *chunk)
{
    if (feed->count == feed->capacity) {
        const size_t capacity = feed->capacity > 0 ? 2 * feed->capacity : 256;
        GrFeedChunk **log = gr_realloc(feed->log, capacity * sizeof(GrFeedChunk *));
        if (log == NULL) {
            return false;
        }
        feed->log = log;
        feed->capacity = capacity;
    }
    feed->log[feed->count++] = chunk;
    feed->size += chunk->size;
    return true;
}

bool gr_feed_put(GrFeed *feed, const char *data, size_t size)
{
    GrFeedChunk *chunk = make_chunk(data, size);
    if (chunk == NULL) {
        return false;
    }
    pthread_mutex_lock(&feed->mutex);
    const bool good = append(feed, chunk);
    pthread_mutex_unlock(&feed->mutex);
    if (!good) {
        gr_free(chunk);
    }
    return good;
}

bool gr_feed_set(GrFeed *feed, GrFeedNewest kind, const char *data, size_t size)
{
    GrFeedChunk *chunk = make_chunk(data, size);
    if (chunk == NULL) {
        return false;
    }
    pthread_mutex_lock(&feed->mutex);
    release(feed->newest[kind]);
    feed->newest[kind] = chunk;
    feed->serial[kind]++;
    pthread_mutex_unlock(&feed->mutex);
    return true;
}

size_t gr_feed_size(const GrFeed *feed)
{
    GrFeed *own = (GrFeed *)feed; // only its mutex
    pthread_mutex_lock(&own->mutex);
    const size_t size = feed->size;
    pthread_mutex_unlock(&own->mutex);
    return size;
}

/// A newest chunk that the reader has not seen; NULL: none. STAT and EDIT at any time, but LIVE only at the end of the
/// log.
static GrFeedChunk *unseen(const GrFeed *feed, const GrFeedReader *reader, GrFeedNewest *kind)
{
    for (int k = GR_FEED_NEWEST_COUNT - 1; k >= 0; k--) {
        const bool due = k != GR_FEED_LIVE || (reader->run == feed->run && reader->next == feed->count);
        if (due && feed->newest[k] != NULL && reader->seen[k] != feed->serial[k]) {
            *kind = (GrFeedNewest)k;
            return feed->newest[k];
        }
    }
    return NULL;
}

/// The chunk that follows, and notes that the reader has begun it; NULL: nothing is new.
static GrFeedChunk *take_next(GrFeed *feed, GrFeedReader *reader)
{
    GrFeedNewest kind = GR_FEED_LIVE;
    if (reader->run != feed->run) {
        const bool again = reader->run != 0;
        reader->run = feed->run;
        reader->next = 0;
        if (again) {
            return feed->reset;
        }
    }
    GrFeedChunk *newest = unseen(feed, reader, &kind);
    if (newest != NULL && (reader->next > 0 || kind >= GR_FEED_EDIT)) { // HEAD comes before STAT and LIVE
        reader->seen[kind] = feed->serial[kind];
        return newest;
    }
    return reader->next < feed->count ? feed->log[reader->next++] : NULL;
}

bool gr_feed_read(GrFeed *feed, GrFeedReader *reader, size_t most, GrFeedPiece *out)
{
    pthread_mutex_lock(&feed->mutex);
    if (reader->chunk != NULL && reader->read == reader->chunk->size) {
        release(reader->chunk);
        reader->chunk = NULL;
    }
    if (reader->chunk == NULL) {
        reader->chunk = take_next(feed, reader);
        reader->read = 0;
        if (reader->chunk != NULL) {
            reader->chunk->users++;
        }
    }
    pthread_mutex_unlock(&feed->mutex);
    if (reader->chunk == NULL) {
        return false;
    }
    const size_t left = reader->chunk->size - reader->read;
    *out = (GrFeedPiece){
        .data = reader->chunk->data + reader->read, .size = left < most ? left : most, .last = left <= most};
    reader->read += out->size;
    return true;
}

void gr_feed_leave(GrFeed *feed, GrFeedReader *reader)
{
    pthread_mutex_lock(&feed->mutex);
    release(reader->chunk);
    pthread_mutex_unlock(&feed->mutex);
    *reader = (GrFeedReader){0};
}

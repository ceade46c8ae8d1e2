/// The feed: every reader gets the whole log in order, at its own pace; only the newest state; a restart in the middle
/// of a chunk does not cut it. The thread sanitizer checks the last test.
#include "chunk.h"
#include "feed.h"
#include "server.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>

/// A chunk with a number as its payload and `size` bytes in all.
static size_t make(char *out, const char *type, uint32_t number, size_t size)
{
    memset(out, 0, size);
    memcpy(out, type, 4);
    memcpy(out + GR_CHUNK_HEADER_SIZE, &number, sizeof number);
    return size;
}

static void put(GrFeed *feed, uint32_t number)
{
    char chunk[64];
    assert_true(gr_feed_put(feed, chunk, make(chunk, "DATA", number, 40)));
}

static void set(GrFeed *feed, GrFeedNewest kind, uint32_t number)
{
    char chunk[64];
    assert_true(gr_feed_set(feed, kind, chunk,
                            make(chunk,
                                 kind == GR_FEED_LIVE   ? "LIVE"
                                 : kind == GR_FEED_STAT ? "STAT"
                                                        : "EDIT",
                                 number, 24)));
}

/// The next chunk, in pieces of 7 bytes; "": nothing new.
static const char *next(GrFeed *feed, GrFeedReader *reader)
{
    static char text[32], whole[256];
    size_t size = 0;
    for (GrFeedPiece piece = {0}; !piece.last;) {
        if (!gr_feed_read(feed, reader, 7, &piece)) {
            assert_int_equal(size, 0);
            return "";
        }
        memcpy(whole + size, piece.data, piece.size);
        size += piece.size;
    }
    uint32_t number = 0;
    memcpy(&number, whole + GR_CHUNK_HEADER_SIZE, size > GR_CHUNK_HEADER_SIZE ? sizeof number : 0);
    snprintf(text, sizeof text, "%.4s%u", whole, number);
    return text;
}

static void test_order(void **state)
{
    (void)state;
    GrFeed *feed = gr_feed_create();
    GrFeedReader early = {0}, late = {0};
    set(feed, GR_FEED_STAT, 1);
    assert_string_equal(next(feed, &early), ""); // nothing before the head of the log
    for (uint32_t i = 0; i < 3; i++) {
        put(feed, i);
    }
    set(feed, GR_FEED_LIVE, 1);
    assert_string_equal(next(feed, &early), "DATA0");
    assert_string_equal(next(feed, &early), "STAT1");
    assert_string_equal(next(feed, &early), "DATA1");
    set(feed, GR_FEED_LIVE, 2); // LIVE1 is lost: nobody has read it in time
    assert_string_equal(next(feed, &early), "DATA2");
    assert_string_equal(next(feed, &early), "LIVE2");
    assert_string_equal(next(feed, &early), "");
    assert_int_equal(gr_feed_size(feed), 3 * 40);
    const char *const all[] = {"DATA0", "STAT1", "DATA1", "DATA2", "LIVE2", ""};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(next(feed, &late), all[i]);
    }
    gr_feed_leave(feed, &early);
    gr_feed_leave(feed, &late);
    gr_feed_free(feed);
}

static void test_restart(void **state)
{
    (void)state;
    GrFeed *feed = gr_feed_create();
    GrFeedReader reader = {0}, fresh = {0};
    GrFeedPiece piece;
    put(feed, 7);
    for (size_t most = 0; most <= 30; most += 30) { // 0 begins the chunk
        assert_true(gr_feed_read(feed, &reader, most, &piece));
        assert_true(piece.size == most && !piece.last);
    }
    gr_feed_restart(feed);
    assert_true(gr_feed_read(feed, &reader, 30, &piece)); // the rest of the old chunk
    assert_true(piece.last && piece.size == 10);
    assert_string_equal(next(feed, &reader), "RSET0");
    assert_string_equal(next(feed, &reader), "");
    put(feed, 8);
    assert_string_equal(next(feed, &reader), "DATA8");
    assert_string_equal(next(feed, &fresh), "DATA8"); // one that comes later sees no RSET
    gr_feed_leave(feed, &reader);
    gr_feed_leave(feed, &fresh);
    gr_feed_free(feed);
}

static void test_inbox(void **state)
{
    (void)state;
    GrInbox *inbox = gr_inbox_create();
    GrMessage m = {.op = GR_MESSAGE_DRIVE}, out;
    assert_false(gr_inbox_take(inbox, 0, &out));
    for (int i = 0; i < 1000; i++) { // a stick that moves: only the last place counts
        m.command.speed = i;
        assert_true(gr_inbox_post(inbox, &m));
    }
    m.op = GR_MESSAGE_PAUSE;
    for (int i = 1; i < GR_INBOX_SIZE; i++) {
        assert_true(gr_inbox_post(inbox, &m));
    }
    assert_false(gr_inbox_post(inbox, &m)); // full
    assert_true(gr_inbox_take(inbox, 0, &out));
    assert_true(out.op == GR_MESSAGE_DRIVE && out.command.speed == 999);
    for (int i = 1; i < GR_INBOX_SIZE; i++) {
        assert_true(gr_inbox_take(inbox, 1, &out) && out.op == GR_MESSAGE_PAUSE);
    }
    assert_false(gr_inbox_take(inbox, 0.01, &out)); // ends by itself
    gr_inbox_wake(inbox);
    assert_false(gr_inbox_take(inbox, 100, &out)); // and at once when woken
    gr_inbox_free(inbox);
}

enum { CHUNKS = 20000, READERS = 5 };

static void *write_all(void *context)
{
    GrFeed *feed = context;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        put(feed, i);
        set(feed, GR_FEED_LIVE, i);
    }
    return NULL;
}

/// A writer and readers in two threads: no chunk is lost or doubled.
static void test_threads(void **state)
{
    (void)state;
    GrFeed *feed = gr_feed_create();
    GrFeedReader readers[READERS] = {0};
    uint32_t seen[READERS] = {0};
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_all, feed), 0);
    for (bool all = false; !all;) {
        all = true;
        for (int i = 0; i < READERS; i++) {
            const char *text = next(feed, &readers[i]);
            if (strncmp(text, "DATA", 4) == 0) {
                assert_int_equal(strtoul(text + 4, NULL, 10), seen[i]);
                seen[i]++;
            }
            all = all && seen[i] == CHUNKS;
        }
    }
    pthread_join(writer, NULL);
    for (int i = 0; i < READERS; i++) {
        gr_feed_leave(feed, &readers[i]);
    }
    gr_feed_free(feed);
}

/// The text of an editor comes without a run, and once.
static void test_edit(void **state)
{
    (void)state;
    GrFeed *feed = gr_feed_create();
    GrFeedReader reader = {0};
    set(feed, GR_FEED_STAT, 1);
    set(feed, GR_FEED_EDIT, 2);
    assert_string_equal(next(feed, &reader), "EDIT2");
    assert_string_equal(next(feed, &reader), ""); // STAT only after HEAD
    put(feed, 3);
    assert_string_equal(next(feed, &reader), "DATA3");
    assert_string_equal(next(feed, &reader), "STAT1");
    gr_feed_restart(feed);
    assert_string_equal(next(feed, &reader), "RSET0");
    assert_string_equal(next(feed, &reader), "");
    gr_feed_leave(feed, &reader);
    gr_feed_free(feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_restart), cmocka_unit_test(test_edit),
        cmocka_unit_test(test_inbox), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

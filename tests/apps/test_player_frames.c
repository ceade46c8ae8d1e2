/// Frames of a recording after a jump: the newest of every child frame, where messages have only those that moved.
#include "player_frames.h"

#include "mcap.h"
#include "protobuf.h"
#include "random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAMES = 40, MESSAGES = 300, BODIES = 3 };

static char path[] = "/tmp/grouser_test_frames_XXXXXX";

/// When each frame was last written, by the time of messages.
static int when[MESSAGES][FRAMES];

static void put_frame(GrBuffer *out, int frame, int k)
{
    char name[32];
    snprintf(name, sizeof name, "rock_%d", frame);
    const size_t begin = gr_proto_begin(out, 1);
    gr_proto_integer(out, 1, k); // in place of a time stamp
    gr_proto_string(out, 2, "world");
    gr_proto_string(out, 3, name);
    gr_proto_double(out, 4, 0.5 * k);
    gr_proto_end(out, begin);
}

/// The first message has all frames, later ones the bodies and a few rocks at random.
static void write_file(bool whole)
{
    GrRandom random = gr_random_stream(5, "frames");
    GrMcap *mcap = gr_mcap_open(path, 0, NULL);
    GrBuffer set = {0};
    gr_buffer_puts(&set, "set");
    const int channel = gr_mcap_channel(mcap, gr_mcap_schema(mcap, "foxglove.FrameTransforms", &set), "/tf");
    for (int k = 0; k < MESSAGES; k++) {
        GrBuffer *out = gr_mcap_begin(mcap, channel, (uint64_t)k);
        for (int i = 0; i < FRAMES; i++) {
            const bool moved = gr_random_below(&random, 50) == 0;
            const bool here = whole || k == 0 || i < BODIES || moved;
            when[k][i] = here ? k : when[k - 1][i];
            if (here) {
                put_frame(out, i, k);
            }
        }
        gr_mcap_end(mcap);
        assert_int_equal(gr_mcap_tick(mcap, 2 * k, NULL), GR_OK); // a chunk for every message
    }
    gr_buffer_free(&set);
    assert_int_equal(gr_mcap_close(mcap, NULL), GR_OK);
}

/// A sink that keeps the last message.
typedef struct Kept {
    GrBuffer bytes;
    int count;
    uint64_t time;
} Kept;

static GrBuffer *begin(void *context, int channel, uint64_t time)
{
    Kept *kept = context;
    assert_int_equal(channel, 7);
    kept->bytes.size = 0;
    kept->count++;
    kept->time = time;
    return &kept->bytes;
}

static void end(void *context)
{
    (void)context;
}

static void test_jumps(void **state)
{
    (void)state;
    write_file(false);
    GrErrorLog log = {0};
    GrMcapReader *reader = gr_mcap_reader_open(path, &log);
    assert_non_null(reader);
    for (int k = 0; k < MESSAGES; k += 23) {
        Kept kept = {0};
        GrBuffer expected = {0};
        const GrTopicSink sink = {.context = &kept, .begin = begin, .end = end};
        assert_int_equal(gr_player_put_frames(reader, 0, (uint64_t)k, &sink, 7, &log), GR_OK);
        if (k == 0) {
            assert_int_equal(kept.count, 0); // the message itself has all
            continue;
        }
        for (int i = 0; i < FRAMES; i++) { // in the order of the first message
            put_frame(&expected, i, when[k][i]);
        }
        assert_int_equal(kept.count, 1);
        assert_int_equal(kept.time, k);
        assert_int_equal(kept.bytes.size, expected.size);
        assert_memory_equal(kept.bytes.data, expected.data, expected.size);
        gr_buffer_free(&expected);
        gr_buffer_free(&kept.bytes);
    }
    gr_mcap_reader_close(reader);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    write_file(true);
    Kept kept = {0};
    const GrTopicSink sink = {.context = &kept, .begin = begin, .end = end};
    GrMcapReader *reader = gr_mcap_reader_open(path, NULL);
    assert_int_equal(gr_player_put_frames(reader, 0, MESSAGES / 2, &sink, 7, NULL), GR_OK);
    assert_int_equal(kept.count, 0);
    gr_mcap_reader_close(reader);
}

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(path));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jumps), cmocka_unit_test(test_nothing_to_do)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}

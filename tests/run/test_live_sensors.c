/// Sensors of a live run: every measurement arrives when it is delivered, on the topics of run.mcap, with the bytes of
/// the recording; the motion is that of gr_run().
#include "live.h"

#include "file.h"
#include "support/mcap_parse.h"
#include "test.h"

#include <stdlib.h>

enum { CHANNELS = 128 };

/// A sink that counts, and keeps a checksum of the messages of each topic.
typedef struct Taken {
    char topics[CHANNELS][96];
    long counts[CHANNELS];
    uint64_t sums[CHANNELS];
    int channel_count, open;
    double late; ///< largest difference of the time of a message of a sensor and that of the run [s]
    GrLive *live;
    GrBuffer draft;
} Taken;

static int take_schema(void *context, const char *name, const GrBuffer *set)
{
    (void)context;
    assert_true(name[0] != '\0' && set->size > 0);
    return 1;
}

static int take_channel(void *context, int schema, const char *topic, GrTopicKind kind)
{
    Taken *t = context;
    (void)kind;
    assert_int_equal(schema, 1);
    assert_true(t->channel_count < CHANNELS);
    snprintf(t->topics[t->channel_count], sizeof t->topics[0], "%s", topic);
    return t->channel_count++;
}

static GrBuffer *take_begin(void *context, int channel, uint64_t time)
{
    Taken *t = context;
    t->open = channel;
    t->draft.size = 0;
    if (t->live != NULL && strncmp(t->topics[channel], "/sensors/", 9) == 0) {
        t->late = fmax(t->late, fabs(1e-9 * (double)time - gr_live_time(t->live)));
    }
    return &t->draft;
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    }
    return sum;
}

static void take_end(void *context)
{
    Taken *t = context;
    t->counts[t->open]++;
    t->sums[t->open] = mix(t->sums[t->open], t->draft.data, t->draft.size);
}

static void restart(void *context)
{
    (void)context;
}

static bool put(void *context, const char *bytes, size_t size)
{
    (void)context;
    return bytes != NULL && size > 0;
}

static int find(const Taken *t, const char *topic)
{
    for (int i = 0; i < t->channel_count; i++) {
        if (strcmp(t->topics[i], topic) == 0) {
            return i;
        }
    }
    fail_msg("there is no topic %s", topic);
    return -1;
}

static void take_record(void *context, const McapRecord *r)
{
    Taken *t = context;
    const uint64_t channel = mcap_u(r->body, 2); // of both kinds of records
    if (r->opcode == 4) {
        assert_true(channel < CHANNELS && (int)channel == t->channel_count++);
        snprintf(t->topics[channel], sizeof t->topics[0], "%.*s", (int)mcap_u(r->body + 4, 4), r->body + 8);
    } else if (r->opcode == 5) {
        t->counts[channel]++;
        t->sums[channel] = mix(t->sums[channel], r->body + 22, r->size - 22);
    }
}

static void read_recording(Taken *t)
{
    char *data;
    size_t size;
    assert_int_equal(gr_file_read("out/run.mcap", 1 << 28, &data, &size, NULL), GR_OK);
    assert_true(mcap_walk(data, size, take_record, t));
    free(data);
}

static uint64_t hash_without_sensors(const GrLiveDef *with)
{
    const char *const overrides[] = {with->overrides[0], with->overrides[1], "record.sensors=false", NULL};
    GrLiveDef def = *with;
    def.overrides = overrides;
    def.directory = NULL;
    def.topics = NULL;
    GrLive *live = gr_live_open(&def, NULL);
    assert_non_null(live);
    while (gr_live_outcome(live) == GR_OUTCOME_RUNNING) {
        assert_int_equal(gr_live_advance(live, NULL), GR_OK);
    }
    const uint64_t hash = gr_live_hash(live);
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
    return hash;
}

/// The recording of the same run has the same messages, besides those that had not been delivered at its end.
static void test_topics(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like_sensing", "stop.time_s=2.5", NULL};
    static const char *const same[] = {"/sensors",       "/sensors/imu",          "/sensors/encoder_front_left",
                                       "/sensors/lidar", "/sensors/camera/image", "/sensors/camera/depth",
                                       "/sensors/level", "/sensors/sun",          "/sensors/camera/calibration",
                                       "/sensors/rocker"};
    static Taken live_taken, recorded;
    GrTopicSink sink = {&live_taken, take_schema, take_channel, take_begin, take_end};
    GrErrorLog log = {0};
    const GrLiveDef def = {.scenario = "rock_field",
                           .overrides = overrides,
                           .directory = "out",
                           .context = &live_taken,
                           .restart = restart,
                           .put = put,
                           .topics = &sink};
    GrLive *live = gr_live_open(&def, &log);
    assert_non_null(live);
    live_taken.live = live;
    while (gr_live_outcome(live) == GR_OUTCOME_RUNNING) {
        assert_int_equal(gr_live_advance(live, &log), GR_OK);
    }
    live_taken.live = NULL;
    const uint64_t hash = gr_live_hash(live);
    assert_int_equal(gr_live_close(live, &log), GR_OK);
    assert_true(hash == hash_without_sensors(&def));
    assert_true(gr_file_exists("out/sensors/imu.csv"));
    read_recording(&recorded);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const int a = find(&live_taken, same[i]), b = find(&recorded, same[i]);
        assert_true(live_taken.counts[a] > 0);
        assert_int_equal(live_taken.counts[a], recorded.counts[b]);
        assert_true(live_taken.sums[a] == recorded.sums[b]);
    }
    assert_int_equal(live_taken.counts[find(&live_taken, "/sensors/imu")], 250);
    // frames at 0, 1 and 2 s: two motions, of which the second arrives at 2.5 s
    assert_int_equal(live_taken.counts[find(&live_taken, "/sensors/odometry")], 2);
    assert_true(live_taken.late < 0.05); // a step
    gr_buffer_free(&live_taken.draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_topics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

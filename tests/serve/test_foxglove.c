/// Foxglove's protocol: bytes as its specification has them, and sessions: newest messages only, latched topics for
/// late clients, answers, restarts, clients that do not read, two threads.
#include "foxglove.h"
#include "foxglove_session.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// ---- help

typedef struct Bench {
    GrFoxglove *foxglove;
    GrTopicSink sink;
    GrInbox *inbox;
    GrFoxgloveSession session;
    int fast, latched; ///< channels
} Bench;

static int open_channel(Bench *b, const char *topic, GrTopicKind kind)
{
    GrBuffer set = {0};
    gr_buffer_add(&set, "\xff\xfe\xfd", 3);
    const int schema = b->sink.schema(b->sink.context, "grouser.Test", &set);
    gr_buffer_free(&set);
    return b->sink.channel(b->sink.context, schema, topic, kind);
}

static void put(Bench *b, int channel, uint64_t time, const char *payload)
{
    GrBuffer *out = b->sink.begin(b->sink.context, channel, time);
    if (out != NULL) {
        gr_buffer_puts(out, payload);
        b->sink.end(b->sink.context);
    }
}

static Bench *open_bench(void)
{
    Bench *b = calloc(1, sizeof *b);
    b->foxglove = gr_foxglove_create("a \"run\"");
    b->sink = gr_foxglove_sink(b->foxglove);
    b->inbox = gr_inbox_create();
    b->fast = open_channel(b, "/fast", GR_TOPIC_STREAM);
    b->latched = open_channel(b, "/latched", GR_TOPIC_LATCHED);
    put(b, b->latched, 1, "ground");
    assert_true(gr_foxglove_session_open(&b->session, b->foxglove, b->inbox));
    return b;
}

static void close_bench(Bench *b)
{
    gr_foxglove_session_close(&b->session);
    gr_inbox_free(b->inbox);
    gr_foxglove_free(b->foxglove);
    free(b);
}

/// The next whole message, zero-terminated; its size, or −1 when there is none.
static long next(Bench *b, char out[1 << 16], bool *binary)
{
    GrFoxglovePiece piece;
    size_t size = 0;
    do {
        if (!gr_foxglove_session_next(&b->session, out + size, 7, &piece)) { // small, so that all are split
            assert_int_equal(size, 0);
            return -1;
        }
        size += piece.size;
    } while (!piece.last);
    out[size] = '\0';
    *binary = piece.binary;
    return (long)size;
}

/// Reads until nothing is left; how many messages.
static int read_all(Bench *b)
{
    static char text[1 << 16];
    bool binary;
    int count = 0;
    while (next(b, text, &binary) >= 0) {
        count++;
    }
    return count;
}

static void take(Bench *b, const char *message)
{
    char text[GR_FOXGLOVE_SIZE + 1];
    snprintf(text, sizeof text, "%s", message);
    assert_true(gr_foxglove_session_take(&b->session, text, strlen(text), false));
}

static void take_bytes(Bench *b, const char *bytes, size_t size)
{
    char text[GR_FOXGLOVE_SIZE + 1] = {0};
    memcpy(text, bytes, size);
    assert_true(gr_foxglove_session_take(&b->session, text, size, true));
}

static void drop_spaces(char *text)
{
    char *out = text;
    for (; *text != '\0'; text++) {
        *out = *text;
        out += *text != ' ';
    }
    *out = '\0';
}

/// The next message is text that has this part, but for spaces.
static void assert_next(Bench *b, const char *expected)
{
    static char text[1 << 16];
    char part[512];
    bool binary;
    assert_true(next(b, text, &binary) >= 0);
    assert_false(binary);
    snprintf(part, sizeof part, "%s", expected);
    drop_spaces(part);
    drop_spaces(text);
    if (strstr(text, part) == NULL) {
        print_error("'%s' is not in %s\n", part, text);
        fail();
    }
}

static void assert_next_bytes(Bench *b, const char *bytes, size_t size)
{
    static char text[1 << 16];
    bool binary;
    assert_int_equal(next(b, text, &binary), size);
    assert_true(binary);
    assert_memory_equal(text, bytes, size);
}

// ---- bytes

/// The examples of the specification.
static void test_bytes(void **state)
{
    (void)state;
    GrBuffer out = {0};
    gr_foxglove_put_time(&out, 0x0102030405060708);
    assert_int_equal(out.size, 9);
    assert_memory_equal(out.data, "\x02\x08\x07\x06\x05\x04\x03\x02\x01", 9);
    out.size = 0;
    gr_foxglove_put_head(&out, 0xa1a2a3a4, 258);
    assert_int_equal(out.size, 13);
    assert_memory_equal(out.data, "\x01\xa4\xa3\xa2\xa1\x02\x01\0\0\0\0\0\0", 13);
    out.size = 0;
    gr_foxglove_put_response(&out, 3, 7);
    assert_memory_equal(out.data, "\x03\x03\0\0\0\x07\0\0\0\x04\0\0\0json{", 18);
    gr_buffer_free(&out);
}

static void test_read_binary(void **state)
{
    (void)state;
    static GrFoxgloveRequest r;
    const char *why = NULL;
    const char play[] = "\x03\x01\0\0\x80\x3f\x01\x00\xe4\x0b\x54\x02\0\0\0\x02\0\0\0id"; // control of a playback
    assert_false(gr_foxglove_read_binary(play, sizeof play - 1, &r, &why));
    const char call[] = "\x02\x01\0\0\0\x05\0\0\0\x04\0\0\0json{}";
    assert_true(gr_foxglove_read_binary(call, sizeof call - 1, &r, &why));
    assert_int_equal(r.id, 1);
    assert_int_equal(r.call, 5);
    assert_int_equal(r.encoding_size, 4);
    assert_int_equal(r.payload_size, 2);
    assert_memory_equal(r.payload, "{}", 2);
    for (size_t size = 0; size < 17; size++) {
        assert_false(gr_foxglove_read_binary(call, size, &r, &why));
    }
}

static void test_twist(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "", "1", "[]", "{}", "{\"linear\":{\"x\":\"1\"}}", "{\"linear\":{\"x\":10.1}}", "{\"angular\":{\"z\":-11}}"};
    GrDriveTwist twist;
    const char *why;
    char good[] = "{\"linear\":{\"x\":0.5,\"y\":-0.25,\"z\":9},\"angular\":{\"x\":1,\"y\":2,\"z\":-0.125}}";
    assert_true(gr_foxglove_read_twist(good, strlen(good), &twist, &why));
    assert_true(twist.forward == 0.5 && twist.left == -0.25 && twist.yaw_rate == -0.125);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", BAD[i]);
        assert_false(gr_foxglove_read_twist(text, strlen(text), &twist, &why));
    }
}

// ---- sessions

/// Info, channels, services; then what is subscribed: the newest of each channel, whatever came between.
static void test_newest(void **state)
{
    (void)state;
    Bench *b = open_bench();
    assert_next(b, "\"name\":\"a \\\"run\\\"\"");
    assert_next(b, "\"schema\":\"//79\""); // base64 of ff fe fd
    assert_next(b, "\"/reset\"");
    assert_int_equal(read_all(b), 0);
    take(b, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":9,\"channelId\":1},{\"id\":8,\"channelId\":2}]}");
    // the latched topic was there before
    assert_next_bytes(b, "\x01\x08\0\0\0\x01\0\0\0\0\0\0\0ground", 19);
    assert_int_equal(read_all(b), 0);
    for (int i = 0; i < 50; i++) {
        gr_foxglove_hurry(b->foxglove);
        put(b, b->fast, (uint64_t)i, "x");
    }
    gr_foxglove_set_time(b->foxglove, 49);
    assert_next_bytes(b, "\x02\x31\0\0\0\0\0\0\0", 9);
    assert_next_bytes(b, "\x01\x09\0\0\0\x31\0\0\0\0\0\0\0x", 14);
    assert_int_equal(read_all(b), 0);
    // faster than GR_FOXGLOVE_RATE: not wanted
    gr_foxglove_hurry(b->foxglove);
    put(b, b->fast, 60, "y");
    assert_null(b->sink.begin(b->sink.context, b->fast, 61));
    assert_non_null(b->sink.begin(b->sink.context, b->latched, 61));
    assert_int_equal(read_all(b), 1);
    take(b, "{\"op\":\"unsubscribe\",\"subscriptionIds\":[9]}");
    gr_foxglove_hurry(b->foxglove);
    put(b, b->fast, 70, "z");
    assert_int_equal(read_all(b), 0);
    close_bench(b);
}

/// A message that is replaced while it is being sent arrives whole.
static void test_replaced_while_sent(void **state)
{
    (void)state;
    Bench *b = open_bench();
    char first[64], rest[64];
    GrFoxglovePiece piece;
    read_all(b);
    take(b, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":2}]}");
    for (size_t most = 0; most <= 15; most += 15) { // 0 begins it
        assert_true(gr_foxglove_session_next(&b->session, first, most, &piece));
        assert_true(piece.size == most && piece.binary && !piece.last);
    }
    put(b, b->latched, 2, "another");
    gr_foxglove_restart(b->foxglove);
    assert_true(gr_foxglove_session_next(&b->session, rest, sizeof rest, &piece));
    assert_true(piece.last);
    assert_memory_equal(first + 13, "gr", 2);
    assert_memory_equal(rest, "ound", 4);
    close_bench(b);
}

static void test_restart(void **state)
{
    (void)state;
    Bench *b = open_bench();
    read_all(b);
    take(b, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":1},{\"id\":2,\"channelId\":2}]}");
    read_all(b);
    gr_foxglove_restart(b->foxglove);
    assert_int_equal(read_all(b), 0); // the new channels are not complete
    const int fast = open_channel(b, "/fast", GR_TOPIC_STREAM), other = open_channel(b, "/other", GR_TOPIC_LATCHED);
    assert_int_equal(fast, b->fast);
    assert_int_not_equal(other, b->latched);
    put(b, fast, 0, "a");
    assert_next(b, "{\"op\":\"unadvertise\",\"channelIds\":[2]}");
    assert_next(b, "{\"op\":\"advertise\",\"channels\":[{\"id\":3,\"topic\":\"/other\"");
    assert_next_bytes(b, "\x01\x01\0\0\0\0\0\0\0\0\0\0\0a", 14); // still subscribed
    assert_int_equal(read_all(b), 0);
    close_bench(b);
}

static void test_calls(void **state)
{
    (void)state;
    Bench *b = open_bench();
    GrMessage message;
    read_all(b);
    take_bytes(b, "\x02\x01\0\0\0\x05\0\0\0\x04\0\0\0json", 17);
    assert_int_equal(read_all(b), 0); // nothing before the run has obeyed
    assert_true(gr_inbox_take(b->inbox, 0, &message));
    assert_int_equal(message.op, GR_MESSAGE_PAUSE);
    gr_foxglove_answer(b->foxglove, message.ticket, NULL);
    assert_next_bytes(b, "\x03\x01\0\0\0\x05\0\0\0\x04\0\0\0json{\"success\":true,\"message\":\"\"}", 46);
    take_bytes(b, "\x02\x04\0\0\0\x06\0\0\0\x04\0\0\0json", 17);
    assert_true(gr_inbox_take(b->inbox, 0, &message));
    gr_foxglove_answer(b->foxglove, message.ticket, "not now");
    assert_next(b, "{\"op\":\"serviceCallFailure\",\"serviceId\":4,\"callId\":6,\"message\":\"not now\"}");
    take_bytes(b, "\x02\x04\0\0\0\x06\0\0\0\x04\0\0\0ros1", 17);
    assert_next(b, "encoding json");
    for (int i = 0; i <= GR_SESSION_CALLS; i++) {
        take_bytes(b, "\x02\x01\0\0\0\x05\0\0\0\x04\0\0\0json", 17);
    }
    assert_next(b, "too many requests");
    gr_foxglove_complain(b->foxglove, "broken");
    assert_next(b, "{\"op\":\"status\",\"level\":2,\"message\":\"broken\"}");
    close_bench(b);
}

static void test_parameters(void **state)
{
    (void)state;
    Bench *b = open_bench();
    GrFoxgloveParameter p[2] = {{.name = "speed", .number = 1}, {.name = "soil", .is_text = true, .text = "sand"}};
    GrMessage message;
    gr_foxglove_set_parameters(b->foxglove, p, 2);
    read_all(b);
    take(b, "{\"op\":\"getParameters\",\"parameterNames\":[\"soil\"],\"id\":\"q\"}");
    assert_next(b, "\"id\":\"q\",\"parameters\":[{\"name\":\"soil\",\"value\":\"sand\"}]");
    take(b, "{\"op\":\"subscribeParameterUpdates\",\"parameterNames\":[\"speed\"]}");
    assert_int_equal(read_all(b), 0);
    p[1].text[0] = 'S'; // not that one
    gr_foxglove_set_parameters(b->foxglove, p, 2);
    assert_int_equal(read_all(b), 0);
    p[0].number = 2;
    gr_foxglove_set_parameters(b->foxglove, p, 2);
    assert_next(b, "\"parameters\":[{\"name\":\"speed\",\"value\":2,\"type\":\"float64\"}]");
    take(b, "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"soil:k\",\"value\":1.5},{\"name\":\"soil\","
            "\"value\":\"clay\"}]}");
    assert_true(gr_inbox_take(b->inbox, 0, &message));
    assert_int_equal(message.op, GR_MESSAGE_RESET);
    assert_int_equal(message.set_count, 2);
    assert_string_equal(gr_message_set(&message, 0), "soil:k=1.5");
    assert_string_equal(gr_message_set(&message, 1), "soil=clay");
    gr_foxglove_answer(b->foxglove, message.ticket, "no clay");
    assert_next(b, "{\"op\":\"status\",\"level\":2,\"message\":\"no clay\"}");
    assert_int_equal(read_all(b), 0); // it had no id
    close_bench(b);
}

/// A client that asks and never reads does not fill the memory: its session fails.
static void test_never_reads(void **state)
{
    (void)state;
    Bench *b = open_bench();
    bool good = true;
    int count = 0;
    while (good && count < 100000) {
        char text[] = "nonsense";
        good = gr_foxglove_session_take(&b->session, text, strlen(text), false);
        count++;
    }
    assert_false(good);
    assert_true(b->session.failed);
    assert_true(b->session.outbox.size <= GR_SESSION_OUTBOX);
    close_bench(b);
}

// ---- threads

enum { ROUNDS = 20000 };

typedef struct Writer {
    Bench *bench;
    atomic_bool done;
} Writer;

static void *write_messages(void *context)
{
    Writer *w = context;
    for (int i = 0; i < ROUNDS; i++) {
        char payload[32];
        snprintf(payload, sizeof payload, "%d", i);
        gr_foxglove_hurry(w->bench->foxglove);
        put(w->bench, w->bench->fast, (uint64_t)i, payload);
        gr_foxglove_set_time(w->bench->foxglove, (uint64_t)i);
    }
    atomic_store(&w->done, true);
    return NULL;
}

/// Whatever is read while another thread writes is whole, in order, and the last is the last.
static void test_two_threads(void **state)
{
    (void)state;
    static char text[1 << 16];
    Bench *b = open_bench();
    Writer writer = {.bench = b};
    pthread_t thread;
    long last = -1, size;
    bool binary, done = false;
    read_all(b);
    take(b, "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":1}]}");
    assert_int_equal(pthread_create(&thread, NULL, write_messages, &writer), 0);
    while (!done) {
        done = atomic_load(&writer.done);
        while ((size = next(b, text, &binary)) >= 0) {
            if (text[0] == 1) {
                const long number = strtol(text + 13, NULL, 10);
                assert_true(number > last);
                last = number;
            }
        }
    }
    pthread_join(thread, NULL);
    assert_int_equal(last, ROUNDS - 1);
    close_bench(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_read_binary),
        cmocka_unit_test(test_twist),       cmocka_unit_test(test_newest),
        cmocka_unit_test(test_restart),     cmocka_unit_test(test_replaced_while_sent),
        cmocka_unit_test(test_calls),       cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_never_reads), cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

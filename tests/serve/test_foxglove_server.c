/// Foxglove's protocol over real sockets: who is refused, large messages in pieces, clients that never read, talk too
/// much or send garbage while another thread writes.
#include "server.h"

#include "support/socket_client.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LARGE = 300000, READERS = 3, WANTED = 50 };

static const char *const NAMES[] = {GR_SERVER_FOXGLOVE, GR_SERVER_FOXGLOVE_SDK};
static const char SUBSCRIBE[] =
    "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":1},{\"id\":2,\"channelId\":2}]}";

typedef struct Bench {
    GrFoxglove *foxglove;
    GrServer *server;
    GrTopicSink sink;
    int stream, large;
    pthread_t thread;
    atomic_bool stopping;
} Bench;

static void start(Bench *b, bool with_foxglove)
{
    GrErrorLog log = {0};
    GrBuffer set = {0};
    *b = (Bench){.foxglove = gr_foxglove_create("run")};
    b->sink = gr_foxglove_sink(b->foxglove);
    gr_buffer_puts(&set, "set");
    const int schema = b->sink.schema(b->sink.context, "grouser.Test", &set);
    b->stream = b->sink.channel(b->sink.context, schema, "/stream", GR_TOPIC_STREAM);
    b->large = b->sink.channel(b->sink.context, schema, "/large", GR_TOPIC_LATCHED);
    gr_buffer_free(&set);
    GrServerDef def = gr_default_server_def();
    def.port = 0;
    def.foxglove = with_foxglove ? b->foxglove : NULL;
    b->server = gr_server_start(&def, &log);
    assert_non_null(b->server);
}

static void stop(Bench *b)
{
    gr_server_stop(b->server);
    gr_foxglove_free(b->foxglove);
}

static void put_large(Bench *b, char fill)
{
    GrBuffer *out = b->sink.begin(b->sink.context, b->large, 1);
    for (int i = 0; i < LARGE; i++) {
        gr_buffer_add(out, &fill, 1);
    }
    b->sink.end(b->sink.context);
}

static void *write_stream(void *context)
{
    Bench *b = context;
    for (uint64_t i = 0; !atomic_load(&b->stopping); i++) {
        gr_foxglove_hurry(b->foxglove);
        GrBuffer *out = b->sink.begin(b->sink.context, b->stream, i);
        gr_buffer_printf(out, "%llu", (unsigned long long)i);
        b->sink.end(b->sink.context);
        if (i % 100 == 0) {
            put_large(b, (char)('a' + i / 100 % 26));
        }
        gr_foxglove_set_time(b->foxglove, i);
        gr_server_wake(b->server);
        usleep(1000);
    }
    return NULL;
}

static int open_client(const Bench *b, int name)
{
    const int fd = gr_client_open_with(gr_server_port(b->server), "/", "127.0.0.1", NAMES[name % 2], "");
    assert_true(fd >= 0);
    return fd;
}

static int try_client(const Bench *b, const char *path, const char *host, const char *protocol, const char *extra)
{
    return gr_client_open_with(gr_server_port(b->server), path, host, protocol, extra);
}

static void test_refused(void **state)
{
    (void)state;
    Bench b;
    start(&b, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(try_client(&b, "/view", "127.0.0.1", NAMES[i], ""), -1);
        assert_int_equal(try_client(&b, "/", "evil.com", NAMES[i], ""), -1);
        assert_int_equal(try_client(&b, "/", "127.0.0.1", NAMES[i], "Origin: https://app.foxglove.dev\r\n"), -1);
        assert_int_equal(try_client(&b, "/", "127.0.0.1", NAMES[i], "Origin: file://\r\n"), -1);
        gr_client_check_mask(open_client(&b, i));
    }
    // the viewer's own protocol needs a live run
    assert_int_equal(try_client(&b, "/view", "127.0.0.1", GR_SERVER_PROTOCOL, ""), -1);
    stop(&b);
    start(&b, false);
    assert_int_equal(try_client(&b, "/", "127.0.0.1", NAMES[0], ""), -1);
    stop(&b);
}

static void test_limits(void **state)
{
    (void)state;
    Bench b;
    start(&b, true);
    char *text = calloc(1, 20000);
    memset(text, ' ', 20000);
    int fd = open_client(&b, 0);
    gr_client_frame(fd, 0x81, text, 20000);
    assert_int_equal(gr_client_closed(fd), 1009); // too large
    fd = open_client(&b, 1);
    for (int i = 0; i < 5000; i++) {
        gr_client_frame(fd, 0x82, "\x09", 1);
    }
    for (int i = 0; i < 1000 && gr_server_clients(b.server) > 0; i++) { // too many: it is hung up on
        usleep(10000);
    }
    assert_int_equal(gr_server_clients(b.server), 0);
    close(fd);
    free(text);
    stop(&b);
}

/// Reads until enough messages of both channels have come; all must be whole, and the stream in order.
static void read_messages(int fd)
{
    long last = -1;
    int of_stream = 0, of_large = 0;
    while (of_stream < WANTED || of_large < 2) {
        GrClientMessage m;
        assert_true(gr_client_hear(fd, &m));
        if (m.opcode == 2 && m.data[0] == 1 && m.data[1] == 1) {
            const long number = strtol((const char *)m.data + 13, NULL, 10);
            assert_true(number > last);
            last = number;
            of_stream++;
        } else if (m.opcode == 2 && m.data[0] == 1) {
            assert_int_equal(m.size, 13 + LARGE);
            for (int i = 1; i < LARGE; i++) {
                assert_int_equal(m.data[13 + i], m.data[13]);
            }
            of_large++;
        }
        free(m.data);
    }
}

static void await_channels(int fd)
{
    bool done = false;
    while (!done) {
        GrClientMessage m;
        assert_true(gr_client_hear(fd, &m));
        done = m.opcode == 1 && strstr((const char *)m.data, "\"advertise\"") != NULL;
        free(m.data);
    }
}

static void test_crowd(void **state)
{
    (void)state;
    Bench b;
    int lazy[4], readers[READERS];
    start(&b, true);
    assert_int_equal(pthread_create(&b.thread, NULL, write_stream, &b), 0);
    for (int i = 0; i < 4; i++) { // subscribe, and never read
        lazy[i] = open_client(&b, i);
        await_channels(lazy[i]);
        gr_client_say(lazy[i], SUBSCRIBE);
    }
    const int half = gr_client_connect(gr_server_port(b.server)), garbage = open_client(&b, 0);
    gr_client_write(half, "GET / HTTP/1.1\r\nHost: 127", 25); // and no more
    gr_client_write(garbage, "\xff\xff\xff\xff garbage \x01\x02\x03", 16);
    for (int i = 0; i < READERS; i++) {
        readers[i] = open_client(&b, i);
        await_channels(readers[i]);
        gr_client_say(readers[i], SUBSCRIBE);
    }
    for (int i = 0; i < READERS; i++) {
        read_messages(readers[i]);
    }
    for (int i = 0; i < READERS; i++) {
        close(readers[i]);
    }
    atomic_store(&b.stopping, true);
    pthread_join(b.thread, NULL);
    stop(&b); // with clients connected
    for (int i = 0; i < 4; i++) {
        close(lazy[i]);
    }
    close(half);
    close(garbage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_crowd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

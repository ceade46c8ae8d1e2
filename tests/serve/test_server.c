/// The server against a client of its own and a malicious one: pages, headers, sub-protocols, messages; what it
/// refuses, and that it goes on afterwards.
#include "server.h"

#include "chunk.h"
#include "support/socket_client.h"

#include <math.h>

static const char PAGE[] = "<!doctype html><!-- <script>no</script> --><style>a{content:'<script>'}</style>"
                           "<script>var a = '<script>';</script><p>page</p><script type=module>b</script>";
enum { LARGE = 3 << 20, FLOOD = 64 << 20 };

static GrServer *start(bool live)
{
    static const GrServerReplay replays[] = {{"replay_a.bin", "a \"quoted\" <name>"}, {"replay_b.bin", "b"}};
    GrErrorLog log = {0};
    GrServerDef def = gr_default_server_def();
    def.port = 0;
    def.page = PAGE;
    def.page_size = strlen(PAGE);
    def.live = live;
    def.replays = live ? NULL : replays;
    def.replay_count = live ? 0 : 2;
    GrServer *server = gr_server_start(&def, &log);
    assert_non_null(server);
    return server;
}

static void put_chunk(GrServer *server, const char *type, const char *payload, size_t size)
{
    GrBuffer chunk = {0};
    gr_chunk_put(&chunk, type, payload, size);
    assert_true(gr_feed_put(gr_server_feed(server), chunk.data, chunk.size));
    gr_server_wake(server);
    gr_buffer_free(&chunk);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        print_error("'%s' is not in:\n%s\n", part, text);
        fail();
    }
}

static void write_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; i < size; i++) {
        putc((int)(i * 7 % 251), file);
    }
    fclose(file);
}

static void test_page(void **state)
{
    (void)state;
    char text[16384], nonce[64] = "";
    GrServer *server = start(true);
    const int port = gr_server_port(server);
    assert_int_equal(gr_client_get(port, "/", "Host: 127.0.0.1\r\n", text, sizeof text), 200);
    const char *policy = strstr(text, "script-src 'nonce-");
    assert_non_null(policy);
    assert_int_equal(sscanf(policy, "script-src 'nonce-%32[0-9a-f]'", nonce), 1);
    assert_has(text, "default-src 'none'");
    assert_has(text, "frame-ancestors 'none'");
    assert_has(text, "connect-src 'self';"); // no other host
    assert_has(text, "x-content-type-options: nosniff");
    assert_has(text, "content-type: text/html");
    char expected[1024];
    snprintf(expected, sizeof expected,
             "<!doctype html><!-- <script>no</script> --><style>a{content:'<script>'}</style>"
             "<script nonce=\"%s\">var a = '<script>';</script><p>page</p><script nonce=\"%s\" type=module>b</script>",
             nonce, nonce);
    assert_string_equal(strstr(text, "<!doctype"), expected);
    assert_int_equal(gr_client_get(port, "/hello.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "{\"mode\": \"live\"}");
    gr_server_stop(server);
}

static void test_refused_requests(void **state)
{
    (void)state;
    char text[16384];
    GrServer *server = start(true);
    const int port = gr_server_port(server);
    assert_int_equal(gr_client_get(port, "/", "Host: evil.com\r\n", text, sizeof text), 403);
    assert_int_equal(gr_client_get(port, "/", "", text, sizeof text), 403);
    assert_int_equal(gr_client_get(port, "/about.json", "Host: localhost\r\n", text, sizeof text), 404); // no editor
    assert_int_equal(gr_client_get(port, "/picture/x.svg", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/other", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/replay/0.bin", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/replay/../../../etc/passwd", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/%2e%2e/%2e%2e/etc/passwd", "Host: localhost\r\n", text, sizeof text), 404);
    static const char POST[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi";
    const int fd = gr_client_connect(port);
    gr_client_write(fd, POST, strlen(POST));
    assert_true(gr_client_headers(fd, text, sizeof text) > 0);
    assert_has(text, "HTTP/1.1 405");
    close(fd);
    gr_server_stop(server);
}

static void test_replays(void **state)
{
    (void)state;
    static char text[LARGE + 16384];
    write_file("replay_a.bin", LARGE);
    write_file("replay_b.bin", 10);
    GrServer *server = start(false);
    const int port = gr_server_port(server);
    assert_int_equal(gr_client_get(port, "/hello.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "\"mode\": \"replay\"");
    assert_has(text, "{\"url\": \"/replay/0.bin\", \"name\": \"a \\\"quoted\\\" <name>\"}");
    assert_int_equal(gr_client_get(port, "/replay/0.bin", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "content-type: application/octet-stream");
    assert_has(text, "x-content-type-options: nosniff");
    const char *body = strstr(text, "\r\n\r\n") + 4;
    for (size_t i = 0; i < LARGE; i++) {
        assert_int_equal((unsigned char)body[i], i * 7 % 251);
    }
    assert_int_equal(gr_client_get(port, "/replay/1.bin", "Host: localhost\r\n", text, sizeof text), 200);
    assert_int_equal(gr_client_get(port, "/replay/2.bin", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/replay/-1.bin", "Host: localhost\r\n", text, sizeof text), 404);
    // nothing is live here
    assert_int_equal(gr_client_open_with(port, "/view", "localhost", "grouser.view.1", ""), -1);
    gr_server_stop(server);
}

/// A page that is replaced while it is served: a download that has begun ends with the page that it began with.
static void test_renewed_page(void **state)
{
    (void)state;
    static char text[LARGE + 16384], old[LARGE], fresh[] = "<p>new</p><script>1</script>";
    GrErrorLog log = {0};
    GrServerDef def = gr_default_server_def();
    memset(old, 'a', sizeof old);
    def.port = 0;
    def.renewed = true;
    def.page = old;
    def.page_size = sizeof old;
    GrServer *server = gr_server_start(&def, &log);
    assert_non_null(server);
    const int port = gr_server_port(server);
    assert_true(isinf(gr_server_unwatched(server)));
    assert_int_equal(gr_client_get(port, "/state.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "{\"version\": 0, \"running\": true}");
    assert_true(gr_server_unwatched(server) < 60);
    static const char GET[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const int fd = gr_client_connect(port);
    gr_client_write(fd, GET, strlen(GET));
    const int gone = gr_client_connect(port); // this one leaves in the middle of its download
    gr_client_write(gone, GET, strlen(GET));
    assert_true(gr_client_headers(gone, text, sizeof text) > 0);
    assert_true(gr_client_headers(fd, text, sizeof text) > 0);
    for (int i = 0; i < 5; i++) {
        assert_true(gr_server_publish(server, fresh, strlen(fresh), "{\"text\": \"x\"}"));
    }
    assert_true(gr_server_publish(server, NULL, 0, "{\"text\": \"y\"}"));
    close(gone);
    for (size_t got = 0; got < sizeof old;) {
        const ssize_t size = read(fd, text, sizeof text);
        assert_true(size > 0);
        for (ssize_t i = 0; i < size; i++) {
            assert_int_equal(text[i], 'a');
        }
        got += (size_t)size;
    }
    close(fd);
    assert_int_equal(gr_client_get(port, "/", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "<p>new</p><script nonce=\"");
    assert_has(text, "data-version=\"5\">1</script>");
    assert_int_equal(gr_client_get(port, "/state.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "{\"version\": 5, \"text\": \"y\"}");
    assert_int_equal(gr_client_open_with(port, "/view", "localhost", "grouser.view.1", ""), -1); // nothing to command
    gr_server_stop(server);
    server = start(true);
    assert_int_equal(gr_client_get(gr_server_port(server), "/state.json", "Host: localhost\r\n", text, sizeof text),
                     404);
    gr_server_stop(server);
}

static void test_refused_sockets(void **state)
{
    (void)state;
    GrServer *server = start(true);
    const int port = gr_server_port(server);
    char own[128];
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", NULL, ""), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", "grouser.view.2", ""), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", "http", ""), -1);
    assert_int_equal(gr_client_open_with(port, "/", "127.0.0.1", GR_SERVER_PROTOCOL, ""), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "evil.com", GR_SERVER_PROTOCOL, ""), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", GR_SERVER_PROTOCOL, "Origin: http://evil.com\r\n"),
                     -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", GR_SERVER_PROTOCOL, "Origin: null\r\n"), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", GR_SERVER_PROTOCOL, "Origin:\r\n"), -1);
    assert_int_equal(gr_client_open_with(port, "/view", "127.0.0.1", GR_SERVER_PROTOCOL, "Origin: \r\n"), -1);
    snprintf(own, sizeof own, "127.0.0.1:%d", port);
    char origin[160];
    snprintf(origin, sizeof origin, "Origin: http://%s\r\n", own);
    const int fd = gr_client_open_with(port, "/view", own, GR_SERVER_PROTOCOL, origin);
    assert_true(fd >= 0);
    close(fd);
    gr_server_stop(server);
}

/// A chunk larger than a frame arrives whole, and the log comes again to a second viewer.
static void test_stream(void **state)
{
    (void)state;
    GrServer *server = start(true);
    char *noise = malloc(LARGE);
    unsigned random = 1;
    for (size_t i = 0; i < LARGE; i++) {
        random = 1664525 * random + 1013904223;
        noise[i] = (char)(random >> 24);
    }
    put_chunk(server, "HEAD", "{}", 2);
    put_chunk(server, "GRND", noise, LARGE);
    for (int viewer = 0; viewer < 2; viewer++) {
        const int fd = gr_client_open(gr_server_port(server));
        GrClientMessage m;
        GrChunk chunk;
        assert_true(gr_client_hear(fd, &m));
        assert_int_equal(m.opcode, 2);
        assert_int_equal(gr_chunk_read(m.data, m.size, &chunk), m.size);
        assert_string_equal(chunk.type, "HEAD");
        free(m.data);
        assert_true(gr_client_hear(fd, &m));
        assert_int_equal(gr_chunk_read(m.data, m.size, &chunk), m.size);
        assert_string_equal(chunk.type, "GRND");
        assert_memory_equal(chunk.payload, noise, LARGE);
        free(m.data);
        put_chunk(server, "DATA", "x", 1);
        for (int i = 0; i <= viewer; i++) {
            assert_true(gr_client_hear(fd, &m));
            assert_memory_equal(m.data, "DATA", 4);
            free(m.data);
        }
        close(fd);
    }
    free(noise);
    gr_server_stop(server);
}

static void test_messages(void **state)
{
    (void)state;
    GrServer *server = start(true);
    GrMessage m = {.op = GR_MESSAGE_PLAY};
    const int fd = gr_client_open(gr_server_port(server));
    gr_client_say(fd, "{\"op\":\"speed\",\"value\":5}");
    do {
        assert_true(gr_inbox_take(gr_server_inbox(server), 20, &m) || gr_server_clients(server) == 1);
    } while (m.op != GR_MESSAGE_PACE);
    assert_true(m.pace == 5);
    assert_int_equal(gr_server_clients(server), 1);
    gr_client_frame(fd, 0x01, "{\"op\":", 6); // in two frames
    gr_client_frame(fd, 0x80, "\"pause\"}", 8);
    while (!gr_inbox_take(gr_server_inbox(server), 20, &m)) {
    }
    assert_int_equal(m.op, GR_MESSAGE_PAUSE);
    close(fd);
    for (int i = 0; i < 200 && gr_server_clients(server) > 0; i++) {
        gr_inbox_take(gr_server_inbox(server), 0.1, &m);
    }
    assert_int_equal(gr_server_clients(server), 0);
    gr_server_stop(server);
}

/// Each of these ends its own connection and nothing else.
static void test_garbage(void **state)
{
    (void)state;
    GrServer *server = start(true);
    const int port = gr_server_port(server), good = gr_client_open(port);
    char *large = calloc(1, 1 << 20);
    memset(large, ' ', (1 << 20) - 1);
    int fd = gr_client_open(port);
    gr_client_say(fd, "{\"op\":\"fly\"}");
    assert_int_equal(gr_client_closed(fd), 1008);
    fd = gr_client_open(port);
    gr_client_frame(fd, 0x81, large, GR_MESSAGE_SIZE + 1);
    assert_int_equal(gr_client_closed(fd), 1009);
    fd = gr_client_open(port); // much larger: the server does not wait for the end
    gr_client_say(fd, large);
    gr_client_closed(fd);
    fd = gr_client_open(port);
    gr_client_frame(fd, 0x82, "{}", 2);
    assert_int_equal(gr_client_closed(fd), 1003);
    fd = gr_client_open(port);
    for (int i = 0; i < 1000; i++) {
        gr_client_say(fd, "{\"op\":\"pause\"}");
    }
    gr_client_closed(fd);
    fd = gr_client_open(port); // not UTF-8
    gr_client_frame(fd, 0x81, "\xFF\xFE", 2);
    gr_client_closed(fd);
    fd = gr_client_open(port); // reserved bits and an unknown opcode
    gr_client_frame(fd, 0xFB, "x", 1);
    gr_client_closed(fd);
    fd = gr_client_connect(port); // neither HTTP
    gr_client_write(fd, large, 1 << 16);
    gr_client_closed(fd);
    fd = gr_client_connect(port);
    gr_client_write(fd, "GET /view HTTP/1.1\r\nHost", 24); // nor finished
    put_chunk(server, "HEAD", "{}", 2);
    GrClientMessage m;
    assert_true(gr_client_hear(good, &m));
    assert_memory_equal(m.data, "HEAD", 4);
    free(m.data);
    free(large);
    close(fd);
    close(good);
    gr_server_stop(server);
}

/// Pings of a client that never reads: at some point the server does not read either, and keeps no answers in store.
static void flood_with_pings(int fd)
{
    static const unsigned char HEAD[] = {0x89, 0x80 | 125, 0, 0, 0, 0};
    char pings[100 * (sizeof HEAD + 125)] = {0};
    size_t sent = 0;
    for (size_t i = 0; i < 100; i++) {
        memcpy(pings + i * (sizeof HEAD + 125), HEAD, sizeof HEAD);
    }
    for (struct pollfd writable = {.fd = fd, .events = POLLOUT}; sent < FLOOD && poll(&writable, 1, 200) == 1;) {
        const size_t begun = sent % sizeof pings;
        const ssize_t size = send(fd, pings + begun, sizeof pings - begun, MSG_NOSIGNAL | MSG_DONTWAIT);
        assert_true(size > 0);
        sent += (size_t)size;
    }
    assert_true(sent < FLOOD);
}

/// What is wrong with these frames is not their content.
static void test_frames(void **state)
{
    (void)state;
    GrServer *server = start(true);
    GrMessage m = {.op = GR_MESSAGE_PLAY};
    gr_client_check_mask(gr_client_open(gr_server_port(server)));
    int fd = gr_client_open(gr_server_port(server));
    flood_with_pings(fd);
    close(fd);
    static const char TOO_LARGE[] = "\x03\xf1the message is too large";
    static char large[GR_MESSAGE_SIZE + 1];
    GrClientMessage answer;
    fd = gr_client_open(gr_server_port(server));
    gr_client_frame(fd, 0x81, large, sizeof large);
    assert_true(gr_client_hear(fd, &answer));
    assert_int_equal(answer.size, strlen(TOO_LARGE));
    assert_memory_equal(answer.data, TOO_LARGE, answer.size);
    free(answer.data);
    close(fd);
    static const char EARLY[] = "GET /view HTTP/1.1\r\nHost: localhost\r\nUpgrade: WebSocket\r\n"
                                "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                "Sec-WebSocket-Protocol: other, grouser.view.1\r\n\r\n"
                                "\x81\x8e\0\0\0\0{\"op\":\"pause\"}"; // together with the request
    fd = gr_client_connect(gr_server_port(server));
    gr_client_write(fd, EARLY, sizeof EARLY - 1);
    for (int i = 0; i < 20 && m.op != GR_MESSAGE_PAUSE; i++) {
        gr_inbox_take(gr_server_inbox(server), 1, &m);
    }
    assert_int_equal(m.op, GR_MESSAGE_PAUSE);
    close(fd);
    gr_server_stop(server);
}

static void test_ports(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrServer *first = start(true);
    GrServerDef def = gr_default_server_def();
    def.port = gr_server_port(first);
    def.other_port = false;
    assert_null(gr_server_start(&def, &log));
    assert_int_equal(log.error_count, 1);
    assert_non_null(strstr(log.items[0].text, "another program does"));
    def.other_port = true;
    GrServer *second = gr_server_start(&def, &log);
    assert_non_null(second);
    assert_int_not_equal(gr_server_port(second), gr_server_port(first));
    def.host = "192.0.2.1"; // for documentation: no machine has it
    assert_null(gr_server_start(&def, &log));
    assert_non_null(strstr(log.items[1].text, "not an address of this machine"));
    gr_server_stop(second);
    gr_server_stop(first);
}

static bool draw(const char *name, GrBuffer *svg)
{
    gr_buffer_puts(svg, "<svg>");
    return strcmp(name, "wheel") == 0;
}

/// What an editor offers, to its own page alone.
static void test_editor(void **state)
{
    (void)state;
    static char text[1 << 16];
    GrServerDef def = gr_default_server_def();
    def.port = 0;
    def.live = true;
    def.about = "{\"rovers\": []}";
    def.picture = draw;
    GrServer *server = gr_server_start(&def, NULL);
    assert_non_null(server);
    const int port = gr_server_port(server);
    assert_int_equal(gr_client_get(port, "/about.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "{\"rovers\": []}");
    assert_int_equal(gr_client_get(port, "/hello.json", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "\"editor\": true");
    assert_int_equal(gr_client_get(port, "/picture/wheel.svg", "Host: localhost\r\n", text, sizeof text), 200);
    assert_has(text, "image/svg+xml");
    assert_has(text, "default-src 'none'"); // a picture runs nothing
    assert_int_equal(gr_client_get(port, "/picture/other.svg", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/picture/wheel", "Host: localhost\r\n", text, sizeof text), 404);
    assert_int_equal(gr_client_get(port, "/about.json", "Host: evil.com\r\n", text, sizeof text), 403);
    assert_int_equal(gr_client_get(port, "/picture/wheel.svg", "Host: evil.com\r\n", text, sizeof text), 403);
    gr_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),     cmocka_unit_test(test_refused_requests),
        cmocka_unit_test(test_replays),  cmocka_unit_test(test_renewed_page),
        cmocka_unit_test(test_stream),   cmocka_unit_test(test_refused_sockets),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_frames),   cmocka_unit_test(test_ports),
        cmocka_unit_test(test_editor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

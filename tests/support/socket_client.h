/// A client of the viewer's server that is written for the tests alone: HTTP and WebSocket (RFC 6455) over plain
/// sockets, so that it can also misbehave.
#ifndef GR_SOCKET_CLIENT_H
#define GR_SOCKET_CLIENT_H

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int gr_client_connect(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    const struct timeval patience = {.tv_sec = 20};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static inline void gr_client_write(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; // the server has hung up
        }
        at += sent;
        size -= (size_t)sent;
    }
}

/// Exactly this many bytes; false: the server has hung up.
static inline bool gr_client_read(int fd, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        const ssize_t got = recv(fd, at, size, 0);
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/// Reads up to the end of the headers; the length, 0 when the server has hung up before.
static inline size_t gr_client_headers(int fd, char *out, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && gr_client_read(fd, out + length, 1)) {
        out[++length] = '\0';
        if (length >= 4 && strcmp(out + length - 4, "\r\n\r\n") == 0) {
            return length;
        }
    }
    return 0;
}

/// The value of a header, 0: there is none.
static inline size_t gr_client_number(const char *headers, const char *name)
{
    const char *at = headers;
    while (at != NULL && (strncasecmp(at, name, strlen(name)) != 0 || at[strlen(name)] != ':')) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? strtoul(at + strlen(name) + 1, NULL, 10) : 0;
}

/// One request; the whole answer with its headers is in `out`. Returns the status, 0: none.
static inline int gr_client_get(int port, const char *path, const char *headers, char *out, size_t size)
{
    char line[1024];
    const int fd = gr_client_connect(port);
    snprintf(line, sizeof line, "GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", path, headers);
    gr_client_write(fd, line, strlen(line));
    size_t length = gr_client_headers(fd, out, size);
    size_t left = length > 0 ? gr_client_number(out, "content-length") : 0;
    left = left < size - length - 1 ? left : size - length - 1;
    gr_client_read(fd, out + length, left);
    out[length + left] = '\0';
    close(fd);
    return length > 0 ? atoi(out + strlen("HTTP/1.1 ")) : 0;
}

/// Asks for a WebSocket; −1: refused. `extra`: further headers.
static inline int gr_client_open_with(int port, const char *path, const char *host, const char *protocol,
                                      const char *extra)
{
    char line[1024], answer[4096];
    const int fd = gr_client_connect(port);
    snprintf(line, sizeof line,
             "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s%s%s%s\r\n",
             path, host, protocol != NULL ? "Sec-WebSocket-Protocol: " : "", protocol != NULL ? protocol : "",
             protocol != NULL ? "\r\n" : "", extra);
    gr_client_write(fd, line, strlen(line));
    const size_t length = gr_client_headers(fd, answer, sizeof answer);
    if (length == 0 || strncmp(answer, "HTTP/1.1 101", 12) != 0) {
        close(fd);
        return -1;
    }
    assert_non_null(strstr(answer, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")); // of RFC 6455, 1.3
    return fd;
}

static inline int gr_client_open(int port)
{
    const int fd = gr_client_open_with(port, "/view", "127.0.0.1", "grouser.view.1", "");
    assert_true(fd >= 0);
    return fd;
}

/// A masked frame; `first`: the byte with FIN and the opcode.
static inline void gr_client_frame(int fd, unsigned char first, const void *data, size_t size)
{
    static const unsigned char MASK[4] = {1, 2, 3, 4};
    unsigned char *frame = malloc(size + 14);
    size_t n = 0;
    frame[n++] = first;
    if (size < 126) {
        frame[n++] = (unsigned char)(0x80 | size);
    } else {
        const int bytes = size < 65536 ? 2 : 8;
        frame[n++] = bytes == 2 ? 0xFE : 0xFF;
        for (int i = bytes - 1; i >= 0; i--) {
            frame[n++] = (unsigned char)(size >> (8 * i));
        }
    }
    memcpy(frame + n, MASK, 4);
    n += 4;
    for (size_t i = 0; i < size; i++) {
        frame[n + i] = ((const unsigned char *)data)[i] ^ MASK[i % 4];
    }
    gr_client_write(fd, frame, n + size);
    free(frame);
}

static inline void gr_client_say(int fd, const char *text)
{
    gr_client_frame(fd, 0x81, text, strlen(text));
}

/// A whole message.
typedef struct GrClientMessage {
    int opcode; ///< 2: binary, 8: close, 10: answer to a ping
    unsigned char *data;
    size_t size;
} GrClientMessage;

/// The next message; false: the server has hung up. Pings are passed over. Free its data.
static inline bool gr_client_hear(int fd, GrClientMessage *out)
{
    *out = (GrClientMessage){0};
    for (;;) {
        unsigned char head[2], more[8];
        if (!gr_client_read(fd, head, 2)) {
            break;
        }
        assert_false(head[1] & 0x80); // a server does not mask
        size_t size = head[1] & 0x7F;
        const size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (extra > 0) {
            size = 0;
            if (!gr_client_read(fd, more, extra)) {
                break;
            }
            for (size_t i = 0; i < extra; i++) {
                size = size << 8 | more[i];
            }
        }
        out->data = realloc(out->data, out->size + size + 1);
        if (!gr_client_read(fd, out->data + out->size, size)) {
            break;
        }
        const int opcode = head[0] & 0x0F;
        if (opcode == 9) {
            continue;
        }
        out->opcode = opcode != 0 ? opcode : out->opcode;
        out->size += size;
        out->data[out->size] = '\0';
        if (head[0] & 0x80) {
            return true;
        }
    }
    free(out->data);
    out->data = NULL;
    return false;
}

/// Passes messages over until the server closes; its code, 0: without one.
static inline int gr_client_closed(int fd)
{
    GrClientMessage m;
    int code = 0;
    while (code == 0 && gr_client_hear(fd, &m)) {
        code = m.opcode == 8 && m.size >= 2 ? m.data[0] << 8 | m.data[1] : 0;
        free(m.data);
    }
    close(fd);
    return code;
}

/// A masked frame is answered; one that is not masked ends the connection (RFC 6455, 5.1).
static inline void gr_client_check_mask(int fd)
{
    GrClientMessage m;
    char rest;
    gr_client_frame(fd, 0x89, "hi", 2);
    for (bool over = false, answered = false; !over;) { // whatever else the server has to say
        assert_true(gr_client_hear(fd, &m));
        if (m.opcode == 10) {
            assert_memory_equal(m.data, "hi", 2);
            answered = true;
            gr_client_write(fd, "\x81\x02{}", 4);
        } else if (m.opcode == 8) {
            assert_true(answered);
            assert_int_equal(m.data[0] << 8 | m.data[1], 1002);
            over = true;
        }
        free(m.data);
    }
    assert_int_equal(recv(fd, &rest, 1, 0), 0);
    close(fd);
}

#endif

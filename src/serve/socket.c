/// WebSocket connections (RFC 6455): libmicrohttpd hands them over after the request, and wslay reads and writes
/// frames. Nothing is queued for a client but answers to pings and the frame that is being sent.
#include "server_data.h"

#include "alloc.h"
#include "clock.h"
#include "text.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <string.h>
#include <sys/socket.h>

/// A client that has sent nothing for this long gets a ping [s]; one whose connection is closed may take this long to
/// read why.
static const double QUIET = 30, LINGER = 2;

enum {
    SEND_BUFFER = 256 << 10, ///< what the kernel keeps for a client that does not read [bytes]
    TURN = 64 << 10,
    LARGEST = 1 << 20, ///< a frame that is not even read to its end [bytes]
    WAITING = 8,       ///< messages, mostly answers to pings, that may wait for a client that does not read
    REASON_SIZE = 120,
};

void gr_socket_hang_up(GrSocket *socket, enum wslay_status_code code, const char *reason)
{
    char text[REASON_SIZE];
    gr_text_copy(text, sizeof text, reason);
    wslay_event_queue_close(socket->context, (uint16_t)code, (const uint8_t *)text, strlen(text));
    wslay_event_shutdown_read(socket->context);
}

// ---- called by wslay

/// Result of a call to the system as wslay wants it.
static ssize_t report(wslay_event_context_ptr context, ssize_t result)
{
    if (result > 0) {
        return result;
    }
    const bool later = result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    wslay_event_set_error(context, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static ssize_t receive(wslay_event_context_ptr context, uint8_t *out, size_t size, int flags, void *user)
{
    GrSocket *socket = user;
    const size_t early = socket->early_size - socket->early_read;
    (void)flags;
    if (early > 0) {
        size = early < size ? early : size;
        memcpy(out, socket->early + socket->early_read, size);
        socket->early_read += size;
        return (ssize_t)size;
    }
    size = size < socket->turn ? size : socket->turn;
    if (size == 0 || wslay_event_get_queued_msg_count(context) > WAITING) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    const ssize_t got = recv(socket->fd, out, size, 0);
    if (got > 0) {
        socket->turn -= (size_t)got;
        socket->last_received = gr_wall_time();
    }
    return report(context, got);
}

static ssize_t transmit(wslay_event_context_ptr context, const uint8_t *data, size_t size, int flags, void *user)
{
    const GrSocket *socket = user;
    const int more = flags & WSLAY_MSG_MORE ? MSG_MORE : 0;
    return report(context, send(socket->fd, data, size, MSG_NOSIGNAL | more));
}

/// A frame begins: its size is known before its content.
static void take_frame(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_start_arg *frame,
                       void *user)
{
    GrSocket *socket = user;
    (void)context;
    if (!wslay_is_ctrl_frame(frame->opcode)) {
        const uint64_t before = frame->opcode == WSLAY_CONTINUATION_FRAME ? socket->message_size : 0;
        socket->message_size = before + frame->payload_length;
        if (socket->message_size > socket->kind->most) {
            gr_socket_hang_up(socket, WSLAY_CODE_MESSAGE_TOO_BIG, "the message is too large");
        }
    }
}

/// Counts a message; false: too many.
static bool is_within_rate(GrSocket *socket)
{
    const double time = gr_wall_time(), burst = socket->kind->burst;
    const double tokens = socket->tokens + socket->kind->rate * (time - socket->counted);
    socket->tokens = (tokens < burst ? tokens : burst) - 1;
    socket->counted = time;
    return socket->tokens >= 0;
}

static void take_message(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *message, void *user)
{
    GrSocket *socket = user;
    char *text = socket->server->message;
    if (wslay_is_ctrl_frame(message->opcode) || !wslay_event_get_read_enabled(context)) { // or it is too large
        return;
    }
    if (!is_within_rate(socket)) {
        gr_socket_hang_up(socket, WSLAY_CODE_POLICY_VIOLATION, "too many messages");
        return;
    }
    if (message->msg_length > 0) {
        memcpy(text, message->msg, message->msg_length);
    }
    text[message->msg_length] = '\0';
    socket->kind->take(socket, text, message->msg_length, message->opcode == WSLAY_BINARY_FRAME);
}

/// The next frame of a message.
static ssize_t fill_frame(wslay_event_context_ptr context, uint8_t *out, size_t most,
                          const union wslay_event_msg_source *source, int *end, void *user)
{
    GrSocket *socket = user;
    GrFoxglovePiece piece;
    (void)context;
    (void)source;
    if (socket->turn < most || !socket->kind->next(socket, (char *)out, most, &piece)) {
        return 0;
    }
    socket->turn -= piece.size;
    *end = piece.last;
    return (ssize_t)piece.size;
}

// ---- its life

static void release(GrSocket *socket)
{
    wslay_event_context_free(socket->context);
    MHD_upgrade_action(socket->handle, MHD_UPGRADE_ACTION_CLOSE);
    gr_free(socket);
}

static void count(GrServer *server, int change)
{
    atomic_fetch_add(&server->clients, change);
    gr_inbox_wake(server->inbox);
}

/// Sends what there is, as long as the client takes it; false: the connection is gone.
static bool send_messages(GrSocket *socket)
{
    char none;
    GrFoxglovePiece piece;
    socket->turn = TURN;
    bool good = wslay_event_send(socket->context) == 0;
    while (good && wslay_event_want_read(socket->context) && !wslay_event_want_write(socket->context) &&
           socket->kind->next(socket, &none, 0, &piece)) {
        const uint8_t opcode = piece.binary ? WSLAY_BINARY_FRAME : WSLAY_TEXT_FRAME;
        const struct wslay_event_fragmented_msg message = {.opcode = opcode, .read_callback = fill_frame};
        good =
            wslay_event_queue_fragmented_msg(socket->context, &message) == 0 && wslay_event_send(socket->context) == 0;
    }
    return good;
}

/// Lets the client read why the connection ends: one that is closed with unread bytes would lose it. False: it is over.
static bool linger(GrSocket *socket, double time)
{
    if (socket->left == 0) {
        socket->left = time;
        count(socket->server, -1);
    }
    if (!wslay_event_want_write(socket->context)) {
        shutdown(socket->fd, SHUT_WR);
        const ssize_t got = recv(socket->fd, socket->server->message, GR_FOXGLOVE_SIZE, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            return false;
        }
    }
    return time - socket->left < LINGER;
}

/// False: the connection is over.
static bool serve(GrSocket *socket, double time)
{
    if (time - socket->last_received > QUIET && socket->pinged <= socket->last_received) {
        socket->pinged = time;
        wslay_event_queue_msg(socket->context, &(struct wslay_event_msg){.opcode = WSLAY_PING});
    }
    socket->turn = TURN;
    wslay_event_recv(socket->context); // where it fails, it reads no more
    return send_messages(socket) && time - socket->last_received < GR_SERVER_PATIENCE &&
           (wslay_event_want_read(socket->context) || linger(socket, time));
}

static void end(GrSocket *socket)
{
    if (socket->left == 0) {
        count(socket->server, -1);
    }
    socket->kind->close(socket);
    release(socket);
}

/// Takes the connection over from libmicrohttpd.
static void begin(void *kind, struct MHD_Connection *connection, void *user, const char *early, size_t early_size,
                  int fd, struct MHD_UpgradeResponseHandle *handle)
{
    static const struct wslay_event_callbacks CALLBACKS = {.recv_callback = receive,
                                                           .send_callback = transmit,
                                                           .on_frame_recv_start_callback = take_frame,
                                                           .on_msg_recv_callback = take_message};
    const int size = SEND_BUFFER, on = 1;
    GrServer *server = user;
    GrSocket *socket = gr_calloc(1, sizeof *socket + early_size);
    (void)connection;
    if (socket == NULL) {
        MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    socket->server = server;
    socket->kind = kind;
    socket->handle = handle;
    socket->fd = fd;
    socket->last_received = gr_wall_time();
    socket->early_size = early_size;
    if (early_size > 0) {
        memcpy(socket->early, early, early_size);
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (wslay_event_context_server_init(&socket->context, &CALLBACKS, socket) != 0 || !socket->kind->open(socket)) {
        release(socket);
        return;
    }
    wslay_event_config_set_max_recv_msg_length(socket->context, LARGEST);
    count(server, 1);
    if (serve(socket, socket->last_received)) {
        socket->next = server->sockets;
        server->sockets = socket;
    } else {
        end(socket);
    }
}

enum MHD_Result gr_socket_accept(struct MHD_Connection *connection, const char *key, const char *protocol,
                                 const GrSocketKind *kind)
{
    static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, 1.3
    struct sha1_ctx sha1;
    uint8_t digest[SHA1_DIGEST_SIZE];
    char answer[BASE64_ENCODE_RAW_LENGTH(SHA1_DIGEST_SIZE) + 1] = "";
    sha1_init(&sha1);
    sha1_update(&sha1, GR_SOCKET_KEY_SIZE, (const uint8_t *)key);
    sha1_update(&sha1, strlen(GUID), (const uint8_t *)GUID);
    sha1_digest(&sha1, sizeof digest, digest);
    base64_encode_raw(answer, sizeof digest, digest);
    struct MHD_Response *response = MHD_create_response_for_upgrade(begin, (void *)kind);
    const bool good = response != NULL && MHD_add_response_header(response, "Upgrade", "websocket") == MHD_YES &&
                      MHD_add_response_header(response, "Sec-WebSocket-Accept", answer) == MHD_YES &&
                      MHD_add_response_header(response, "Sec-WebSocket-Protocol", protocol) == MHD_YES &&
                      MHD_queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, response) == MHD_YES;
    MHD_destroy_response(response); // or NULL
    return good ? MHD_YES : MHD_NO;
}

// ---- all of them

int gr_sockets_watch(GrServer *server, struct pollfd *polls)
{
    int n = 0;
    for (const GrSocket *socket = server->sockets; socket != NULL; socket = socket->next, n++) {
        const bool write = wslay_event_want_write(socket->context);
        const bool read = wslay_event_want_read(socket->context)
                              ? wslay_event_get_queued_msg_count(socket->context) <= WAITING
                              : !write;
        polls[n] = (struct pollfd){.fd = socket->fd, .events = (short)((read ? POLLIN : 0) | (write ? POLLOUT : 0))};
    }
    return n;
}

void gr_sockets_serve(GrServer *server, const struct pollfd *polls, bool all)
{
    const double time = gr_wall_time();
    for (GrSocket **at = &server->sockets; *at != NULL; polls++) {
        GrSocket *socket = *at;
        const bool due = all || polls->revents != 0 || socket->left > 0 || time - socket->last_received > QUIET;
        if (due && !serve(socket, time)) {
            *at = socket->next;
            end(socket);
        } else {
            at = &socket->next;
        }
    }
}

void gr_sockets_release(GrServer *server)
{
    while (server->sockets != NULL) {
        GrSocket *socket = server->sockets;
        server->sockets = socket->next;
        end(socket);
    }
}

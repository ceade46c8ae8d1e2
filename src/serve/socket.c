/// Viewers of a live run over WebSocket: chunks out of the feed, messages into the inbox.
#include "server_data.h"

#include "text.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

/// A viewer may send this many messages a second, and so many at once.
static const double MESSAGE_RATE = 60, MESSAGE_BURST = 120;

/// What the kernel keeps for a viewer that does not read [bytes].
enum { SEND_BUFFER = 256 << 10, REASON_SIZE = 120 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Ends the connection with a reason that the viewer can show.
static int hang_up(struct lws *wsi, enum lws_close_status code, const char *reason)
{
    char text[REASON_SIZE];
    gr_text_copy(text, sizeof text, reason);
    lws_close_reason(wsi, code, (unsigned char *)text, strlen(text));
    return -1;
}

static bool admit(GrServer *server, struct lws *wsi)
{
    char path[16] = "";
    const bool here = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) > 0 && strcmp(path, "/view") == 0;
    return here && server->def.live && atomic_load(&server->clients) < GR_SERVER_CLIENTS &&
           gr_server_admits(server, wsi, true);
}

static void welcome(GrServer *server, struct lws *wsi, GrSocketSession *session)
{
    const int size = SEND_BUFFER;
    *session = (GrSocketSession){.tokens = MESSAGE_BURST, .tokens_at = now(), .established = true};
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    atomic_fetch_add(&server->clients, 1);
    gr_inbox_wake(server->inbox);
    lws_callback_on_writable(wsi);
}

static void farewell(GrServer *server, GrSocketSession *session)
{
    if (session->established) {
        gr_feed_leave(server->feed, &session->reader);
        session->established = false;
        atomic_fetch_sub(&server->clients, 1);
        gr_inbox_wake(server->inbox);
    }
}

/// One piece of a chunk; a chunk is one message, in several frames if it is large.
static int send_piece(GrServer *server, struct lws *wsi, GrSocketSession *session)
{
    GrFeedPiece piece;
    if (lws_send_pipe_choked(wsi)) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    if (!gr_feed_read(server->feed, &session->reader, GR_SERVER_PIECE, &piece)) {
        return 0;
    }
    memcpy(server->piece + LWS_PRE, piece.data, piece.size); // the library writes a header before it
    const int kind = (piece.first ? LWS_WRITE_BINARY : LWS_WRITE_CONTINUATION) | (piece.last ? 0 : LWS_WRITE_NO_FIN);
    if (lws_write(wsi, server->piece + LWS_PRE, piece.size, (enum lws_write_protocol)kind) < (int)piece.size) {
        return -1;
    }
    if (gr_feed_has_more(server->feed, &session->reader)) {
        lws_callback_on_writable(wsi);
    }
    return 0;
}

static bool within_rate(GrSocketSession *session)
{
    const double time = now();
    session->tokens += MESSAGE_RATE * (time - session->tokens_at);
    session->tokens = session->tokens < MESSAGE_BURST ? session->tokens : MESSAGE_BURST;
    session->tokens_at = time;
    session->tokens -= 1;
    return session->tokens >= 0;
}

static int take_message(GrServer *server, struct lws *wsi, GrSocketSession *session)
{
    GrMessage message;
    const char *why = "";
    if (!within_rate(session)) {
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    session->message[session->message_size] = '\0';
    const bool good = gr_message_read(session->message, session->message_size, &message, &why);
    session->message_size = 0;
    if (!good) {
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, why);
    }
    gr_inbox_post(server->inbox, &message); // one that does not fit is lost: the simulation is busy
    return 0;
}

static int take_frame(GrServer *server, struct lws *wsi, GrSocketSession *session, const char *in, size_t size)
{
    if (lws_frame_is_binary(wsi)) {
        return hang_up(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
    }
    if (session->message_size + size > GR_MESSAGE_SIZE) {
        return hang_up(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
    }
    memcpy(session->message + session->message_size, in, size);
    session->message_size += size;
    const bool whole = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
    return whole ? take_message(server, wsi, session) : 0;
}

int gr_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    GrSocketSession *session = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return admit(gr_server_of(wsi), wsi) ? 0 : 1;
    case LWS_CALLBACK_ESTABLISHED:
        welcome(gr_server_of(wsi), wsi, session);
        break;
    case LWS_CALLBACK_CLOSED:
        farewell(gr_server_of(wsi), session);
        break;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_piece(gr_server_of(wsi), wsi, session);
    case LWS_CALLBACK_RECEIVE:
        return take_frame(gr_server_of(wsi), wsi, session, in, size);
    default:
        break;
    }
    return 0;
}

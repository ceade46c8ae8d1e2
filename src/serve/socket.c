/// Viewers of a live run over WebSocket: chunks out of the feed, messages into the inbox.
#include "server_data.h"

#include "clock.h"
#include "text.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

/// A viewer may send this many messages a second, and so many at once.
static const double MESSAGE_RATE = 60, MESSAGE_BURST = 120;

/// What the kernel keeps for a viewer that does not read [bytes].
enum { SEND_BUFFER = 256 << 10, REASON_SIZE = 120 };

int gr_socket_hang_up(struct lws *wsi, enum lws_close_status code, const char *reason)
{
    char text[REASON_SIZE];
    gr_text_copy(text, sizeof text, reason);
    lws_close_reason(wsi, code, (unsigned char *)text, strlen(text));
    return -1;
}

bool gr_socket_admit(GrServer *server, struct lws *wsi, const char *path)
{
    char asked[16] = "";
    const bool here = lws_hdr_copy(wsi, asked, sizeof asked, WSI_TOKEN_GET_URI) > 0 && strcmp(asked, path) == 0;
    return here && atomic_load(&server->clients) < GR_SERVER_CLIENTS && gr_server_admits(server, wsi, true);
}

void gr_socket_welcome(GrServer *server, struct lws *wsi)
{
    const int size = SEND_BUFFER;
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    atomic_fetch_add(&server->clients, 1);
    gr_inbox_wake(server->inbox);
    lws_callback_on_writable(wsi);
}

void gr_socket_farewell(GrServer *server)
{
    atomic_fetch_sub(&server->clients, 1);
    gr_inbox_wake(server->inbox);
}

bool gr_socket_within_rate(GrMessageRate *counted, double rate, double burst)
{
    const double time = gr_wall_time();
    const double tokens = counted->tokens + rate * (time - counted->at);
    *counted = (GrMessageRate){.tokens = (tokens < burst ? tokens : burst) - 1, .at = time};
    return counted->tokens >= 0;
}

static void welcome(GrServer *server, struct lws *wsi, GrSocketSession *session)
{
    *session = (GrSocketSession){.established = true};
    gr_socket_welcome(server, wsi);
}

static void farewell(GrServer *server, GrSocketSession *session)
{
    if (session->established) {
        gr_feed_leave(server->feed, &session->reader);
        session->established = false;
        gr_socket_farewell(server);
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

static int take_message(GrServer *server, struct lws *wsi, GrSocketSession *session)
{
    GrMessage message;
    const char *why = "";
    if (!gr_socket_within_rate(&session->rate, MESSAGE_RATE, MESSAGE_BURST)) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    session->message[session->message_size] = '\0';
    const bool good = gr_message_read(session->message, session->message_size, &message, &why);
    session->message_size = 0;
    if (!good) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, why);
    }
    gr_inbox_post(server->inbox, &message); // one that does not fit is lost: the simulation is busy
    return 0;
}

static int take_frame(GrServer *server, struct lws *wsi, GrSocketSession *session, const char *in, size_t size)
{
    if (lws_frame_is_binary(wsi)) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
    }
    if (session->message_size + size > GR_MESSAGE_SIZE) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
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
        return gr_server_of(wsi)->def.live && gr_socket_admit(gr_server_of(wsi), wsi, "/view") ? 0 : 1;
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

/// Clients of Foxglove's protocol over WebSocket: connects their sessions (foxglove_session.h) with libwebsockets.
#include "server_data.h"

#include <string.h>

/// A client may send this many messages a second, and so many at once: one that opens a layout subscribes to all its
/// topics one by one.
static const double MESSAGE_RATE = 200, MESSAGE_BURST = 1000;

/// Most that is written before other clients have their turn [bytes].
enum { TURN = 4 * GR_SERVER_PIECE };

static int welcome(GrServer *server, struct lws *wsi, GrFoxgloveSocket *socket)
{
    socket->message_size = 0;
    socket->rate = (GrMessageRate){0};
    socket->established = gr_foxglove_session_open(&socket->session, server->def.foxglove, server->inbox);
    if (!socket->established) {
        return -1;
    }
    gr_socket_welcome(server, wsi);
    return 0;
}

static void farewell(GrServer *server, GrFoxgloveSocket *socket)
{
    if (socket->established) {
        gr_foxglove_session_close(&socket->session);
        socket->established = false;
        gr_socket_farewell(server);
    }
}

/// Small messages go out together, as long as the connection takes them.
static int send_pieces(GrServer *server, struct lws *wsi, GrFoxgloveSocket *socket)
{
    GrFoxglovePiece piece;
    for (size_t sent = 0; sent < TURN; sent += piece.size) {
        if (lws_send_pipe_choked(wsi)) {
            break;
        }
        char *out = (char *)server->piece + LWS_PRE;
        if (!gr_foxglove_session_next(&socket->session, out, GR_SERVER_PIECE, &piece)) {
            return socket->session.failed ? -1 : 0;
        }
        const int begin = piece.binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
        const int kind = (piece.first ? begin : LWS_WRITE_CONTINUATION) | (piece.last ? 0 : LWS_WRITE_NO_FIN);
        if (lws_write(wsi, (unsigned char *)out, piece.size, (enum lws_write_protocol)kind) < (int)piece.size) {
            return -1;
        }
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int take_frame(struct lws *wsi, GrFoxgloveSocket *socket, const char *in, size_t size)
{
    if (socket->message_size + size > GR_FOXGLOVE_SIZE) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
    }
    if (size > 0) {
        memcpy(socket->message + socket->message_size, in, size);
        socket->message_size += size;
    }
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) {
        return 0;
    }
    if (!gr_socket_within_rate(&socket->rate, MESSAGE_RATE, MESSAGE_BURST)) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    socket->message[socket->message_size] = '\0';
    const size_t length = socket->message_size;
    socket->message_size = 0;
    if (!gr_foxglove_session_take(&socket->session, socket->message, length, lws_frame_is_binary(wsi))) {
        return gr_socket_hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "answers are not read");
    }
    lws_callback_on_writable(wsi);
    return 0;
}

int gr_foxglove_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    GrFoxgloveSocket *socket = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return gr_server_of(wsi)->def.foxglove != NULL && gr_socket_admit(gr_server_of(wsi), wsi, "/") ? 0 : 1;
    case LWS_CALLBACK_ESTABLISHED:
        return welcome(gr_server_of(wsi), wsi, socket);
    case LWS_CALLBACK_CLOSED:
        farewell(gr_server_of(wsi), socket);
        break;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_pieces(gr_server_of(wsi), wsi, socket);
    case LWS_CALLBACK_RECEIVE:
        return take_frame(wsi, socket, in, size);
    default:
        break;
    }
    return 0;
}

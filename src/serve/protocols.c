/// The sub-protocols over WebSocket: a viewer gets chunks out of the feed and its messages go into the inbox; a client
/// of Foxglove's protocol has a session (foxglove_session.h).
#include "server_data.h"

#include <string.h>
#include <strings.h>

// ---- viewers of a live run

static bool open_viewer(GrSocket *socket)
{
    socket->reader = (GrFeedReader){0};
    return true;
}

static void close_viewer(GrSocket *socket)
{
    gr_feed_leave(socket->server->feed, &socket->reader);
}

/// A chunk is one message.
static bool next_chunk(GrSocket *socket, char *out, size_t most, GrFoxglovePiece *piece)
{
    GrFeedPiece part;
    if (!gr_feed_read(socket->server->feed, &socket->reader, most, &part)) {
        return false;
    }
    memcpy(out, part.data, part.size);
    *piece = (GrFoxglovePiece){.size = part.size, .binary = true, .last = part.last};
    return true;
}

static void take_command(GrSocket *socket, char *message, size_t size, bool binary)
{
    GrMessage command;
    const char *why = "";
    if (binary) {
        gr_socket_hang_up(socket, WSLAY_CODE_UNSUPPORTED_DATA, "messages are text");
    } else if (!gr_message_read(message, size, &command, &why)) {
        gr_socket_hang_up(socket, WSLAY_CODE_POLICY_VIOLATION, why);
    } else {
        gr_inbox_post(socket->server->inbox, &command); // one that does not fit is lost: the simulation is busy
    }
}

// ---- clients of Foxglove's protocol

static bool open_session(GrSocket *socket)
{
    return gr_foxglove_session_open(&socket->session, socket->server->def.foxglove, socket->server->inbox);
}

static void close_session(GrSocket *socket)
{
    gr_foxglove_session_close(&socket->session);
}

static void check_session(GrSocket *socket)
{
    if (socket->session.failed) {
        gr_socket_hang_up(socket, WSLAY_CODE_POLICY_VIOLATION, "answers are not read");
    }
}

static bool next_message(GrSocket *socket, char *out, size_t most, GrFoxglovePiece *piece)
{
    const bool more = gr_foxglove_session_next(&socket->session, out, most, piece);
    check_session(socket);
    return more;
}

static void take_message(GrSocket *socket, char *message, size_t size, bool binary)
{
    gr_foxglove_session_take(&socket->session, message, size, binary);
    check_session(socket);
}

// ---- which one a client gets

static const GrSocketKind VIEWER = {"/view",     GR_MESSAGE_SIZE, 60,         120,
                                    open_viewer, close_viewer,    next_chunk, take_command};
/// Who opens a layout subscribes to all its topics one by one.
static const GrSocketKind FOXGLOVE = {"/",          GR_FOXGLOVE_SIZE, 200,          1000,
                                      open_session, close_session,    next_message, take_message};

static const struct {
    const char *name;
    const GrSocketKind *kind;
} PROTOCOLS[] = {{GR_SERVER_PROTOCOL, &VIEWER}, {GR_SERVER_FOXGLOVE_SDK, &FOXGLOVE}, {GR_SERVER_FOXGLOVE, &FOXGLOVE}};

/// Whether a list that is separated by commas has this word, in capitals or not.
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ", \t")) {
        at += strspn(at, ", \t");
        if (strncasecmp(at, word, length) == 0 && strchr(", \t", at[length]) != NULL) { // or the end
            return true;
        }
    }
    return false;
}

enum MHD_Result gr_protocols_take(GrServer *server, struct MHD_Connection *connection, const char *path)
{
    const char *names = gr_http_header(connection, "Sec-WebSocket-Protocol", NULL);
    const char *version = gr_http_header(connection, "Sec-WebSocket-Version", NULL);
    const char *options = gr_http_header(connection, "Connection", NULL);
    const char *key = gr_http_header(connection, "Sec-WebSocket-Key", NULL);
    const char *host = gr_http_header(connection, "Host", NULL);
    int origins;
    const char *origin = gr_http_header(connection, "Origin", &origins);
    if (origins > 1 || !gr_access_origin(&server->access, origin, host)) {
        return gr_http_refuse(server, connection, MHD_HTTP_FORBIDDEN, "Pages of this origin may not connect.");
    }
    if (version == NULL || strcmp(version, "13") != 0) {
        return gr_http_refuse(server, connection, MHD_HTTP_UPGRADE_REQUIRED, "Only version 13 is supported.");
    }
    if (options == NULL || !has_word(options, "upgrade") || key == NULL || strlen(key) != GR_SOCKET_KEY_SIZE) {
        return gr_http_refuse(server, connection, MHD_HTTP_BAD_REQUEST, "This is no handshake of a WebSocket.");
    }
    if (atomic_load(&server->clients) >= GR_SERVER_CLIENTS) {
        return gr_http_refuse(server, connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There are too many clients.");
    }
    for (size_t i = 0; names != NULL && i < sizeof PROTOCOLS / sizeof PROTOCOLS[0]; i++) {
        const GrSocketKind *kind = PROTOCOLS[i].kind;
        const bool served = kind == &VIEWER ? server->def.live : server->def.foxglove != NULL;
        if (!has_word(names, PROTOCOLS[i].name) || strcmp(path, kind->path) != 0) {
            continue;
        }
        if (served) {
            return gr_socket_accept(connection, key, PROTOCOLS[i].name, kind);
        }
        if (kind == &FOXGLOVE) {
            return gr_http_refuse(server, connection, MHD_HTTP_NOT_FOUND,
                                  "This is no live run. Foxglove opens run.mcap of a recorded one.");
        }
    }
    return gr_http_refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is no such sub-protocol here.");
}

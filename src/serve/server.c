#include "server.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "server_data.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// ---- protocols of WebSocket
//
// The sub-protocols over WebSocket: a viewer gets chunks out of the feed and its messages go into the inbox; a client
// of Foxglove's protocol has a session (foxglove_session.h).

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

// ---- the server

enum { TICK = 1000 }; ///< longest wait while there are connections [ms]

GrServerDef gr_default_server_def(void)
{
    return (GrServerDef){.host = "127.0.0.1", .port = GR_SERVER_PORT, .other_port = true};
}

static void *serve(void *context)
{
    GrServer *server = context;
    struct pollfd *const sockets = server->polls + 2;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    while (!atomic_load(&server->stopping)) {
        MHD_UNSIGNED_LONG_LONG most = TICK;
        const bool due = MHD_get_timeout(server->daemon, &most) == MHD_YES || server->sockets != NULL;
        const int count = gr_sockets_watch(server, sockets);
        poll(server->polls, (nfds_t)count + 2, !due ? -1 : most < TICK ? (int)most : TICK);
        eventfd_t woken = 0;
        eventfd_read(server->waker, &woken);
        gr_sockets_serve(server, sockets, woken > 0);
        gr_http_hurry(server);
        MHD_run(server->daemon);
    }
    return NULL;
}

/// A socket that listens, or −1 and the error.
static int listen_on(const char *host, int port, int *error)
{
    char service[16];
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, service, &wanted, &found) != 0) {
        *error = EADDRNOTAVAIL;
        return -1;
    }
    const int on = 1, fd = socket(found->ai_family, found->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool good = bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0;
    *error = errno;
    if (fd >= 0 && !good) {
        close(fd);
    }
    freeaddrinfo(found);
    return good ? fd : -1;
}

/// Listens on the wanted port, or on any other if that is allowed.
static GrStatus open_port(GrServer *server, GrErrorLog *log)
{
    const char *host = server->def.host;
    int error = 0, fd = listen_on(host, server->def.port, &error);
    if (fd < 0 && error == EADDRINUSE && server->def.other_port) {
        fd = listen_on(host, 0, &error);
    }
    if (fd < 0) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "cannot listen on %s, port %d: %s", host,
                            server->def.port,
                            error == EADDRINUSE      ? "another program does"
                            : error == EADDRNOTAVAIL ? "it is not an address of this machine"
                            : error == EACCES        ? "ports below 1024 need privileges"
                                                     : "the system refuses");
    }
    server->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_UPGRADE, 0, NULL, NULL, gr_http_take, server,
                         MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_CONNECTION, gr_http_notice, server,
                         MHD_OPTION_CONNECTION_LIMIT, (unsigned)GR_SERVER_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                         (unsigned)GR_SERVER_PATIENCE, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (server->daemon == NULL) {
        close(fd);
        return gr_out_of_memory(log, NULL);
    }
    server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    server->polls[0] = (struct pollfd){.fd = server->waker, .events = POLLIN};
    server->polls[1] = (struct pollfd){.fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
                                       .events = POLLIN};
    host = strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1" : host;
    const bool v6 = strchr(host, ':') != NULL;
    snprintf(server->address, sizeof server->address, "http://%s%s%s:%d/", v6 ? "[" : "", host, v6 ? "]" : "",
             server->port);
    return GR_OK;
}

static void release(GrServer *server)
{
    gr_sockets_release(server); // viewers leave the feed
    if (server->daemon != NULL) {
        MHD_stop_daemon(server->daemon);
    }
    gr_feed_free(server->feed);
    gr_inbox_free(server->inbox);
    gr_http_release(server);
    if (server->waker >= 0) {
        close(server->waker);
    }
    pthread_mutex_destroy(&server->mutex);
    gr_free(server);
}

GrServer *gr_server_start(const GrServerDef *def, GrErrorLog *log)
{
    GrServer *server = gr_calloc(1, sizeof *server);
    if (server == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    server->def = *def;
    pthread_mutex_init(&server->mutex, NULL);
    const bool known = gethostname(server->machine, sizeof server->machine - 1) == 0;
    server->access = (GrAccess){.host = def->host,
                                .machine = known ? server->machine : NULL,
                                .origins = def->origins,
                                .origin_count = def->origin_count};
    server->waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    server->feed = gr_feed_create();
    server->inbox = gr_inbox_create();
    if (server->feed == NULL || server->inbox == NULL || server->waker < 0 || !gr_http_prepare(server)) {
        gr_out_of_memory(log, NULL);
    } else if (open_port(server, log) == GR_OK) {
        if (pthread_create(&server->thread, NULL, serve, server) == 0) {
            return server;
        }
        gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "cannot start a thread for the server");
    }
    release(server);
    return NULL;
}

void gr_server_stop(GrServer *server)
{
    if (server != NULL) {
        atomic_store(&server->stopping, true);
        gr_server_wake(server);
        pthread_join(server->thread, NULL);
        release(server);
    }
}

const char *gr_server_address(const GrServer *server)
{
    return server->address;
}

int gr_server_port(const GrServer *server)
{
    return server->port;
}

GrFeed *gr_server_feed(GrServer *server)
{
    return server->feed;
}

GrInbox *gr_server_inbox(GrServer *server)
{
    return server->inbox;
}

int gr_server_clients(const GrServer *server)
{
    return atomic_load(&server->clients);
}

void gr_server_wake(GrServer *server)
{
    eventfd_write(server->waker, 1);
}

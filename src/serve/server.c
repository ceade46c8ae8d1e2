#include "server_data.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Viewers that do not answer for this long are gone [s].
static const lws_retry_bo_t PATIENCE = {.secs_since_valid_ping = 30, .secs_since_valid_hangup = 90};

enum { HANDSHAKE_SECONDS = 10, FILES = 1024 };

GrServerDef gr_default_server_def(void)
{
    return (GrServerDef){.host = "127.0.0.1", .port = GR_SERVER_PORT, .other_port = true};
}

GrServer *gr_server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

bool gr_server_admits(const GrServer *server, struct lws *wsi, bool check_origin)
{
    char host[GR_SERVER_HEADER], origin[GR_SERVER_HEADER] = "";
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !gr_access_host(&server->access, host)) {
        return false;
    }
    // a missing header and an empty one have the same length; only the missing one has no first part
    const bool sent = lws_hdr_copy_fragment(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN, 0) >= 0;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0 &&
        lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) {
        return false; // too long
    }
    return !check_origin || gr_access_origin(&server->access, sent ? origin : NULL, host);
}

static void *serve(void *context)
{
    GrServer *server = context;
    while (!atomic_load(&server->stopping) && lws_service(server->context, 0) >= 0) {
    }
    return NULL;
}

/// Whether a port is free, by trying: 0, or the error. libwebsockets would not say why, and loses memory when it fails.
static int try_port(const char *address, int port)
{
    char service[16];
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(address[0] != '\0' ? address : "0.0.0.0", service, &wanted, &found) != 0) {
        return EADDRNOTAVAIL;
    }
    const int on = 1, fd = socket(found->ai_family, found->ai_socktype, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const int error = fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
    if (fd >= 0) {
        close(fd);
    }
    freeaddrinfo(found);
    return error;
}

/// A context that listens; NULL: the address cannot be had.
static struct lws_context *listen_on(GrServer *server, int port)
{
    const struct lws_context_creation_info info = {
        .port = port,
        .iface = server->bind[0] != '\0' ? server->bind : NULL,
        .protocols = server->protocols,
        .user = server,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .server_string = "grouser",
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   (strchr(server->bind, ':') == NULL ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0),
        .timeout_secs = HANDSHAKE_SECONDS,
        .fd_limit_per_thread = FILES,
        .pt_serv_buf_size = GR_SERVER_PIECE,
        .retry_and_idle_policy = &PATIENCE,
    };
    return lws_create_context(&info);
}

/// Listens on the wanted port, or on any other if that is allowed.
static GrStatus open_port(GrServer *server, GrErrorLog *log)
{
    int port = server->def.port, error = try_port(server->bind, port);
    if (error == EADDRINUSE && server->def.other_port) {
        port = 0;
        error = try_port(server->bind, port);
    }
    server->context = error == 0 ? listen_on(server, port) : NULL;
    if (server->context == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "cannot listen on %s, port %d: %s", server->def.host,
                            server->def.port,
                            error == EADDRINUSE      ? "another program does"
                            : error == EADDRNOTAVAIL ? "it is not an address of this machine"
                            : error == EACCES        ? "ports below 1024 need privileges"
                                                     : "the system refuses");
    }
    server->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(server->context, "default"));
    const bool all = server->bind[0] == '\0';
    const char *host = all ? "127.0.0.1" : server->def.host;
    const bool v6 = strchr(host, ':') != NULL;
    snprintf(server->address, sizeof server->address, "http://%s%s%s:%d/", v6 ? "[" : "", host, v6 ? "]" : "",
             server->port);
    return GR_OK;
}

static void set_protocols(GrServer *server)
{
    server->protocols[0] = (struct lws_protocols){
        .name = "http", .callback = gr_http_callback, .per_session_data_size = sizeof(GrHttpSession)};
    server->protocols[1] = (struct lws_protocols){.name = GR_SERVER_PROTOCOL,
                                                  .callback = gr_socket_callback,
                                                  .per_session_data_size = sizeof(GrSocketSession),
                                                  .rx_buffer_size = GR_MESSAGE_SIZE};
    static const char *const FOXGLOVE[] = {GR_SERVER_FOXGLOVE, GR_SERVER_FOXGLOVE_SDK};
    for (int i = 0; i < 2; i++) {
        server->protocols[2 + i] = (struct lws_protocols){.name = FOXGLOVE[i],
                                                          .callback = gr_foxglove_callback,
                                                          .per_session_data_size = sizeof(GrFoxgloveSocket),
                                                          .rx_buffer_size = GR_MESSAGE_SIZE};
    }
}

static void release(GrServer *server)
{
    if (server->context != NULL) {
        lws_context_destroy(server->context); // viewers leave the feed
    }
    gr_feed_free(server->feed);
    gr_inbox_free(server->inbox);
    gr_http_release(server);
    pthread_mutex_destroy(&server->mutex);
    gr_free(server);
}

static void set_addresses(GrServer *server)
{
    const char *host = server->def.host;
    const bool all = strcmp(host, "0.0.0.0") == 0;
    snprintf(server->bind, sizeof server->bind, "%s", all ? "" : strcmp(host, "localhost") == 0 ? "127.0.0.1" : host);
    const bool known = gethostname(server->machine, sizeof server->machine - 1) == 0;
    server->access = (GrAccess){.host = host,
                                .machine = known ? server->machine : NULL,
                                .origins = server->def.origins,
                                .origin_count = server->def.origin_count};
}

GrServer *gr_server_start(const GrServerDef *def, GrErrorLog *log)
{
    lws_set_log_level(0, NULL);
    GrServer *server = gr_calloc(1, sizeof *server);
    if (server == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    server->def = *def;
    pthread_mutex_init(&server->mutex, NULL);
    set_addresses(server);
    set_protocols(server);
    server->feed = gr_feed_create();
    server->inbox = gr_inbox_create();
    if (server->feed == NULL || server->inbox == NULL || !gr_http_prepare(server)) {
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
        lws_cancel_service(server->context);
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
    lws_cancel_service(server->context);
}

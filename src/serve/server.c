#include "server_data.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

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

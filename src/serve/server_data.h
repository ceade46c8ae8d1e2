/// Internals of GrServer, shared by its parts: http.c answers requests, socket.c serves WebSocket connections, and
/// server.c has what the sub-protocols say over them.
#ifndef GR_SERVER_DATA_H
#define GR_SERVER_DATA_H

#include "access.h"
#include "buffer.h"
#include "foxglove_session.h"
#include "server.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <wslay/wslay.h>

enum {
    GR_SERVER_CONNECTIONS = 1024, ///< most at once, with those that have not asked for anything yet
    GR_SERVER_PATIENCE = 90,      ///< clients that neither read nor answer for this long are gone [s]
    GR_SERVER_NONCE = 33,
    GR_SOCKET_KEY_SIZE = 24, ///< of Sec-WebSocket-Key
};

typedef struct GrSocket GrSocket;

/// What a sub-protocol says over its connections.
typedef struct GrSocketKind {
    const char *path;
    size_t most;        ///< largest message of a client [bytes]
    double rate, burst; ///< messages that a client may send a second, and at once
    bool (*open)(GrSocket *socket);
    void (*close)(GrSocket *socket);
    /// Copies the next piece of at most `most` bytes, which only begins a message if `most` is 0; false: there is none.
    bool (*next)(GrSocket *socket, char *out, size_t most, GrFoxglovePiece *piece);
    /// Takes a message, which is zero-terminated at `size` and may be changed.
    void (*take)(GrSocket *socket, char *message, size_t size, bool binary);
} GrSocketKind;

/// A WebSocket connection.
struct GrSocket {
    GrServer *server;
    const GrSocketKind *kind;
    struct MHD_UpgradeResponseHandle *handle; ///< owns the descriptor
    int fd;
    wslay_event_context_ptr context;
    union {
        GrFeedReader reader;       ///< of a viewer
        GrFoxgloveSession session; ///< of a client of Foxglove's protocol
    };
    double tokens, counted;       ///< messages that it may still send, and when that was counted [s]
    double last_received, pinged; ///< when it last sent something, and when it was asked for a sign of life [s]
    double left;                  ///< when the connection began to end [s]; 0: it has not
    size_t turn;                  ///< bytes that it may still send or get before others have their turn
    uint64_t message_size;        ///< of the message that is arriving [bytes]
    GrSocket *next;
    size_t early_size, early_read;
    char early[]; ///< what came together with the request
};

/// A connection that has not sent its whole request.
typedef struct GrStranger {
    int fd;
    double since; ///< [s]
} GrStranger;

struct GrServer {
    GrServerDef def;
    GrAccess access;
    char machine[256];
    char address[300];
    GrFeed *feed;
    GrInbox *inbox;
    pthread_mutex_t mutex;                     ///< protects the next four
    struct MHD_Response *page, *state, *hello; ///< the newest ones; state NULL: the page does not change
    struct MHD_Response *about;                ///< NULL: no editor
    unsigned version;                          ///< of the page
    double watched;                            ///< when state.json was last asked for [s]; −INFINITY: never
    char nonce[GR_SERVER_NONCE];
    char security[1024]; ///< value of Content-Security-Policy
    struct MHD_Daemon *daemon;
    int port, waker; ///< waker: an eventfd that ends a wait of the server's thread
    pthread_t thread;
    atomic_bool stopping;
    atomic_int clients;

    // of the server's thread
    GrSocket *sockets;
    GrStranger strangers[GR_SERVER_CONNECTIONS]; ///< oldest first
    int stranger_count;
    struct pollfd polls[GR_SERVER_CONNECTIONS + 2];
    char message[GR_FOXGLOVE_SIZE + 1];
};

// ---- http.c

/// Makes the page, hello.json and the policy; false: out of memory.
bool gr_http_prepare(GrServer *server);
void gr_http_release(GrServer *server);
/// libmicrohttpd calls these when a connection begins or ends, and with each request.
void gr_http_notice(void *server, struct MHD_Connection *connection, void **unused,
                    enum MHD_ConnectionNotificationCode code);
enum MHD_Result gr_http_take(void *server, struct MHD_Connection *connection, const char *path, const char *method,
                             const char *version, const char *body, size_t *body_size, void **request);
/// Ends connections that take too long to send their request.
void gr_http_hurry(GrServer *server);
enum MHD_Result gr_http_refuse(const GrServer *server, struct MHD_Connection *connection, unsigned code,
                               const char *text);
/// The value of a header; NULL: there is none, or more than one.
const char *gr_http_header(struct MHD_Connection *connection, const char *name, int *count);

// ---- socket.c

/// Answers the request for a WebSocket connection, with its key, by one of this kind.
enum MHD_Result gr_socket_accept(struct MHD_Connection *connection, const char *key, const char *protocol,
                                 const GrSocketKind *kind);
/// Fills in what to wait for; how many.
int gr_sockets_watch(GrServer *server, struct pollfd *polls);
/// Serves those that something happened to (the array of gr_sockets_watch()), or all.
void gr_sockets_serve(GrServer *server, const struct pollfd *polls, bool all);
void gr_sockets_release(GrServer *server);
/// Ends the connection with a reason that the client can show.
void gr_socket_hang_up(GrSocket *socket, enum wslay_status_code code, const char *reason);

// ---- server.c

/// Answers the request for a WebSocket connection.
enum MHD_Result gr_protocols_take(GrServer *server, struct MHD_Connection *connection, const char *path);

#endif

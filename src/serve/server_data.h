/// Internals of GrServer, shared by its parts: http.c, socket.c and foxglove_socket.c are the callbacks of
/// libwebsockets.
#ifndef GR_SERVER_DATA_H
#define GR_SERVER_DATA_H

#include "access.h"
#include "buffer.h"
#include "foxglove_session.h"
#include "server.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    GR_SERVER_PIECE = 16384, ///< most bytes that are written at once
    GR_SERVER_HEADER = 512,  ///< longest Host and Origin
    GR_SERVER_PROTOCOLS = 5, ///< and the end of the list
    GR_SERVER_NONCE = 33,
};

/// Text that several downloads share.
typedef struct GrContent {
    int users; ///< freed when there is none
    GrBuffer text;
} GrContent;

struct GrServer {
    GrServerDef def;
    GrAccess access;
    char machine[256];
    char address[300];
    char bind[256]; ///< address or interface for libwebsockets
    GrFeed *feed;
    GrInbox *inbox;
    GrContent *hello;
    pthread_mutex_t mutex;   ///< protects the next four, and the users of all contents
    GrContent *page, *state; ///< the newest ones; state NULL: the page does not change
    unsigned version;        ///< of the page
    double watched;          ///< when state.json was last asked for [s]; −INFINITY: never
    char nonce[GR_SERVER_NONCE];
    char security[1024]; ///< value of Content-Security-Policy
    struct lws_protocols protocols[GR_SERVER_PROTOCOLS];
    struct lws_context *context;
    int port;
    pthread_t thread;
    atomic_bool stopping;
    atomic_int clients;
    unsigned char piece[LWS_PRE + GR_SERVER_PIECE]; ///< of the server's thread
};

/// A download in progress.
typedef struct GrHttpSession {
    GrContent *content; ///< NULL: none
    size_t sent;
} GrHttpSession;

/// How many messages a client may send.
typedef struct GrMessageRate {
    double tokens; ///< messages that it may still send now
    double at;     ///< when that was counted [s]
} GrMessageRate;

/// A viewer.
typedef struct GrSocketSession {
    GrFeedReader reader;
    char message[GR_MESSAGE_SIZE + 1];
    size_t message_size;
    GrMessageRate rate;
    bool established;
} GrSocketSession;

/// A client of Foxglove's protocol.
typedef struct GrFoxgloveSocket {
    GrFoxgloveSession session;
    char message[GR_FOXGLOVE_SIZE + 1];
    size_t message_size;
    GrMessageRate rate;
    bool established;
} GrFoxgloveSocket;

/// Makes the page, hello.json and the policy; false: out of memory.
bool gr_http_prepare(GrServer *server);
void gr_http_release(GrServer *server);
int gr_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);
int gr_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

int gr_foxglove_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

// ---- what both kinds of clients share

/// Whether a client asks for this path, there is room for it, and it is admitted.
bool gr_socket_admit(GrServer *server, struct lws *wsi, const char *path);
void gr_socket_welcome(GrServer *server, struct lws *wsi);
void gr_socket_farewell(GrServer *server);
/// Ends the connection with a reason that the client can show; returns what the callback must.
int gr_socket_hang_up(struct lws *wsi, enum lws_close_status code, const char *reason);
/// Counts a message: `rate` a second, and `burst` at once. False: too many.
bool gr_socket_within_rate(GrMessageRate *counted, double rate, double burst);

GrServer *gr_server_of(struct lws *wsi);

/// Whether the Host of a request, and the Origin of a page that connects, are allowed.
bool gr_server_admits(const GrServer *server, struct lws *wsi, bool check_origin);

#endif

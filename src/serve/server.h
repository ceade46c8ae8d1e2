/// The viewer's server: HTTP for the page and recorded runs, WebSocket for live runs (docs/replay.md), in a thread of
/// its own (libmicrohttpd, wslay).
///
///     GrServerDef def = gr_default_server_def();
///     def.live = true;
///     GrServer *server = gr_server_start(&def, &log);       // gr_server_address(): http://127.0.0.1:8765/
///     gr_feed_put(gr_server_feed(server), chunk, size);     // the run, to all viewers, present and future
///     gr_server_wake(server);
///     gr_inbox_take(gr_server_inbox(server), 0.1, &message) // what they want
///     gr_server_stop(server);
///
/// A page may also change while it is served: gr_server_publish() replaces it, and viewers ask for state.json.
///
/// The same port speaks Foxglove's protocol (foxglove.h) under both of its names.
///
/// It listens on loopback unless told otherwise, refuses pages of other sites (access.h) and unknown sub-protocols, and
/// keeps nothing in store for a viewer that does not read (feed.h).
#ifndef GR_SERVER_H
#define GR_SERVER_H

#include "buffer.h"
#include "feed.h"
#include "foxglove.h"
#include "message.h"

enum {
    GR_SERVER_PORT = 8765,   ///< usual one
    GR_SERVER_CLIENTS = 512, ///< most WebSocket connections at once
};

/// Sub-protocol of the viewer.
#define GR_SERVER_PROTOCOL "grouser.view.1"

/// Sub-protocols of Foxglove: one protocol, two names.
#define GR_SERVER_FOXGLOVE     "foxglove.websocket.v1"
#define GR_SERVER_FOXGLOVE_SDK "foxglove.sdk.v1"

/// A recorded run.
typedef struct GrServerReplay {
    const char *path; ///< of its replay.bin
    const char *name;
} GrServerReplay;

/// Everything it points to must outlive the server.
typedef struct GrServerDef {
    const char *host;           ///< address, or name of this machine; default 127.0.0.1
    int port;                   ///< default GR_SERVER_PORT; 0: any that is free
    bool other_port;            ///< take any free port if that one is taken; default true
    const char *const *origins; ///< of other sites whose pages may connect; default none
    int origin_count;
    const char *page; ///< HTML; NULL: a page that says what is missing
    size_t page_size;
    bool renewed; ///< gr_server_publish() replaces the page; /state.json says which one is the newest
    bool live;
    /// Appends the SVG picture of a name that a viewer asks for; false: there is none. Called by the server's thread.
    bool (*picture)(const char *name, GrBuffer *svg); ///< NULL: no pictures
    const char *about;             ///< of an editor: JSON for /about.json, what it offers; NULL: no editor
    const GrServerReplay *replays; ///< [replay_count]
    int replay_count;
    GrFoxglove *foxglove; ///< for clients of Foxglove's protocol; NULL: they are refused
} GrServerDef;

GrServerDef gr_default_server_def(void);

typedef struct GrServer GrServer;

/// NULL: cannot listen there.
GrServer *gr_server_start(const GrServerDef *def, GrErrorLog *log);
/// Closes all connections; NULL is allowed.
void gr_server_stop(GrServer *server);

/// Where a browser finds it.
const char *gr_server_address(const GrServer *server);
int gr_server_port(const GrServer *server);
GrFeed *gr_server_feed(GrServer *server);
GrInbox *gr_server_inbox(GrServer *server);

/// Viewers that are connected.
int gr_server_clients(const GrServer *server);

/// With `renewed`: replaces the page (NULL: it stays) and state.json, an object to which `version` is added, the number
/// of the page. Downloads that have begun get the page before. Called by any one thread. False: out of memory.
bool gr_server_publish(GrServer *server, const char *page, size_t page_size, const char *state);

/// Time since somebody last asked for state.json [s]; INFINITY: never.
double gr_server_unwatched(GrServer *server);

/// Tells the server that the feed, or Foxglove's state, has something new.
void gr_server_wake(GrServer *server);

#endif

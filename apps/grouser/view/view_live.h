/// A live run behind a server: pace, commands of viewers, and what they are told.
#ifndef GR_VIEW_LIVE_H
#define GR_VIEW_LIVE_H

#include "editor.h"
#include "live.h"
#include "server.h"

typedef struct GrViewLiveDef {
    GrLiveDef live;               ///< without its functions
    GrFoxglove *foxglove;         ///< of the server; NULL: none
    GrEditor *editor;             ///< of the scenario, which is run when a viewer asks for it; NULL: none
    double pace;                  ///< simulated seconds per second; 0: as fast as possible
    bool once;                    ///< end when the run is over
    double seconds;               ///< end after this time; INFINITY: never
    void (*ready)(void *context); ///< called when the scenario is loaded and viewers may come; NULL: none
    void *context;
} GrViewLiveDef;

/// Runs until it is interrupted, or as the definition says. `hash` gets that of the last state.
GrStatus gr_view_live(GrServer *server, const GrViewLiveDef *def, uint64_t *hash, GrErrorLog *log);

#endif

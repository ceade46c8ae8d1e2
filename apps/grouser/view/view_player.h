/// A recorded run (run.mcap) for clients of Foxglove's protocol: plays, pauses, and jumps to any time.
#ifndef GR_VIEW_PLAYER_H
#define GR_VIEW_PLAYER_H

#include "mcap_read.h"
#include "server.h"

typedef struct GrPlayer GrPlayer;

/// Opens the channels of the recording. NULL: it cannot be read.
GrPlayer *gr_player_open(const char *path, double speed, GrErrorLog *log);
/// The server must have stopped; NULL is allowed.
void gr_player_close(GrPlayer *player);

/// For the server's definition.
GrFoxglove *gr_player_foxglove(const GrPlayer *player);

/// Plays until it is interrupted, or for this time [s]. It starts with the first client, and all clients share it.
void gr_player_run(GrPlayer *player, GrServer *server, double seconds);

#endif

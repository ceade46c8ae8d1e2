/// Ruts of a replay: how the ground changed since they were last asked for, tile by tile (docs/replay.md).
#ifndef GR_REPLAY_RUTS_H
#define GR_REPLAY_RUTS_H

#include "buffer.h"
#include "grouser/sample.h"
#include "grouser/terrain.h"

typedef struct GrReplayRuts GrReplayRuts;

/// `quantum`: heights are rounded to multiples of it [m]. NULL: out of memory.
GrReplayRuts *gr_replay_ruts_create(const GrRuts *ruts, double quantum);
void gr_replay_ruts_free(GrReplayRuts *replay);

/// Appends the payload of a RUTS chunk: the tiles that changed near the wheels of a sample. Nothing is appended when
/// none did.
void gr_replay_ruts_near(GrReplayRuts *replay, const GrSample *sample, int wheel_count, GrBuffer *payload);

/// The same for tiles anywhere, from index `first` on, until there are about a megabyte of them. Returns the index to
/// continue with; 0: all have been looked at. `last`: the run is over, and nothing is remembered any more.
int gr_replay_ruts_some(GrReplayRuts *replay, int first, double time, bool last, GrBuffer *payload);

#endif

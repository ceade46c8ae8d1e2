/// HEAD of a replay: scenario, rover, scene and columns as JSON (docs/replay.md).
#ifndef GR_REPLAY_HEAD_H
#define GR_REPLAY_HEAD_H

#include "replay_mesh.h"
#include "replay_table.h"
#include "run_replay.h"

/// Appends the payload of a HEAD chunk. `origin`: a point near the start; `meshes`: those of the rover.
void gr_replay_put_head(const GrReplayDef *def, const GrReplayTable *table, const GrReplayMeshes *meshes, GrVec3 origin,
                        GrBuffer *payload);

#endif

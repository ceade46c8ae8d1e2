/// HEAD of a replay: scenario, rover, scene and columns as JSON (docs/replay.md).
#ifndef GR_REPLAY_HEAD_H
#define GR_REPLAY_HEAD_H

#include "json.h"
#include "replay_world.h"
#include "run_replay.h"

// Samples of a replay: its list of columns, and blocks of samples column by column (docs/replay.md).

enum { GR_REPLAY_BLOCK = 512 }; ///< most samples in a block

typedef struct GrReplayTable GrReplayTable;

/// Columns: time, poses of all bodies, poses of `rock_count` loose rocks, and every recorded field. NULL: out of
/// memory.
GrReplayTable *gr_replay_table_create(const GrModel *model, int rock_count, unsigned parts);
void gr_replay_table_free(GrReplayTable *table);

/// Keeps the values of a sample; not more than GR_REPLAY_BLOCK between two blocks.
void gr_replay_table_add(GrReplayTable *table, const GrSample *sample);
int gr_replay_table_rows(const GrReplayTable *table);

/// Appends the payload of a DATA chunk with all kept samples, and forgets them.
void gr_replay_table_take(GrReplayTable *table, GrBuffer *payload);

/// Appends the payload of a LIVE chunk: a sample alone, which is not kept.
void gr_replay_table_alone(GrReplayTable *table, const GrSample *sample, GrBuffer *payload);

/// Appends the payload of a HEAD chunk. `origin`: a point near the start; `meshes`: those of the rover.
void gr_replay_put_head(const GrReplayDef *def, const GrReplayTable *table, const GrReplayMeshes *meshes, GrVec3 origin,
                        GrBuffer *payload);

#endif

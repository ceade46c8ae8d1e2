/// The rocks of a large field that belong into a recording: those that are in view from where the rover drives.
///
/// A field may have millions of rocks, far more than a viewer can draw or a run reaches. A rock comes into view at 100
/// times its diameter, where it is half a degree wide. Small fields are in view as a whole.
#ifndef GR_ROCKS_SEEN_H
#define GR_ROCKS_SEEN_H

#include "grouser/model.h"
#include "grouser/terrain.h"

typedef struct GrRocksSeen GrRocksSeen;

/// Number of rocks that the model makes late, and of those of a field among them, which GrRecordDef::rocks has not.
int gr_rocks_seen_total(const GrModel *model);
int gr_rocks_seen_field(const GrModel *model);

/// NULL when out of memory. `terrain` (NULL: none) must live longer; not while another thread loads tiles of it.
GrRocksSeen *gr_rocks_seen_create(const GrModel *model, const GrTerrain *terrain);
void gr_rocks_seen_free(GrRocksSeen *seen);

/// Whether the rover has come far enough for other rocks to be in view.
bool gr_rocks_seen_due(const GrRocksSeen *seen, GrVec3 at);

/// A rock in view, as it stands on the ground; `fresh`: it was not in view before. Returns false to stop.
typedef bool (*GrRockFn)(void *context, int rock, const GrStoneDef *stone, bool fresh);

/// Calls `rock` for every rock in view from here; false: it was stopped. Not while another thread loads tiles.
bool gr_rocks_seen_look(GrRocksSeen *seen, GrVec3 at, GrRockFn rock, void *context);

#endif

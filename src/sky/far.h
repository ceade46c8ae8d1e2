/// What lies beyond a map: the highest points of coarser maps around it, as seen from a few places on it.
#ifndef GR_FAR_H
#define GR_FAR_H

#include "horizon.h"

/// Looks over `around`, which must be in memory, from the corners of `fields` x `fields` equal parts of the map, beyond
/// its borders. `heights` is the map itself. Frame and terrain have the same coordinates. Free the points with
/// gr_free().
GrStatus gr_far_view_make(const GrTerrain *around, const GrHorizonDef *map, int fields, GrFarView *out,
                          GrErrorLog *log);

#endif

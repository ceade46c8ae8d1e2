/// Heights of the ground for several places at once.
#ifndef GR_SURFACE_DROP_H
#define GR_SURFACE_DROP_H

#include "grouser/model.h"

/// Puts points onto a surface, to the bits of its `height`, without ruts. False where one of them has no ground.
bool gr_surface_drop(const GrSurfaceDef *surface, int count, GrVec3 *points);

#endif

/// Heights of the ground at several points at once.
#ifndef GR_SURFACE_DROP_H
#define GR_SURFACE_DROP_H

#include "grouser/model.h"

/// Sets the heights of points to the surface, bitwise equal to its `height`, without ruts. False when one of them has
/// no ground.
bool gr_surface_drop(const GrSurfaceDef *surface, int count, GrVec3 *points);

#endif

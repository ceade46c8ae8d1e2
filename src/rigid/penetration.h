/// How deep two convex shapes are in each other.
#ifndef GR_PENETRATION_H
#define GR_PENETRATION_H

#include "convex.h"

typedef struct GrPenetration {
    double depth;  ///< shortest translation of b that parts the shapes [m]
    GrVec3 normal; ///< its direction: unit, from a to b
    GrVec3 point;  ///< middle of the two surfaces where they are deepest in each other
} GrPenetration;

/// False when the shapes do not overlap. libccd's MPR decides quickly about most pairs that do not; depth and normal
/// are then those of the nearest face of the Minkowski difference: exact for polyhedra; with cylinders to 1e-8 of the
/// size, or an upper bound when they overlap by a good part of their radius. `likely`: they overlapped a moment ago,
/// MPR need not be asked.
bool gr_penetration(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrPenetration *out);

#endif

/// Penetration depth of two convex shapes.
#ifndef GR_PENETRATION_H
#define GR_PENETRATION_H

#include "convex.h"

typedef struct GrPenetration {
    double depth;  ///< shortest translation of b that separates the shapes [m]
    GrVec3 normal; ///< its direction: unit, from a to b
    GrVec3 point;  ///< midpoint between the two surfaces at the deepest penetration
} GrPenetration;

/// False when the shapes do not overlap. libccd's MPR quickly rejects most pairs that do not; depth and normal are then
/// those of the nearest face of the Minkowski difference: exact for polyhedra; with cylinders to 1e-8 of the size, or
/// an upper bound when they overlap by a large fraction of their radius. `likely`: they overlapped in the last step, so
/// MPR is skipped.
bool gr_penetration(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrPenetration *out);

// A polyhedron in the side of a cylinder: nearly always the case for a wheel on a rock, a step or a ramp.

typedef enum GrSideAnswer {
    GR_SIDE_APART,
    GR_SIDE_DEEP,
    GR_SIDE_UNKNOWN, ///< not proved: caps or rims may be nearer, or the axis passes through the polyhedron
} GrSideAnswer;

/// Depth of a cuboid or mesh in the side of a cylinder; `out` is filled, with the cylinder as a, when the answer is
/// GR_SIDE_DEEP. Exact to 1e-8 of the size.
GrSideAnswer gr_cylinder_side(const GrPlacedConvex *cylinder, const GrPlacedConvex *other, GrPenetration *out);

#endif

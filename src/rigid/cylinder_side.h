/// A polyhedron in the side of a cylinder: what a wheel on a rock, a step or a ramp nearly always is.
#ifndef GR_CYLINDER_SIDE_H
#define GR_CYLINDER_SIDE_H

#include "penetration.h"

typedef enum GrSideAnswer {
    GR_SIDE_APART,
    GR_SIDE_DEEP,
    GR_SIDE_UNKNOWN, ///< nothing was proved: caps or rims may be nearer, or the axis goes through the polyhedron
} GrSideAnswer;

/// Depth of a cuboid or mesh in the side of a cylinder; `out` is filled with the cylinder as a, where the answer is
/// GR_SIDE_DEEP. Exact to 1e-8 of the size.
GrSideAnswer gr_cylinder_side(const GrPlacedConvex *cylinder, const GrPlacedConvex *other, GrPenetration *out);

#endif

/// A polyhedron in the side of a cylinder: nearly always the case for a wheel on a rock, a step or a ramp.
#ifndef GR_CYLINDER_SIDE_H
#define GR_CYLINDER_SIDE_H

#include "penetration.h"

typedef enum GrSideAnswer {
    GR_SIDE_APART,
    GR_SIDE_DEEP,
    GR_SIDE_UNKNOWN, ///< not proved: caps or rims may be nearer, or the axis passes through the polyhedron
} GrSideAnswer;

/// Depth of a cuboid or mesh in the side of a cylinder; `out` is filled, with the cylinder as a, when the answer is
/// GR_SIDE_DEEP. Exact to 1e-8 of the size.
GrSideAnswer gr_cylinder_side(const GrPlacedConvex *cylinder, const GrPlacedConvex *other, GrPenetration *out);

#endif

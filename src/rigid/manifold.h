/// Contact points of two overlapping convex shapes.
#ifndef GR_MANIFOLD_H
#define GR_MANIFOLD_H

#include "penetration.h"

enum { GR_MANIFOLD_SIZE = 2 * GR_FEATURE_SIZE };

typedef struct GrManifoldPoint {
    GrVec3 position; ///< midway between the surfaces
    double depth;    ///< > 0
    double weight;   ///< > 0: factor on its stiffness; 1 at the corners of a rectangle
} GrManifoldPoint;

typedef struct GrManifold {
    GrVec3 normal; ///< unit, from a to b
    GrManifoldPoint points[GR_MANIFOLD_SIZE];
    int count; ///< 0: apart
} GrManifold;

/// One point where a corner, a rim or two edges meet; where a face lies on a face or a line, the corners of their
/// common area. `likely`: see gr_penetration().
void gr_manifold(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrManifold *out);

/// Signed distance from a point to a shape, negative inside, and the outward unit normal at the nearest point of its
/// surface; both in the shape's frame.
double gr_convex_distance(const GrConvex *c, GrVec3 point, GrVec3 *normal);

#endif

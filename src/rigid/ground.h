/// Rigid ground, and the points where a shape touches it.
#ifndef GR_GROUND_H
#define GR_GROUND_H

#include "convex.h"

/// Most points of one shape that touch the ground at a time. If a mesh has more, the deepest ones are kept.
enum { GR_GROUND_POINTS = 64 };

/// Height and upward unit normal of the ground at a point; false where there is none.
typedef bool (*GrGroundFn)(const void *context, double x, double y, double *height, GrVec3 *normal);

typedef struct GrRigidGround {
    GrGroundFn at; ///< NULL: no ground
    const void *context;
} GrRigidGround;

/// Points of one shape in the ground. `feature` identifies a point of a shape and does not change from step to step.
typedef struct GrGroundPoint {
    GrVec3 position; ///< midway between the surfaces
    GrVec3 normal;
    double depth;  ///< > 0
    double weight; ///< (0, 1] factor on its stiffness
    int feature;
} GrGroundPoint;

/// A sphere touches at one point; a cylinder at three places along its side, or with sixteen points of each rim when it
/// stands on a cap, with a smooth transition; a cuboid with a grid of 26 points and a mesh with its corners and the
/// centres of its faces. Writes at most GR_GROUND_POINTS points and returns their number. `gap` is the height of the
/// nearest of them above the ground, 0 in contact, INFINITY where there is none.
int gr_ground_points(const GrRigidGround *ground, const GrPlacedConvex *p, GrGroundPoint *out, double *gap);

/// Largest number of points that gr_ground_points() writes for this shape.
int gr_ground_most_points(const GrConvex *c);

#endif

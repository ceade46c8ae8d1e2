/// The ground as contact sees it, and where a shape touches it.
#ifndef GR_GROUND_H
#define GR_GROUND_H

#include "convex.h"

/// Most points of one shape that touch the ground at a time. Of a mesh that is deeper in, the deepest ones are kept.
enum { GR_GROUND_POINTS = 64 };

/// Height and upward unit normal of the ground at a place; false where there is none.
typedef bool (*GrGroundFn)(const void *context, double x, double y, double *height, GrVec3 *normal);

typedef struct GrRigidGround {
    GrGroundFn at; ///< NULL: no ground
    const void *context;
} GrRigidGround;

/// Points of one shape in the ground. `feature` tells the points of a shape apart, and stays the same from step to
/// step.
typedef struct GrGroundPoint {
    GrVec3 position; ///< in the middle between the surfaces
    GrVec3 normal;
    double depth;  ///< > 0
    double weight; ///< (0, 1] of its stiffness
    int feature;
} GrGroundPoint;

/// A sphere touches at one point; a cylinder at three places along its side, or with sixteen points of each rim when it
/// stands on a cap, and smoothly between; a cuboid with a grid of 26 points and a mesh with its corners and the middles
/// of its faces. Writes at most GR_GROUND_POINTS points and returns how many. `gap` is how far the nearest of them is
/// above the ground, 0 in contact, INFINITY where there is none.
int gr_ground_points(const GrRigidGround *ground, const GrPlacedConvex *p, GrGroundPoint *out, double *gap);

/// The most that gr_ground_points() writes for this shape.
int gr_ground_most_points(const GrConvex *c);

#endif

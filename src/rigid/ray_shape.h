/// Rays against convex shapes, exactly, against many of them through a tree of bounds, and against a world.
#ifndef GR_RAY_SHAPE_H
#define GR_RAY_SHAPE_H

#include "bounds_tree.h"
#include "rigid.h"

/// Points from + t along for t in [begin, end].
typedef struct GrRay {
    GrVec3 from, along; ///< `along` may have any length
    double begin, end;
} GrRay;

/// Where the ray enters a shape, with t in [begin, end], and the outward unit normal there. A shape that encloses the
/// beginning of the ray is not entered.
bool gr_ray_convex(const GrPlacedConvex *shape, const GrRay *ray, double *t, GrVec3 *normal);

/// A set of shapes. Zero-initialise it.
typedef struct GrRayShapes {
    GrPlacedConvex *items; ///< owned; their shapes are not, unless they point into `own`
    GrBounds *bounds;
    int *order;
    GrBoundsNode *nodes;
    int count, capacity;
} GrRayShapes;

void gr_ray_shapes_free(GrRayShapes *shapes);
void gr_ray_shapes_clear(GrRayShapes *shapes);

/// False when out of memory.
bool gr_ray_shapes_add(GrRayShapes *shapes, const GrPlacedConvex *item);

/// Builds the tree, after all were added.
void gr_ray_shapes_build(GrRayShapes *shapes);

/// The first shape that the ray enters; −1: none.
int gr_ray_shapes_cast(const GrRayShapes *shapes, const GrRay *ray, double *t, GrVec3 *normal);

/// Whether the ray enters any of them.
bool gr_ray_shapes_hide(const GrRayShapes *shapes, const GrRay *ray);

// A ray through the rocks and parts of a world, for what lies in the light.

/// Whether a rock or a part stands in the way of a ray. Late rocks are made where the ray passes over their circles;
/// one whose ground is not in memory is not there yet.
bool gr_rigid_hides(const GrRigidWorld *world, const GrRigidState *state, const GrRay *ray);

#endif

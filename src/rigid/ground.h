/// Ground below bodies: rigid, with the points where a shape touches it, and soil under loose bodies.
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

// Soil under loose bodies: pressure over the part of a convex mesh that is below the ground.

/// Soil at a point, for a plate of a given width.
typedef struct GrSoftSoil {
    double modulus;  ///< P of the pressure P z^n [N/m^(n+2)]
    double exponent; ///< n
    double cohesion; ///< [Pa]
    double tan_phi;  ///< of the angle of friction
    double rebound;  ///< fraction of the sinkage that is recovered on unloading, (0, 1)
} GrSoftSoil;

/// `width` is that of the plate, 2 area/perimeter [m]. False where the ground is rigid.
typedef bool (*GrSoftSoilFn)(const void *context, double x, double y, double width, GrSoftSoil *out);

typedef struct GrSoftGround {
    GrSoftSoilFn at; ///< NULL: the ground is rigid for loose bodies too
    const void *context;
} GrSoftGround;

/// A quarter of the patch, about the line through the body's origin.
enum { GR_SOFT_POINTS = 4 };

typedef struct GrSoftPoint {
    GrVec3 position;  ///< centre of its pressure
    double depth;     ///< mean weighted by pressure [m]
    double force;     ///< of the pressure [N]
    double stiffness; ///< ∂force/∂depth [N/m]
    double friction;  ///< ratio of the shear strength to `force`
    double radius;    ///< of a circle of its area [m]
    int feature;      ///< 0 … 3
} GrSoftPoint;

typedef struct GrSoftPatch {
    bool rigid;    ///< the ground is rigid here
    double depth;  ///< of the lowest point below the ground [m]; ≤ 0: it does not touch
    double radius; ///< of a circle of the patch's area [m]
    GrVec3 normal; ///< of the ground
    GrSoftPoint points[GR_SOFT_POINTS];
    int count;
} GrSoftPatch;

/// `sunk`: largest depth of the lowest point here so far [m].
void gr_soft_patch(const GrSoftGround *soft, const GrRigidGround *ground, const GrPlacedConvex *p, double sunk,
                   GrSoftPatch *out);

/// Distance by which a body must be lowered from `p` so that fresh soil carries `weight` [N]; 0 on rigid ground.
double gr_soft_rest(const GrSoftGround *soft, const GrRigidGround *ground, const GrPlacedConvex *p, double weight);

#endif

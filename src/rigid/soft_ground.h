/// Soil under loose bodies: pressure over the part of a convex mesh that is below the ground.
#ifndef GR_SOFT_GROUND_H
#define GR_SOFT_GROUND_H

#include "ground.h"

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

/// The surface of a wheel of any shape as small pieces for 3D-RFT.
#ifndef GR_RFT_SURFACE_H
#define GR_RFT_SURFACE_H

#include "grouser/soil.h"

#include <stdatomic.h>

/// A triangle in the wheel frame, at the wheel's angle 0.
typedef struct GrSurfacePiece {
    GrVec3 corner[3];
    GrVec3 middle, normal; ///< normal: unit, out of the wheel
    double angle;          ///< of the middle, from the bottom forward, 0 … 2π
    double area;           ///< [m²]
    double reach;          ///< of the corners from the middle [m]
    bool recessed;         ///< between the tips of grousers, where soil may move with the wheel
} GrSurfacePiece;

/// Constant once it is made, so that wheels, models and threads may share it.
struct GrWheelSurface {
    atomic_int users;
    GrSurfacePiece *pieces; ///< by angle
    int count, capacity;
    double outer;  ///< radius of the tips [m]
    double inner;  ///< radius of the rim between grousers, in the middle plane; `outer` without grousers [m]
    double width;  ///< [m]
    int grousers;  ///< around the middle plane
    double tipped; ///< share of the circumference that the tips take
};

/// Index of the first piece at `angle` or beyond, taken modulo 2π; `count` if there is none.
int gr_wheel_surface_from(const GrWheelSurface *surface, double angle);

/// Integrals over a triangle whose depth is linear: of the depth where it is above 0, over the triangle's area [m], and
/// the share of the area there, with its derivative by the depth [1/m].
typedef struct GrWetted {
    double depth, share, share_d;
} GrWetted;

/// `depth`: at the three corners [m].
GrWetted gr_wetted(const double depth[3]);

#endif

/// The ground under a wheel (K23 3.1-3.3).
#ifndef GR_WHEEL_GROUND_H
#define GR_WHEEL_GROUND_H

#include "grouser/model.h"
#include "grouser/terrain.h"

#include "contact_frame.h"
#include "model_data.h"

/// The ground as wheels see it.
typedef struct GrGroundView {
    const GrSurfaceDef *surface;
    const GrRuts *ruts; ///< added to its height; NULL: none
} GrGroundView;

typedef struct GrWheelGround {
    GrContactFrame frame;         ///< world axes; z is the normal
    GrVec3 normal;                ///< of the contact plane, upward
    GrVec3 point;                 ///< point on the plane below the wheel
    GrVec3 slices[GR_SLICES_MAX]; ///< point on the ground for each slice, from −y to +y
} GrWheelGround;

/// Front angle of a wheel at this sinkage [rad], bounded so that the points of the ground are neither all in one place
/// nor outside the wheel.
double gr_wheel_front_angle(double sinkage, double radius);

/// Height and unit normal of the ground at a place, ruts included. False where there is none.
bool gr_ground_at(const GrGroundView *view, double x, double y, double *z, GrVec3 *normal);

/// Plane through three points of the ground: below both front edges of the wheel where soil enters at angle `theta`,
/// and in the middle behind (K23 eq. 3.1-3.3). They are found twice, for a wheel on level ground and then on the plane
/// found first, so that no memory between steps is needed. Continuous heights give a continuous plane. False where
/// there is no ground.
bool gr_wheel_ground(const GrGroundView *view, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, double sinkage,
                     GrWheelGround *out);

// Heights of the ground at several points at once.

/// Sets the heights of points to the surface, bitwise equal to its `height`, without ruts. False when one of them has
/// no ground.
bool gr_surface_drop(const GrSurfaceDef *surface, int count, GrVec3 *points);

// The functions of GrSurfaceDef for terrains and soil maps; public so that a GPU can have its own in their place.

bool gr_height_of_terrain(const void *terrain, double x, double y, double *z, GrVec3 *normal);
/// Without rigid layers.
bool gr_height_of_soil(const void *terrain, double x, double y, double *z, GrVec3 *normal);
bool gr_soils_of_map(const void *map, double x, double y, GrSoilMix *mix);

#endif

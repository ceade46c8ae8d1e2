/// A ray through the rocks and parts of a world, for what lies in the light.
#ifndef GR_WORLD_RAY_H
#define GR_WORLD_RAY_H

#include "ray_shape.h"
#include "rigid.h"

/// Whether a rock or a part stands in the way of a ray. Late rocks are made where the ray passes over their circles;
/// one whose ground is not in memory is not there yet.
bool gr_rigid_hides(const GrRigidWorld *world, const GrRigidState *state, const GrRay *ray);

#endif

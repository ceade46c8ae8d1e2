/// A rover as URDF text, for tools that read it: /robot_description of ROS 2.
#ifndef GR_URDF_WRITE_H
#define GR_URDF_WRITE_H

#include "buffer.h"
#include "grouser/rover.h"

/// Name of the root of the URDF and of the rover's frame: "base_link" of REP 105, a link without mass that is fixed to
/// body 0; the name of body 0 where a body has that name already.
const char *gr_urdf_base(const GrRoverDef *rover);

/// Appends the rover: links with mass and inertia, shapes and wheels as boxes, cylinders and spheres, joints with end
/// stops, damping and friction, couplings as <mimic>. The hull of a mesh becomes its box. A joint of several degrees
/// of freedom, or a screw, becomes <joint type="floating">, since URDF has none of these.
void gr_urdf_write(const GrRoverDef *rover, GrBuffer *out);

#endif

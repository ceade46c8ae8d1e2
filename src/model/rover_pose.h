/// Poses of a rover's bodies and its total mass properties: kinematics on the definition alone, for drawings and
/// summaries. The engine has faster kinematics of its own; a test checks that both agree.
#ifndef GR_ROVER_POSE_H
#define GR_ROVER_POSE_H

#include "grouser/rover.h"

/// Joint positions at the start: `initial`, and what the couplings make of it. `positions` has one entry a joint.
/// GR_ERROR_MODEL when couplings form a cycle.
GrStatus gr_rover_initial_positions(const GrRoverDef *rover, double *positions, GrErrorLog *log);

/// Pose of every body in the frame of body 0, for the given joint positions; bodies and joints may be in any order.
/// GR_ERROR_MODEL when a body is not connected to body 0.
GrStatus gr_rover_body_poses(const GrRoverDef *rover, const double *positions, GrPose *poses, GrErrorLog *log);

typedef struct GrMassProperties {
    double mass;    ///< [kg]
    GrVec3 com;     ///< in the frame of body 0 [m]
    GrSym3 inertia; ///< about the centre of mass, axes of body 0 [kg m²]
} GrMassProperties;

GrMassProperties gr_rover_mass_properties(const GrRoverDef *rover, const GrPose *poses);

/// Generalised speeds: 6 for the base, one for each joint that moves and does not follow another.
int gr_rover_degrees_of_freedom(const GrRoverDef *rover);

#endif

/// Where the bodies of a rover stand, and what they weigh together: kinematics over the definition alone, for drawings
/// and summaries. The engine has its own, faster way; a test holds the two equal.
#ifndef GR_ROVER_POSE_H
#define GR_ROVER_POSE_H

#include "grouser/rover.h"

/// Joint positions at the start: `initial`, and coupling by coupling what follows from it. `positions` has one entry a
/// joint. GR_ERROR_MODEL when couplings run in a circle.
GrStatus gr_rover_initial_positions(const GrRoverDef *rover, double *positions, GrErrorLog *log);

/// Pose of every body in the frame of body 0, for the given joint positions; bodies and joints may stand in any order.
/// GR_ERROR_MODEL when a body does not hang on body 0.
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

/// Rovers: names of kinds, copies.
#ifndef GR_ROVER_DEF_H
#define GR_ROVER_DEF_H

#include "grouser/rover.h"

enum { GR_JOINT_ROLES = 4, GR_GROUSER_PATTERNS = 3, GR_MOTOR_KINDS = 6 };

/// By GrJointRole.
extern const char *const gr_joint_role_names[GR_JOINT_ROLES];
/// By GrGrouserPattern.
extern const char *const gr_grouser_pattern_names[GR_GROUSER_PATTERNS];
/// By GrMotorKind.
extern const char *const gr_motor_kind_names[GR_MOTOR_KINDS];

/// A copy that owns its parts. False, and an empty rover, when out of memory, or when the rover has meshes, which are
/// not copied.
bool gr_rover_copy(GrRoverDef *to, const GrRoverDef *from);

#endif

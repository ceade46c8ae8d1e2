/// Names of a rover's enumerations in files, messages and recordings.
#ifndef GR_ROVER_NAMES_H
#define GR_ROVER_NAMES_H

enum { GR_JOINT_ROLES = 4, GR_GROUSER_PATTERNS = 3, GR_MOTOR_KINDS = 6 };

/// By GrJointRole.
extern const char *const gr_joint_role_names[GR_JOINT_ROLES];
/// By GrGrouserPattern.
extern const char *const gr_grouser_pattern_names[GR_GROUSER_PATTERNS];
/// By GrMotorKind.
extern const char *const gr_motor_kind_names[GR_MOTOR_KINDS];

#endif

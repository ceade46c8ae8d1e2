#include "rover_names.h"

#include "grouser/rover.h"

const char *const gr_joint_role_names[GR_JOINT_ROLES] = {
    [GR_ROLE_PASSIVE] = "passive", [GR_ROLE_DRIVE] = "drive", [GR_ROLE_STEER] = "steer", [GR_ROLE_WALK] = "walk"};

const char *const gr_grouser_pattern_names[GR_GROUSER_PATTERNS] = {
    [GR_GROUSERS_STRAIGHT] = "straight", [GR_GROUSERS_SLANTED] = "slanted", [GR_GROUSERS_CHEVRON] = "chevron"};

const char *const gr_motor_kind_names[GR_MOTOR_KINDS] = {
    [GR_MOTOR_NONE] = "none", [GR_MOTOR_TORQUE] = "torque", [GR_MOTOR_SPEED] = "speed",
    [GR_MOTOR_PID] = "pid",   [GR_MOTOR_DC] = "dc",         [GR_MOTOR_POSITION] = "position"};

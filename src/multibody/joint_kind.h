/// Kinds of joints, one row of a table each.
///
/// A kind is a chain of axes from parent to child. Each axis has one velocity u and is one body of the tree; all bodies
/// of the chain but the last have no mass. The stages of the equations of motion therefore need not distinguish kinds:
/// every body has one unit twist. Three consecutive axes of motion SPHERICAL are one rotation in space: their
/// velocities are the angular velocity in the axes of the joint's frame, their position is one quaternion.
///
///     free    parent -- x -- y -- z -- [rx ry rz] -- child
///
/// The rows are in joint_force.c; files, messages, `show rover` and recordings take names, axes and units from there.
#ifndef GR_JOINT_KIND_H
#define GR_JOINT_KIND_H

#include "grouser/rover.h"

#include <stddef.h>

/// How one axis moves the body that it carries.
typedef enum GrMotion {
    GR_MOTION_REVOLUTE,
    GR_MOTION_PRISMATIC,
    GR_MOTION_SCREW,     ///< rotates by the position and advances by pitch times position
    GR_MOTION_SPHERICAL, ///< one of the three axes of a rotation in space
} GrMotion;

/// Properties that a definition of this kind may have besides its motion.
enum {
    GR_JOINT_TAKES_SPRING = 1, ///< stiffness, damping
    GR_JOINT_TAKES_ALONG =
        2, ///< properties that need a scalar position: limits, rest, friction, motor, role, coupling, initial
    GR_JOINT_TAKES_AXIS = 4, ///< z of its frame is the definition's `axis`
    GR_JOINT_TAKES_PITCH = 8,
    GR_JOINT_TAKES_ROTATION = 16, ///< initial_pose.rotation
    GR_JOINT_TAKES_PLACE = 32,    ///< initial_pose.position
    GR_JOINT_TAKES_WHEEL = 64,    ///< its body may be a wheel
};

enum { GR_JOINT_AXES_MAX = 6 };

typedef struct GrJointAxis {
    const char *suffix; ///< recordings call the axis JOINT.suffix; "" for a single axis
    GrMotion motion;
    int along; ///< 0, 1, 2: x, y, z of the joint's frame, whose z is the definition's `axis` where it has one
} GrJointAxis;

typedef struct GrJointKindRow {
    const char *name; ///< in files
    const char *text; ///< what it is, for lists
    int axis_count;
    GrJointAxis axes[GR_JOINT_AXES_MAX];
    bool separates;  ///< parent and child are not held together, so that they can touch each other
    unsigned takes;  ///< GR_JOINT_TAKES_…
    const char *may; ///< what it may have, for messages; NULL: nearly everything
} GrJointKindRow;

/// The row of a kind; kinds are numbered 0 .. GR_JOINT_KIND_COUNT − 1.
const GrJointKindRow *gr_joint_kind(GrJointKind kind);

/// Writes the message for a joint of a kind that lacks GR_JOINT_TAKES_… `bit`: which kinds have it, and what this one
/// may have.
void gr_joint_refusal(GrJointKind kind, unsigned bit, char *out, size_t size);

/// Whether the position along an axis is a distance [m]; otherwise it is an angle [rad].
static inline bool gr_motion_slides(GrMotion motion)
{
    return motion == GR_MOTION_PRISMATIC;
}

/// Whether the only position of a joint of this kind is a distance.
static inline bool gr_joint_kind_slides(GrJointKind kind)
{
    return gr_joint_kind(kind)->axis_count == 1 && gr_motion_slides(gr_joint_kind(kind)->axes[0].motion);
}

/// Whether a joint of this kind has a scalar position and so can have limits, a motor, a role, a coupling.
static inline bool gr_joint_kind_is_scalar(GrJointKind kind)
{
    return gr_joint_kind(kind)->axis_count == 1;
}

#endif

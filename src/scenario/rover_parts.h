/// The parts of a rover file. A YAML rover and the side file of a URDF share them.
#ifndef GR_ROVER_PARTS_H
#define GR_ROVER_PARTS_H

#include "schema.h"

#include "grouser/rover.h"

// The tables of rover_keys.c: of GrPose, GrShapeDef, GrSym3, GrBodyDef, GrWheelDef and GrLocalisationDef.
extern const GrKey gr_pose_keys[], gr_shape_keys[], gr_inertia_keys[], gr_body_keys[], gr_wheel_keys[];
extern const GrKey gr_localisation_keys[];

/// A number of a joint or motor, whose key and unit depend on whether the joint turns or slides.
typedef struct GrJointQuantity {
    GrKey key;           ///< of joints that turn
    const char *sliding; ///< name for those that slide
    unsigned needs;      ///< of the kind of joint: bits of GR_JOINT_TAKES_…
} GrJointQuantity;

/// Of GrJointDef and GrMotorDef; the last has no name.
extern const GrJointQuantity gr_joint_quantities[], gr_motor_quantities[];

/// A mapping with one of box, cylinder, sphere, rod, mesh: adds its shape to a body, or the convex parts of a mesh;
/// where `drawn`, with a shape that shows the whole mesh.
void gr_read_shapes(GrNode *node, bool drawn, GrBodyDef *out);

/// mass_kg, com_m, inertia_kgm2 or inertia_of, shapes. False when there was no valid mass.
bool gr_read_body(GrNode *node, GrBodyDef *body);

/// kind, name, at_m, rotation_deg, axis, and what gr_read_joint_dynamics() reads.
void gr_read_joint(GrNode *node, GrJointDef *joint);

/// Role, limits, springs, dampers, friction, initial position, motor: keys with the units of the joint's kind.
void gr_read_joint_dynamics(GrNode *node, GrJointDef *joint);

/// name, title and notes of the root. The name defaults to the file's name without folder and ending.
void gr_read_heading(GrNode *root, GrRoverDef *rover);

/// wheels and couplings of the root, after bodies and joints were read.
void gr_read_wheels(GrNode *root, GrRoverDef *rover);
void gr_read_couplings(GrNode *root, GrRoverDef *rover);

/// sensors of the root, after bodies and joints were read.
void gr_read_sensors(GrNode *root, GrRoverDef *rover);
/// localisation of the root, after sensors were read.
void gr_read_localisation(GrNode *root, GrRoverDef *rover);

/// Index of a body or joint by its name; −1 when there is none.
int gr_find_body(const GrRoverDef *rover, const char *name);
int gr_find_joint(const GrRoverDef *rover, const char *name);

/// The same for the name in a node; reports an unknown one and suggests the nearest.
int gr_read_body_name(GrNode *node, const GrRoverDef *rover);
int gr_read_joint_name(GrNode *node, const GrRoverDef *rover);
int gr_read_sensor_name(GrNode *node, const GrRoverDef *rover);

/// Warns about keys that were read but have no effect, parameters included; all of the rover must have been read.
void gr_rover_warn_ignored(const GrNode *root, const GrRoverDef *rover);

#endif

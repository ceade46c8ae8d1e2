/// Definition of a rover: what a file, or a C caller, fills before `gr_model_create()` checks it.
///
/// A rover is a tree of bodies. Body 0 is the chassis and floats freely; every other body is attached to its parent by
/// one joint. Frames: x forward, y left, z up (REP-103). All units SI, angles in radians.
///
///        parent frame --(at, rotation)--> joint frame --(joint motion about/along axis)--> child body frame
///
/// At joint position 0 the child's body frame coincides with the joint frame.
///
/// Example: a box with one driven wheel ahead of it.
///
///     GrRoverDef rover = gr_default_rover_def();
///     GrBodyDef box = gr_default_body_def(), rim = gr_default_body_def();
///     snprintf(box.name, sizeof box.name, "chassis");
///     box.mass = 10;
///     box.inertia = gr_inertia_box(10, (GrVec3){0.6, 0.4, 0.2});
///     snprintf(rim.name, sizeof rim.name, "rim");
///     rim.mass = 1;
///     rim.inertia = gr_inertia_cylinder_y(1, 0.1, 0.08);
///     GrJointDef axle = gr_default_joint_def();
///     snprintf(axle.name, sizeof axle.name, "axle");
///     axle.role = GR_ROLE_DRIVE;
///     axle.parent = gr_rover_add_body(&rover, &box);
///     axle.child = gr_rover_add_body(&rover, &rim);
///     axle.pose.position = (GrVec3){0.4, 0, 0};
///     axle.axis = (GrVec3){0, 1, 0};
///     gr_rover_add_joint(&rover, &axle);
///     GrWheelDef wheel = gr_default_wheel_def();
///     snprintf(wheel.name, sizeof wheel.name, "wheel");
///     wheel.body = axle.child;
///     wheel.radius = 0.1;
///     wheel.width = 0.08;
///     gr_rover_add_wheel(&rover, &wheel);
///     printf("%d bodies, %d wheel\n", rover.body_count, rover.wheel_count); // prints: 2 bodies, 1 wheel
///     gr_rover_free(&rover);
#ifndef GROUSER_ROVER_H
#define GROUSER_ROVER_H

#include "grouser/status.h"
#include "grouser/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_NAME_SIZE = 64, GR_NOTE_SIZE = 256 };

/// Whether a number was published, derived from published numbers, or assumed by the author of the file.
typedef enum GrConfidence { GR_PUBLISHED, GR_DERIVED, GR_ASSUMED } GrConfidence;

/// A remark that the user sees with the rover: where numbers come from, what was assumed.
typedef struct GrNote {
    GrConfidence confidence;
    char text[GR_NOTE_SIZE];
} GrNote;

typedef enum GrShapeKind {
    GR_SHAPE_BOX,
    GR_SHAPE_CYLINDER,
    GR_SHAPE_SPHERE,
    GR_SHAPE_ROD,
    GR_SHAPE_MESH, ///< the convex hull of a mesh
} GrShapeKind;

/// What a body looks like, and what of it touches ground and rocks. Does not enter its mass.
typedef struct GrShapeDef {
    GrShapeKind kind;
    GrPose pose;                 ///< in the body frame; a cylinder's axis is the shape's y axis
    GrVec3 size;                 ///< box: full edge lengths [m]
    double radius;               ///< cylinder, sphere, rod [m]
    double length;               ///< cylinder: along its axis [m]
    GrVec3 from;                 ///< rod: one end in the body frame [m]
    GrVec3 to;                   ///< rod: other end [m]
    struct GrConvexMesh *hull;   ///< mesh: made by gr_shape_set_mesh(); owned by the body or the part
    char material[GR_NAME_SIZE]; ///< of the scene; "" (default), or one that it does not know: by its group
    char group[GR_NAME_SIZE];    ///< collision group; "" (default): that of its kind, see GrSceneDef::no_contact
    bool only_drawn;             ///< touches nothing: <visual> of a URDF whose link has <collision> too. Default false
    bool only_touches;           ///< is not drawn: <collision> of such a link. Default false
} GrShapeDef;

typedef struct GrBodyDef {
    char name[GR_NAME_SIZE];
    double mass;        ///< [kg] > 0; 0 is allowed for a massless frame that is fixed to its parent
    GrVec3 com;         ///< centre of mass in the body frame [m]
    GrSym3 inertia;     ///< about the centre of mass, body axes [kg m^2]
    GrShapeDef *shapes; ///< owned
    int shape_count;
} GrBodyDef;

/// How a joint lets its child move. z is the joint's `axis`; x and y are those of the joint frame, turned with z by the
/// shortest turn that brings it to the axis. Where there is no axis, x, y and z are those of the joint frame. The
/// position of a joint with several degrees of freedom has one number for each of its axes, in the order given here;
/// rotations in space are rotation vectors.
typedef enum GrJointKind {
    GR_JOINT_FIXED,
    GR_JOINT_REVOLUTE,    ///< turns about z [rad]
    GR_JOINT_PRISMATIC,   ///< slides along z [m]
    GR_JOINT_SCREW,       ///< turns about z [rad] and advances along it by `pitch`
    GR_JOINT_UNIVERSAL,   ///< no axis: turns about x, then about the turned y [rad, rad]
    GR_JOINT_CYLINDRICAL, ///< slides along z [m] and turns about it [rad]
    GR_JOINT_PLANAR,      ///< slides along x and y [m, m] and turns about z [rad]
    GR_JOINT_SPHERICAL,   ///< no axis: turns every way [rad, rad, rad]
    GR_JOINT_FREE,        ///< no axis: moves along x, y and z [m] and turns every way [rad]
    GR_JOINT_KIND_COUNT
} GrJointKind;

/// What a joint is for. Control looks joints up by role.
typedef enum GrJointRole { GR_ROLE_PASSIVE, GR_ROLE_DRIVE, GR_ROLE_STEER, GR_ROLE_WALK } GrJointRole;

typedef enum GrMotorKind {
    GR_MOTOR_NONE,   ///< free joint
    GR_MOTOR_TORQUE, ///< command is the torque [N m] (or force [N]), limited by torque_limit
    GR_MOTOR_SPEED,  ///< ideal: the joint has the commanded speed exactly, whatever torque it takes
    GR_MOTOR_PID, ///< speed controller: torque = kp e + ki ∫e dt + kd ė, e = command − speed, limited by torque_limit
    GR_MOTOR_DC,       ///< speed controller on a DC motor: |torque| bounded by the line stall torque .. no-load speed
    GR_MOTOR_POSITION, ///< servo: torque = kp (command − position) + ki ∫ − kd speed, limited by torque_limit
} GrMotorKind;

typedef struct GrMotorDef {
    GrMotorKind kind;
    double kp;            ///< SPEED controllers [N m s/rad], POSITION [N m/rad]
    double ki;            ///< SPEED controllers [N m/rad], POSITION [N m/(rad s)]
    double kd;            ///< SPEED controllers [N m s²/rad], POSITION [N m s/rad]
    double torque_limit;  ///< [N m]; INFINITY: none
    double stall_torque;  ///< DC [N m] at the joint, gear included
    double no_load_speed; ///< DC [rad/s] at the joint
    double rotor_inertia; ///< motor inertia reflected to the joint [kg m²]
} GrMotorDef;

typedef struct GrJointDef {
    char name[GR_NAME_SIZE];
    GrJointKind kind;
    GrJointRole role;
    int parent;            ///< index of the parent body
    int child;             ///< index of the child body; every body but 0 is the child of exactly one joint
    GrPose pose;           ///< joint frame in the parent's body frame
    GrVec3 axis;           ///< in the joint frame; need not be unit, must not be zero. Not read where the kind has none
    double lower, upper;   ///< end stops [rad or m]; −INFINITY, INFINITY: none
    double stop_stiffness; ///< of the end stops [N m/rad or N/m]
    double stop_damping;   ///< [N m s/rad or N s/m]
    double stiffness;      ///< spring towards `rest` [N m/rad or N/m]; spherical: times the rotation vector
    double damping;        ///< viscous [N m s/rad or N s/m]; universal, spherical: about each axis
    double rest;           ///< where the spring is relaxed [rad or m]
    double friction;       ///< Coulomb friction, holds without creep [N m or N]
    double friction_travel; ///< elastic travel before friction slips [rad or m]
    double initial;         ///< position at the start of a run [rad or m]
    double pitch;           ///< screw: advance along the axis over the angle [m/rad], not 0
    GrPose initial_pose;    ///< spherical, free: child's frame in the joint frame at the start. Default: the same
    GrMotorDef motor;
} GrJointDef;

/// position(joint) = ratio * position(of) + offset, exactly (a differential: ratio −1).
typedef struct GrCouplingDef {
    int joint; ///< the joint that follows
    int of;    ///< the joint that leads
    double ratio;
    double offset; ///< [rad or m]
} GrCouplingDef;

typedef enum GrGrouserPattern { GR_GROUSERS_STRAIGHT, GR_GROUSERS_SLANTED, GR_GROUSERS_CHEVRON } GrGrouserPattern;

typedef struct GrWheelDef {
    char name[GR_NAME_SIZE];
    int body;                 ///< the body that is the wheel
    GrPose pose;              ///< wheel frame in that body: origin at the wheel centre, y along the axle
    double radius;            ///< [m] of the smooth rim
    double width;             ///< [m]
    int grouser_count;        ///< 0: smooth
    double grouser_height;    ///< [m]
    double grouser_thickness; ///< [m]
    double stiffness;         ///< radial stiffness of a flexible wheel [N/m]; INFINITY: rigid
    double damping;           ///< radial damping of a flexible wheel [N s/m]
    bool rimless; ///< no rim: on what is rigid the wheel is the shapes of its body, spokes and feet; on soil
                  ///< it still is a cylinder of its radius. Default false
    // On what is rigid, where the scene takes wheels with their grousers or as meshes:
    double crown;                     ///< by how much the rim's edges lie below its middle [m]; default 0: flat
    GrGrouserPattern grouser_pattern; ///< default: straight
    double grouser_angle;             ///< slanted, chevron: against the axle [rad], (−80°, 80°); default 20°
    char material[GR_NAME_SIZE];      ///< of the scene; "" (default), or one that it does not know: by its group
    char group[GR_NAME_SIZE];         ///< collision group; "" (default): wheels
    GrVec3 *mesh;                     ///< corners of a convex hull in the wheel frame; NULL: by the sizes above.
    int mesh_count;                   ///< Allocated with gr_malloc(), and freed with the rover
} GrWheelDef;

typedef struct GrRoverDef {
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    GrBodyDef *bodies;
    int body_count;
    GrJointDef *joints;
    int joint_count;
    GrCouplingDef *couplings;
    int coupling_count;
    GrWheelDef *wheels;
    int wheel_count;
    GrNote *notes;
    int note_count;
} GrRoverDef;

/// Definitions with every field at its default; start from these, not from zero.
GR_API GrBodyDef gr_default_body_def(void);
GR_API GrShapeDef gr_default_shape_def(void);
GR_API GrMotorDef gr_default_motor_def(void);
GR_API GrJointDef gr_default_joint_def(void);
GR_API GrWheelDef gr_default_wheel_def(void);
GR_API GrRoverDef gr_default_rover_def(void);

/// Append a copy of an item; returns its index, or −1 when out of memory. An added body takes ownership of `shapes`.
GR_API int gr_rover_add_body(GrRoverDef *rover, const GrBodyDef *body);
GR_API int gr_rover_add_joint(GrRoverDef *rover, const GrJointDef *joint);
GR_API int gr_rover_add_coupling(GrRoverDef *rover, const GrCouplingDef *coupling);
GR_API int gr_rover_add_wheel(GrRoverDef *rover, const GrWheelDef *wheel);
GR_API int gr_rover_add_note(GrRoverDef *rover, const GrNote *note);
GR_API int gr_body_add_shape(GrBodyDef *body, const GrShapeDef *shape);

/// Makes a shape the convex hull of points [m], in the shape's frame. GR_ERROR_VALUE when they span no volume.
GR_API GrStatus gr_shape_set_mesh(GrShapeDef *shape, const GrVec3 *points, int count, GrErrorLog *log);

/// Frees the shapes and what they own.
GR_API void gr_shapes_free(GrShapeDef *shapes, int count);

/// Frees what the definition owns and resets it to the default.
GR_API void gr_rover_free(GrRoverDef *rover);

/// Inertia of uniform solids about their centre of mass, axes of the shape.
GR_API GrSym3 gr_inertia_box(double mass, GrVec3 size);
GR_API GrSym3 gr_inertia_cylinder_y(double mass, double radius, double length);
GR_API GrSym3 gr_inertia_sphere(double mass, double radius);

/// Reads a rover by the name of a shipped one or by the path of a file (whatever has a dot or a slash is a path): YAML,
/// or a URDF with its side file (docs/rovers.md); all problems go to `log`.
/// `overrides` is NULL or a NULL-terminated list of "path=value" that replace values of the file.
GR_API GrStatus gr_rover_load(const char *name_or_path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

/// Definition of a rover: plain structs that a file or a C caller fills and gr_model_create() checks.
///
/// A rover is a tree of bodies. Body 0 is the chassis, which floats freely. Every other body is attached to its parent
/// by one joint. Frames: x forward, y left, z up (REP-103). All units are SI, angles are in radians.
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

enum { GR_NAME_SIZE = 256, GR_NOTE_SIZE = 256 };

/// Whether a value was published, derived from published values, or assumed by the author of the file.
typedef enum GrConfidence { GR_PUBLISHED, GR_DERIVED, GR_ASSUMED } GrConfidence;

/// A remark shown with the rover: sources of values, assumptions.
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

/// Geometry of a body for drawing and for contact with ground and rocks. It does not affect the mass.
typedef struct GrShapeDef {
    GrShapeKind kind;
    GrPose pose;                 ///< in the body frame; a cylinder's axis is the shape's y axis
    GrVec3 size;                 ///< box: full edge lengths [m]
    double radius;               ///< cylinder, sphere, rod [m]
    double length;               ///< cylinder: along its axis [m]
    GrVec3 from;                 ///< rod: one end in the body frame [m]
    GrVec3 to;                   ///< rod: other end [m]
    struct GrConvexMesh *hull;   ///< mesh: set by gr_shape_set_mesh(); owned by the body or the part
    struct GrSurfaceMesh *drawn; ///< mesh: triangles of the file, which the viewer draws; owned likewise. NULL
                                 ///< (default): it draws the hull
    char material[GR_NAME_SIZE]; ///< name in the scene; "" (default) or unknown to the scene: material of its group
    char group[GR_NAME_SIZE];    ///< collision group; "" (default): the group of its kind, see GrSceneDef::no_contact
    bool only_drawn;             ///< no contact: <visual> of a URDF link that also has <collision>. Default false
    bool only_touches;           ///< not drawn: <collision> of such a link. Default false
} GrShapeDef;

typedef struct GrBodyDef {
    char name[GR_NAME_SIZE];
    double mass;        ///< [kg] > 0; 0 is allowed for a massless frame that is fixed to its parent
    GrVec3 com;         ///< centre of mass in the body frame [m]
    GrSym3 inertia;     ///< about the centre of mass, body axes [kg m^2]
    GrShapeDef *shapes; ///< owned
    int shape_count;
} GrBodyDef;

/// Motion that a joint allows. z is the joint's `axis`; x and y are the axes of the joint frame after the shortest
/// rotation that brings its z to the axis. For kinds without an axis, x, y and z are those of the joint frame. A joint
/// with several degrees of freedom has one position for each of its axes, in the order given here. Spatial rotations
/// are rotation vectors.
typedef enum GrJointKind {
    GR_JOINT_FIXED,
    GR_JOINT_REVOLUTE,    ///< rotates about z [rad]
    GR_JOINT_PRISMATIC,   ///< translates along z [m]
    GR_JOINT_SCREW,       ///< rotates about z [rad] and advances along it by `pitch`
    GR_JOINT_UNIVERSAL,   ///< no axis: rotates about x, then about the rotated y [rad, rad]
    GR_JOINT_CYLINDRICAL, ///< translates along z [m] and rotates about it [rad]
    GR_JOINT_PLANAR,      ///< translates along x and y [m, m] and rotates about z [rad]
    GR_JOINT_SPHERICAL,   ///< no axis: rotates about any axis [rad, rad, rad]
    GR_JOINT_FREE,        ///< no axis: translates along x, y and z [m] and rotates about any axis [rad]
    GR_JOINT_KIND_COUNT
} GrJointKind;

/// Function of a joint. Control finds joints by role.
typedef enum GrJointRole { GR_ROLE_PASSIVE, GR_ROLE_DRIVE, GR_ROLE_STEER, GR_ROLE_WALK } GrJointRole;

typedef enum GrMotorKind {
    GR_MOTOR_NONE,   ///< free joint
    GR_MOTOR_TORQUE, ///< command is the torque [N m] (or force [N]), limited by torque_limit
    GR_MOTOR_SPEED,  ///< ideal: the joint has exactly the commanded speed, with unlimited torque
    GR_MOTOR_PID, ///< speed controller: torque = kp e + ki ∫e dt + kd ė, e = command − speed, limited by torque_limit
    GR_MOTOR_DC, ///< speed controller on a DC motor: |torque| limited by the line from stall torque to no-load speed
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
    int parent;             ///< index of the parent body
    int child;              ///< index of the child body; every body but 0 is the child of exactly one joint
    GrPose pose;            ///< joint frame in the parent's body frame
    GrVec3 axis;            ///< in the joint frame; any non-zero length. Ignored for kinds without an axis
    double lower, upper;    ///< end stops [rad or m]; −INFINITY, INFINITY: none
    double stop_stiffness;  ///< of the end stops [N m/rad or N/m]
    double stop_damping;    ///< [N m s/rad or N s/m]
    double stiffness;       ///< spring towards `rest` [N m/rad or N/m]; spherical: times the rotation vector
    double damping;         ///< viscous [N m s/rad or N s/m]; universal, spherical: about each axis
    double rest;            ///< rest position of the spring [rad or m]
    double friction;        ///< Coulomb friction, sticks without creep [N m or N]
    double friction_travel; ///< elastic travel before slipping [rad or m]
    double initial;         ///< position at the start of a run [rad or m]
    double pitch;           ///< screw: advance along the axis per angle [m/rad], not 0
    GrPose initial_pose;    ///< spherical, free: child frame in the joint frame at the start. Default: identity
    GrMotorDef motor;
} GrJointDef;

/// Exact constraint position(joint) = ratio * position(of) + offset. A differential has ratio −1.
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
    bool grouser_lugs; ///< on soil each grouser pushes its own wedge, and the radius is that of the rim; default false:
                       ///< the radius reaches to their tips
    double stiffness;  ///< radial stiffness of a flexible wheel [N/m]; INFINITY: rigid
    double damping;    ///< radial damping of a flexible wheel [N s/m]
    bool rimless; ///< no rim: in rigid contact the wheel consists of the shapes of its body (spokes and feet); on soil
                  ///< it is a cylinder of its radius all the same. Default false
    // For rigid contact with GR_WHEELS_GROUSERS or GR_WHEELS_MESH:
    double crown;                     ///< radius at the middle minus radius at the edges [m]; default 0: flat
    GrGrouserPattern grouser_pattern; ///< default: straight
    double grouser_angle;             ///< slanted, chevron: angle to the axle [rad], (−80°, 80°); default 20°
    char material[GR_NAME_SIZE]; ///< name in the scene; "" (default) or unknown to the scene: material of its group
    char group[GR_NAME_SIZE];    ///< collision group; "" (default): wheels
    GrVec3 *mesh;                ///< points of a convex hull in the wheel frame; NULL: from the sizes above.
    int mesh_count;              ///< Allocated with gr_malloc(), and freed with the rover
    struct GrSurfaceMesh *drawn; ///< triangles of the mesh file, which the viewer draws; owned likewise. NULL
                                 ///< (default): it draws the hull
    struct GrSideWall *side; ///< for soil with GR_SIDE_MESH (gr_side_wall_create()); freed with the rover: wheels share
                             ///< one with gr_side_wall_share(). NULL (default): full, flat side walls
    struct GrWheelSurface *surface; ///< its shape in soil of the law rft, in place of a cylinder with grousers
                                    ///< (gr_wheel_surface_create()); as large as the wheel within 5 %. Freed with the
                                    ///< rover: wheels share one with gr_wheel_surface_share(). NULL (default): none
} GrWheelDef;

typedef struct GrRoverDef {
    unsigned cookie; ///< set by gr_default_rover_def(): finds definitions that were not initialised
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
    struct GrSensorDef *sensors; ///< see grouser/sense.h; they never change the motion
    int sensor_count;
    struct GrLocalisationDef *localisation; ///< owned; see grouser/localise.h; NULL: none
} GrRoverDef;

/// Definitions with all fields at their defaults. Start from these, not from zero.
GR_API GrBodyDef gr_default_body_def(void);
GR_API GrShapeDef gr_default_shape_def(void);
GR_API GrMotorDef gr_default_motor_def(void);
GR_API GrJointDef gr_default_joint_def(void);
GR_API GrWheelDef gr_default_wheel_def(void);
GR_API GrRoverDef gr_default_rover_def(void);

/// Append a copy of an item and return its index, or −1 when out of memory. The rover takes ownership of a body's
/// `shapes`.
GR_API int gr_rover_add_body(GrRoverDef *rover, const GrBodyDef *body);
GR_API int gr_rover_add_joint(GrRoverDef *rover, const GrJointDef *joint);
GR_API int gr_rover_add_coupling(GrRoverDef *rover, const GrCouplingDef *coupling);
GR_API int gr_rover_add_wheel(GrRoverDef *rover, const GrWheelDef *wheel);
GR_API int gr_rover_add_note(GrRoverDef *rover, const GrNote *note);
GR_API int gr_body_add_shape(GrBodyDef *body, const GrShapeDef *shape);

/// Makes a shape the convex hull of points [m] in the shape's frame. GR_ERROR_VALUE if the points span no volume.
GR_API GrStatus gr_shape_set_mesh(GrShapeDef *shape, const GrVec3 *points, int count, GrErrorLog *log);

/// Frees what one shape owns.
GR_API void gr_shape_free(GrShapeDef *shape);

/// Frees the shapes and everything they own.
GR_API void gr_shapes_free(GrShapeDef *shapes, int count);

/// Frees everything the definition owns and resets it to the default.
GR_API void gr_rover_free(GrRoverDef *rover);

/// Inertia of uniform solids about their centre of mass, in the axes of the shape.
GR_API GrSym3 gr_inertia_box(double mass, GrVec3 size);
GR_API GrSym3 gr_inertia_cylinder_y(double mass, double radius, double length);
GR_API GrSym3 gr_inertia_sphere(double mass, double radius);

/// Loads a shipped rover by name, or a file by path: YAML, or a URDF with its side file (docs/rovers.md). A name with a
/// dot or a slash is a path. All problems go to `log`. `overrides` is NULL or a NULL-terminated list of "path=value",
/// which replace values of the file.
GR_API GrStatus gr_rover_load(const char *name_or_path, const char *const *overrides, GrRoverDef *out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

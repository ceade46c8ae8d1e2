/// The multibody tree: constant description (GrTree) and everything that changes (GrTreeData).
///
/// Body 0 floats; joint b attaches body b > 0 to a parent with a lower index. Independent velocities u:
///
///     u[0..2]  velocity of body 0's origin, world axes
///     u[3..5]  angular velocity of body 0, world axes
///     u[6..]   one per independent joint; a coupled joint moves as ratio * u[dof]
///
/// Each body has one joint axis. Joints with several degrees of freedom are chains of bodies without mass
/// (joint_kind.h); body 0 moves in the world as on a free joint.
///
/// Positions are in the order of u, but the three velocities of a rotation in space have one quaternion: world position
/// of body 0 (3), its quaternion (4), then one number for each independent axis or four for each spherical one. The
/// position that belongs to u[dof] of a joint is position[coordinate].
///
/// The axis of a joint is the z axis of the child's frame: rotating the child combines two columns of its rotation
/// matrix. Spherical axes are x, y and z of the frame that does not turn. The model keeps the transforms between the
/// definition's frames and these.
///
/// Spatial quantities are in world axes about O, the origin of body 0: no transforms along the tree, and no loss of
/// digits far from the origin of the map.
#ifndef GR_TREE_H
#define GR_TREE_H

#include "joint_kind.h"
#include "path_matrix.h"
#include "spatial.h"

#include <stddef.h>

enum { GR_BASE_DOF = 6 };

/// Features of a joint beyond its motion, so that a step skips what is absent.
enum {
    GR_JOINT_HAS_SPRING = 1,
    GR_JOINT_HAS_STOPS = 2,
    GR_JOINT_HAS_FRICTION = 4,
    GR_JOINT_HAS_MOTOR = 8,      ///< a motor that applies a torque
    GR_JOINT_IS_PRESCRIBED = 16, ///< an ideal speed motor: its dof is not solved for
};

typedef struct GrJoint {
    GrMotion motion;
    int parent;
    int dof;        ///< index into u, ≥ GR_BASE_DOF
    int coordinate; ///< index into position; spherical: of the quaternion
    int moves_with; ///< body in which the axis is fixed: this one, or the joint's parent for a spherical axis
    int joined_to;  ///< body on the other side of the joint, with which this one has no contact; −1: none
    int along;      ///< spherical: which of x, y and z
    double pitch;   ///< screw [m/rad]
    unsigned features;
    double ratio, offset; ///< joint position = ratio * position of the dof + offset
    GrVec3 at;            ///< joint origin in the parent's body frame
    GrMat3 turn;          ///< child's frame in the parent's at joint position 0
    double lower, upper, stop_stiffness, stop_damping;
    double stiffness, damping, rest;
    double friction, friction_stiffness, friction_damping;
    GrMotorDef motor;
} GrJoint;

typedef struct GrBodyMass {
    double mass;
    GrVec3 com;     ///< in the body frame
    GrSym3 inertia; ///< about the centre of mass, body axes
} GrBodyMass;

/// A rotation in space: its quaternion, and the first of its three velocities, in the axes of the frame that does not
/// rotate.
typedef struct GrRotation {
    int dof, coordinate;
} GrRotation;

typedef struct GrTree {
    int body_count;
    int dof_count;               ///< GR_BASE_DOF + independent axes
    int position_count;          ///< dof_count + rotation_count
    const GrRotation *rotations; ///< in the order of dofs; the first is that of body 0
    int rotation_count;
    const GrBodyMass *bodies; ///< [body_count]
    const GrJoint *joints;    ///< [body_count]; joints[0] is unused
    const int *active;        ///< bodies whose joint has any feature
    int active_count;
    const int *prescribed; ///< bodies whose joint is prescribed
    int prescribed_count;
    GrPaths paths;     ///< sparsity of the mass matrix: the elimination tree of the independent velocities
    GrVec3 gravity;    ///< world axes [m/s²]
    double tolerance;  ///< of integrators that control their error, relative
    int pair_capacity; ///< most pairs of its own bodies in contact at the same time; 0: no such contacts
} GrTree;

/// Kinematics of one body; positions relative to O, world axes.
typedef struct GrBodyFrame {
    GrMat3 rotation;
    GrVec3 origin;
    GrVec3 com;
    GrTwist motion; ///< joint's unit twist S: (a; p × a) revolute, (0; a) prismatic, (a; p × a + pitch a) screw
    GrTwist twist;  ///< body's velocity
} GrBodyFrame;

/// Modes of the piecewise-linear forces of a joint; kept between steps as the first guess of the next.
typedef struct GrJointMode {
    signed char stop;     ///< −1 at the lower stop, +1 at the upper, 0 free
    signed char friction; ///< 0 sticking, ±1 slipping in the direction of that sign
    signed char motor;    ///< 0 follows its controller, ±1 at its upper or lower torque bound
} GrJointMode;

/// Derivatives of a body's wrench, for the implicit step.
typedef struct GrWrenchJacobian {
    GrMat6 twist; ///< ∂wrench/∂twist about O
    GrMat6 pose;  ///< ∂wrench/∂(small displacement as a twist) about O
} GrWrenchJacobian;

/// Which derivatives a body has.
enum {
    GR_JACOBIAN_TWIST = 1,    ///< of its own wrench, by its twist
    GR_JACOBIAN_POSE = 2,     ///< of its own wrench, by its pose; only together with the former
    GR_JACOBIAN_CHILDREN = 4, ///< sum over its descendants
};

/// Contact between two bodies of the tree: `wrench` on b, its opposite on a, and its derivatives by the motion of b
/// relative to a, all about O. They couple branches that are separate in the mass matrix, so that a step with such
/// contacts solves a dense system. Separate derivatives for each body would not do: the forces on the two would differ
/// at the end of a step, and momentum would not be conserved.
typedef struct GrTreePair {
    int a, b;
    GrWrench wrench;
    GrMat6 dtwist, dpose;
} GrTreePair;

/// type, name, count (nb bodies, n dofs, nq positions, np packed matrix entries, nc pairs), meaning [who writes it]
#define GR_TREE_DATA_FIELDS(X)                                                                                         \
    /* state */                                                                                                        \
    X(double, time, 1)                     /* [s] */                                                                   \
    X(double, position, nq)                /* see above */                                                             \
    X(double, velocity, n)                 /* u */                                                                     \
    X(double, friction, nb)                /* elastic travel of joint friction [rad, m]; commit */                     \
    X(double, integral, nb)                /* integral of the motor controller; commit */                              \
    X(GrJointMode, mode, nb)               /* of the joint forces; commit */                                           \
    X(double, history, 2 * n + 4 * nb + 1) /* of the last two steps: accelerations, motor torques, joint forces; */    \
                                           /* and their step [s]; Beeman */                                            \
    X(int, history_count, 2)               /* how many of them are valid */                                            \
    /* input */                                                                                                        \
    X(double, command, nb) /* of the motors: torque, speed or position; control */                                     \
    X(double, applied, n)  /* external generalised force; caller */                                                    \
    /* forces on bodies: cleared by kinematics, added by the force field */                                            \
    X(GrWrench, wrench, nb)           /* about O */                                                                    \
    X(GrWrenchJacobian, jacobian, nb) /* each part valid where has_jacobian says so */                                 \
    X(int, has_jacobian, nb)          /* bits of GR_JACOBIAN_… */                                                    \
    X(int, jacobian_count, 2)         /* bodies with a Jacobian */                                                     \
    X(GrTreePair, pair, nc)           /* bodies that touch each other */                                               \
    X(int, pair_count, 2)                                                                                              \
    /* results */                                                                                                      \
    X(GrBodyFrame, frame, nb)   /* kinematics */                                                                       \
    X(GrInertia, inertia, nb)   /* of the body alone, about O; kinematics */                                           \
    X(GrInertia, composite, nb) /* of the body and its descendants; mass matrix */                                     \
    X(double, mass, np)         /* packed mass matrix, lower; mass matrix */                                           \
    X(double, bias, n)          /* M u̇ + bias = forces of joints and field; bias */                                  \
    X(double, acceleration, n)  /* u̇; solve */                                                                       \
    X(double, motor_torque, nb) /* at the joint [N m, N]; solve */                                                     \
    X(double, joint_force, nb)  /* spring, stop, friction and motor together [N m, N]; solve */                        \
    /* scratch */                                                                                                      \
    X(GrWrench, work_wrench, nb)                                                                                       \
    X(GrTwist, work_twist, nb)                                                                                         \
    X(GrMat6, work_matrix, nb)                                                                                         \
    X(double, lower, np) /* system matrix as assembled */                                                              \
    X(double, upper, np)                                                                                               \
    X(double, factor_lower, np) /* the same with the joint forces, factored */                                         \
    X(double, factor_upper, np)                                                                                        \
    X(double, dense, nc > 0 ? n * n : 0) /* the same in full, where bodies touch each other */                         \
    X(GrTwist, pair_column, nc > 0 ? n : 0)                                                                            \
    X(GrJointMode, next_mode, nb)                                                                                      \
    X(double, work_joint, 3 * nb)                                                                                      \
    X(double, rhs, n)                                                                                                  \
    X(double, work, n)

/// Pointers into one flat allocation.
typedef struct GrTreeData {
#define GR_FIELD(type, name, count) type *name;
    GR_TREE_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
} GrTreeData;

/// Forces that depend on pose and twist: called after kinematics, adds to d->wrench (and d->jacobian when dt > 0).
/// dt > 0: the step at whose end the forces are wanted (states of the field may relax over it, but are not changed);
/// dt = 0: the forces of this instant.
///
/// `revise` may be NULL. Called after an implicit step was solved, with d->acceleration. It changes the forces whose
/// regime is different at the end of the step (a contact slips that was assumed to stick), and d->wrench by their
/// change at the present velocity. Returns whether there were any; the step is then solved again.
///
/// `events` may be NULL. Called after an evaluation: gives `event_count` numbers, each of which changes its sign where
/// the forces are no longer smooth (a contact begins or ends, sticks or slips). An integrator with root finding
/// restarts there and calls `found`, which may be NULL, with the time.
///
/// `linearise` may be NULL. Like `evaluate` with dt = 0, and adds ∂wrench/∂pose of each body in the place of the
/// Jacobian by its twist. Returns whether these are complete enough for a first stiffness.
typedef struct GrForceField {
    void (*evaluate)(void *context, const GrTree *t, GrTreeData *d, double dt);
    void *context;
    bool (*revise)(void *context, const GrTree *t, GrTreeData *d, double dt);
    void (*events)(void *context, const GrTree *t, const GrTreeData *d, double *values);
    int event_count;
    void (*found)(void *context, double time);
    bool (*linearise)(void *context, const GrTree *t, GrTreeData *d);
} GrForceField;

/// Bytes that gr_tree_data_init needs for `t`.
size_t gr_tree_data_size(const GrTree *t);

/// Points `d` into `memory` (zeroed, aligned for doubles) and sets the identity pose.
void gr_tree_data_init(const GrTree *t, GrTreeData *d, void *memory);

static inline GrQuat gr_tree_quaternion(const GrTreeData *d, int coordinate)
{
    const double *q = d->position + coordinate;
    return (GrQuat){q[0], q[1], q[2], q[3]};
}

static inline void gr_tree_set_quaternion(GrTreeData *d, int coordinate, GrQuat value)
{
    double *q = d->position + coordinate;
    q[0] = value.w;
    q[1] = value.x;
    q[2] = value.y;
    q[3] = value.z;
}

/// Component of the rotation vector about a spherical axis [rad]. Marked cold, so that it does not cost registers in
/// the code of one-axis joints, which never calls it.
__attribute__((cold)) double gr_spherical_position(const GrTreeData *d, const GrJoint *j);

/// Position of joint b (also a coupled one).
static inline double gr_joint_position(const GrTree *t, const GrTreeData *d, int b)
{
    const GrJoint *j = &t->joints[b];
    if (j->motion == GR_MOTION_SPHERICAL) {
        return gr_spherical_position(d, j);
    }
    return j->ratio * d->position[j->coordinate] + j->offset;
}

/// Sets the position of joint b and of all joints coupled with it. A spherical one keeps the other components of its
/// rotation vector.
void gr_joint_set_position(const GrTree *t, GrTreeData *d, int b, double position);

static inline double gr_joint_velocity(const GrTree *t, const GrTreeData *d, int b)
{
    const GrJoint *j = &t->joints[b];
    return j->ratio * d->velocity[j->dof];
}

static inline GrVec3 gr_base_position(const GrTreeData *d)
{
    return (GrVec3){d->position[0], d->position[1], d->position[2]};
}

static inline GrQuat gr_base_rotation(const GrTreeData *d)
{
    return gr_tree_quaternion(d, 3);
}

/// Adds a force and a free moment (world axes) at a point given relative to O.
static inline void gr_tree_add_wrench(GrTreeData *d, int b, GrVec3 point, GrVec3 force, GrVec3 moment)
{
    d->wrench[b] = gr_wrench_add(d->wrench[b], gr_wrench_at(point, force, moment));
}

/// Adds derivatives of a wrench given at `point` (relative to O) to twist and displacement at the same point, world
/// axes, order (angular, linear). They stabilise the implicit step and do not change its limit for short steps. `dpose`
/// may be NULL: the force was already evaluated at the position of the end of the step, and dtwist includes dt times
/// its derivative by the pose.
void gr_tree_add_jacobian(GrTreeData *d, int b, GrVec3 point, const GrMat6 *dtwist, const GrMat6 *dpose);

/// Contact of bodies a and b at a point relative to O, world axes: force and moment on b, with their derivatives by the
/// motion of b relative to a at that point.
typedef struct GrTreeTouch {
    int a, b;
    GrVec3 point, force, moment;
    GrMat6 dtwist, dpose;
} GrTreeTouch;

/// Adds the contact to the wrenches of both bodies, and to their pair. False when there is no room for another pair.
bool gr_tree_add_touch(const GrTree *t, GrTreeData *d, const GrTreeTouch *touch);

/// Removes the pairs and their wrenches.
void gr_tree_clear_pairs(GrTreeData *d);

/// Adds dt ∂wrench/∂pose × (V_b − V_a): the change of the pairs' forces by the end of a step at the present velocities.
void gr_tree_carry_pairs(GrTreeData *d, double dt);

/// Extrapolates pair i to the end of a step in which the bodies' twists changed by `change`, as the implicit solution
/// did.
void gr_tree_pair_end(GrTreeData *d, int i, double dt, const GrTwist *change);

/// The same for derivatives that are about O already.
void gr_tree_add_jacobian_about_origin(GrTreeData *d, int b, const GrMat6 *dtwist, const GrMat6 *dpose);

/// For a body without a Jacobian: where the caller writes its derivative by the twist about O. NULL for one that has
/// one.
GrMat6 *gr_tree_first_jacobian(GrTreeData *d, int b);

#endif

/// GrData: the complete state of a simulation; and the functions that advance it.
///
/// A GrData is one flat allocation plus what grows: ruts, with the track, and nodes under wheels and bodies on soil of
/// the law scm. Copying, saving and restoring are memory copies, and a restored run continues bit for bit. A step
/// allocates only for these, and modifies only its GrData. Use one GrData from one thread at a time.
///
/// Example: the weight of a rover at rest on soft soil, as its wheels carry it.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrSoilDef soil = gr_default_soil_def();
///     GrOptions options = gr_default_options();
///     options.surface.soil = &soil; // on the plane z = 0
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     if (gr_model_create(&rover, &options, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK ||
///         gr_settle(m, d, NULL, &log) != GR_OK) {
///         return 1;
///     }
///     double load = 0;
///     for (int i = 0; i < gr_model_wheel_count(m); i++) {
///         load += gr_data_wheel(m, d, i).world_force.z;
///     }
///     printf("load over weight %.4f\n", load / (gr_balance(m, d).mass * 9.80665)); // prints: load over weight 1.0000
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_SIM_H
#define GROUSER_SIM_H

#include "grouser/model.h"
#include "grouser/terrain.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GrData GrData;

/// Creates data at the model's initial position, at rest, with the base at the world origin.
GR_API GrStatus gr_data_create(const GrModel *m, GrData **out, GrErrorLog *log);
GR_API void gr_data_free(GrData *d);

/// Resets the data to the state after gr_data_create().
GR_API void gr_data_reset(const GrModel *m, GrData *d);

GR_API GrStatus gr_data_copy(const GrModel *m, GrData *to, const GrData *from);

/// Number of bytes that gr_data_save() would write now. It includes the ruts, which grow with the track.
GR_API size_t gr_data_size(const GrModel *m, const GrData *d);

/// Saves the complete state, including ruts. Fails only when out of memory.
GR_API GrStatus gr_data_save(const GrModel *m, const GrData *d, void *out);

/// Restores a saved state. Fails if it was not saved by this version from a model with the same layout, or was changed
/// since; the data then stay as they are.
GR_API GrStatus gr_data_restore(const GrModel *m, GrData *d, const void *saved, size_t size, GrErrorLog *log);

/// Hash of the state's bits (time, positions, velocities, joint states, soil, rigid contacts, loose rocks). Identical
/// runs have equal hashes.
GR_API uint64_t gr_data_hash(const GrModel *m, const GrData *d);

/// Ruts that the wheels have left; NULL if the model has no ruts (GrSurfaceDef::ruts). They are part of the data:
/// copied, saved, restored and hashed with it. A step may reserve memory for ruts at its start.
GR_API const GrRuts *gr_data_ruts(const GrData *d);

/// Replaces the ruts by saved ones (gr_ruts_save()), e.g. those of another rover or an earlier run.
GR_API GrStatus gr_data_restore_ruts(GrData *d, const void *saved, size_t size, GrErrorLog *log);

/// Sets the georeference of the ruts, for export.
GR_API GrStatus gr_data_place_ruts(GrData *d, const GrGeoreference *place);

/// Volumes of displaced soil since the start.
typedef struct GrSoilVolumes {
    double displaced; ///< compressed and excavated [m³]
    double raised;    ///< raised beside the wheels: bulking · displaced while soil flows [m³]
    double change;    ///< integral of all changes of height; raised − displaced for ruts on a grid [m³]
    long missing;     ///< nodes lost because an allocation failed
} GrSoilVolumes;
GR_API GrSoilVolumes gr_data_soil_volumes(const GrData *d);

/// Callback for external forces, called in every evaluation after kinematics. It calls gr_data_add_wrench() and, if
/// possible, gr_data_add_jacobian(). Forces are evaluated at the end of a step of length `dt`; 0: at the present
/// instant. The callback must not change state of its own: an integrator may evaluate it several times per step.
typedef void (*GrForceFn)(void *context, const GrModel *m, GrData *d, double dt);
GR_API void gr_data_set_force(GrData *d, GrForceFn force, void *context);

/// Called after a step was solved, with the context of the forces: whether they have another regime at the end of the
/// step, such as soil that unloads instead of being loaded. Then it adds the change of wrench and Jacobian as the
/// forces themselves, and the step is solved again, a few times at most. Of the integrators only linear calls it.
typedef bool (*GrReviseFn)(void *context, const GrModel *m, GrData *d, double dt);
GR_API void gr_data_set_revise(GrData *d, GrReviseFn revise);

/// Velocity of the origin of a body, and angular velocity, that the solved step gives it at its end; for GrReviseFn.
GR_API void gr_data_end_twist(const GrModel *m, GrData *d, int body, double dt, GrVec3 *linear, GrVec3 *angular);

/// Adds a force and a moment (world axes) acting on a body at a world point. Bodies are numbered as in the definition.
GR_API void gr_data_add_wrench(const GrModel *m, GrData *d, int body, GrVec3 point, GrVec3 force, GrVec3 moment);

/// Adds the derivatives of such a wrench with respect to the twist and to a small displacement of the body at that
/// point. Row-major 6 x 6, rows (moment, force), columns (angular, linear), world axes. They keep stiff forces stable
/// at large steps.
GR_API void gr_data_add_jacobian(const GrModel *m, GrData *d, int body, GrVec3 point, const double dtwist[36],
                                 const double dpose[36]);

/// Computes kinematics, forces and accelerations at the present state. Changes neither state nor time.
GR_API GrStatus gr_forward(const GrModel *m, GrData *d);

/// Advances by one step of the model's step length with the model's integrator.
GR_API GrStatus gr_step(const GrModel *m, GrData *d);

/// Advances by one step of length `dt` [s] > 0; GR_ERROR_VALUE for any other. GR_ERROR_NUMERIC where a number is no
/// longer finite, or the rover more than 1e10 m from the origin.
GR_API GrStatus gr_step_by(const GrModel *m, GrData *d, double dt);

/// Moves the rover to static equilibrium of gravity, springs, stops, servos, the ground and the force set with
/// gr_data_set_force(). Joints with a speed motor are locked at their position, and joint friction is assumed relaxed.
/// Coordinates without any stiffness do not change.
typedef struct GrEquilibrium {
    int iterations;
    int evaluations; ///< of the forces on the rover, which are most of the cost
    double residual; ///< largest unbalanced force / weight (moments: / (weight · 1 m))
} GrEquilibrium;
GR_API GrStatus gr_settle(const GrModel *m, GrData *d, GrEquilibrium *info, GrErrorLog *log);

GR_API double gr_data_time(const GrData *d);
GR_API GrPose gr_data_base_pose(const GrData *d);
GR_API void gr_data_set_base_pose(GrData *d, GrPose pose);
/// Linear velocity of the base origin and angular velocity, world axes.
GR_API void gr_data_base_velocity(const GrData *d, GrVec3 *linear, GrVec3 *angular);
GR_API void gr_data_set_base_velocity(GrData *d, GrVec3 linear, GrVec3 angular);

/// Indices of joints, bodies, wheels and rocks, here and in model.h: one that does not exist is a programmer's error
/// (grouser/hooks.h); where a hook for these returns, NaN, 0, "" or an identity is the result, and setters do nothing.
///
/// Joints by index (gr_model_find_joint()). Setting a coupled joint also moves the joint that it follows.
GR_API double gr_data_joint_position(const GrModel *m, const GrData *d, int joint);
GR_API double gr_data_joint_velocity(const GrModel *m, const GrData *d, int joint);
GR_API void gr_data_set_joint(const GrModel *m, GrData *d, int joint, double position, double velocity);
GR_API void gr_data_set_command(const GrModel *m, GrData *d, int joint, double command);
GR_API double gr_data_motor_torque(const GrModel *m, const GrData *d, int joint);

/// Pose of a body of the definition, world axes, at the last evaluation. Valid after gr_forward() or gr_step().
GR_API GrPose gr_data_body_pose(const GrModel *m, const GrData *d, int body);

/// Velocity of the material point of a body at a world position.
GR_API GrVec3 gr_data_point_velocity(const GrModel *m, const GrData *d, int body, GrVec3 point);

/// A wheel and its contacts at the last evaluation. The contact frame has z along the ground's normal, y along the
/// projection of the axle, and x forward. Its origin is the wheel centre.
typedef struct GrWheelView {
    bool on_map;            ///< there is soil below the wheel
    int soil;               ///< index of the soil with the largest share in the soils of the surface; −1: none
    GrVec3 forward, normal; ///< x and z of the contact frame, world axes
    double sinkage;         ///< sinkage of the deepest slice [m]; ≤ 0: above the ground
    double slip;            ///< −1 … 1 (K23 eq. 2.13), on soil or rigid ground; 0 at rest and in the air
    double slip_angle;      ///< [rad]
    GrVec3 force, moment;   ///< of the soil on the wheel about its centre, contact frame [N, N m]
    GrVec3 world_force;     ///< the same force, world axes [N]
    double torque;          ///< motor torque absorbed by the soil, positive when driving forward [N m]
    int flags;              ///< bits for use outside the range of the soil law; gr_soil_flag_text() explains a bit
    GrVec3 rock_force;      ///< force of all rigid objects on the wheel, world axes [N]
    GrVec3 rock_point;      ///< its point of action, weighted by normal force, world [m]; valid if rock_contacts > 0
    int rock_contacts;      ///< number of rigid contact points
    GrContactMode modes[GR_SURFACE_COUNT]; ///< at the last step, for each kind of ground
    long changes;                          ///< changes of these states since the start
    double chatter;                        ///< the same per second [1/s]
} GrWheelView;
GR_API GrWheelView gr_data_wheel(const GrModel *m, const GrData *d, int wheel);

/// Contact of a body other than a wheel (and everything fixed to it) with rigid objects or a soil grid (law scm), at
/// the last evaluation. A chassis that rests on something has contacts > 0.
typedef struct GrBodyView {
    GrVec3 force; ///< on the body, world axes [N]
    GrVec3 point; ///< point of action, weighted by normal force, world [m]; valid if contacts > 0
    int contacts; ///< number of contact points; on a soil grid, of connected patches
} GrBodyView;
GR_API GrBodyView gr_data_body_contact(const GrModel *m, const GrData *d, int body);

/// Loose rocks, 0 .. gr_model_loose_count() − 1: pose of the frame at the centre of mass, and whether the rock is
/// asleep. A rock asleep is at rest and takes no computing time until something touches it.
GR_API GrPose gr_data_loose_pose(const GrModel *m, const GrData *d, int loose);
GR_API bool gr_data_loose_asleep(const GrModel *m, const GrData *d, int loose);

/// Force and moment that a joint transmits from parent to child at its origin, in joint axes: those of the joint's
/// frame at position 0, fixed in the parent (a wheel's do not turn with it). At the accelerations of the last
/// evaluation.
typedef struct GrJointLoad {
    GrVec3 force, moment;
} GrJointLoad;

/// Computes the loads of all joints [gr_model_joint_count()] at the present state and accelerations.
GR_API GrStatus gr_joint_loads(const GrModel *m, GrData *d, GrJointLoad *loads);

/// Inverse dynamics: computes the generalised forces [gr_model_dof_count()] for given accelerations, including the
/// wrenches of the force callback.
GR_API void gr_inverse_dynamics(const GrModel *m, GrData *d, const double *acceleration, double *force);

/// Energy [J], total mass, centre of mass and momentum at the present state.
typedef struct GrBalance {
    double kinetic, gravity, spring; ///< [J]
    double mass;                     ///< [kg]
    GrVec3 com;                      ///< world [m]
    GrVec3 linear;                   ///< [kg m/s]
    GrVec3 angular;                  ///< about the centre of mass [kg m²/s]
    GrSym3 inertia;                  ///< of the whole rover about its centre of mass, world axes [kg m²]
} GrBalance;
GR_API GrBalance gr_balance(const GrModel *m, GrData *d);

#ifdef __cplusplus
}
#endif
#endif

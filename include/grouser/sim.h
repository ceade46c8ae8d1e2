/// GrData: all that changes while a model moves, and the step.
///
/// One flat allocation, and the ruts that grow with the track; copying, saving and restoring are memory copies, and a
/// restored run continues with the same bits. A step allocates nothing and touches nothing but its GrData. One GrData
/// belongs to one thread.
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
///     GrModel *m = gr_model_create(&rover, &options, &log);
///     GrData *d = m != NULL ? gr_data_create(m) : NULL;
///     if (d == NULL || gr_settle(m, d, NULL, &log) != GR_OK) {
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

/// At the model's initial position, at rest, base at the world's origin. NULL when out of memory.
GR_API GrData *gr_data_create(const GrModel *m);
GR_API void gr_data_free(GrData *d);

/// Back to what gr_data_create() gives.
GR_API void gr_data_reset(const GrModel *m, GrData *d);

GR_API void gr_data_copy(const GrModel *m, GrData *to, const GrData *from);

/// Bytes that gr_data_save() writes now: ruts are a part, and grow with the track.
GR_API size_t gr_data_size(const GrModel *m, const GrData *d);

/// All of the state, ruts included. Fails only when out of memory.
GR_API GrStatus gr_data_save(const GrModel *m, const GrData *d, void *out);

/// Fails when the bytes were not saved by this version from a model of the same layout.
GR_API GrStatus gr_data_restore(const GrModel *m, GrData *d, const void *saved, size_t size, GrErrorLog *log);

/// Hash over the state's bits (time, positions, velocities, joint states, soil, hard contacts, loose rocks): equal for
/// runs that are equal.
GR_API uint64_t gr_data_hash(const GrModel *m, const GrData *d);

/// What the wheels have done to the ground; NULL where they leave none (GrSurfaceDef::ruts). A part of the data:
/// copied, saved, restored and hashed with it. A step may make room for more of it at its beginning.
GR_API const GrRuts *gr_data_ruts(const GrData *d);

/// Puts other ruts in their place, as gr_ruts_save() wrote them: another rover's, an earlier day's.
GR_API GrStatus gr_data_restore_ruts(GrData *d, const void *saved, size_t size, GrErrorLog *log);

/// Says where the ruts lie on their planet, for those who export them.
GR_API GrStatus gr_data_place_ruts(GrData *d, const GrGeoreference *place);

/// Where the soil has gone since the start.
typedef struct GrSoilVolumes {
    double displaced; ///< pressed down and dug [m³]
    double raised;    ///< risen beside the wheels, bulking · displaced while soil flows [m³]
    double change;    ///< of all heights, raised − displaced where ruts are those of a grid [m³]
    long missing;     ///< nodes that could not be kept: an allocation failed
} GrSoilVolumes;
GR_API GrSoilVolumes gr_data_soil_volumes(const GrData *d);

/// Forces from outside, called in every evaluation after kinematics. It calls gr_data_add_wrench() and, when it can,
/// gr_data_add_jacobian(). `dt` is the step at whose end the forces are wanted, 0 for this instant. It must not change
/// states of its own: an integrator may evaluate several times per step.
typedef void (*GrForceFn)(void *context, const GrModel *m, GrData *d, double dt);
GR_API void gr_data_set_force(GrData *d, GrForceFn force, void *context);

/// Adds a force and a moment (world axes) that act on a body at a world point. Bodies are numbered as in the
/// definition.
GR_API void gr_data_add_wrench(const GrModel *m, GrData *d, int body, GrVec3 point, GrVec3 force, GrVec3 moment);

/// Adds the derivatives of such a wrench to the twist and to a small displacement of the body at that point. Row-major
/// 6 x 6, rows (moment, force), columns (angular, linear), world axes. With them a stiff force is stable at large
/// steps.
GR_API void gr_data_add_jacobian(const GrModel *m, GrData *d, int body, GrVec3 point, const double dtwist[36],
                                 const double dpose[36]);

/// Kinematics, forces and accelerations at the present state; changes neither state nor time.
GR_API GrStatus gr_forward(const GrModel *m, GrData *d);

/// One step of the model's step length with the model's integrator.
GR_API GrStatus gr_step(const GrModel *m, GrData *d);

/// One step of another length.
GR_API GrStatus gr_step_by(const GrModel *m, GrData *d, double dt);

/// Moves the rover to where all forces balance, at rest: gravity, springs, stops, servos and the force set with
/// gr_data_set_force(). Joints with a speed motor are locked where they are; joint friction is taken as relaxed.
/// Directions without any stiffness stay where they were.
typedef struct GrEquilibrium {
    int iterations;
    double residual; ///< largest unbalanced force over the weight (moments over weight times 1 m)
} GrEquilibrium;
GR_API GrStatus gr_settle(const GrModel *m, GrData *d, GrEquilibrium *info, GrErrorLog *log);

GR_API double gr_data_time(const GrData *d);
GR_API GrPose gr_data_base_pose(const GrData *d);
GR_API void gr_data_set_base_pose(GrData *d, GrPose pose);
/// Linear velocity of the base's origin and angular velocity, world axes.
GR_API void gr_data_base_velocity(const GrData *d, GrVec3 *linear, GrVec3 *angular);
GR_API void gr_data_set_base_velocity(GrData *d, GrVec3 linear, GrVec3 angular);

/// Joints by index (gr_model_find_joint). Setting a joint that follows another moves the one it follows.
GR_API double gr_data_joint_position(const GrModel *m, const GrData *d, int joint);
GR_API double gr_data_joint_velocity(const GrModel *m, const GrData *d, int joint);
GR_API void gr_data_set_joint(const GrModel *m, GrData *d, int joint, double position, double velocity);
GR_API void gr_data_set_command(const GrModel *m, GrData *d, int joint, double command);
GR_API double gr_data_motor_torque(const GrModel *m, const GrData *d, int joint);

/// Pose of a body of the definition, world axes. Valid after gr_forward() or gr_step() (as of the last evaluation).
GR_API GrPose gr_data_body_pose(const GrModel *m, const GrData *d, int body);

/// Velocity of the point of a body that is at a world position.
GR_API GrVec3 gr_data_point_velocity(const GrModel *m, const GrData *d, int body, GrVec3 point);

/// A wheel and what carries it, as of the last evaluation. The contact frame has z along the ground's normal, y along
/// the axle's projection, x forward; its origin is the wheel's centre.
typedef struct GrWheelView {
    bool on_map;            ///< there is ground with soil below the wheel
    int soil;               ///< index into the soils of the surface, of the largest share; −1: none
    GrVec3 forward, normal; ///< x and z of the contact frame, world axes
    double sinkage;         ///< of its deepest slice [m]; ≤ 0: above the ground
    double slip;            ///< −1 … 1 (K23 eq. 2.13), on soil or on what is rigid; 0 at rest and in the air
    double slip_angle;      ///< [rad]
    GrVec3 force, moment;   ///< of the soil on the wheel about its centre, contact frame [N, N m]
    GrVec3 world_force;     ///< the same force, world axes [N]
    double torque;          ///< that the soil takes from the motor, positive when driving forward [N m]
    int flags;              ///< use of the soil's law out of its range; gr_soil_flag_text() says what a bit means
    GrVec3 rock_force;      ///< of everything rigid on the wheel, world axes [N]
    GrVec3 rock_point;      ///< where, the mean by normal force, world [m]; valid where rock_contacts > 0
    int rock_contacts;      ///< contact points with what is rigid
    GrContactMode modes[GR_SURFACE_COUNT]; ///< at the last step, for each kind of ground
    long changes;                          ///< of these states since the start
    double chatter;                        ///< the same for each second [1/s]
} GrWheelView;
GR_API GrWheelView gr_data_wheel(const GrModel *m, const GrData *d, int wheel);

/// What is hard, or a grid of soil (law scm), on a body that is no wheel (with all that is fixed to it), as of the last
/// evaluation. A belly that stands on something has contacts > 0.
typedef struct GrBodyView {
    GrVec3 force; ///< on the body, world axes [N]
    GrVec3 point; ///< the mean by normal force, world [m]; valid where contacts > 0
    int contacts; ///< contact points; on a grid connected patches
} GrBodyView;
GR_API GrBodyView gr_data_body_contact(const GrModel *m, const GrData *d, int body);

/// Loose rocks, 0 .. gr_model_loose_count() − 1: pose of the frame at the centre of mass, and whether it is at rest and
/// costs nothing until something touches it.
GR_API GrPose gr_data_loose_pose(const GrModel *m, const GrData *d, int loose);
GR_API bool gr_data_loose_asleep(const GrModel *m, const GrData *d, int loose);

/// Force and moment that a joint carries from parent to child at its origin, in the child's axes, at the accelerations
/// of the last evaluation.
typedef struct GrJointLoad {
    GrVec3 force, moment;
} GrJointLoad;

/// Loads of all joints, [gr_model_joint_count()], at the present state and accelerations.
GR_API GrStatus gr_joint_loads(const GrModel *m, GrData *d, GrJointLoad *loads);

/// Inverse dynamics: generalised forces [gr_model_dof_count()] that give the accelerations; the wrenches that the force
/// function adds are included.
GR_API void gr_inverse_dynamics(const GrModel *m, GrData *d, const double *acceleration, double *force);

/// Energy [J], total mass, centre of mass and momentum at the present state.
typedef struct GrBalance {
    double kinetic, gravity, spring; ///< [J]
    double mass;                     ///< [kg]
    GrVec3 com;                      ///< world [m]
    GrVec3 linear;                   ///< [kg m/s]
    GrVec3 angular;                  ///< about the centre of mass [kg m²/s]
    GrSym3 inertia;                  ///< of the whole about its centre of mass, world axes [kg m²]
} GrBalance;
GR_API GrBalance gr_balance(const GrModel *m, GrData *d);

#ifdef __cplusplus
}
#endif
#endif

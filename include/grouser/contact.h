/// Contact as a component: one wheel, foot, belly or rock on one ground, for a vehicle that another program simulates.
///
///   GrRoverDef --gr_contact_part--> its one part --gr_model_create--> GrModel --gr_contact_create--> GrContact
///   pose and twist of the part --gr_contact_evaluate--> wrench, derivatives, sinkage, slip      changes no state
///   pose and twist at the end  --gr_contact_accept-->   soil and ruts at the end of the step
///
/// The forces are those of a rover: soil laws, grids, ruts and rigid objects act through the same interface. The host
/// has the masses and solves for the motion. Units with the same name of their ground share its ruts or grid within a
/// process. docs/contact.md has the theory, and the same unit for FMI and MuJoCo.
///
/// Example: a wheel of 10 kg, which the host lets sink into soil, in steps that the derivatives keep stable.
///
///     #include <grouser/model.h>
///     GrRoverDef part = gr_default_rover_def();
///     GrBodyDef body = gr_default_body_def();
///     snprintf(body.name, sizeof body.name, "wheel");
///     body.mass = 10;
///     body.inertia = gr_inertia_cylinder_y(10, 0.1, 0.08);
///     GrWheelDef wheel = gr_default_wheel_def();
///     snprintf(wheel.name, sizeof wheel.name, "wheel");
///     wheel.body = gr_rover_add_body(&part, &body);
///     wheel.radius = 0.1;
///     wheel.width = 0.08;
///     gr_rover_add_wheel(&part, &wheel);
///     const GrSoilDef soil = gr_default_soil_def();
///     GrOptions options = gr_default_options();
///     options.surface.soil = &soil; // on the plane z = 0
///     GrErrorLog log = {0};
///     GrModel *m = NULL;
///     GrContact *contact = NULL;
///     if (gr_model_create(&part, &options, &m, &log) != GR_OK ||
///         gr_contact_create(m, NULL, &contact, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const double dt = 0.005;
///     GrPartMotion motion = {.pose = {{0, 0, 0.1}, {1, 0, 0, 0}}};
///     GrPartForce on;
///     for (int i = 0; i < 1000; i++) {
///         gr_contact_evaluate(contact, &motion, dt, &on);
///         const double slope = on.derivative[5 * 6 + 5]; // of the vertical force by the vertical velocity
///         motion.linear.z += dt * (on.force.z - 10 * 9.80665) / (10 - dt * slope);
///         motion.pose.position.z += dt * motion.linear.z;
///         gr_contact_accept(contact, &motion, dt);
///     }
///     gr_contact_evaluate(contact, &motion, 0, &on);
///     printf("load %.1f N\n", on.force.z); // prints: load 98.1 N
///     gr_contact_free(contact);
///     gr_model_free(m);
///     gr_rover_free(&part);
#ifndef GROUSER_CONTACT_H
#define GROUSER_CONTACT_H

#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GrContact GrContact;

/// Makes a rover that is one part of another one: a wheel by its name, or else a body by its name, with its shapes. Its
/// frame is that of the part's body. Free with gr_rover_free().
GR_API GrStatus gr_contact_part(const GrRoverDef *rover, const char *part, GrRoverDef *out, GrErrorLog *log);

/// Creates a unit in undisturbed soil. The model must outlive it; units of equal parts may share one. It is that of one
/// body with a wheel, of one body with shapes (on rigid objects, or in soil of the laws scm and rft), or of a rover
/// from gr_contact_part(). It has no loose rocks. GrOptions::integrator says how the host integrates:
///
///     linear, euler    the host evaluates once in a step, and takes the force of its end
///     beeman, cvode    it evaluates at instants within the step, such as the stages of a Runge-Kutta method
///
/// `ground`: name of the ground; NULL or "": the unit's own. Units with the same name share what wheels leave: the ruts
/// of their surface (GrSurfaceDef::ruts), whose cells must be equal. It vanishes with its last unit. The surfaces are
/// those of the models, and should be the same. Calls for units of one ground wait for each other; the order of the
/// calls decides which of two wheels that touch the same soil comes first.
GR_API GrStatus gr_contact_create(const GrModel *m, const char *ground, GrContact **out, GrErrorLog *log);
GR_API void gr_contact_free(GrContact *contact);

/// Motion of the part.
typedef struct GrPartMotion {
    GrPose pose;    ///< of its body frame, world axes: the wheel's own, which turns with it
    GrVec3 linear;  ///< velocity of the origin of that frame, world axes [m/s]
    GrVec3 angular; ///< angular velocity, world axes [rad/s]
    double angle;   ///< of a wheel from gr_contact_part(): position of its joint [rad], by which traces and lugs find
                    ///< the grousers; other parts ignore it
} GrPartMotion;

enum { GR_CONTACT_EVENTS = 17 };

/// What the ground does to the part.
typedef struct GrPartForce {
    GrVec3 force;          ///< on the body at the origin of its frame, world axes [N]
    GrVec3 moment;         ///< about that origin, world axes [N m]
    double derivative[36]; ///< ∂(moment, force)/∂(angular, linear) at that origin, world axes, row-major 6 x 6: by the
                           ///< twist at the end of the step, which also moves the part within it; 0 where dt is 0 and
                           ///< for a host of instants
    GrWheelView wheel;               ///< sinkage, slip, states and more; all 0 for a part that is no wheel
    GrBodyView body;                 ///< rigid contacts, and those of shapes in soil
    double depth;                    ///< of a wheel's lowest point below the surface of the soil [m]; negative above it
    int events;                      ///< number of event indicators
    double event[GR_CONTACT_EVENTS]; ///< each changes its sign at an event: touch and reversal of the slip on soil;
                                     ///< touch and slip on rigid objects; then, where the host integrates the
                                     ///< memory of the soil, three that are positive until a slice touches or leaves
                                     ///< it, soil unloads or is loaded again, shear somewhere yields or turns back
} GrPartForce;

/// Computes the wrench at the end of a step of dt [s] in which the part keeps its twist; dt = 0: at the present
/// instant, without shear that a step would add. For a host of instants dt is the time since the last accepted step.
/// Changes no state. GR_ERROR_MEMORY, or GR_ERROR_VALUE for a motion that is not finite.
GR_API GrStatus gr_contact_evaluate(GrContact *contact, const GrPartMotion *motion, double dt, GrPartForce *out);

/// Called after a host of steps has solved its step with the evaluated force: whether the force has another regime with
/// this twist at the end, such as soil that unloads, or a contact that slips. `out` then has the new force and
/// derivatives; solve the step again, and accept the last solution after a few times. Hosts of small steps need not
/// call it. Only the twist of `end` is read.
GR_API bool gr_contact_correct(GrContact *contact, const GrPartMotion *end, double dt, GrPartForce *out);

/// Ends a step of dt > 0 [s] with this motion: soil and ruts advance. Call it once a step; where a host of steps has
/// not evaluated since the last one, nothing changes but the time.
GR_API GrStatus gr_contact_accept(GrContact *contact, const GrPartMotion *end, double dt);

/// Puts the part at rest in undisturbed soil at this pose, without shear, as at the start of a run. Ruts stay.
GR_API GrStatus gr_contact_rest(GrContact *contact, const GrPartMotion *at);

// ---- Memory that the host integrates, for solvers of their own: variable steps, stages, events. Mobilised shear,
// compaction, digging and the filtered slip of a wheel on one soil are then states of a differential equation.

/// Number of states; 0: the ground has other memory, which accepted steps advance: a grid (scm), several soils, a law
/// of springs or of the caller, ruts that the law sees.
GR_API int gr_contact_state_count(const GrContact *contact);

/// Name of a state, such as "slice[1].shear_x[3]": of the wheel, or of a slice, from right to left.
GR_API void gr_contact_state_name(const GrContact *contact, int state, char *name, size_t size);

/// Its usual size, by which a solver scales errors [1 or m].
GR_API double gr_contact_state_nominal(const GrContact *contact, int state);

/// From now on the host integrates the states: gr_contact_evaluate() takes forces and rates at the instant, whatever
/// its `dt`. False, and nothing changes, for a unit without states.
GR_API bool gr_contact_integrate(GrContact *contact);

/// States, gr_contact_state_count() numbers; rates [1/s] are those of the last evaluation by a host that integrates.
GR_API void gr_contact_states(const GrContact *contact, double *out);
GR_API void gr_contact_set_states(GrContact *contact, const double *states);
GR_API void gr_contact_rates(const GrContact *contact, double *out);

/// Begins the integration, and goes on after an event, on the side of it that the last evaluation found. True: states
/// have changed, since soil was left.
GR_API bool gr_contact_switch(GrContact *contact);

/// Whether a host that integrates must call gr_contact_accept() after its steps: the ground keeps ruts, or rigid
/// objects hold the part by friction.
GR_API bool gr_contact_needs_steps(const GrContact *contact);

/// Simulated time that was accepted since gr_contact_create() [s].
GR_API double gr_contact_time(const GrContact *contact);

/// Ruts or grid of its ground, for export; NULL: it keeps none. They may be shared.
GR_API const GrRuts *gr_contact_ruts(const GrContact *contact);

/// Height and upward unit normal of its ground at a place, ruts included. False where there is none.
GR_API bool gr_contact_ground_at(const GrContact *contact, double x, double y, double *z, GrVec3 *normal);

/// Hash of the bits of its state and its ground.
GR_API uint64_t gr_contact_hash(const GrContact *contact);

/// Saves and restores the complete state, its ground included: restoring one unit takes a shared ground back for all of
/// them, so restore all to the same time. The bytes also serve another process.
GR_API size_t gr_contact_size(const GrContact *contact);
GR_API GrStatus gr_contact_save(const GrContact *contact, void *out);
GR_API GrStatus gr_contact_restore(GrContact *contact, const void *saved, size_t size, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

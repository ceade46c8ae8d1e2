/// The ground as one interface. Everything that carries a rover is a GrGroundInterface, a table of functions, and the
/// step knows the ground only through it.
///
///     pit_ground.c     pits that loose rocks press, where they were at the beginning of the step
///     rigid_ground.c   rocks, decks, ramps, rigid terrain and the rover's own bodies (src/rigid)
///     patch_ground.c   soil by a law of one contact patch per wheel, user laws among them (src/soil)
///     grain_bodies.c   bodies other than wheels in soil of the law rft (src/soil)
///     grid_ground.c    soil as a deformable grid, law scm (src/scm)
///     rut_ground.c     changes that wheels leave: traces, imprints, or soil that heals
///     furrow_ground.c  ruts and heaps around wheels of the law rft
///
/// A model has those that gr_grounds_prepare() finds present. They act in this order, so that soil knows the load that
/// rocks carry, and ruts know the new state of the soil. Each gr_grounds_ function below calls the function of that
/// name of every ground. A new kind of ground is one file and one row of GROUNDS in grounds.c.
#ifndef GR_GROUNDS_H
#define GR_GROUNDS_H

#include "data.h"
#include "wheel_ground.h"

/// Moments at which forces are evaluated.
typedef enum GrGroundMoment {
    GR_GROUND_START,   ///< start of a step: forces at its end follow from their Jacobians
    GR_GROUND_INSTANT, ///< an instant within a step, for integrators that only ask for those; no state advances
    GR_GROUND_END,     ///< end of such a step: the ground advances over all of it
    GR_GROUND_REST,    ///< the search for rest: displacements since it began take the place of velocities
} GrGroundMoment;

typedef struct GrGroundQuery {
    GrGroundMoment moment;
    double dt;      ///< length of the step, or of its elapsed part [s]; 0: no state advances, no Jacobians
    double time;    ///< time in which soil shears and relaxes [s]: dt if above 0; very long in the search for rest
    bool linearise; ///< search for rest: Jacobians by the poses of bodies are wanted
    bool sliding;   ///< with `linearise`: no force depends on displacements along the ground
} GrGroundQuery;

/// Position of a wheel over the ground.
typedef struct GrWheelPlace {
    GrVec3 centre; ///< relative to the origin of the chassis, world axes [m]
    GrVec3 world;  ///< the same in world coordinates [m]
    GrVec3 axle;   ///< unit, to the left
    GrWheelGround below;
    GrSoilMix soils; ///< soils under it, at least one
} GrWheelPlace;

/// One kind of ground. Functions that it does not need are NULL.
typedef struct GrGroundInterface {
    bool (*present)(const GrModel *m);
    /// Allocates its own memory; false when out of memory. `release` then frees what was allocated.
    bool (*prepare)(const GrModel *m, GrData *d);
    void (*release)(GrData *d);
    /// Resets the ground to its undisturbed state. The flat part of the data is already cleared.
    void (*clear)(const GrModel *m, GrData *d);
    /// Called between steps: makes room for everything that the next step may write.
    GrStatus (*reserve)(const GrModel *m, GrData *d);
    /// frames -> contacts, wrenches and Jacobians of bodies. No other side effects.
    void (*evaluate)(const GrModel *m, GrData *d, const GrGroundQuery *query);
    /// For soil: evaluates one wheel with ground below it, or clears one without (gr_wheels_evaluate()).
    void (*wheel)(const GrModel *m, GrData *d, int wheel, const GrWheelPlace *place, const GrGroundQuery *query);
    void (*leave)(const GrModel *m, GrData *d, int wheel);
    /// Called after the step was solved: whether contacts changed their regime, so that it must be solved again.
    bool (*revise)(const GrModel *m, GrData *d, double dt);
    /// Called when the step is accepted: completes what depends on the velocity at its end …
    void (*complete)(const GrModel *m, GrData *d, double dt);
    /// … and makes the evaluated state the present state of the ground.
    GrStatus (*commit)(const GrModel *m, GrData *d, double dt);
    /// In the search for rest, after an evaluation with `linearise`: whether the Jacobians of all forces were added.
    /// NULL: there are no forces.
    bool (*is_linear)(const GrModel *m, const GrData *d);
    /// Begins the search for rest with fresh ground under the wheels; end_rest commits the result.
    void (*begin_rest)(const GrModel *m, GrData *d);
    /// Displacements that hold the rover are measured from its present position.
    void (*anchor)(const GrModel *m, GrData *d);
    void (*end_rest)(const GrModel *m, GrData *d, const GrGroundQuery *query);
    /// Called after the flat part of `from` was copied to `to`: copies or refreshes everything else.
    void (*copied)(const GrModel *m, GrData *to, const GrData *from);
    /// Size of the saved state besides the flat part.
    size_t (*size)(const GrData *d);
    GrStatus (*save)(const GrData *d, void *out);
    GrStatus (*restore)(GrData *d, const void *saved, size_t size, GrErrorLog *log);
} GrGroundInterface;

extern const GrGroundInterface gr_pit_ground, gr_rigid_ground, gr_patch_ground, gr_grain_ground, gr_grid_ground,
    gr_rut_ground, gr_furrow_ground;

// grounds.c: functions for all grounds of a model

bool gr_grounds_prepare(const GrModel *m, GrData *d);
void gr_grounds_release(GrData *d);
void gr_grounds_clear(const GrModel *m, GrData *d);
GrStatus gr_grounds_reserve(const GrModel *m, GrData *d);

/// `dt`: as in GrGroundQuery.
void gr_grounds_evaluate(const GrModel *m, GrData *d, GrGroundMoment moment, double dt);
bool gr_grounds_revise(const GrModel *m, GrData *d, double dt);

/// Evaluates in the search for rest, with Jacobians. Returns whether these are complete.
bool gr_grounds_linearise(const GrModel *m, GrData *d, bool sliding);

/// Accepts a step of dt.
GrStatus gr_grounds_commit(const GrModel *m, GrData *d, double dt);

void gr_grounds_begin_rest(const GrModel *m, GrData *d);
/// Uses the present frames of the tree.
void gr_grounds_anchor(const GrModel *m, GrData *d);
void gr_grounds_end_rest(const GrModel *m, GrData *d);

void gr_grounds_copied(const GrModel *m, GrData *to, const GrData *from);
size_t gr_grounds_size(const GrData *d);
GrStatus gr_grounds_save(const GrData *d, void *out);
GrStatus gr_grounds_restore(GrData *d, const void *saved, size_t size, GrErrorLog *log);

#ifdef GR_DEVICE
bool gr_call_soils(GrSoilAtFn soils, const void *context, double x, double y, GrSoilMix *mix);
void gr_call_leave(void (*leave)(const GrModel *, GrData *, int), const GrModel *m, GrData *d, int wheel);
void gr_call_wheel(void (*wheel)(const GrModel *, GrData *, int, const GrWheelPlace *, const GrGroundQuery *),
                   const GrModel *m, GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query);
bool gr_call_revise_force(GrReviseFn revise, void *context, const GrModel *m, GrData *d, double dt);
#endif

#endif

/// The ground as one interface: everything that carries a rover is a GrGroundInterface, a row of functions, and the
/// step knows nothing else of it.
///
///     rigid_ground.c   rocks, decks, ramps, rigid terrain and the rover's own parts (src/rigid)
///     patch_ground.c   soil by a law of one contact patch per wheel, user laws among them (src/soil)
///     grid_ground.c    soil as a grid that gives way, law scm (src/scm)
///     rut_ground.c     what wheels leave behind: traces, imprints, or soil that heals
///
/// A model has those that gr_grounds_prepare() finds present; they act in this order, so that soil knows what rocks
/// carry already, and ruts what soil has become. Each verb below calls the function of the same name of each. A new
/// kind of ground is one file and one row of GROUNDS in grounds.c.
#ifndef GR_GROUNDS_H
#define GR_GROUNDS_H

#include "data.h"
#include "wheel_ground.h"

/// At which moment forces are asked for.
typedef enum GrGroundMoment {
    GR_GROUND_START,   ///< a step begins: forces at its end, by their Jacobians
    GR_GROUND_INSTANT, ///< a moment within a step, for integrators that ask for nothing else; nothing moves on by it
    GR_GROUND_END,     ///< the end of such a step: ground moves on over all of it
    GR_GROUND_REST,    ///< the search for rest: displacements since it began take the place of velocities
} GrGroundMoment;

typedef struct GrGroundQuery {
    GrGroundMoment moment;
    double dt;   ///< of the step, or of the part of it that is over [s]; 0: nothing moves on, and no Jacobians
    double time; ///< in which soil shears and relaxes: dt where it is above 0, and long for rest [s]
} GrGroundQuery;

/// A wheel over ground.
typedef struct GrWheelPlace {
    GrVec3 centre; ///< from the origin of the chassis, world axes [m]
    GrVec3 world;  ///< the same in the world [m]
    GrVec3 axle;   ///< unit, to the left
    GrWheelGround below;
    GrSoilMix soils; ///< under it, one at least
} GrWheelPlace;

/// Functions that a kind of ground does not need are NULL.
typedef struct GrGroundInterface {
    bool (*present)(const GrModel *m);
    /// Memory of its own; false when memory is out. What there is then is freed by `release`.
    bool (*prepare)(const GrModel *m, GrData *d);
    void (*release)(GrData *d);
    /// The ground before anybody drove on it. The flat part of the data is clear already.
    void (*clear)(const GrModel *m, GrData *d);
    /// Between steps: room for whatever the next step may write.
    GrStatus (*reserve)(const GrModel *m, GrData *d);
    /// Frames of the tree to contacts, wrenches and Jacobians of bodies. Pure but for its results.
    void (*evaluate)(const GrModel *m, GrData *d, const GrGroundQuery *query);
    /// Of soil: one wheel that is over ground, and one that is not (gr_wheels_evaluate()).
    void (*wheel)(const GrModel *m, GrData *d, int wheel, const GrWheelPlace *place, const GrGroundQuery *query);
    void (*leave)(const GrModel *m, GrData *d, int wheel);
    /// After a solution of the step: whether contacts have changed their kind, so that it must be solved again.
    bool (*revise)(const GrModel *m, GrData *d, double dt);
    /// The step is accepted: completes what depends on the velocity at its end …
    void (*complete)(const GrModel *m, GrData *d, double dt);
    /// … and makes what was evaluated the state of the ground.
    GrStatus (*commit)(const GrModel *m, GrData *d, double dt);
    /// The search for rest begins with fresh ground under the wheels; its end commits what it found.
    void (*begin_rest)(const GrModel *m, GrData *d);
    /// Displacements that hold the rover count from where it is now.
    void (*anchor)(const GrModel *m, GrData *d);
    void (*end_rest)(const GrModel *m, GrData *d, const GrGroundQuery *query);
    /// The flat part of `to` is that of `from` now: copies or refreshes what is not in it.
    void (*copied)(const GrModel *m, GrData *to, const GrData *from);
    /// What copies and saves hold besides the flat part.
    size_t (*size)(const GrData *d);
    GrStatus (*save)(const GrData *d, void *out);
    GrStatus (*restore)(GrData *d, const void *saved, size_t size, GrErrorLog *log);
} GrGroundInterface;

extern const GrGroundInterface gr_rigid_ground, gr_patch_ground, gr_grid_ground, gr_rut_ground;

// grounds.c: verbs for all grounds of a model

bool gr_grounds_prepare(const GrModel *m, GrData *d);
void gr_grounds_release(GrData *d);
void gr_grounds_clear(const GrModel *m, GrData *d);
GrStatus gr_grounds_reserve(const GrModel *m, GrData *d);

/// `dt`: as in GrGroundQuery.
void gr_grounds_evaluate(const GrModel *m, GrData *d, GrGroundMoment moment, double dt);
bool gr_grounds_revise(const GrModel *m, GrData *d, double dt);

/// Accepts a step of dt.
GrStatus gr_grounds_commit(const GrModel *m, GrData *d, double dt);

void gr_grounds_begin_rest(const GrModel *m, GrData *d);
/// Of the frames that the tree has.
void gr_grounds_anchor(const GrModel *m, GrData *d);
void gr_grounds_end_rest(const GrModel *m, GrData *d);

void gr_grounds_copied(const GrModel *m, GrData *to, const GrData *from);
size_t gr_grounds_size(const GrData *d);
GrStatus gr_grounds_save(const GrData *d, void *out);
GrStatus gr_grounds_restore(GrData *d, const void *saved, size_t size, GrErrorLog *log);

#endif

/// GrData from the inside.
#ifndef GR_DATA_H
#define GR_DATA_H

#include "contact_frame.h"
#include "grouser/sim.h"
#include "model.h"

/// A wheel on the ground, as the last evaluation found it.
typedef struct GrWheelContact {
    GrContactFrame frame; ///< world axes
    GrVec3 normal;        ///< of the ground
    GrVec3 anchor;        ///< wheel centre when settling began [m]
    GrSoilOutput soil;
    bool on_map; ///< the ground was found
} GrWheelContact;

/// type, name, count (nw wheels, ns doubles of soil state each)
#define GR_WHEEL_DATA_FIELDS(X)                                                                                        \
    X(double, soil_state, nw *ns)  /* committed soil states; commit */                                                 \
    X(double, soil_next, nw *ns)   /* at the end of the evaluated step; contact */                                     \
    X(GrWheelContact, contact, nw) /* contact */

struct GrData {
    GrTreeData tree; ///< points into `memory`
#define GR_FIELD(type, name, count) type *name;
    GR_WHEEL_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
    void *memory; ///< the flat allocation: everything that copy, save and restore carry
    size_t size;
    bool settling;   ///< contact holds by displacement instead of velocity
    GrForceFn force; ///< forces from outside; NULL: none
    void *force_context;
    GrIntegratorWork *work; ///< memory of the integrator; carries nothing between steps
    const GrIntegrator *integrator;
};

/// frame -> contact, soil_next, wrench and slope of the wheels' bodies. Pure but for its results.
void gr_contact_evaluate(const GrModel *m, GrData *d, double dt);

/// While the rover settles, wheels hold by the shear that their displacement since now mobilises; the end commits it.
void gr_contact_begin_settling(const GrModel *m, GrData *d);
void gr_contact_end_settling(const GrModel *m, GrData *d);

/// Accepts the step: the soil under the wheels is now as evaluated.
void gr_contact_commit(const GrModel *m, GrData *d);

/// The force field that hands evaluations on to d->force. `bridge` must live as long as the field is used.
typedef struct GrForceBridge {
    const GrModel *m;
    GrData *d;
} GrForceBridge;

GrForceField gr_data_field(GrForceBridge *bridge);

#endif

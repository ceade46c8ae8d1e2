/// GrData from the inside.
#ifndef GR_DATA_H
#define GR_DATA_H

#include "grouser/sim.h"
#include "model.h"

struct GrData {
    GrTreeData tree; ///< points into `memory`
    void *memory;    ///< the flat allocation: everything that copy, save and restore carry
    size_t size;
    GrForceFn force; ///< forces from outside; NULL: none
    void *force_context;
    GrIntegratorWork *work; ///< memory of the integrator; carries nothing between steps
    const GrIntegrator *integrator;
};

/// The force field that hands evaluations on to d->force. `bridge` must live as long as the field is used.
typedef struct GrForceBridge {
    const GrModel *m;
    GrData *d;
} GrForceBridge;

GrForceField gr_data_field(GrForceBridge *bridge);

#endif

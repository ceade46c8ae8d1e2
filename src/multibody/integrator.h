/// Integrators behind one interface: one of GR_INTEGRATOR_LIST (grouser/model.h) and one row of gr_integrators each.
#ifndef GR_INTEGRATOR_H
#define GR_INTEGRATOR_H

#include "grouser/model.h"
#include "tree.h"

/// Memory that an integrator needs besides the data (only the reference integrator does; NULL for the others). It
/// carries no state from step to step: a restored state continues with the same bits.
typedef struct GrIntegratorWork GrIntegratorWork;

typedef struct GrIntegratorRow {
    const char *text;
    int order;     ///< of global convergence on smooth forces
    bool implicit; ///< uses the Jacobians of the force field
    bool instant;  ///< asks the field for instantaneous forces (dt = 0); the caller advances the field's states
    /// Advances `d` by dt. Joint states are committed once, when the step is accepted.
    GrStatus (*step)(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
    /// Creates the memory, or NULL when the integrator needs none (then this pointer is NULL as well).
    GrIntegratorWork *(*create)(const GrTree *t);
    void (*destroy)(GrIntegratorWork *work);
} GrIntegratorRow;

#ifdef GR_DEVICE
GrStatus gr_call_step(GrStatus (*step)(const GrTree *, GrTreeData *, const GrForceField *, double, GrIntegratorWork *),
                      const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
#endif

/// By GrIntegrator. `step` is NULL where the build lacks what the integrator needs.
extern const GrIntegratorRow gr_integrators[GR_INTEGRATOR_COUNT];

/// position ⊕ (v dt): rotation by the exponential map, so that the quaternion stays unit.
void gr_tree_advance(const GrTree *t, GrTreeData *d, const double *velocity, double dt);

/// Discards the accelerations of earlier steps, after the state was set from outside.
void gr_tree_reset_history(GrTreeData *d);

GrStatus gr_step_linear(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_euler(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_beeman(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_cvode(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
bool gr_cvode_is_there(void); ///< its library can be loaded
GrIntegratorWork *gr_cvode_create(const GrTree *t);
void gr_cvode_destroy(GrIntegratorWork *work);

#endif

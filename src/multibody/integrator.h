/// Integrators behind one interface: one row of a table each.
#ifndef GR_INTEGRATOR_H
#define GR_INTEGRATOR_H

#include "tree.h"

/// Memory that an integrator needs besides the data (only the reference integrator does; NULL for the others). It
/// carries no state from step to step: a restored state continues with the same bits.
typedef struct GrIntegratorWork GrIntegratorWork;

typedef struct GrIntegrator {
    const char *name;
    const char *summary;
    int order;     ///< of global convergence on smooth forces
    bool implicit; ///< uses the Jacobians of the force field
    bool instant;  ///< asks the field for instantaneous forces (dt = 0); the caller advances the field's states
    /// Advances `d` by dt. Joint states are committed once, when the step is accepted.
    GrStatus (*step)(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
    /// Creates the memory, or NULL when the integrator needs none (then this pointer is NULL as well).
    GrIntegratorWork *(*create)(const GrTree *t);
    void (*destroy)(GrIntegratorWork *work);
} GrIntegrator;

/// The table; `linear` comes first and is the default.
extern const GrIntegrator gr_integrators[];
extern const int gr_integrator_count;

/// NULL when none has that name.
const GrIntegrator *gr_integrator_find(const char *name);

/// position ⊕ (v dt): rotation by the exponential map, so that the quaternion stays unit.
void gr_tree_advance(const GrTree *t, GrTreeData *d, const double *velocity, double dt);

/// Discards the accelerations of earlier steps, after the state was set from outside.
void gr_tree_reset_history(GrTreeData *d);

GrStatus gr_step_linear(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_euler(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_beeman(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrStatus gr_step_cvode(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work);
GrIntegratorWork *gr_cvode_create(const GrTree *t);
void gr_cvode_destroy(GrIntegratorWork *work);

#endif

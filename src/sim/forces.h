/// External forces on the rover, as the force field of the tree: grounds, and the caller's force.
#ifndef GR_FORCES_H
#define GR_FORCES_H

#include "grounds.h"
#include "integrator.h"

/// Context of the force field; must outlive it.
typedef struct GrForces {
    const GrModel *m;
    GrData *d;
    GrGroundMoment moment; ///< at which the field is evaluated
    bool sliding;          ///< search for rest: no force depends on displacements along the ground
} GrForces;

GrForceField gr_force_field(GrForces *forces);

/// Advances all grounds over dt, with the poses and velocities at its end. For integrators that only ask for
/// instantaneous forces.
void gr_forces_follow(const GrModel *m, GrData *d, double dt);

// Functions of that field.
void gr_field_evaluate(void *forces, const GrTree *t, GrTreeData *tree, double dt);
bool gr_field_revise(void *forces, const GrTree *t, GrTreeData *tree, double dt);

#endif

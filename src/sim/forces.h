/// Everything that acts on the rover from outside, as the force field of the tree: grounds, and the caller's force.
#ifndef GR_FORCES_H
#define GR_FORCES_H

#include "grounds.h"
#include "integrator.h"

/// Must live as long as the field is used.
typedef struct GrForces {
    const GrModel *m;
    GrData *d;
    GrGroundMoment moment; ///< of which the field is asked
    bool sliding;          ///< search for rest: nothing holds by displacement
} GrForces;

GrForceField gr_force_field(GrForces *forces);

/// Carries all grounds on over dt, with wheels and bodies where and as fast as they are at its end: after an integrator
/// that asked for forces of instants alone.
void gr_forces_follow(const GrModel *m, GrData *d, double dt);

#endif

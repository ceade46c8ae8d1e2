/// Random rovers and states for property tests.
#ifndef GR_RANDOM_ROVER_H
#define GR_RANDOM_ROVER_H

#include "data.h"
#include "random.h"

/// A random tree of `bodies` bodies: revolute, prismatic and some fixed joints, some coupled, springs and dampers.
GrRoverDef gr_random_rover(GrRandom *random, int bodies);

/// The same with half of the joints that are not coupled, at random, of the kinds beyond revolute and prismatic.
GrRoverDef gr_random_rover_of_all_kinds(GrRandom *random, int bodies);

/// Random pose, joint positions and velocities.
void gr_random_state(const GrModel *m, GrData *d, GrRandom *random, double speed);

GrVec3 gr_random_vec(GrRandom *random, double size);

#endif

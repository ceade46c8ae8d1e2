/// Queries of rigid contacts, for the other grounds and the choice of the step.
#ifndef GR_RIGID_GROUND_H
#define GR_RIGID_GROUND_H

#include "grounds.h"

/// Whether a wheel that continues for `time` [s] with the motion of the present frames would touch a rock or a part;
/// the ground does not count. Writes only what the next evaluation overwrites.
bool gr_rigid_ahead(const GrModel *m, GrData *d, double time);

/// Load on each slice of a wheel [N] that rigid contacts carry in place of soil. Contacts at the bottom of the wheel
/// count in full, those at the start of the soil's arc (front angle `theta`) not at all: a wheel that only runs against
/// an obstacle still has soil below. False when there is none. `down` points from the wheel's centre into the ground.
bool gr_rigid_relief(const GrModel *m, const GrData *d, int wheel, GrVec3 axle, GrVec3 down, double theta,
                     double *relief);

#endif

/// What the other grounds, and the pace, ask of rigid things.
#ifndef GR_RIGID_GROUND_H
#define GR_RIGID_GROUND_H

#include "grounds.h"

/// Whether a wheel that goes on for `time` [s] as it did when the frames were found would touch a rock or a part; the
/// ground does not count. Writes what the next evaluation writes, and nothing else.
bool gr_rigid_ahead(const GrModel *m, GrData *d, double time);

/// What rigid things carry of each slice of a wheel [N], where they stand in the place of soil: contacts at the bottom
/// of the wheel count in full, those where the soil's arc begins (front angle `theta`) not at all: soil is below the
/// wheel when it only runs against something. False when there is nothing of it. `down` points from the wheel's centre
/// into the ground.
bool gr_rigid_relief(const GrModel *m, const GrData *d, int wheel, GrVec3 axle, GrVec3 down, double theta,
                     double *relief);

#endif

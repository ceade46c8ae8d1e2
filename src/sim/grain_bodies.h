/// Bodies in soil of the law rft.
#ifndef GR_GRAIN_BODIES_H
#define GR_GRAIN_BODIES_H

#include "grounds.h"

/// Share of a wheel's force that comes from its body, since it leans over: 0 upright … 1 on its side, by the angle
/// between its axle and the ground's normal. Always 0 where bodies do not press the soil.
double gr_grain_lying(const GrModel *m, GrVec3 axle, GrVec3 normal);

/// Time in which the force of the soil builds up under the bodies that touch it, the shortest [s]; INFINITY: none does.
double gr_grain_time(const GrModel *m, const GrData *d);

/// Ground as the law rft looks at it; `view`: a GrGroundView.
bool gr_height_of_view(const void *view, double x, double y, double *z, GrVec3 *normal);

#endif

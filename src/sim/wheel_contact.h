/// Wheels and the soil below them: what laws of a patch and of a grid have in common.
#ifndef GR_WHEEL_CONTACT_H
#define GR_WHEEL_CONTACT_H

#include "grounds.h"

/// Finds the ground under every wheel, and asks its `wheel` function, or `leave` where there is none.
void gr_wheels_evaluate(const GrGroundInterface *ground, const GrModel *m, GrData *d, const GrGroundQuery *query);

/// A wheel without soil: no force and no memory of it.
void gr_wheel_leave(const GrModel *m, GrData *d, int wheel);

/// Fresh soil below the wheels, and where they are now.
void gr_wheels_begin_rest(const GrModel *m, GrData *d);

/// Displacements count from where the wheels are now.
void gr_wheels_anchor(const GrModel *m, GrData *d);

/// Has the wheels look for the ground with the sinkage that they have found. Whether that may change it.
bool gr_wheels_refine_rest(const GrModel *m, GrData *d);

/// What was found at rest was no distance rolled: patches have no direction yet.
void gr_wheels_end_rest(const GrModel *m, GrData *d);

/// How far a wheel has come since the search for rest began, along its contact plane [m].
GrVec3 gr_wheel_moved(const GrData *d, int wheel, GrVec3 world, GrVec3 normal);

/// Makes the evaluated states of soil the present ones.
void gr_wheels_commit(const GrModel *m, GrData *d);

/// [soil_state] of a wheel on a soil, in soil_state or soil_next.
static inline double *gr_wheel_soil_state(const GrModel *m, double *states, int wheel, int soil)
{
    return states + ((size_t)wheel * (size_t)m->soil_count + (size_t)soil) * (size_t)m->soil_state;
}

#endif

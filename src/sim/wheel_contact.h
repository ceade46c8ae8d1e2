/// Wheels and the soil below them: the part common to patch laws and grid laws, and views for missions.
#ifndef GR_WHEEL_CONTACT_H
#define GR_WHEEL_CONTACT_H

#include "data.h"
#include "grounds.h"

/// Finds the ground under every wheel and calls `ground->wheel`, or `ground->leave` where there is none.
void gr_wheels_evaluate(const GrGroundInterface *ground, const GrModel *m, GrData *d, const GrGroundQuery *query);

/// Finds the position of a wheel and the ground below it; false where there is no ground.
bool gr_wheel_place(const GrModel *m, const GrData *d, int wheel, const GrGroundQuery *query, GrWheelPlace *out);

/// Clears force and memory of a wheel without soil.
void gr_wheel_leave(const GrModel *m, GrData *d, int wheel);

/// Resets the soil below the wheels, and anchors them at their present position.
void gr_wheels_begin_rest(const GrModel *m, GrData *d);

/// Displacements are measured from the wheels' present positions.
void gr_wheels_anchor(const GrModel *m, GrData *d);

/// Whether the ground under a wheel depends on its sinkage: level ground does not.
bool gr_wheels_ground_varies(const GrModel *m, const GrData *d);

/// From now on the search for rest finds the ground for the present sinkages.
void gr_wheels_refine_rest(const GrModel *m, GrData *d);

/// Ends the search for rest. Its displacements are not rolling: patches have no direction yet.
void gr_wheels_end_rest(const GrModel *m, GrData *d);

/// Displacement of a wheel along its contact plane since the search for rest began [m].
GrVec3 gr_wheel_moved(const GrData *d, int wheel, GrVec3 world, GrVec3 normal);

/// Makes the evaluated soil states the present ones.
void gr_wheels_commit(const GrModel *m, GrData *d);

/// State of a wheel on a soil within `states`, which is soil_state or soil_next.
static inline double *gr_wheel_soil_state(const GrModel *m, double *states, int wheel, int soil)
{
    return states + ((size_t)wheel * (size_t)m->soil_count + (size_t)soil) * (size_t)m->soil_state;
}

// Slip and rolling direction of wheels, for missions and recordings.

/// +1 when a positive turn of the drive joint rolls the wheel forward, −1: backward.
double gr_wheel_sign(const GrModel *m, int wheel);

/// Slip of a wheel: from the soil law, or on rigid ground from its motion over level ground.
typedef struct GrWheelSlip {
    bool touches;
    GrContactFrame frame; ///< world axes
    double slip;          ///< 0 where it does not touch
    double slip_angle;    ///< [rad]
} GrWheelSlip;
GrWheelSlip gr_wheel_slip(const GrModel *m, const GrData *d, int wheel);

#endif

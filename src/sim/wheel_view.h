/// Slip and rolling direction of wheels, for missions and recordings.
#ifndef GR_WHEEL_VIEW_H
#define GR_WHEEL_VIEW_H

#include "data.h"

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

/// How wheels run, for missions and records.
#ifndef GR_WHEEL_VIEW_H
#define GR_WHEEL_VIEW_H

#include "data.h"

/// +1 when a positive turn of the drive joint rolls the wheel ahead, −1: back.
double gr_wheel_sign(const GrModel *m, int wheel);

/// How a wheel runs over what it stands on: as the soil says, or on rigid things from its own motion over level ground.
typedef struct GrWheelSlip {
    bool touches;
    GrContactFrame frame; ///< world axes
    double slip;          ///< 0 where it does not touch
    double slip_angle;    ///< [rad]
} GrWheelSlip;
GrWheelSlip gr_wheel_slip(const GrModel *m, const GrData *d, int wheel);

#endif

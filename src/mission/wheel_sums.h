/// The summary of a run, accumulated from what wheels and chassis do in one interval after another: the steps of a
/// mission, or the time between the samples of a recording. All figures of a summary are defined here, once.
#ifndef GR_WHEEL_SUMS_H
#define GR_WHEEL_SUMS_H

#include "grouser/sample.h"

/// Averaging distance of slip [m]; more than a wheel at rest creeps.
static const double GR_SLIP_DISTANCE = 0.02;

/// Sums for one wheel; zero at the start.
typedef struct GrWheelSums {
    double rolled;   ///< distance travelled by the rim while it touched something [m]
    double slipped;  ///< slip times that distance [m]
    double slip_now; ///< moving mean over GR_SLIP_DISTANCE; 0 before so much is rolled
    double slip_max; ///< largest magnitude of slip_now
    double touch_time, soil_time, sinkage_time, sinkage_max;
    double load_time, load_max;
    double torque_time, torque_max;
    double deflection_time, deflection_max;
    double energy;
} GrWheelSums;

/// Radius at which a wheel rolls [m].
double gr_rolling_radius(const GrModel *m, int wheel);

/// Adds `dt` seconds in which the wheel was as in the sample. Returns the distance that its rim travelled [m].
double gr_wheel_sums_add(GrWheelSums *sums, const GrModel *m, int wheel, const GrWheelSample *sample, double dt);

/// The results of `time` seconds, except for the chatter.
GrWheelSummary gr_wheel_sums_result(const GrWheelSums *sums, double time);

/// Ascent and descent. Rises and falls of less than 2 cm are not booked: they are those of the suspension.
typedef struct GrClimbSums {
    double last; ///< height where the last one was booked [m]
    double climb, descent;
} GrClimbSums;

void gr_climb_sums_add(GrClimbSums *sums, double height);

#endif

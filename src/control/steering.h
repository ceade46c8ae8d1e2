/// A wheel in the plane of driving: where it points and how fast it rolls when the chassis has a given twist.
#ifndef GR_STEERING_H
#define GR_STEERING_H

#include "elementary.h"
#include "grouser/control.h"

#include <math.h>

/// Motion of the chassis in its own plane: velocity of a point and yaw rate, chassis axes.
typedef struct GrPlaneTwist {
    double x, y, yaw;
} GrPlaneTwist;

/// Two unit vectors of a wheel at a steering angle: rolling direction and left of it, chassis axes.
typedef struct GrWheelAxes {
    double e_x, e_y;
    double n_x, n_y;
} GrWheelAxes;

static inline GrWheelAxes gr_wheel_axes(const GrDriveWheel *w, double steer)
{
    const double c = gr_cos(w->heading + steer), s = gr_sin(w->heading + steer);
    return (GrWheelAxes){c, s, -s, c};
}

/// Angle in −π … π.
static inline double gr_wrap_angle(double angle)
{
    return fabs(angle) <= GR_PI ? angle : remainder(angle, 2 * GR_PI);
}

/// Steering angle at which the wheel does not slip sideways; of the two solutions, one within the limits if there is
/// one. `singular`: no angle or every angle is a solution.
double gr_steer_angle(const GrDriveWheel *w, GrPlaneTwist twist, bool *singular);

static inline bool gr_steer_is_within(const GrDriveWheel *w, double steer)
{
    const double slack = 1e-12; // rounding error of an angle solved for at the limit
    return steer >= w->steer_min - slack && steer <= w->steer_max + slack;
}

/// Rolling speed and sideways speed of the contact, steering at rest.
double gr_wheel_rolling(const GrDriveWheel *w, double steer, GrPlaneTwist twist, double *sideways);

/// Curvature at which the wheel has this steering angle, for travel in direction `crab`, with the commanded point at
/// (centre_x, centre_y).
double gr_steer_curvature(const GrDriveWheel *w, double steer, double crab, double centre_x, double centre_y);

/// Displacement along x of the wheel's centre when its leg turns by `angle` about +y from the initial pose, and the
/// inverse.
static inline double gr_leg_travel(const GrDriveWheel *w, double angle)
{
    // x = leg_x cos θ + leg_z sin θ
    return w->leg_x * (gr_cos(angle) - 1) + w->leg_z * gr_sin(angle);
}

static inline double gr_leg_angle(const GrDriveWheel *w, double travel)
{
    // ρ cos(θ − γ) = leg_x + travel, ρ and γ the polar form of (leg_x, leg_z); leg_z < 0 picks the branch with θ(0) = 0
    return gr_atan2(w->leg_z, w->leg_x) + gr_acos((w->leg_x + travel) / gr_hypot(w->leg_x, w->leg_z));
}

/// Derivative of the displacement by the angle [m].
static inline double gr_leg_travel_per_angle(const GrDriveWheel *w, double angle)
{
    return w->leg_z * gr_cos(angle) - w->leg_x * gr_sin(angle);
}

#endif

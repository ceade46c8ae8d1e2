#include "steering.h"

#include "elementary.h"

/// Velocity of the steering axis at the ground.
static GrPlaneTwist pivot_velocity(const GrDriveWheel *w, GrPlaneTwist t)
{
    return (GrPlaneTwist){t.x - t.yaw * w->pivot_y, t.y + t.yaw * w->pivot_x, t.yaw};
}

/// Angle beyond the limits; 0 within them.
static double excess(const GrDriveWheel *w, double steer)
{
    return fmax(0, fmax(w->steer_min - steer, steer - w->steer_max));
}

double gr_steer_angle(const GrDriveWheel *w, GrPlaneTwist twist, bool *singular)
{
    // With the contact at s + R(δ) o: (v_s + yaw × R o) · n(δ) = 0, that is |v_s| sin(δ + h − φ) = yaw lead.
    // Limit cases: o = 0 gives δ = φ − h, the wheel along its velocity; yaw = 0 the same for any o.
    const GrPlaneTwist v = pivot_velocity(w, twist);
    const double speed = gr_hypot(v.x, v.y), need = twist.yaw * w->lead;
    *singular = !(speed > fabs(need)) || speed <= 1e-12 * (fabs(twist.x) + fabs(twist.y) + fabs(twist.yaw));
    if (*singular) {
        return 0;
    }
    const double phi = gr_atan2(v.y, v.x), k = need != 0 ? gr_asin(need / speed) : 0;
    const double ahead = gr_wrap_angle(phi + k - w->heading);
    if (fabs(ahead) + 2 * fabs(k) <= GR_PI / 2 && gr_steer_is_within(w, ahead)) {
        return ahead; // the other one, π − 2 k away, is farther away
    }
    const double astern = gr_wrap_angle(phi + GR_PI - k - w->heading);
    const bool first = gr_steer_is_within(w, ahead), second = gr_steer_is_within(w, astern);
    if (first != second) {
        return first ? ahead : astern;
    }
    if (!first) { // both beyond the limits: the one that the limit changes less
        return excess(w, ahead) <= excess(w, astern) ? ahead : astern;
    }
    return fabs(ahead) <= fabs(astern) ? ahead : astern;
}

double gr_wheel_rolling(const GrDriveWheel *w, double steer, GrPlaneTwist twist, double *sideways)
{
    // rolling = v_s · e − yaw side, sideways = v_s · n + yaw lead
    const GrPlaneTwist v = pivot_velocity(w, twist);
    const GrWheelAxes a = gr_wheel_axes(w, steer);
    *sideways = v.x * a.n_x + v.y * a.n_y + twist.yaw * w->lead;
    return v.x * a.e_x + v.y * a.e_y - twist.yaw * w->side;
}

double gr_steer_curvature(const GrDriveWheel *w, double steer, double crab, double centre_x, double centre_y)
{
    // 0 = d · n + κ ((z × (s − c)) · n + lead), d the direction of travel: linear in κ
    const GrWheelAxes a = gr_wheel_axes(w, steer);
    const double x = w->pivot_x - centre_x, y = w->pivot_y - centre_y;
    const double turning = x * a.n_y - y * a.n_x + w->lead;
    return -(gr_cos(crab) * a.n_x + gr_sin(crab) * a.n_y) / turning;
}

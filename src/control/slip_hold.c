/// Slip that the rover measures, and the correction of its commands for it.
#include "control_parts.h"
#include "elementary.h"

/// Slip is not defined below this rolling speed [m/s].
static const double SPEED_MIN = 1e-3;

void gr_slip_measure(const GrControl *c, const GrControlObservation *o, double dt, GrControlState *s)
{
    const GrOdometry *wheels = &s->odometry;
    const double rolling = gr_hypot(wheels->v_x, wheels->v_y);
    const double aim = fmax(SPEED_MIN, 0.1 * c->def.cruise_speed);
    const double ahead = o->v_x * wheels->v_x + o->v_y * wheels->v_y;
    if (rolling < aim) {
        return;
    }
    // slip = 1 − v · v_wheels / |v_wheels|², above 1 when the rover slides back; slide = angle from v_wheels to v
    // wheels that steer on the spot scrub, which tells nothing of their slip in a drive
    const double share = s->steered * (1 - gr_exp(-dt / c->def.slip_time));
    const double slip = 1 - ahead / (rolling * rolling);
    s->slip += share * (slip - s->slip);
    if (ahead > 0) { // otherwise the direction of travel says nothing about that of the wheels
        const double slide = gr_atan2(wheels->v_x * o->v_y - wheels->v_y * o->v_x, ahead);
        s->slide += share * (slide - s->slide);
    }
}

GrDriveCommand gr_slip_compensate(const GrControl *c, GrControlState *s, GrDriveCommand request)
{
    if (!c->def.compensate_slip) {
        return request;
    }
    const double bound = c->def.slip_factor_max;
    const double wanted = s->slip < 1 ? 1 / (1 - s->slip) : (double)INFINITY;
    const double factor = fmin(fmax(wanted, 1 / bound), bound);
    s->flags |= factor != wanted ? GR_DRIVE_FLAG_SLIP_BOUND : 0;
    request.speed *= factor;
    request.yaw_rate *= factor;
    const bool crabs = request.mode == GR_DRIVE_CRAB || (request.mode == GR_DRIVE_DOUBLE_ACKERMANN &&
                                                         c->geometry.steer_count == c->geometry.wheel_count);
    if (crabs) {
        const double slide = fmin(fmax(s->slide, -c->def.slide_max), c->def.slide_max);
        s->flags |= slide != s->slide ? GR_DRIVE_FLAG_SLIDE_BOUND : 0;
        request.crab -= slide;
    }
    return request;
}

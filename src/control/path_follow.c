/// Path following: the place on the path, the speed and the curvature to command.
#include "control_parts.h"
#include "elementary.h"

typedef struct Place {
    double x, y;
} Place;

/// A segment of the path, from way-point k − 1 or the start to way-point k.
typedef struct Leg {
    Place from;
    double x, y; ///< unit direction
    double length;
} Leg;

static Place way_point(const GrControl *c, const GrControlState *s, int k)
{
    return k < 0 ? (Place){s->start_x, s->start_y} : (Place){c->def.path[k].x, c->def.path[k].y};
}

static Leg path_leg(const GrControl *c, const GrControlState *s, int k)
{
    const Place from = way_point(c, s, k - 1), to = way_point(c, s, k);
    const double length = gr_hypot(to.x - from.x, to.y - from.y);
    const double scale = length > 0 ? 1 / length : 0;
    return (Leg){from, scale * (to.x - from.x), scale * (to.y - from.y), length};
}

/// Distance along the leg, and distance left of it.
static double along_leg(const Leg *leg, Place at, double *left)
{
    const double x = at.x - leg->from.x, y = at.y - leg->from.y;
    *left = leg->x * y - leg->y * x;
    return leg->x * x + leg->y * y;
}

/// A way-point is reached within the tolerance, and passed when the rover is beyond it along the leg.
static void take_way_points(const GrControl *c, GrControlState *s, Place at, double time)
{
    while (s->way_point < c->def.path_count) {
        const Leg leg = path_leg(c, s, s->way_point);
        const Place goal = way_point(c, s, s->way_point);
        const double distance = gr_hypot(at.x - goal.x, at.y - goal.y);
        double left;
        const bool passed = along_leg(&leg, at, &left) >= leg.length;
        // The full tolerance applies where corners may be cut. The last way-point and timed ones must be met ten times
        // as closely, so that the tolerance does not advance arrival times.
        const bool last = s->way_point + 1 == c->def.path_count;
        const bool timed = !isnan(c->def.path[s->way_point].time);
        const bool near = distance <= c->def.tolerance * (last || timed ? 0.1 : 1);
        if (!passed && !near) {
            return;
        }
        s->missed += distance > c->def.tolerance;
        s->miss_max = fmax(s->miss_max, distance);
        s->reached_time = time;
        s->way_point++;
    }
    s->finished = true;
}

/// Whether a rover that looks ahead past the corner at the end of `leg` still passes within the tolerance: the chord
/// between points half a look-ahead before and after a corner of angle φ passes it at L/2 sin(φ/2).
static bool may_cut(const GrControl *c, const Leg *leg, const Leg *next)
{
    const double cosine = leg->x * next->x + leg->y * next->y; // of φ
    const double miss = 0.5 * c->def.look_ahead * sqrt(fmax(0, 0.5 * (1 - cosine)));
    return miss <= c->def.tolerance;
}

/// The point `ahead` further along the path. Beyond a sharp corner or the end it lies straight on, so that the rover
/// arrives there before it turns.
static Place look_ahead(const GrControl *c, const GrControlState *s, double along, double ahead)
{
    double distance = along + ahead;
    int k = s->way_point;
    Leg leg = path_leg(c, s, k);
    while (distance > leg.length && k + 1 < c->def.path_count) {
        const Leg next = path_leg(c, s, k + 1);
        if (!may_cut(c, &leg, &next)) {
            break;
        }
        distance -= leg.length;
        leg = next;
        k++;
    }
    return (Place){leg.from.x + distance * leg.x, leg.from.y + distance * leg.y};
}

/// Whether the rover halts between two legs, to turn on the spot.
static bool must_halt(const GrControl *c, const Leg *leg, const Leg *next)
{
    return leg->length > 0 && next->length > 0 && leg->x * next->x + leg->y * next->y < gr_cos(c->def.turn_angle);
}

/// Speed that reaches the next timed way-point on time, cruise speed where there is none; slower before the end and
/// before corners at which the rover turns on the spot.
static double path_speed(const GrControl *c, GrControlState *s, double along, double time)
{
    const GrControlDef *def = &c->def;
    Leg leg = path_leg(c, s, s->way_point);
    double left = leg.length - along, speed = def->cruise_speed, to_halt = left;
    const double far = def->speed_max * def->speed_max /
                       def->wheel_acceleration; // beyond this distance a halt does not limit the speed yet
    bool timed = s->way_point >= c->timed_count, halts = false;
    for (int k = s->way_point; k < def->path_count && !(timed && (halts || to_halt > far)); k++) {
        if (k > s->way_point) {
            const Leg next = path_leg(c, s, k);
            halts = halts || must_halt(c, &leg, &next);
            to_halt += halts ? 0 : next.length;
            left += timed ? 0 : next.length;
            leg = next;
        }
        if (!timed && !isnan(def->path[k].time)) {
            const double remaining = def->path[k].time - time;
            timed = true;
            speed = remaining > 0 ? left / remaining : (double)INFINITY;
        }
    }
    if (speed > def->speed_max) {
        s->flags |= left > def->tolerance ? GR_DRIVE_FLAG_LATE : 0; // when nearer, it arrives in the next cycle
        speed = def->speed_max;
    }
    // v² = 2 a d to the halt at distance d, a half the wheels' acceleration; never less than a tenth of cruise speed
    const double stopping = sqrt(fmax(0, to_halt) * def->wheel_acceleration);
    return fmin(speed, fmax(stopping, 0.1 * def->cruise_speed));
}

/// Yaw rate on the spot: outer wheels at cruise speed, slower before the end of the turn, as path_speed() does before a
/// halt.
static double turn_rate(const GrControl *c, double error)
{
    const double reach = c->geometry.reach, left = fabs(error) * reach;
    return copysign(fmin(c->def.cruise_speed, sqrt(left * c->def.wheel_acceleration)) / reach, error);
}

/// Pure pursuit: the arc through the look-ahead point, κ = 2 sin(α) / L (Coulter 1992).
static double pursue(double error, double distance)
{
    return 2 * gr_sin(error) / distance;
}

/// P: heading error against the line of sight, κ = g / L (θ_path − atan(left / L) − course). For small errors
/// s² + g s / L + g / L² in arc length: damping √g / 2.
static double proportional(const GrControl *c, const Leg *leg, double left, double course)
{
    const double length = c->def.look_ahead;
    const double sight = gr_atan2(leg->y, leg->x) - gr_atan2(left, length);
    return c->def.heading_gain / length * gr_wrap_angle(sight - course);
}

/// PID on the distance left of the leg, over the distance s: κ = −(P e/L² + I ∫e ds/L³ + D e'/L), e' = sin(course −
/// leg). For small errors s³ + D/L s² + P/L² s + I/L³: stable while P D > I. The integral removes the offset that
/// steady side slip leaves. It is bounded by L² against wind-up far from the path, and restarts on each leg.
static double pid(const GrControl *c, GrControlState *s, const Leg *leg, double course, const GrControlObservation *o)
{
    const double length = c->def.look_ahead, *gain = c->def.pid;
    const double e = fmax(-length, fmin(length, s->cross_track)), most = length * length;
    const double moved = s->started ? gr_hypot(o->v_x, o->v_y) * (o->time - s->time) : 0;
    s->cross_integral = s->cross_leg == s->way_point ? s->cross_integral + e * moved : 0;
    s->cross_integral = fmax(-most, fmin(most, s->cross_integral));
    s->cross_leg = s->way_point;
    const double slope = gr_sin(course - gr_atan2(leg->y, leg->x));
    return -(gain[0] * e / length + gain[1] * s->cross_integral / most + gain[2] * slope) / length;
}

static double find_curvature(const GrControl *c, GrControlState *s, const Leg *leg, double course, double distance,
                             const GrControlObservation *o)
{
    switch (c->def.follower) {
    case GR_FOLLOW_P:
        return proportional(c, leg, s->cross_track, course);
    case GR_FOLLOW_PID:
        return pid(c, s, leg, course, o);
    case GR_FOLLOW_PURE_PURSUIT:
        break;
    }
    return pursue(s->course_error, distance);
}

GrDriveCommand gr_path_follow(const GrControl *c, GrControlState *s, const GrControlObservation *o)
{
    const GrControlDef *def = &c->def;
    const bool truth = def->localisation == GR_LOCALISE_TRUTH;
    const double heading = truth ? o->heading : s->odometry.heading;
    const double cosine = gr_cos(heading), sine = gr_sin(heading);
    const Place at = {(truth ? o->x : s->odometry.x) + cosine * c->centre_x - sine * c->centre_y,
                      (truth ? o->y : s->odometry.y) + sine * c->centre_x + cosine * c->centre_y};
    if (!s->started) {
        s->start_x = at.x;
        s->start_y = at.y;
    }
    take_way_points(c, s, at, o->time);
    if (s->finished) {
        return (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
    const Leg leg = path_leg(c, s, s->way_point);
    const double along = along_leg(&leg, at, &s->cross_track);
    // A rover that cannot crab corrects side slip by its heading: it points up the slope and travels along the path.
    const bool crabs = c->geometry.steer_count == c->geometry.wheel_count && def->mode == GR_DRIVE_DOUBLE_ACKERMANN;
    const double course = heading + (def->compensate_slip && !crabs ? s->slide : 0);
    const Place aim = look_ahead(c, s, along, def->look_ahead);
    const double distance = gr_hypot(aim.x - at.x, aim.y - at.y);
    const double error = gr_wrap_angle(gr_atan2(aim.y - at.y, aim.x - at.x) - course);
    s->course_error = error;
    s->turning = fabs(error) > (s->turning ? def->turn_done : def->turn_angle);
    if (s->turning) {
        return (GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = turn_rate(c, error)};
    }
    return (GrDriveCommand){
        .mode = def->mode,
        .speed = path_speed(c, s, along, o->time),
        .curvature = find_curvature(c, s, &leg, course, distance, o),
    };
}

/// One cycle of control, from what the rover measures to commands for its joints.
#include "check.h"
#include "control_parts.h"
#include "elementary.h"

#include <string.h>

// ---- Dead reckoning: the chassis' twist by least squares over the wheels, integrated along an arc.

/// Normal equations of rows (a · twist = b), with weights.
typedef struct Fit {
    double m[3][3], r[3];
} Fit;

static void add_row(Fit *f, const double a[3], double b, double weight)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f->m[i][j] += weight * a[i] * a[j];
        }
        f->r[i] += weight * a[i] * b;
    }
}

/// m x = r by Cholesky, in place; a direction without any row stays 0.
static void solve(Fit *f, double x[3])
{
    double(*m)[3] = f->m;
    double scale = 0;
    for (int i = 0; i < 3; i++) {
        scale = fmax(scale, m[i][i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            if (i == j) {
                m[i][i] = sum > 1e-14 * scale ? sqrt(sum) : 0;
            } else {
                m[i][j] = m[j][j] > 0 ? sum / m[j][j] : 0;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        double sum = f->r[i];
        for (int k = 0; k < i; k++) {
            sum -= m[i][k] * x[k];
        }
        x[i] = m[i][i] > 0 ? sum / m[i][i] : 0;
    }
    for (int i = 2; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < 3; k++) {
            sum -= m[k][i] * x[k];
        }
        x[i] = m[i][i] > 0 ? sum / m[i][i] : 0;
    }
}

/// Rolling speed from the measured joint speeds, less the speed at which the leg moves the wheel ahead of the chassis
/// [m/s].
static double rolled(const GrDriveWheel *w, const GrWheelJoints *joints)
{
    double spin = w->drive_sign * joints->drive_velocity, travel = 0;
    if (w->walk >= 0) {
        const double angle = w->walk_sign * (joints->walk_position - w->walk_initial);
        const double rate = w->walk_sign * joints->walk_velocity;
        spin += rate; // the leg's rotation turns the wheel too
        travel = rate * gr_leg_travel_per_angle(w, angle);
    }
    return spin * w->radius - travel;
}

void gr_odometry_twist(const GrControl *c, const GrControlObservation *o, GrOdometry *odometry)
{
    // No slip at the contact s + R(δ) o, steering at rate δ':
    //   v · e + yaw (z × contact) · e = rolling + δ' side,   v · n + yaw (z × contact) · n = −δ' lead
    Fit fit = {0};
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        const GrWheelJoints *joints = &o->wheels[i];
        const double steer = w->steer >= 0 ? w->steer_sign * joints->steer_position : 0;
        const double rate = w->steer >= 0 ? w->steer_sign * joints->steer_velocity : 0;
        const GrWheelAxes a = gr_wheel_axes(w, steer);
        const double x = w->pivot_x + w->lead * a.e_x + w->side * a.n_x,
                     y = w->pivot_y + w->lead * a.e_y + w->side * a.n_y;
        const double along[3] = {a.e_x, a.e_y, x * a.e_y - y * a.e_x};
        const double across[3] = {a.n_x, a.n_y, x * a.n_y - y * a.n_x};
        if (w->drive >= 0) {
            add_row(&fit, along, rolled(w, joints) + rate * w->side, 1);
        }
        add_row(&fit, across, -rate * w->lead, c->def.lateral_weight);
    }
    if (c->def.use_gyro) { // weighted far above all wheels together: the gyro determines the yaw rate
        for (int i = 0; i < 2; i++) {
            fit.r[i] -= fit.m[i][2] * o->yaw_rate;
            fit.m[i][2] = fit.m[2][i] = 0;
        }
        fit.m[2][2] = 1;
        fit.r[2] = o->yaw_rate;
    }
    double twist[3] = {0};
    solve(&fit, twist);
    odometry->v_x = twist[0];
    odometry->v_y = twist[1];
    odometry->yaw_rate = twist[2];
}

void gr_odometry_update(const GrControl *c, const GrControlObservation *o, double dt, GrOdometry *odometry)
{
    GR_CHECK(dt >= 0);
    const GrOdometry last = *odometry;
    gr_odometry_twist(c, o, odometry);
    // Hold the mean of the twists at both ends over dt: an arc, exact when the twist is constant.
    const double turn = 0.5 * (last.yaw_rate + odometry->yaw_rate) * dt;
    const double x = 0.5 * (last.v_x + odometry->v_x) * dt, y = 0.5 * (last.v_y + odometry->v_y) * dt;
    // chord = arc · sin(turn/2) / (turn/2), in the direction of half the turn
    const double half = 0.5 * turn;
    const double chord = fabs(half) > 1e-4 ? gr_sin(half) / half : 1 - half * half / 6;
    const double cosine = chord * gr_cos(last.heading + half), sine = chord * gr_sin(last.heading + half);
    odometry->x = last.x + cosine * x - sine * y;
    odometry->y = last.y + sine * x + cosine * y;
    odometry->heading = gr_wrap_angle(last.heading + turn);
}

// ---- control

// ---- the cycle

/// Measured steering angle of a wheel, about chassis z.
static double observed_steer(const GrControl *c, const GrControlObservation *o, int i)
{
    return c->geometry.wheels[i].steer_sign * o->wheels[i].steer_position;
}

/// Targets begin at the joints' positions. Joints with servos begin at the servo's target instead: a servo deflects
/// under load, and would deflect again if its target were moved to where it stands.
static void start(const GrControl *c, GrControlState *s, const GrControlObservation *o)
{
    s->odometry = (GrOdometry){.x = o->x, .y = o->y, .heading = o->heading};
    gr_odometry_twist(c, o, &s->odometry);
    s->time = o->time;
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        const GrWheelJoints *joints = &o->wheels[i];
        const double leg = w->walk_servo ? joints->walk_held : joints->walk_position;
        s->steer[i] = w->steer < 0 ? 0 : w->steer_servo ? w->steer_sign * joints->steer_held : observed_steer(c, o, i);
        s->walk[i] = w->walk >= 0 ? gr_leg_travel(w, w->walk_sign * (leg - w->walk_initial)) : 0;
    }
}

/// time -> request of the script
static GrDriveCommand gr_script_command(const GrControl *c, GrControlState *s, double time)
{
    const GrScriptEntry *script = c->def.script;
    while (s->script_entry < c->def.script_count && script[s->script_entry].time <= time) {
        s->script_entry++; // counts the entries that have begun
    }
    return s->script_entry > 0 ? script[s->script_entry - 1].command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
}

static GrDriveCommand planned_request(const GrControl *c, GrControlState *s, const GrControlObservation *o)
{
    switch (c->def.source) {
    case GR_CONTROL_SCRIPT:
        return gr_script_command(c, s, o->time);
    case GR_CONTROL_PATH:
        return gr_path_follow(c, s, o);
    case GR_CONTROL_MANUAL:
        break;
    }
    return s->manual;
}

/// time -> by_hand, manual: the commands of a driver that were recorded
static void gr_manual_update(const GrControl *c, GrControlState *s, double time)
{
    const GrScriptEntry *manual = c->def.manual;
    for (; s->manual_entry < c->def.manual_count && manual[s->manual_entry].time <= time; s->manual_entry++) {
        const GrDriveCommand *command = &manual[s->manual_entry].command;
        s->by_hand = command->mode != GR_DRIVE_MODE_COUNT;
        s->manual = s->by_hand ? *command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
}

/// A driver takes precedence. The first cycle always asks path or script, which remember where they start.
static GrDriveCommand find_request(const GrControl *c, GrControlState *s, const GrControlObservation *o)
{
    gr_manual_update(c, s, o->time);
    if (s->by_hand && s->started) {
        return s->manual;
    }
    const GrDriveCommand planned = planned_request(c, s, o);
    return s->by_hand ? s->manual : planned;
}

/// Skid steering makes the wheels slip sideways: command a larger yaw rate than the one wanted.
static GrDriveCommand widen_skid(const GrControl *c, GrDriveCommand command)
{
    const bool skids =
        command.mode == GR_DRIVE_SKID || (command.mode == GR_DRIVE_POINT_TURN && c->geometry.steer_count == 0);
    if (skids) {
        command.curvature *= c->def.skid_factor;
        command.yaw_rate *= c->def.skid_factor;
    }
    return command;
}

/// Moves steering targets towards the plan at their rate; returns the fraction of the wheel speeds that the steering
/// allows.
static double advance_steering(const GrControl *c, GrControlState *s, const GrControlObservation *o,
                               const GrDrivePlan *plan, double dt, double *rate)
{
    const GrControlDef *def = &c->def;
    double worst = 0;
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        rate[i] = 0;
        if (w->steer < 0 || plan->holds_steering) {
            continue;
        }
        const double left = plan->steer[i] - s->steer[i], most = def->steer_rate * dt;
        const double moved = fabs(left) <= most ? left : copysign(most, left);
        s->steer[i] += moved;
        rate[i] = dt > 0 ? moved / dt : 0;
        worst = fmax(worst, fabs(plan->steer[i] - observed_steer(c, o, i)));
    }
    // 1 up to steer_tolerance, 0 from steer_hold on, linear in between
    if (worst <= def->steer_tolerance || isinf(def->steer_hold)) {
        return 1;
    }
    s->flags |= GR_DRIVE_FLAG_STEERING;
    return fmax(0, (def->steer_hold - worst) / (def->steer_hold - def->steer_tolerance));
}

/// Moves all rolling speeds towards their targets in proportion, so that they stay consistent with each other
/// meanwhile.
static void advance_speeds(const GrControl *c, GrControlState *s, const double *target, double dt)
{
    double largest = 0;
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        largest = fmax(largest, fabs(target[i] - s->speed[i]));
    }
    const double most = c->def.wheel_acceleration * dt;
    const double share = largest > most ? most / largest : 1;
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        s->speed[i] += share * (target[i] - s->speed[i]);
    }
}

static void put(GrControlOutput *out, int joint, double command)
{
    out->joint[out->count] = joint;
    out->command[out->count++] = command;
}

/// Commands an angle to a servo, or a speed towards the angle to a motor that takes speeds.
static void put_angle(const GrControl *c, GrControlOutput *out, int joint, bool servo, double angle, double measured)
{
    put(out, joint, servo ? angle : c->def.steer_gain * (angle - measured));
}

/// Joint commands of a wheel that rolls without slip:
///   spin radius = speed − δ' side + x' − radius θ'      δ' steering, x' and θ' displacement and rotation of the leg
static void put_wheel(const GrControl *c, const GrControlState *s, const GrControlObservation *o, int i,
                      double steer_rate, double travel_rate, GrControlOutput *out)
{
    const GrDriveWheel *w = &c->geometry.wheels[i];
    double leg_rate = 0;
    if (w->walk >= 0) {
        const double angle = gr_leg_angle(w, s->walk[i]);
        leg_rate = travel_rate / gr_leg_travel_per_angle(w, angle);
        put_angle(c, out, w->walk, w->walk_servo, w->walk_initial + w->walk_sign * angle, o->wheels[i].walk_position);
    }
    if (w->steer >= 0) {
        put_angle(c, out, w->steer, w->steer_servo, w->steer_sign * s->steer[i], o->wheels[i].steer_position);
    }
    if (w->drive >= 0) {
        const double rolling = s->speed[i] - steer_rate * w->side + travel_rate;
        put(out, w->drive, w->drive_sign * (rolling / w->radius - leg_rate));
    }
}

static void actuate(const GrControl *c, GrControlState *s, const GrControlObservation *o, double dt,
                    GrControlOutput *out)
{
    const GrDriveGeometry *g = &c->geometry;
    double steer_rate[GR_DRIVE_WHEELS_MAX], target[GR_DRIVE_WHEELS_MAX], travel[GR_DRIVE_WHEELS_MAX];
    const bool walks = out->request.mode == GR_DRIVE_WHEEL_WALK && !(out->plan.flags & GR_DRIVE_FLAG_UNSUPPORTED);
    const double ready = s->steered = advance_steering(c, s, o, &out->plan, dt, steer_rate);
    memcpy(travel, s->walk, sizeof travel);
    const double body = gr_walk_advance(c, s, walks, ready * out->plan.v_x, dt);
    for (int i = 0; i < g->wheel_count; i++) {
        target[i] = walks ? body : ready * out->plan.speed[i];
    }
    if (walks) { // the gait carries the body: speeds must match the legs' motion at this instant
        memcpy(s->speed, target, sizeof target);
    } else {
        advance_speeds(c, s, target, dt);
    }
    out->count = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        const double travel_rate = dt > 0 ? (s->walk[i] - travel[i]) / dt : 0;
        put_wheel(c, s, o, i, steer_rate[i], travel_rate, out);
    }
}

void gr_control_update(const GrControl *c, GrControlState *s, const GrControlObservation *o, GrControlOutput *out)
{
    const double dt = s->started ? o->time - s->time : 0;
    s->flags = 0;
    if (s->started) {
        gr_odometry_update(c, o, dt, &s->odometry); // joints, gyro -> belief
        gr_slip_measure(c, o, dt, s);               // belief, truth -> slip
    } else {
        start(c, s, o);
    }
    out->request = find_request(c, s, o); // driver, script, path -> request
    const GrDriveCommand command = widen_skid(c, gr_slip_compensate(c, s, out->request)); // slip -> corrected
    gr_drive_plan(&c->geometry, &command, &out->plan);                                    // command -> steering, speeds
    actuate(c, s, o, dt, out);                                                            // rates, gait -> joints
    s->flags |= out->plan.flags;
    for (int i = 0; i < GR_DRIVE_FLAG_COUNT; i++) {
        s->flag_count[i] += (s->flags >> i) & 1U;
    }
    s->started = true;
    s->time = o->time;
}

// ---- commands by time

// ---- slip that the rover measures, and the correction of its commands for it

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

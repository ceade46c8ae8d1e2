/// Drive modes: from speed, turn and crab angle to steering angles and rolling speeds, and wheel walking.
#include "control_parts.h"

#include "elementary.h"
#include "steering.h"

#include <string.h>

// ---- wheel walking
//
// Wheel walking: the body moves at constant speed while the wheels are moved forward one after another.
//
// Phase runs from 0 to 1; with N wheels that walk, each swings for 1/N of it and stands for the rest. Displacement x
// of a wheel relative to the chassis, stride S:
//
//      x  S/2 |   /\__
//             |  /    \___          swing: −S/2 -> S/2 in 1/N, rolling ahead
//           0 | /         \___      stance: S/2 -> −S/2 in 1 − 1/N, the wheel stands on the ground and the leg
//        −S/2 |/              \     pushes the body: speed = S / ((1 − 1/N) T)

/// Without a gait, wheels roll back to their places at this fraction of the cruise speed.
static const double ALIGN_SPEED = 0.5;

static double gait_travel(double phase, int place, int count, double stride)
{
    double p = phase - (double)place / count;
    p -= floor(p);
    const double swing = 1.0 / count;
    return p < swing ? stride * (p / swing - 0.5) : stride * (0.5 - (p - swing) / (1 - swing));
}

/// Moves every leg towards its place; true when all have arrived.
static bool align(const GrControl *c, GrControlState *s, bool walks, double dt)
{
    const GrDriveGeometry *g = &c->geometry;
    const double most = ALIGN_SPEED * c->def.cruise_speed * dt;
    bool there = true;
    for (int k = 0; k < g->walk_count; k++) {
        const int i = g->walk_order[k];
        const double target = walks ? gait_travel(s->walk_phase, k, g->walk_count, c->def.stride) : 0;
        const double left = target - s->walk[i];
        s->walk[i] = fabs(left) <= most ? target : s->walk[i] + copysign(most, left);
        there = there && s->walk[i] == target;
    }
    return there;
}

double gr_walk_advance(const GrControl *c, GrControlState *s, bool walks, double speed, double dt)
{
    const GrDriveGeometry *g = &c->geometry;
    if (g->walk_count == 0) {
        return speed;
    }
    if (!walks || !s->walking) {
        const bool there = align(c, s, walks, dt);
        s->walking = walks && there;
        s->flags |= there || !(dt > 0) ? 0 : GR_DRIVE_FLAG_WALK_ALIGN; // the first cycle has no time to move
        return walks ? 0 : speed;
    }
    const double swing = 1.0 / g->walk_count;
    s->walk_phase += speed * (1 - swing) / c->def.stride * dt;
    s->walk_phase -= floor(s->walk_phase);
    for (int k = 0; k < g->walk_count; k++) {
        s->walk[g->walk_order[k]] = gait_travel(s->walk_phase, k, g->walk_count, c->def.stride);
    }
    return speed;
}

// ---- drive modes

typedef enum SteerSet { STEER_NONE, STEER_FRONT, STEER_ALL } SteerSet;

typedef struct ModeRow {
    const char *name, *text;
    SteerSet steer;
    bool moves; ///< travels, in direction crab
    bool turns;
    bool crabs;
} ModeRow;

static ModeRow mode_row(GrDriveMode mode)
{
    static const ModeRow rows[GR_DRIVE_MODE_COUNT] = {
#define ROW(constant, label, words) [GR_DRIVE_##constant] = {.name = #label, .text = (words)},
        GR_DRIVE_MODE_LIST(ROW)
#undef ROW
    };
    if ((int)mode < 0 || mode >= GR_DRIVE_MODE_COUNT) {
        return (ModeRow){.name = "", .text = "no mode"};
    }
    ModeRow row = rows[mode];
    switch (mode) {
    case GR_DRIVE_ACKERMANN:
        row.steer = STEER_FRONT;
        row.moves = row.turns = true;
        break;
    case GR_DRIVE_DOUBLE_ACKERMANN:
        row.steer = STEER_ALL;
        row.moves = row.turns = row.crabs = true;
        break;
    case GR_DRIVE_CRAB:
        row.steer = STEER_ALL;
        row.moves = row.crabs = true;
        break;
    case GR_DRIVE_POINT_TURN:
    case GR_DRIVE_PARK:
        row.steer = STEER_ALL;
        row.turns = true;
        break;
    case GR_DRIVE_SKID:
        row.moves = row.turns = true;
        break;
    case GR_DRIVE_WHEEL_WALK:
        row.moves = true;
        break;
    case GR_DRIVE_FIXED:
        row.steer = STEER_ALL;
        break;
    case GR_DRIVE_STOP:
    case GR_DRIVE_MODE_COUNT:
        break;
    }
    return row;
}

const char *gr_drive_mode_name(GrDriveMode mode)
{
    return mode_row(mode).name;
}

const char *gr_drive_mode_text(GrDriveMode mode)
{
    return mode_row(mode).text;
}

GrDriveMode gr_drive_mode_named(const char *name)
{
    int mode = 0;
    while (mode < GR_DRIVE_MODE_COUNT && strcmp(mode_row((GrDriveMode)mode).name, name) != 0) {
        mode++;
    }
    return (GrDriveMode)mode;
}

const char *gr_drive_flag_text(int bit)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        GR_DRIVE_FLAG_LIST(TEXT)
#undef TEXT
    };
    return texts[bit];
}

static bool is_steered(const GrDriveGeometry *g, SteerSet set, int i)
{
    const GrDriveWheel *w = &g->wheels[i];
    return w->steer >= 0 && (set == STEER_ALL || (set == STEER_FRONT && w->pivot_x > g->middle_x));
}

static int count_steered(const GrDriveGeometry *g, SteerSet set)
{
    int count = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        count += is_steered(g, set, i);
    }
    return count;
}

bool gr_drive_supports(const GrDriveGeometry *g, GrDriveMode mode)
{
    switch (mode) {
    case GR_DRIVE_ACKERMANN:
        return count_steered(g, STEER_FRONT) > 0;
    case GR_DRIVE_DOUBLE_ACKERMANN:
        return g->steer_count > 0;
    case GR_DRIVE_CRAB:
        return g->steer_count == g->wheel_count;
    case GR_DRIVE_WHEEL_WALK:
        return g->walk_count >= 2;
    case GR_DRIVE_MODE_COUNT:
        return false;
    case GR_DRIVE_STOP:
    case GR_DRIVE_PARK:
    case GR_DRIVE_POINT_TURN:
    case GR_DRIVE_SKID:
    case GR_DRIVE_FIXED:
        break;
    }
    return true;
}

GrDriveMode gr_drive_best_mode(const GrDriveGeometry *g)
{
    if (g->steer_count == 0) {
        return GR_DRIVE_SKID;
    }
    return g->steer_count > count_steered(g, STEER_FRONT) ? GR_DRIVE_DOUBLE_ACKERMANN : GR_DRIVE_ACKERMANN;
}

/// The point whose speed is commanded. The centre of rotation lies on the common axle of the wheels that do not steer;
/// where these have no common axle, or all wheels steer, the point is the mean of the wheels.
static void find_centre(const GrDriveGeometry *g, SteerSet set, GrDrivePlan *p)
{
    double sum = 0;
    int fixed = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        if (!is_steered(g, set, i)) {
            sum += g->wheels[i].contact.x;
            fixed++;
        }
    }
    p->centre_x = fixed > 0 ? sum / fixed : g->middle_x;
    p->centre_y = g->middle_y;
}

/// Twist at the chassis' origin when the centre has velocity (x, y).
static GrPlaneTwist at_origin(const GrDrivePlan *p, double x, double y, double yaw)
{
    return (GrPlaneTwist){x + yaw * p->centre_y, y - yaw * p->centre_x, yaw};
}

/// A centre of rotation at the steering axis cannot be reached, except by a wheel that can steer through all angles.
static bool reaches(const GrDriveWheel *w, GrPlaneTwist twist)
{
    bool singular;
    const double steer = gr_steer_angle(w, twist, &singular);
    return singular ? w->steer_max - w->steer_min >= GR_PI : gr_steer_is_within(w, steer);
}

/// Straight travel in direction crab, limited to what all wheels can steer to. A wheel may roll forwards or backwards.
static double limit_crab(const GrDriveGeometry *g, SteerSet set, double crab, GrDrivePlan *p)
{
    double limited = crab;
    for (int i = 0; i < g->wheel_count; i++) {
        const GrDriveWheel *w = &g->wheels[i];
        const GrPlaneTwist along = {gr_cos(limited), gr_sin(limited), 0};
        if (!is_steered(g, set, i) || reaches(w, along)) {
            continue;
        }
        bool singular;
        const double steer = gr_steer_angle(w, along, &singular);
        limited += fmin(fmax(steer, w->steer_min), w->steer_max) - steer;
        p->flags |= GR_DRIVE_FLAG_CRAB_LIMIT;
    }
    return limited;
}

/// The tightest turn that all wheels can steer to, not tighter than the requested one. Each wheel meets its limits at
/// two curvatures; each round goes down to the next of these for a wheel that cannot follow, so the number of rounds is
/// bounded.
static double limit_curvature(const GrDriveGeometry *g, SteerSet set, double crab, double curvature, GrDrivePlan *p)
{
    double limited = curvature;
    bool changed = true;
    for (int round = 0; changed && round < 2 * g->wheel_count; round++) {
        const GrPlaneTwist twist = at_origin(p, gr_cos(crab), gr_sin(crab), limited);
        changed = false;
        for (int i = 0; i < g->wheel_count; i++) {
            const GrDriveWheel *w = &g->wheels[i];
            if (!is_steered(g, set, i) || reaches(w, twist)) {
                continue;
            }
            double share = 0; // of `limited`: the largest at which the wheel is at one of its limits
            const double ends[2] = {w->steer_min, w->steer_max};
            for (int k = 0; k < 2; k++) {
                const double at = gr_steer_curvature(w, ends[k], crab, p->centre_x, p->centre_y) / limited;
                share = at < 1 && at > share ? at : share;
            }
            limited *= share;
            changed = true;
            p->flags |= GR_DRIVE_FLAG_STEER_LIMIT;
            break;
        }
    }
    return limited;
}

/// Steering angles for the shape of the motion; rolling speeds for the motion itself, `rate` times the shape.
static void set_wheels(const GrDriveGeometry *g, SteerSet set, GrPlaneTwist shape, double rate, GrDrivePlan *p)
{
    const GrPlaneTwist twist = {rate * shape.x, rate * shape.y, rate * shape.yaw};
    p->scrub = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        const GrDriveWheel *w = &g->wheels[i];
        double steer = 0, sideways;
        if (is_steered(g, set, i)) {
            bool singular;
            const double wanted = gr_steer_angle(w, shape, &singular);
            steer = fmin(fmax(wanted, w->steer_min), w->steer_max);
            p->flags |= gr_steer_is_within(w, wanted) ? 0 : GR_DRIVE_FLAG_STEER_LIMIT;
            p->flags |= singular ? GR_DRIVE_FLAG_SINGULAR : 0;
        }
        p->steer[i] = steer;
        p->speed[i] = gr_wheel_rolling(w, steer, twist, &sideways);
        p->scrub = fmax(p->scrub, fabs(sideways));
    }
    p->v_x = twist.x;
    p->v_y = twist.y;
    p->yaw_rate = twist.yaw;
}

static void stand(const GrDriveGeometry *g, GrDrivePlan *p, bool hold)
{
    for (int i = 0; i < g->wheel_count; i++) {
        p->steer[i] = p->speed[i] = 0;
    }
    p->holds_steering = hold;
}

/// Motion of a mode that travels. The steering is set for the turn even while the speed is 0.
static void plan_travel(const GrDriveGeometry *g, const ModeRow *row, const GrDriveCommand *c, GrDrivePlan *p)
{
    const bool crabs = row->crabs && (g->steer_count == g->wheel_count);
    const double turn = row->turns ? 1 : 0;
    const double curvature = turn * (c->curvature + (c->speed != 0 ? c->yaw_rate / c->speed : 0));
    p->flags |= !crabs && c->crab != 0 ? GR_DRIVE_FLAG_CRAB_IGNORED : 0;
    p->flags |= !row->turns && (c->curvature != 0 || c->yaw_rate != 0) ? GR_DRIVE_FLAG_TURN_IGNORED : 0;
    if (c->speed == 0 && turn * c->yaw_rate != 0) {
        p->curvature = INFINITY;
        set_wheels(g, row->steer, at_origin(p, 0, 0, 1), c->yaw_rate, p);
        return;
    }
    p->crab = crabs && c->crab != 0 ? limit_crab(g, row->steer, c->crab, p) : 0;
    p->curvature = curvature;
    const unsigned flags = p->flags;
    set_wheels(g, row->steer, at_origin(p, gr_cos(p->crab), gr_sin(p->crab), curvature), c->speed, p);
    if (curvature != 0 && p->flags != flags) { // beyond the limits: use the turn that is not
        p->flags = flags;
        p->curvature = limit_curvature(g, row->steer, p->crab, curvature, p);
        set_wheels(g, row->steer, at_origin(p, gr_cos(p->crab), gr_sin(p->crab), p->curvature), c->speed, p);
    }
}

/// Equal speeds at given steering angles. In general no motion fits them all: the twist is the least-squares fit to the
/// rolling velocities u_i at the contacts r_i, v = mean u and ω = Σ (r − mean r) × u / Σ |r − mean r|².
static void plan_fixed(const GrDriveGeometry *g, const GrDriveCommand *c, GrDrivePlan *p)
{
    const int count = g->wheel_count > 0 ? g->wheel_count : 1;
    double x[GR_DRIVE_WHEELS_MAX], y[GR_DRIVE_WHEELS_MAX], moment = 0, spread = 0;
    GrPlaneTwist mean = {0};
    p->flags |= c->crab != 0 ? GR_DRIVE_FLAG_CRAB_IGNORED : 0;
    p->flags |= c->curvature != 0 || c->yaw_rate != 0 ? GR_DRIVE_FLAG_TURN_IGNORED : 0;
    p->centre_x = p->centre_y = 0;
    for (int i = 0; i < g->wheel_count; i++) {
        const GrDriveWheel *w = &g->wheels[i];
        const double wanted = w->steer >= 0 ? c->steer[i] : 0;
        p->steer[i] = w->steer >= 0 ? fmin(fmax(wanted, w->steer_min), w->steer_max) : 0;
        p->flags |= p->steer[i] != wanted ? GR_DRIVE_FLAG_STEER_LIMIT : 0;
        p->speed[i] = c->speed;
        const GrWheelAxes axes = gr_wheel_axes(w, p->steer[i]);
        x[i] = w->pivot_x + w->lead * axes.e_x + w->side * axes.n_x;
        y[i] = w->pivot_y + w->lead * axes.e_y + w->side * axes.n_y;
        p->centre_x += x[i] / count;
        p->centre_y += y[i] / count;
        mean.x += c->speed * axes.e_x / count;
        mean.y += c->speed * axes.e_y / count;
    }
    for (int i = 0; i < g->wheel_count; i++) {
        const GrWheelAxes axes = gr_wheel_axes(&g->wheels[i], p->steer[i]);
        const double dx = x[i] - p->centre_x, dy = y[i] - p->centre_y;
        moment += c->speed * (dx * axes.e_y - dy * axes.e_x);
        spread += dx * dx + dy * dy;
    }
    const GrPlaneTwist twist = at_origin(p, mean.x, mean.y, spread > 0 ? moment / spread : 0);
    for (int i = 0; i < g->wheel_count; i++) {
        double sideways;
        gr_wheel_rolling(&g->wheels[i], p->steer[i], twist, &sideways);
        p->scrub = fmax(p->scrub, fabs(sideways));
    }
    p->v_x = twist.x;
    p->v_y = twist.y;
    p->yaw_rate = twist.yaw;
    const double speed = gr_hypot(mean.x, mean.y);
    p->curvature = speed > 0        ? copysign(twist.yaw / speed, c->speed * twist.yaw)
                   : twist.yaw != 0 ? (double)INFINITY
                                    : 0;
    p->crab = speed > 0 ? gr_atan2(copysign(1, c->speed) * mean.y, copysign(1, c->speed) * mean.x) : 0;
}

void gr_drive_plan(const GrDriveGeometry *g, const GrDriveCommand *c, GrDrivePlan *p)
{
    const ModeRow row = mode_row(c->mode);
    *p = (GrDrivePlan){0};
    find_centre(g, row.steer, p);
    if (!gr_drive_supports(g, c->mode)) {
        p->flags |= GR_DRIVE_FLAG_UNSUPPORTED;
        stand(g, p, true);
        return;
    }
    if (c->mode == GR_DRIVE_FIXED) {
        plan_fixed(g, c, p);
        return;
    }
    if (row.moves) {
        plan_travel(g, &row, c, p);
        return;
    }
    if (row.turns) { // on the spot; parked: the same steering, no speed
        p->curvature = INFINITY;
        p->flags |= c->mode == GR_DRIVE_POINT_TURN && c->crab != 0 ? GR_DRIVE_FLAG_CRAB_IGNORED : 0;
        set_wheels(g, row.steer, at_origin(p, 0, 0, 1), c->mode == GR_DRIVE_PARK ? 0 : c->yaw_rate, p);
        return;
    }
    stand(g, p, true);
}

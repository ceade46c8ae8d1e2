/// Wheel walking: the body moves at constant speed while the wheels are moved forward one after another.
///
/// Phase runs from 0 to 1; with N wheels that walk, each swings for 1/N of it and stands for the rest. Displacement x
/// of a wheel relative to the chassis, stride S:
///
///      x  S/2 |   /\__
///             |  /    \___          swing: −S/2 -> S/2 in 1/N, rolling ahead
///           0 | /         \___      stance: S/2 -> −S/2 in 1 − 1/N, the wheel stands on the ground and the leg
///        −S/2 |/              \     pushes the body: speed = S / ((1 − 1/N) T)
#include "control_parts.h"

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

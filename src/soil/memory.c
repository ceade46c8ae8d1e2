#include "memory.h"

#include <math.h>

/// The sinkage used to find the ground follows the wheel's vertical motion within this fraction of its own value.
static const double FOLLOWING_SHARE = 0.1;

double gr_slip_ratio(double rim_speed, double v_x)
{
    const bool driving = fabs(rim_speed) >= fabs(v_x);
    const double scale = driving ? rim_speed : v_x;
    if (scale == 0) {
        return 0;
    }
    const double s = (rim_speed - v_x) / scale;
    return s > 1 ? 1 : s < -1 ? -1 : s;
}

/// Mode with hysteresis on the filtered slip, so that it does not chatter. A wheel that creeps more slowly than any
/// rover drives is stuck, whatever slip it remembers. `speed`: the faster of rim and hub [m/s].
static GrSoilMode next_mode(GrSoilMode old, double slip, double speed)
{
    const double leave = 0.02, come_back = 0.01, starts = 1e-4, stops = 5e-5;
    const bool slips = old == GR_MODE_ACCELERATE || old == GR_MODE_BRAKE;
    const double edge = slips ? come_back : leave;
    if (speed < (slips ? stops : starts)) {
        return GR_MODE_STUCK_ROLL;
    }
    return slip > edge ? GR_MODE_ACCELERATE : slip < -edge ? GR_MODE_BRAKE : GR_MODE_STUCK_ROLL;
}

GrRise gr_rise(double rate, double dt, const double *old)
{
    const double climb = old[GR_HEAD_CLIMB];
    return rate > climb ? (GrRise){dt * (rate - climb), 1} : rate < 0 ? (GrRise){dt * rate, 1} : (GrRise){0, 0};
}

/// U grows as the wheel rises from where the soil was loaded most, and is forgotten as the patch is renewed by `ahead`
/// of its length, with sign. Only travel beyond a quarter of that length counts: a parked rover that rocks within it
/// would otherwise gain energy from soil that hardens under it.
static void forget_rise(double rise, double ahead, const double *old, double *next)
{
    const double play = 0.25, risen = old[GR_HEAD_RISEN] + rise, to = old[GR_HEAD_LEFT] + ahead;
    if (!(risen > 0)) {
        return;
    }
    const double beyond = fabs(to) > play ? fabs(to) - play : 0;
    next[GR_HEAD_RISEN] = risen / (1 + beyond);
    next[GR_HEAD_LEFT] = beyond > 0 ? copysign(play, to) : to;
}

void gr_memory_update(const GrSoilWheel *w, const double *twist, double slip, double slip_angle, double sinkage,
                      double mobilised, double dt, const double *old, double *next)
{
    const double rim = w->radius * twist[4], v_x = twist[0], v_y = twist[1];
    const double a_rim = fabs(rim), a_x = fabs(v_x);
    // Length over which the patch forgets: half of its front, r θ1/2 ≈ √(r h/2)
    const double length = sqrt(0.5 * w->radius * sinkage) + 1e-6 * w->radius;
    // The patch is renewed by travel, and by spin as far as spin is plastic slip (m² of it). With all of the spin,
    // small elastic loops of rotation and translation would gain energy from the resistance, whose direction is d. Both
    // agree in steady rolling.
    const double spin = a_rim > a_x ? mobilised * mobilised * (a_rim - a_x) : 0;
    // ẏ = (v/ℓ)(target − y), backward Euler: y ← (y + g target)/(1 + g), g = dt v/ℓ
    const double share = dt / length, g_x = share * a_x, g_spin = share * spin, keep = 1 / (1 + g_x + g_spin);
    const double ahead = (v_x < 0 ? -g_x : g_x) + (rim < 0 ? -g_spin : g_spin);
    if (w->unloads) {
        const double rate = gr_rim_rate(twist, next[GR_HEAD_FLEX], dt, old);
        forget_rise(gr_rise(rate, dt, old).way, ahead, old, next);
        next[GR_HEAD_CLIMB] = a_x * sqrt(0.5 * sinkage * w->inverse_radius); // θ1 |v_x|/2, entry angle θ1 ≈ √(2h/r)
    }
    next[GR_HEAD_ROLL] = (old[GR_HEAD_ROLL] + ahead) * keep;
    next[GR_HEAD_SLIP] = (old[GR_HEAD_SLIP] + (g_x + g_spin) * slip) * keep;
    const double speed = sqrt(v_x * v_x + v_y * v_y);
    const double g_v = share * speed, keep_v = 1 / (1 + g_v);
    next[GR_HEAD_SIDE] = (old[GR_HEAD_SIDE] + share * v_y) * keep_v;
    next[GR_HEAD_ANGLE] = (old[GR_HEAD_ANGLE] + g_v * fabs(slip_angle)) * keep_v;
    next[GR_HEAD_MODE] = next_mode((GrSoilMode)old[GR_HEAD_MODE], next[GR_HEAD_SLIP], a_rim > speed ? a_rim : speed);
    // The sinkage follows with a delay: where the wheel meets the wall of a rut, a longer patch may find lower ground,
    // on which the wheel is less deep, which asks for a shorter patch in the next step. Both would alternate, however
    // short the steps.
    const double sunk = old[GR_HEAD_SINKAGE], g_h = g_v + dt * fabs(twist[2]) / (FOLLOWING_SHARE * sinkage);
    next[GR_HEAD_SINKAGE] = sunk > 0 ? (sunk + g_h * sinkage) / (1 + g_h) : sinkage;
}

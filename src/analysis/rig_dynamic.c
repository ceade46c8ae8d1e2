/// The wheel on a carriage: travel, side slip and turning are imposed, the vertical motion is free (K23 ch. 4).
#include "rig.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_PER_RADIUS = 200, ///< of distance rolled
    STEPS_PER_PITCH = 32,
    WINDOWS_MIN = 8,
    WINDOWS_MAX = 2000,
};

/// Means over a window of distance: h, f_x, f_y, f_z, T.
enum { MEANS = 5 };

typedef struct Carriage {
    const GrRig *rig;
    GrSoilMotion motion;
    double mass;    ///< [kg]
    double load;    ///< [N]
    double step;    ///< [s]
    double sinking; ///< ḣ [m/s]
    double old[GR_STATE_MAX], next[GR_STATE_MAX];
    GrSoilOutput output;
} Carriage;

static void set_sinkage(Carriage *c, double h, double rate)
{
    for (int i = 0; i < c->rig->wheel.slices; i++) {
        c->motion.sinkage[i] = h;
    }
    c->sinking = rate;
    c->motion.twist[2] = -rate;
}

/// One linearly implicit step of  m ḧ = load − f_z(h, ḣ) − 2 √(k m) ḣ.  The carriage's own damping is critical: it
/// changes how the wheel settles, not where.
static void advance(Carriage *c)
{
    const GrSoilWheel *w = &c->rig->wheel;
    const double dt = c->step, h = c->motion.sinkage[0];
    if (!c->rig->def.by_sinkage) {
        gr_soil_evaluate(w, &c->motion, dt, c->old, NULL, &c->output);
        const double k = fmax(c->output.d_sinkage[2], 0), d = fmin(c->output.d_twist[2][2], 0);
        const double inertia = c->mass / dt - d;
        const double rate =
            (c->load - c->output.wrench[2] + c->sinking * inertia) / (inertia + k * dt + 2 * sqrt(k * c->mass));
        set_sinkage(c, fmax(h + dt * rate, 1e-9 * w->radius), rate);
    }
    gr_soil_evaluate(w, &c->motion, dt, c->old, c->next, &c->output);
    memcpy(c->old, c->next, sizeof(double) * (size_t)w->state_size);
    c->motion.wheel_angle += dt * c->motion.twist[4];
}

/// Rolls one window and adds up its means; the swing of f_x goes to `ripple`.
static void roll_window(Carriage *c, int steps, double mean[MEANS], double *ripple)
{
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    memset(mean, 0, MEANS * sizeof *mean);
    for (int i = 0; i < steps; i++) {
        advance(c);
        const double *f = c->output.wrench;
        const double now[MEANS] = {c->motion.sinkage[0], f[0], -f[1], f[2], -f[4]};
        for (int j = 0; j < MEANS; j++) {
            mean[j] += now[j] / steps;
        }
        lowest = fmin(lowest, f[0]);
        highest = fmax(highest, f[0]);
    }
    *ripple = 0.5 * (highest - lowest);
}

static void begin(const GrRig *rig, double slip, double slip_angle, Carriage *c)
{
    const double r = rig->wheel.radius, speed = rig->def.speed;
    *c = (Carriage){.rig = rig};
    c->load = rig->def.load;
    c->mass = rig->def.load / (rig->def.wheel.gravity > 0 ? rig->def.wheel.gravity : 1);
    c->motion.twist[0] = slip >= 0 ? (1 - slip) * speed : speed;
    c->motion.twist[1] = c->motion.twist[0] * tan(slip_angle);
    c->motion.twist[4] = (slip >= 0 ? speed : (1 + slip) * speed) / r;
    c->step = r / (STEPS_PER_RADIUS * speed);
    const double pitch = gr_rig_pitch(rig), rate = c->motion.twist[4];
    if (pitch > 0 && rate > 0) {
        // A whole number of steps a pitch, so that a window has whole pitches.
        const double period = pitch / rate;
        c->step = period / ceil(fmax(period / c->step, STEPS_PER_PITCH));
    }
    gr_soil_clear(&rig->wheel, c->old);
    set_sinkage(c, rig->def.by_sinkage ? rig->def.sinkage : 1e-4 * r, 0);
}

GrStatus gr_rig_point_dynamic(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out)
{
    Carriage c;
    begin(rig, slip, slip_angle, &c);
    const double pitch = gr_rig_pitch(rig), rate = c.motion.twist[4];
    const double reach = 0.5 * rig->wheel.radius / rig->def.speed;
    const double window = pitch > 0 && rate > 0 ? pitch / rate * ceil(reach * rate / pitch) : reach;
    const int steps = (int)lround(window / c.step);
    double mean[MEANS] = {0}, last[MEANS] = {0}, ripple = 0;
    *out = (GrRigPoint){.slip = slip, .slip_angle = slip_angle, .status = GR_ERROR_NOT_CONVERGED};
    for (int i = 0; i < WINDOWS_MAX && out->status != GR_OK; i++) {
        roll_window(&c, steps, mean, &ripple);
        const double r = rig->wheel.radius, force = fabs(mean[3]);
        const double scale[MEANS] = {r, force, force, force, r * force};
        bool steady = i >= WINDOWS_MIN;
        for (int j = 0; j < MEANS; j++) {
            steady = steady && fabs(mean[j] - last[j]) <= 1e-7 * scale[j];
            last[j] = mean[j];
        }
        out->status = steady ? GR_OK : out->status;
        out->distance = (i + 1) * window * rig->def.speed;
        if (!(mean[0] <= 2 * r)) {
            break; // out of sight, or not a number
        }
    }
    out->sinkage = mean[0];
    out->f_x = mean[1];
    out->f_y = mean[2];
    out->f_z = mean[3];
    out->torque = mean[4];
    out->ripple = pitch > 0 ? ripple : 0;
    out->theta_front = c.output.theta_front;
    out->theta_peak = c.output.theta_peak;
    out->theta_rear = c.output.theta_rear;
    out->flags = c.output.flags;
    return out->status;
}

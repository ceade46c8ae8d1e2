/// The wheel on a carriage: travel, side slip and rotation are imposed, the vertical motion is free (K23 ch. 4). Where
/// soil flows, the law rft may count the heap that the wheel raises (furrow.h).
#include "elementary.h"
#include "rig.h"

#include "alloc.h"
#include "furrow.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_PER_RADIUS = 200, ///< of distance rolled
    STEPS_PER_PITCH = 32,
    WINDOWS_MIN = 8,
    WINDOWS_MAX = 2000,
    WINDOWS_FLOW = 40,
    NEWTON_MAX = 60,
};

/// Means over a window of distance: h, f_x, f_y, f_z, T.
enum { MEANS = 5 };

typedef struct Carriage {
    const GrRig *rig;
    GrSoilMotion motion;
    double mass;    ///< [kg]
    double load;    ///< [N]
    double damping; ///< of the carriage: critical if the load sinks in by a hundredth of the radius [N s/m]
    double step;    ///< [s]
    double sinking; ///< ḣ [m/s]
    double old[GR_STATE_MAX], next[GR_STATE_MAX];
    GrSoilOutput output;
    double x, y; ///< [m]
    bool flows;  ///< in a furrow:
    GrScmBody body;
    GrImprint imprint;
    GrScmLedger ledger;
    GrFurrow furrow;
} Carriage;

static void set_sinkage(Carriage *c, double h, double rate)
{
    for (int i = 0; i < c->rig->wheel.slices; i++) {
        c->motion.sinkage[i] = h;
    }
    c->sinking = rate;
    c->motion.twist[2] = -rate;
}

/// Backward Euler for m ḧ = load − f_z(h, ḣ) − 2 √(k m) ḣ, by Newton's method: with one linear step the wheel would
/// bounce on very stiff soil. The carriage's own damping is critical; it changes how the wheel settles, but not the
/// final sinkage.
static void sink(Carriage *c)
{
    const GrSoilWheel *w = &c->rig->wheel;
    const double dt = c->step, h = c->motion.sinkage[0], before = c->sinking, least = 1e-9 * w->radius;
    double rate = before, low = (least - h) / dt, high = (double)INFINITY; // the excess rises with the rate
    for (int i = 0; i < NEWTON_MAX; i++) {
        set_sinkage(c, fmax(h + dt * rate, least), rate);
        gr_soil_evaluate(w, &c->motion, dt, c->old, NULL, &c->output);
        const double k = fmax(c->output.d_sinkage[2], 0), d = fmin(c->output.d_twist[2][2], 0);
        const double excess = c->mass * (rate - before) / dt + c->output.wrench[2] + c->damping * rate - c->load;
        const double to = rate - excess / (c->mass / dt + k * dt - d + c->damping);
        low = excess < 0 ? fmax(low, rate) : low;
        high = excess < 0 ? high : fmin(high, rate);
        const double last = rate;
        rate = to > low && to < high ? to : isfinite(high) ? 0.5 * (low + high) : low;
        if (fabs(rate - last) * dt <= 1e-12 * w->radius) {
            break;
        }
    }
    set_sinkage(c, fmax(h + dt * rate, least), rate);
}

static GrStatus begin_furrow(Carriage *c)
{
    const GrRigDef *def = &c->rig->def;
    const GrStatus status = gr_scm_prepare_wheel(&def->soil, &def->wheel, def->cell, &c->body, NULL);
    if (status != GR_OK) {
        return status;
    }
    GrRutsDef ruts = gr_default_ruts_def();
    ruts.cell = def->cell;
    ruts.state_count = GR_SCM_STATES;
    c->body.flow = true;
    c->imprint = (GrImprint){.body = &c->body,
                             .scratch = gr_scm_scratch_create(&c->body),
                             .nodes = gr_scm_nodes_create(c->body.node_max),
                             .ledger = &c->ledger};
    gr_ruts_create(&ruts, &c->imprint.ruts, NULL);
    const bool whole = c->imprint.ruts != NULL && c->imprint.scratch != NULL && c->imprint.nodes.block != NULL;
    return whole ? GR_OK : GR_ERROR_MEMORY;
}

static void end_furrow(Carriage *c)
{
    gr_ruts_free(c->imprint.ruts);
    gr_scm_scratch_free(c->imprint.scratch);
    gr_scm_nodes_free(&c->imprint.nodes);
}

static GrStatus advance_furrow(Carriage *c)
{
    const double *t = c->motion.twist, tip = c->body.radius + c->body.lug_height, h = c->motion.sinkage[0];
    c->x += c->step * t[0];
    c->y += c->step * t[1];
    const GrFurrowMotion motion = {.wheel = {.centre = gr_vec3(c->x, c->y, tip - h),
                                             .axle = gr_vec3(0, 1, 0),
                                             .angle = c->motion.wheel_angle,
                                             .down = true},
                                   .velocity = gr_vec3(t[0], t[1], 0),
                                   .spin = gr_vec3(0, t[4], 0),
                                   .sinkage = h,
                                   .slip = c->output.slip};
    const GrFurrowWheel wheel = {tip, c->body.width, c->body.soil.friction_angle, gr_rft_heap(&c->body.soil)};
    const GrStatus status = gr_ruts_reserve(c->imprint.ruts, gr_scm_tiles(&c->body));
    if (status == GR_OK) {
        gr_furrow_advance(&wheel, NULL, &c->imprint, c->body.cell, &motion, &c->furrow);
        c->motion.around = gr_furrow_around(&c->furrow);
    }
    return status;
}

static GrStatus advance(Carriage *c)
{
    const GrSoilWheel *w = &c->rig->wheel;
    if (!c->rig->def.by_sinkage) {
        sink(c);
    }
    gr_soil_evaluate(w, &c->motion, c->step, c->old, c->next, &c->output);
    gr_soil_commit(w, c->old, c->next);
    c->motion.wheel_angle += c->step * c->motion.twist[4];
    return c->flows ? advance_furrow(c) : GR_OK;
}

/// Rolls one window and computes its means, and the peak-to-peak variation of f_x in `ripple`.
static GrStatus roll_window(Carriage *c, int steps, double mean[MEANS], double *ripple)
{
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    memset(mean, 0, MEANS * sizeof *mean);
    for (int i = 0; i < steps; i++) {
        const GrStatus status = advance(c);
        if (status != GR_OK) {
            return status;
        }
        const double *f = c->output.wrench;
        const double now[MEANS] = {c->motion.sinkage[0], f[0], -f[1], f[2], -f[4]};
        for (int j = 0; j < MEANS; j++) {
            mean[j] += now[j] / steps;
        }
        lowest = fmin(lowest, f[0]);
        highest = fmax(highest, f[0]);
    }
    *ripple = 0.5 * (highest - lowest);
    return GR_OK;
}

static void set_slip(Carriage *c, double slip)
{
    const double speed = c->rig->def.speed;
    c->motion.twist[0] = slip >= 0 ? (1 - slip) * speed : speed;
    c->motion.twist[4] = (slip >= 0 ? speed : (1 + slip) * speed) / c->rig->wheel.radius;
}

/// end_furrow() releases what it has allocated, also where it fails.
static GrStatus begin(const GrRig *rig, double slip, double slip_angle, Carriage *c)
{
    const double r = rig->wheel.radius, speed = rig->def.speed;
    *c = (Carriage){.rig = rig, .flows = gr_rig_on_grid(rig)};
    c->load = rig->def.load;
    c->mass = rig->def.load / (rig->def.wheel.gravity > 0 ? rig->def.wheel.gravity : 1);
    c->damping = 2 * sqrt(c->load / (0.01 * r) * c->mass);
    set_slip(c, slip);
    c->motion.twist[1] = c->motion.twist[0] * gr_tan(slip_angle);
    c->step = r / (STEPS_PER_RADIUS * speed);
    const double pitch = gr_rig_pitch(rig), rate = c->motion.twist[4];
    if (pitch > 0 && rate > 0) {
        // A whole number of steps per pitch, so that a window contains whole pitches.
        const double period = pitch / rate;
        c->step = period / ceil(fmax(period / c->step, STEPS_PER_PITCH));
    }
    gr_soil_clear(&rig->wheel, c->old);
    set_sinkage(c, rig->def.by_sinkage ? rig->def.sinkage : 1e-4 * r, 0);
    return c->flows ? begin_furrow(c) : GR_OK;
}

/// Rolls windows until their means change no more.
static GrStatus roll_to_steady(Carriage *c, GrRigPoint *out)
{
    const GrRig *rig = c->rig;
    const double pitch = gr_rig_pitch(rig), rate = c->motion.twist[4];
    // a furrow grows over some radii of travel, and its cells ripple
    const double reach = (c->flows ? 2 : 0.5) * rig->wheel.radius / rig->def.speed, exact = c->flows ? 2e-3 : 1e-7;
    const double window = pitch > 0 && rate > 0 ? pitch / rate * ceil(reach * rate / pitch) : reach;
    const int steps = (int)lround(window / c->step);
    double mean[MEANS] = {0}, last[MEANS] = {0}, ripple = 0;
    out->status = GR_ERROR_NOT_CONVERGED;
    for (int i = 0; i < (c->flows ? WINDOWS_FLOW : WINDOWS_MAX) && out->status != GR_OK; i++) {
        const GrStatus status = roll_window(c, steps, mean, &ripple);
        if (status != GR_OK) {
            return status;
        }
        const double r = rig->wheel.radius, force = fabs(mean[3]);
        const double scale[MEANS] = {r, force, force, force, r * force};
        const bool carried = rig->def.by_sinkage || fabs(mean[3] - c->load) <= 1e2 * exact * c->load;
        bool steady = i >= WINDOWS_MIN && carried;
        for (int j = 0; j < MEANS; j++) {
            steady = steady && fabs(mean[j] - last[j]) <= exact * scale[j];
            last[j] = mean[j];
        }
        out->status = steady ? GR_OK : out->status;
        out->distance = (i + 1) * window * rig->def.speed;
        if (!(mean[0] <= 2 * r)) {
            break; // sunk completely, or NaN
        }
    }
    out->sinkage = mean[0];
    out->f_x = mean[1];
    out->f_y = mean[2];
    out->f_z = mean[3];
    out->torque = mean[4];
    out->ripple = pitch > 0 ? ripple : 0;
    out->theta_front = c->output.theta_front;
    out->theta_peak = c->output.theta_peak;
    out->theta_rear = c->output.theta_rear;
    out->flags = c->output.flags;
    return out->status;
}

GrStatus gr_rig_point_dynamic(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out)
{
    Carriage c;
    *out = (GrRigPoint){.slip = slip, .slip_angle = slip_angle};
    GrStatus status = begin(rig, slip, slip_angle, &c);
    if (status == GR_OK) {
        status = roll_to_steady(&c, out);
    }
    end_furrow(&c);
    return status;
}

GrStatus gr_rig_history(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps, double *sinkage)
{
    Carriage c;
    GrStatus status = begin(rig, legs[0].slip, 0, &c);
    c.step = rig->wheel.radius / (steps * rig->def.speed);
    for (int i = 0; i < leg_count; i++) {
        const int parts = (int)fmax(1, round(legs[i].rolled / (samples * rig->def.speed * c.step)));
        set_slip(&c, legs[i].slip);
        for (int k = 0; k < samples && status == GR_OK; k++) {
            double mean[MEANS], ripple;
            status = roll_window(&c, parts, mean, &ripple);
            sinkage[i * samples + k] = mean[0] - gr_rig_deflection(rig, mean[3]);
        }
    }
    end_furrow(&c);
    return status != GR_OK ? status : isfinite(c.motion.sinkage[0]) ? GR_OK : GR_ERROR_NUMERIC;
}

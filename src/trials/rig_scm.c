/// The wheel on a carriage over a deformable grid: travel, side slip and rotation are imposed, the vertical motion is
/// free. Forces ripple with the grid; means over whole cells do not.
#include "elementary.h"
#include "rig.h"

#include "alloc.h"
#include "scm.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_PER_CELL = 8, ///< of distance travelled, at least
    WINDOWS_MIN = 6,
    WINDOWS_SHORT = 40,
    WINDOWS_MAX = 60,
    LONG = 8, ///< times longer windows, after WINDOWS_SHORT: rows of nodes pass sideways at their own period
    NEWTON_MAX = 60,
};

/// Means over a window: sinkage, f_x, f_y, f_z, torque; and the largest change between windows in steady state.
enum { MEANS = 5 };
static const double STEADY_CHANGE = 2e-3;

typedef struct Carriage {
    const GrRig *rig;
    GrScmBody body;
    GrRuts *ruts;
    GrScmScratch *scratch;
    GrScmNodes old, next;
    GrScmLedger ledger;
    GrScmPose pose;
    GrScmOutput output;
    double mass, load, damping; ///< [kg], [N], of the carriage [N s/m]
    double step;                ///< [s]
    double rising;              ///< [m/s]
} Carriage;

static void evaluate(Carriage *c, double z, double rate, GrScmNodes *next)
{
    c->pose.centre.z = z;
    c->pose.velocity.z = rate;
    gr_scm_evaluate(&c->body, c->ruts, &c->pose, c->step, &c->old, c->scratch, next, &c->output);
}

/// Backward Euler for  m z̈ = f_z(z, ż) − load − c ż  by Newton's method inside a bracket, as in rig_dynamic.c.
static void sink(Carriage *c)
{
    const double dt = c->step, z = c->pose.centre.z, before = c->rising;
    double rate = before, low = -(double)INFINITY, high = (double)INFINITY; // the excess falls with the rate
    for (int i = 0; i < NEWTON_MAX; i++) {
        evaluate(c, z + dt * rate, rate, NULL);
        const double slope = dt * c->output.d_pose[2][2] + c->output.d_twist[2][2];
        const double excess = c->output.wrench[2] - c->load - c->damping * rate - c->mass * (rate - before) / dt;
        const double to = rate + excess / (c->mass / dt + c->damping - fmin(slope, 0));
        low = excess > 0 ? fmax(low, rate) : low;
        high = excess > 0 ? high : fmin(high, rate);
        const double last = rate;
        rate = to > low && to < high ? to : 0.5 * (low + high);
        if (!isfinite(rate)) {
            rate = to;
        }
        if (fabs(rate - last) * dt <= 1e-10 * c->body.radius) {
            break;
        }
    }
    c->rising = rate;
    c->pose.centre.z = z + dt * rate;
}

static bool advance(Carriage *c)
{
    c->pose.centre.x += c->step * c->pose.velocity.x;
    c->pose.centre.y += c->step * c->pose.velocity.y;
    c->pose.wheel_angle += c->step * c->pose.spin.y;
    if (!c->rig->def.by_sinkage) {
        sink(c);
    }
    evaluate(c, c->pose.centre.z, c->rising, &c->next);
    if (gr_ruts_reserve(c->ruts, gr_scm_tiles(&c->body)) != GR_OK) {
        return false;
    }
    const double lowered = gr_scm_commit(&c->body, c->ruts, &c->next, &c->ledger);
    gr_scm_flow(&c->body, c->ruts, &c->pose, c->step, &c->next, lowered, c->output.dug, c->scratch, &c->ledger);
    const GrScmNodes old = c->old;
    c->old = c->next;
    c->next = old;
    return true;
}

static bool roll_window(Carriage *c, int steps, double mean[MEANS], double *ripple)
{
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    memset(mean, 0, MEANS * sizeof *mean);
    for (int i = 0; i < steps; i++) {
        if (!advance(c)) {
            return false;
        }
        const double *f = c->output.wrench;
        const double tip = c->body.radius + c->body.lug_height;
        const double now[MEANS] = {tip - c->pose.centre.z, f[0], -f[1], f[2], -f[4]};
        for (int j = 0; j < MEANS; j++) {
            mean[j] += now[j] / steps;
        }
        lowest = fmin(lowest, f[0]);
        highest = fmax(highest, f[0]);
    }
    *ripple = 0.5 * (highest - lowest);
    return true;
}

static void set_slip(Carriage *c, double slip)
{
    const double speed = c->rig->def.speed;
    c->pose.velocity.x = slip >= 0 ? (1 - slip) * speed : speed;
    c->pose.spin.y = (slip >= 0 ? speed : (1 + slip) * speed) / c->rig->wheel.radius;
}

static GrStatus begin(const GrRig *rig, double slip, double slip_angle, Carriage *c)
{
    const double r = rig->wheel.radius, speed = rig->def.speed;
    *c = (Carriage){.rig = rig};
    GrStatus status = gr_scm_prepare_wheel(&rig->def.soil, &rig->def.wheel, rig->def.cell, &c->body, NULL);
    if (status != GR_OK) {
        return status;
    }
    c->body.flow = rig->def.flow;
    GrRutsDef def = gr_default_ruts_def();
    def.cell = rig->def.cell;
    def.state_count = GR_SCM_STATES;
    gr_ruts_create(&def, &c->ruts, NULL);
    c->scratch = gr_scm_scratch_create(&c->body);
    c->old = gr_scm_nodes_create(c->body.node_max);
    c->next = gr_scm_nodes_create(c->body.node_max);
    if (c->ruts == NULL || c->scratch == NULL || c->old.block == NULL || c->next.block == NULL) {
        return GR_ERROR_MEMORY;
    }
    c->load = rig->def.load;
    c->mass = rig->def.load / (rig->def.wheel.gravity > 0 ? rig->def.wheel.gravity : 1);
    c->damping = 2 * sqrt(c->load / (0.01 * r) * c->mass);
    c->pose.axes = gr_mat3_identity();
    set_slip(c, slip);
    c->pose.velocity.y = c->pose.velocity.x * gr_tan(slip_angle);
    const double tip = c->body.radius + c->body.lug_height;
    c->pose.centre.z = tip - (rig->def.by_sinkage ? rig->def.sinkage : 0);
    c->step = r / (rig->def.steps * speed);
    return GR_OK;
}

static void finish(Carriage *c)
{
    gr_ruts_free(c->ruts);
    gr_scm_scratch_free(c->scratch);
    gr_scm_nodes_free(&c->old);
    gr_scm_nodes_free(&c->next);
}

/// Entry, exit and peak angles of the contact, from the nodes touched last.
static void take_angles(const Carriage *c, GrRigPoint *out)
{
    float largest = 0;
    for (int k = 0; k < c->old.count; k++) {
        const GrScmNode node = gr_scm_node(&c->old, k);
        const double sine = ((double)node.i * c->body.cell - c->pose.centre.x) / (c->body.radius + c->body.lug_height);
        const double angle = gr_asin(fmax(-1, fmin(1, sine)));
        out->theta_front = fmax(out->theta_front, angle);
        out->theta_rear = fmin(out->theta_rear, angle);
        if (node.pressure > largest) {
            largest = node.pressure;
            out->theta_peak = angle;
        }
    }
}

static void take_means(const double mean[MEANS], GrRigPoint *out)
{
    out->sinkage = mean[0];
    out->f_x = mean[1];
    out->f_y = mean[2];
    out->f_z = mean[3];
    out->torque = mean[4];
}

/// Steps of a window: a whole number of cells along x, near half a radius; when not travelling, half a radius rolled.
/// One step more than a whole number for each cell, so that rows of nodes come into contact at all phases of a step.
static int window_steps(Carriage *c)
{
    const double cell = c->body.cell, travel = c->pose.velocity.x, half = 0.5 * c->body.radius;
    if (!(travel > 0)) {
        return (int)lround(half / (c->rig->def.speed * c->step));
    }
    const double cells = fmax(1, round(half / cell)), time = cell / travel;
    const double per_cell = ceil(fmax(STEPS_PER_CELL, time / c->step));
    const double steps = cells * per_cell + 1;
    c->step = cells * time / steps;
    return (int)steps;
}

static GrStatus roll_to_steady(Carriage *c, GrRigPoint *out)
{
    const double r = c->body.radius, travel = c->pose.velocity.x;
    const int steps = window_steps(c);
    double mean[MEANS] = {0}, last[MEANS] = {0};
    int quiet = 0;
    for (int i = 0; i < WINDOWS_MAX; i++) {
        const int length = i < WINDOWS_SHORT ? steps : LONG * steps;
        if (!roll_window(c, length, mean, &out->ripple)) {
            return GR_ERROR_MEMORY;
        }
        const double force = sqrt(mean[1] * mean[1] + mean[2] * mean[2] + mean[3] * mean[3]),
                     scale[MEANS] = {r, force, force, force, r * force};
        const bool carried = c->rig->def.by_sinkage || fabs(mean[3] - c->load) <= 1e-3 * c->load;
        bool same = i >= WINDOWS_MIN && carried;
        for (int j = 0; j < MEANS; j++) {
            same = same && fabs(mean[j] - last[j]) <= STEADY_CHANGE * scale[j];
            last[j] = mean[j];
        }
        quiet = same ? quiet + 1 : 0;
        out->distance += length * c->step * (travel > 0 ? travel : c->rig->def.speed);
        take_means(mean, out);
        if (quiet == 2) {
            return GR_OK;
        }
        if (!(mean[0] <= 2 * r)) {
            break; // sunk completely, or NaN
        }
    }
    return GR_ERROR_NOT_CONVERGED;
}

GrStatus gr_rig_point_scm(const GrRig *rig, double slip, double slip_angle, GrRigPoint *out)
{
    Carriage c;
    *out = (GrRigPoint){.slip = slip, .slip_angle = slip_angle};
    out->status = begin(rig, slip, slip_angle, &c);
    if (out->status == GR_OK) {
        out->status = roll_to_steady(&c, out);
        take_angles(&c, out);
        out->flags |= out->sinkage > c.body.radius ? GR_FLAG_DEEP : 0;
        out->flags |= out->sinkage > rig->def.soil.sinkage_max * c.body.radius ? GR_FLAG_SINKAGE : 0;
        out->flags |= slip < rig->def.soil.slip_min || slip > rig->def.soil.slip_max ? GR_FLAG_SLIP : 0;
    }
    finish(&c);
    return out->status;
}

GrStatus gr_rig_history_scm(const GrRig *rig, const GrRigLeg *legs, int leg_count, int samples, int steps,
                            double *sinkage)
{
    Carriage c;
    GrStatus status = begin(rig, legs[0].slip, 0, &c);
    c.step = rig->wheel.radius / (steps * rig->def.speed);
    for (int i = 0; i < leg_count && status == GR_OK; i++) {
        const int parts = (int)fmax(1, round(legs[i].rolled / (samples * rig->def.speed * c.step)));
        set_slip(&c, legs[i].slip);
        for (int k = 0; k < samples && status == GR_OK; k++) {
            double mean[MEANS], ripple;
            status = roll_window(&c, parts, mean, &ripple) ? GR_OK : GR_ERROR_MEMORY;
            sinkage[i * samples + k] = mean[0];
        }
    }
    finish(&c);
    return status;
}

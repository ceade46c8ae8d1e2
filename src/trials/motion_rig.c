#include "motion_rig.h"

#include "dense.h"
#include "elementary.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Time in which a wheel that holds a load comes to rest on the soil before the motion begins [s].
static const double SETTLE = 3;

static GrStatus make_unit(const GrRoverDef *part, const GrOptions *options, GrModel **model, GrContact **unit,
                          GrErrorLog *log)
{
    const GrStatus status = gr_model_create(part, options, model, log);
    return status == GR_OK ? gr_contact_create(*model, NULL, unit, log) : status;
}

GrStatus gr_motion_rig_make(const GrMotionRigDef *def, GrMotionRig *out, GrErrorLog *log)
{
    *out = (GrMotionRig){.def = *def};
    const GrSoilWheelDef *w = &def->rig.wheel;
    GrRoverDef rover = gr_default_rover_def(), part;
    GrBodyDef body = gr_default_body_def();
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(rover.name, sizeof rover.name, "rig");
    snprintf(body.name, sizeof body.name, "carriage");
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    body.mass = def->mass;
    body.inertia = gr_inertia_sphere(def->mass, w->radius);
    wheel.radius = w->radius;
    wheel.width = w->width;
    wheel.grouser_count = w->grouser_count;
    wheel.grouser_height = w->grouser_height;
    wheel.grouser_thickness = w->grouser_thickness;
    wheel.grouser_lugs = w->grousers == GR_GROUSER_LUGS;
    wheel.stiffness = w->stiffness;
    wheel.body = gr_rover_add_body(&rover, &body);
    gr_rover_add_wheel(&rover, &wheel);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -w->gravity);
    options.surface.soil = &def->rig.soil;
    options.surface.slices = w->slices;
    options.surface.ruts = GR_RUTS_SCM;
    options.surface.rut_cell = def->rig.cell;
    options.surface.soil_flow = def->rig.flow;
    GrStatus status = gr_contact_part(&rover, "wheel", &part, log);
    const bool grid = gr_soil_law_on_grid(def->rig.soil.law);
    if (!grid) {
        status = status == GR_OK ? make_unit(&part, &options, &out->trench_model, &out->trench, log) : status;
        options.surface.ruts = GR_RUTS_NONE;
    }
    status = status == GR_OK ? make_unit(&part, &options, &out->model, &out->unit, log) : status;
    out->trench = grid ? out->unit : out->trench;
    gr_rover_free(&part);
    gr_rover_free(&rover);
    return status;
}

void gr_motion_rig_free(GrMotionRig *rig)
{
    if (rig->trench != rig->unit) {
        gr_contact_free(rig->trench);
        gr_model_free(rig->trench_model);
    }
    gr_contact_free(rig->unit);
    gr_model_free(rig->model);
    *rig = (GrMotionRig){.model = NULL};
}

/// State of the rig between steps.
typedef struct Carriage {
    double at[GR_MOTION_AXES];       ///< x, y, z of the wheel centre [m]
    double velocity[GR_MOTION_AXES]; ///< [m/s]
    double angle;                    ///< of the wheel [rad]
    GrPartForce force;
} Carriage;

/// What is prescribed in a step.
typedef struct Order {
    double velocity[GR_MOTION_AXES]; ///< of axes that follow a position [m/s]
    double force[GR_MOTION_AXES];    ///< of the others [N]
    double rate, steer, steer_rate;  ///< of the wheel [rad/s]; heading to the left [rad], [rad/s]
} Order;

static GrPartMotion motion_of(const Carriage *c, const Order *order)
{
    const GrQuat heading = gr_quat_axis_angle(gr_vec3(0, 0, 1), order->steer);
    const GrVec3 axle = gr_quat_rotate(heading, gr_vec3(0, 1, 0));
    return (GrPartMotion){
        .pose = {gr_vec3(c->at[0], c->at[1], c->at[2]),
                 gr_quat_mul(heading, gr_quat_axis_angle(gr_vec3(0, 1, 0), c->angle))},
        .linear = gr_vec3(c->velocity[0], c->velocity[1], c->velocity[2]),
        .angular = gr_madd(gr_vec3(0, 0, order->steer_rate), order->rate, axle),
        .angle = c->angle,
    };
}

/// (m 1 − dt K) Δv = dt (W − F) for the axes that hold a force F.
static bool solve(const GrMotionRigDef *def, const Order *order, double dt, Carriage *c)
{
    const double wrench[GR_MOTION_AXES] = {c->force.force.x, c->force.force.y, c->force.force.z};
    double matrix[GR_MOTION_AXES * GR_MOTION_AXES], change[GR_MOTION_AXES];
    int axes[GR_MOTION_AXES] = {0}, n = 0;
    for (int i = 0; i < GR_MOTION_AXES; i++) {
        if (def->by_force[i]) {
            axes[n++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        change[i] = dt * (wrench[axes[i]] - order->force[axes[i]]);
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = (i == j ? def->mass : 0) - dt * c->force.derivative[6 * (3 + axes[i]) + 3 + axes[j]];
        }
    }
    if (n > 0 && !gr_dense_solve(n, matrix, change)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        c->velocity[axes[i]] += change[i];
    }
    return true;
}

static GrStatus step(GrMotionRig *rig, Order *order, double dt, Carriage *c)
{
    for (int i = 0; i < GR_MOTION_AXES; i++) {
        c->velocity[i] = rig->def.by_force[i] ? c->velocity[i] : order->velocity[i];
    }
    const GrPartMotion start = motion_of(c, order);
    GrStatus status = gr_contact_evaluate(rig->unit, &start, dt, &c->force);
    if (status != GR_OK) {
        return status;
    }
    const Carriage before = *c;
    enum { REVISIONS = 4 };
    for (int i = 0; i <= REVISIONS; i++) {
        memcpy(c->velocity, before.velocity, sizeof before.velocity);
        if (!solve(&rig->def, order, dt, c)) {
            return GR_ERROR_NUMERIC;
        }
        const GrPartMotion end = motion_of(c, order);
        if (i == REVISIONS || !gr_contact_correct(rig->unit, &end, dt, &c->force)) {
            break;
        }
    }
    for (int i = 0; i < GR_MOTION_AXES; i++) {
        c->at[i] += dt * c->velocity[i];
    }
    c->angle += dt * order->rate;
    order->steer += dt * order->steer_rate;
    const GrPartMotion end = motion_of(c, order);
    if (rig->trench != rig->unit) {
        status = gr_contact_accept(rig->trench, &end, dt);
    }
    return status == GR_OK ? gr_contact_accept(rig->unit, &end, dt) : status;
}

/// Steps of at most the rig's own over a time.
static GrStatus advance(GrMotionRig *rig, Order *order, double time, Carriage *c)
{
    const int steps = (int)ceil(time / rig->def.step - 1e-9);
    GrStatus status = GR_OK;
    for (int i = 0; i < steps && status == GR_OK; i++) {
        status = step(rig, order, time / steps, c);
    }
    return status;
}

static void report(const GrMotionRig *rig, double time, const Carriage *c, double slip_angle, double speed,
                   GrMotionRow *out)
{
    const double f[GR_MOTION_AXES] = {c->force.force.x, c->force.force.y, c->force.force.z};
    *out = (GrMotionRow){.time = time,
                         .position = {c->at[0], c->at[1], rig->def.rig.wheel.radius - c->at[2]},
                         .force = {f[0], f[1], f[2]},
                         .speed = speed,
                         .slip_angle = slip_angle,
                         .torque = c->force.wheel.torque,
                         .slip = c->force.wheel.slip};
}

/// The order between two rows: positions at a constant speed, forces of the later row.
static Order order_between(const GrMotionRig *rig, const GrMotionRow *from, const GrMotionRow *to, const Carriage *c)
{
    const double time = to->time - from->time;
    Order order = {.rate = 0.5 * (from->speed + to->speed),
                   .steer = -from->slip_angle, // a wheel that points to the left slides to the right
                   .steer_rate = -(to->slip_angle - from->slip_angle) / time};
    for (int i = 0; i < GR_MOTION_AXES; i++) {
        const double aim = i == 2 ? rig->def.rig.wheel.radius - to->position[i] : to->position[i];
        order.velocity[i] = rig->def.by_force[i] ? 0 : (aim - c->at[i]) / time;
        order.force[i] = rig->def.by_force[i] ? to->force[i] : 0;
    }
    return order;
}

/// Puts the wheel on the soil where the first row says; under its load it sinks before the motion begins.
static GrStatus begin(GrMotionRig *rig, const GrMotionRow *first, Carriage *c)
{
    const bool by_force[GR_MOTION_AXES] = {rig->def.by_force[0], rig->def.by_force[1], rig->def.by_force[2]};
    *c = (Carriage){.at = {by_force[0] ? 0 : first->position[0], by_force[1] ? 0 : first->position[1],
                           rig->def.rig.wheel.radius - (by_force[2] ? 0 : first->position[2])}};
    Order order = {.force = {0, 0, by_force[2] ? first->force[2] : 0}, .steer = -first->slip_angle};
    const GrMotionRigDef own = rig->def;
    rig->def.by_force[0] = rig->def.by_force[1] = false; // held
    const GrStatus status = advance(rig, &order, by_force[2] ? SETTLE : rig->def.step, c);
    rig->def = own;
    return status;
}

GrStatus gr_motion_rig_run(GrMotionRig *rig, const GrMotionRow *rows, int count, GrMotionRow *out, GrErrorLog *log)
{
    Carriage c;
    GrStatus status = begin(rig, &rows[0], &c);
    report(rig, rows[0].time, &c, rows[0].slip_angle, rows[0].speed, &out[0]);
    for (int i = 1; i < count && status == GR_OK; i++) {
        Order order = order_between(rig, &rows[i - 1], &rows[i], &c);
        status = advance(rig, &order, rows[i].time - rows[i - 1].time, &c);
        report(rig, rows[i].time, &c, rows[i].slip_angle, rows[i].speed, &out[i]);
        if (status == GR_OK && !isfinite(c.at[0] + c.at[1] + c.at[2])) {
            status = GR_ERROR_NUMERIC;
        }
        if (status != GR_OK) {
            return gr_error_add(log, status, (GrLocation){0}, "the rig diverges at %g s", rows[i].time);
        }
    }
    return status;
}

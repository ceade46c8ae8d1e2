/// A rover in other units of length, mass and time: the rover with the same motion in a similar world.
///
/// Every value of a definition has a dimension M^a L^b T^c, and is multiplied by the same product of the three factors.
/// Angles keep their values. Values of a joint are those of its axis: lengths and forces where it is prismatic, angles
/// and torques elsewhere. Sensors are left out, since they move nothing.
#include "alloc.h"
#include "convex_mesh.h"
#include "grouser/scaling.h"
#include "grouser/soil.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>

typedef struct Units {
    double length, mass, time;
    double force, torque;
} Units;

/// Units of the position and of the force of a joint.
typedef struct AxisUnits {
    double position, force, inertia;
} AxisUnits;

static AxisUnits axis_units(const Units *u, GrJointKind kind)
{
    const double inertia = u->mass * u->length * u->length;
    return kind == GR_JOINT_PRISMATIC ? (AxisUnits){u->length, u->force, u->mass} : (AxisUnits){1, u->torque, inertia};
}

static GrVec3 times(double factor, GrVec3 v)
{
    return (GrVec3){factor * v.x, factor * v.y, factor * v.z};
}

static GrSym3 scale_inertia(double factor, const GrSym3 *i)
{
    return (GrSym3){factor * i->xx, factor * i->yy, factor * i->zz, factor * i->xy, factor * i->xz, factor * i->yz};
}

/// Scaled points, which the caller frees; NULL when out of memory.
static GrVec3 *scale_points(double factor, const GrVec3 *points, int count)
{
    GrVec3 *scaled = gr_malloc((size_t)count * sizeof *scaled);
    for (int i = 0; scaled != NULL && i < count; i++) {
        scaled[i] = times(factor, points[i]);
    }
    return scaled;
}

static GrStatus add_shape(const Units *u, const GrShapeDef *from, GrBodyDef *body, GrErrorLog *log)
{
    GrShapeDef shape = *from;
    shape.pose.position = times(u->length, from->pose.position);
    shape.size = times(u->length, from->size);
    shape.radius *= u->length;
    shape.length *= u->length;
    shape.from = times(u->length, from->from);
    shape.to = times(u->length, from->to);
    shape.hull = NULL;
    shape.drawn = NULL; // the viewer draws the hull
    GrStatus status = GR_OK;
    if (from->hull != NULL) {
        GrVec3 *points = scale_points(u->length, from->hull->vertices, from->hull->vertex_count);
        status = points != NULL ? gr_shape_set_mesh(&shape, points, from->hull->vertex_count, log)
                                : gr_out_of_memory(log, NULL);
        gr_free(points);
    }
    if (status == GR_OK && gr_body_add_shape(body, &shape) < 0) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status != GR_OK) {
        gr_shape_free(&shape);
    }
    return status;
}

static GrStatus add_body(const Units *u, const GrBodyDef *from, GrRoverDef *rover, GrErrorLog *log)
{
    GrBodyDef body = *from;
    body.mass *= u->mass;
    body.com = times(u->length, from->com);
    body.inertia = scale_inertia(u->mass * u->length * u->length, &from->inertia);
    body.shapes = NULL;
    body.shape_count = 0;
    GrStatus status = GR_OK;
    for (int i = 0; i < from->shape_count && status == GR_OK; i++) {
        status = add_shape(u, &from->shapes[i], &body, log);
    }
    if (status == GR_OK && gr_rover_add_body(rover, &body) < 0) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status != GR_OK) {
        gr_shapes_free(body.shapes, body.shape_count);
    }
    return status;
}

static GrMotorDef scale_motor(const Units *u, const AxisUnits *axis, const GrMotorDef *from)
{
    // Speed controllers have gains by speed and by its integral, servos by position: one power of time between them.
    const double stiffness = axis->force / axis->position;
    const double kp = from->kind == GR_MOTOR_POSITION ? stiffness : stiffness * u->time;
    GrMotorDef motor = *from;
    motor.kp *= kp;
    motor.ki *= kp / u->time;
    motor.kd *= kp * u->time;
    motor.torque_limit *= axis->force;
    motor.stall_torque *= axis->force;
    motor.no_load_speed *= axis->position / u->time;
    motor.rotor_inertia *= axis->inertia;
    return motor;
}

static GrJointDef scale_joint(const Units *u, const GrJointDef *from)
{
    const AxisUnits axis = axis_units(u, from->kind);
    const double stiffness = axis.force / axis.position;
    GrJointDef joint = *from;
    joint.pose.position = times(u->length, from->pose.position);
    joint.lower *= axis.position;
    joint.upper *= axis.position;
    joint.stop_stiffness *= stiffness;
    joint.stop_damping *= stiffness * u->time;
    joint.stiffness *= stiffness;
    joint.damping *= stiffness * u->time;
    joint.rest *= axis.position;
    joint.friction *= axis.force;
    joint.friction_travel *= axis.position;
    joint.initial *= axis.position;
    joint.pitch *= u->length;
    joint.initial_pose.position = times(u->length, from->initial_pose.position);
    joint.motor = scale_motor(u, &axis, &from->motor);
    return joint;
}

static GrCouplingDef scale_coupling(const Units *u, const GrRoverDef *rover, const GrCouplingDef *from)
{
    GrCouplingDef coupling = *from;
    const double follows = axis_units(u, rover->joints[from->joint].kind).position;
    coupling.ratio *= follows / axis_units(u, rover->joints[from->of].kind).position;
    coupling.offset *= follows;
    return coupling;
}

static GrStatus add_wheel(const Units *u, const GrWheelDef *from, GrRoverDef *rover, GrErrorLog *log)
{
    const double stiffness = u->force / u->length;
    GrWheelDef wheel = *from;
    wheel.pose.position = times(u->length, from->pose.position);
    wheel.radius *= u->length;
    wheel.width *= u->length;
    wheel.grouser_height *= u->length;
    wheel.grouser_thickness *= u->length;
    wheel.crown *= u->length;
    wheel.stiffness *= stiffness;
    wheel.damping *= stiffness * u->time;
    wheel.drawn = NULL;
    wheel.mesh = from->mesh != NULL ? scale_points(u->length, from->mesh, from->mesh_count) : NULL;
    wheel.surface = from->surface != NULL ? gr_wheel_surface_scale(from->surface, u->length) : NULL;
    wheel.side = from->side != NULL ? gr_side_wall_scale(from->side, u->length) : NULL;
    const bool ok = (from->mesh == NULL || wheel.mesh != NULL) && (from->surface == NULL || wheel.surface != NULL) &&
                    (from->side == NULL || wheel.side != NULL) && gr_rover_add_wheel(rover, &wheel) >= 0;
    if (!ok) {
        gr_free(wheel.mesh);
        gr_wheel_surface_free(wheel.surface);
        gr_side_wall_free(wheel.side);
    }
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

GrStatus gr_rover_scale(const GrRoverDef *rover, const GrRoverScale *scale, GrRoverDef *out, GrErrorLog *log)
{
    *out = gr_default_rover_def();
    if (!(scale->length > 0 && scale->mass > 0 && scale->time > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "scale"},
                            "found length %g, mass %g, time %g; all must be above 0", scale->length, scale->mass,
                            scale->time);
    }
    const double force = scale->mass * scale->length / (scale->time * scale->time);
    const Units u = {scale->length, scale->mass, scale->time, force, force * scale->length};
    GrRoverDef scaled = gr_default_rover_def();
    GrStatus status = GR_OK;
    for (int i = 0; i < rover->body_count && status == GR_OK; i++) {
        status = add_body(&u, &rover->bodies[i], &scaled, log);
    }
    for (int i = 0; i < rover->wheel_count && status == GR_OK; i++) {
        status = add_wheel(&u, &rover->wheels[i], &scaled, log);
    }
    bool ok = status == GR_OK;
    for (int i = 0; i < rover->joint_count && ok; i++) {
        const GrJointDef joint = scale_joint(&u, &rover->joints[i]);
        ok = gr_rover_add_joint(&scaled, &joint) >= 0;
    }
    for (int i = 0; i < rover->coupling_count && ok; i++) {
        const GrCouplingDef coupling = scale_coupling(&u, rover, &rover->couplings[i]);
        ok = gr_rover_add_coupling(&scaled, &coupling) >= 0;
    }
    for (int i = 0; i < rover->note_count && ok; i++) {
        ok = gr_rover_add_note(&scaled, &rover->notes[i]) >= 0;
    }
    if (!ok) {
        gr_rover_free(&scaled);
        return status != GR_OK ? status : gr_out_of_memory(log, NULL);
    }
    gr_text_copy(scaled.name, sizeof scaled.name, rover->name);
    gr_text_copy(scaled.title, sizeof scaled.title, rover->title);
    *out = scaled;
    return GR_OK;
}

GrRoverScale gr_granular_scale(double length, double gravity)
{
    return (GrRoverScale){length, length * length * length, sqrt(length / gravity)};
}

GrStatus gr_rover_offload(const GrRoverDef *rover, double share, GrRoverDef *out, GrErrorLog *log)
{
    static const GrRoverScale same = {1, 1, 1};
    *out = gr_default_rover_def();
    if (!(share > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "share"}, "found %g, it must be above 0", share);
    }
    const GrStatus status = gr_rover_scale(rover, &same, out, log);
    for (int i = 0; i < out->body_count; i++) {
        GrBodyDef *body = &out->bodies[i];
        body->mass *= share;
        body->inertia = scale_inertia(share, &body->inertia);
    }
    return status;
}

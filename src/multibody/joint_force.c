#include "joint_force.h"

#include "check.h"
#include "joint_kind.h"

#include <stdio.h>

enum {
    ALONG_AXIS = GR_JOINT_TAKES_SPRING | GR_JOINT_TAKES_ALONG | GR_JOINT_TAKES_AXIS,
    X = 0,
    Y = 1,
    Z = 2,
};

#define BALL                                                                                                           \
    {"rx", GR_MOTION_SPHERICAL, X}, {"ry", GR_MOTION_SPHERICAL, Y},                                                    \
    {                                                                                                                  \
        "rz", GR_MOTION_SPHERICAL, Z                                                                                   \
    }

static const GrJointKindRow KINDS[GR_JOINT_KIND_COUNT] = {
    [GR_JOINT_FIXED] = {.name = "fixed",
                        .text = "child and parent are rigidly connected",
                        .takes = GR_JOINT_TAKES_WHEEL,
                        .may = "name and pose"},
    [GR_JOINT_REVOLUTE] = {.name = "revolute",
                           .text = "rotates about its axis",
                           .axis_count = 1,
                           .axes = {{"", GR_MOTION_REVOLUTE, Z}},
                           .takes = ALONG_AXIS | GR_JOINT_TAKES_WHEEL},
    [GR_JOINT_PRISMATIC] = {.name = "prismatic",
                            .text = "slides along its axis",
                            .axis_count = 1,
                            .axes = {{"", GR_MOTION_PRISMATIC, Z}},
                            .takes = ALONG_AXIS | GR_JOINT_TAKES_WHEEL},
    [GR_JOINT_SCREW] = {.name = "screw",
                        .text = "rotates about its axis and advances along it by the pitch",
                        .axis_count = 1,
                        .axes = {{"", GR_MOTION_SCREW, Z}},
                        .takes = ALONG_AXIS | GR_JOINT_TAKES_PITCH},
    [GR_JOINT_UNIVERSAL] = {.name = "universal",
                            .text = "rotates about x of its frame, then about the rotated y",
                            .axis_count = 2,
                            .axes = {{"rx", GR_MOTION_REVOLUTE, X}, {"ry", GR_MOTION_REVOLUTE, Y}},
                            .takes = GR_JOINT_TAKES_SPRING,
                            .may = "stiffness and damping"},
    [GR_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                              .text = "slides along its axis and rotates about it, independently",
                              .axis_count = 2,
                              .axes = {{"z", GR_MOTION_PRISMATIC, Z}, {"rz", GR_MOTION_REVOLUTE, Z}},
                              .takes = GR_JOINT_TAKES_AXIS,
                              .may = "an axis"},
    [GR_JOINT_PLANAR] = {.name = "planar",
                         .text = "slides in the plane perpendicular to its axis and rotates about the axis",
                         .axis_count = 3,
                         .axes = {{"x", GR_MOTION_PRISMATIC, X},
                                  {"y", GR_MOTION_PRISMATIC, Y},
                                  {"rz", GR_MOTION_REVOLUTE, Z}},
                         .takes = GR_JOINT_TAKES_AXIS,
                         .may = "an axis"},
    [GR_JOINT_SPHERICAL] = {.name = "spherical",
                            .text = "rotates freely about its origin",
                            .axis_count = 3,
                            .axes = {BALL},
                            .takes = GR_JOINT_TAKES_SPRING | GR_JOINT_TAKES_ROTATION,
                            .may = "stiffness, damping and an initial rotation"},
    [GR_JOINT_FREE] =
        {.name = "free",
         .text = "moves freely: transmits no force",
         .axis_count = 6,
         .axes = {{"x", GR_MOTION_PRISMATIC, X}, {"y", GR_MOTION_PRISMATIC, Y}, {"z", GR_MOTION_PRISMATIC, Z}, BALL},
         .separates = true,
         .takes = GR_JOINT_TAKES_ROTATION | GR_JOINT_TAKES_PLACE,
         .may = "an initial position and rotation"},
};

const GrJointKindRow *gr_joint_kind(GrJointKind kind)
{
    GR_CHECK((unsigned)kind < GR_JOINT_KIND_COUNT);
    return &KINDS[kind];
}

void gr_joint_refusal(GrJointKind kind, unsigned bit, char *out, size_t size)
{
    const GrJointKindRow *row = gr_joint_kind(kind);
    char able[200] = "";
    for (int i = 0, length = 0; i < GR_JOINT_KIND_COUNT; i++) {
        if (KINDS[i].takes & bit) {
            length +=
                snprintf(able + length, sizeof able - (size_t)length, "%s%s", length > 0 ? ", " : "", KINDS[i].name);
        }
    }
    snprintf(out, size, "a %s joint cannot have it; allowed for: %s%s%s", row->name, able,
             row->may != NULL ? "; this one may have " : "", row->may != NULL ? row->may : "");
}

// ---- forces

static double position(const GrTree *t, const GrTreeData *d, int b)
{
    return gr_joint_position(t, d, b);
}

static bool is_speed_loop(const GrMotorDef *motor)
{
    return motor->kind == GR_MOTOR_PID || motor->kind == GR_MOTOR_DC;
}

/// Torque that the controller demands at the end of a step of length dt that ends with velocity v, without its kd
/// dv/dt.
///   speed     kp (c − v) + ki (I + dt (c − v))
///   position  kp (c − q − dt v) + ki (I + dt (c − q − dt v)) − kd v
static double controller_torque(const GrJoint *j, double command, double integral, double q, double v, double dt)
{
    const GrMotorDef *motor = &j->motor;
    switch (motor->kind) {
    case GR_MOTOR_TORQUE:
        return command;
    case GR_MOTOR_PID:
    case GR_MOTOR_DC: {
        const double error = command - v;
        return motor->kp * error + motor->ki * (integral + dt * error);
    }
    case GR_MOTOR_POSITION: {
        const double error = command - q - dt * v;
        return motor->kp * error + motor->ki * (integral + dt * error) - motor->kd * v;
    }
    case GR_MOTOR_NONE:
    case GR_MOTOR_SPEED:
        break;
    }
    return 0;
}

static double controller_derivative(const GrJoint *j, double dt)
{
    const GrMotorDef *motor = &j->motor;
    if (is_speed_loop(motor)) {
        return -(motor->kp + dt * motor->ki);
    }
    return motor->kind == GR_MOTOR_POSITION ? -(motor->kp * dt + motor->ki * dt * dt + motor->kd) : 0;
}

/// Upper (+1) or lower (−1) bound of the torque at velocity v. At full voltage a DC motor gives stall (±1 − v / no-load
/// speed).
static double torque_bound(const GrMotorDef *motor, int side, double v)
{
    if (motor->kind == GR_MOTOR_DC) {
        const double line = motor->stall_torque * (side - v / motor->no_load_speed);
        return side > 0 ? fmin(line, motor->torque_limit) : fmax(line, -motor->torque_limit);
    }
    return side * motor->torque_limit;
}

static double torque_bound_derivative(const GrMotorDef *motor, int side, double v)
{
    const double line = motor->stall_torque * (side - v / motor->no_load_speed);
    return motor->kind == GR_MOTOR_DC && side * line < motor->torque_limit ? -motor->stall_torque / motor->no_load_speed
                                                                           : 0;
}

static int stop_side(const GrJoint *j, double q)
{
    return q > j->upper ? 1 : q < j->lower ? -1 : 0;
}

/// Force of the stop on `side` with the joint at q, velocity v; it pushes only.
static double stop_force(const GrJoint *j, int side, double q, double v)
{
    const double depth = side > 0 ? q - j->upper : q - j->lower;
    return -j->stop_stiffness * depth - j->stop_damping * v;
}

/// Friction while it sticks: a stiff spring over the elastic travel, critically damped so that a joint at rest does not
/// oscillate.
static double sticking_force(const GrJoint *j, double travel, double v)
{
    return -j->friction_stiffness * travel - j->friction_damping * v;
}

/// On which side of lower .. upper x lies. A change from one side to the other passes through the middle mode, where
/// the force is a function of velocity and not constant; otherwise a stiff controller would alternate for ever.
static signed char side_of(double x, double lower, double upper, int now)
{
    const int side = x > upper ? 1 : x < lower ? -1 : 0;
    return (signed char)(side * now < 0 ? 0 : side);
}

GrJointMode gr_joint_guess_mode(const GrTree *t, const GrTreeData *d, int b, double dt)
{
    const GrJoint *j = &t->joints[b];
    const double v = gr_joint_velocity(t, d, b);
    GrJointMode mode = d->mode[b];
    if (j->features & GR_JOINT_HAS_STOPS) {
        const double q = position(t, d, b) + dt * v;
        const int side = stop_side(j, q);
        mode.stop = (signed char)(side != 0 && side * stop_force(j, side, q, v) < 0 ? side : 0);
    }
    if (dt > 0) {
        return mode;
    }
    if (j->features & GR_JOINT_HAS_FRICTION) {
        mode.friction = side_of(-sticking_force(j, d->friction[b], v), -j->friction, j->friction, 0);
    }
    if (j->features & GR_JOINT_HAS_MOTOR) {
        const double torque = controller_torque(j, d->command[b], d->integral[b], position(t, d, b), v, 0);
        mode.motor = side_of(torque, torque_bound(&j->motor, -1, v), torque_bound(&j->motor, 1, v), 0);
    }
    return mode;
}

GrJointForce gr_joint_force(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double dt)
{
    const GrJoint *j = &t->joints[b];
    const double q = position(t, d, b), v = gr_joint_velocity(t, d, b);
    const double q_end = q + dt * v;
    GrJointForce f = {0};
    if (j->features & GR_JOINT_HAS_SPRING) {
        f.value -= j->stiffness * (q_end - j->rest) + j->damping * v;
        f.derivative -= j->stiffness * dt + j->damping;
    }
    if (mode.stop != 0) {
        f.value += stop_force(j, mode.stop, q_end, v);
        f.derivative -= j->stop_stiffness * dt + j->stop_damping;
    }
    if (j->features & GR_JOINT_HAS_FRICTION) {
        if (mode.friction == 0) {
            f.value += sticking_force(j, d->friction[b] + dt * v, v);
            f.derivative -= j->friction_stiffness * dt + j->friction_damping;
        } else {
            f.value -= mode.friction * j->friction;
        }
    }
    if (j->features & GR_JOINT_HAS_MOTOR) {
        if (mode.motor == 0) {
            f.value += controller_torque(j, d->command[b], d->integral[b], q, v, dt);
            f.derivative += controller_derivative(j, dt);
            f.inertia += is_speed_loop(&j->motor) ? j->motor.kd : 0;
        } else {
            f.value += torque_bound(&j->motor, mode.motor, v);
            f.derivative += torque_bound_derivative(&j->motor, mode.motor, v);
        }
    }
    return f;
}

double gr_joint_stiffness(const GrTree *t, int b, GrJointMode mode)
{
    const GrJoint *j = &t->joints[b];
    const bool positioned = (j->features & GR_JOINT_HAS_MOTOR) && j->motor.kind == GR_MOTOR_POSITION;
    return (j->features & GR_JOINT_HAS_SPRING ? j->stiffness : 0) + (mode.stop != 0 ? j->stop_stiffness : 0) +
           (positioned && mode.motor == 0 ? j->motor.kp : 0);
}

double gr_joint_motor_torque(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double v, double dt)
{
    const GrJoint *j = &t->joints[b];
    if (mode.motor != 0) {
        return torque_bound(&j->motor, mode.motor, v);
    }
    const double torque = controller_torque(j, d->command[b], d->integral[b], position(t, d, b), v, dt);
    const double v0 = gr_joint_velocity(t, d, b);
    return is_speed_loop(&j->motor) && dt > 0 ? torque - j->motor.kd * (v - v0) / dt : torque;
}

GrJointMode gr_joint_next_mode(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double v, double dt)
{
    const GrJoint *j = &t->joints[b];
    GrJointMode next = mode;
    if (j->features & GR_JOINT_HAS_STOPS) {
        const double q = position(t, d, b) + dt * v;
        const int side = stop_side(j, q);
        next.stop = (signed char)(side != 0 && side * stop_force(j, side, q, v) < 0 ? side : 0);
    }
    if (j->features & GR_JOINT_HAS_FRICTION) {
        const double held = -sticking_force(j, d->friction[b] + dt * v, v);
        next.friction = side_of(held, -j->friction, j->friction, mode.friction);
    }
    if (j->features & GR_JOINT_HAS_MOTOR) {
        const GrJointMode free = {.motor = 0};
        const double torque = gr_joint_motor_torque(t, d, b, free, v, dt);
        next.motor = side_of(torque, torque_bound(&j->motor, -1, v), torque_bound(&j->motor, 1, v), mode.motor);
    }
    return next;
}

void gr_joint_commit(const GrTree *t, GrTreeData *d, int b, GrJointMode mode, double q, double v, double dt)
{
    const GrJoint *j = &t->joints[b];
    if (j->features & GR_JOINT_HAS_FRICTION) {
        const double bound = j->friction / j->friction_stiffness;
        d->friction[b] = fmax(-bound, fmin(bound, d->friction[b] + dt * v));
    }
    // A saturated controller does not wind up.
    if ((j->features & GR_JOINT_HAS_MOTOR) && mode.motor == 0) {
        const double reached = j->motor.kind == GR_MOTOR_POSITION ? q : v;
        d->integral[b] += dt * (d->command[b] - reached);
    }
    d->mode[b] = mode;
}

double gr_joint_friction_rate(const GrTree *t, const GrTreeData *d, int b)
{
    const GrJoint *j = &t->joints[b];
    const double v = gr_joint_velocity(t, d, b);
    const double bound = j->friction / j->friction_stiffness;
    return fabs(d->friction[b]) >= bound && d->friction[b] * v > 0 ? 0 : v;
}

double gr_joint_integral_rate(const GrTree *t, const GrTreeData *d, int b)
{
    const GrJoint *j = &t->joints[b];
    if (gr_joint_guess_mode(t, d, b, 0).motor != 0) {
        return 0;
    }
    return d->command[b] - (j->motor.kind == GR_MOTOR_POSITION ? position(t, d, b) : gr_joint_velocity(t, d, b));
}

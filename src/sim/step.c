/// The step:
///
///     reserve      room for the changes that wheels will make to the ground
///     integrate    kinematics, forces of the grounds and of the caller, accelerations, next state
///     follow       advance the ground, after an integrator that only asked for instantaneous forces
///     commit       soil, ruts, rigid contacts and loose rocks at the end of the step
///
/// Forces come through forces.h, the ground through grounds.h.
#include "drive_cycle.h"

#include "grouser/drive.h"

#include "data.h"
#include "device_call.h"
#include "dynamics.h"
#include "elementary.h"
#include "forces.h"
#include "solve.h"

#include <math.h>
#include <string.h>

// ---- control: observations from simulation data, commands to its motors

/// True motion of the chassis in the horizontal plane; heading is the direction of its x axis in the plane.
static GrControlObservation observe_motion(const GrData *d)
{
    const GrPose pose = gr_data_base_pose(d);
    const GrVec3 ahead = gr_quat_rotate(pose.rotation, gr_vec3(1, 0, 0));
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    const double heading = gr_atan2(ahead.y, ahead.x), c = gr_cos(heading), s = gr_sin(heading);
    return (GrControlObservation){
        .time = gr_data_time(d),
        .x = pose.position.x,
        .y = pose.position.y,
        .heading = heading,
        .v_x = c * linear.x + s * linear.y,
        .v_y = c * linear.y - s * linear.x,
        .yaw_rate = angular.z,
    };
}

/// Position and velocity of a joint; 0 where there is none.
static void read_joint(const GrModel *m, const GrData *d, int joint, double *position, double *velocity)
{
    *position = joint >= 0 ? gr_data_joint_position(m, d, joint) : 0;
    *velocity = joint >= 0 ? gr_data_joint_velocity(m, d, joint) : 0;
}

/// Last target of a servo; under load the joint deviates from it.
static double read_held(const GrModel *m, const GrData *d, int joint, bool servo)
{
    return joint >= 0 && servo ? d->tree.command[m->joint_body[joint]] : 0;
}

void gr_drive_decide(const GrModel *m, const GrData *d, const GrControl *c, GrControlState *state, GrControlOutput *out)
{
    GrControlObservation seen = observe_motion(d);
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        GrWheelJoints *joints = &seen.wheels[i];
        double angle;
        read_joint(m, d, w->drive, &angle, &joints->drive_velocity);
        read_joint(m, d, w->steer, &joints->steer_position, &joints->steer_velocity);
        read_joint(m, d, w->walk, &joints->walk_position, &joints->walk_velocity);
        joints->steer_held = read_held(m, d, w->steer, w->steer_servo);
        joints->walk_held = read_held(m, d, w->walk, w->walk_servo);
    }
    gr_control_update(c, state, &seen, out);
}

void gr_drive(const GrModel *m, GrData *d, const GrControl *c, GrControlState *state, GrControlOutput *out)
{
    GrControlOutput local = {.count = 0};
    GrControlOutput *result = out != NULL ? out : &local;
    gr_drive_decide(m, d, c, state, result);
    for (int i = 0; i < result->count; i++) {
        gr_data_set_command(m, d, result->joint[i], result->command[i]);
    }
}

// ---- the step

static bool is_finite(const double *values, int count)
{
    double sum = 0; // zero times NaN or infinity is NaN, and so is the sum
    for (int i = 0; i < count; i++) {
        sum += 0 * values[i];
    }
    return sum == 0;
}

/// kinematics -> forces -> acceleration
GrStatus gr_forward(const GrModel *m, GrData *d)
{
    GrForces forces = {.m = m, .d = d, .moment = GR_GROUND_START};
    const GrForceField field = gr_force_field(&forces);
    gr_tree_forward(&m->tree, &d->tree, &field, 0, false);
    const GrStatus status = gr_tree_solve(&m->tree, &d->tree, 0, false, d->tree.next_mode);
    return status != GR_OK ? status : d->rigid_status;
}

static GrStatus integrate(const GrModel *m, GrData *d, double dt)
{
    const bool instants = m->integrator->instant;
    GrForces forces = {.m = m, .d = d, .moment = instants ? GR_GROUND_INSTANT : GR_GROUND_START};
    const GrForceField field = gr_force_field(&forces);
    const GrStatus status = GR_CALL(step, m->integrator->step, &m->tree, &d->tree, &field, dt, d->work);
    if (status == GR_OK && instants) {
        gr_forces_follow(m, d, dt);
    }
    return status;
}

/// Beyond this distance from the origin [m] nodes of the ground cannot be counted.
static const double FARTHEST = 1e10;

static GrStatus check_numbers(const GrModel *m, const GrData *d)
{
    const double *position = d->tree.position;
    const bool finite = is_finite(d->tree.velocity, m->tree.dof_count) && is_finite(position, m->tree.position_count);
    const bool near = fabs(position[0]) < FARTHEST && fabs(position[1]) < FARTHEST && fabs(position[2]) < FARTHEST;
    return finite && near ? GR_OK : GR_ERROR_NUMERIC;
}

GrStatus gr_step_by(const GrModel *m, GrData *d, double dt)
{
    if (!(dt > 0 && isfinite(dt))) {
        return GR_ERROR_VALUE;
    }
    GrStatus status = gr_grounds_reserve(m, d);
    status = status == GR_OK ? integrate(m, d, dt) : status;
    status = status == GR_OK ? gr_grounds_commit(m, d, dt) : status;
    return status == GR_OK ? check_numbers(m, d) : status;
}

GrStatus gr_step(const GrModel *m, GrData *d)
{
    return gr_step_by(m, d, m->options.step);
}

void gr_inverse_dynamics(const GrModel *m, GrData *d, const double *acceleration, double *force)
{
    GrForces forces = {.m = m, .d = d, .moment = GR_GROUND_START};
    const GrForceField field = gr_force_field(&forces);
    gr_tree_forward(&m->tree, &d->tree, &field, 0, false);
    gr_tree_inverse_dynamics(&m->tree, &d->tree, acceleration, force, NULL);
}

GrJointLoad gr_joint_load_of(const GrModel *m, const GrTreeData *tree, int joint, GrVec3 *felt)
{
    const GrJointAxes *fixed = &m->joint_axes[joint];
    const GrMat3 axes = gr_mat3_mul(&tree->frame[fixed->body].rotation, &fixed->turn);
    const GrWrench load = gr_joint_load_in(tree, tree->work_wrench, m->joint_body[joint], &axes);
    if (felt != NULL) {
        *felt = gr_mat3_tmul_vec(&axes, gr_body_felt(tree, m->joint_body[joint]));
    }
    return (GrJointLoad){load.force, load.moment};
}

GrStatus gr_joint_loads(const GrModel *m, GrData *d, GrJointLoad *loads)
{
    const GrStatus status = gr_forward(m, d);
    if (status != GR_OK) {
        return status;
    }
    GrTreeData *tree = &d->tree;
    gr_tree_inverse_dynamics(&m->tree, tree, tree->acceleration, tree->work, NULL);
    for (int i = 0; i < m->joint_count; i++) {
        loads[i] = gr_joint_load_of(m, tree, i, NULL);
    }
    return GR_OK;
}

GrBalance gr_balance(const GrModel *m, GrData *d)
{
    gr_tree_kinematics(&m->tree, &d->tree);
    const GrEnergy energy = gr_tree_energy(&m->tree, &d->tree);
    const GrMomentum momentum = gr_tree_momentum(&m->tree, &d->tree);
    return (GrBalance){
        .kinetic = energy.kinetic,
        .gravity = energy.gravity,
        .spring = energy.spring,
        .mass = momentum.mass,
        .com = momentum.com,
        .linear = momentum.linear,
        .angular = momentum.angular,
        .inertia = momentum.inertia,
    };
}

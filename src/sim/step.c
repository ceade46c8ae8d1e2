/// The step:
///
///     reserve      room for the changes that wheels will make to the ground
///     integrate    kinematics, forces of the grounds and of the caller, accelerations, next state
///     follow       advance the ground, after an integrator that only asked for instantaneous forces
///     commit       soil, ruts, rigid contacts and loose rocks at the end of the step
///
/// Forces come through forces.h, the ground through grounds.h.
#include "data.h"

#include "dynamics.h"
#include "forces.h"
#include "solve.h"

#include <string.h>

#include <math.h>

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
    const GrStatus status = m->integrator->step(&m->tree, &d->tree, &field, dt, d->work);
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

GrStatus gr_joint_loads(const GrModel *m, GrData *d, GrJointLoad *loads)
{
    const GrStatus status = gr_forward(m, d);
    if (status != GR_OK) {
        return status;
    }
    GrTreeData *tree = &d->tree;
    gr_tree_inverse_dynamics(&m->tree, tree, tree->acceleration, tree->work, NULL);
    for (int i = 0; i < m->joint_count; i++) {
        const GrWrench load = gr_joint_load_local(tree, tree->work_wrench, m->joint_body[i]);
        loads[i] = (GrJointLoad){load.force, load.moment};
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

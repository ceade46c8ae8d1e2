/// The step. Evaluation is kinematics, then forces of ground, rocks and callers, then accelerations; a step advances
/// with the model's integrator, and commits the states of soil and contacts at its end.
#include "data.h"

#include "dynamics.h"
#include "solve.h"

#include <string.h>

static bool is_finite(const double *values, int count)
{
    double sum = 0; // NaN and infinity survive a sum of zeros times values
    for (int i = 0; i < count; i++) {
        sum += 0 * values[i];
    }
    return sum == 0;
}

/// kinematics -> forces -> acceleration
GrStatus gr_forward(const GrModel *m, GrData *d)
{
    GrForceBridge bridge = {m, d};
    const GrForceField field = gr_data_field(&bridge);
    gr_tree_forward(&m->tree, &d->tree, &field, 0, false);
    const GrStatus status = gr_tree_solve(&m->tree, &d->tree, 0, false, d->tree.next_mode);
    return status != GR_OK ? status : d->rigid_status;
}

GrStatus gr_step_by(const GrModel *m, GrData *d, double dt)
{
    GrForceBridge bridge = {m, d};
    const GrForceField field = gr_data_field(&bridge);
    GrStatus status = gr_rut_contact_reserve(m, d); // between steps: room for the wheels' tracks
    status = status != GR_OK ? status : d->ruts_status;
    if (status != GR_OK) {
        return status;
    }
    d->arrived = m->integrator->instant;
    status = m->integrator->step(&m->tree, &d->tree, &field, dt, d->work); // state -> next state
    d->arrived = false;
    if (status != GR_OK) {
        return status;
    }
    if (m->integrator->instant) {
        gr_contact_follow(m, d, dt);
    }
    status = gr_contact_commit(m, d, dt); // soil, hard contacts and loose rocks at the end of the step
    if (status != GR_OK) {
        return status;
    }
    const bool finite =
        is_finite(d->tree.velocity, m->tree.dof_count) && is_finite(d->tree.position, m->tree.dof_count + 1);
    return finite ? GR_OK : GR_ERROR_NUMERIC;
}

GrStatus gr_step(const GrModel *m, GrData *d)
{
    return gr_step_by(m, d, m->options.step);
}

void gr_inverse_dynamics(const GrModel *m, GrData *d, const double *acceleration, double *force)
{
    GrForceBridge bridge = {m, d};
    const GrForceField field = gr_data_field(&bridge);
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

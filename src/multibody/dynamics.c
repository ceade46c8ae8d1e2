#include "dynamics.h"

#include <string.h>

void gr_tree_mass_matrix(const GrTree *t, GrTreeData *d)
{
    const GrPaths *paths = &t->paths;
    GrInertia *composite = d->composite;
    memcpy(composite, d->inertia, sizeof(GrInertia) * (size_t)t->body_count);
    memset(d->mass, 0, sizeof(double) * (size_t)paths->size);
    for (int b = t->body_count - 1; b > 0; b--) {
        const GrJoint *j = &t->joints[b];
        const GrTwist s = d->frame[b].motion;
        GrWrench f = gr_inertia_mul(&composite[b], s);
        double *row = d->mass + paths->start[j->dof];
        row[paths->depth[j->dof]] +=
            j->ratio * j->ratio * gr_power(f, s) + j->ratio * j->ratio * j->motor.rotor_inertia;
        f = (GrWrench){gr_scale(j->ratio, f.moment), gr_scale(j->ratio, f.force)};
        for (int a = j->parent; a > 0; a = t->joints[a].parent) {
            // both dofs lie on one path; a coupling may make the ancestor's dof the deeper one
            const GrJoint *k = &t->joints[a];
            const int deep = paths->depth[j->dof] >= paths->depth[k->dof] ? j->dof : k->dof;
            const int shallow = deep == j->dof ? k->dof : j->dof;
            const double entry = k->ratio * gr_power(f, d->frame[a].motion);
            d->mass[paths->start[deep] + paths->depth[shallow]] += deep == shallow ? 2 * entry : entry;
        }
        row[0] += f.force.x;
        row[1] += f.force.y;
        row[2] += f.force.z;
        row[3] += f.moment.x;
        row[4] += f.moment.y;
        row[5] += f.moment.z;
        composite[j->parent] = gr_inertia_add(composite[j->parent], composite[b]);
    }
    const GrInertia *all = &composite[0];
    double *root[GR_BASE_DOF];
    for (int i = 0; i < GR_BASE_DOF; i++) {
        root[i] = d->mass + gr_path_root(i);
    }
    root[0][0] = root[1][1] = root[2][2] = all->mass;
    // moment = h × v
    root[3][1] = -all->h.z;
    root[3][2] = all->h.y;
    root[4][0] = all->h.z;
    root[4][2] = -all->h.x;
    root[5][0] = -all->h.y;
    root[5][1] = all->h.x;
    root[3][3] = all->i.xx;
    root[4][3] = all->i.xy;
    root[4][4] = all->i.yy;
    root[5][3] = all->i.xz;
    root[5][4] = all->i.yz;
    root[5][5] = all->i.zz;
}

/// Newton-Euler over the tree. `rate` is u̇ or NULL for zero. Returns the wrench balance in d->work_wrench.
static void newton_euler(const GrTree *t, GrTreeData *d, const double *rate)
{
    GrTwist *a = d->work_twist;
    GrWrench *w = d->work_wrench;
    // Spatial acceleration of the base: (ω̇; v̇ − ω × v). Gravity enters as an acceleration of the world upwards.
    const GrTwist v0 = d->frame[0].twist;
    a[0] = (GrTwist){{0, 0, 0}, gr_neg(gr_add(gr_cross(v0.ang, v0.lin), t->gravity))};
    if (rate != NULL) {
        a[0] = gr_twist_add(a[0], (GrTwist){{rate[3], rate[4], rate[5]}, {rate[0], rate[1], rate[2]}});
    }
    for (int b = 0; b < t->body_count; b++) {
        const GrBodyFrame *f = &d->frame[b];
        if (b > 0) {
            const GrJoint *j = &t->joints[b];
            const GrTwist turning = gr_twist_cross(d->frame[j->moves_with].twist, f->motion);
            a[b] = gr_twist_madd(a[j->parent], j->ratio * d->velocity[j->dof], turning);
            if (rate != NULL) {
                a[b] = gr_twist_madd(a[b], j->ratio * rate[j->dof], f->motion);
            }
        }
        const GrInertia inertia = d->inertia[b];
        const GrWrench momentum = gr_inertia_mul(&inertia, f->twist);
        const GrWrench inertial =
            gr_wrench_add(gr_inertia_mul(&inertia, a[b]), gr_twist_cross_wrench(f->twist, momentum));
        w[b] = gr_wrench_sub(inertial, d->wrench[b]);
    }
    for (int b = t->body_count - 1; b > 0; b--) {
        const int parent = t->joints[b].parent;
        w[parent] = gr_wrench_add(w[parent], w[b]);
    }
}

/// Projects the joints' wrenches onto the independent velocities.
static void project(const GrTree *t, const GrTreeData *d, const GrWrench *w, double *force)
{
    force[0] = w[0].force.x;
    force[1] = w[0].force.y;
    force[2] = w[0].force.z;
    force[3] = w[0].moment.x;
    force[4] = w[0].moment.y;
    force[5] = w[0].moment.z;
    memset(force + GR_BASE_DOF, 0, sizeof(double) * (size_t)(t->dof_count - GR_BASE_DOF));
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        force[j->dof] += j->ratio * gr_power(w[b], d->frame[b].motion);
    }
}

void gr_tree_bias(const GrTree *t, GrTreeData *d)
{
    newton_euler(t, d, NULL);
    project(t, d, d->work_wrench, d->bias);
}

void gr_tree_inverse_dynamics(const GrTree *t, GrTreeData *d, const double *acceleration, double *force, GrWrench *load)
{
    newton_euler(t, d, acceleration);
    project(t, d, d->work_wrench, force);
    for (int b = 1; b < t->body_count; b++) { // inertia of the motors' rotors
        const GrJoint *j = &t->joints[b];
        force[j->dof] += j->ratio * j->ratio * j->motor.rotor_inertia * acceleration[j->dof];
    }
    if (load != NULL) {
        memcpy(load, d->work_wrench, sizeof(GrWrench) * (size_t)t->body_count);
    }
}

GrEnergy gr_tree_energy(const GrTree *t, const GrTreeData *d)
{
    GrEnergy energy = {0};
    const GrVec3 origin = gr_base_position(d);
    for (int b = 0; b < t->body_count; b++) {
        const GrInertia inertia = d->inertia[b];
        energy.kinetic += gr_power(gr_inertia_mul(&inertia, d->frame[b].twist), d->frame[b].twist) / 2;
        energy.gravity -= t->bodies[b].mass * gr_dot(t->gravity, gr_add(origin, d->frame[b].com));
        if (b > 0) {
            const GrJoint *j = &t->joints[b];
            const double stretch = gr_joint_position(t, d, b) - j->rest;
            const double rate = gr_joint_velocity(t, d, b);
            energy.spring += j->stiffness * stretch * stretch / 2;
            energy.kinetic += j->motor.rotor_inertia * rate * rate / 2;
        }
    }
    return energy;
}

GrMomentum gr_tree_momentum(const GrTree *t, const GrTreeData *d)
{
    GrInertia all = {0};
    GrWrench momentum = {0};
    for (int b = 0; b < t->body_count; b++) {
        const GrInertia inertia = d->inertia[b];
        all = gr_inertia_add(all, inertia);
        momentum = gr_wrench_add(momentum, gr_inertia_mul(&inertia, d->frame[b].twist));
    }
    const GrVec3 com = gr_scale(1 / all.mass, all.h);
    return (GrMomentum){
        .mass = all.mass,
        .com = gr_add(gr_base_position(d), com),
        .linear = momentum.force,
        .angular = gr_sub(momentum.moment, gr_cross(com, momentum.force)),
        .inertia = gr_sym3_add(all.i, gr_sym3_point(-all.mass, com)),
    };
}

GrWrench gr_joint_load_local(const GrTreeData *d, const GrWrench *load, int b)
{
    const GrBodyFrame *f = &d->frame[b];
    const GrVec3 moment = gr_sub(load[b].moment, gr_cross(f->origin, load[b].force));
    return (GrWrench){gr_mat3_tmul_vec(&f->rotation, moment), gr_mat3_tmul_vec(&f->rotation, load[b].force)};
}

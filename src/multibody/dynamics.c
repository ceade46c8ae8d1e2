/// Equations of motion of the tree: poses, twists and joint axes of all bodies from the base outwards, then the stages
/// of M(q) u' + bias = sum of all forces.
#include "dynamics.h"

#include "trig.h"

#include <string.h>

// ---- kinematics

/// r Rz(q): turns the frame r about its own z axis by the angle of sine s and cosine c.
static GrMat3 turn_about_z(const GrMat3 *r, double s, double c)
{
    GrMat3 turned;
    for (int i = 0; i < 3; i++) {
        turned.m[i][0] = gr_fma(c, r->m[i][0], s * r->m[i][1]);
        turned.m[i][1] = gr_fma(c, r->m[i][1], -(s * r->m[i][0]));
        turned.m[i][2] = r->m[i][2];
    }
    return turned;
}

/// Frame and unit twist of a body on a screw or spherical axis. `still`: its frame at joint position 0, with origin
/// `at`; q is its position, s and c are its sine and cosine.
__attribute__((noinline)) static void move_otherwise(const GrJoint *j, const GrTreeData *d, const GrMat3 *still,
                                                     GrVec3 at, const double q_s_c[3], GrBodyFrame *f)
{
    const int along = j->motion == GR_MOTION_SPHERICAL ? j->along : 2;
    const GrVec3 axis = {still->m[0][along], still->m[1][along], still->m[2][along]};
    f->origin = at;
    f->motion = (GrTwist){axis, gr_cross(at, axis)};
    f->rotation = *still;
    if (j->motion == GR_MOTION_SCREW) {
        f->rotation = turn_about_z(still, q_s_c[1], q_s_c[2]);
        f->origin = gr_madd(at, j->pitch * q_s_c[0], axis);
        f->motion.lin = gr_madd(f->motion.lin, j->pitch, axis);
    } else if (along == 2) { // the last of three carries the body
        const GrMat3 turn = gr_quat_to_mat3(gr_tree_quaternion(d, j->coordinate));
        f->rotation = gr_mat3_mul(still, &turn);
    }
}

void gr_tree_kinematics(const GrTree *t, GrTreeData *d)
{
    GrBodyFrame *frame = d->frame;
    const double *u = d->velocity;
    double *q = d->work_joint, *sine = q + t->body_count, *cosine = sine + t->body_count;
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        q[b] = gr_fma(j->ratio, d->position[j->coordinate], j->offset);
    }
    gr_sincos(t->body_count - 1, q + 1, sine + 1, cosine + 1);
    frame[0].rotation = gr_quat_to_mat3(gr_base_rotation(d));
    frame[0].origin = gr_vec3(0, 0, 0);
    frame[0].com = gr_mat3_mul_vec(&frame[0].rotation, t->bodies[0].com);
    frame[0].twist = (GrTwist){{u[3], u[4], u[5]}, {u[0], u[1], u[2]}};
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        const GrBodyFrame *parent = &frame[j->parent];
        GrBodyFrame *f = &frame[b];
        const double rate = j->ratio * u[j->dof];
        const GrVec3 at = gr_add(parent->origin, gr_mat3_mul_vec(&parent->rotation, j->at));
        const GrMat3 still = gr_mat3_mul(&parent->rotation, &j->turn);
        const GrVec3 axis = {still.m[0][2], still.m[1][2], still.m[2][2]};
        if (j->motion == GR_MOTION_REVOLUTE) {
            f->rotation = turn_about_z(&still, sine[b], cosine[b]);
            f->origin = at;
            f->motion = (GrTwist){axis, gr_cross(at, axis)};
        } else if (j->motion == GR_MOTION_PRISMATIC) {
            f->rotation = still;
            f->origin = gr_madd(at, q[b], axis);
            f->motion = (GrTwist){{0, 0, 0}, axis};
        } else {
            move_otherwise(j, d, &still, at, (double[]){q[b], sine[b], cosine[b]}, f);
        }
        f->com = gr_add(f->origin, gr_mat3_mul_vec(&f->rotation, t->bodies[b].com));
        f->twist = gr_twist_madd(parent->twist, rate, f->motion);
    }
    for (int b = 0; b < t->body_count; b++) {
        const GrBodyMass *body = &t->bodies[b];
        d->inertia[b] = gr_inertia_at(body->mass, frame[b].com, gr_sym3_rotate(&frame[b].rotation, body->inertia));
    }
    memset(d->wrench, 0, sizeof(GrWrench) * (size_t)t->body_count);
    memset(d->has_jacobian, 0, sizeof(int) * (size_t)t->body_count);
    d->jacobian_count[0] = 0;
    d->pair_count[0] = 0;
}

void gr_tree_twists(const GrTree *t, const GrTreeData *d, double left, GrTwist *twist)
{
    const double *v = d->velocity, *a = d->acceleration;
    double u[GR_BASE_DOF];
    for (int i = 0; i < GR_BASE_DOF; i++) {
        u[i] = v[i] + left * a[i];
    }
    twist[0] = (GrTwist){{u[3], u[4], u[5]}, {u[0], u[1], u[2]}};
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        const double rate = v[j->dof] + left * a[j->dof];
        twist[b] = gr_twist_madd(twist[j->parent], j->ratio * rate, d->frame[b].motion);
    }
}

// ---- dynamics

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

GrWrench gr_joint_load_in(const GrTreeData *d, const GrWrench *load, int b, const GrMat3 *axes)
{
    const GrVec3 moment = gr_sub(load[b].moment, gr_cross(d->frame[b].origin, load[b].force));
    return (GrWrench){gr_mat3_tmul_vec(axes, moment), gr_mat3_tmul_vec(axes, load[b].force)};
}

GrVec3 gr_body_felt(const GrTreeData *d, int b)
{
    const GrBodyFrame *f = &d->frame[b];
    const GrTwist a = d->work_twist[b];
    const GrVec3 velocity = gr_twist_at(f->twist, f->origin);
    return gr_add(gr_twist_at(a, f->origin), gr_cross(f->twist.ang, velocity));
}

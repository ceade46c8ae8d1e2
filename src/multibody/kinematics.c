/// Forward kinematics of the tree: poses, twists and joint axes of all bodies, from the base outwards.
#include "dynamics.h"

#include "trig.h"

#include <string.h>

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

#include "dynamics.h"

#include <string.h>

/// Rotation of the child in the parent: turn + sin q turn_sin + (1 − cos q) turn_cos.
static GrMat3 joint_rotation(const GrJoint *j, double q)
{
    const double s = sin(q), c = 1 - cos(q);
    GrMat3 r;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            r.m[i][k] = j->turn.m[i][k] + s * j->turn_sin.m[i][k] + c * j->turn_cos.m[i][k];
        }
    }
    return r;
}

void gr_tree_kinematics(const GrTree *t, GrTreeData *d)
{
    GrBodyFrame *frame = d->frame;
    const double *u = d->velocity;
    frame[0].rotation = gr_quat_to_mat3(gr_base_rotation(d));
    frame[0].origin = gr_vec3(0, 0, 0);
    frame[0].com = gr_mat3_mul_vec(&frame[0].rotation, t->bodies[0].com);
    frame[0].twist = (GrTwist){{u[3], u[4], u[5]}, {u[0], u[1], u[2]}};
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        const GrBodyFrame *parent = &frame[j->parent];
        GrBodyFrame *f = &frame[b];
        const double q = j->ratio * d->position[j->dof + 1] + j->offset;
        const double rate = j->ratio * u[j->dof];
        const GrVec3 at = gr_add(parent->origin, gr_mat3_mul_vec(&parent->rotation, j->at));
        if (j->kind == GR_JOINT_REVOLUTE) {
            const GrMat3 turned = joint_rotation(j, q);
            f->rotation = gr_mat3_mul(&parent->rotation, &turned);
            f->origin = at;
            const GrVec3 axis = gr_mat3_mul_vec(&f->rotation, j->axis);
            f->motion = (GrTwist){axis, gr_cross(at, axis)};
        } else {
            f->rotation = gr_mat3_mul(&parent->rotation, &j->turn);
            const GrVec3 axis = gr_mat3_mul_vec(&parent->rotation, j->slide);
            f->origin = gr_madd(at, q, axis);
            f->motion = (GrTwist){{0, 0, 0}, axis};
        }
        f->com = gr_add(f->origin, gr_mat3_mul_vec(&f->rotation, t->bodies[b].com));
        f->twist = gr_twist_madd(parent->twist, rate, f->motion);
    }
    for (int b = 0; b < t->body_count; b++) {
        const GrBodyMass *body = &t->bodies[b];
        d->inertia[b] = gr_inertia_at(body->mass, frame[b].com, gr_sym3_rotate(&frame[b].rotation, body->inertia));
    }
    memset(d->wrench, 0, sizeof(GrWrench) * (size_t)t->body_count);
    memset(d->has_slope, 0, sizeof(int) * (size_t)t->body_count);
    d->slope_count[0] = 0;
}

#include "tree.h"

#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

size_t gr_tree_data_size(const GrTree *t)
{
    const size_t nb = (size_t)t->body_count, n = (size_t)t->dof_count, np = (size_t)t->paths.size,
                 nc = (size_t)t->pair_capacity, nq = (size_t)t->position_count;
    size_t size = 0;
#define GR_FIELD(type, name, count) size += aligned(sizeof(type) * (count));
    GR_TREE_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
    return size;
}

void gr_tree_data_init(const GrTree *t, GrTreeData *d, void *memory)
{
    const size_t nb = (size_t)t->body_count, n = (size_t)t->dof_count, np = (size_t)t->paths.size,
                 nc = (size_t)t->pair_capacity, nq = (size_t)t->position_count;
    unsigned char *next = memory;
#define GR_FIELD(type, name, count)                                                                                    \
    d->name = (type *)(void *)next;                                                                                    \
    next += aligned(sizeof(type) * (count));
    GR_TREE_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
    for (int i = 0; i < t->rotation_count; i++) {
        d->position[t->rotations[i].coordinate] = 1;
    }
}

double gr_spherical_position(const GrTreeData *d, const GrJoint *j)
{
    const GrVec3 turn = gr_quat_log(gr_tree_quaternion(d, j->coordinate));
    return j->along == 0 ? turn.x : j->along == 1 ? turn.y : turn.z;
}

void gr_joint_set_position(const GrTree *t, GrTreeData *d, int b, double position)
{
    const GrJoint *j = &t->joints[b];
    if (j->motion == GR_MOTION_SPHERICAL) {
        GrVec3 turn = gr_quat_log(gr_tree_quaternion(d, j->coordinate));
        *(j->along == 0 ? &turn.x : j->along == 1 ? &turn.y : &turn.z) = position;
        gr_tree_set_quaternion(d, j->coordinate, gr_quat_normalize(gr_quat_exp(turn)));
    } else {
        d->position[j->coordinate] = (position - j->offset) / j->ratio;
    }
}

static void add_part(GrMat6 *sum, const GrMat6 *part, int *has, int bit)
{
    if (*has & bit) {
        gr_mat6_madd(sum, 1, part);
    } else {
        *sum = *part;
        *has |= bit;
    }
}

void gr_tree_add_jacobian_about_origin(GrTreeData *d, int b, const GrMat6 *dtwist, const GrMat6 *dpose)
{
    GrWrenchJacobian *jacobian = &d->jacobian[b];
    d->jacobian_count[0] += d->has_jacobian[b] == 0;
    add_part(&jacobian->twist, dtwist, &d->has_jacobian[b], GR_JACOBIAN_TWIST);
    if (dpose != NULL) {
        add_part(&jacobian->pose, dpose, &d->has_jacobian[b], GR_JACOBIAN_POSE);
    }
}

GrMat6 *gr_tree_first_jacobian(GrTreeData *d, int b)
{
    if (d->has_jacobian[b] != 0) {
        return NULL;
    }
    d->has_jacobian[b] = GR_JACOBIAN_TWIST;
    d->jacobian_count[0]++;
    return &d->jacobian[b].twist;
}

void gr_tree_add_jacobian(GrTreeData *d, int b, GrVec3 point, const GrMat6 *dtwist, const GrMat6 *dpose)
{
    const GrMat6 twist = gr_mat6_shift(dtwist, point);
    if (dpose != NULL) {
        const GrMat6 pose = gr_mat6_shift(dpose, point);
        gr_tree_add_jacobian_about_origin(d, b, &twist, &pose);
    } else {
        gr_tree_add_jacobian_about_origin(d, b, &twist, NULL);
    }
}

static void push_pair(GrTreeData *d, GrTreePair *pair, double by, GrWrench w)
{
    pair->wrench.moment = gr_madd(pair->wrench.moment, by, w.moment);
    pair->wrench.force = gr_madd(pair->wrench.force, by, w.force);
    d->wrench[pair->b].moment = gr_madd(d->wrench[pair->b].moment, by, w.moment);
    d->wrench[pair->b].force = gr_madd(d->wrench[pair->b].force, by, w.force);
    d->wrench[pair->a].moment = gr_madd(d->wrench[pair->a].moment, -by, w.moment);
    d->wrench[pair->a].force = gr_madd(d->wrench[pair->a].force, -by, w.force);
}

bool gr_tree_add_touch(const GrTree *t, GrTreeData *d, const GrTreeTouch *touch)
{
    int i = 0;
    while (i < d->pair_count[0] && (d->pair[i].a != touch->a || d->pair[i].b != touch->b)) {
        i++;
    }
    if (i == t->pair_capacity) {
        return false;
    }
    GrTreePair *pair = &d->pair[i];
    if (i == d->pair_count[0]) {
        *pair = (GrTreePair){.a = touch->a, .b = touch->b};
        d->pair_count[0]++;
    }
    const GrMat6 dtwist = gr_mat6_shift(&touch->dtwist, touch->point);
    const GrMat6 dpose = gr_mat6_shift(&touch->dpose, touch->point);
    gr_mat6_madd(&pair->dtwist, 1, &dtwist);
    gr_mat6_madd(&pair->dpose, 1, &dpose);
    push_pair(d, pair, 1, gr_wrench_at(touch->point, touch->force, touch->moment));
    return true;
}

void gr_tree_clear_pairs(GrTreeData *d)
{
    for (int i = 0; i < d->pair_count[0]; i++) {
        push_pair(d, &d->pair[i], -1, d->pair[i].wrench);
    }
    d->pair_count[0] = 0;
}

void gr_tree_carry_pairs(GrTreeData *d, double dt)
{
    for (int i = 0; i < d->pair_count[0]; i++) {
        GrTreePair *pair = &d->pair[i];
        const GrTwist relative = gr_twist_madd(d->frame[pair->b].twist, -1, d->frame[pair->a].twist);
        push_pair(d, pair, dt, gr_mat6_mul(&pair->dpose, relative));
    }
}

void gr_tree_pair_end(GrTreeData *d, int i, double dt, const GrTwist *change)
{
    GrTreePair *pair = &d->pair[i];
    const GrTwist relative = gr_twist_madd(change[pair->b], -1, change[pair->a]);
    push_pair(d, pair, 1, gr_mat6_mul(&pair->dtwist, relative));
    push_pair(d, pair, dt, gr_mat6_mul(&pair->dpose, relative));
}

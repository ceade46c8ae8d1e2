/// Rigid contacts of the rover: rocks, decks, rigid terrain, its own bodies. Poses and twists of bodies go to the rigid
/// world (src/rigid); loads and Jacobians come back to the tree.
#include "rigid_ground.h"

#include "dynamics.h"
#include "elementary.h"

#include <string.h>

static GrVec3 world_origin(const GrData *d, const GrBodyFrame *frame)
{
    return gr_add(gr_base_position(&d->tree), frame->origin);
}

/// Poses and twists of the driven bodies that may touch something, or of all.
static void find_motion(const GrModel *m, GrData *d, bool all)
{
    for (int i = 0; i < m->rigid.count; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->rigid.bodies[i]];
        const GrVec3 origin = world_origin(d, frame);
        d->rigid_near[i] = all || gr_rigid_may_touch(m->rigid.world, d->rigid, i, &frame->rotation, origin);
        if (d->rigid_near[i]) {
            d->rigid_pose[i] = (GrPose){origin, gr_quat_from_mat3(&frame->rotation)};
            d->rigid_twist[i] = (GrTwist){frame->twist.ang, gr_twist_at(frame->twist, frame->origin)};
        }
    }
}

/// (1 + [turn]) r: a rotation after a small further rotation, to first order.
static GrMat3 turned(const GrMat3 *r, GrVec3 turn)
{
    GrMat3 out;
    for (int j = 0; j < 3; j++) {
        const GrVec3 column = gr_mat3_column(r, j), moved = gr_add(column, gr_cross(turn, column));
        out.m[0][j] = moved.x;
        out.m[1][j] = moved.y;
        out.m[2][j] = moved.z;
    }
    return out;
}

bool gr_rigid_ahead(const GrModel *m, GrData *d, double time)
{
    // wheels come first; arms and bellies are often above rocks but seldom touch them
    const int looked_at = m->tree.pair_capacity > 0 ? m->rigid.count : m->wheel_count;
    for (int i = looked_at; i < m->rigid.count; i++) {
        d->rigid_near[i] = false;
    }
    for (int i = 0; i < looked_at; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->rigid.bodies[i]];
        const GrTwist twist = {frame->twist.ang, gr_twist_at(frame->twist, frame->origin)};
        const GrVec3 origin = gr_madd(world_origin(d, frame), time, twist.lin), turn = gr_scale(time, twist.ang);
        const GrMat3 rotation = turned(&frame->rotation, turn);
        d->rigid_near[i] = gr_rigid_may_touch(m->rigid.world, d->rigid, i, &rotation, origin);
        if (d->rigid_near[i]) {
            d->rigid_pose[i] = (GrPose){origin, gr_quat_mul(gr_quat_exp(turn), gr_quat_from_mat3(&frame->rotation))};
            d->rigid_twist[i] = twist;
        }
    }
    return gr_rigid_would_touch(m->rigid.world, d->rigid, d->rigid_near, d->rigid_pose, d->rigid_twist);
}

/// Driven bodies are the first bodies of the world, so their indices are the same.
static bool is_own(const GrModel *m, int body)
{
    return body >= 0 && body < m->rigid.count;
}

static void add_contact(const GrModel *m, GrData *d, int body, double side, const GrRigidContact *c)
{
    if (is_own(m, body)) {
        const bool self = is_own(m, c->body_a) && is_own(m, c->body_b);
        GrBodyContact *sum = self ? &d->self_contact[body] : &d->rigid_contact[body];
        sum->force = gr_madd(sum->force, side, c->force);
        sum->point = gr_madd(sum->point, c->normal_force, c->position);
        sum->normal += c->normal_force;
        sum->count++;
        sum->slipping += c->slips;
    }
}

static void sum_contacts(const GrModel *m, GrData *d)
{
    memset(d->rigid_contact, 0, sizeof(GrBodyContact) * (size_t)m->rigid.count);
    memset(d->self_contact, 0, sizeof(GrBodyContact) * (size_t)m->rigid.count);
    for (int i = 0; i < gr_rigid_contact_count(d->rigid); i++) {
        const GrRigidContact c = gr_rigid_contact(m->rigid.world, d->rigid, i);
        add_contact(m, d, c.body_a, -1, &c);
        add_contact(m, d, c.body_b, 1, &c);
    }
}

/// Contacts between the rover's own bodies, as pairs of the tree.
static void add_pairs(const GrModel *m, GrData *d)
{
    const GrVec3 base = gr_base_position(&d->tree);
    for (int i = 0; m->tree.pair_capacity > 0 && i < gr_rigid_contact_count(d->rigid); i++) {
        GrRigidBetween c;
        if (!gr_rigid_between(m->rigid.world, d->rigid, i, &c)) {
            continue;
        }
        const GrTreeTouch touch = {.a = m->rigid.bodies[c.driven_a],
                                   .b = m->rigid.bodies[c.driven_b],
                                   .point = gr_sub(c.position, base),
                                   .force = c.force,
                                   .moment = c.moment,
                                   .dtwist = c.dtwist,
                                   .dpose = c.dpose};
        if (!gr_tree_add_touch(&m->tree, &d->tree, &touch)) {
            d->rigid_status = GR_ERROR_MEMORY;
        }
    }
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    const bool rest = query->moment == GR_GROUND_REST;
    const bool still = rest || query->moment == GR_GROUND_INSTANT; // no state advances
    find_motion(m, d, false);
    d->rigid_ended = false;
    d->rigid_status = gr_rigid_evaluate_near(m->rigid.world, d->rigid, d->rigid_near, d->rigid_pose, d->rigid_twist,
                                             still ? 0 : query->dt, d->rigid_load);
    if (d->rigid_status != GR_OK) {
        return;
    }
    sum_contacts(m, d);
    add_pairs(m, d);
    if (query->linearise) {
        gr_rigid_rest_derivatives(m->rigid.world, d->rigid, query->sliding, d->rigid_load);
    }
    for (int i = 0; i < m->rigid.count; i++) {
        const GrRigidLoad *load = &d->rigid_load[i];
        if (d->rigid_near[i] && load->touches) {
            const int body = m->rigid.bodies[i];
            const GrVec3 at = d->tree.frame[body].origin;
            gr_tree_add_wrench(&d->tree, body, at, load->wrench.force, load->wrench.moment);
            if (query->dt > 0 && query->moment != GR_GROUND_INSTANT) {
                gr_tree_add_jacobian(&d->tree, body, at, &load->dtwist, &load->dpose);
            } else if (query->linearise) {
                gr_tree_add_jacobian(&d->tree, body, at, &load->dpose, NULL);
            }
        }
    }
}

/// Twists at the end of the step, in the frames in which the contacts were found, so that bodies and loose rocks
/// exchange equal momentum. `left`: remaining time over which the velocities are extrapolated.
static void find_end_twists(const GrModel *m, GrData *d, double left)
{
    GrTwist *twist = d->tree.work_twist;
    gr_tree_twists(&m->tree, &d->tree, left, twist);
    for (int i = 0; i < m->rigid.count; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->rigid.bodies[i]];
        const GrTwist end = twist[m->rigid.bodies[i]];
        d->rigid_twist[i] = (GrTwist){end.ang, gr_twist_at(end, frame->origin)};
    }
}

static bool revise(const GrModel *m, GrData *d, double dt)
{
    if (gr_rigid_contact_count(d->rigid) == 0) {
        return false;
    }
    find_end_twists(m, d, dt);
    if (!gr_rigid_revise(m->rigid.world, d->rigid, d->rigid_twist, dt, d->rigid_change)) {
        d->rigid_ended = true;
        return false;
    }
    sum_contacts(m, d);
    if (d->tree.pair_count[0] > 0) {
        gr_tree_clear_pairs(&d->tree);
        add_pairs(m, d);
        gr_tree_carry_pairs(&d->tree, dt);
    }
    for (int i = 0; i < m->rigid.count; i++) {
        const GrRigidLoad *change = &d->rigid_change[i];
        if (d->rigid_near[i] && change->touches) {
            const int body = m->rigid.bodies[i];
            const GrBodyFrame *frame = &d->tree.frame[body];
            const GrTwist now = {frame->twist.ang, gr_twist_at(frame->twist, frame->origin)};
            const GrWrench later = gr_mat6_mul(&change->dpose, now);
            gr_tree_add_wrench(&d->tree, body, frame->origin, gr_madd(change->wrench.force, dt, later.force),
                               gr_madd(change->wrench.moment, dt, later.moment));
            gr_tree_add_jacobian(&d->tree, body, frame->origin, &change->dtwist, &change->dpose);
            d->rigid_load[i].wrench = gr_wrench_add(d->rigid_load[i].wrench, change->wrench);
        }
    }
    return true;
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    if (d->rigid_status != GR_OK) {
        return d->rigid_status;
    }
    if (!gr_rigid_is_idle(d->rigid) && !d->rigid_ended) {
        find_end_twists(m, d, 0);
    }
    d->rigid_status = gr_rigid_commit(m->rigid.world, d->rigid, d->rigid_twist, dt);
    return d->rigid_status;
}

static void begin_rest(const GrModel *m, GrData *d)
{
    find_motion(m, d, true);
    gr_rigid_begin_settling(m->rigid.world, d->rigid, d->rigid_pose);
}

static void anchor(const GrModel *m, GrData *d)
{
    find_motion(m, d, true);
    gr_rigid_anchor(m->rigid.world, d->rigid, d->rigid_pose);
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    (void)query;
    gr_rigid_end_settling(m->rigid.world, d->rigid);
}

static double angle_between(GrVec3 a, GrVec3 b)
{
    return gr_atan2(gr_norm(gr_cross(a, b)), gr_dot(a, b));
}

static double smooth_step(double x)
{
    const double t = fmin(1, fmax(0, x));
    return t * t * (3 - 2 * t);
}

bool gr_rigid_relief(const GrModel *m, const GrData *d, int wheel, GrVec3 axle, GrVec3 down, double theta,
                     double *relief)
{
    if (d->rigid_contact[wheel].count == 0) {
        return false;
    }
    const GrSoilWheel *w = &m->soil_wheels[wheel];
    const GrWheel *shape = &m->wheels[wheel];
    const GrBodyFrame *frame = &d->tree.frame[shape->body];
    const GrVec3 centre = gr_add(world_origin(d, frame), gr_mat3_mul_vec(&frame->rotation, shape->centre));
    double first = INFINITY, last = -INFINITY, patch = 0, below = 0;
    for (int i = 0; i < gr_rigid_contact_count(d->rigid); i++) {
        const GrRigidContact c = gr_rigid_contact(m->rigid.world, d->rigid, i);
        if ((c.body_a == wheel || c.body_b == wheel) && !(is_own(m, c.body_a) && is_own(m, c.body_b))) {
            const GrVec3 r = gr_sub(c.position, centre);
            const double y = gr_dot(r, axle), angle = angle_between(gr_madd(r, -y, axle), down);
            first = fmin(first, y);
            last = fmax(last, y);
            patch = fmax(patch, sqrt(w->radius * c.depth));
            below += c.normal_force * smooth_step(1 - angle / theta);
        }
    }
    const double widen = fmax(0, patch - 0.5 * (last - first)); // a single point carries over the width of its patch
    double sum = 0;
    for (int k = 0; k < w->slices; k++) {
        const double from = k * w->slice_width - 0.5 * w->wheel.width, to = from + w->slice_width;
        relief[k] = fmax(0, fmin(to, last + widen) - fmax(from, first - widen));
        sum += relief[k];
    }
    for (int k = 0; k < w->slices; k++) {
        relief[k] *= sum > 0 ? below / sum : 0;
    }
    return below > 0;
}

static bool is_present(const GrModel *m)
{
    return m->rigid.world != NULL;
}

/// In the search for rest, contacts between the rover's own bodies add no Jacobians.
static bool is_linear(const GrModel *m, const GrData *d)
{
    (void)m;
    return d->tree.pair_count[0] == 0;
}

static void clear(const GrModel *m, GrData *d)
{
    gr_rigid_state_reset(m->rigid.world, d->rigid);
}

static void copied(const GrModel *m, GrData *to, const GrData *from)
{
    (void)from;
    gr_rigid_state_refresh(m->rigid.world, to->rigid);
}

const GrGroundInterface gr_rigid_ground = {
    .present = is_present,
    .clear = clear,
    .evaluate = evaluate,
    .is_linear = is_linear,
    .revise = revise,
    .commit = commit,
    .begin_rest = begin_rest,
    .anchor = anchor,
    .end_rest = end_rest,
    .copied = copied,
};

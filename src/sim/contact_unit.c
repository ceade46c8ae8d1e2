/// Contact units: a model of one part whose pose and twist the host sets, and whose grounds (grounds.h) say the forces.
#include "grouser/contact.h"

#include "alloc.h"
#include "contact_ground.h"
#include "data.h"
#include "dynamics.h"
#include "elementary.h"
#include "forces.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

struct GrContact {
    const GrModel *m;
    GrData *d;
    GrContactGround *ground; ///< shared; NULL: its own
    int body;                ///< of the part in the tree: 0, or 1 where a joint carries it
    int part;                ///< the same in the definition
    GrVec3 axis;             ///< of that joint, in the part's frame
    bool evaluated;          ///< since the last accepted step
};

// ---- creation

/// A difference of poses that is rounding [m] or, for quaternions, [-].
static const double ROUNDING = 1e-9;

static GrStatus refuse(GrErrorLog *log, const char *why)
{
    return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0}, "no model of a contact unit: %s", why);
}

/// Whether the wheel's joint is at the origin of the body that carries it and does not turn its frame, so that both
/// frames differ by the joint's angle alone.
static bool is_plain_joint(const GrContact *c)
{
    gr_tree_kinematics(&c->m->tree, &c->d->tree);
    const GrPose carrier = gr_data_body_pose(c->m, c->d, 0), part = gr_data_body_pose(c->m, c->d, 1);
    const GrQuat turn = gr_quat_mul(gr_quat_conjugate(carrier.rotation), part.rotation);
    return gr_norm(gr_sub(carrier.position, part.position)) < ROUNDING &&
           fabs(turn.x) + fabs(turn.y) + fabs(turn.z) < ROUNDING;
}

static GrStatus check(GrContact *c, GrErrorLog *log)
{
    const GrModel *m = c->m;
    if (m->tree.body_count > 2 || (m->tree.body_count == 2 && m->wheel_count != 1)) {
        return refuse(log, "it has more than one part; gr_contact_part() takes one out of a rover");
    }
    if (m->wheel_count > 1) {
        return refuse(log, "it has more than one wheel");
    }
    GrForces forces = {.m = m, .d = c->d, .moment = GR_GROUND_START};
    if (gr_force_field(&forces).event_count > GR_CONTACT_EVENTS) {
        return refuse(log, "too many bodies of it may touch rigid objects");
    }
    if (gr_model_loose_count(m) > 0) {
        return refuse(log, "its scene has loose rocks, which units cannot share");
    }
    if (m->tree.body_count == 2) {
        const GrBodyPlace *place = &m->places[1];
        c->body = c->part = 1;
        c->axis = gr_quat_rotate(gr_quat_conjugate(place->pose.rotation), gr_vec3(0, 0, 1)); // the joint's axis is z
        if (place->body != 1 || gr_norm(place->pose.position) > ROUNDING || !is_plain_joint(c)) {
            return refuse(log, "the wheel's joint is not at the origin of its carrier");
        }
    }
    return GR_OK;
}

/// Gives the unit's ruts to the ground of this name, or takes those of the ground. A grid that heals behind a wheel
/// and heaps under it remain the unit's own.
static GrStatus share(GrContact *c, const char *name, GrErrorLog *log)
{
    GrData *d = c->d;
    c->ground = gr_contact_ground_join(name, d->ruts, log);
    if (c->ground == NULL) {
        return GR_ERROR_VALUE;
    }
    GrRuts *shared = gr_contact_ground_ruts(c->ground);
    if (shared != d->ruts) {
        gr_ruts_free(d->ruts);
        d->grid = d->grid == d->ruts ? shared : d->grid;
        d->ruts = shared;
    }
    return GR_OK;
}

GrStatus gr_contact_create(const GrModel *m, const char *ground, GrContact **out, GrErrorLog *log)
{
    *out = NULL;
    GrContact *c = gr_calloc(1, sizeof *c);
    if (c == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    c->m = m;
    GrStatus status = gr_data_create(m, &c->d, log);
    status = status == GR_OK ? check(c, log) : status;
    if (status == GR_OK && ground != NULL && ground[0] != '\0') {
        status = share(c, ground, log);
    }
    if (status != GR_OK) {
        gr_contact_free(c);
        return status;
    }
    *out = c;
    return GR_OK;
}

void gr_contact_free(GrContact *c)
{
    if (c == NULL) {
        return;
    }
    if (c->ground != NULL) {
        c->d->grid = c->d->grid == c->d->ruts ? NULL : c->d->grid;
        c->d->ruts = NULL;
        gr_contact_ground_leave(c->ground);
    }
    gr_data_free(c->d);
    gr_free(c);
}

// ---- motion

static bool is_finite_vec(GrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_motion(const GrPartMotion *motion)
{
    const GrQuat q = motion->pose.rotation;
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return is_finite_vec(motion->pose.position) && is_finite_vec(motion->linear) && is_finite_vec(motion->angular) &&
           isfinite(motion->angle) && square > 0 && isfinite(square);
}

/// Sets the state of the tree: the carrier of a wheel does not turn about the axle, and moves with it.
static void place(GrContact *c, const GrPartMotion *motion)
{
    GrPose base = motion->pose;
    if (c->body > 0) {
        base.rotation = gr_quat_mul(base.rotation, gr_quat_axis_angle(c->axis, -motion->angle));
        gr_data_set_joint(c->m, c->d, 0, motion->angle, 0);
    }
    gr_data_set_base_pose(c->d, base);
    gr_data_set_base_velocity(c->d, motion->linear, motion->angular);
}

// ---- forces

/// Grounds that give derivatives by the pose have the wrench of the step's beginning: by its end the part moves on with
/// its twist. Those that give none have done it.
static void move_on(GrContact *c, double dt)
{
    GrTreeData *tree = &c->d->tree;
    const int b = c->body;
    if (c->m->integrator->implicit && (tree->has_jacobian[b] & GR_JACOBIAN_POSE) != 0) {
        const GrWrench change = gr_mat6_mul(&tree->jacobian[b].pose, tree->frame[b].twist);
        tree->wrench[b].moment = gr_madd(tree->wrench[b].moment, dt, change.moment);
        tree->wrench[b].force = gr_madd(tree->wrench[b].force, dt, change.force);
    }
}

/// Wrench and Jacobian about the origin of the chassis are those about the origin of the part.
static void read_forces(const GrContact *c, double dt, GrPartForce *out)
{
    const GrTreeData *tree = &c->d->tree;
    const int b = c->body;
    out->force = tree->wrench[b].force;
    out->moment = tree->wrench[b].moment;
    const int has = tree->has_jacobian[b];
    for (int i = 0; i < 36 && (has & GR_JACOBIAN_TWIST) != 0; i++) {
        const double by_pose = (has & GR_JACOBIAN_POSE) != 0 ? tree->jacobian[b].pose.m[i / 6][i % 6] : 0;
        out->derivative[i] = tree->jacobian[b].twist.m[i / 6][i % 6] + dt * by_pose;
    }
}

static void read_contact(const GrContact *c, GrPartForce *out)
{
    GrForces forces = {.m = c->m, .d = c->d, .moment = GR_GROUND_START};
    const GrForceField field = gr_force_field(&forces);
    out->events = field.event_count;
    field.events(field.context, &c->m->tree, &c->d->tree, out->event);
    out->body = gr_data_body_contact(c->m, c->d, c->part);
    if (c->m->wheel_count > 0) {
        out->wheel = gr_data_wheel(c->m, c->d, 0);
        out->depth = c->m->soil_wheels != NULL && c->d->contact[0].on_map ? c->d->contact[0].depth : 0;
    }
}

static bool by_instants(const GrContact *c)
{
    return c->m->integrator->instant;
}

GrStatus gr_contact_evaluate(GrContact *c, const GrPartMotion *motion, double dt, GrPartForce *out)
{
    *out = (GrPartForce){0};
    if (!is_motion(motion) || !(dt >= 0 && isfinite(dt))) {
        return GR_ERROR_VALUE;
    }
    gr_contact_ground_lock(c->ground);
    place(c, motion);
    const GrStatus status = gr_grounds_reserve(c->m, c->d);
    if (status == GR_OK) {
        gr_tree_kinematics(&c->m->tree, &c->d->tree);
        gr_grounds_evaluate(c->m, c->d, by_instants(c) ? GR_GROUND_INSTANT : GR_GROUND_START, dt);
        move_on(c, dt);
        read_forces(c, dt, out);
        read_contact(c, out);
        c->evaluated = dt > 0;
    }
    gr_contact_ground_unlock(c->ground);
    return status == GR_OK ? c->d->rigid_status : status;
}

bool gr_contact_correct(GrContact *c, const GrPartMotion *end, double dt, GrPartForce *out)
{
    if (by_instants(c) || !c->evaluated || !is_motion(end) || !(dt > 0)) {
        return false;
    }
    GrTreeData *tree = &c->d->tree;
    const double twist[6] = {end->linear.x,  end->linear.y,  end->linear.z,
                             end->angular.x, end->angular.y, end->angular.z};
    memset(tree->acceleration, 0, sizeof(double) * (size_t)c->m->tree.dof_count);
    for (int i = 0; i < 6; i++) { // the grounds ask the tree for the twist at the end
        tree->acceleration[i] = (twist[i] - tree->velocity[i]) / dt;
    }
    gr_contact_ground_lock(c->ground);
    const bool changed = gr_grounds_revise(c->m, c->d, dt);
    if (changed) {
        *out = (GrPartForce){0};
        read_forces(c, dt, out);
        read_contact(c, out);
    }
    gr_contact_ground_unlock(c->ground);
    return changed;
}

/// Makes the state at the end of the step the present one. Frames of the tree remain those of the evaluation, as in a
/// rover's step.
static GrStatus commit(GrContact *c, const GrPartMotion *end, double dt)
{
    place(c, end);
    GrStatus status = gr_grounds_reserve(c->m, c->d); // other units of the ground have used tiles since the evaluation
    if (status == GR_OK && (by_instants(c) || !c->evaluated)) {
        gr_tree_kinematics(&c->m->tree, &c->d->tree);
        gr_grounds_evaluate(c->m, c->d, by_instants(c) ? GR_GROUND_END : GR_GROUND_START, dt);
    }
    status = status == GR_OK ? gr_grounds_commit(c->m, c->d, dt) : status;
    c->d->tree.time[0] += dt;
    c->evaluated = false;
    return status;
}

GrStatus gr_contact_accept(GrContact *c, const GrPartMotion *end, double dt)
{
    if (!is_motion(end) || !(dt > 0 && isfinite(dt))) {
        return GR_ERROR_VALUE;
    }
    gr_contact_ground_lock(c->ground);
    const GrStatus status = commit(c, end, dt);
    gr_contact_ground_unlock(c->ground);
    return status;
}

GrStatus gr_contact_rest(GrContact *c, const GrPartMotion *at)
{
    GrPartMotion still = *at;
    still.linear = still.angular = gr_vec3(0, 0, 0);
    if (!is_motion(&still)) {
        return GR_ERROR_VALUE;
    }
    gr_contact_ground_lock(c->ground);
    place(c, &still);
    gr_grounds_begin_rest(c->m, c->d);
    gr_grounds_evaluate(c->m, c->d, GR_GROUND_REST, 0);
    gr_grounds_end_rest(c->m, c->d);
    c->evaluated = false;
    const GrStatus status = c->d->ruts_status != GR_OK ? c->d->ruts_status : c->d->rigid_status;
    gr_contact_ground_unlock(c->ground);
    return status;
}

// ---- state

double gr_contact_time(const GrContact *c)
{
    return gr_data_time(c->d);
}

const GrRuts *gr_contact_ruts(const GrContact *c)
{
    return c->d->ruts;
}

bool gr_contact_ground_at(const GrContact *c, double x, double y, double *z, GrVec3 *normal)
{
    gr_contact_ground_lock(c->ground);
    const GrGroundView view = {&c->m->options.surface, c->d->ruts};
    const bool found = gr_ground_at(&view, x, y, z, normal);
    gr_contact_ground_unlock(c->ground);
    return found;
}

uint64_t gr_contact_hash(const GrContact *c)
{
    gr_contact_ground_lock(c->ground);
    const uint64_t hash = gr_data_hash(c->m, c->d);
    gr_contact_ground_unlock(c->ground);
    return hash;
}

size_t gr_contact_size(const GrContact *c)
{
    gr_contact_ground_lock(c->ground);
    const size_t size = gr_data_size(c->m, c->d);
    gr_contact_ground_unlock(c->ground);
    return size;
}

GrStatus gr_contact_save(const GrContact *c, void *out)
{
    gr_contact_ground_lock(c->ground);
    const GrStatus status = gr_data_save(c->m, c->d, out);
    gr_contact_ground_unlock(c->ground);
    return status;
}

GrStatus gr_contact_restore(GrContact *c, const void *saved, size_t size, GrErrorLog *log)
{
    gr_contact_ground_lock(c->ground);
    const GrStatus status = gr_data_restore(c->m, c->d, saved, size, log);
    c->evaluated = false;
    gr_contact_ground_unlock(c->ground);
    return status;
}

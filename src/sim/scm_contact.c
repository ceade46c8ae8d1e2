/// Wheels on a grid that gives way: SCM in the step.
///
/// The soil is asked where the wheels will be in the middle of the step, with the slopes of its answer to their motion;
/// the integrator does the rest.
/// Nodes are written to the ruts once per accepted step, all wheels first, then the soil flows.
#include "data.h"

#include "memory.h"
#include "ruts.h"

#include <string.h>

/// Trials for the deflection of a flexible wheel, and how well it holds the force of the soil.
enum { FLEX_ITERATIONS = 40 };
static const double FLEX_EXACT = 1e-6;
static const double FLEX_EXACT_AT_REST = 1e-10; // an equilibrium is found to 1e-9 of the weight

static GrScmNodes nodes_of(const GrModel *m, GrScmNode *nodes, const int *counts, int wheel)
{
    return (GrScmNodes){counts[wheel], nodes + (size_t)wheel * (size_t)m->scm_nodes};
}

/// A wheel that leans far over is another body.
static const GrScmBody *body_of(const GrModel *m, const GrData *d, int wheel, const GrScmPose *pose)
{
    const GrScmBody *bodies = gr_scm_leans(pose) ? m->scm_lying : m->scm_bodies;
    return &bodies[d->contact[wheel].soil_index * m->wheel_count + wheel];
}

bool gr_scm_contact_create(const GrModel *m, GrData *d)
{
    for (int i = 0; m->scm_bodies != NULL && i < m->wheel_count; i++) {
        d->scm_scratch[i] = gr_scm_scratch_create(&m->scm_bodies[i]);
        if (d->scm_scratch[i] == NULL) {
            return false;
        }
        d->scm_wheels = i + 1;
    }
    return true;
}

void gr_scm_contact_free(GrData *d)
{
    for (int i = 0; i < d->scm_wheels; i++) {
        gr_scm_scratch_free(d->scm_scratch[i]);
    }
}

/// Axes of a wheel that do not roll: y the axle, x level, so that x × y points up.
static GrMat3 wheel_axes(GrVec3 axle, GrVec3 hint)
{
    const GrVec3 up = gr_vec3(0, 0, 1), level = gr_cross(axle, up);
    const GrVec3 x = gr_normalize(gr_norm(level) > 1e-6 ? level : gr_madd(hint, -gr_dot(hint, axle), axle));
    const GrVec3 z = gr_cross(x, axle);
    return (GrMat3){{{x.x, axle.x, z.x}, {x.y, axle.y, z.y}, {x.z, axle.z, z.z}}};
}

GrMat6 gr_scm_tree_order(double (*from)[6])
{
    GrMat6 to;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            to.m[i][j] = from[(i + 3) % 6][(j + 3) % 6];
        }
    }
    return to;
}

/// What those who look at a wheel see, in its contact frame; rolling memory and mode as for the other laws.
static void report(const GrModel *m, GrData *d, int wheel, const GrScmOutput *found, const GrScmPose *pose, double dt)
{
    const GrSoilWheel *w = &m->soil_wheels[d->contact[wheel].soil_index * m->wheel_count + wheel];
    const GrContactFrame *f = &d->contact[wheel].frame;
    GrSoilOutput *out = &d->contact[wheel].soil;
    const double *old = d->soil_state + (size_t)wheel * (size_t)(m->soil_count * m->soil_state);
    double *next = d->soil_next + (size_t)wheel * (size_t)(m->soil_count * m->soil_state);
    memset(out, 0, sizeof *out);
    memset(next, 0, sizeof(double) * (size_t)(m->soil_count * m->soil_state));
    out->sinkage = d->scm_next_count[wheel] > 0 ? found->depth : 0;
    if (d->patch != NULL && d->ruts != NULL && out->sinkage > 0) { // below the ground that the wheel meets
        const double rut = gr_ruts_slope(d->ruts, pose->centre.x, pose->centre.y).z;
        out->sinkage = fmax(GR_LEAST_SINKAGE, out->sinkage + rut); // on the walls of a rut alone it still touches
    }
    if (!(out->sinkage > 0)) {
        return;
    }
    const double *g = found->wrench;
    const GrVec3 force = gr_contact_to_frame(f, gr_vec3(g[0], g[1], g[2]));
    const GrVec3 moment = gr_contact_to_frame(f, gr_vec3(g[3], g[4], g[5]));
    const GrVec3 v = gr_contact_to_frame(f, pose->velocity), s = gr_contact_to_frame(f, pose->spin);
    const double wrench[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    const double twist[6] = {v.x, v.y, v.z, s.x, s.y, s.z};
    memcpy(out->wrench, wrench, sizeof wrench);
    out->slip = gr_slip_ratio(w->radius * s.y, v.x);
    out->slip_angle = v.x == 0 && v.y == 0 ? 0 : atan2(v.y, fabs(v.x));
    out->theta_front = out->sinkage < w->radius ? acos(1 - out->sinkage / w->radius) : 1.57;
    out->compaction =
        gr_contact_to_frame(f, gr_vec3(found->compaction[0], found->compaction[1], found->compaction[2])).x;
    out->strength = found->strength;
    const double hold = w->radius * out->strength, torque = fabs(moment.y);
    gr_memory_update(w, twist, out->slip, out->slip_angle, out->sinkage, torque < hold ? torque / hold : 1, dt, old,
                     next);
    out->mode = (GrSoilMode)next[GR_HEAD_MODE];
    out->flags |= out->sinkage > w->radius ? GR_FLAG_DEEP : 0;
    out->flags |= out->sinkage > w->soil.sinkage_max * w->radius ? GR_FLAG_SINKAGE : 0;
    out->flags |= next[GR_HEAD_SLIP] < w->soil.slip_min || next[GR_HEAD_SLIP] > w->soil.slip_max ? GR_FLAG_SLIP : 0;
}

/// Where in a step the soil is asked. Nodes come in at any time between two looks, and shear grows by whole steps: in
/// the middle both are right on average. Asked at the beginning or at the end the shear of all nodes is half a step
/// off, and the slip with it.
static const double MIDDLE = 0.5;

/// Moves a wheel on by a time, as it moves now.
static void move_on(double time, GrVec3 *axle, GrScmPose *pose)
{
    pose->centre = gr_madd(pose->centre, time, pose->velocity);
    pose->wheel_angle += time * gr_dot(pose->spin, *axle);
    *axle = gr_normalize(gr_madd(*axle, time, gr_cross(pose->spin, *axle)));
}

/// Slopes of forces that were asked after a part of the step: that part of the way is in the forces, as the old
/// velocity goes, so that the change of the velocity is left to the slopes; and of the rest all.
static void add_slopes(const GrModel *m, GrData *d, int wheel, GrVec3 centre, double part, double time,
                       GrScmOutput *out)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] += part * time * out->d_pose[i][j];
            out->d_pose[i][j] *= 1 - part;
        }
    }
    const GrMat6 twist = gr_scm_tree_order(out->d_twist), place = gr_scm_tree_order(out->d_pose);
    gr_tree_add_slope(&d->tree, m->wheels[wheel].body, centre, &twist, &place);
}

/// A flexible wheel: its rim is raised by u along the ground's normal n, where k u + c u̇ holds the force of the soil
/// (every trial begins with the same nodes). The excess of the soil's force falls with u: Newton's method is kept
/// between the trials on either side of the root, or it would go back and forth over it on stiff soil. Slopes of the
/// wheel's motion follow from those of the rim's, dW = K (dx + n du): K' = K + K n nᵀ K/(k + c/dt − nᵀ K n), and so
/// those of the velocity.
static double evaluate_flexible(const GrModel *m, GrData *d, int wheel, GrScmPose *at, double time, GrScmNodes *next,
                                GrScmOutput *out)
{
    const GrWheel *shape = &m->wheels[wheel];
    const GrScmNodes old = nodes_of(m, d->scm_old, d->scm_count, wheel);
    const GrVec3 hub = at->centre, normal = d->contact[wheel].frame.z;
    const double n[3] = {normal.x, normal.y, normal.z};
    const double before = d->soil_state[(size_t)wheel * (size_t)(m->soil_count * m->soil_state) + GR_HEAD_FLEX];
    const double c = d->settling ? 0 : shape->damping / time, k = shape->stiffness + c;
    const double exact = d->settling ? FLEX_EXACT_AT_REST : FLEX_EXACT;
    double u = before, low = -1, high = INFINITY, by_n[6], slope = 0;
    for (int i = 0; i < FLEX_ITERATIONS; i++) {
        at->centre = gr_madd(hub, u, normal);
        gr_scm_evaluate(body_of(m, d, wheel, at), gr_scm_grid(d), at, time, &old, d->scm_scratch[wheel], next, out);
        slope = 0;
        for (int r = 0; r < 6; r++) {
            by_n[r] = out->d_pose[r][0] * n[0] + out->d_pose[r][1] * n[1] + out->d_pose[r][2] * n[2];
            slope += r < 3 ? n[r] * by_n[r] : 0;
        }
        const double force = out->wrench[0] * n[0] + out->wrench[1] * n[1] + out->wrench[2] * n[2];
        const double excess = force - shape->stiffness * u - c * (u - before);
        if (fabs(excess) <= exact * (fabs(force) + shape->stiffness * u) || i == FLEX_ITERATIONS - 1) {
            break;
        }
        low = excess > 0 ? fmax(low, u) : low;
        high = excess < 0 ? fmin(high, u) : high;
        const double newton = fmax(0, u + excess / (k - fmin(slope, 0)));
        u = newton > low && newton < high ? newton : fmax(0, 0.5 * (low + high));
    }
    const double bottom = k - fmin(slope, 0);
    for (int j = 0; j < 6; j++) {
        double place = 0, twist = 0;
        for (int r = 0; r < 3; r++) {
            place += n[r] * out->d_pose[r][j];
            twist += n[r] * out->d_twist[r][j];
        }
        for (int r = 0; r < 6; r++) {
            out->d_pose[r][j] += by_n[r] * place / bottom;
            out->d_twist[r][j] += by_n[r] * twist / bottom;
        }
    }
    return u;
}

/// The deflection as part of the soil's state, and for the account of energy.
static void note_flex(const GrModel *m, GrData *d, int wheel, double u, double time)
{
    const size_t at = (size_t)wheel * (size_t)(m->soil_count * m->soil_state) + GR_HEAD_FLEX;
    GrWheelContact *contact = &d->contact[wheel];
    contact->flex = u;
    contact->flex_rate = d->settling ? 0 : (u - d->soil_state[at]) / time;
    d->soil_next[at] = u;
}

void gr_scm_contact_evaluate(const GrModel *m, GrData *d, int wheel, const GrScmPose *pose, double time, bool slopes)
{
    const GrVec3 centre = gr_sub(pose->centre, gr_base_position(&d->tree));
    GrScmPose at = *pose;
    GrScmOutput out;
    GrVec3 axle = gr_mat3_column(&pose->axes, 1);
    const double part = slopes && !d->settling && m->integrator->implicit ? MIDDLE : 0;
    if (part > 0) {
        move_on(part * time, &axle, &at);
    }
    at.axes = wheel_axes(axle, d->contact[wheel].frame.x);
    GrScmNodes next = nodes_of(m, d->scm_next, d->scm_next_count, wheel);
    const bool flexible = !isinf(m->wheels[wheel].stiffness);
    double deflection = 0;
    if (flexible) {
        deflection = evaluate_flexible(m, d, wheel, &at, time, &next, &out);
    } else {
        const GrScmNodes old = nodes_of(m, d->scm_old, d->scm_count, wheel);
        gr_scm_evaluate(body_of(m, d, wheel, &at), gr_scm_grid(d), &at, time, &old, d->scm_scratch[wheel], &next, &out);
    }
    d->scm_next_count[wheel] = next.count;
    d->scm_pose[wheel] = at;
    d->scm_dug[wheel] = out.dug;
    report(m, d, wheel, &out, &at, time);
    if (flexible) {
        note_flex(m, d, wheel, deflection, time);
    }
    if (next.count == 0) {
        return;
    }
    gr_tree_add_wrench(&d->tree, m->wheels[wheel].body, centre, gr_vec3(out.wrench[0], out.wrench[1], out.wrench[2]),
                       gr_vec3(out.wrench[3], out.wrench[4], out.wrench[5]));
    if (slopes) {
        add_slopes(m, d, wheel, centre, part, time, &out);
    }
}

void gr_scm_contact_leave(GrData *d, int wheel)
{
    d->scm_next_count[wheel] = 0;
}

void gr_scm_contact_commit(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < m->wheel_count; i++) {
        const GrScmNodes next = nodes_of(m, d->scm_next, d->scm_next_count, i);
        const GrScmNodes old = nodes_of(m, d->scm_old, d->scm_count, i);
        d->scm_lowered[i] = gr_scm_commit(body_of(m, d, i, &d->scm_pose[i]), gr_scm_grid(d), &next, d->scm_ledger);
        memcpy(old.nodes, next.nodes, sizeof *next.nodes * (size_t)next.count);
        d->scm_count[i] = next.count;
    }
    gr_scm_bodies_press(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrScmNodes next = nodes_of(m, d->scm_next, d->scm_next_count, i);
        gr_scm_flow(body_of(m, d, i, &d->scm_pose[i]), gr_scm_grid(d), &d->scm_pose[i], dt, &next, d->scm_lowered[i],
                    d->scm_dug[i], d->scm_scratch[i], d->scm_ledger);
    }
    gr_scm_bodies_flow(m, d, dt);
}

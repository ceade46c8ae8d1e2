/// Wheels on the ground: from the frames of the tree to wrenches and slopes on it.
#include "data.h"

#include "compact.h"
#include "dynamics.h"
#include "wheel_ground.h"

#include <string.h>

/// Where no step length is given the soil is asked for its forces as they are: nothing relaxes in this time.
static const double INSTANT = 1e-9; // [s]

/// Settling treats a displacement as the path of one step of this length: so long that no damping acts on it. What
/// damping carried would be missing when the rover starts at rest.
static const double SETTLING_STEP = 1e3; // [s]

/// Whether a step evaluates the soil at its beginning alone: gr_contact_commit() then completes the soil's state.
static bool advances_by_end(const GrModel *m)
{
    return m->integrator->order == 1;
}

/// Sinkage of every slice at the end of the step: h − dt v_z. Returns the largest.
static double fill_sinkages(const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, const GrWheelGround *ground, double dt,
                            GrSoilMotion *motion)
{
    double deepest = -INFINITY;
    for (int k = 0; k < w->slices; k++) {
        const double y = (k + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        const GrVec3 at = gr_madd(centre, y, axle);
        const double rate = motion->twist[2] + y * motion->twist[3];
        const double h = gr_contact_sinkage(at, axle, w->radius, ground->slices[k], ground->normal) - dt * rate;
        motion->sinkage[k] = h > GR_LEAST_SINKAGE ? h : fmin(h, 0);
        deepest = fmax(deepest, motion->sinkage[k]);
    }
    return deepest;
}

/// ∂wrench/∂twist about O, world axes, with dt ∂wrench/∂pose in it: the soil was asked at the end of the step. A twist
/// (ω; v) moves the wheel along axis e of the contact frame by e · (v + ω × p) and turns it about e by e · ω, so the
/// sum is Tᵀ K T with the rows (p × e; e) and (e; 0) of T.
static void world_slope(const GrContactFrame *f, GrVec3 p, const GrSoilOutput *out, double dt, GrMat6 *slope)
{
    const GrVec3 axes[3] = {f->x, f->y, f->z};
    double t[6][6], right[6][6];
    for (int i = 0; i < 3; i++) {
        const GrVec3 e = axes[i], arm = gr_cross(p, e);
        const double move[6] = {arm.x, arm.y, arm.z, e.x, e.y, e.z}, turn[6] = {e.x, e.y, e.z, 0, 0, 0};
        memcpy(t[i], move, sizeof move);
        memcpy(t[3 + i], turn, sizeof turn);
    }
    for (int i = 0; i < 6; i++) {
        double k[6];
        memcpy(k, out->d_twist[i], sizeof k);
        k[2] -= dt * out->d_sinkage[i]; // moving up by v_z dt lifts the wheel
        k[3] += dt * out->d_roll[i];
        for (int c = 0; c < 6; c++) {
            const double moved = k[0] * t[0][c] + k[1] * t[1][c] + k[2] * t[2][c];
            right[i][c] = c < 3 ? moved + k[3] * t[3][c] + k[4] * t[4][c] + k[5] * t[5][c] : moved;
        }
    }
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            const double moved = t[0][r] * right[0][c] + t[1][r] * right[1][c] + t[2][r] * right[2][c];
            slope->m[r][c] =
                r < 3 ? moved + t[3][r] * right[3][c] + t[4][r] * right[4][c] + t[5][r] * right[5][c] : moved;
        }
    }
}

static void set_motion(const GrModel *m, const GrData *d, int i, const GrContactFrame *f, GrVec3 centre,
                       GrSoilMotion *motion)
{
    const GrTwist twist = d->tree.frame[m->wheels[i].body].twist;
    GrVec3 v = gr_twist_at(twist, centre), w = twist.ang;
    if (d->settling) { // what the wheel has moved since settling began, as the way of one step
        const GrVec3 moved = gr_sub(gr_add(gr_base_position(&d->tree), centre), d->contact[i].anchor);
        v = gr_scale(1 / SETTLING_STEP, gr_madd(moved, -gr_dot(moved, f->z), f->z));
        w = gr_vec3(0, 0, 0);
        motion->resting = true;
    }
    const GrVec3 local_v = gr_contact_to_frame(f, v), local_w = gr_contact_to_frame(f, w);
    const double values[6] = {local_v.x, local_v.y, local_v.z, local_w.x, local_w.y, local_w.z};
    memcpy(motion->twist, values, sizeof values);
    motion->wheel_angle = m->wheels[i].body > 0 ? gr_joint_position(&m->tree, &d->tree, m->wheels[i].body) : 0;
    motion->incline = asin(fmax(-1, fmin(1, f->x.z)));
}

/// The way over the part of a step that has gone is that of the mean of the velocities at its ends. How fast the wheel
/// sinks, which only damping asks for, is that of now.
static void take_mean_motion(GrWheelContact *contact, double dt, GrSoilMotion *motion)
{
    if (!(dt > 0)) {
        memcpy(contact->began, motion->twist, sizeof contact->began);
    }
    for (int i = 0; i < 6; i++) {
        motion->twist[i] = i != 2 ? 0.5 * (contact->began[i] + motion->twist[i]) : motion->twist[i];
    }
}

static double *state_of(const GrModel *m, double *states, int wheel, int soil)
{
    return states + ((size_t)wheel * (size_t)m->soil_count + (size_t)soil) * (size_t)m->soil_state;
}

/// The soils under a wheel; at least one.
static void find_soils(const GrModel *m, int wheel, GrVec3 at, GrSoilMix *mix)
{
    const GrSurfaceDef *surface = &m->options.surface;
    const int own = m->wheel_soil != NULL ? m->wheel_soil[wheel] : -1;
    *mix = (GrSoilMix){1, {(own >= 0 ? own : 0) + 1}, {1}};
    GrSoilMix found;
    if (own >= 0 || surface->soil_at == NULL || m->soil_count == 1 ||
        !surface->soil_at(surface->soil_context, at.x, at.y, &found)) {
        return;
    }
    *mix = found;
    for (int j = 0; j < mix->count; j++) {
        mix->classes[j] = mix->classes[j] >= 1 && mix->classes[j] <= m->soil_count ? mix->classes[j] : 1;
    }
}

/// State with which a wheel comes onto a soil: that of the soil it was on, as far as the laws have it in common.
static void inherit_state(const GrModel *m, const GrData *d, int wheel, int soil, double *state)
{
    const GrSoilWheel *to = &m->soil_wheels[soil * m->wheel_count + wheel];
    int from = 0;
    while (from < m->soil_count && !(d->soil_used[wheel] >> from & 1)) {
        from++;
    }
    gr_soil_clear(to, state);
    if (from < m->soil_count) {
        const bool same = m->soil_wheels[from * m->wheel_count + wheel].law == to->law;
        const size_t count = same ? (size_t)to->state_size : GR_STATE_HEAD;
        memcpy(state, state_of(m, d->soil_state, wheel, from), sizeof(double) * count);
    }
}

/// State of a soil under a wheel when the step began; made in `inherited` where the wheel has just come onto it.
static const double *old_state(const GrModel *m, const GrData *d, int wheel, int soil, double *inherited)
{
    if (m->soil_count == 1 || (d->soil_used[wheel] >> soil & 1)) {
        return state_of(m, d->soil_state, wheel, soil);
    }
    inherit_state(m, d, wheel, soil, inherited);
    return inherited;
}

/// sum += share × part
static void blend(double share, const GrSoilOutput *part, GrSoilOutput *sum)
{
    for (int i = 0; i < 6; i++) {
        sum->wrench[i] += share * part->wrench[i];
        sum->d_sinkage[i] += share * part->d_sinkage[i];
        sum->d_roll[i] += share * part->d_roll[i];
        for (int j = 0; j < 6; j++) {
            sum->d_twist[i][j] += share * part->d_twist[i][j];
        }
    }
    sum->compaction += share * part->compaction;
    sum->strength += share * part->strength;
    sum->flags |= part->flags;
}

/// Several soils under one wheel: each has its own state, and carries its share.
static void evaluate_soils(const GrModel *m, GrData *d, int wheel, const GrSoilMix *mix, const GrSoilMotion *motion,
                           double compacted, double time)
{
    GrSoilOutput *out = &d->contact[wheel].soil;
    unsigned used = 0;
    for (int j = 0; j < mix->count; j++) {
        const int soil = mix->classes[j] - 1;
        const GrSoilWheel *w = &m->soil_wheels[soil * m->wheel_count + wheel];
        double inherited[GR_STATE_MAX];
        const double *old = old_state(m, d, wheel, soil, inherited);
        GrSoilOutput part;
        gr_compact_evaluate(w, compacted, motion, time, old, state_of(m, d->soil_next, wheel, soil),
                            j == 0 ? out : &part);
        if (j == 0) { // slip, angles and mode are those of the largest share
            const GrSoilOutput whole = *out;
            memset(out->wrench, 0, sizeof out->wrench);
            memset(out->d_twist, 0, sizeof out->d_twist);
            memset(out->d_sinkage, 0, sizeof out->d_sinkage);
            memset(out->d_roll, 0, sizeof out->d_roll);
            out->compaction = out->strength = 0;
            part = whole;
        }
        blend(mix->shares[j], &part, out);
        used |= out->sinkage > 0 ? 1u << soil : 0;
    }
    for (int k = 0; k < m->soil_count; k++) {
        if (!(used >> k & 1)) {
            memset(state_of(m, d->soil_next, wheel, k), 0, sizeof(double) * (size_t)m->soil_state);
        }
    }
    d->soil_used_next[wheel] = used;
}

/// Where a slice stands on something hard it is not in soil: what that carries is taken off the soil's force, so that
/// the larger of both carries the slice, and the change from one to the other has no jump. The force of a slice is
/// taken as growing with h^1.5, as it does in a soil of exponent 1.
static void take_hard_slices(const GrModel *m, GrData *d, int wheel, GrVec3 axle, double deepest, double compacted,
                             double time, GrSoilMotion *motion)
{
    double relief[GR_SLICES_MAX], part[GR_SLICES_MAX], sum = 0;
    const GrWheelContact *contact = &d->contact[wheel];
    const int soil = contact->soil_index;
    const GrSoilWheel *w = &m->soil_wheels[soil * m->wheel_count + wheel];
    const double theta = gr_wheel_front_angle(deepest, w->radius);
    if (!gr_rigid_contact_relief(m, d, wheel, axle, gr_neg(contact->normal), theta, relief)) {
        return;
    }
    GrSoilOutput alone;
    gr_compact_evaluate(w, compacted, motion, time, state_of(m, d->soil_state, wheel, soil), NULL, &alone);
    for (int k = 0; k < w->slices; k++) {
        part[k] = pow(fmax(0, motion->sinkage[k]), 1.5);
        sum += part[k];
    }
    for (int k = 0; k < w->slices; k++) {
        const double force = alone.wrench[2] * part[k] / sum;
        if (motion->sinkage[k] > 0 && relief[k] > 0) {
            const double left = relief[k] < force ? motion->sinkage[k] * pow(1 - relief[k] / force, 2.0 / 3) : 0;
            motion->sinkage[k] = left > GR_LEAST_SINKAGE ? left : 0;
        }
    }
}

static void leave_ground(const GrModel *m, GrData *d, int wheel)
{
    memset(&d->contact[wheel].soil, 0, sizeof d->contact[wheel].soil);
    memset(state_of(m, d->soil_next, wheel, 0), 0, sizeof(double) * (size_t)(m->soil_count * m->soil_state));
    d->soil_used_next[wheel] = 0;
    if (m->scm_law) {
        gr_scm_contact_leave(d, wheel);
    }
}

/// Of the last step; while the rover settles, that which it had at rest so far, so that it rests on the ground that its
/// first step will find.
static double last_sinkage(const GrModel *m, const GrData *d, int wheel)
{
    if (d->settling) {
        return d->contact[wheel].rest_sinkage;
    }
    double sinkage = 0;
    for (int k = 0; k < m->soil_count; k++) {
        sinkage = fmax(sinkage, state_of(m, d->soil_state, wheel, k)[GR_HEAD_SINKAGE]);
    }
    return sinkage;
}

/// A wheel on a grid that gives way. While it settles, its displacement is the way of one step.
static void evaluate_on_grid(const GrModel *m, GrData *d, int i, GrVec3 centre, GrVec3 axle, double dt)
{
    const GrTwist twist = d->tree.frame[m->wheels[i].body].twist;
    GrScmPose pose = {.centre = gr_add(gr_base_position(&d->tree), centre),
                      .axes = {{{0, axle.x, 0}, {0, axle.y, 0}, {0, axle.z, 0}}},
                      .velocity = gr_twist_at(twist, centre),
                      .spin = twist.ang};
    if (d->settling) {
        const GrVec3 moved = gr_sub(pose.centre, d->contact[i].anchor), n = d->contact[i].normal;
        pose.velocity = gr_scale(1 / SETTLING_STEP, gr_madd(moved, -gr_dot(moved, n), n));
        pose.spin = gr_vec3(0, 0, 0);
        pose.resting = true;
    }
    pose.wheel_angle = m->wheels[i].body > 0 ? gr_joint_position(&m->tree, &d->tree, m->wheels[i].body) : 0;
    d->contact[i].wheel_angle = pose.wheel_angle;
    gr_scm_contact_evaluate(m, d, i, &pose, d->settling ? SETTLING_STEP : dt > 0 ? dt : INSTANT, dt > 0);
}

/// Deflection of a flexible wheel in the soil of the largest share, for the account of energy.
static void note_flex(const GrModel *m, GrData *d, int wheel, double time)
{
    GrWheelContact *contact = &d->contact[wheel];
    contact->flex = state_of(m, d->soil_next, wheel, contact->soil_index)[GR_HEAD_FLEX];
    const double before = state_of(m, d->soil_state, wheel, contact->soil_index)[GR_HEAD_FLEX];
    contact->flex_rate = d->settling ? 0 : (contact->flex - before) / time;
}

static void evaluate_wheel(const GrModel *m, GrData *d, int i, double dt)
{
    const GrWheel *wheel = &m->wheels[i];
    const GrSoilWheel *w = &m->soil_wheels[i];
    GrWheelContact *contact = &d->contact[i];
    if (!gr_wheel_on_soil(m, i)) { // the rigid world carries it
        contact->on_map = false;
        leave_ground(m, d, i);
        return;
    }
    const GrVec3 centre = gr_wheel_centre(m, d, i); // relative to O
    const GrVec3 world = gr_add(gr_base_position(&d->tree), centre);
    const GrVec3 axle = gr_mat3_mul_vec(&d->tree.frame[wheel->body].rotation, wheel->axle);
    const double time = d->settling ? SETTLING_STEP : dt > 0 ? dt : INSTANT;
    GrWheelGround ground;
    contact->on_map = gr_wheel_ground(&(GrGroundView){&m->options.surface, gr_rut_contact_ground(m, d)}, w, world, axle,
                                      last_sinkage(m, d, i), &ground);
    if (!contact->on_map) {
        leave_ground(m, d, i);
        return;
    }
    contact->normal = ground.normal;
    contact->frame = ground.frame;
    contact->point = ground.point;
    if (m->scm_law) {
        GrSoilMix under;
        find_soils(m, i, ground.point, &under);
        contact->soil_index = under.classes[0] - 1;
        evaluate_on_grid(m, d, i, centre, axle, dt);
        return;
    }
    GrSoilMotion motion = {.at_beginning = dt > 0 && advances_by_end(m)};
    set_motion(m, d, i, &contact->frame, centre, &motion);
    contact->wheel_angle = motion.wheel_angle;
    if (d->arrived) {
        take_mean_motion(contact, dt, &motion);
    }
    const double deepest = fill_sinkages(w, world, axle, &ground, d->settling || d->arrived ? 0 : dt, &motion);
    contact->depth = deepest;
    GrSoilMix mix;
    find_soils(m, i, ground.point, &mix);
    contact->soil_index = mix.classes[0] - 1;
    const double compacted = deepest > 0 ? gr_rut_contact_compaction(m, d, i, ground.point, ground.frame.y) : 0;
    if (d->rigid != NULL && deepest > 0) {
        take_hard_slices(m, d, i, axle, deepest, compacted, time, &motion);
    }
    if (m->soil_count == 1) {
        gr_compact_evaluate(w, compacted, &motion, time, state_of(m, d->soil_state, i, 0),
                            state_of(m, d->soil_next, i, 0), &contact->soil);
    } else {
        evaluate_soils(m, d, i, &mix, &motion, compacted, time);
    }
    if (!isinf(wheel->stiffness)) {
        note_flex(m, d, i, time);
    }
    const double *f = contact->soil.wrench;
    gr_tree_add_wrench(&d->tree, wheel->body, centre, gr_contact_to_world(&contact->frame, gr_vec3(f[0], f[1], f[2])),
                       gr_contact_to_world(&contact->frame, gr_vec3(f[3], f[4], f[5])));
    if (dt > 0 && !d->arrived && contact->soil.sinkage > 0) {
        GrMat6 slope;
        world_slope(&contact->frame, centre, &contact->soil, dt, &slope);
        gr_tree_add_slope_about_origin(&d->tree, wheel->body, &slope, NULL);
    }
}

void gr_contact_evaluate(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < m->wheel_count; i++) {
        evaluate_wheel(m, d, i, dt);
    }
    gr_scm_bodies_evaluate(m, d, d->settling ? SETTLING_STEP : dt > 0 ? dt : INSTANT, dt > 0);
}

void gr_contact_follow(const GrModel *m, GrData *d, double dt)
{
    gr_tree_kinematics(&m->tree, &d->tree);
    d->arrived = true;
    if (d->rigid != NULL) {
        gr_rigid_contact_evaluate(m, d, dt);
    }
    if (m->soil_wheels != NULL) {
        gr_contact_evaluate(m, d, dt);
    }
    if (d->force != NULL) {
        d->force(d->force_context, m, d, dt);
    }
    d->arrived = false;
}

/// State of a wheel on soft soil (LS10 fig. 10); the first step of a touch is a state of its own.
static GrContactMode soft_mode(const GrModel *m, GrData *d, int wheel)
{
    static const GrContactMode MODES[] = {GR_SOFT_NO_CONTACT, GR_SOFT_STUCK_ROLL, GR_SOFT_SLIP_ACCELERATE,
                                          GR_SOFT_SLIP_BRAKE};
    if (m->soil_wheels == NULL || !(d->contact[wheel].soil.sinkage > 0)) {
        return GR_SOFT_NO_CONTACT;
    }
    return d->mode_log[wheel].mode[GR_ON_SOFT] == GR_SOFT_NO_CONTACT ? GR_SOFT_CONTACT
                                                                     : MODES[d->contact[wheel].soil.mode];
}

static void log_modes(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < m->wheel_count; i++) {
        const GrContactMode modes[] = {
            soft_mode(m, d, i),
            d->rigid != NULL ? gr_rigid_mode(m->hard.world, d->rigid, i, GR_ON_RIGID) : GR_RIGID_NO_CONTACT,
            d->rigid != NULL ? gr_rigid_mode(m->hard.world, d->rigid, i, GR_ON_STONE) : GR_STONE_NO_COLLISION};
        gr_mode_log_add(&d->mode_log[i], modes, 3, dt);
    }
}

/// Several soils under one wheel: slip and mode are those of the largest share.
static void remember_soils(const GrModel *m, GrData *d, int wheel, const double *twist, double dt)
{
    GrSoilOutput *out = &d->contact[wheel].soil;
    for (int k = 0; k < m->soil_count; k++) {
        if (d->soil_used_next[wheel] >> k & 1) {
            double inherited[GR_STATE_MAX];
            GrSoilOutput other = {.sinkage = out->sinkage, .mobilised = out->mobilised};
            gr_soil_remember(&m->soil_wheels[k * m->wheel_count + wheel], twist, dt,
                             old_state(m, d, wheel, k, inherited), state_of(m, d->soil_next, wheel, k),
                             k == d->contact[wheel].soil_index ? out : &other);
            out->flags |= other.flags;
        }
    }
}

/// The rolling memory of every wheel on soil, by the velocity at the end of the step.
static void remember_rolling(const GrModel *m, GrData *d, double dt)
{
    GrTwist *twist = d->tree.work_twist;
    gr_tree_twists(&m->tree, &d->tree, 0, twist);
    for (int i = 0; i < m->wheel_count; i++) {
        GrWheelContact *contact = &d->contact[i];
        if (!(contact->soil.sinkage > 0)) {
            continue;
        }
        const GrTwist end = twist[m->wheels[i].body];
        const GrVec3 v = gr_contact_to_frame(&contact->frame, gr_twist_at(end, gr_wheel_centre(m, d, i)));
        const GrVec3 w = gr_contact_to_frame(&contact->frame, end.ang);
        const double u[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        if (m->soil_count == 1) {
            gr_soil_remember(&m->soil_wheels[i], u, dt, state_of(m, d->soil_state, i, 0),
                             state_of(m, d->soil_next, i, 0), &contact->soil);
        } else {
            remember_soils(m, d, i, u, dt);
        }
    }
}

static void commit_soil(const GrModel *m, GrData *d, double dt)
{
    const size_t wheels = (size_t)m->wheel_count;
    memcpy(d->soil_state, d->soil_next, sizeof(double) * wheels * (size_t)(m->soil_count * m->soil_state));
    memcpy(d->soil_used, d->soil_used_next, sizeof(unsigned) * wheels);
    if (m->scm_law) {
        gr_scm_contact_commit(m, d, dt);
    }
    if (d->ruts != NULL || d->patch != NULL) {
        gr_rut_contact_commit(m, d);
    }
}

GrStatus gr_contact_commit(const GrModel *m, GrData *d, double dt)
{
    if (m->soil_wheels != NULL && !m->scm_law && advances_by_end(m)) {
        remember_rolling(m, d, dt);
    }
    log_modes(m, d, dt);
    commit_soil(m, d, dt);
    return d->rigid != NULL ? gr_rigid_contact_commit(m, d, dt) : GR_OK;
}

void gr_contact_begin_settling(const GrModel *m, GrData *d)
{
    if (m->soil_wheels == NULL && d->rigid == NULL) {
        return;
    }
    gr_tree_kinematics(&m->tree, &d->tree);
    memset(d->soil_state, 0, sizeof(double) * (size_t)(m->wheel_count * m->soil_count * m->soil_state));
    memset(d->soil_used, 0, sizeof(unsigned) * (size_t)m->wheel_count);
    if (m->scm_law) { // fresh soil under the wheels
        memset(d->scm_count, 0, sizeof *d->scm_count * (size_t)m->wheel_count);
        gr_scm_bodies_begin_settling(m, d);
    }
    for (int i = 0; i < m->wheel_count; i++) {
        d->contact[i].rest_sinkage = 0;
        d->contact[i].anchor = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
    }
    if (d->rigid != NULL) {
        gr_rigid_contact_begin_settling(m, d);
    }
    d->settling = true;
}

bool gr_contact_refine_settling(const GrModel *m, GrData *d)
{
    const bool level = m->options.surface.height == NULL && gr_rut_contact_ground(m, d) == NULL;
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        d->contact[i].rest_sinkage = fmax(0, d->contact[i].soil.sinkage);
    }
    return m->soil_wheels != NULL && !level;
}

void gr_contact_end_settling(const GrModel *m, GrData *d)
{
    if (!d->settling) {
        return;
    }
    if (m->scm_law) { // the search may have ended a little off
        gr_tree_kinematics(&m->tree, &d->tree);
        gr_contact_evaluate(m, d, 0);
    }
    d->ruts_status = gr_rut_contact_reserve(m, d);
    d->settling = false;
    commit_soil(m, d, SETTLING_STEP);
    if (d->rigid != NULL) {
        gr_rigid_contact_end_settling(m, d);
    }
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        d->mode_log[i].mode[GR_ON_SOFT] = d->contact[i].soil.sinkage > 0 ? GR_SOFT_STUCK_ROLL : GR_SOFT_NO_CONTACT;
    }
    // The displacement mobilised shear; it was no way rolled, so the patch has no direction yet.
    static const int ROLLED[] = {GR_HEAD_ROLL, GR_HEAD_SLIP, GR_HEAD_ANGLE, GR_HEAD_SIDE, GR_HEAD_ANGLE_USED};
    for (int i = 0; i < m->wheel_count * m->soil_count; i++) {
        for (size_t k = 0; k < sizeof ROLLED / sizeof ROLLED[0]; k++) {
            d->soil_state[i * m->soil_state + ROLLED[k]] = 0;
        }
    }
}

/// Wheels on soil whose law has one contact patch per wheel (src/soil), or one per soil where a wheel is on several.
/// Takes the wheel's motion over the ground, gives wrench and Jacobian, and updates the patch's memory at the end of
/// the step.
#include "elementary.h"
#include "wheel_contact.h"

#include "compact.h"
#include "dynamics.h"
#include "grain_bodies.h"
#include "rates.h"
#include "rigid_ground.h"
#include "rut_ground.h"

#include <string.h>

/// Whether a step evaluates the soil only at its beginning, so that complete_patches() must complete the soil's state.
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

/// Largest difference of sinkage between neighbouring slices [m], of as much of them as is in the soil. One slice takes
/// the ground as a plane, whose tilt across the wheel changes the load on its halves but hardly their sum.
static double spread_of(const GrSoilWheel *w, const GrSoilMotion *motion)
{
    double most = 0;
    for (int k = 1; k < w->slices; k++) {
        most = fmax(most, fabs(fmax(0, motion->sinkage[k]) - fmax(0, motion->sinkage[k - 1])));
    }
    return most;
}

/// k0 a + k1 b + k2 c of three rows of six, one after the other in memory: the columns are lanes of vectors.
static inline void combine_rows(double k0, double k1, double k2, const double *rows, double *restrict sum)
{
    for (int c = 0; c < 6; c++) {
        sum[c] = gr_fma(k2, rows[12 + c], gr_fma(k1, rows[6 + c], k0 * rows[c]));
    }
}

/// The same, added to a sum.
static inline void add_rows(double k0, double k1, double k2, const double *rows, double *restrict sum)
{
    for (int c = 0; c < 6; c++) {
        sum[c] = gr_fma(k2, rows[12 + c], gr_fma(k1, rows[6 + c], gr_fma(k0, rows[c], sum[c])));
    }
}

/// ∂wrench/∂twist about O, world axes, including dt ∂wrench/∂pose, since the soil was evaluated at the end of the step.
/// A twist (ω; v) moves the wheel along axis e of the contact frame by e · (v + ω × p) and turns it about e by e · ω,
/// so the sum is Tᵀ K T with the rows (p × e; e) and (e; 0) of T.
static void world_jacobian(const GrContactFrame *f, GrVec3 p, const GrSoilOutput *out, double dt, GrMat6 *jacobian)
{
    const GrVec3 x = f->x, y = f->y, z = f->z, px = gr_cross(p, x), py = gr_cross(p, y), pz = gr_cross(p, z);
    const double move[3][6] = {
        {px.x, px.y, px.z, x.x, x.y, x.z}, {py.x, py.y, py.z, y.x, y.y, y.z}, {pz.x, pz.y, pz.z, z.x, z.y, z.z}};
    const double turn[3][6] = {{x.x, x.y, x.z, 0, 0, 0}, {y.x, y.y, y.z, 0, 0, 0}, {z.x, z.y, z.z, 0, 0, 0}};
    double right[6][6];
    for (int i = 0; i < 6; i++) {
        const double *k = out->d_twist[i];
        combine_rows(k[0], k[1], k[2] - dt * out->d_sinkage[i], move[0], right[i]); // moving up reduces the sinkage
        add_rows(k[3] + dt * out->d_roll[i], k[4], k[5], turn[0], right[i]);
    }
    for (int r = 0; r < 6; r++) {
        combine_rows(move[0][r], move[1][r], move[2][r], right[0], jacobian->m[r]);
        if (r < 3) {
            add_rows(turn[0][r], turn[1][r], turn[2][r], right[3], jacobian->m[r]);
        }
    }
}

/// Angle by which a wheel is turned about its axle. That of its joint, since grousers are alike; for a wheel of any
/// shape, which may have a top and a bottom, that of the wheel frame in the contact frame.
static double wheel_angle(const GrModel *m, const GrData *d, int i)
{
    const GrWheel *wheel = &m->wheels[i];
    if (wheel->surface == NULL) {
        return d->contact[i].wheel_angle;
    }
    const GrMat3 *turn = &d->tree.frame[wheel->body].rotation;
    const GrContactFrame *f = &d->contact[i].frame;
    const GrVec3 z = gr_mat3_mul_vec(turn, wheel->up), x = gr_cross(gr_mat3_mul_vec(turn, wheel->axle), z);
    // x = (cos, 0, −sin) and z = (sin, 0, cos) in the contact frame; both, since a leaning wheel has neither exactly
    return gr_atan2(gr_dot(z, f->x) - gr_dot(x, f->z), gr_dot(x, f->x) + gr_dot(z, f->z));
}

static void set_motion(const GrModel *m, const GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query,
                       GrSoilMotion *motion)
{
    const GrContactFrame *f = &d->contact[i].frame;
    const GrTwist twist = d->tree.frame[m->wheels[i].body].twist;
    GrVec3 v = gr_twist_at(twist, place->centre), w = twist.ang;
    if (query->moment == GR_GROUND_REST) { // the displacement takes the place of the path of one step
        v = gr_scale(1 / query->time, gr_wheel_moved(d, i, place->world, f->z));
        w = gr_vec3(0, 0, 0);
        motion->resting = true;
    }
    const GrVec3 local_v = gr_contact_to_frame(f, v), local_w = gr_contact_to_frame(f, w);
    const double values[6] = {local_v.x, local_v.y, local_v.z, local_w.x, local_w.y, local_w.z};
    memcpy(motion->twist, values, sizeof values);
    motion->wheel_angle = wheel_angle(m, d, i);
    if (m->sees_ruts) {
        motion->around = gr_furrow_around(&d->furrow[i]);
    }
    motion->incline = gr_asin(fmax(-1, fmin(1, f->x.z)));
}

/// The displacement over the elapsed part of a step uses the mean of the velocities at its ends. The rate of sinkage,
/// needed only for damping, is the present one.
static void take_mean_motion(GrWheelContact *contact, double dt, GrSoilMotion *motion)
{
    if (!(dt > 0)) {
        memcpy(contact->began, motion->twist, sizeof contact->began);
    }
    for (int i = 0; i < 6; i++) {
        motion->twist[i] = i != 2 ? 0.5 * (contact->began[i] + motion->twist[i]) : motion->twist[i];
    }
}

/// Initial state of a soil that a wheel comes onto: that of the previous soil, as far as both laws share it.
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
        memcpy(state, gr_wheel_soil_state(m, d->soil_state, wheel, from), sizeof(double) * count);
    }
}

/// State of a soil under a wheel when the step began; written to `inherited` if the wheel has just come onto it.
static const double *old_state(const GrModel *m, const GrData *d, int wheel, int soil, double *inherited)
{
    if (m->soil_count == 1 || (d->soil_used[wheel] >> soil & 1)) {
        return gr_wheel_soil_state(m, d->soil_state, wheel, soil);
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

/// Several soils under one wheel: each has its own state and carries its share of the load.
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
        gr_compact_evaluate(w, compacted, motion, time, old, gr_wheel_soil_state(m, d->soil_next, wheel, soil),
                            j == 0 ? out : &part);
        if (j == 0) { // slip, angles and mode come from the soil with the largest share
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
            memset(gr_wheel_soil_state(m, d->soil_next, wheel, k), 0, sizeof(double) * (size_t)m->soil_state);
        }
    }
    d->soil_used_next[wheel] = used;
}

/// A slice that stands on something rigid is not in soil. The load that is carried rigidly is subtracted from the
/// soil's, so that the larger of both carries the slice and the transition is continuous. The force of a slice is
/// assumed to grow with h^1.5, as in a soil of exponent 1.
static void take_rigid_slices(const GrModel *m, GrData *d, int wheel, GrVec3 axle, double compacted, double time,
                              GrSoilMotion *motion)
{
    double relief[GR_SLICES_MAX], part[GR_SLICES_MAX], sum = 0;
    const GrWheelContact *contact = &d->contact[wheel];
    const int soil = contact->soil_index;
    const GrSoilWheel *w = &m->soil_wheels[soil * m->wheel_count + wheel];
    const double theta = gr_wheel_front_angle(contact->depth, w->radius);
    if (!gr_rigid_relief(m, d, wheel, axle, gr_neg(contact->normal), theta, relief)) {
        return;
    }
    GrSoilOutput alone;
    GrSoilMotion still = *motion; // with the wheel's damper, the slice would leave and enter the soil from step to step
    still.resting = true;
    gr_compact_evaluate(w, compacted, &still, time, gr_wheel_soil_state(m, d->soil_state, wheel, soil), NULL, &alone);
    for (int k = 0; k < w->slices; k++) {
        part[k] = gr_pow(fmax(0, motion->sinkage[k]), 1.5);
        sum += part[k];
    }
    for (int k = 0; k < w->slices; k++) {
        const double force = alone.wrench[2] * part[k] / sum;
        if (motion->sinkage[k] > 0 && relief[k] > 0) {
            const double left = relief[k] < force ? motion->sinkage[k] * gr_pow(1 - relief[k] / force, 2.0 / 3) : 0;
            motion->sinkage[k] = left > GR_LEAST_SINKAGE ? left : 0;
        }
    }
}

/// Deflection of a flexible wheel in the soil with the largest share, for the energy balance.
static void note_flex(const GrModel *m, GrData *d, int wheel, const GrGroundQuery *query)
{
    GrWheelContact *contact = &d->contact[wheel];
    contact->flex = gr_wheel_soil_state(m, d->soil_next, wheel, contact->soil_index)[GR_HEAD_FLEX];
    const double before = gr_wheel_soil_state(m, d->soil_state, wheel, contact->soil_index)[GR_HEAD_FLEX];
    contact->flex_rate = query->moment == GR_GROUND_REST ? 0 : (contact->flex - before) / query->time;
}

/// ∂wrench/∂pose in the search for rest, where displacements along the ground take the place of velocities.
static GrMat6 rest_jacobian(const GrWheelContact *contact, GrVec3 centre, const GrGroundQuery *query)
{
    GrSoilOutput soil = contact->soil;
    for (int i = 0; i < 6; i++) {
        const double along = query->sliding ? 0 : soil.d_twist[i][0] / query->time;
        const double across = query->sliding ? 0 : soil.d_twist[i][1] / query->time;
        memset(soil.d_twist[i], 0, sizeof soil.d_twist[i]);
        soil.d_twist[i][0] = along;
        soil.d_twist[i][1] = across;
    }
    GrMat6 jacobian = {0};
    world_jacobian(&contact->frame, centre, &soil, 1, &jacobian);
    return jacobian;
}

/// Takes a share of the patch's force: the rest of a wheel that leans over comes from its body.
static void take_share(double share, GrSoilOutput *out)
{
    for (int i = 0; i < 6; i++) {
        out->wrench[i] *= share;
        out->d_sinkage[i] *= share;
        out->d_roll[i] *= share;
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] *= share;
        }
    }
}

/// Adds wrench and Jacobian of the patch to the wheel's body; takes them away if `sign` is −1.
static void add_load(const GrModel *m, GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query,
                     double sign)
{
    const GrWheelContact *contact = &d->contact[i];
    const GrSoilOutput *soil = &contact->soil;
    const int body = m->wheels[i].body;
    double f[6];
    for (int k = 0; k < 6; k++) { // at the velocity at the start of the step
        f[k] = sign * (soil->wrench[k] - contact->turned * (soil->d_twist[k][2] - query->dt * soil->d_sinkage[k]));
    }
    gr_tree_add_wrench(&d->tree, body, place->centre, gr_contact_to_world(&contact->frame, gr_vec3(f[0], f[1], f[2])),
                       gr_contact_to_world(&contact->frame, gr_vec3(f[3], f[4], f[5])));
    if (query->dt > 0 && query->moment == GR_GROUND_START && soil->sinkage > 0) {
        GrMat6 *own = sign > 0 ? gr_tree_first_jacobian(&d->tree, body) : NULL;
        if (own != NULL) { // the usual case, without a copy
            world_jacobian(&contact->frame, place->centre, soil, query->dt, own);
            return;
        }
        GrMat6 jacobian = {0};
        world_jacobian(&contact->frame, place->centre, soil, query->dt, &jacobian);
        gr_mat6_scale(&jacobian, sign, &jacobian);
        gr_tree_add_jacobian_about_origin(&d->tree, body, &jacobian, NULL);
    } else if (query->linearise && soil->sinkage > 0) {
        const GrMat6 jacobian = rest_jacobian(contact, place->centre, query);
        gr_tree_add_jacobian_about_origin(&d->tree, body, &jacobian, NULL);
    }
}

/// `turned`: as in GrWheelContact.
static void evaluate_turned(const GrModel *m, GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query,
                            double turned)
{
    const GrSoilWheel *w = &m->soil_wheels[i];
    const GrWheelGround *below = &place->below;
    GrWheelContact *contact = &d->contact[i];
    const bool start = query->moment == GR_GROUND_START, rest = query->moment == GR_GROUND_REST;
    GrSoilMotion motion = {.at_beginning = query->dt > 0 && advances_by_end(m),
                           .instant = query->moment == GR_GROUND_INSTANT};
    set_motion(m, d, i, place, query, &motion);
    if (!start && !rest && d->flow == NULL) {
        take_mean_motion(contact, query->dt, &motion);
    }
    motion.twist[2] += turned;
    contact->turned = turned;
    const double lying = gr_grain_lying(m, place->axle, below->normal);
    if (lying == 1) {
        gr_wheel_leave(m, d, i);
        return;
    }
    contact->depth = fill_sinkages(w, place->world, place->axle, below, start ? query->dt : 0, &motion);
    contact->spread = spread_of(w, &motion);
    const double compacted = contact->depth > 0 ? gr_rut_compaction(m, d, i, below->point, below->frame.y) : 0;
    if (d->rigid != NULL && contact->depth > 0) {
        take_rigid_slices(m, d, i, place->axle, compacted, query->time, &motion);
    }
    if (d->flow != NULL && !rest) {
        gr_soil_rates(w, compacted, &motion, d->flow, &contact->soil);
        memcpy(gr_wheel_soil_state(m, d->soil_next, i, 0), d->flow->state, sizeof(double) * (size_t)w->state_size);
    } else if (m->soil_count == 1) {
        gr_compact_evaluate(w, compacted, &motion, query->time, gr_wheel_soil_state(m, d->soil_state, i, 0),
                            gr_wheel_soil_state(m, d->soil_next, i, 0), &contact->soil);
    } else {
        evaluate_soils(m, d, i, &place->soils, &motion, compacted, query->time);
    }
    if (!isinf(m->wheels[i].stiffness)) {
        note_flex(m, d, i, query);
    }
    if (lying > 0) {
        take_share(1 - lying, &contact->soil);
    }
    add_load(m, d, i, place, query, 1);
}

static void evaluate_wheel(const GrModel *m, GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query)
{
    evaluate_turned(m, d, i, place, query, 0);
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    gr_wheels_evaluate(&gr_patch_ground, m, d, query);
}

/// Whether a wheel on one soil, which was evaluated with the normal velocity `from`, ends the step with `end` beyond a
/// kink of its force, and the velocity to evaluate it with.
static bool turns_on(const GrModel *m, GrData *d, int i, int soil, double from, double end, double dt, double *rate)
{
    const GrWheelContact *contact = &d->contact[i];
    const GrSoilWheel *w = &m->soil_wheels[soil * m->wheel_count + i];
    const double compacted = gr_rut_compaction(m, d, i, contact->point, contact->frame.y);
    double inherited[GR_STATE_MAX];
    const double *old = old_state(m, d, i, soil, inherited);
    if (isinf(w->wheel.stiffness)) {
        return gr_compact_turns(w, compacted, from, contact->soil.sinkage, dt, old, end, rate);
    }
    // The rim rises with the hub and with the deflection, du = df_z/k
    const double flex = gr_wheel_soil_state(m, d->soil_next, i, soil)[GR_HEAD_FLEX];
    const double steep = contact->soil.d_twist[2][2] - dt * contact->soil.d_sinkage[2];
    const double by_hub = 1 + steep / (dt * w->wheel.stiffness + w->wheel.damping);
    const double rim = from + (flex - old[GR_HEAD_FLEX]) / dt, last = rim + by_hub * (end - from);
    double at;
    const bool turned = gr_compact_turns(w, compacted, rim, contact->soil.sinkage - flex, dt, old, last, &at);
    *rate = turned && last != rim ? from + (end - from) * (at - rim) / (last - rim) : end;
    return turned;
}

/// The same on all soils under the wheel.
static bool turns(const GrModel *m, GrData *d, int i, double from, double end, double dt, double *rate)
{
    for (int k = 0; k < m->soil_count; k++) {
        const bool used = m->soil_count == 1 || (d->soil_used_next[i] >> k & 1);
        if (used && turns_on(m, d, i, k, from, end, dt, rate)) {
            return true;
        }
    }
    return false;
}

/// Solves for the force of soil that unloads, whose slope changes within a step (gr_soil_turns()): Newton's method over
/// the normal velocity of each wheel.
static bool revise(const GrModel *m, GrData *d, double dt)
{
    if (!m->soil_unloads || !advances_by_end(m)) {
        return false;
    }
    const GrGroundQuery query = {.moment = GR_GROUND_START, .dt = dt, .time = dt};
    GrTwist *twist = d->tree.work_twist;
    gr_tree_twists(&m->tree, &d->tree, dt, twist);
    bool changed = false;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrWheelContact *contact = &d->contact[i];
        if (!contact->on_map || !(contact->soil.sinkage > 0)) {
            continue;
        }
        const int body = m->wheels[i].body;
        const GrVec3 centre = gr_wheel_centre(m, d, i), up = contact->frame.z;
        const double began = gr_dot(up, gr_twist_at(d->tree.frame[body].twist, centre));
        const double end = gr_dot(up, gr_twist_at(twist[body], centre));
        GrWheelPlace place;
        double rate;
        if (turns(m, d, i, began + contact->turned, end, dt, &rate) && gr_wheel_place(m, d, i, &query, &place)) {
            add_load(m, d, i, &place, &query, -1);
            evaluate_turned(m, d, i, &place, &query, rate - began);
            changed = true;
        }
    }
    return changed;
}

/// Several soils under one wheel: slip and mode come from the soil with the largest share.
static void remember_soils(const GrModel *m, GrData *d, int wheel, const double *twist, double dt)
{
    GrSoilOutput *out = &d->contact[wheel].soil;
    for (int k = 0; k < m->soil_count; k++) {
        if (d->soil_used_next[wheel] >> k & 1) {
            double inherited[GR_STATE_MAX];
            GrSoilOutput other = {.sinkage = out->sinkage, .mobilised = out->mobilised};
            gr_soil_remember(&m->soil_wheels[k * m->wheel_count + wheel], twist, dt,
                             old_state(m, d, wheel, k, inherited), gr_wheel_soil_state(m, d->soil_next, wheel, k),
                             k == d->contact[wheel].soil_index ? out : &other);
            out->flags |= other.flags;
        }
    }
}

/// Updates the rolling memory of every wheel on soil with the velocity at the end of the step.
static void complete_patches(const GrModel *m, GrData *d, double dt)
{
    if (!advances_by_end(m)) {
        return;
    }
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
            gr_soil_remember(&m->soil_wheels[i], u, dt, gr_wheel_soil_state(m, d->soil_state, i, 0),
                             gr_wheel_soil_state(m, d->soil_next, i, 0), &contact->soil);
        } else {
            remember_soils(m, d, i, u, dt);
        }
    }
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    gr_wheels_commit(m, d);
    return GR_OK;
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    (void)query;
    gr_wheels_commit(m, d);
    gr_wheels_end_rest(m, d);
}

static bool is_present(const GrModel *m)
{
    return m->soil_wheels != NULL && m->scm_bodies == NULL;
}

static bool is_linear(const GrModel *m, const GrData *d)
{
    (void)m;
    (void)d;
    return true;
}

const GrGroundInterface gr_patch_ground = {
    .present = is_present,
    .evaluate = evaluate,
    .wheel = evaluate_wheel,
    .leave = gr_wheel_leave,
    .is_linear = is_linear,
    .revise = revise,
    .complete = complete_patches,
    .commit = commit,
    .begin_rest = gr_wheels_begin_rest,
    .anchor = gr_wheels_anchor,
    .end_rest = end_rest,
};

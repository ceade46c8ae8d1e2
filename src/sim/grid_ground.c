/// Wheels on soil that is a deformable grid: the law scm in a step.
///
/// The soil is evaluated at the wheels' positions in the middle of the step, with Jacobians for the integrator. Once
/// per accepted step the nodes are written to the grid, those of all wheels and bodies first; then the soil flows.
///
/// The grid is GrData::grid. Where the ground keeps ruts of this kind, it is GrData::ruts too; otherwise it heals
/// behind the wheels (grid_lists.c).
#include "elementary.h"
#include "wheel_contact.h"

#include "dynamics.h"
#include "evaluate.h"
#include "extras.h"
#include "grid_lists.h"
#include "rut_ground.h"
#include "ruts.h"

#include <string.h>

/// Iterations for the deflection of a flexible wheel, and relative accuracy of its balance with the soil's force,
/// before it is corrected by one more step of Newton's method, which leaves about a hundredth of it. With it, after
/// 0.7 m, exomars_like is 5 µm from where it is with 1e-9; with 1e-4, which takes a fifth more time, 2 µm.
enum { FLEX_ITERATIONS = 40 };
static const double FLEX_TOLERANCE = 3e-4;
static const double FLEX_TOLERANCE_AT_REST = 1e-10; // equilibria are found to 1e-9 of the weight

/// Nodes under a wheel at the beginning of the step.
static GrScmNodes old_nodes(const GrData *d, int wheel)
{
    return gr_scm_list_nodes(&d->scm_old[wheel], &d->scm_memory[wheel]);
}

/// The body that represents a wheel: a cylinder with side walls when it leans far over, else a wheel on its tread.
static const GrScmBody *body_of(const GrModel *m, const GrData *d, int wheel, const GrScmPose *pose)
{
    const GrScmBody *bodies = gr_scm_leans(pose) ? m->scm_lying : m->scm_bodies;
    return &bodies[d->contact[wheel].soil_index * m->wheel_count + wheel];
}

/// Axes of a wheel that do not rotate with it: y the axle, x level, so that x × y points up.
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

GrMat6 gr_scm_rest_jacobian(const GrScmOutput *out, GrVec3 normal, const GrGroundQuery *query)
{
    const double n[3] = {normal.x, normal.y, normal.z}, by_time = query->sliding ? 0 : 1 / query->time;
    double sum[6][6];
    for (int i = 0; i < 6; i++) {
        const double *speed = out->d_twist[i], into = speed[0] * n[0] + speed[1] * n[1] + speed[2] * n[2];
        for (int j = 0; j < 3; j++) {
            sum[i][j] = out->d_pose[i][j] + by_time * (speed[j] - into * n[j]);
            sum[i][3 + j] = out->d_pose[i][3 + j];
        }
    }
    return gr_scm_tree_order(sum);
}

static const GrSoilWheel *soil_wheel(const GrModel *m, const GrData *d, int wheel)
{
    return &m->soil_wheels[d->contact[wheel].soil_index * m->wheel_count + wheel];
}

// ---- errors of the law, as those of laws with a patch (gr_law_errors_add(), gr_law_sinkage())

/// Height by which a wheel that sinks deeper than the law says is above where the grid sees it, and the derivative of
/// the sinkage that the grid sees. The sinkage is that below the undisturbed ground: wheels that follow in a rut have
/// the same error.
static double lift_of(const GrModel *m, const GrSoilWheel *w, GrVec3 centre, GrVec3 normal, double *slope)
{
    const GrSurfaceDef *surface = &m->options.surface;
    double z = 0;
    GrVec3 up = normal;
    *slope = 1;
    if (w->soil.error_sinkage == 0 ||
        (surface->height != NULL && !surface->height(surface->context, centre.x, centre.y, &z, &up))) {
        return 0;
    }
    const double h = w->radius - (centre.z - z) * up.z;
    return h - gr_law_sinkage(w, h, slope);
}

/// Scales the Jacobian by the pose: as the wheel sinks, the grid sees it sink by `slope`.
static void scale_sinking(GrVec3 normal, double slope, GrScmOutput *out)
{
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int i = 0; i < 6 && slope != 1; i++) {
        const double sinking = out->d_pose[i][0] * n[0] + out->d_pose[i][1] * n[1] + out->d_pose[i][2] * n[2];
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += (slope - 1) * sinking * n[j];
        }
    }
}

/// Adds the errors of pull, side force and torque, which grow with the force along the normal.
static void add_errors(const GrSoilWheel *w, const GrContactFrame *f, const double *head, GrScmOutput *out)
{
    const GrLawErrors e = gr_law_errors(w, head[GR_HEAD_ROLL], head[GR_HEAD_SIDE]);
    const GrVec3 force = gr_madd(gr_scale(e.pull, f->x), e.side, f->y), moment = gr_scale(e.moment, f->y);
    const double part[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    const double n[3] = {f->z.x, f->z.y, f->z.z};
    double by_pose[6] = {0}, by_twist[6] = {0}, carried = 0;
    for (int r = 0; r < 3; r++) {
        carried += n[r] * out->wrench[r];
        for (int j = 0; j < 6; j++) {
            by_pose[j] += n[r] * out->d_pose[r][j];
            by_twist[j] += n[r] * out->d_twist[r][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += part[i] * carried;
        for (int j = 0; j < 6; j++) {
            out->d_pose[i][j] += part[i] * by_pose[j];
            out->d_twist[i][j] += part[i] * by_twist[j];
        }
    }
}

/// Reports the contact as the other laws do: forces and slip in the contact frame, rolling memory and mode. `lift`: see
/// lift_of().
static void report(const GrModel *m, GrData *d, int wheel, const GrScmOutput *found, const GrScmPose *pose, double lift,
                   double dt)
{
    const GrSoilWheel *w = soil_wheel(m, d, wheel);
    const GrContactFrame *f = &d->contact[wheel].frame;
    GrSoilOutput *out = &d->contact[wheel].soil;
    const double *old = d->soil_state + (size_t)wheel * (size_t)(m->soil_count * m->soil_state);
    double *next = d->soil_next + (size_t)wheel * (size_t)(m->soil_count * m->soil_state);
    memset(out, 0, sizeof *out);
    memset(next, 0, sizeof(double) * (size_t)(m->soil_count * m->soil_state));
    out->sinkage = d->scm_next[wheel].count > 0 ? found->depth + lift : 0;
    if (gr_ruts_over_ground(d) != NULL && out->sinkage > 0) { // sinkage is measured from the ground including ruts
        const double rut = gr_ruts_slope(d->ruts, pose->centre.x, pose->centre.y).z;
        // a wheel that touches only the walls of a rut is still in contact
        out->sinkage = fmax(GR_LEAST_SINKAGE, out->sinkage + rut);
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
    out->slip_angle = v.x == 0 && v.y == 0 ? 0 : gr_atan2(v.y, fabs(v.x));
    out->theta_front = out->sinkage < w->radius ? gr_acos(1 - out->sinkage / w->radius) : 1.57;
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

/// Fraction of a step at which the soil is evaluated. Nodes come into contact at any time between evaluations, and
/// shear grows by whole steps: at the middle both are right on average. At the beginning or end, the shear of all nodes
/// would be half a step off, and slip with it.
static const double SHEAR_FRACTION = 0.5;

/// Extrapolates a wheel's pose by a time at its present velocity.
static void move_on(double time, GrVec3 *axle, GrScmPose *pose)
{
    pose->centre = gr_madd(pose->centre, time, pose->velocity);
    pose->wheel_angle += time * gr_dot(pose->spin, *axle);
    *axle = gr_normalize(gr_madd(*axle, time, gr_cross(pose->spin, *axle)));
}

/// Adds the Jacobians of forces that were evaluated after a fraction `part` of the step. The old velocity has already
/// moved the wheel by that part, so there only the change of velocity counts; over the rest of the step the whole
/// velocity does.
static void add_jacobians(const GrModel *m, GrData *d, int wheel, GrVec3 centre, double part, double time,
                          GrScmOutput *out)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] += part * time * out->d_pose[i][j];
            out->d_pose[i][j] *= 1 - part;
        }
    }
    const GrMat6 twist = gr_scm_tree_order(out->d_twist), place = gr_scm_tree_order(out->d_pose);
    gr_tree_add_jacobian(&d->tree, m->wheels[wheel].body, centre, &twist, &place);
}

static void evaluate_at(const GrModel *m, GrData *d, int wheel, const GrScmPose *at, double time, GrScmOutput *out)
{
    const GrScmNodes old = old_nodes(d, wheel);
    gr_scm_list_evaluate(d, body_of(m, d, wheel, at), at, time, &old, d->scm_scratch[wheel], &d->scm_next[wheel],
                         &d->scm_next_memory[wheel], out);
}

/// Jacobians by the wheel's pose and twist, from those by its rim's: the rim yields along n, with this stiffness, where
/// `by_n` is the derivative of the wrench.
static void yield_rim(const double n[3], const double by_n[6], double stiffness, GrScmOutput *out)
{
    for (int j = 0; j < 6; j++) {
        double place = 0, twist = 0;
        for (int r = 0; r < 3; r++) {
            place += n[r] * out->d_pose[r][j];
            twist += n[r] * out->d_twist[r][j];
        }
        for (int r = 0; r < 6; r++) {
            out->d_pose[r][j] += by_n[r] * place / stiffness;
            out->d_twist[r][j] += by_n[r] * twist / stiffness;
        }
    }
}

/// Evaluates a flexible wheel: finds the deflection u of its rim along the ground's normal n at which k u + c u̇
/// balances the force of the soil. Every iteration begins with the same nodes. The excess of the soil's force decreases
/// with u; Newton's method is bracketed by the values on both sides of the root, since it would oscillate on stiff
/// soil. The search begins where the deflection would be if it went on as in the last step, and ends with a step whose
/// force is extrapolated: one evaluation, as a rule. The Jacobian by the wheel's pose follows from that by the
/// rim's, dW = K (dx + n du): K' = K + K n nᵀ K/(k + c/dt − nᵀ K n), and likewise the one by the velocity.
static double evaluate_flexible(const GrModel *m, GrData *d, int wheel, GrScmPose *at, const GrGroundQuery *query,
                                GrScmOutput *out)
{
    const bool rest = query->moment == GR_GROUND_REST;
    const GrWheel *shape = &m->wheels[wheel];
    const GrVec3 hub = at->centre, normal = d->contact[wheel].frame.z;
    const double n[3] = {normal.x, normal.y, normal.z};
    const double before = d->soil_state[(size_t)wheel * (size_t)(m->soil_count * m->soil_state) + GR_HEAD_FLEX];
    const double c = rest ? 0 : shape->damping / query->time, k = shape->stiffness + c;
    const double exact = rest ? FLEX_TOLERANCE_AT_REST : FLEX_TOLERANCE;
    const double ahead = fmax(0, before + query->time * d->flex_rate[wheel]);
    double u = rest ? d->contact[wheel].flex : ahead, low = -1, high = INFINITY, by_n[6], slope = 0, excess = 0;
    for (int i = 0; i < FLEX_ITERATIONS; i++) {
        at->centre = gr_madd(hub, u, normal);
        evaluate_at(m, d, wheel, at, query->time, out);
        slope = 0;
        for (int r = 0; r < 6; r++) {
            by_n[r] = out->d_pose[r][0] * n[0] + out->d_pose[r][1] * n[1] + out->d_pose[r][2] * n[2];
            slope += r < 3 ? n[r] * by_n[r] : 0;
        }
        const double force = out->wrench[0] * n[0] + out->wrench[1] * n[1] + out->wrench[2] * n[2];
        excess = force - shape->stiffness * u - c * (u - before);
        if (fabs(excess) <= exact * (fabs(force) + shape->stiffness * u) || i == FLEX_ITERATIONS - 1) {
            break;
        }
        low = excess > 0 ? fmax(low, u) : low;
        high = excess < 0 ? fmin(high, u) : high;
        const double newton = fmax(0, u + excess / (k - fmin(slope, 0)));
        u = newton > low && newton < high ? newton : fmax(0, 0.5 * (low + high));
    }
    const double stiffness = k - fmin(slope, 0), last = rest ? u : fmax(0, u + excess / stiffness);
    for (int r = 0; r < 6; r++) {
        out->wrench[r] += by_n[r] * (last - u);
    }
    yield_rim(n, by_n, stiffness, out);
    return last;
}

/// Stores the deflection in the soil's state and for the energy balance.
static void note_flex(const GrModel *m, GrData *d, int wheel, double u, const GrGroundQuery *query)
{
    const size_t at = (size_t)wheel * (size_t)(m->soil_count * m->soil_state) + GR_HEAD_FLEX;
    GrWheelContact *contact = &d->contact[wheel];
    contact->flex = u;
    contact->flex_rate = query->moment == GR_GROUND_REST ? 0 : (u - d->soil_state[at]) / query->time;
    d->soil_next[at] = u;
}

/// Pose and velocity of the wheel; in the search for rest, its displacement takes the place of the path of one step.
static GrScmPose pose_of(const GrModel *m, const GrData *d, int i, const GrWheelPlace *place,
                         const GrGroundQuery *query)
{
    const GrTwist twist = d->tree.frame[m->wheels[i].body].twist;
    GrScmPose pose = {.centre = place->world,
                      .velocity = gr_twist_at(twist, place->centre),
                      .spin = twist.ang,
                      .wheel_angle = d->contact[i].wheel_angle};
    if (query->moment == GR_GROUND_REST) {
        pose.velocity = gr_scale(1 / query->time, gr_wheel_moved(d, i, place->world, d->contact[i].normal));
        pose.spin = gr_vec3(0, 0, 0);
        pose.resting = true;
    }
    return pose;
}

static void evaluate_wheel(const GrModel *m, GrData *d, int wheel, const GrWheelPlace *place,
                           const GrGroundQuery *query)
{
    const bool jacobians = query->dt > 0;
    const double part = jacobians && query->moment != GR_GROUND_REST && m->integrator->implicit ? SHEAR_FRACTION : 0;
    GrScmPose at = pose_of(m, d, wheel, place, query);
    GrVec3 axle = place->axle;
    if (part > 0) {
        move_on(part * query->time, &axle, &at);
    }
    at.axes = wheel_axes(axle, d->contact[wheel].frame.x);
    const GrSoilWheel *w = soil_wheel(m, d, wheel);
    const GrVec3 normal = d->contact[wheel].frame.z;
    double slope;
    const double lift = lift_of(m, w, at.centre, normal, &slope);
    at.centre = gr_madd(at.centre, lift, normal);
    GrScmOutput out;
    const bool flexible = !isinf(m->wheels[wheel].stiffness);
    double deflection = 0;
    if (flexible) {
        deflection = evaluate_flexible(m, d, wheel, &at, query, &out);
    } else {
        evaluate_at(m, d, wheel, &at, query->time, &out);
    }
    scale_sinking(normal, slope, &out);
    if (w->errors) {
        add_errors(w, &d->contact[wheel].frame, gr_wheel_soil_state(m, d->soil_state, wheel, 0), &out);
    }
    d->scm_pose[wheel] = at;
    d->scm_dug[wheel] = out.dug;
    report(m, d, wheel, &out, &at, lift, query->time);
    if (flexible) {
        note_flex(m, d, wheel, deflection, query);
    }
    if (d->scm_next[wheel].count == 0) {
        return;
    }
    const GrVec3 centre = gr_sub(place->world, gr_base_position(&d->tree));
    gr_tree_add_wrench(&d->tree, m->wheels[wheel].body, centre, gr_vec3(out.wrench[0], out.wrench[1], out.wrench[2]),
                       gr_vec3(out.wrench[3], out.wrench[4], out.wrench[5]));
    if (jacobians) {
        add_jacobians(m, d, wheel, centre, part, query->time, &out);
    } else if (query->linearise) {
        const GrMat6 place_only = gr_scm_rest_jacobian(&out, d->contact[wheel].normal, query);
        gr_tree_add_jacobian(&d->tree, m->wheels[wheel].body, centre, &place_only, NULL);
    }
}

static void leave(const GrModel *m, GrData *d, int wheel)
{
    gr_wheel_leave(m, d, wheel);
    d->scm_next[wheel].count = 0;
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    gr_wheels_evaluate(&gr_grid_ground, m, d, query);
    gr_grid_bodies_evaluate(m, d, query);
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    gr_wheels_commit(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        gr_scm_list_accept(&d->scm_old[i], &d->scm_next[i]);
        d->scm_memory[i] = d->scm_next_memory[i];
        d->flex_rate[i] = d->contact[i].flex_rate;
        const GrScmNodes nodes = old_nodes(d, i);
        d->scm_lowered[i] = gr_scm_commit(body_of(m, d, i, &d->scm_pose[i]), d->grid, &nodes, d->scm_ledger);
    }
    gr_grid_bodies_press(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrScmNodes nodes = old_nodes(d, i);
        gr_scm_flow(body_of(m, d, i, &d->scm_pose[i]), d->grid, &d->scm_pose[i], dt, &nodes, d->scm_lowered[i],
                    d->scm_dug[i], d->scm_scratch[i], d->scm_ledger);
    }
    gr_grid_bodies_flow(m, d, dt);
    return d->ruts_status;
}

static void begin_rest(const GrModel *m, GrData *d)
{
    gr_wheels_begin_rest(m, d);
    gr_scm_lists_clear(d->scm_old, m->wheel_count);
    gr_grid_bodies_begin_rest(m, d);
}

static void anchor(const GrModel *m, GrData *d)
{
    gr_wheels_anchor(m, d);
    gr_grid_bodies_anchor(m, d);
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    gr_tree_kinematics(&m->tree, &d->tree); // frames may not be those of the final position
    evaluate(m, d, query);
    commit(m, d, query->time);
    gr_wheels_end_rest(m, d);
}

static bool is_present(const GrModel *m)
{
    return m->scm_bodies != NULL;
}

static bool is_linear(const GrModel *m, const GrData *d)
{
    (void)m;
    (void)d;
    return true;
}

static bool prepare(const GrModel *m, GrData *d)
{
    d->grid = gr_rut_grid_create(m, GR_SCM_STATES);
    d->ruts = m->options.surface.ruts == GR_RUTS_SCM ? d->grid : NULL;
    d->scm_shapes = m->soil_shape_count;
    bool good = d->grid != NULL && gr_scm_scratch_prepare(m->scm_bodies, m->wheel_count, d);
    for (int i = 0; i < m->wheel_count && good; i++) {
        good = gr_scm_list_begin(&d->scm_old[i]) && gr_scm_list_begin(&d->scm_next[i]);
    }
    return good;
}

static void release(GrData *d)
{
    gr_scm_scratch_release(d);
    gr_grid_bodies_release(d);
    gr_ruts_free(d->grid);
}

static void clear(const GrModel *m, GrData *d)
{
    gr_ruts_clear(d->grid);
    gr_scm_lists_clear(d->scm_old, m->wheel_count);
    gr_scm_lists_clear(d->scm_next, m->wheel_count);
    gr_grid_bodies_clear(m, d);
}

int gr_grid_tiles(const GrModel *m, const GrData *d)
{
    int tiles = d->scm_near;
    for (int i = 0; i < m->wheel_count; i++) {
        tiles += gr_scm_tiles(&m->scm_bodies[i]);
    }
    return tiles;
}

GrStatus gr_grid_reserve(const GrModel *m, GrData *d)
{
    // a healing grid needs twice the tiles: those under the wheels, and those that traces bring in
    return gr_rut_grid_reserve(d->grid, (d->grid != d->ruts ? 2 : 1) * gr_grid_tiles(m, d));
}

/// A healing grid has a few tiles and is copied here; a grid that is the ruts is copied with them (data_memory.c).
static void copied(const GrModel *m, GrData *to, const GrData *from)
{
    bool good = true;
    for (int i = 0; i < m->wheel_count; i++) {
        good = gr_scm_list_copy(&to->scm_old[i], &from->scm_old[i]) && good;
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        good = gr_scm_list_copy(&to->scm_body_old[k], &from->scm_body_old[k]) && good;
    }
    if (to->grid != to->ruts) {
        to->ruts_status = gr_ruts_copy(to->grid, from->grid);
    }
    to->ruts_status = good ? to->ruts_status : GR_ERROR_MEMORY;
}

static size_t size(const GrData *d)
{
    return gr_scm_lists_size(d->scm_old, d->scm_wheels) + gr_scm_lists_size(d->scm_body_old, d->scm_shapes) +
           gr_ruts_size(d->grid);
}

static GrStatus save(const GrData *d, void *out)
{
    unsigned char *at = gr_scm_lists_save(d->scm_old, d->scm_wheels, out);
    at = gr_scm_lists_save(d->scm_body_old, d->scm_shapes, at);
    return gr_ruts_save(d->grid, at);
}

static GrStatus restore(GrData *d, const void *saved, size_t bytes, GrErrorLog *log)
{
    const unsigned char *at = saved;
    GrStatus status = gr_scm_lists_expect(d->scm_old, d->scm_wheels, &at, &bytes, log);
    status = status == GR_OK ? gr_scm_lists_expect(d->scm_body_old, d->scm_shapes, &at, &bytes, log) : status;
    status = status == GR_OK ? gr_rut_grid_restore(d->grid, at, bytes, log) : status;
    if (status == GR_OK) {
        at = gr_scm_lists_restore(d->scm_old, d->scm_wheels, saved);
        gr_scm_lists_restore(d->scm_body_old, d->scm_shapes, at);
    }
    return status;
}

const GrGroundInterface gr_grid_ground = {
    .present = is_present,
    .prepare = prepare,
    .release = release,
    .clear = clear,
    .reserve = gr_grid_reserve,
    .evaluate = evaluate,
    .wheel = evaluate_wheel,
    .leave = leave,
    .is_linear = is_linear,
    .commit = commit,
    .begin_rest = begin_rest,
    .anchor = anchor,
    .end_rest = end_rest,
    .copied = copied,
    .size = size,
    .save = save,
    .restore = restore,
};

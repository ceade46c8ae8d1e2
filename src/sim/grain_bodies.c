/// Bodies in soil of the law rft: bellies, feet, fallen rovers and wheels on their sides have the stress of 3D-RFT on
/// every piece of their surface (rft_body.h). Each shape has a mobilised state of its own.
///
/// A shape far from the ground is skipped: it remembers how far it may move before it could touch.
#include "grain_bodies.h"

#include "device_call.h"
#include "dynamics.h"
#include "wheel_contact.h"

#include <string.h>

/// Ground may rise by this much over the path of a shape that is taken to be clear of it.
static const double STEEPEST = 2; // [m/m]

/// Soil that wheels push up may rise under a body by this much before its clearance is computed again [m].
static const double BERM = 0.05;

/// Sine of the angle by which wheels lean when their sides begin to count, and when they lie; as in scm.
static const double LEANING_AXLE = 0.5, LYING_AXLE = 0.8;

static double *state_of(double *states, int k)
{
    return states + (size_t)k * GR_RFT_BODY_STATE;
}

double gr_grain_lying(const GrModel *m, GrVec3 axle, GrVec3 normal)
{
    if (m->rft_bodies == NULL) {
        return 0;
    }
    const double x = (fabs(gr_dot(axle, normal)) - LEANING_AXLE) / (LYING_AXLE - LEANING_AXLE);
    const double t = x < 0 ? 0 : x > 1 ? 1 : x;
    return t * t * (3 - 2 * t);
}

/// Soil with the largest share at a point.
static int soil_at(const GrModel *m, GrVec3 at)
{
    const GrSurfaceDef *surface = &m->options.surface;
    GrSoilMix mix;
    if (surface->soil_at == NULL || m->soil_count == 1 ||
        !GR_CALL(soils, surface->soil_at, surface->soil_context, at.x, at.y, &mix)) {
        return 0;
    }
    return mix.classes[0] >= 1 && mix.classes[0] <= m->soil_count ? mix.classes[0] - 1 : 0;
}

double gr_grain_time(const GrModel *m, const GrData *d)
{
    double least = INFINITY;
    for (int k = 0; m->rft_bodies != NULL && k < m->soil_shape_count; k++) {
        if (d->soil_touch[k].patches > 0) {
            const GrRftSoil *soil = &m->rft_soils[soil_at(m, d->soil_touch[k].point)];
            least = fmin(least, gr_rft_body_time(soil, &m->rft_bodies[k]));
        }
    }
    return least;
}

bool gr_height_of_view(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_ground_at(context, x, y, z, normal);
}

static GrVec3 centre_of(const GrModel *m, const GrData *d, int k)
{
    const GrBodyFrame *frame = &d->tree.frame[m->soil_shapes[k].body];
    const GrVec3 offset = gr_mat3_mul_vec(&frame->rotation, m->soil_shapes[k].centre);
    return gr_add(gr_base_position(&d->tree), gr_add(frame->origin, offset));
}

/// Whether the shape cannot touch yet, since moved + size turned ≤ margin, by (a + b)² ≤ 2 (a² + b²).
static bool is_far(const GrShapeClearance *seen, double size, GrVec3 centre, const GrMat3 *axes)
{
    double turned = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double change = axes->m[i][j] - seen->axes.m[i][j];
            turned += change * change;
        }
    }
    const GrVec3 moved = gr_sub(centre, seen->centre);
    return seen->margin > 0 && 2 * (gr_dot(moved, moved) + size * size * turned) <= seen->margin * seen->margin;
}

/// Whether a shape may touch the ground at this pose.
static bool may_touch(const GrModel *m, GrData *d, int k, const GrRftGround *ground, const GrRftBodyMotion *at)
{
    GrShapeClearance *seen = &d->soil_clearance[k];
    if (is_far(seen, m->rft_bodies[k].size, at->centre, &at->axes)) {
        return false;
    }
    const double gap = gr_rft_body_clearance(&m->rft_bodies[k], ground, at->centre, &at->axes);
    const double safe = gap - (d->ruts != NULL ? BERM : 0);
    *seen = (GrShapeClearance){at->axes, at->centre, fmax(0, fmin(1, safe / (1 + STEEPEST)))};
    return gap < 0;
}

/// Pose and motion of a shape; in the search for rest, its displacement along the ground takes the place of the path of
/// one step.
static GrRftBodyMotion motion_of(const GrModel *m, const GrData *d, int k, const GrGroundQuery *query,
                                 const GrRftGround *ground)
{
    const GrBodyFrame *frame = &d->tree.frame[m->soil_shapes[k].body];
    const GrVec3 centre = centre_of(m, d, k);
    GrRftBodyMotion motion = {.centre = centre,
                              .axes = gr_mat3_mul(&frame->rotation, &m->soil_shapes[k].turn),
                              .up = {0, 0, 1},
                              .velocity = gr_twist_at(frame->twist, gr_sub(centre, gr_base_position(&d->tree))),
                              .spin = frame->twist.ang,
                              .dt = query->time,
                              .jacobians = query->dt > 0 || query->linearise};
    double z;
    if (ground->height != NULL &&
        !GR_CALL(height, ground->height, ground->context, centre.x, centre.y, &z, &motion.up)) {
        motion.up = gr_vec3(0, 0, 1);
    }
    if (query->moment == GR_GROUND_REST) {
        const GrVec3 moved = gr_sub(centre, d->soil_shape_anchor[k]), up = motion.up;
        motion.velocity = gr_scale(1 / query->time, gr_madd(moved, -gr_dot(moved, up), up));
        motion.spin = gr_vec3(0, 0, 0);
        motion.resting = true;
    }
    return motion;
}

/// A derivative in the tree's order, (moment, force) by (angular, linear), times a factor.
static GrMat6 tree_order(double factor, double (*from)[6])
{
    GrMat6 to;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            to.m[i][j] = factor * from[(i + 3) % 6][(j + 3) % 6];
        }
    }
    return to;
}

/// In the search for rest: by the pose, with displacements along the ground in place of velocities.
static void add_rest_jacobian(const GrModel *m, GrData *d, int k, GrVec3 at, const GrGroundQuery *query, GrVec3 up,
                              GrRftBodyOutput *out)
{
    const double n[3] = {up.x, up.y, up.z};
    for (int i = 0; i < 6 && !query->sliding; i++) {
        const double upward = out->d_twist[i][0] * n[0] + out->d_twist[i][1] * n[1] + out->d_twist[i][2] * n[2];
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += (out->d_twist[i][j] - upward * n[j]) / query->time;
        }
    }
    const GrMat6 place = tree_order(1, out->d_pose);
    gr_tree_add_jacobian(&d->tree, m->soil_shapes[k].body, at, &place, NULL);
}

static void add_load(const GrModel *m, GrData *d, int k, const GrRftBodyMotion *motion, const GrGroundQuery *query,
                     double share, GrRftBodyOutput *out)
{
    for (int i = 0; i < 6; i++) {
        out->wrench[i] *= share;
        for (int j = 0; j < 6; j++) {
            out->d_twist[i][j] *= share;
            out->d_pose[i][j] *= share;
        }
    }
    const GrVec3 at = gr_sub(motion->centre, gr_base_position(&d->tree));
    const GrVec3 force = gr_vec3(out->wrench[0], out->wrench[1], out->wrench[2]);
    const GrVec3 moment = gr_vec3(out->wrench[3], out->wrench[4], out->wrench[5]);
    const int body = m->soil_shapes[k].body;
    const double size = gr_dot(force, force);
    const GrVec3 arm = size > 0 ? gr_scale(1 / size, gr_cross(force, moment)) : gr_vec3(0, 0, 0);
    d->soil_touch[k] = (GrSoilTouch){force, gr_add(motion->centre, arm), 1};
    gr_tree_add_wrench(&d->tree, body, at, force, moment);
    if (query->linearise) {
        add_rest_jacobian(m, d, k, at, query, motion->up, out);
    } else if (query->dt > 0 && query->moment == GR_GROUND_START) {
        const GrMat6 twist = tree_order(1, out->d_twist), place = tree_order(1, out->d_pose);
        gr_tree_add_jacobian(&d->tree, body, at, &twist, &place);
    }
}

/// Share with which a shape acts: all of it, unless it is a wheel that does not lie on its side.
static double share_of(const GrModel *m, int k, const GrRftBodyMotion *motion)
{
    const GrVec3 axle = gr_vec3(motion->axes.m[0][1], motion->axes.m[1][1], motion->axes.m[2][1]);
    const int wheel = m->soil_shapes[k].wheel;
    return wheel < 0 ? 1 : gr_wheel_on_soil(m, wheel) ? gr_grain_lying(m, axle, motion->up) : 0;
}

static void evaluate_shape(const GrModel *m, GrData *d, int k, const GrGroundQuery *query, const GrRftGround *ground)
{
    const GrRftBodyMotion motion = motion_of(m, d, k, query, ground);
    const int soil = soil_at(m, motion.centre);
    double *next = state_of(d->grain_next, k);
    const double share = share_of(m, k, &motion);
    d->soil_touch[k] = (GrSoilTouch){.patches = 0};
    memset(next, 0, sizeof *next * GR_RFT_BODY_STATE);
    if (share > 0 && may_touch(m, d, k, ground, &motion)) {
        GrRftBodyOutput out;
        gr_rft_body_evaluate(&m->rft_soils[soil], &m->rft_bodies[k], ground, &motion, state_of(d->grain_state, k), next,
                             &out);
        if (out.touching > 0) {
            add_load(m, d, k, &motion, query, share, &out);
        }
    }
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    const GrGroundView view = {&m->options.surface, gr_ruts_over_ground(d)};
    const bool level = view.surface->height == NULL && view.ruts == NULL;
    const GrRftGround ground = {level ? NULL : GR_POINTER(gr_height_of_view), &view};
    for (int k = 0; k < m->soil_shape_count; k++) {
        evaluate_shape(m, d, k, query, &ground);
    }
}

/// Where a step evaluates the soil only at its beginning, the state follows from the velocity at its end.
static void complete(const GrModel *m, GrData *d, double dt)
{
    if (m->integrator->order != 1) {
        return;
    }
    GrTwist *twist = d->tree.work_twist;
    gr_tree_twists(&m->tree, &d->tree, 0, twist);
    for (int k = 0; k < m->soil_shape_count; k++) {
        if (d->soil_touch[k].patches > 0) {
            const GrVec3 centre = centre_of(m, d, k);
            const GrTwist end = twist[m->soil_shapes[k].body];
            const GrRftBodyMotion motion = {
                .velocity = gr_twist_at(end, gr_sub(centre, gr_base_position(&d->tree))), .spin = end.ang, .dt = dt};
            gr_rft_body_advance(&m->rft_soils[soil_at(m, centre)], &m->rft_bodies[k], &motion,
                                state_of(d->grain_state, k), state_of(d->grain_next, k));
        }
    }
}

static size_t state_size(const GrModel *m)
{
    return sizeof(double) * GR_RFT_BODY_STATE * (size_t)m->soil_shape_count;
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    memcpy(d->grain_state, d->grain_next, state_size(m));
    return GR_OK;
}

static void anchor(const GrModel *m, GrData *d)
{
    for (int k = 0; k < m->soil_shape_count; k++) {
        d->soil_shape_anchor[k] = centre_of(m, d, k);
    }
}

static void begin_rest(const GrModel *m, GrData *d)
{
    memset(d->grain_state, 0, state_size(m));
    anchor(m, d);
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    gr_tree_kinematics(&m->tree, &d->tree); // frames may not be those of the final position
    evaluate(m, d, query);
    commit(m, d, 0);
}

/// Nothing is known of the ground under the shapes.
static void clear(const GrModel *m, GrData *d)
{
    memset(d->soil_clearance, 0, sizeof *d->soil_clearance * (size_t)m->soil_shape_count);
}

static void copied(const GrModel *m, GrData *to, const GrData *from)
{
    (void)from;
    clear(m, to);
}

static bool is_present(const GrModel *m)
{
    return m->rft_bodies != NULL && m->soil_shape_count > 0;
}

static bool is_linear(const GrModel *m, const GrData *d)
{
    (void)m;
    (void)d;
    return true;
}

const GrGroundInterface gr_grain_ground = {
    .present = is_present,
    .clear = clear,
    .evaluate = evaluate,
    .complete = complete,
    .commit = commit,
    .is_linear = is_linear,
    .begin_rest = begin_rest,
    .anchor = anchor,
    .end_rest = end_rest,
    .copied = copied,
};

/// Wheels on the ground: from the frames of the tree to wrenches and slopes on it.
#include "data.h"

#include "dynamics.h"

#include <string.h>

/// Where no step length is given the soil is asked for its forces as they are: nothing relaxes in this time.
static const double INSTANT = 1e-9; // [s]

/// Settling treats a displacement as the way of one step of this length.
static const double SETTLING_STEP = 1; // [s]

static GrVec3 wheel_centre(const GrModel *m, const GrData *d, int i)
{
    const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
    return gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, m->wheels[i].centre));
}

/// Height and normal under a world point; the plane z = 0 when no surface was given.
static bool ground_at(const GrModel *m, double x, double y, double *z, GrVec3 *normal)
{
    if (m->options.surface.height == NULL) {
        *z = 0;
        *normal = gr_vec3(0, 0, 1);
        return true;
    }
    return m->options.surface.height(m->options.surface.context, x, y, z, normal);
}

/// Contact plane: through the ground under the wheel's lowest point, found from the ground under its centre.
static bool find_plane(const GrModel *m, GrVec3 centre, GrVec3 axle, double radius, GrVec3 *ground, GrVec3 *normal)
{
    double z;
    if (!ground_at(m, centre.x, centre.y, &z, normal)) {
        return false;
    }
    const GrVec3 down = gr_normalize(gr_sub(gr_scale(gr_dot(*normal, axle), axle), *normal));
    const GrVec3 lowest = gr_madd(centre, radius, down);
    if (!ground_at(m, lowest.x, lowest.y, &z, normal)) {
        return false;
    }
    *ground = gr_vec3(lowest.x, lowest.y, z);
    return true;
}

/// Sinkage of every slice at the end of the step: h − dt v_z.
static void fill_sinkages(const GrModel *m, int i, GrVec3 centre, GrVec3 axle, GrVec3 ground, GrVec3 normal, double dt,
                          GrSoilMotion *motion)
{
    const GrSoilWheel *w = &m->soil_wheels[i];
    for (int k = 0; k < w->slices; k++) {
        const double y = (k + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        double z = ground.z;
        GrVec3 slice_normal = normal;
        const GrVec3 at = gr_madd(centre, y, axle);
        if (w->slices > 1) { // each slice has its own ground
            const GrVec3 point = gr_madd(ground, y, axle);
            if (!ground_at(m, point.x, point.y, &z, &slice_normal)) {
                motion->sinkage[k] = 0;
                continue;
            }
            ground = gr_vec3(point.x, point.y, z);
        }
        const double rate = motion->twist[2] + y * motion->twist[3];
        motion->sinkage[k] = gr_contact_sinkage(at, axle, w->radius, ground, normal) - dt * rate;
    }
}

/// r block rᵀ: a block of a contact-frame matrix in world axes.
static void set_block(const GrMat3 *r, const GrMat3 *block, GrMat6 *to, int row, int column)
{
    const GrMat3 left = gr_mat3_mul(r, block), back = gr_mat3_transpose(r);
    const GrMat3 turned = gr_mat3_mul(&left, &back);
    for (int a = 0; a < 3; a++) {
        memcpy(&to->m[row + a][column], turned.m[a], sizeof turned.m[a]);
    }
}

/// ∂wrench/∂twist with dt ∂wrench/∂pose in it: the soil was asked at the end of the step.
static GrMat6 world_slope(const GrContactFrame *f, const GrSoilOutput *out, double dt)
{
    const GrMat3 r = {{{f->x.x, f->y.x, f->z.x}, {f->x.y, f->y.y, f->z.y}, {f->x.z, f->y.z, f->z.z}}};
    GrMat3 blocks[2][2]; // [force, moment][linear, angular]
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            blocks[i / 3][j / 3].m[i % 3][j % 3] = out->d_twist[i][j];
        }
        blocks[i / 3][0].m[i % 3][2] -= dt * out->d_sinkage[i]; // moving up by v_z dt lifts the wheel
        blocks[i / 3][1].m[i % 3][0] += dt * out->d_roll[i];
    }
    GrMat6 slope; // (moment, force) by (angular, linear)
    set_block(&r, &blocks[1][1], &slope, 0, 0);
    set_block(&r, &blocks[1][0], &slope, 0, 3);
    set_block(&r, &blocks[0][1], &slope, 3, 0);
    set_block(&r, &blocks[0][0], &slope, 3, 3);
    return slope;
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
    }
    const GrVec3 local_v = gr_contact_to_frame(f, v), local_w = gr_contact_to_frame(f, w);
    const double values[6] = {local_v.x, local_v.y, local_v.z, local_w.x, local_w.y, local_w.z};
    memcpy(motion->twist, values, sizeof values);
    motion->wheel_angle = m->wheels[i].body > 0 ? gr_joint_position(&m->tree, &d->tree, m->wheels[i].body) : 0;
    motion->incline = asin(fmax(-1, fmin(1, f->x.z)));
}

static void evaluate_wheel(const GrModel *m, GrData *d, int i, double dt)
{
    const GrWheel *wheel = &m->wheels[i];
    const GrBodyFrame *body = &d->tree.frame[wheel->body];
    GrWheelContact *contact = &d->contact[i];
    const GrVec3 centre = wheel_centre(m, d, i); // relative to O
    const GrVec3 world = gr_add(gr_base_position(&d->tree), centre);
    const GrVec3 axle = gr_mat3_mul_vec(&body->rotation, wheel->axle);
    const double time = d->settling ? SETTLING_STEP : dt > 0 ? dt : INSTANT;
    double *next = d->soil_next + i * m->soil_state;
    GrVec3 ground;
    contact->on_map = find_plane(m, world, axle, m->soil_wheels[i].radius, &ground, &contact->normal);
    if (!contact->on_map) {
        memset(&contact->soil, 0, sizeof contact->soil);
        gr_soil_clear(&m->soil_wheels[i], next);
        return;
    }
    const GrVec3 hint = contact->frame.x;
    contact->frame = gr_contact_frame(axle, contact->normal, gr_norm(hint) > 0 ? hint : gr_vec3(1, 0, 0));
    GrSoilMotion motion;
    set_motion(m, d, i, &contact->frame, centre, &motion);
    fill_sinkages(m, i, world, axle, ground, contact->normal, d->settling ? 0 : dt, &motion);
    gr_soil_evaluate(&m->soil_wheels[i], &motion, time, d->soil_state + i * m->soil_state, next, &contact->soil);
    const double *f = contact->soil.wrench;
    gr_tree_add_wrench(&d->tree, wheel->body, centre, gr_contact_to_world(&contact->frame, gr_vec3(f[0], f[1], f[2])),
                       gr_contact_to_world(&contact->frame, gr_vec3(f[3], f[4], f[5])));
    if (dt > 0 && contact->soil.sinkage > 0) {
        const GrMat6 slope = world_slope(&contact->frame, &contact->soil, dt);
        gr_tree_add_slope(&d->tree, wheel->body, centre, &slope, NULL);
    }
}

void gr_contact_evaluate(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < m->wheel_count; i++) {
        evaluate_wheel(m, d, i, dt);
    }
}

void gr_contact_commit(const GrModel *m, GrData *d)
{
    memcpy(d->soil_state, d->soil_next, sizeof(double) * (size_t)(m->wheel_count * m->soil_state));
}

void gr_contact_begin_settling(const GrModel *m, GrData *d)
{
    if (m->soil_wheels == NULL) {
        return;
    }
    gr_tree_kinematics(&m->tree, &d->tree);
    memset(d->soil_state, 0, sizeof(double) * (size_t)(m->wheel_count * m->soil_state));
    for (int i = 0; i < m->wheel_count; i++) {
        d->contact[i].anchor = gr_add(gr_base_position(&d->tree), wheel_centre(m, d, i));
    }
    d->settling = true;
}

void gr_contact_end_settling(const GrModel *m, GrData *d)
{
    if (!d->settling) {
        return;
    }
    d->settling = false;
    gr_contact_commit(m, d);
    // The displacement mobilised shear; it was no way rolled, so the patch has no direction yet.
    static const int ROLLED[] = {GR_HEAD_ROLL, GR_HEAD_SLIP, GR_HEAD_ANGLE, GR_HEAD_SIDE, GR_HEAD_ANGLE_USED};
    for (int i = 0; i < m->wheel_count; i++) {
        for (size_t k = 0; k < sizeof ROLLED / sizeof ROLLED[0]; k++) {
            d->soil_state[i * m->soil_state + ROLLED[k]] = 0;
        }
    }
}

/// Wheels and the soil below them: the part common to patch laws and grid laws, and their contact data for callers.
#include "wheel_contact.h"

#include "check.h"
#include "device_call.h"
#include "dynamics.h"
#include "elementary.h"
#include "evaluate.h"

#include <string.h>

// ---- contact

/// The soils under a wheel; at least one.
static void find_soils(const GrModel *m, int wheel, GrVec3 at, GrSoilMix *mix)
{
    const GrSurfaceDef *surface = &m->options.surface;
    const int own = m->wheel_soil != NULL ? m->wheel_soil[wheel] : -1;
    *mix = (GrSoilMix){1, {(own >= 0 ? own : 0) + 1}, {1}};
    GrSoilMix found;
    if (own >= 0 || surface->soil_at == NULL || m->soil_count == 1 ||
        !GR_CALL(soils, surface->soil_at, surface->soil_context, at.x, at.y, &found)) {
        return;
    }
    *mix = found;
    for (int j = 0; j < mix->count; j++) {
        mix->classes[j] = mix->classes[j] >= 1 && mix->classes[j] <= m->soil_count ? mix->classes[j] : 1;
    }
}

void gr_wheel_leave(const GrModel *m, GrData *d, int wheel)
{
    memset(&d->contact[wheel].soil, 0, sizeof d->contact[wheel].soil);
    memset(gr_wheel_soil_state(m, d->soil_next, wheel, 0), 0, sizeof(double) * (size_t)(m->soil_count * m->soil_state));
    d->soil_used_next[wheel] = 0;
}

/// Sinkage of the last step; in the search for rest, that found so far, so that the wheel rests on the ground that its
/// first step will find.
static double last_sinkage(const GrModel *m, const GrData *d, int wheel, const GrGroundQuery *query)
{
    if (query->moment == GR_GROUND_REST) {
        return d->contact[wheel].rest_sinkage;
    }
    double sinkage = 0;
    for (int k = 0; k < m->soil_count; k++) {
        sinkage = fmax(sinkage, gr_wheel_soil_state(m, d->soil_state, wheel, k)[GR_HEAD_SINKAGE]);
    }
    return sinkage;
}

bool gr_wheel_place(const GrModel *m, const GrData *d, int i, const GrGroundQuery *query, GrWheelPlace *out)
{
    const GrWheel *wheel = &m->wheels[i];
    out->centre = gr_wheel_centre(m, d, i);
    out->world = gr_add(gr_base_position(&d->tree), out->centre);
    out->axle = gr_mat3_mul_vec(&d->tree.frame[wheel->body].rotation, wheel->axle);
    const GrGroundView view = {&m->options.surface, gr_ruts_over_ground(d)};
    if (!gr_wheel_ground(&view, &m->soil_wheels[i], out->world, out->axle, last_sinkage(m, d, i, query), &out->below)) {
        return false;
    }
    find_soils(m, i, out->below.point, &out->soils);
    return true;
}

/// A wheel on a spring instead of soil, for soil so stiff that the search for rest would miss the micrometres in which
/// it carries.
static void evaluate_on_spring(const GrModel *m, GrData *d, int i, const GrWheelPlace *place, bool linearise)
{
    const GrSoilWheel *w = &m->soil_wheels[i];
    double deepest = -INFINITY;
    for (int k = 0; k < w->slices; k++) {
        const double y = (k + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        const GrVec3 at = gr_madd(place->world, y, place->axle);
        deepest =
            fmax(deepest, gr_contact_sinkage(at, place->axle, w->radius, place->below.slices[k], place->below.normal));
    }
    memset(&d->contact[i].soil, 0, sizeof d->contact[i].soil);
    d->contact[i].soil.sinkage = deepest;
    const bool carried = deepest > 0 || (d->bedding.pulls && deepest > -w->radius);
    gr_tree_add_wrench(&d->tree, m->wheels[i].body, place->centre,
                       gr_scale(carried ? d->bedding.stiffness * deepest : 0, place->below.normal), gr_vec3(0, 0, 0));
    if (linearise && carried) {
        const double n[3] = {place->below.normal.x, place->below.normal.y, place->below.normal.z};
        GrMat6 jacobian = {0};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                jacobian.m[3 + r][3 + c] = -d->bedding.stiffness * n[r] * n[c];
            }
        }
        gr_tree_add_jacobian(&d->tree, m->wheels[i].body, place->centre, &jacobian, NULL);
    }
}

void gr_wheels_evaluate(const GrGroundInterface *ground, const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    for (int i = 0; i < m->wheel_count; i++) {
        GrWheelContact *contact = &d->contact[i];
        GrWheelPlace place;
        contact->on_map = gr_wheel_on_soil(m, i) && gr_wheel_place(m, d, i, query, &place);
        if (!contact->on_map) { // carried by nothing, or by the rigid world
            GR_CALL(leave, ground->leave, m, d, i);
            continue;
        }
        contact->normal = place.below.normal;
        contact->frame = place.below.frame;
        contact->point = place.below.point;
        contact->soil_index = place.soils.classes[0] - 1;
        contact->soil_rest = 1 - place.soils.shares[0];
        contact->wheel_angle = m->wheels[i].body > 0 ? gr_joint_position(&m->tree, &d->tree, m->wheels[i].body) : 0;
        if (d->bedding.stiffness > 0) {
            evaluate_on_spring(m, d, i, &place, query->linearise);
        } else {
            GR_CALL(wheel, ground->wheel, m, d, i, &place, query);
        }
    }
}

void gr_wheels_begin_rest(const GrModel *m, GrData *d)
{
    memset(d->soil_state, 0, sizeof(double) * (size_t)(m->wheel_count * m->soil_count * m->soil_state));
    memset(d->soil_used, 0, sizeof(unsigned) * (size_t)m->wheel_count);
    for (int i = 0; i < m->wheel_count; i++) {
        d->contact[i].rest_sinkage = d->contact[i].flex = 0;
    }
    gr_wheels_anchor(m, d);
}

void gr_wheels_anchor(const GrModel *m, GrData *d)
{
    for (int i = 0; i < m->wheel_count; i++) {
        d->contact[i].anchor = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
    }
}

GrVec3 gr_wheel_moved(const GrData *d, int wheel, GrVec3 world, GrVec3 normal)
{
    const GrVec3 moved = gr_sub(world, d->contact[wheel].anchor);
    return gr_madd(moved, -gr_dot(moved, normal), normal);
}

bool gr_wheels_ground_varies(const GrModel *m, const GrData *d)
{
    return m->soil_wheels != NULL && (m->options.surface.height != NULL || gr_ruts_over_ground(d) != NULL);
}

void gr_wheels_refine_rest(const GrModel *m, GrData *d)
{
    for (int i = 0; i < m->wheel_count; i++) {
        d->contact[i].rest_sinkage = fmax(0, d->contact[i].soil.sinkage);
    }
}

void gr_wheels_end_rest(const GrModel *m, GrData *d)
{
    static const int ROLLED[] = {GR_HEAD_ROLL, GR_HEAD_SLIP,       GR_HEAD_ANGLE,
                                 GR_HEAD_SIDE, GR_HEAD_ANGLE_USED, GR_HEAD_CLIMB};
    for (int i = 0; i < m->wheel_count * m->soil_count; i++) {
        for (size_t k = 0; k < sizeof ROLLED / sizeof ROLLED[0]; k++) {
            d->soil_state[i * m->soil_state + ROLLED[k]] = 0;
        }
    }
}

void gr_wheels_commit(const GrModel *m, GrData *d)
{
    const size_t wheels = (size_t)m->wheel_count;
    memcpy(d->soil_state, d->soil_next, sizeof(double) * wheels * (size_t)(m->soil_count * m->soil_state));
    memcpy(d->soil_used, d->soil_used_next, sizeof(unsigned) * wheels);
}

// ---- views

static GrVec3 mean_point(const GrBodyContact *c)
{
    return c->normal > 0 ? gr_scale(1 / c->normal, c->point) : gr_vec3(0, 0, 0);
}

double gr_wheel_sign(const GrModel *m, int wheel)
{
    return m->wheels[wheel].axle.z >= 0 ? 1 : -1; // the joint's axis is z of the wheel's body
}

GrWheelSlip gr_wheel_slip(const GrModel *m, const GrData *d, int wheel)
{
    const GrWheelContact *contact = &d->contact[wheel];
    if (contact->soil.sinkage > 0) {
        return (GrWheelSlip){true, contact->frame, contact->soil.slip, contact->soil.slip_angle};
    }
    const GrWheel *w = &m->wheels[wheel];
    const GrBodyFrame *body = &d->tree.frame[w->body];
    const GrVec3 axle = gr_mat3_mul_vec(&body->rotation, w->axle);
    GrWheelSlip out = {.frame = gr_contact_frame(axle, gr_vec3(0, 0, 1), gr_vec3(1, 0, 0))};
    out.touches = d->rigid != NULL && d->rigid_contact[wheel].count > 0;
    if (out.touches && w->body > 0) {
        const GrVec3 centre = gr_add(body->origin, gr_mat3_mul_vec(&body->rotation, w->centre));
        const GrVec3 v = gr_twist_at(body->twist, centre);
        const double v_x = gr_dot(v, out.frame.x), v_y = gr_dot(v, out.frame.y);
        // at the same instant as v; the joint's own rate is already that at the end of the step
        const double rate = gr_dot(body->twist.ang, out.frame.y);
        out.slip = gr_slip_ratio(rate * (w->radius + w->grouser_height), v_x);
        out.slip_angle = v_x != 0 || v_y != 0 ? gr_atan2(v_y, fabs(v_x)) : 0;
    }
    return out;
}

GrWheelView gr_data_wheel(const GrModel *m, const GrData *d, int wheel)
{
    GR_CHECK_OR_RETURN(wheel >= 0 && wheel < m->wheel_count, (GrWheelView){0});
    const GrWheelContact *c = &d->contact[wheel];
    const GrModeLog *log = &d->mode_log[wheel];
    GrWheelView view = {.soil = -1, .changes = log->changes, .chatter = gr_mode_log_chatter(log)};
    for (int i = 0; i < GR_SURFACE_COUNT; i++) {
        view.modes[i] = log->mode[i];
    }
    const GrWheelSlip slip = gr_wheel_slip(m, d, wheel);
    view.slip = slip.slip;
    view.slip_angle = slip.slip_angle;
    if (m->soil_wheels != NULL && c->on_map) {
        const double *f = c->soil.wrench;
        view.on_map = true;
        view.soil = c->soil_index;
        view.forward = c->frame.x;
        view.normal = c->frame.z;
        view.sinkage = gr_wheel_depth(d, wheel);
        view.force = gr_vec3(f[0], f[1], f[2]);
        view.moment = gr_vec3(f[3], f[4], f[5]);
        view.world_force = gr_contact_to_world(&c->frame, view.force);
        view.torque = -f[4];
        view.flags = c->soil.flags;
    }
    if (d->rigid != NULL) {
        const GrBodyContact *contact = &d->rigid_contact[wheel];
        view.rock_force = contact->force;
        view.rock_point = mean_point(contact);
        view.rock_contacts = contact->count;
    }
    return view;
}

/// Rigid contacts, and those with the grid where bodies press it; their points are weighted by force.
GrBodyView gr_data_body_contact(const GrModel *m, const GrData *d, int body)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, (GrBodyView){0});
    const int moving = m->places[body].body, driven = d->rigid != NULL ? m->rigid.of_body[moving] : -1;
    GrBodyContact sum = {.count = 0};
    if (driven >= 0) {
        sum = d->rigid_contact[driven];
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        const GrSoilTouch *touch = &d->soil_touch[k];
        if (m->soil_shapes[k].body == moving && touch->patches > 0) {
            const double size = gr_norm(touch->force);
            sum.force = gr_add(sum.force, touch->force);
            sum.point = gr_madd(sum.point, size, touch->point);
            sum.normal += size;
            sum.count += touch->patches;
        }
    }
    return (GrBodyView){sum.force, mean_point(&sum), sum.count};
}

GrPose gr_data_loose_pose(const GrModel *m, const GrData *d, int loose)
{
    GR_CHECK_OR_RETURN(loose >= 0 && loose < gr_model_loose_count(m), gr_pose_identity());
    return gr_rigid_loose_pose(m->rigid.world, d->rigid, loose);
}

bool gr_data_loose_asleep(const GrModel *m, const GrData *d, int loose)
{
    GR_CHECK_OR_RETURN(loose >= 0 && loose < gr_model_loose_count(m), true);
    (void)m;
    return gr_rigid_loose_asleep(d->rigid, loose);
}

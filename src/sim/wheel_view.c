/// Contact data of wheels and bodies for callers.
#include "wheel_view.h"

#include "check.h"
#include "elementary.h"

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

/// Contact of wheels and bodies, for those who look from outside.
#include "data.h"

static GrVec3 mean_point(const GrHardContact *c)
{
    return c->normal > 0 ? gr_scale(1 / c->normal, c->point) : gr_vec3(0, 0, 0);
}

GrWheelView gr_data_wheel(const GrModel *m, const GrData *d, int wheel)
{
    const GrWheelContact *c = &d->contact[wheel];
    const GrModeLog *log = &d->mode_log[wheel];
    GrWheelView view = {.soil = -1, .changes = log->changes, .chatter = gr_mode_log_chatter(log)};
    for (int i = 0; i < GR_SURFACE_COUNT; i++) {
        view.modes[i] = log->mode[i];
    }
    if (m->soil_wheels != NULL && c->on_map) {
        const double *f = c->soil.wrench;
        view.on_map = true;
        view.soil = c->soil_index;
        view.forward = c->frame.x;
        view.normal = c->frame.z;
        view.sinkage = c->soil.sinkage;
        view.slip = c->soil.slip;
        view.slip_angle = c->soil.slip_angle;
        view.force = gr_vec3(f[0], f[1], f[2]);
        view.moment = gr_vec3(f[3], f[4], f[5]);
        view.world_force = gr_contact_to_world(&c->frame, view.force);
        view.torque = -f[4];
        view.flags = c->soil.flags;
    }
    if (d->rigid != NULL) {
        const GrHardContact *hard = &d->hard_contact[wheel];
        view.rock_force = hard->force;
        view.rock_point = mean_point(hard);
        view.rock_contacts = hard->count;
    }
    return view;
}

/// What is hard, and the grid where bodies press it; a point of each by its force.
GrBodyView gr_data_body_contact(const GrModel *m, const GrData *d, int body)
{
    const int moving = m->places[body].body, driven = d->rigid != NULL ? m->hard.of_body[moving] : -1;
    GrHardContact sum = {.count = 0};
    if (driven >= 0) {
        sum = d->hard_contact[driven];
    }
    for (int k = 0; k < m->scm_shape_count; k++) {
        const GrScmTouch *touch = &d->scm_touch[k];
        if (m->scm_shapes[k].body == moving && touch->patches > 0) {
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
    return gr_rigid_loose_pose(m->hard.world, d->rigid, loose);
}

bool gr_data_loose_asleep(const GrModel *m, const GrData *d, int loose)
{
    (void)m;
    return gr_rigid_loose_asleep(d->rigid, loose);
}

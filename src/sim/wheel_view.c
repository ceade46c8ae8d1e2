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

GrBodyView gr_data_body_contact(const GrModel *m, const GrData *d, int body)
{
    const int driven = d->rigid != NULL ? m->hard.of_body[m->places[body].body] : -1;
    if (driven < 0) {
        return (GrBodyView){0};
    }
    const GrHardContact *hard = &d->hard_contact[driven];
    return (GrBodyView){hard->force, mean_point(hard), hard->count};
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

/// Wheels that leave traces in the ground that they, and others, drive on.
#include "data.h"

bool gr_trace_contact_create(const GrModel *m, GrData *d)
{
    if (m->trace_wheels == NULL) {
        return true;
    }
    GrRutsDef def = gr_default_ruts_def();
    def.cell = m->options.surface.rut_cell;
    d->ruts = gr_ruts_create(&def, NULL);
    return d->ruts != NULL;
}

GrStatus gr_trace_contact_reserve(const GrModel *m, GrData *d)
{
    int tiles = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        tiles += gr_trace_tiles(&m->trace_wheels[i], m->options.surface.rut_cell);
    }
    return gr_ruts_tiles_free(d->ruts) >= tiles ? GR_OK : gr_ruts_reserve(d->ruts, 4 * tiles);
}

void gr_trace_contact_commit(const GrModel *m, GrData *d)
{
    for (int i = 0; i < m->wheel_count; i++) {
        GrWheelContact *contact = &d->contact[i];
        const GrTraceWheel *wheel = &m->trace_wheels[contact->soil_index * m->wheel_count + i];
        const GrTraceMotion motion = {.point = contact->point,
                                      .ahead = contact->frame.x,
                                      .normal = contact->normal,
                                      .angle = contact->wheel_angle,
                                      .load = contact->on_map ? contact->soil.wrench[2] : 0,
                                      .slip = contact->soil.slip};
        if (gr_trace_advance(wheel, &d->trace_track[i], &motion, d->ruts) & (GR_TRACE_LIGHT | GR_TRACE_HEAVY)) {
            contact->soil.flags |= GR_FLAG_TRACE;
        }
    }
}

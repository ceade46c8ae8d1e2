/// Events of contacts, for an integrator with root finding (as LS10 and B23 do): where wheels touch and
/// leave the ground, and where they begin to slip.
#include "contact_events.h"

/// Rounding makes parked wheels slip to and fro; below this speed their direction does not count as reversed [m/s].
static const double REVERSAL = 1e-6;

/// Two events for each body that may touch something rigid, touch and slip, and the same again for contacts among the
/// rover's own bodies.
static int rigid_events(const GrModel *m)
{
    return m->tree.pair_capacity > 0 ? 4 : 2;
}

/// Two events for each wheel on soil, touch and direction of slip; then those of rigid_events().
int gr_contact_event_count(const GrModel *m, const GrData *d)
{
    return (m->soil_wheels != NULL ? 2 * m->wheel_count : 0) +
           (d->rigid != NULL ? rigid_events(m) * m->rigid.count : 0);
}

static double slip_speed(const GrModel *m, const GrData *d, int wheel)
{
    const GrWheel *w = &m->wheels[wheel];
    const GrContactFrame *frame = &d->contact[wheel].frame;
    const GrTwist twist = d->tree.frame[w->body].twist;
    const GrVec3 v = gr_twist_at(twist, gr_wheel_centre(m, d, wheel));
    return m->soil_wheels[wheel].radius * gr_dot(twist.ang, frame->y) - gr_dot(v, frame->x);
}

void gr_contact_events(const GrModel *m, const GrData *d, double *values)
{
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++, values += 2) {
        const GrWheelContact *contact = &d->contact[i];
        values[0] = contact->on_map ? contact->depth : -1;
        values[1] = contact->on_map && contact->depth > 0 ? slip_speed(m, d, i) + REVERSAL : 1;
    }
    for (int i = 0; d->rigid != NULL && i < m->rigid.count; i++, values += rigid_events(m)) {
        values[0] = d->rigid_contact[i].count > 0 ? 1 : -1;
        values[1] = d->rigid_contact[i].slipping > 0 ? 1 : -1;
        if (m->tree.pair_capacity > 0) {
            values[2] = d->self_contact[i].count > 0 ? 1 : -1;
            values[3] = d->self_contact[i].slipping > 0 ? 1 : -1;
        }
    }
}

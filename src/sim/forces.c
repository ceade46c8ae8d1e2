/// The force field of the tree: after kinematics, grounds and the caller add wrenches and Jacobians; and events of
/// contacts, for an integrator with root finding.
#include "forces.h"

#include "data.h"
#include "device_call.h"
#include "dynamics.h"

#include <string.h>

// ---- events

/// Rounding makes parked wheels slip to and fro; below this speed their direction does not count as reversed [m/s].
static const double REVERSAL = 1e-6;

/// Two events for each body that may touch something rigid, touch and slip, and the same again for contacts among the
/// rover's own bodies.
static int rigid_events(const GrModel *m)
{
    return m->tree.pair_capacity > 0 ? 4 : 2;
}

/// Two events for each wheel on soil, touch and direction of slip; then those of rigid_events().
static int contact_event_count(const GrModel *m, const GrData *d)
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

static void contact_events(const GrModel *m, const GrData *d, double *values)
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

// ---- forces

/// Adds what the caller does; kept apart, because it does not load wheels as the ground does.
static void push(const GrModel *m, GrData *d, double dt)
{
    if (d->force != NULL) {
        memset(d->outside, 0, sizeof *d->outside * (size_t)m->tree.body_count);
        GR_CALL(force, d->force, d->force_context, m, d, dt);
    }
}

static void evaluate(const GrModel *m, GrData *d, GrGroundMoment moment, double dt)
{
    gr_grounds_evaluate(m, d, moment, dt);
    push(m, d, dt);
}

void gr_forces_follow(const GrModel *m, GrData *d, double dt)
{
    gr_tree_kinematics(&m->tree, &d->tree);
    evaluate(m, d, GR_GROUND_END, dt);
}

void gr_field_evaluate(void *context, const GrTree *t, GrTreeData *tree, double dt)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    if (forces->sliding) {
        gr_grounds_anchor(forces->m, forces->d);
    }
    evaluate(forces->m, forces->d, forces->moment, dt);
}

static bool linearise_field(void *context, const GrTree *t, GrTreeData *tree)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    if (forces->sliding) {
        gr_grounds_anchor(forces->m, forces->d);
    }
    const bool complete = gr_grounds_linearise(forces->m, forces->d, forces->sliding);
    push(forces->m, forces->d, 0);
    return complete && forces->d->force == NULL; // how it depends on poses is unknown: it may be another ground
}

bool gr_field_revise(void *context, const GrTree *t, GrTreeData *tree, double dt)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    GrData *d = forces->d;
    const bool grounds = gr_grounds_revise(forces->m, d, dt);
    return (d->revise != NULL && GR_CALL(revise_force, d->revise, d->force_context, forces->m, d, dt)) || grounds;
}

static void find_events(void *context, const GrTree *t, const GrTreeData *tree, double *values)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    contact_events(forces->m, forces->d, values);
}

GrForceField gr_force_field(GrForces *forces)
{
    const bool revisable = forces->d->rigid != NULL || forces->m->soil_unloads || forces->d->revise != NULL;
    return (GrForceField){
        .evaluate = GR_POINTER(gr_field_evaluate),
        .context = forces,
        .revise = revisable && forces->moment != GR_GROUND_REST ? GR_POINTER(gr_field_revise) : NULL,
        .linearise = forces->moment == GR_GROUND_REST ? GR_POINTER(linearise_field) : NULL,
        .events = GR_POINTER(find_events),
        .event_count = contact_event_count(forces->m, forces->d),
    };
}

/// The force field of the tree: after kinematics, grounds and the caller add wrenches and Jacobians.
#include "forces.h"

#include "contact_events.h"
#include "dynamics.h"

#include <string.h>

/// Adds what the caller does; kept apart, because it does not load wheels as the ground does.
static void push(const GrModel *m, GrData *d, double dt)
{
    if (d->force != NULL) {
        memset(d->outside, 0, sizeof *d->outside * (size_t)m->tree.body_count);
        d->force(d->force_context, m, d, dt);
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

static void evaluate_field(void *context, const GrTree *t, GrTreeData *tree, double dt)
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

static bool revise_field(void *context, const GrTree *t, GrTreeData *tree, double dt)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    return gr_grounds_revise(forces->m, forces->d, dt);
}

static void find_events(void *context, const GrTree *t, const GrTreeData *tree, double *values)
{
    (void)t;
    (void)tree;
    const GrForces *forces = context;
    gr_contact_events(forces->m, forces->d, values);
}

GrForceField gr_force_field(GrForces *forces)
{
    const bool revisable = forces->d->rigid != NULL || forces->m->soil_unloads;
    return (GrForceField){
        .evaluate = evaluate_field,
        .context = forces,
        .revise = revisable && forces->moment != GR_GROUND_REST ? revise_field : NULL,
        .linearise = forces->moment == GR_GROUND_REST ? linearise_field : NULL,
        .events = find_events,
        .event_count = gr_contact_event_count(forces->m, forces->d),
    };
}

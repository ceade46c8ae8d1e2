/// Distance of a driven body from everything else, so that collision detection can be skipped until it has moved that
/// far.
#include "world.h"

/// Clearance is computed up to this fraction of a body's reach.
static const double CLEARANCE_SHARE = 0.5;

/// A body approaches the ground by its own motion and by the rise of the ground below it, with a slope of up to 3 in 1.
static const double GROUND_SHARE = 0.25;

void gr_rigid_find_clearance(const GrRigidWorld *w, GrRigidState *s)
{
    for (int i = 0; i < w->driven_count; i++) {
        if (s->near[i]) {
            const GrRigidBody *b = &w->bodies[w->driven_body[i]];
            s->seen_next[i].rotation = gr_quat_to_mat3(s->driven_pose[i].rotation);
            s->seen_next[i].origin = s->driven_pose[i].position;
            const bool look = s->counts[GR_AWAKE_LOOSE] > 0 || (w->sociable != NULL && w->sociable[i]);
            s->seen_next[i].margin = look ? 0 : CLEARANCE_SHARE * b->reach;
        }
    }
    for (int i = 0; i < s->active_count[0]; i++) {
        const int slot = s->active[i];
        const GrRigidBody *b = &w->bodies[w->shapes[w->movable[slot]].body];
        if (b->motion != GR_RIGID_DRIVEN || !(s->seen_next[b->slot].margin > 0)) {
            continue;
        }
        double *margin = &s->seen_next[b->slot].margin;
        *margin = fmin(*margin, GROUND_SHARE * s->gap[slot]);
        if (!(*margin > 0)) {
            *margin = 0;
            continue;
        }
        *margin = gr_bounds_tree_gap(w->tree, w->node_count, &s->bounds[slot], *margin);
        *margin = gr_rigid_late_gap(w, &s->bounds[slot], *margin);
        *margin = gr_bounds_tree_gap(s->sleepers, s->counts[GR_SLEEPER_NODES], &s->bounds[slot], *margin);
    }
}

bool gr_rigid_may_touch(const GrRigidWorld *w, const GrRigidState *s, int driven, const GrMat3 *rotation, GrVec3 origin)
{
    // nothing is committed while the rover settles, and nothing else moves: every evaluation is valid for the next
    const GrSeenBody *seen = s->settling ? &s->seen_next[driven] : &s->seen[driven];
    if (!(seen->margin > 0) || s->counts[GR_AWAKE_LOOSE] > 0) {
        return true;
    }
    double turned = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double change = rotation->m[i][j] - seen->rotation.m[i][j];
            turned += change * change;
        }
    }
    // moved + reach turned > margin, by (a + b)² ≤ 2 (a² + b²) without roots
    const GrVec3 moved = gr_sub(origin, seen->origin);
    const double reach = w->bodies[w->driven_body[driven]].reach;
    return 2 * (gr_dot(moved, moved) + reach * reach * turned) > seen->margin * seen->margin;
}

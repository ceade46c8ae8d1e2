/// One evaluation of all contacts: place, find pairs, find points, forces, loads.
#include "device_call.h"
#include "elementary.h"
#include "manifold.h"
#include "world.h"

#include <string.h>

/// A point of a pair is matched with one of the last step within this fraction of the smaller shape's reach.
static const double MATCH_SHARE = 0.25;

/// Fraction of critical damping of a loose body in soil; 1, so that it does not bounce.
static const double SOIL_DAMPING = 1;

/// Index of the first kept contact whose key is not less.
static int find_kept(const GrRigidState *s, uint64_t key)
{
    int low = 0, high = s->counts[GR_KEPT_COUNT];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (s->kept[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Memory of a point on the ground, which is identified by its feature.
static GrContactMemory recall_feature(const GrRigidState *s, uint64_t key, int feature)
{
    for (int i = find_kept(s, key); i < s->counts[GR_KEPT_COUNT] && s->kept[i].key == key; i++) {
        if (s->kept[i].feature == feature) {
            return s->kept[i].memory;
        }
    }
    return (GrContactMemory){0};
}

/// Memory of the nearest point of the pair; a point that split in two passes it to both. `first`: from find_kept().
static GrContactMemory recall_nearest(const GrRigidState *s, int first, uint64_t key, GrVec3 position, double range)
{
    int best = -1;
    double least = range;
    for (int i = first; i < s->counts[GR_KEPT_COUNT] && s->kept[i].key == key; i++) {
        const double distance = gr_norm(gr_sub(s->kept[i].position, position));
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best >= 0 ? s->kept[best].memory : (GrContactMemory){0};
}

/// Two materials at the curvature of a contact: 1/R = 1/R1 + 1/R2, and the stiffness goes with √R (Hertz 1882).
static GrPairMaterial pair_of(const GrRigidWorld *w, int a, double radius_a, int b, double radius_b)
{
    GrPairMaterial pair = w->pairs[a * w->material_count + b];
    pair.radius = 1 / (1 / radius_a + 1 / radius_b);
    pair.hertz *= sqrt(pair.radius);
    return pair;
}

/// Material of a shape at a contact point: on rocks by position, where there are zones.
static int material_at(const GrRigidWorld *w, const GrRigidShape *shape, const GrPlacedConvex *placed, GrVec3 point,
                       GrVec3 outward)
{
    if (w->rock_zone_count == 0 || !w->bodies[shape->body].stone) {
        return shape->material;
    }
    const double z = gr_mat3_tmul_vec(&placed->rotation, gr_sub(point, placed->position)).z;
    const double tilt = gr_acos(fmin(1, fmax(-1, gr_mat3_tmul_vec(&placed->rotation, outward).z)));
    double lower = shape->rock_lower, upper = shape->rock_upper;
    if (lower == upper) {
        lower = gr_convex_support(&shape->convex, gr_vec3(0, 0, -1)).z;
        upper = gr_convex_support(&shape->convex, gr_vec3(0, 0, 1)).z;
    }
    const double height = fmin(1, fmax(0, (z - lower) / (upper - lower)));
    for (int i = 0; i < w->rock_zone_count; i++) {
        const GrRockZone *zone = &w->rock_zones[i];
        if (height >= zone->height_lower && height <= zone->height_upper && tilt >= zone->facing_lower &&
            tilt <= zone->facing_upper) {
            return zone->material;
        }
    }
    return shape->material;
}

/// A contact as found: identity, position and memory.
typedef struct Found {
    GrKeptContact kept;
    int body_a, body_b;
    double depth;
    GrVec3 normal;
    GrFlexShare share; ///< in soil: the force of the pressure, with its derivatives
} Found;

/// Displacement of the material point of a driven body at p since settling began.
static GrVec3 moved(const GrRigidWorld *w, const GrRigidState *s, int body, GrVec3 p)
{
    if (body < 0 || w->bodies[body].motion != GR_RIGID_DRIVEN) {
        return gr_vec3(0, 0, 0);
    }
    const GrPose now = s->driven_pose[w->bodies[body].slot], then = s->anchor[w->bodies[body].slot];
    const GrVec3 local = gr_quat_rotate(gr_quat_conjugate(now.rotation), gr_sub(p, now.position));
    return gr_sub(p, gr_add(then.position, gr_quat_rotate(then.rotation, local)));
}

/// Adds a contact with its motion and force. False when there is no room.
static bool add_contact(const GrRigidWorld *w, GrRigidState *s, const Found *found, const GrPairMaterial *pair,
                        double dt)
{
    if (s->live_count[0] == w->contact_capacity) {
        return false;
    }
    GrLiveContact *c = &s->live[s->live_count[0]++];
    const GrVec3 p = found->kept.position;
    c->kept = found->kept;
    c->body_a = found->body_a;
    c->body_b = found->body_b;
    c->pair = *pair;
    c->motion.depth = found->depth;
    c->motion.normal = found->normal;
    c->motion.velocity =
        gr_sub(gr_rigid_point_velocity(w, s, c->body_b, p), gr_rigid_point_velocity(w, s, c->body_a, p));
    c->motion.spin = gr_sub(gr_rigid_spin(w, s, c->body_b), gr_rigid_spin(w, s, c->body_a));
    c->motion.share = found->share;
    if (found->share.given) { // damped, but never adhesive
        const double closing = -gr_dot(c->motion.velocity, c->motion.normal);
        c->motion.share.force = fmax(0, found->share.force + found->share.drate * closing);
        c->motion.share.drate = c->motion.share.force > 0 ? found->share.drate : 0;
    }
    if (s->settling) {
        c->kept.memory =
            (GrContactMemory){.travel = gr_sub(moved(w, s, c->body_b, p), moved(w, s, c->body_a, p)), .touching = true};
    }
    if (!c->kept.memory.touching) {
        c->kept.memory.impact = fmax(0, -gr_dot(c->motion.velocity, c->motion.normal));
    }
    gr_contact_force(pair, &c->motion, &c->kept.memory, dt, &c->force);
    return true;
}

/// Material of the ground at a contact point.
static int ground_material(const GrRigidWorld *w, GrVec3 p)
{
    const int here = w->ground_material_at != NULL
                         ? GR_CALL(material, w->ground_material_at, w->ground_material_context, p.x, p.y)
                         : -1;
    return here >= 0 && here < w->material_count ? here : w->ground_material;
}

/// Adds the contact of a loose body with soil. `rigid`: there is no soil here, and nothing was added.
static bool soft_contacts(const GrRigidWorld *w, GrRigidState *s, int slot, double dt, bool *rigid)
{
    const int shape = w->movable[slot], body = w->shapes[shape].body, loose = w->bodies[body].slot;
    GrSoftPatch patch;
    gr_soft_patch(&w->soft, &w->ground, &s->placed[slot], s->loose[loose].sunk, &patch);
    *rigid = patch.rigid;
    s->gap[slot] = 0;
    s->soft_depth[loose] = patch.rigid ? 0 : fmax(0, patch.depth);
    double stiffness = 0, force = 0;
    for (int i = 0; i < patch.count; i++) {
        stiffness += patch.points[i].stiffness;
        force += patch.points[i].force;
    }
    const double damping = 2 * SOIL_DAMPING * sqrt(stiffness * w->bodies[body].mass);
    const uint64_t key = (uint64_t)shape + 1;
    for (int i = 0; i < patch.count; i++) {
        const GrSoftPoint *p = &patch.points[i];
        GrPairMaterial pair = w->pairs[w->ground_material * w->material_count + w->shapes[shape].material];
        pair.friction = pair.stiction = p->friction;
        // k δ^1.5 equals the force of the pressure, which scales friction
        pair.hertz = p->force / (p->depth * sqrt(p->depth));
        pair.radius = p->radius * p->radius / p->depth; // a = √(R δ) is the patch's radius
        const Found found = {
            .kept = {key, p->feature, p->position, recall_feature(s, key, p->feature)},
            .body_a = -1,
            .body_b = body,
            .depth = p->depth,
            .normal = patch.normal,
            .share = {true, p->depth, p->force, p->stiffness, damping * p->force / force},
        };
        if (!add_contact(w, s, &found, &pair, dt)) {
            return false;
        }
    }
    return true;
}

static bool ground_contacts(const GrRigidWorld *w, GrRigidState *s, int slot, double dt)
{
    GrGroundPoint points[GR_GROUND_POINTS];
    const int shape = w->movable[slot], body = w->shapes[shape].body;
    const GrRigidBody *b = &w->bodies[body];
    if (!gr_rigid_groups_meet(b->category, b->collides_with, GR_GROUP_GROUND, ~0u) ||
        gr_rigid_ignore(w, w->shapes[shape].group, w->ground_group)) {
        s->gap[slot] = INFINITY;
        return true;
    }
    if (b->motion == GR_RIGID_LOOSE && w->soft.at != NULL) {
        bool rigid;
        const bool room = soft_contacts(w, s, slot, dt, &rigid);
        if (!rigid) {
            return room;
        }
    }
    const int count = gr_ground_points(&w->ground, &s->placed[slot], points, &s->gap[slot]);
    if (count == 0) {
        return true;
    }
    const GrRigidShape *sh = &w->shapes[shape];
    const uint64_t key = (uint64_t)shape + 1;
    GrPairMaterial pair = {0};
    int material = -1, own = -1;
    for (int i = 0; i < count; i++) {
        const int here = ground_material(w, points[i].position);
        const int of_shape = material_at(w, sh, &s->placed[slot], points[i].position, gr_neg(points[i].normal));
        if (here != material || of_shape != own) {
            pair = pair_of(w, here, INFINITY, of_shape, gr_convex_curvature(&sh->convex));
            material = here;
            own = of_shape;
        }
        const GrPairMaterial weighted = gr_pair_share(&pair, points[i].weight);
        const Found found = {
            .kept = {key, points[i].feature, points[i].position, recall_feature(s, key, points[i].feature)},
            .body_a = -1,
            .body_b = body,
            .depth = points[i].depth,
            .normal = points[i].normal,
        };
        if (!add_contact(w, s, &found, &weighted, dt)) {
            return false;
        }
    }
    return true;
}

static bool pair_contacts(const GrRigidWorld *w, GrRigidState *s, uint64_t key, double dt)
{
    const int shape_a = (int)(key >> 32) - 1, shape_b = (int)(key & 0xffffffffu) - 1;
    const GrRigidShape *a = gr_rigid_shape(w, shape_a), *b = gr_rigid_shape(w, shape_b);
    GrManifold m;
    const int at = find_kept(s, key);
    const bool touched = at < s->counts[GR_KEPT_COUNT] && s->kept[at].key == key;
    const GrPlacedConvex *at_a = gr_rigid_placed(w, s, shape_a), *at_b = gr_rigid_placed(w, s, shape_b);
    gr_manifold(at_a, at_b, touched, &m);
    if (m.count == 0) {
        return true;
    }
    const double range = MATCH_SHARE * fmin(gr_convex_reach(&a->convex), gr_convex_reach(&b->convex));
    for (int i = 0; i < m.count; i++) {
        const GrVec3 p = m.points[i].position;
        const int material_a = material_at(w, a, at_a, p, m.normal);
        const int material_b = material_at(w, b, at_b, p, gr_neg(m.normal));
        const GrPairMaterial pair =
            pair_of(w, material_a, gr_convex_curvature(&a->convex), material_b, gr_convex_curvature(&b->convex));
        const GrPairMaterial weighted = gr_pair_share(&pair, m.points[i].weight);
        const Found found = {
            .kept = {key, i, m.points[i].position, recall_nearest(s, at, key, m.points[i].position, range)},
            .body_a = a->body,
            .body_b = b->body,
            .depth = m.points[i].depth,
            .normal = m.normal,
        };
        if (!add_contact(w, s, &found, &weighted, dt)) {
            return false;
        }
    }
    return true;
}

/// Adds `times` the load of a contact to the driven body `body`; `side` is +1 for b and −1 for a.
static void add_load(const GrRigidWorld *w, const GrRigidState *s, const GrLiveContact *c, int body, double side,
                     double times, GrRigidLoad *loads)
{
    GrRigidLoad *load = &loads[w->bodies[body].slot];
    const GrVec3 r = gr_sub(c->kept.position, gr_rigid_reference(w, s, body));
    const GrWrench wrench =
        gr_wrench_at(r, gr_scale(times * side, c->force.force), gr_scale(times * side, c->force.moment));
    const GrMat6 dtwist = gr_mat6_shift(&c->force.dtwist, r), dpose = gr_mat6_shift(&c->force.dpose, r);
    load->wrench = gr_wrench_add(load->wrench, wrench);
    gr_mat6_madd(&load->dtwist, times, &dtwist); // by its own motion, so the sign of the side enters twice
    gr_mat6_madd(&load->dpose, times, &dpose);
    load->touches = true;
}

static bool is_driven(const GrRigidWorld *w, int body)
{
    return body >= 0 && w->bodies[body].motion == GR_RIGID_DRIVEN;
}

/// Adds loads of contacts with fixed bodies; for an instant (dt = 0), also of those with loose bodies.
static void add_loads(const GrRigidWorld *w, const GrRigidState *s, bool with_loose, GrRigidLoad *loads)
{
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        const int bodies[2] = {c->body_a, c->body_b};
        for (int side = 0; side < 2; side++) {
            const int body = bodies[side], other = bodies[1 - side];
            const bool loose = gr_rigid_is_awake(w, s, other) && w->bodies[other].motion == GR_RIGID_LOOSE;
            if (is_driven(w, body) && !is_driven(w, other) && (with_loose || !loose)) {
                add_load(w, s, c, body, side == 1 ? 1 : -1, 1, loads);
            }
        }
    }
}

static GrStatus find_contacts(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    gr_rigid_place(w, s);
    const int pairs = gr_rigid_find_pairs(w, s);
    if (pairs < 0) {
        return GR_ERROR_MEMORY;
    }
    s->live_count[0] = 0;
    for (int i = 0; i < s->active_count[0]; i++) { // first: its key is the lowest
        if (!ground_contacts(w, s, s->active[i], dt)) {
            return GR_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < pairs; i++) {
        if (!pair_contacts(w, s, s->pairs[i], dt)) {
            return GR_ERROR_MEMORY;
        }
    }
    return GR_OK;
}

/// Stores the poses of the driven bodies; returns whether any is near something.
static bool place_driven(const GrRigidWorld *w, GrRigidState *s, const bool *near, const GrPose *poses,
                         const GrTwist *twists)
{
    bool any = false;
    for (int i = 0; i < w->driven_count; i++) {
        s->near[i] = near == NULL || near[i];
        any = any || s->near[i];
        if (s->near[i]) {
            s->driven_pose[i] = poses[i];
            s->driven_twist[i] = twists[i];
        }
    }
    return any;
}

bool gr_rigid_would_touch(const GrRigidWorld *w, GrRigidState *s, const bool *near, const GrPose *poses,
                          const GrTwist *twists)
{
    if (!place_driven(w, s, near, poses, twists)) {
        return false;
    }
    gr_rigid_place(w, s);
    const int pairs = gr_rigid_find_pairs(w, s);
    bool touches = pairs < 0;
    s->live_count[0] = 0;
    for (int i = 0; i < pairs; i++) {
        touches = !pair_contacts(w, s, s->pairs[i], 0) || touches;
    }
    for (int i = 0; i < s->live_count[0]; i++) {
        const int a = s->live[i].body_a, b = s->live[i].body_b;
        touches = touches || (a >= 0 && w->bodies[a].motion == GR_RIGID_DRIVEN) ||
                  (b >= 0 && w->bodies[b].motion == GR_RIGID_DRIVEN);
    }
    return touches;
}

GrStatus gr_rigid_evaluate_near(const GrRigidWorld *w, GrRigidState *s, const bool *near, const GrPose *poses,
                                const GrTwist *twists, double dt, GrRigidLoad *loads)
{
    const bool any = place_driven(w, s, near, poses, twists);
    for (int i = 0; i < w->driven_count; i++) {
        if (s->near[i]) {
            loads[i] = (GrRigidLoad){0};
        }
    }
    if (!any && s->counts[GR_AWAKE_LOOSE] == 0) {
        s->live_count[0] = 0;
        memset(s->flex_energy, 0, sizeof *s->flex_energy * (size_t)w->driven_count);
        memset(s->flex_loss, 0, sizeof *s->flex_loss * (size_t)w->driven_count);
        return GR_OK;
    }
    const GrStatus status = find_contacts(w, s, dt); // poses -> contact points and forces
    if (status != GR_OK) {
        return status;
    }
    if (w->flexible) {
        gr_rigid_bend_wheels(w, s, dt, loads); // deflections -> contact forces
    }
    gr_rigid_find_clearance(w, s);
    s->live_step[0] = dt;
    add_loads(w, s, dt <= 0, loads); // contact forces -> loads
    if (dt <= 0 || w->loose_count == 0) {
        return GR_OK;
    }
    gr_rigid_find_islands(w, s);
    return gr_rigid_condense(w, s, dt, loads); // loose bodies -> loads
}

GrStatus gr_rigid_evaluate(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses, const GrTwist *twists,
                           double dt, GrRigidLoad *loads)
{
    return gr_rigid_evaluate_near(w, s, NULL, poses, twists, dt, loads);
}

/// ∂force/∂displacement of a contact in a search for rest, about the reference point of a body.
static GrMat6 rest_derivative(const GrRigidWorld *w, const GrRigidState *s, const GrLiveContact *c, int body,
                              bool sliding)
{
    const double n[3] = {c->motion.normal.x, c->motion.normal.y, c->motion.normal.z};
    GrMat6 by_place = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            by_place.m[3 + i][3 + j] = sliding ? -c->force.ddepth * n[i] * n[j] : c->force.dpose.m[3 + i][3 + j];
        }
    }
    return gr_mat6_shift(&by_place, gr_sub(c->kept.position, gr_rigid_reference(w, s, body)));
}

void gr_rigid_rest_derivatives(const GrRigidWorld *w, const GrRigidState *s, bool sliding, GrRigidLoad *loads)
{
    for (int i = 0; i < w->driven_count; i++) {
        loads[i].dpose = (GrMat6){0};
    }
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        const bool driven_a = is_driven(w, c->body_a), driven_b = is_driven(w, c->body_b);
        if (driven_a != driven_b) {
            const int body = driven_a ? c->body_a : c->body_b;
            const GrMat6 by_place = rest_derivative(w, s, c, body, sliding);
            gr_mat6_madd(&loads[w->bodies[body].slot].dpose, 1, &by_place);
        }
    }
}

/// The driven body of a contact with something fixed; −1: none. `side`: +1 for b and −1 for a.
static int only_driven(const GrRigidWorld *w, const GrRigidState *s, const GrLiveContact *c, double *side)
{
    const bool moves_a = gr_rigid_is_awake(w, s, c->body_a), moves_b = gr_rigid_is_awake(w, s, c->body_b);
    const int body = moves_a ? c->body_a : c->body_b;
    *side = moves_a ? -1 : 1;
    return moves_a != moves_b && w->bodies[body].motion == GR_RIGID_DRIVEN ? body : -1;
}

bool gr_rigid_between(const GrRigidWorld *w, const GrRigidState *s, int i, GrRigidBetween *out)
{
    const GrLiveContact *c = &s->live[i];
    if (!is_driven(w, c->body_a) || !is_driven(w, c->body_b)) {
        return false;
    }
    *out = (GrRigidBetween){.driven_a = w->bodies[c->body_a].slot,
                            .driven_b = w->bodies[c->body_b].slot,
                            .position = c->kept.position,
                            .force = c->force.force,
                            .moment = c->force.moment,
                            .dtwist = c->force.dtwist,
                            .dpose = c->force.dpose};
    return true;
}

/// Velocity of a driven body at a point at the end of the step; zero for fixed bodies.
static GrVec3 end_velocity(const GrRigidWorld *w, const GrRigidState *s, int body, GrVec3 p, const GrTwist *twists)
{
    return is_driven(w, body) ? gr_twist_at(twists[w->bodies[body].slot], gr_sub(p, gr_rigid_reference(w, s, body)))
                              : gr_vec3(0, 0, 0);
}

bool gr_rigid_revise(const GrRigidWorld *w, GrRigidState *s, const GrTwist *twists, double dt, GrRigidLoad *changes)
{
    bool changed = false;
    for (int i = 0; i < s->live_count[0]; i++) {
        GrLiveContact *c = &s->live[i];
        double side;
        const int body = only_driven(w, s, c, &side);
        if (body < 0 && !(is_driven(w, c->body_a) && is_driven(w, c->body_b))) {
            continue;
        }
        const GrVec3 end = gr_sub(end_velocity(w, s, c->body_b, c->kept.position, twists),
                                  end_velocity(w, s, c->body_a, c->kept.position, twists));
        GrContactForce revised;
        if (gr_contact_revise(&c->pair, &c->motion, &c->kept.memory, end, dt, &c->force, &revised)) {
            if (!changed) {
                memset(changes, 0, sizeof *changes * (size_t)w->driven_count);
            }
            changed = true;
            if (body >= 0) {
                add_load(w, s, c, body, side, -1, changes);
            }
            c->force = revised;
            if (body >= 0) {
                add_load(w, s, c, body, side, 1, changes);
            }
        }
    }
    return changed;
}

static void advance_contacts(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    for (int i = 0; i < s->live_count[0]; i++) {
        GrLiveContact *c = &s->live[i];
        const GrVec3 p = c->kept.position;
        GrContactMotion end = c->motion;
        end.velocity = gr_sub(gr_rigid_point_velocity(w, s, c->body_b, p), gr_rigid_point_velocity(w, s, c->body_a, p));
        end.spin = gr_sub(gr_rigid_spin(w, s, c->body_b), gr_rigid_spin(w, s, c->body_a));
        s->kept[i] = c->kept;
        s->kept[i].memory = gr_contact_advance(&c->pair, &end, &c->force, &c->kept.memory, dt);
        // A contact that is less deep than the depth added by the step has only begun: when bodies fall side by side,
        // some of their points touch by rounding and others do not, and all must be damped alike when they meet.
        const double closing = -gr_dot(end.velocity, end.normal);
        if (c->motion.depth < dt * closing) {
            s->kept[i].memory.impact = fmax(s->kept[i].memory.impact, closing);
        }
    }
    s->counts[GR_KEPT_COUNT] = s->live_count[0];
}

/// Soil remembers the largest depth of a body until it has moved on by half its size.
static void remember_sinkage(GrLooseBody *b, double depth, double reach)
{
    const bool here = gr_norm(gr_sub(b->com, b->sunk_at)) <= 0.5 * reach;
    if (!here || depth >= b->sunk) {
        b->sunk = depth;
        b->sunk_at = b->com;
    }
}

static void move_loose(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    for (int i = 0; i < s->counts[GR_AWAKE_LOOSE]; i++) {
        const int slot = s->awake_loose[i];
        GrLooseBody *b = &s->loose[slot];
        if (w->soft.at != NULL) {
            remember_sinkage(b, s->soft_depth[slot], w->bodies[w->loose_body[slot]].reach);
        }
        b->com = gr_madd(b->com, dt, b->twist.lin);
        const GrQuat turn = gr_quat_exp(gr_scale(dt, b->twist.ang));
        b->rotation = gr_quat_normalize(gr_quat_mul(turn, b->rotation));
    }
}

bool gr_rigid_is_idle(const GrRigidState *s)
{
    return s->live_count[0] == 0 && s->counts[GR_AWAKE_LOOSE] == 0;
}

bool gr_rigid_pushes(const GrRigidWorld *w, const GrRigidState *s)
{
    for (int i = 0; i < s->live_count[0] && s->counts[GR_AWAKE_LOOSE] > 0; i++) {
        const int a = s->live[i].body_a, b = s->live[i].body_b;
        if (gr_rigid_is_awake(w, s, a) && gr_rigid_is_awake(w, s, b) && w->bodies[a].motion != w->bodies[b].motion) {
            return true; // one is driven, the other a loose body that is awake
        }
    }
    return false;
}

static void keep_seen(const GrRigidWorld *w, GrRigidState *s)
{
    for (int i = 0; i < w->driven_count; i++) {
        if (s->near[i]) {
            s->seen[i] = s->seen_next[i];
        }
    }
}

void gr_rigid_anchor(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses)
{
    memcpy(s->anchor, poses, sizeof(GrPose) * (size_t)w->driven_count);
}

void gr_rigid_begin_settling(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses)
{
    gr_rigid_anchor(w, s, poses);
    for (int i = 0; i < w->driven_count; i++) {
        s->seen_next[i].margin = 0; // of poses before settling
    }
    s->settling = true;
    gr_rigid_sort_out(w, s);
}

void gr_rigid_end_settling(const GrRigidWorld *w, GrRigidState *s)
{
    keep_seen(w, s);
    advance_contacts(w, s, 0);
    s->settling = false;
    gr_rigid_sort_out(w, s);
}

GrStatus gr_rigid_commit(const GrRigidWorld *w, GrRigidState *s, const GrTwist *twists, double dt)
{
    keep_seen(w, s);
    if (gr_rigid_is_idle(s)) {
        s->counts[GR_KEPT_COUNT] = 0;
        return GR_OK;
    }
    for (int i = 0; i < w->driven_count; i++) {
        s->driven_twist[i] = twists[i];
    }
    if (w->loose_count > 0) {
        gr_rigid_find_islands(w, s);
        const GrStatus status = gr_rigid_solve_loose(w, s, dt); // forces -> twists of loose bodies
        if (status != GR_OK) {
            return status;
        }
    }
    advance_contacts(w, s, dt); // twists -> contact memories
    move_loose(w, s, dt);       // twists -> poses
    if (w->loose_count > 0) {
        gr_rigid_update_sleep(w, s, dt);
    }
    return GR_OK;
}

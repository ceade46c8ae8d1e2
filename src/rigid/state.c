/// The state of a rigid world in one block of memory: a kept part (poses, velocities, contact springs) and work space.
/// Only the kept part is copied and hashed.
#include "alloc.h"
#include "world.h"

#include <string.h>

/// Size of a list of fields in bytes; sets the pointers of `s` unless `memory` is NULL.
#define GR_FIELD(type, name, count)                                                                                    \
    s->name = memory != NULL ? (type *)(void *)(memory + at) : NULL;                                                   \
    at += (sizeof(type) * (size_t)(count) + 63) / 64 * 64;

static size_t lay_out_kept(const GrRigidWorld *w, GrRigidState *s, unsigned char *memory)
{
    const size_t nl = (size_t)w->loose_count, nd = (size_t)w->driven_count, nc = (size_t)w->contact_capacity;
    size_t at = 0;
    GR_RIGID_KEPT_FIELDS(GR_FIELD)
    return at;
}

static size_t lay_out_work(const GrRigidWorld *w, GrRigidState *s, unsigned char *memory)
{
    const size_t nl = (size_t)w->loose_count, nd = (size_t)w->driven_count, nm = (size_t)w->movable_count,
                 ns = (size_t)w->loose_shape_count, nc = (size_t)w->contact_capacity, np = (size_t)w->pair_capacity,
                 ni = w->loose_count > w->island_capacity ? (size_t)w->island_capacity : nl;
    size_t at = 0;
    GR_RIGID_WORK_FIELDS(GR_FIELD)
    return at;
}
#undef GR_FIELD

static void place_loose(const GrRigidWorld *w, GrRigidState *s, int slot, GrPose pose, GrTwist twist)
{
    const GrQuat q = gr_quat_normalize(pose.rotation);
    const GrVec3 offset = gr_quat_rotate(q, w->bodies[w->loose_body[slot]].com);
    s->loose[slot] = (GrLooseBody){
        .com = gr_add(pose.position, offset),
        .rotation = q,
        .twist = {twist.ang, gr_add(twist.lin, gr_cross(twist.ang, offset))},
        .nest = slot,
        .anchor = gr_add(pose.position, offset),
        .anchor_rotation = q,
    };
}

size_t gr_rigid_state_size(const GrRigidWorld *w)
{
    GrRigidState probe;
    return lay_out_kept(w, &probe, NULL);
}

/// The work space begins with the state itself.
enum { STATE_SIZE = (sizeof(GrRigidState) + 63) / 64 * 64 };

size_t gr_rigid_work_size(const GrRigidWorld *w)
{
    GrRigidState probe;
    return STATE_SIZE + lay_out_work(w, &probe, NULL);
}

/// Clears the work space but for the contacts, which are written before they are read and take up nearly all of it.
static void clear_work(GrRigidState *s, unsigned char *work, size_t size)
{
    unsigned char *contacts = (unsigned char *)s->live, *rest = (unsigned char *)s->live_count;
    memset(work, 0, (size_t)(contacts - work));
    memset(rest, 0, size - (size_t)(rest - work));
}

GrRigidState *gr_rigid_state_in(const GrRigidWorld *w, void *kept, void *work)
{
    GrRigidState *s = work;
    unsigned char *fields = (unsigned char *)work + STATE_SIZE;
    memset(s, 0, sizeof *s);
    s->memory = kept;
    s->size = lay_out_kept(w, s, kept);
    clear_work(s, fields, lay_out_work(w, s, fields));
    gr_rigid_state_reset(w, s);
    return s;
}

GrRigidState *gr_rigid_state_create(const GrRigidWorld *w)
{
    const size_t size = gr_rigid_state_size(w);
    unsigned char *memory = gr_malloc(size + gr_rigid_work_size(w));
    GrRigidState *s = memory != NULL ? gr_rigid_state_in(w, memory, memory + size) : NULL;
    if (s != NULL) {
        s->own = memory;
    }
    return s;
}

void gr_rigid_state_free(GrRigidState *s)
{
    if (s != NULL) {
        gr_free(s->own); // holds the state, too
    }
}

void gr_rigid_state_reset(const GrRigidWorld *w, GrRigidState *s)
{
    memset(s->memory, 0, s->size);
    for (int i = 0; i < w->loose_count; i++) {
        place_loose(w, s, i, w->loose_pose[i], w->loose_twist[i]);
    }
    gr_rigid_state_refresh(w, s);
}

void gr_rigid_state_refresh(const GrRigidWorld *w, GrRigidState *s)
{
    s->live_count[0] = 0;
    s->settling = false;
    gr_rigid_rebuild_sleepers(w, s);
}

void gr_rigid_state_copy(const GrRigidWorld *w, GrRigidState *to, const GrRigidState *from)
{
    memcpy(to->memory, from->memory, from->size);
    gr_rigid_state_refresh(w, to);
}

bool gr_rigid_state_convert(const GrRigidWorld *to_world, void *to, const GrRigidWorld *from_world, const void *from)
{
    unsigned char *given = (unsigned char *)(uintptr_t)from; // is only read
    GrRigidState a, b;
    lay_out_kept(from_world, &a, given);
    lay_out_kept(to_world, &b, to);
    const int kept = a.counts[GR_KEPT_COUNT], parked = a.counts[GR_PARKED_COUNT];
    if (kept > to_world->contact_capacity || parked > to_world->contact_capacity) {
        return false;
    }
    memset(b.kept, 0, sizeof *b.kept * (size_t)to_world->contact_capacity);
    memset(b.parked, 0, sizeof *b.parked * (size_t)to_world->contact_capacity);
    memcpy(b.loose, a.loose, sizeof *a.loose * (size_t)from_world->loose_count);
    memcpy(b.kept, a.kept, sizeof *a.kept * (size_t)kept);
    memcpy(b.parked, a.parked, sizeof *a.parked * (size_t)parked);
    memcpy(b.counts, a.counts, sizeof *a.counts * 8);
    memcpy(b.seen, a.seen, sizeof *a.seen * (size_t)from_world->driven_count);
    return true;
}

static uint64_t hash_numbers(uint64_t hash, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int b = 0; b < 64; b += 8) { // FNV-1a
            hash = (hash ^ (bits >> b & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

uint64_t gr_rigid_state_hash(const GrRigidWorld *w, const GrRigidState *s)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < w->loose_count; i++) {
        const GrLooseBody *b = &s->loose[i];
        const double values[] = {b->com.x,       b->com.y,       b->com.z,       b->rotation.w,  b->rotation.x,
                                 b->rotation.y,  b->rotation.z,  b->twist.ang.x, b->twist.ang.y, b->twist.ang.z,
                                 b->twist.lin.x, b->twist.lin.y, b->twist.lin.z, b->asleep};
        hash = hash_numbers(hash, values, 14);
    }
    for (int i = 0; i < s->counts[GR_KEPT_COUNT]; i++) {
        const GrContactMemory *m = &s->kept[i].memory;
        const double values[] = {m->travel.x, m->travel.y, m->travel.z, m->turn.x, m->turn.y, m->turn.z, m->impact};
        hash = hash_numbers(hash, values, 7);
    }
    return hash;
}

GrPose gr_rigid_loose_pose(const GrRigidWorld *w, const GrRigidState *s, int loose)
{
    return gr_loose_origin(w, &s->loose[loose], loose);
}

GrPlacedConvex gr_rigid_place_shape(const GrRigidShape *shape, GrPose body)
{
    const GrPose pose = gr_pose_mul(body, shape->pose);
    return (GrPlacedConvex){&shape->convex, gr_quat_to_mat3(gr_quat_normalize(pose.rotation)), pose.position};
}

void gr_rigid_visit_loose(const GrRigidWorld *w, const GrRigidState *s, GrRigidLooseFn *take, void *context)
{
    for (int i = 0; i < s->counts[GR_AWAKE_SHAPES]; i++) {
        const GrRigidShape *shape = &w->shapes[w->movable[s->awake_shapes[i]]];
        const GrRigidBody *body = &w->bodies[shape->body];
        if (body->motion == GR_RIGID_LOOSE) {
            const GrPlacedConvex now = gr_rigid_place_shape(shape, gr_rigid_loose_pose(w, s, body->slot));
            const GrPlacedConvex start = gr_rigid_place_shape(shape, w->loose_pose[body->slot]);
            take(context, &now, &start);
        }
    }
}

GrTwist gr_rigid_loose_twist(const GrRigidWorld *w, const GrRigidState *s, int loose)
{
    const GrLooseBody *b = &s->loose[loose];
    const GrVec3 offset = gr_quat_rotate(b->rotation, w->bodies[w->loose_body[loose]].com);
    return (GrTwist){b->twist.ang, gr_sub(b->twist.lin, gr_cross(b->twist.ang, offset))};
}

bool gr_rigid_loose_asleep(const GrRigidState *s, int loose)
{
    return s->loose[loose].asleep;
}

void gr_rigid_set_loose(const GrRigidWorld *w, GrRigidState *s, int loose, GrPose pose, GrTwist twist)
{
    gr_rigid_wake(w, s, loose);
    place_loose(w, s, loose, pose, twist);
}

int gr_rigid_contact_count(const GrRigidState *s)
{
    return s->live_count[0];
}

GrRigidContact gr_rigid_contact(const GrRigidWorld *w, const GrRigidState *s, int i)
{
    (void)w;
    const GrLiveContact *c = &s->live[i];
    return (GrRigidContact){
        .body_a = c->body_a,
        .body_b = c->body_b,
        .shape_a = (int)(c->kept.key >> 32) - 1,
        .shape_b = (int)(c->kept.key & 0xffffffffu) - 1,
        .position = c->kept.position,
        .normal = c->motion.normal,
        .depth = c->motion.depth,
        .normal_force = c->force.normal,
        .force = c->force.force,
        .slips = c->force.slips,
    };
}

// ---- What need not be computed: loose bodies that sleep, until something touches them, and driven bodies far from
// everything.

// ---- sleep

/// A contact wakes a body when it is faster than this many times sleep_speed.
static const double WAKE_FACTOR = 5;

static bool kept_before(const GrKeptContact *a, const GrKeptContact *b)
{
    return a->key < b->key || (a->key == b->key && a->feature < b->feature);
}

/// Sorts by key and feature.
static void rigid_sort_kept(GrKeptContact *items, int count)
{
    for (int i = 1; i < count; i++) {
        const GrKeptContact item = items[i];
        int j = i - 1;
        for (; j >= 0 && kept_before(&item, &items[j]); j--) {
            items[j + 1] = items[j];
        }
        items[j + 1] = item;
    }
}

static int body_of_key(const GrRigidWorld *w, uint64_t half)
{
    return half == 0 ? -1 : gr_rigid_body_of(w, (int)half - 1);
}

static bool key_is_awake(const GrRigidWorld *w, const GrRigidState *s, uint64_t key)
{
    return gr_rigid_is_awake(w, s, body_of_key(w, key >> 32)) ||
           gr_rigid_is_awake(w, s, body_of_key(w, key & 0xffffffffu));
}

/// Moves contacts between `kept` and `parked` according to their bodies' sleep. Parked contacts that do not fit are
/// dropped: they start afresh when their bodies wake.
void gr_rigid_sort_out(const GrRigidWorld *w, GrRigidState *s)
{
    int kept = 0, parked = 0;
    const int old_kept = s->counts[GR_KEPT_COUNT], old_parked = s->counts[GR_PARKED_COUNT];
    GrKeptContact *woken = NULL;
    for (int i = 0; i < old_parked; i++) { // sleeping ones first, then the woken ones
        if (!key_is_awake(w, s, s->parked[i].key)) {
            const GrKeptContact keep = s->parked[parked];
            s->parked[parked++] = s->parked[i];
            s->parked[i] = keep;
        }
    }
    int woken_count = old_parked - parked;
    woken = s->parked + parked;
    for (int i = 0; i < old_kept; i++) {
        if (key_is_awake(w, s, s->kept[i].key)) {
            s->kept[kept++] = s->kept[i];
        } else if (parked + woken_count < w->contact_capacity) {
            woken[woken_count] = woken[0]; // make room before the woken ones
            woken[0] = s->kept[i];
            woken++;
            parked++;
        }
    }
    for (int i = 0; i < woken_count && kept < w->contact_capacity; i++) {
        s->kept[kept++] = woken[i];
    }
    rigid_sort_kept(s->kept, kept);
    s->counts[GR_KEPT_COUNT] = kept;
    s->counts[GR_PARKED_COUNT] = parked;
    gr_rigid_rebuild_sleepers(w, s);
}

static bool wake_nest(const GrRigidWorld *w, GrRigidState *s, int slot)
{
    if (!s->loose[slot].asleep) {
        return false;
    }
    const int nest = s->loose[slot].nest;
    for (int i = 0; i < w->loose_count; i++) {
        if (s->loose[i].asleep && s->loose[i].nest == nest) {
            s->loose[i].asleep = 0;
            s->loose[i].still = 0;
        }
    }
    return true;
}

void gr_rigid_wake(const GrRigidWorld *w, GrRigidState *s, int slot)
{
    if (wake_nest(w, s, slot)) {
        gr_rigid_sort_out(w, s);
    }
}

static double fastest_point(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    const GrRigidBody *b = &w->bodies[body];
    const GrTwist t = b->motion == GR_RIGID_DRIVEN ? s->driven_twist[b->slot] : s->loose[b->slot].twist;
    return gr_norm(t.lin) + b->reach * gr_norm(t.ang);
}

/// Largest displacement of a point of a body since it came to rest. Displacement detects rest better than speed: a rock
/// on its edges may tremble on the spot.
static double moved(const GrLooseBody *b, double reach)
{
    const GrVec3 turn = gr_quat_log(gr_quat_mul(b->rotation, gr_quat_conjugate(b->anchor_rotation)));
    return gr_norm(gr_sub(b->com, b->anchor)) + reach * gr_norm(turn);
}

/// A moving body that touches a sleeping one wakes it.
static bool wake_touched(const GrRigidWorld *w, GrRigidState *s)
{
    bool any = false;
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        const int bodies[2] = {c->body_a, c->body_b};
        for (int side = 0; side < 2; side++) {
            const int body = bodies[side], other = bodies[1 - side];
            if (body < 0 || other < 0 || w->bodies[body].motion != GR_RIGID_LOOSE ||
                !s->loose[w->bodies[body].slot].asleep) {
                continue;
            }
            if (gr_rigid_is_awake(w, s, other) && fastest_point(w, s, other) > WAKE_FACTOR * w->sleep_speed) {
                any = wake_nest(w, s, w->bodies[body].slot) || any;
            }
        }
    }
    return any;
}

/// Whether all bodies of an island have been at rest for long enough.
static bool is_tired(const GrRigidWorld *w, const GrRigidState *s, int root)
{
    for (int i = 0; i < s->counts[GR_AWAKE_LOOSE]; i++) {
        const int slot = s->awake_loose[i];
        if (s->island_of[slot] == root && s->loose[slot].still < w->sleep_time) {
            return false;
        }
    }
    return true;
}

static void put_to_sleep(GrRigidState *s, int root)
{
    for (int i = 0; i < s->counts[GR_AWAKE_LOOSE]; i++) {
        GrLooseBody *b = &s->loose[s->awake_loose[i]];
        if (s->island_of[s->awake_loose[i]] == root) {
            b->asleep = 1;
            b->nest = root;
            b->twist = (GrTwist){{0, 0, 0}, {0, 0, 0}};
        }
    }
}

void gr_rigid_update_sleep(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    const int awake = s->counts[GR_AWAKE_LOOSE];
    bool changed = false;
    for (int i = 0; i < awake; i++) {
        GrLooseBody *b = &s->loose[s->awake_loose[i]];
        b->still += dt;
        if (moved(b, w->bodies[w->loose_body[s->awake_loose[i]]].reach) > w->sleep_speed * w->sleep_time) {
            b->anchor = b->com;
            b->anchor_rotation = b->rotation;
            b->still = 0;
        }
    }
    for (int i = 0; i < awake; i++) {
        const int root = s->awake_loose[i];
        if (s->island_of[root] == root && s->loose[root].still >= w->sleep_time && is_tired(w, s, root)) {
            put_to_sleep(s, root);
            changed = true;
        }
    }
    changed = wake_touched(w, s) || changed;
    if (changed) {
        gr_rigid_sort_out(w, s);
    }
}

// ---- clearance: the distance of a driven body from everything else, so that collision detection is skipped until it
// has moved that far

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
            const bool look = s->counts[GR_AWAKE_LOOSE] > 0 || (w->has_partner != NULL && w->has_partner[i]);
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

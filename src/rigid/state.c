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

size_t gr_rigid_work_size(const GrRigidWorld *w)
{
    GrRigidState probe;
    return lay_out_work(w, &probe, NULL);
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
    GrRigidState *s = gr_calloc(1, sizeof *s);
    if (s != NULL) {
        s->memory = kept;
        s->size = lay_out_kept(w, s, kept);
        clear_work(s, work, lay_out_work(w, s, work));
        gr_rigid_state_reset(w, s);
    }
    return s;
}

GrRigidState *gr_rigid_state_create(const GrRigidWorld *w)
{
    const size_t size = gr_rigid_state_size(w);
    unsigned char *memory = gr_malloc(size + gr_rigid_work_size(w));
    GrRigidState *s = memory != NULL ? gr_rigid_state_in(w, memory, memory + size) : NULL;
    if (s == NULL) {
        gr_free(memory);
        return NULL;
    }
    s->own = memory;
    return s;
}

void gr_rigid_state_free(GrRigidState *s)
{
    if (s != NULL) {
        gr_free(s->own);
        gr_free(s);
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

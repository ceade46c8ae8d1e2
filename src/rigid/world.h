/// Internals of GrRigidWorld and GrRigidState.
#ifndef GR_WORLD_H
#define GR_WORLD_H

#include "bounds_tree.h"
#include "rigid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct GrRigidBody {
    GrRigidMotion motion;
    int slot; ///< index among driven or among loose bodies
    unsigned category, collides_with;
    bool stone;
    double mass;
    GrVec3 com;
    GrSym3 inertia;
    double reach;                        ///< of its shapes about its centre of mass
    double flex_stiffness, flex_damping; ///< 0: rigid
    GrVec3 flex_axis;
} GrRigidBody;

typedef struct GrRigidShape {
    int body;
    GrConvex convex;
    GrPose pose;
    int material;
    int group;
    double rock_lower, rock_upper; ///< as in GrRigidShapeDef
} GrRigidShape;

/// A late shape that is made.
typedef struct GrLateShape {
    GrRigidShape shape;
    GrConvexMesh *mesh;    ///< NULL: there is none here
    GrPlacedConvex placed; ///< of the mesh
    GrBounds bounds;
} GrLateShape;

/// See broadphase.c.
typedef struct GrLateShapes {
    pthread_mutex_t lock;
    GrLateDef def;
    GrRoomGrid grid;
    _Atomic(GrLateShape *) *made; ///< [def.count]; NULL: not yet
    atomic_int made_count;
} GrLateShapes;

struct GrRigidWorld {
    GrRigidBody *bodies;
    int body_count;
    GrRigidShape *shapes;
    int shape_count; ///< late ones are numbered from here on
    GrMaterial *materials;
    int material_count;
    GrPairMaterial *pairs;         ///< [material_count][material_count], for a contact of radius 1 m
    int *loose_body, *driven_body; ///< body of each slot
    int loose_count, driven_count;
    bool *may_collide;  ///< [driven_count][driven_count] driven bodies that can collide with each other; NULL: none
    bool *has_partner;  ///< [driven_count] driven bodies with at least one such partner; NULL: none
    GrPose *loose_pose; ///< at the start
    GrTwist *loose_twist;
    int *movable;      ///< shapes of driven and loose bodies, ascending
    int *movable_slot; ///< [shape_count] index of a shape in `movable`
    int movable_count;
    int loose_shape_count;
    GrPlacedConvex *fixed; ///< [shape_count]; placed where the body is fixed
    GrBounds *fixed_bounds;
    GrLateShapes *late; ///< NULL: none
    GrBoundsNode *tree; ///< over shapes of fixed bodies
    int node_count;
    GrRigidGround ground;
    int ground_material;
    GrGroundMaterialFn ground_material_at;
    const void *ground_material_context;
    GrRockZone *rock_zones;
    int rock_zone_count;
    GrSoftGround soft;
    int ground_group;
    uint32_t ignores[GR_RIGID_GROUPS];
    GrVec3 gravity;
    bool as_printed;
    bool flexible; ///< there are flexible wheels
    int contact_capacity, pair_capacity, island_capacity;
    double sleep_speed, sleep_time;
};

/// A contact's memory with its key. In a key the ground is 0 and a shape is its index + 1; the lower one is a.
typedef struct GrKeptContact {
    uint64_t key;
    int feature;
    GrVec3 position;
    GrContactMemory memory;
} GrKeptContact;

/// A contact as evaluated.
typedef struct GrLiveContact {
    GrKeptContact kept;
    int body_a, body_b;  ///< −1: ground
    GrPairMaterial pair; ///< at this contact
    GrContactMotion motion;
    GrContactForce force;
} GrLiveContact;

typedef struct GrLooseBody {
    GrVec3 com; ///< world
    GrQuat rotation;
    GrTwist twist; ///< `lin` is the velocity of the centre of mass
    GrVec3 anchor; ///< position and rotation when it came to rest
    GrQuat anchor_rotation;
    double still; ///< time for which it has stayed near [s]
    int nest;     ///< lowest slot of the bodies it fell asleep with
    int asleep;
    double sunk;    ///< largest depth of its lowest point in soil here [m]
    GrVec3 sunk_at; ///< its centre of mass at that time
} GrLooseBody;

/// Pose of a driven body when its clearance was last computed, and how far its points may move before it can touch
/// anything.
typedef struct GrSeenBody {
    GrMat3 rotation;
    GrVec3 origin;
    double margin; ///< [m]; 0: compute it again
} GrSeenBody;

/// type, name, count; nl loose, nd driven bodies, nm movable shapes, ns loose shapes, nc contacts, np pairs, ni island
#define GR_RIGID_KEPT_FIELDS(X)                                                                                        \
    X(GrLooseBody, loose, nl)                                                                                          \
    X(GrKeptContact, kept, nc)   /* of bodies that are awake, sorted */                                                \
    X(GrKeptContact, parked, nc) /* of bodies that are asleep */                                                       \
    X(int, counts, 8)            /* of the enumeration below */                                                        \
    X(GrSeenBody, seen, nd)

/// Fields that follow from the kept ones, or that every evaluation writes.
#define GR_RIGID_WORK_FIELDS(X)                                                                                        \
    /* of what sleeps and what is awake */                                                                             \
    X(GrBoundsNode, sleepers, 2 * ns)                                                                                  \
    X(int, awake_shapes, nm) /* places in `movable`, ascending */                                                      \
    X(int, awake_loose, nl)  /* slots, ascending */                                                                    \
    X(GrPlacedConvex, placed, nm)                                                                                      \
    X(GrBounds, bounds, nm)                                                                                            \
    /* results of an evaluation */                                                                                     \
    X(GrLiveContact, live, nc)                                                                                         \
    X(int, live_count, 2)                                                                                              \
    X(double, live_step, 1)                                                                                            \
    X(GrSeenBody, seen_next, nd)                                                                                       \
    X(double, flex_energy, nd) /* of springs of flexible wheels [J], power of their dampers [W] */                     \
    X(double, flex_loss, nd)                                                                                           \
    /* scratch */                                                                                                      \
    X(int, near, nd)   /* driven bodies in this evaluation */                                                          \
    X(int, active, nm) /* their shapes and those of loose bodies that are awake, ascending */                          \
    X(int, active_count, 1)                                                                                            \
    X(double, gap, nm)        /* of a shape to the ground [m] */                                                       \
    X(double, soft_depth, nl) /* of a loose body in soil [m] */                                                        \
    X(GrPose, anchor, nd)                                                                                              \
    X(int, order, nm)                                                                                                  \
    X(uint64_t, pairs, np)                                                                                             \
    X(int, found, np)                                                                                                  \
    X(GrPose, driven_pose, nd)                                                                                         \
    X(GrTwist, driven_twist, nd)                                                                                       \
    X(int, island_of, nl)                                                                                              \
    X(int, island_first, nl) /* contact of an island, by its root; −1: none */                                       \
    X(int, contact_next, nc) /* of the same island, ascending; −1: none */                                           \
    X(int, slot_next, nl)    /* loose body of the same island, ascending; −1: none */                                \
    X(int, island_list, nl)                                                                                            \
    X(int, island_place, nl)                                                                                           \
    X(double, matrix, 36 * ni * ni)                                                                                    \
    X(double, columns, 6 * ni * 7)

struct GrRigidState {
    void *own;     ///< memory of all fields and of the state if it owns them; NULL: it is the caller's
    void *memory;  ///< of the kept fields
    size_t size;   ///< of the kept fields
    bool settling; ///< contacts resist displacements from `anchor`; loose bodies do not move, as if asleep
#define GR_FIELD(type, name, count) type *name;
    GR_RIGID_KEPT_FIELDS(GR_FIELD)
    GR_RIGID_WORK_FIELDS(GR_FIELD)
#undef GR_FIELD
};

enum { GR_KEPT_COUNT, GR_PARKED_COUNT, GR_SLEEPER_NODES, GR_AWAKE_SHAPES, GR_AWAKE_LOOSE };

static inline bool gr_rigid_moves(const GrRigidWorld *w, int body)
{
    return body >= 0 && w->bodies[body].motion != GR_RIGID_FIXED;
}

/// Reference point of a body's twist: origin of a driven one, centre of mass of a loose one.
static inline GrVec3 gr_rigid_reference(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    const GrRigidBody *b = &w->bodies[body];
    return b->motion == GR_RIGID_DRIVEN ? s->driven_pose[b->slot].position : s->loose[b->slot].com;
}

/// Twist of a body at its reference point; zero for the ground and fixed bodies.
static inline GrTwist gr_rigid_twist(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    if (!gr_rigid_moves(w, body)) {
        return (GrTwist){{0, 0, 0}, {0, 0, 0}};
    }
    const GrRigidBody *b = &w->bodies[body];
    return b->motion == GR_RIGID_DRIVEN ? s->driven_twist[b->slot] : s->loose[b->slot].twist;
}

/// Velocity of the body at a world point.
static inline GrVec3 gr_rigid_point_velocity(const GrRigidWorld *w, const GrRigidState *s, int body, GrVec3 point)
{
    if (!gr_rigid_moves(w, body)) {
        return gr_vec3(0, 0, 0);
    }
    return gr_twist_at(gr_rigid_twist(w, s, body), gr_sub(point, gr_rigid_reference(w, s, body)));
}

static inline GrVec3 gr_rigid_spin(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    return gr_rigid_twist(w, s, body).ang;
}

/// A shape where its body is.
GrPlacedConvex gr_rigid_place_shape(const GrRigidShape *shape, GrPose body);

static inline bool gr_rigid_is_awake(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    const GrRigidBody *b = body >= 0 ? &w->bodies[body] : NULL;
    return b != NULL &&
           (b->motion == GR_RIGID_DRIVEN || (b->motion == GR_RIGID_LOOSE && !s->settling && !s->loose[b->slot].asleep));
}

#ifdef GR_DEVICE // a GPU makes none, and has no such load
#define GR_LATE_ORDER memory_order_relaxed
#else
#define GR_LATE_ORDER memory_order_acquire
#endif

/// A late shape by its number among all shapes; NULL: it is not made yet.
static inline const GrLateShape *gr_rigid_late_shape(const GrRigidWorld *w, int shape)
{
    return atomic_load_explicit(&w->late->made[shape - w->shape_count], GR_LATE_ORDER);
}

static inline const GrRigidShape *gr_rigid_shape(const GrRigidWorld *w, int shape)
{
    return shape < w->shape_count ? &w->shapes[shape] : &gr_rigid_late_shape(w, shape)->shape;
}

/// Known even if the shape is not made.
static inline int gr_rigid_body_of(const GrRigidWorld *w, int shape)
{
    return shape < w->shape_count ? w->shapes[shape].body : w->late->def.body;
}

/// Placed shape: constant for fixed bodies, from the last gr_rigid_place() for others.
static inline const GrPlacedConvex *gr_rigid_placed(const GrRigidWorld *w, const GrRigidState *s, int shape)
{
    if (shape >= w->shape_count) {
        return &gr_rigid_late_shape(w, shape)->placed;
    }
    const bool fixed = w->bodies[w->shapes[shape].body].motion == GR_RIGID_FIXED;
    return fixed ? &w->fixed[shape] : &s->placed[w->movable_slot[shape]];
}

// broadphase.c: late shapes

/// False when out of memory.
bool gr_rigid_late_create(GrRigidWorld *w, const GrRigidDef *def);
void gr_rigid_late_free(GrRigidWorld *w);

/// The late shape of a room, made now if it is not yet; NULL when out of memory.
const GrLateShape *gr_rigid_make_shape(const GrRigidWorld *w, int item);

/// As gr_bounds_tree_gap(), for late shapes.
double gr_rigid_late_gap(const GrRigidWorld *w, const GrBounds *box, double most);

/// Pose of the origin of a loose body.
static inline GrPose gr_loose_origin(const GrRigidWorld *w, const GrLooseBody *loose, int slot)
{
    const GrVec3 offset = gr_quat_rotate(loose->rotation, w->bodies[w->loose_body[slot]].com);
    return (GrPose){gr_sub(loose->com, offset), loose->rotation};
}

// broadphase.c

/// Lists the active shapes and computes their poses.
void gr_rigid_place(const GrRigidWorld *w, GrRigidState *s);

/// Fills s->pairs with the keys of pairs whose boxes overlap, sorted; returns their count, −1 when there are too many.
int gr_rigid_find_pairs(const GrRigidWorld *w, GrRigidState *s);

/// Rebuilds the lists of awake bodies and the tree of sleeping ones, after bodies fell asleep or woke.
void gr_rigid_rebuild_sleepers(const GrRigidWorld *w, GrRigidState *s);

/// Whether the definition allows two bodies to collide.
static inline bool gr_rigid_bodies_meet(const GrRigidWorld *w, const GrRigidBody *a, const GrRigidBody *b)
{
    const bool driven = a->motion == GR_RIGID_DRIVEN && b->motion == GR_RIGID_DRIVEN;
    return !driven || (w->may_collide != NULL && w->may_collide[a->slot * w->driven_count + b->slot]);
}

static inline bool gr_rigid_groups_meet(unsigned category_a, unsigned with_a, unsigned category_b, unsigned with_b)
{
    return (category_a & with_b) != 0 && (category_b & with_a) != 0;
}

static inline bool gr_rigid_ignore(const GrRigidWorld *w, int group_a, int group_b)
{
    return (w->ignores[group_a] >> group_b & 1u) != 0;
}

// flexible.c

/// Subtracts the deflection of flexible wheels from the depth of their contacts: updates forces, and adds the
/// derivatives between contacts of one wheel to the loads.
void gr_rigid_bend_wheels(const GrRigidWorld *w, GrRigidState *s, double dt, GrRigidLoad *loads);

// state.c: what sleeps

/// Called after an evaluation: fills s->seen_next of the driven bodies that were evaluated.
void gr_rigid_find_clearance(const GrRigidWorld *w, GrRigidState *s);

// island.c

/// Finds islands of loose bodies that touch each other: s->island_of[slot] is the lowest slot of its island.
void gr_rigid_find_islands(const GrRigidWorld *w, GrRigidState *s);

/// Adds the forces of loose bodies to the loads of driven bodies, with the loose bodies' motion eliminated.
GrStatus gr_rigid_condense(const GrRigidWorld *w, GrRigidState *s, double dt, GrRigidLoad *loads);

/// Twists of loose bodies at the end of the step; s->driven_twist must be those at its end.
GrStatus gr_rigid_solve_loose(const GrRigidWorld *w, GrRigidState *s, double dt);

// state.c: what sleeps

/// Puts islands to sleep that rested long enough, and wakes those that something touches. Call it after the islands
/// were found and moved.
void gr_rigid_update_sleep(const GrRigidWorld *w, GrRigidState *s, double dt);

/// Moves the contacts of bodies that fell asleep or woke to their list, and rebuilds the tree of sleeping bodies.
void gr_rigid_sort_out(const GrRigidWorld *w, GrRigidState *s);

#endif

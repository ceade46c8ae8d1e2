/// Rigid contact between bodies, ground and rocks.
///
/// A GrRigidWorld is the constant part: shapes, materials, fixed bodies. A GrRigidState is the variable part, in one
/// flat block of memory. There are three kinds of bodies:
///
///     fixed    part of the world: ramps, lander, immovable rocks
///     driven   moved by the caller (a rover's bodies), who passes poses and twists and receives wrenches
///     loose    six degrees of freedom of their own, integrated here: rocks that a wheel pushes
///
/// One step of the caller:
///
///     gr_rigid_evaluate(w, s, poses, twists, dt, loads)    as often as the integrator asks; changes no state
///     ...the caller solves with loads and their derivatives, and moves its bodies...
///     gr_rigid_commit(w, s, twists at the end, dt)         once: contact memories, loose bodies, sleep
///
/// Twists of this module are (angular velocity; velocity of the body's origin), wrenches (moment about the body's
/// origin; force), both in world axes. Nothing is allocated after creation.
#ifndef GR_RIGID_H
#define GR_RIGID_H

#include "contact_law.h"
#include "convex.h"
#include "ground.h"
#include "room_grid.h"

#include <stddef.h>
#include <stdint.h>

typedef enum GrRigidMotion { GR_RIGID_FIXED, GR_RIGID_DRIVEN, GR_RIGID_LOOSE } GrRigidMotion;

/// Kinds of bodies: two bodies can collide when the `category` of each is in the other's `collides_with`.
enum { GR_GROUP_GROUND = 1, GR_GROUP_FIXED = 2, GR_GROUP_DRIVEN = 4, GR_GROUP_LOOSE = 8 };

/// Collision groups of shapes, in addition to the kinds of their bodies: all groups collide except pairs in
/// GrRigidDef::ignores.
enum { GR_RIGID_GROUPS = 32 };

typedef struct GrRigidBodyDef {
    GrRigidMotion motion;
    GrPose pose;            ///< fixed: constant; loose: at the start
    GrTwist twist;          ///< loose: at the start, `lin` is the velocity of the origin
    double mass;            ///< loose [kg] > 0
    GrVec3 com;             ///< loose: in the body frame [m]
    GrSym3 inertia;         ///< loose: about the centre of mass, body axes [kg m²]
    unsigned category;      ///< 0: the group of its motion
    unsigned collides_with; ///< 0: all, except driven bodies with driven ones
    bool stone;             ///< counts as rock, not as rigid surface, in the contact states of LS10
    double flex_stiffness;  ///< driven: a flexible wheel, radial [N/m]; 0 or INFINITY: rigid
    double flex_damping;    ///< radial [N s/m]
    GrVec3 flex_axis;       ///< unit vector of its axle, body frame
} GrRigidBodyDef;

typedef struct GrRigidShapeDef {
    int body;
    GrConvex convex; ///< a mesh must outlive the world
    GrPose pose;     ///< in the body frame
    int material;
    int group;                     ///< 0 to GR_RIGID_GROUPS − 1
    double rock_lower, rock_upper; ///< of a piece of a rock: z of the whole rock in the shape's frame; both 0: its own
} GrRigidShapeDef;

/// A late shape: a convex mesh, which the world then owns.
typedef struct GrMadeShape {
    GrConvexMesh *mesh; ///< NULL: there is none after all
    GrPose pose;        ///< in the world
    int material;
} GrMadeShape;

/// Makes a late shape. Called once for each, by one thread at a time. False when out of memory.
typedef bool (*GrMakeShapeFn)(void *context, int item, GrMadeShape *out);

/// Shapes of one fixed body that are made when something comes near, numbered after all others. Until then they take
/// little memory: only where they are is known.
typedef struct GrLateDef {
    int count;     ///< default 0
    GrRoomFn room; ///< a circle that contains the shape, seen from above
    GrMakeShapeFn make;
    void *context; ///< of both; must outlive the world
    int body;      ///< a fixed one
    int group;
} GrLateDef;

/// Start from gr_default_rigid_def().
typedef struct GrRigidDef {
    GrMaterial *materials; ///< material 0 exists by default and is that of the ground
    int material_count;
    GrMaterialPairDef *pairs; ///< pairs of materials with their own parameters
    int pair_count;
    GrRigidBodyDef *bodies;
    int body_count;
    GrRigidShapeDef *shapes;
    int shape_count;
    int (*apart)[2]; ///< pairs of driven bodies that never collide, whatever their groups
    int apart_count;
    GrLateDef late;
    GrRigidGround ground;
    int ground_material, ground_group;
    GrGroundMaterialFn ground_material_at; ///< NULL (default): ground_material everywhere
    const void *ground_material_context;
    const GrRockZone *rock_zones; ///< materials on bodies with `stone`, by position; copied
    int rock_zone_count;
    GrSoftGround soft;                 ///< soil under loose bodies; default: the ground is rigid for them
    uint32_t ignores[GR_RIGID_GROUPS]; ///< by group: bit g is set if its shapes do not collide with those of group g
    GrVec3 gravity;                    ///< on loose bodies [m/s²]; default Earth
    GrContactLaw contact_law;          ///< default GR_CONTACT_HUNT_CROSSLEY
    GrFrictionLaw friction_law;        ///< default GR_FRICTION_SPRING
    bool as_printed;                   ///< B23 eq. 3 and 6 as printed; default false
    int contact_capacity; ///< most points at the same time; default 0: all that shapes can have with the ground, plus
                          ///< 256 and 16 for each loose body between shapes
    int pair_capacity;    ///< most pairs of shapes with overlapping boxes; default 1024
    int island_capacity;  ///< most loose bodies in one island; default 32
    double sleep_speed;   ///< a body whose points stay within sleep_speed × sleep_time for
    double sleep_time;    ///< sleep_time falls asleep; default 0.002 m/s, 0.5 s; INFINITY: never
} GrRigidDef;

GrRigidDef gr_default_rigid_def(void);
GrRigidBodyDef gr_default_rigid_body_def(GrRigidMotion motion);

/// Append a copy and return its index, −1 when out of memory.
int gr_rigid_add_material(GrRigidDef *def, const GrMaterial *material);
int gr_rigid_add_pair(GrRigidDef *def, const GrMaterialPairDef *pair);
int gr_rigid_add_body(GrRigidDef *def, const GrRigidBodyDef *body);
int gr_rigid_add_shape(GrRigidDef *def, int body, GrConvex convex, GrPose pose, int material);
/// Excludes collisions between shapes of these groups.
void gr_rigid_part_groups(GrRigidDef *def, int a, int b);
/// Excludes collisions between these driven bodies.
int gr_rigid_keep_apart(GrRigidDef *def, int body_a, int body_b);
void gr_rigid_def_free(GrRigidDef *def);

typedef struct GrRigidWorld GrRigidWorld;
typedef struct GrRigidState GrRigidState;

/// Checks the definition; NULL when something is wrong, with the reasons in `log`. The definition may be freed
/// afterwards.
GrRigidWorld *gr_rigid_world_create(const GrRigidDef *def, GrErrorLog *log);
void gr_rigid_world_free(GrRigidWorld *w);

/// Makes the late shapes whose room comes within a horizontal distance of a place. Thread-safe. An evaluation that
/// meets one that is not made yet makes it, but then it allocates. GR_ERROR_MEMORY when one could not be made.
GrStatus gr_rigid_make_late(const GrRigidWorld *w, double x, double y, double radius);

/// Largest reach of the rooms of late shapes; 0: there are none.
double gr_rigid_late_reach(const GrRigidWorld *w);

/// Number of late shapes, and how many of them have been made.
int gr_rigid_late_count(const GrRigidWorld *w);
int gr_rigid_made_count(const GrRigidWorld *w);

/// The memory that the world consists of, besides meshes and late shapes.
void gr_rigid_world_regions(const GrRigidWorld *w, GrRegionFn *take, void *context);

int gr_rigid_driven_count(const GrRigidWorld *w);
int gr_rigid_loose_count(const GrRigidWorld *w);

/// Capacities for contact points, pairs of shapes, and loose bodies in one island.
typedef struct GrRigidRoom {
    int contacts, pairs, island;
} GrRigidRoom;

GrRigidRoom gr_rigid_room(const GrRigidWorld *w);

GrRigidState *gr_rigid_state_create(const GrRigidWorld *w);
void gr_rigid_state_free(GrRigidState *s);
void gr_rigid_state_copy(const GrRigidWorld *w, GrRigidState *to, const GrRigidState *from);

/// A state in the caller's memory, aligned for doubles: `kept` has gr_rigid_state_size() bytes that may be copied,
/// saved and restored (call gr_rigid_state_refresh() afterwards), `work` has gr_rigid_work_size() bytes of scratch.
size_t gr_rigid_state_size(const GrRigidWorld *w);
size_t gr_rigid_work_size(const GrRigidWorld *w);
GrRigidState *gr_rigid_state_in(const GrRigidWorld *w, void *kept, void *work);

/// Resets the state to that after creation.
void gr_rigid_state_reset(const GrRigidWorld *w, GrRigidState *s);
void gr_rigid_state_refresh(const GrRigidWorld *w, GrRigidState *s);

/// Brings the kept part of one state to that of another world, which differs in its capacities alone. False when there
/// is no room for all contacts.
bool gr_rigid_state_convert(const GrRigidWorld *to_world, void *to, const GrRigidWorld *from_world, const void *from);

/// Hash over the bits of loose bodies and contact memories.
uint64_t gr_rigid_state_hash(const GrRigidWorld *w, const GrRigidState *s);

/// Load of contacts on a driven body, about its origin, without contacts with other driven bodies; see
/// gr_rigid_between().
typedef struct GrRigidLoad {
    GrWrench wrench;
    GrMat6 dtwist,
        dpose; ///< derivatives by its own twist and displacement; loose bodies that it touches are eliminated
    bool touches;
} GrRigidLoad;

/// poses, twists, loads: [driven_count], in the order in which driven bodies were added. `dt`: forces are those at the
/// end of a step of this length; 0: those of the present instant. GR_ERROR_MEMORY when a capacity is too small,
/// GR_ERROR_NUMERIC when an island of loose bodies has no solution.
GrStatus gr_rigid_evaluate(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses, const GrTwist *twists,
                           double dt, GrRigidLoad *loads);

/// The same for some of the driven bodies: where near[i] is false, body i is skipped (its pose, twist and load are
/// neither read nor written). Such a body must be out of reach of everything, see gr_rigid_may_touch().
GrStatus gr_rigid_evaluate_near(const GrRigidWorld *w, GrRigidState *s, const bool *near, const GrPose *poses,
                                const GrTwist *twists, double dt, GrRigidLoad *loads);

/// Whether a driven body would touch another body at these poses; the ground does not count. Writes only what the next
/// evaluation overwrites.
bool gr_rigid_would_touch(const GrRigidWorld *w, GrRigidState *s, const bool *near, const GrPose *poses,
                          const GrTwist *twists);

/// While settling, after an evaluation: replaces the derivatives `dpose` of the loads by those of a search for rest.
/// Contacts do not resist rotations there, since their memory has only the travel from the anchor; `sliding`: nor
/// displacements along them. Contacts between driven bodies are left to the caller.
void gr_rigid_rest_derivatives(const GrRigidWorld *w, const GrRigidState *s, bool sliding, GrRigidLoad *loads);

/// After a first solution of the step, with the twists of driven bodies at its end: evaluates again the contacts with
/// fixed bodies and between driven bodies that slip although they were assumed to stick, or vice versa. Returns whether
/// there are any; `changes` must then be added to the loads, and the results of gr_rigid_between() have changed.
bool gr_rigid_revise(const GrRigidWorld *w, GrRigidState *s, const GrTwist *twists, double dt, GrRigidLoad *changes);

/// Whether a driven body can touch anything at this pose: false when it has not moved farther than its clearance at the
/// last evaluation. Exact for shapes; for the ground, if its slope is less than 3 in 1.
bool gr_rigid_may_touch(const GrRigidWorld *w, const GrRigidState *s, int driven, const GrMat3 *rotation,
                        GrVec3 origin);

/// Whether a driven body touches a loose one that is awake.
bool gr_rigid_pushes(const GrRigidWorld *w, const GrRigidState *s);

/// Whether there is neither contact nor a moving loose body: gr_rigid_commit() then needs no twists.
bool gr_rigid_is_idle(const GrRigidState *s);

/// While driven bodies search for equilibrium, contacts resist displacements from these poses; the end of settling
/// keeps these as the contacts' memory. Loose bodies do not move. gr_rigid_anchor() sets other poses in between.
void gr_rigid_begin_settling(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses);
void gr_rigid_anchor(const GrRigidWorld *w, GrRigidState *s, const GrPose *poses);
void gr_rigid_end_settling(const GrRigidWorld *w, GrRigidState *s);

/// Ends the step of the last evaluation: advances contact memories and loose bodies by dt.
GrStatus gr_rigid_commit(const GrRigidWorld *w, GrRigidState *s, const GrTwist *twists, double dt);

/// Loose bodies by index; the twist's `lin` is the velocity of the origin. Setting one wakes it.
GrPose gr_rigid_loose_pose(const GrRigidWorld *w, const GrRigidState *s, int loose);
GrTwist gr_rigid_loose_twist(const GrRigidWorld *w, const GrRigidState *s, int loose);

/// Calls `take` for each shape of a loose body that is awake, with where it is and where it was at the start.
typedef void GrRigidLooseFn(void *context, const GrPlacedConvex *now, const GrPlacedConvex *start);
void gr_rigid_visit_loose(const GrRigidWorld *w, const GrRigidState *s, GrRigidLooseFn *take, void *context);
bool gr_rigid_loose_asleep(const GrRigidState *s, int loose);
void gr_rigid_set_loose(const GrRigidWorld *w, GrRigidState *s, int loose, GrPose pose, GrTwist twist);

/// Wakes a loose body and all bodies that fell asleep with it.
void gr_rigid_wake(const GrRigidWorld *w, GrRigidState *s, int loose);

/// Energy in the spring of a flexible wheel [J] and power dissipated in its damper [W], from the last evaluation.
double gr_rigid_flex_energy(const GrRigidState *s, int driven);
double gr_rigid_flex_loss(const GrRigidState *s, int driven);

/// A contact point of the last evaluation.
typedef struct GrRigidContact {
    int body_a, body_b; ///< of the definition; −1: ground
    int shape_a, shape_b;
    GrVec3 position, normal; ///< from a to b
    double depth;
    double normal_force;
    GrVec3 force; ///< on b
    bool slips;
} GrRigidContact;

/// A contact between two driven bodies.
typedef struct GrRigidBetween {
    int driven_a, driven_b; ///< indices among driven bodies
    GrVec3 position;
    GrVec3 force, moment; ///< on b, at the contact point
    GrMat6 dtwist, dpose; ///< derivatives by the motion of b relative to a, at the contact point
} GrRigidBetween;

/// Whether contact point i of the last evaluation is between driven bodies. The caller applies its force to both, with
/// the derivatives by their relative motion.
bool gr_rigid_between(const GrRigidWorld *w, const GrRigidState *s, int i, GrRigidBetween *out);

int gr_rigid_contact_count(const GrRigidState *s);
GrRigidContact gr_rigid_contact(const GrRigidWorld *w, const GrRigidState *s, int i);

#endif

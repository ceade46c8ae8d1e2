/// Rigid objects of a scene (rigid ground, ramps and landers, fixed and loose rocks, the rover's own bodies), and the
/// contact states of a wheel.
///
/// Example: a rover at rest on rigid ground, with a block in front of it.
///
///     #include <grouser/sim.h>
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrSceneDef scene = gr_default_scene_def();
///     scene.rigid_ground = true;
///     GrPartDef block = gr_default_part_def();
///     block.shape.kind = GR_SHAPE_BOX;
///     block.shape.size = (GrVec3){0.2, 1, 0.1};
///     block.pose.position = (GrVec3){1, 0, 0.05};
///     gr_scene_add_part(&scene, &block);
///     GrOptions options = gr_default_options();
///     options.surface.scene = &scene;
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     if (gr_model_create(&rover, &options, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK ||
///         gr_settle(m, d, NULL, &log) != GR_OK) {
///         return 1;
///     }
///     gr_forward(m, d);
///     printf("wheel 0 has %s\n", gr_data_wheel(m, d, 0).rock_contacts > 0 ? "contact" : "none"); // prints: contact
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_scene_def_free(&scene);
///     gr_rover_free(&rover);
#ifndef GROUSER_SCENE_H
#define GROUSER_SCENE_H

#include "grouser/assets.h"
#include "grouser/rover.h"
#include "grouser/status.h"
#include "grouser/vec.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Laws for the normal contact force: constant, name in files. `grouser list contact-laws` shows their equations.
#define GR_CONTACT_LAW_LIST(X)                                                                                         \
    X(HUNT_CROSSLEY, hunt_crossley)                                                                                    \
    X(HUNT_CROSSLEY_B23, hunt_crossley_b23)                                                                            \
    X(HERTZ, hertz)                                                                                                    \
    X(SPRING_DASHPOT, spring_dashpot)

typedef enum GrContactLaw {
    GR_CONTACT_OF_SCENE = -1, ///< of a pair of materials: as the scene has it
#define GR_CONTACT_LAW_ENUM(id, name) GR_CONTACT_##id,
    GR_CONTACT_LAW_LIST(GR_CONTACT_LAW_ENUM)
#undef GR_CONTACT_LAW_ENUM
        GR_CONTACT_LAW_COUNT
} GrContactLaw;

/// Friction laws: constant, name in files. `grouser list friction-laws` shows their equations.
#define GR_FRICTION_LAW_LIST(X)                                                                                        \
    X(SPRING, spring)                                                                                                  \
    X(TANH, tanh)                                                                                                      \
    X(BENGISU_AKAY, bengisu_akay)                                                                                      \
    X(PACEJKA, pacejka)

typedef enum GrFrictionLaw {
    GR_FRICTION_OF_SCENE = -1, ///< of a pair of materials: as the scene has it
#define GR_FRICTION_LAW_ENUM(id, name) GR_FRICTION_##id,
    GR_FRICTION_LAW_LIST(GR_FRICTION_LAW_ENUM)
#undef GR_FRICTION_LAW_ENUM
        GR_FRICTION_LAW_COUNT
} GrFrictionLaw;

/// Name of a law in files, and a one-line description; never NULL.
GR_API const char *gr_contact_law_name(GrContactLaw law);
GR_API const char *gr_contact_law_text(GrContactLaw law);
GR_API const char *gr_friction_law_name(GrFrictionLaw law);
GR_API const char *gr_friction_law_text(GrFrictionLaw law);

/// Looks up a law by name. An unknown name is an error that suggests the nearest valid one.
GR_API GrStatus gr_contact_law_find(const char *name, GrContactLaw *out, GrErrorLog *log);
GR_API GrStatus gr_friction_law_find(const char *name, GrFrictionLaw *out, GrErrorLog *log);

/// Material of a surface. Start from gr_default_material(). `grouser list hard-parameters` shows which law uses which
/// parameter.
typedef struct GrMaterial {
    char name[GR_NAME_SIZE]; ///< name for shapes, groups and zones; "" (default): none
    double young;            ///< modulus of elasticity [Pa] > 0; default 1e7
    double poisson;          ///< [0, 0.5]; default 0.3
    double restitution;      ///< ζ: coefficient of restitution (speed after / before an impact), (0, 1]; default 0.5
    double friction;         ///< Coulomb coefficient μ ≥ 0; default 0.6
    double static_friction;  ///< μ_s ≥ μ, Bengisu-Akay only; 0: same as μ
    double stribeck;         ///< ξ: decay rate from μ_s to μ with sliding speed, Bengisu-Akay only [s/m]; default 10
    double rolling_friction; ///< rolling moment / (normal force · radius); default 0
    double slip_speed;       ///< v_d of the regularised friction laws [m/s] > 0; default 1e-3
    double rest_speed;       ///< slower impacts are damped as if they had this speed [m/s]; default 0.02
    double tangent_stiffness; ///< tangential / normal stiffness; 0: Mindlin's 2 (1 − ν)/(2 − ν)
    double spring;            ///< stiffness of the law spring_dashpot [N/m] > 0; default 1e6
    double dashpot;           ///< damping of the law spring_dashpot [N s/m] ≥ 0; default 1e3
    double magic_b;           ///< B of the law pacejka > 0; default 2.64: the peak is at slip_speed
    double magic_c;           ///< C of the law pacejka [1, 2]; default 1.3
    double magic_e;           ///< E of the law pacejka [−100, 1]; default 0
} GrMaterial;

GR_API GrMaterial gr_default_material(void);

/// Properties of a pair of materials that differ from the combination of both. Start from
/// gr_default_material_pair_def().
typedef struct GrMaterialPairDef {
    int a, b;                   ///< materials
    GrContactLaw contact_law;   ///< default GR_CONTACT_OF_SCENE
    GrFrictionLaw friction_law; ///< default GR_FRICTION_OF_SCENE
    GrMaterial values; ///< values of the pair; NAN (default): combined from both materials. young and poisson always
                       ///< come from the materials
} GrMaterialPairDef;

GR_API GrMaterialPairDef gr_default_material_pair_def(void);

/// A fixed convex part: a ramp, a step, a lander's leg. Start from gr_default_part_def().
typedef struct GrPartDef {
    GrShapeDef shape;     ///< box, cylinder, sphere or rod; not used where points are given
    const GrVec3 *points; ///< points of a convex hull in the part's frame; NULL (default): `shape`
    int point_count;
    GrPose pose;                   ///< in the world
    int material;                  ///< default 0
    bool stone;                    ///< counts as rock instead of rigid ground in the contact states; default false
    double rock_lower, rock_upper; ///< of a piece of a rock: lowest and highest z of the whole rock, in the part's
                                   ///< frame [m]. Both 0 (default): the part is a rock of its own
} GrPartDef;

GR_API GrPartDef gr_default_part_def(void);

typedef enum GrStoneShape {
    GR_STONE_ELLIPSOID, ///< smooth ellipsoid of its diameter and height
    GR_STONE_HULL,      ///< convex hull of random points (LS10)
    GR_STONE_NOISE,     ///< convex hull of a sphere deformed by noise (B23)
    GR_STONE_DEVIATION, ///< convex hull of points that deviate at random from a primitive (LS10)
} GrStoneShape;

/// Primitives of GR_STONE_DEVIATION, all upright, of the rock's diameter and height: constant, name in files.
#define GR_ROCK_PRIMITIVE_LIST(X)                                                                                      \
    X(CYLINDER, cylinder)                                                                                              \
    X(CAPSULE, capsule)       /* a cylinder of half the height between two half ellipsoids */                          \
    X(HEMISPHERE, hemisphere) /* half an ellipsoid on its flat side */                                                 \
    X(ELLIPSOID, ellipsoid)                                                                                            \
    X(BOX, box) /* on a square whose corners are on the circle of the diameter */

typedef enum GrRockPrimitive {
#define GR_ROCK_PRIMITIVE_ENUM(id, name) GR_ROCK_##id,
    GR_ROCK_PRIMITIVE_LIST(GR_ROCK_PRIMITIVE_ENUM)
#undef GR_ROCK_PRIMITIVE_ENUM
        GR_ROCK_PRIMITIVE_COUNT
} GrRockPrimitive;

/// How rocks deviate from a primitive. All 0: the default.
typedef struct GrRockDeviation {
    GrRockPrimitive primitive; ///< default: cylinder
    double deviation; ///< standard deviation of a point's distance from the centre, over that of the primitive's
                      ///< surface there; none is beyond three times that. (0, 0.3], 0: 0.1
    int points;       ///< 8 … 1000; 0: 40
} GrRockDeviation;

/// A rock. Start from gr_default_stone_def().
typedef struct GrStoneDef {
    GrStoneShape shape; ///< default: hull
    GrVec3 place;    ///< position on the ground [m]. Fixed: the highest point is `exposed` above it. Loose: the lowest
                     ///< point is on it
    double diameter; ///< [m] > 0; default 0.3
    double height;   ///< of the whole rock [m] > 0; default 0.2
    double exposed;  ///< fixed: height above the ground [m]; default 0.1
    double yaw;      ///< [rad]
    uint64_t seed;   ///< seed of its shape
    bool loose;      ///< can move; default false
    double density;  ///< loose [kg/m³] > 0; default 2700
    int material;    ///< default 0
    GrRockDeviation deviation; ///< of GR_STONE_DEVIATION
} GrStoneDef;

GR_API GrStoneDef gr_default_stone_def(void);

/// How the rocks of a field join the scene. Fixed rocks extend by their height above the ground and by the same depth
/// below it.
typedef struct GrRockFieldUse {
    GrStoneShape shape;
    double loose_below; ///< rocks below this diameter are loose and lie on the ground [m]; 0: none
    double density;     ///< [kg/m³]; 0: default
    uint64_t seed;      ///< of their shapes
    int material;
    GrRockDeviation deviation; ///< of GR_STONE_DEVIATION
} GrRockFieldUse;

/// Names of the predefined collision groups. Shapes without their own group belong to the group of their kind.
#define GR_GROUND_GROUP "ground" ///< rigid ground
#define GR_WHEEL_GROUP  "wheels"
#define GR_BODY_GROUP   "bodies" ///< bodies of the rover other than wheels
#define GR_PART_GROUP   "parts"
#define GR_STONE_GROUP  "rocks"  ///< fixed and loose
#define GR_LANDER_GROUP "lander" ///< decks and ramps of landers in the terrain

/// Two groups without contact between their shapes. Both may be the same group.
typedef struct GrGroupPair {
    char a[GR_NAME_SIZE], b[GR_NAME_SIZE];
} GrGroupPair;

/// Material of the shapes of a group that do not name a material themselves.
typedef struct GrGroupMaterial {
    char group[GR_NAME_SIZE];
    int material;
} GrGroupMaterial;

/// A material on part of the surface of every rock, by position on the rock, in its own frame.
typedef struct GrRockZone {
    int material;
    double height_lower, height_upper; ///< over its height: 0 its lowest point, 1 its highest
    double facing_lower, facing_upper; ///< angle of the outward normal from the rock's upward axis [rad] 0 … π
} GrRockZone;

/// Returns the material of the ground at (x, y); −1: ground_material. Must be a pure function.
typedef int (*GrGroundMaterialFn)(const void *context, double x, double y);

/// Geometry of a wheel in rigid contact.
typedef enum GrWheelShape {
    GR_WHEELS_CYLINDER, ///< one cylinder out to the grouser tips
    GR_WHEELS_GROUSERS, ///< one cylinder for the rim (three if crowned) and one cuboid for each grouser (two if
                        ///< chevron)
    GR_WHEELS_MESH, ///< convex meshes: from the rover's file, or made from its sizes, for rim and grousers separately
    GR_WHEELS_COUNT
} GrWheelShape;

/// Definition of all rigid objects. Start from gr_default_scene_def(). Only gr_model_create() reads it. Free with
/// gr_scene_def_free().
typedef struct GrSceneDef {
    GrMaterial *materials;    ///< material 0 exists by default
    GrMaterialPairDef *pairs; ///< pairs of materials; later entries override earlier ones
    GrGroupMaterial *made_of; ///< by group; overrides the material of parts, rocks, wheels, bodies and ground
    GrPartDef *parts;
    GrStoneDef *stones;
    GrRockZone *rock_zones;  ///< the first that contains a contact point on a rock overrides the rock's material
    GrGroupPair *no_contact; ///< pairs of groups without contact; default none. At most 32 groups in total
    int material_count, pair_count, made_of_count, part_count, stone_count, no_contact_count;
    int rock_zone_count;
    GrGroundMaterialFn ground_material_at; ///< NULL (default): ground_material everywhere
    const void *ground_material_context;   ///< must outlive the model
    GrContactLaw contact_law;              ///< default GR_CONTACT_HUNT_CROSSLEY
    GrFrictionLaw friction_law;            ///< default GR_FRICTION_SPRING
    GrWheelShape wheels; ///< geometry of wheels against ground, parts and rocks; default GR_WHEELS_CYLINDER
    int ground_material; ///< material under bodies, wheels on rigid ground, and loose rocks that do not sink; default 0
    int wheel_material;  ///< default 0
    int body_material;   ///< default 0
    int contact_capacity; ///< largest number of simultaneous contact points; 0 (default): all possible contacts of
                          ///< shapes with the ground, plus 256 and 16 per loose rock for contacts between shapes
    bool rigid_ground;    ///< wheels roll on rigid ground; requires a surface without soil. Default false
    bool bodies;          ///< contact of bodies other than wheels with ground, parts and rocks; default true
    bool self_contact; ///< contact between the rover's own bodies and wheels, except for those connected by a joint and
                       ///< those that overlap at the start; default false
    bool late_stones;  ///< makes fixed rocks when the rover comes near (a mission does so between steps), with the
                       ///< same results; not if any is loose. Default false
    /// Fixed rocks on the model's surface, in addition to `stones`, made when the rover comes near; the model keeps the
    /// pointer. A rock that has not been made takes no memory besides its place, and its ground need not be in memory
    /// (gr_terrain_prefetch()) before the rover comes near. Rocks where there is no ground are left out. NULL
    /// (default): none. Not together with loose or late rocks.
    const GrRockField *field;
    GrRockFieldUse field_use;      ///< loose_below must be 0
    const GrTerrain *field_ground; ///< the terrain of the surface, which tells ground that is not in memory, where a
                                   ///< rock cannot be made, from none; NULL: the surface is known everywhere
} GrSceneDef;

GR_API GrSceneDef gr_default_scene_def(void);

/// Append a copy and return its index, or −1 when out of memory. `points` of a part are not copied.
GR_API int gr_scene_add_material(GrSceneDef *scene, const GrMaterial *material);
GR_API int gr_scene_add_pair(GrSceneDef *scene, const GrMaterialPairDef *pair);
GR_API int gr_scene_add_made_of(GrSceneDef *scene, const GrGroupMaterial *made_of);
GR_API int gr_scene_add_part(GrSceneDef *scene, const GrPartDef *part);
GR_API int gr_scene_add_stone(GrSceneDef *scene, const GrStoneDef *stone);
GR_API int gr_scene_add_rock_zone(GrSceneDef *scene, const GrRockZone *zone);
GR_API int gr_scene_add_no_contact(GrSceneDef *scene, const GrGroupPair *groups);

/// Makes an independent copy; free it separately. It shares `points` and meshes of parts with the original. Returns
/// false when out of memory.
GR_API bool gr_scene_copy(GrSceneDef *to, const GrSceneDef *from);

GR_API void gr_scene_def_free(GrSceneDef *scene);

/// The 13 contact states of a wheel (LS10 fig. 10): constant, kind of ground, text. States of one kind are mutually
/// exclusive.
#define GR_CONTACT_MODE_LIST(X)                                                                                        \
    X(GR_RIGID_NO_CONTACT, GR_ON_RIGID, "rigid: no contact")                                                           \
    X(GR_RIGID_CONTACT, GR_ON_RIGID, "rigid: contact")                                                                 \
    X(GR_RIGID_ROLLING, GR_ON_RIGID, "rigid: rolling")                                                                 \
    X(GR_RIGID_SLIDING, GR_ON_RIGID, "rigid: sliding")                                                                 \
    X(GR_SOFT_NO_CONTACT, GR_ON_SOFT, "soft: no contact")                                                              \
    X(GR_SOFT_CONTACT, GR_ON_SOFT, "soft: contact")                                                                    \
    X(GR_SOFT_STUCK_ROLL, GR_ON_SOFT, "soft: stuck or rolling")                                                        \
    X(GR_SOFT_SLIP_ACCELERATE, GR_ON_SOFT, "soft: slipping, accelerating")                                             \
    X(GR_SOFT_SLIP_BRAKE, GR_ON_SOFT, "soft: slipping, braking")                                                       \
    X(GR_STONE_NO_COLLISION, GR_ON_STONE, "rock: no collision")                                                        \
    X(GR_STONE_COLLISION, GR_ON_STONE, "rock: collision")                                                              \
    X(GR_STONE_ROLLING, GR_ON_STONE, "rock: rolling")                                                                  \
    X(GR_STONE_SLIDING, GR_ON_STONE, "rock: sliding")

typedef enum GrContactSurface { GR_ON_RIGID, GR_ON_SOFT, GR_ON_STONE, GR_SURFACE_COUNT } GrContactSurface;

typedef enum GrContactMode {
#define GR_MODE_ENUM(name, surface, text) name,
    GR_CONTACT_MODE_LIST(GR_MODE_ENUM)
#undef GR_MODE_ENUM
        GR_CONTACT_MODE_COUNT
} GrContactMode;

GR_API const char *gr_contact_mode_text(GrContactMode mode);
GR_API GrContactSurface gr_contact_mode_surface(GrContactMode mode);

#ifdef __cplusplus
}
#endif
#endif

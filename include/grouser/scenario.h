/// GrScenario: the contents of a scenario file: rover, ground and mission. GrWorld: the terrain, model and mission
/// built from it. docs/scenarios.md describes the format.
///
///     gr_scenario_load  ->  GrScenario (definitions)  --gr_world_create-->  GrWorld (terrain, model, mission)
///
/// gr_run() (run.h) runs a world to its end. A caller may also step its mission (mission.h).
///
/// Example: a shipped scenario with two values replaced.
///
///     static const char *const overrides[] = {"gravity=moon", "soil:phi=30", NULL};
///     GrErrorLog log = {0};
///     GrScenario scenario;
///     if (gr_scenario_load("crossing", overrides, &scenario, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     printf("gravity %g m/s2\n", -scenario.gravity.z); // prints: gravity 1.62
///     GrWorld world;
///     if (gr_world_create(&scenario, &world, &log) == GR_OK) {
///         gr_mission_advance(world.mission, 2);
///         printf("%g s\n", gr_data_time(gr_mission_data(world.mission))); // prints: 2 s
///         gr_world_free(&world);
///     }
///     gr_scenario_free(&scenario);
#ifndef GROUSER_SCENARIO_H
#define GROUSER_SCENARIO_H

#include "grouser/assets.h"
#include "grouser/lander.h"
#include "grouser/mission.h"
#include "grouser/model.h"
#include "grouser/rover.h"
#include "grouser/scene.h"
#include "grouser/soil.h"
#include "grouser/soil_map.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GR_SCENARIO_TERMS = 16,
    GR_SCENARIO_TERM_SIZE = 256,
    GR_SCENARIO_PATH_SIZE = 1024,
    GR_SCENARIO_RULES = 16,
    GR_SCENARIO_LAYERS = 4,
    GR_SCENARIO_LAYER_TERMS = 8,
};

/// Side of the rover on which rocks lie.
typedef enum GrTrackSide { GR_TRACK_BOTH, GR_TRACK_LEFT, GR_TRACK_RIGHT, GR_TRACK_ALTERNATE } GrTrackSide;

/// Rocks in the wheel tracks along the path: the worst case of a rock field.
typedef struct GrTrackRocks {
    double spacing;  ///< spacing along the path [m]; 0: none
    double diameter; ///< [m]
    double from;     ///< position of the first rock along the path [m]; default 2
    GrTrackSide side;
} GrTrackRocks;

/// A map below the ground of a scenario and around it: a file, or generated.
typedef struct GrLayerPlan {
    char file[GR_SCENARIO_PATH_SIZE];                           ///< "": generated
    GrRasterOptions raster;                                     ///< how to read it
    char terms[GR_SCENARIO_LAYER_TERMS][GR_SCENARIO_TERM_SIZE]; ///< as for gr_surface_create()
    int term_count;
    double x, y;           ///< middle of generated ground [m]
    double size_x, size_y; ///< its size [m]
    double cell;           ///< its cells [m]
    uint64_t seed;
    double margin; ///< width over which it is blended into the layers below [m] ≥ 0
} GrLayerPlan;

/// Ground of a scenario. Without file and terms it is the infinite plane z = 0.
typedef struct GrTerrainPlan {
    char file[GR_SCENARIO_PATH_SIZE];                     ///< a map; "": none
    GrRasterOptions raster;                               ///< how to read it
    char terms[GR_SCENARIO_TERMS][GR_SCENARIO_TERM_SIZE]; ///< as for gr_surface_create(), added to the map
    int term_count;
    double size_x, size_y; ///< size of generated ground [m]; default 200
    double cell;           ///< cell size of generated ground [m]; default 0.25
    uint64_t seed;
    GrInterpolation interpolation;
    GrLayerPlan layers[GR_SCENARIO_LAYERS]; ///< below the map, the coarsest first
    int layer_count;
    double margin; ///< width over which the map is blended into them [m] ≥ 0; default 0
    bool has_rocks;
    bool sown;                             ///< rocks are placed at random by the law of `rocks`
    char rock_file[GR_SCENARIO_PATH_SIZE]; ///< file with rocks; "": none
    GrTrackRocks track_rocks;
    GrRockFieldDef rocks; ///< its box is set by gr_world_create()
    double clear_radius;  ///< radius around the start without rocks [m]; default 2
    double loose_below;   ///< rocks below this diameter are loose [m]; default 0
    GrStoneShape shape;   ///< of the rocks; default: hull
    int rocks_most;       ///< where rocks are loose, so many at most, nearest to the start; default 0: all
} GrTerrainPlan;

/// Soils by position: classes of a raster, or rules on the shape of the ground.
typedef struct GrSoilPlan {
    char file[GR_SCENARIO_PATH_SIZE]; ///< a raster of classes; "": none
    char legend[GR_SCENARIO_TERM_SIZE];
    char rules[GR_SCENARIO_RULES][GR_SCENARIO_TERM_SIZE]; ///< as for `grouser terrain soilmap`
    int rule_count;
    double wavelength; ///< wavelength of the noise in rules [m]; default 10
    double cell;       ///< cell size of the map made from rules [m]; default 0.5
    double border;     ///< width over which two soils blend [m]; default 0.2
    uint64_t seed;
    bool has_law;  ///< the soils of the map use `law` instead of the law of their files
    GrSoilLaw law; ///< default: law of the scenario's soil, if the scenario names one
} GrSoilPlan;

enum { GR_ZONE_CORNERS = 64 };

/// Part of the rigid ground with its own material: a circle or a polygon.
typedef struct GrGroundZone {
    int material;                       ///< index in the scenario's scene
    double x, y, radius;                ///< [m]; radius 0: a polygon
    double corners[GR_ZONE_CORNERS][2]; ///< x, y [m]
    int corner_count;
} GrGroundZone;

/// A lander on the ground, from whose deck the rover drives down. gr_world_create() places it.
typedef struct GrLanderPlan {
    bool given;                       ///< false: there is none
    char file[GR_SCENARIO_PATH_SIZE]; ///< of the lander
    GrLanderDef lander;
    GrLanderSpot spot;
    int ramp;             ///< over which the rover leaves: index in the lander's ramps
    double forward, left; ///< start of the rover: offset of the middle of its wheels from that of the deck, along and
                          ///< across the ramp [m]
    double beyond;        ///< distance of the goal from the end of the ramp [m]; default 1
} GrLanderPlan;

/// Free with gr_scenario_free().
typedef struct GrScenario {
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    char file[GR_SCENARIO_PATH_SIZE];       ///< path of the file
    char *input;                            ///< the exact input: all files and overrides, as text
    struct GrDocument *document;            ///< the same as a tree, for locations in messages; NULL: made by a C caller
    char rover_file[GR_SCENARIO_PATH_SIZE]; ///< of `rover`; "": made by a C caller
    char soil_file[GR_SCENARIO_PATH_SIZE];  ///< of `soil`; "": none
    GrRoverDef rover;
    GrSoilDef soil;
    struct GrSoilSources *soil_sources; ///< sources of the values of `soil`; NULL: unknown
    int soil_sample, soil_samples;      ///< all soils are this sample (from 0) of so many of their spreads; of 0: they
                                        ///< are as their files say
    bool has_soil;                      ///< false: rigid ground
    bool has_law;                       ///< the scenario names the law of `soil`
    /// Damping ratio of the vertical wheel motion on a soil without damping, relative to the critical damping of the
    /// rover's mass on it; default 0.5. Real soil absorbs impacts; a law of sinkage alone would bounce forever. 0: only
    /// the damping of the soil file.
    double damping_ratio;
    GrSoilPlan soil_map;    ///< overrides `soil` where the map names a soil
    GrSoilDef *wheel_soils; ///< [wheel_soil_count] soils assigned to wheels, independent of position
    int wheel_soil_count;
    int *wheel_soil; ///< [rover.wheel_count] index in it; −1: by position, GR_WHEEL_RIGID: rigid ground. NULL: all by
                     ///< position
    GrPartDef *parts;    ///< fixed rigid parts: ramps, steps, a lander
    GrGroundZone *zones; ///< zones of the rigid ground; the first match applies
    int part_count, zone_count;
    GrSoilPlan hard_map; ///< materials of the rigid ground by position, outside of zones; its soils are materials
    GrSceneDef scene;    ///< materials, laws and groups of everything rigid; gr_world_create() adds parts and rocks
    GrVec3 gravity;
    GrTerrainPlan terrain;
    GrLanderPlan lander; ///< with a lander the start is near it; the world has the exact one
    GrStart start;
    GrMissionDef mission; ///< its script and path point to those below
    GrWayPoint *path;
    GrScriptEntry *script;
    GrScriptEntry *manual;   ///< commands of a driver
    GrSunPoint *sun_table;   ///< of the mission's Sun; NULL: none
    GrJointMove *moves;      ///< joint moves of the same script
    GrIntegrator integrator; ///< default GR_INTEGRATOR_LINEAR
    double tolerance;        ///< tolerance of the integrator cvode; default 1e-10
    int slices;              ///< of each wheel
    GrRutsKind ruts;         ///< kind of ruts that wheels leave; default auto
    double rut_cell;         ///< cell size of the ruts [m]; default 0.01
    bool soil_flow;          ///< law or ruts scm: displaced soil rises beside the wheels and slumps; default false
    bool bodies_press;       ///< laws scm and rft: body shapes press the soil as wheels do; default true
    GrTraceDef trace;        ///< parameters of the ruts `trace`
    char ruts_from[GR_SCENARIO_PATH_SIZE]; ///< file with initial ruts, as gr_ruts_save() writes it; "": none
    double record_rate;                    ///< samples per second [Hz]; default 20
    bool record_csv, record_mcap;          ///< whether a run writes run.csv and run.mcap; default true
    bool record_sensors;                   ///< whether the sensors of the rover measure; default true
    double record_ruts; ///< heights and states in ruts.bin are rounded to multiples of this [m]; 0: exact; default 1e-4
} GrScenario;

/// Loads a shipped scenario by name, or a file by path. `overrides`: NULL, or a NULL-terminated list of "path=value"
/// for the scenario, "rover:path=value" for its rover and "soil:name=value" for its soil.
GR_API GrStatus gr_scenario_load(const char *name_or_path, const char *const *overrides, GrScenario *out,
                                 GrErrorLog *log);

/// Warns about overrides of the rover's file ("wheels.front.crown_m=0.01", NULL-terminated) that have no effect in a
/// scenario, given its soil, terrain, ruts and rigid objects.
GR_API void gr_rover_warn_unread(const char *const *overrides, const GrScenario *scenario, GrLocation at,
                                 GrErrorLog *log);
GR_API void gr_scenario_free(GrScenario *scenario);

/// Everything that a run needs, built from a scenario. The scenario must outlive it.
typedef struct GrWorld {
    const GrScenario *scenario;
    GrTerrain *terrain; ///< NULL: a plane
    GrRockField rocks;  ///< movable rocks first
    GrSoilMap soil_map;
    struct GrGroundPlaces *ground_places; ///< materials of the rigid ground; NULL: one everywhere
    GrSoilDef *soils; ///< [soil_count] soil of the scenario, then soils of the map, then soils of wheels
    int soil_count;
    int *wheel_soil; ///< [wheels of the rover] index in `soils`; −1: by position, GR_WHEEL_RIGID: rigid. NULL: all by
                     ///< position
    GrLanderPlacement lander; ///< how the lander of the scenario stands, if it has one
    GrModel *model;
    GrMission *mission; ///< placed at its start
} GrWorld;

/// Builds the world of a scenario. On failure the reasons are in `log` and there is nothing to free. Do not move or
/// copy `out`: the model points into it.
GR_API GrStatus gr_world_create(const GrScenario *scenario, GrWorld *out, GrErrorLog *log);
GR_API void gr_world_free(GrWorld *world);

/// What many runs have in common and is made once: terrains, rovers and the trees of parsed files. Several threads may
/// use one cache. It holds those used last, at most four terrains and 16 rovers, and the first 32 files; worlds keep
/// the terrain that they use.
typedef struct GrWorldCache GrWorldCache;

/// NULL when out of memory.
GR_API GrWorldCache *gr_world_cache_create(void);
GR_API void gr_world_cache_free(GrWorldCache *cache);

/// As gr_scenario_load(), with the same results and messages; a rover file with the same overrides is read once, and
/// the text of any file is parsed once.
/// `cache` may be NULL, and need not outlive the scenario.
GR_API GrStatus gr_scenario_load_shared(const char *name_or_path, const char *const *overrides, GrWorldCache *cache,
                                        GrScenario *out, GrErrorLog *log);

/// As gr_world_create(), with the same results and messages. `cache` may be NULL.
GR_API GrStatus gr_world_create_shared(const GrScenario *scenario, GrWorldCache *cache, GrWorld *out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

/// The members of GrScenario and GrWorld.
#ifndef GR_SCENARIO_DATA_H
#define GR_SCENARIO_DATA_H

#include "grouser/lander.h"
#include "grouser/scenario.h"
#include "grouser/scene.h"
#include "grouser/soil_map.h"
#include "mesh_shape.h"

enum {
    GR_SCENARIO_TERMS = 16,
    GR_SCENARIO_TERM_SIZE = 256,
    GR_SCENARIO_PATH_SIZE = 1024,
    GR_SCENARIO_RULES = 64,
    GR_SCENARIO_RULE_SIZE = 512,
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
    GrRockMeshPlan rock_mesh;              ///< rocks of a mesh file
    GrTrackRocks track_rocks;
    GrRockFieldDef rocks;      ///< its box is set by gr_world_create()
    double clear_radius;       ///< radius around the start without rocks [m]; default 2
    double loose_below;        ///< rocks below this diameter are loose [m]; default 0
    GrStoneShape shape;        ///< of the rocks; default: hull
    GrRockDeviation deviation; ///< of the shape deviation
    int rocks_most;            ///< where rocks are loose, so many at most, nearest to the start; default 0: all
} GrTerrainPlan;

/// Soils by position: classes of a raster, or rules on the shape of the ground.
typedef struct GrSoilPlan {
    char file[GR_SCENARIO_PATH_SIZE]; ///< a raster of classes; "": none
    char legend[GR_SCENARIO_TERM_SIZE];
    char rules[GR_SCENARIO_RULES][GR_SCENARIO_RULE_SIZE]; ///< as for `grouser terrain soilmap`
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
struct GrScenario {
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
};

/// Everything that a run needs, built from a scenario. The scenario must outlive it.
struct GrWorld {
    const GrScenario *scenario;
    GrTerrain *terrain; ///< NULL: a plane
    GrRockField rocks;  ///< movable rocks first
    GrMeshRocks mesh_rocks;
    GrSoilMap soil_map;
    struct GrGroundPlaces *ground_places; ///< materials of the rigid ground; NULL: one everywhere
    GrSoilDef *soils; ///< [soil_count] soil of the scenario, then soils of the map, then soils of wheels
    int soil_count;
    int *wheel_soil; ///< [wheels of the rover] index in `soils`; −1: by position, GR_WHEEL_RIGID: rigid. NULL: all by
                     ///< position
    GrLanderPlacement lander; ///< how the lander of the scenario stands, if it has one
    GrModel *model;
    GrMission *mission; ///< placed at its start
};

/// As gr_world_create() without a mission: terrain, soils, rocks and model alone, for contact units (contact.h).
GrStatus gr_world_create_ground(const GrScenario *scenario, GrWorld **out, GrErrorLog *log);

/// A copy that shares what the scenario owns: free it with gr_free(), before the scenario. NULL: out of memory.
GrScenario *gr_scenario_share(const GrScenario *scenario);

/// Warns about overrides of the rover's file ("wheels.front.crown_m=0.01", NULL-terminated) that have no effect in a
/// scenario, given its soil, terrain, ruts and rigid objects.
void gr_rover_warn_unread(const char *const *overrides, const GrScenario *scenario, GrLocation at, GrErrorLog *log);

#endif

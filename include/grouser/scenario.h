/// GrScenario: a file that says which rover drives where. GrWorld: the terrain, model and mission made from it.
/// docs/scenarios.md has the format.
///
///     gr_scenario_load  ->  GrScenario (definitions)  --gr_world_create-->  GrWorld (terrain, model, mission)
///
/// run.h runs a world to its end; a caller may also step its mission (mission.h).
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
};

/// Under which wheels rocks lie.
typedef enum GrTrackSide { GR_TRACK_BOTH, GR_TRACK_LEFT, GR_TRACK_RIGHT, GR_TRACK_ALTERNATE } GrTrackSide;

/// Rocks on the tracks of the wheels along the path: the worst case of a rock field.
typedef struct GrTrackRocks {
    double spacing;  ///< along the path [m]; 0: none
    double diameter; ///< [m]
    double from;     ///< first rock, along the path [m]; default 2
    GrTrackSide side;
} GrTrackRocks;

/// Ground of a scenario. Without file and terms it is the plane z = 0, without end.
typedef struct GrTerrainPlan {
    char file[GR_SCENARIO_PATH_SIZE];                     ///< a map; "": none
    GrRasterOptions raster;                               ///< how to read it
    char terms[GR_SCENARIO_TERMS][GR_SCENARIO_TERM_SIZE]; ///< as gr_surface_create() takes them, added to the map
    int term_count;
    double size_x, size_y; ///< of the made ground [m]; default 200
    double cell;           ///< of the made ground [m]; default 0.25
    uint64_t seed;
    GrInterpolation interpolation;
    bool has_rocks;
    bool sown;                             ///< rocks are placed at random by the law of `rocks`
    char rock_file[GR_SCENARIO_PATH_SIZE]; ///< rocks that stand in a file; "": none
    GrTrackRocks track_rocks;
    GrRockFieldDef rocks; ///< its box is set when the world is made
    double clear_radius;  ///< no rock this near to the start [m]; default 2
    double loose_below;   ///< rocks of a smaller diameter can be pushed [m]; default 0
    GrStoneShape shape;   ///< of the rocks; default: hull
} GrTerrainPlan;

/// Which soil lies where: classes of a raster, or rules on the shape of the ground.
typedef struct GrSoilPlan {
    char file[GR_SCENARIO_PATH_SIZE]; ///< a raster of classes; "": none
    char legend[GR_SCENARIO_TERM_SIZE];
    char rules[GR_SCENARIO_RULES][GR_SCENARIO_TERM_SIZE]; ///< as `grouser terrain soilmap` takes them
    int rule_count;
    double wavelength; ///< of the noise of rules [m]; default 10
    double cell;       ///< of the map made by rules [m]; default 0.5
    double border;     ///< width over which two soils blend [m]; default 0.2
    uint64_t seed;
    bool has_law;  ///< the soils of the map follow `law` and not what their files say
    GrSoilLaw law; ///< default: that of the scenario's soil, where the scenario names one
} GrSoilPlan;

enum { GR_ZONE_CORNERS = 64 };

/// A part of the rigid ground with a material of its own: a circle or a polygon.
typedef struct GrGroundZone {
    int material;                       ///< of the scenario's scene
    double x, y, radius;                ///< [m]; radius 0: a polygon
    double corners[GR_ZONE_CORNERS][2]; ///< x, y [m]
    int corner_count;
} GrGroundZone;

/// Free with gr_scenario_free().
typedef struct GrScenario {
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    char file[GR_SCENARIO_PATH_SIZE]; ///< where it was read
    char *input;                      ///< the exact input: all files and overrides, as text
    struct GrDocument *document;      ///< the same as a tree, for the places of messages; NULL: made by a C caller
    GrRoverDef rover;
    GrSoilDef soil;
    struct GrSoilSources *soil_sources; ///< where the numbers of `soil` come from; NULL: not known
    bool has_soil;                      ///< false: rigid ground
    bool has_law;                       ///< the scenario names the law of `soil`
    /// Damping of the wheels' up and down on a soil whose file gives none, over the critical damping of the rover's
    /// mass on it; default 0.5. Soil takes up impacts; a law of sinkage alone would bounce for ever. 0: as the soil
    /// says
    double damping_ratio;
    GrSoilPlan soil_map;    ///< over `soil`, which lies where the map names none
    GrSoilDef *wheel_soils; ///< [wheel_soil_count] those that wheels have whatever the place
    int wheel_soil_count;
    int *wheel_soil;  ///< [rover.wheel_count] which of them; −1: by place, GR_WHEEL_RIGID: none. NULL: all by place
    GrPartDef *parts; ///< fixed and hard: ramps, steps, a lander
    GrGroundZone *zones; ///< of the rigid ground; the first that applies counts
    int part_count, zone_count;
    GrSoilPlan hard_map; ///< materials of the rigid ground by place, below the zones; its soils are materials
    GrSceneDef scene;    ///< materials, laws and groups of everything rigid; parts and rocks are added for the world
    GrVec3 gravity;
    GrTerrainPlan terrain;
    GrStart start;
    GrMissionDef mission; ///< its script and path are those below
    GrWayPoint *path;
    GrScriptEntry *script;
    GrJointMove *moves;      ///< of joints, by the same script
    GrIntegrator integrator; ///< default GR_INTEGRATOR_LINEAR
    double tolerance;        ///< of the integrator cvode; default 1e-10
    int slices;              ///< of each wheel
    GrRutsKind ruts;         ///< that wheels leave; default auto
    double rut_cell;         ///< of the ruts [m]; default 0.01
    bool soil_flow;          ///< law or ruts scm: displaced soil rises beside the wheels and slumps; default false
    bool bodies_press;       ///< law scm: the shapes of bodies press the grid as wheels do; default true
    GrTraceDef trace;        ///< of ruts that are traces
    char ruts_from[GR_SCENARIO_PATH_SIZE]; ///< ruts that are there at the start, as gr_ruts_save() writes; "": none
    double record_rate;                    ///< samples per second [Hz]; default 20
} GrScenario;

/// Reads a scenario by the name of a shipped one or by the path of a file. `overrides`: NULL, or a NULL-terminated list
/// of "path=value" for the scenario, "rover:path=value" for its rover and "soil:name=value" for its soil.
GR_API GrStatus gr_scenario_load(const char *name_or_path, const char *const *overrides, GrScenario *out,
                                 GrErrorLog *log);

/// Warns of overrides of the rover's file ("wheels.front.crown_m=0.01", NULL-terminated) that change nothing in a
/// scenario, of which soil, terrain, ruts and what is rigid are looked at.
GR_API void gr_rover_warn_unread(const char *const *overrides, const GrScenario *scenario, GrLocation at,
                                 GrErrorLog *log);
GR_API void gr_scenario_free(GrScenario *scenario);

/// Everything that a run needs, made from a scenario, which must outlive it.
typedef struct GrWorld {
    const GrScenario *scenario;
    GrTerrain *terrain; ///< NULL: a plane
    GrRockField rocks;  ///< those that can move first
    GrSoilMap soil_map;
    struct GrGroundPlaces *ground_places; ///< materials of the rigid ground; NULL: one everywhere
    GrSoilDef *soils; ///< [soil_count] soil of the scenario, then those of the map, then those of wheels
    int soil_count;
    int *wheel_soil; ///< [wheels of the rover] index in `soils`; −1: by place, GR_WHEEL_RIGID: none. NULL: all by place
    GrModel *model;
    GrMission *mission; ///< placed at its start
} GrWorld;

/// The reasons of a failure are in `log`; nothing is left to be freed then. `out` must stay where it is.
GR_API GrStatus gr_world_create(const GrScenario *scenario, GrWorld *out, GrErrorLog *log);
GR_API void gr_world_free(GrWorld *world);

#ifdef __cplusplus
}
#endif
#endif

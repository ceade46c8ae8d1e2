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
///     GrScenario *scenario = NULL;
///     if (gr_scenario_load("crossing", overrides, &scenario, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     printf("gravity %g m/s2\n", -gr_scenario_gravity(scenario).z); // prints: gravity 1.62
///     GrWorld *world = NULL;
///     if (gr_world_create(scenario, &world, &log) == GR_OK) {
///         gr_mission_advance(gr_world_mission(world), 2);
///         printf("%g s\n", gr_data_time(gr_mission_data(gr_world_mission(world)))); // prints: 2 s
///         gr_world_free(world);
///     }
///     gr_scenario_free(scenario);
#ifndef GROUSER_SCENARIO_H
#define GROUSER_SCENARIO_H

#include "grouser/assets.h"
#include "grouser/mission.h"
#include "grouser/model.h"
#include "grouser/rover.h"
#include "grouser/soil.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The contents of a scenario file. The members are internal: other values are set by overrides.
typedef struct GrScenario GrScenario;

/// Loads a shipped scenario by name, or a file by path. `overrides`: NULL, or a NULL-terminated list of "path=value"
/// for the scenario, "rover:path=value" for its rover and "soil:name=value" for its soil.
GR_API GrStatus gr_scenario_load(const char *name_or_path, const char *const *overrides, GrScenario **out,
                                 GrErrorLog *log);

GR_API void gr_scenario_free(GrScenario *scenario);

/// What a scenario says. Pointers are valid until gr_scenario_free().
GR_API const char *gr_scenario_name(const GrScenario *scenario);
GR_API const char *gr_scenario_title(const GrScenario *scenario);
GR_API const char *gr_scenario_input(const GrScenario *scenario); ///< all files and overrides, as text
GR_API const GrRoverDef *gr_scenario_rover(const GrScenario *scenario);
GR_API const GrSoilDef *gr_scenario_soil(const GrScenario *scenario); ///< NULL: rigid ground
GR_API const GrMissionDef *gr_scenario_mission(const GrScenario *scenario);
GR_API GrVec3 gr_scenario_gravity(const GrScenario *scenario);
GR_API bool gr_scenario_has_sensors(const GrScenario *scenario); ///< the sensors of the rover measure

/// Everything that a run needs, built from a scenario, which must outlive it.
typedef struct GrWorld GrWorld;

/// Builds the world of a scenario. On failure the reasons are in `log` and there is nothing to free.
GR_API GrStatus gr_world_create(const GrScenario *scenario, GrWorld **out, GrErrorLog *log);
GR_API void gr_world_free(GrWorld *world);

/// Its parts, which live as long as it does.
GR_API const GrScenario *gr_world_scenario(const GrWorld *world);
GR_API const GrModel *gr_world_model(const GrWorld *world);
GR_API GrMission *gr_world_mission(const GrWorld *world); ///< placed at its start
GR_API GrTerrain *gr_world_terrain(const GrWorld *world); ///< NULL: a plane
GR_API int gr_world_soil_count(const GrWorld *world);
GR_API const GrSoilDef *gr_world_soil(const GrWorld *world, int index); ///< of the scenario, of the map, of wheels
GR_API const GrRockField *gr_world_rocks(const GrWorld *world);         ///< movable rocks first

/// What many runs have in common and is made once: terrains, rovers and the trees of parsed files. Several threads may
/// use one cache. It holds those used last, at most four terrains and 16 rovers, and the first 32 files; worlds keep
/// the terrain that they use.
typedef struct GrWorldCache GrWorldCache;

GR_API GrStatus gr_world_cache_create(GrWorldCache **out, GrErrorLog *log);
GR_API void gr_world_cache_free(GrWorldCache *cache);

/// As gr_scenario_load(), with the same results and messages; a rover file with the same overrides is read once, and
/// the text of any file is parsed once.
/// `cache` may be NULL, and need not outlive the scenario.
GR_API GrStatus gr_scenario_load_shared(const char *name_or_path, const char *const *overrides, GrWorldCache *cache,
                                        GrScenario **out, GrErrorLog *log);

/// As gr_world_create(), with the same results and messages. `cache` may be NULL.
GR_API GrStatus gr_world_create_shared(const GrScenario *scenario, GrWorldCache *cache, GrWorld **out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif

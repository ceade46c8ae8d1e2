/// Terrain, soil maps and fields of rocks as the ground of a simulation.
///
/// Example: a rover on a map.
///
///     #include <grouser/sim.h>
///     static const double heights[] = {0, 0, 0, 0}; // 2 x 2 nodes, 20 m apart
///     GrErrorLog log = {0};
///     GrTerrain *terrain = NULL;
///     gr_terrain_create(&terrain, NULL);
///     GrLayerDef layer = gr_default_layer_def();
///     layer.frame = (GrGridFrame){.nx = 2, .ny = 2, .x0 = -10, .y0 = -10, .dx = 20, .dy = 20};
///     GrRoverDef rover;
///     if (terrain == NULL || gr_terrain_add_grid(terrain, &layer, heights, &log) != GR_OK ||
///         gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrSoilDef soil = gr_default_soil_def();
///     GrOptions options = gr_default_options();
///     options.surface = gr_surface_of_terrain(terrain, &soil);
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     if (gr_model_create(&rover, &options, &m, &log) == GR_OK && gr_data_create(m, &d, &log) == GR_OK &&
///         gr_settle(m, d, NULL, &log) == GR_OK) {
///         printf("wheel 0 is %s the map\n", gr_data_wheel(m, d, 0).on_map ? "on" : "off"); // prints: on the map
///     }
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_rover_free(&rover);
///     gr_terrain_free(terrain);
#ifndef GROUSER_SURFACE_H
#define GROUSER_SURFACE_H

#include "grouser/assets.h"
#include "grouser/model.h"
#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a surface from a terrain, without its rigid layers, and one soil. Add rigid structures to the scene as
/// parts. The terrain must outlive the model. The tiles under the rover must be in memory (gr_terrain_prefetch()):
/// where they are missing, as outside the map, a wheel has no ground.
GR_API GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil);

/// Sets soils by position: soils[i] is the soil of class i + 1 of the map, name_count in total. The map must outlive
/// the model. Where the map names no soil, soils[0] applies.
GR_API void gr_surface_set_soil_map(GrSurfaceDef *surface, const GrSoilMap *map, const GrSoilDef *soils);

/// Adds the rocks of a field to a scene, on the ground of a surface. Fixed rocks extend by their height above the
/// ground and by the same depth below it. Rocks outside the map are skipped. Returns the number of rocks added, or −1
/// when out of memory. A large field of fixed rocks takes less time and memory as GrSceneDef::field.
GR_API int gr_scene_add_rock_field(GrSceneDef *scene, const GrSurfaceDef *surface, const GrRockField *field,
                                   const GrRockFieldUse *use);

#ifdef __cplusplus
}
#endif
#endif

/// Terrain, soil maps and fields of rocks as the ground of a simulation.
///
/// Example: a rover on a map.
///
///     #include <grouser/sim.h>
///     static const double heights[] = {0, 0, 0, 0}; // 2 x 2 nodes, 20 m apart
///     GrErrorLog log = {0};
///     GrTerrain *terrain = gr_terrain_create();
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
///     GrModel *m = gr_model_create(&rover, &options, &log);
///     GrData *d = m != NULL ? gr_data_create(m) : NULL;
///     if (d != NULL && gr_settle(m, d, NULL, &log) == GR_OK) {
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

/// The ground of a model: heights of the terrain without its hard layers, one soil. The scene has what hard layers
/// show, as parts. The terrain must outlive the model, and the tiles under the rover must be in memory
/// (gr_terrain_prefetch()): where they are not, and off the map, a wheel has no ground.
GR_API GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil);

/// Soils by place: soils[i] is the soil of class i + 1 of the map, name_count of them. The map must outlive the model.
/// Where it names none, a wheel is on soils[0].
GR_API void gr_surface_set_soil_map(GrSurfaceDef *surface, const GrSoilMap *map, const GrSoilDef *soils);

/// How rocks of a field stand in a scene.
typedef struct GrRockFieldUse {
    GrStoneShape shape;
    double loose_below; ///< rocks of less than this diameter are loose and lie on the ground [m]; 0: none
    double density;     ///< [kg/m³]; 0: default
    uint64_t seed;      ///< of their shapes
    int material;
} GrRockFieldUse;

/// Adds the rocks of a field to a scene, on the ground of a surface: fixed ones show their height above it and are as
/// deep again below. Rocks off the map are left out. Returns how many were added, −1 when out of memory.
GR_API int gr_scene_add_rock_field(GrSceneDef *scene, const GrSurfaceDef *surface, const GrRockField *field,
                                   const GrRockFieldUse *use);

#ifdef __cplusplus
}
#endif
#endif

/// Adapters that make terrain, soil maps and fields of rocks the ground of a model.
#include "grouser/surface.h"

#include "stones.h"
#include "terrain_data.h"
#include "wheel_ground.h"

static bool height_of_terrain(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_terrain_height_normal(context, x, y, z, normal) == GR_GROUND_OK;
}

static bool soil_of_terrain(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_terrain_soil_normal(context, x, y, z, normal) == GR_GROUND_OK;
}

static bool has_rigid_layer(const GrTerrain *terrain)
{
    bool any = false;
    for (int k = 0; k < terrain->layer_count; k++) {
        any = any || terrain->layers[k].def.rigid;
    }
    return any;
}

static bool soil_of_map(const void *context, double x, double y, GrSoilMix *mix)
{
    return gr_soil_map_at(context, x, y, mix) == GR_GROUND_OK;
}

GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil)
{
    GrSurfaceDef surface = gr_default_surface_def();
    surface.soil = soil;
    surface.height = has_rigid_layer(terrain) ? soil_of_terrain : height_of_terrain;
    surface.context = terrain;
    return surface;
}

void gr_surface_set_soil_map(GrSurfaceDef *surface, const GrSoilMap *map, const GrSoilDef *soils)
{
    surface->soil = soils;
    surface->soil_count = map->name_count;
    surface->soil_at = soil_of_map;
    surface->soil_context = map;
}

bool gr_surface_drop(const GrSurfaceDef *surface, int count, GrVec3 *points)
{
    if (surface->height == height_of_terrain) {
        return gr_terrain_drop(surface->context, count, points);
    }
    for (int i = 0; i < count; i++) {
        GrVec3 normal;
        points[i].z = 0;
        if (surface->height != NULL &&
            !surface->height(surface->context, points[i].x, points[i].y, &points[i].z, &normal)) {
            return false;
        }
    }
    return true;
}

int gr_scene_add_rock_field(GrSceneDef *scene, const GrSurfaceDef *surface, const GrRockField *field,
                            const GrRockFieldUse *use)
{
    int added = 0;
    for (int i = 0; i < field->count; i++) {
        GrStoneDef stone = gr_stone_of_field(field, use, i);
        if (!gr_surface_drop(surface, 1, &stone.place)) { // off the map
            continue;
        }
        if (gr_scene_add_stone(scene, &stone) < 0) {
            return -1;
        }
        added++;
    }
    return added;
}

#include "grouser/surface.h"

static bool height_of_terrain(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_terrain_height_normal(context, x, y, z, normal) == GR_GROUND_OK;
}

GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil)
{
    return (GrSurfaceDef){.soil = soil, .height = height_of_terrain, .context = terrain, .slices = 1};
}

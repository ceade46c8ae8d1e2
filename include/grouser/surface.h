/// Terrain as the ground of a simulation.
#ifndef GROUSER_SURFACE_H
#define GROUSER_SURFACE_H

#include "grouser/model.h"
#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The ground of a model: heights of the terrain, one soil. The terrain must outlive the model, and the tiles under the
/// rover must be in memory (gr_terrain_prefetch()): where they are not, and off the map, a wheel has no ground.
GR_API GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil);

#ifdef __cplusplus
}
#endif
#endif

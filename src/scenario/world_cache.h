/// The terrains, rovers, sizes of rocks and parsed files that worlds of many runs share.
#ifndef GR_WORLD_CACHE_H
#define GR_WORLD_CACHE_H

#include "document_cache.h"
#include "rock_table.h"
#include "rover_cache.h"

#include "scenario_data.h"

/// Makes the terrain of a plan (world.c). NULL where the ground is a plane. What was made before a failure is in `out`.
GrStatus gr_plan_make_terrain(const GrTerrainPlan *plan, GrTerrain **out, GrErrorLog *log);

/// The same with the heights of the cache, which makes them if no world had this plan before.
GrStatus gr_world_cache_terrain(GrWorldCache *cache, const GrTerrainPlan *plan, GrTerrain **out, GrErrorLog *log);

/// The table of a law of rocks, made if no world had it before; NULL: the cache is full, or the definition is wrong.
const GrRockTable *gr_world_cache_rocks(GrWorldCache *cache, const GrRockFieldDef *def);

/// NULL: none.
GrRoverCache *gr_world_cache_rovers(const GrWorldCache *cache);
GrDocumentCache *gr_world_cache_parsed(const GrWorldCache *cache);

#endif

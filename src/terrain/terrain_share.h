/// One terrain for many worlds in several threads: a base that is made once, and borrowed terrains that show it.
///
///     gr_terrain_share_create(base)  ->  GrTerrainShare  --gr_terrain_borrow-->  GrTerrain, one for each world
///
/// Every borrowed terrain has its own table of tiles, so that queries need no lock. A missing tile comes from the base,
/// which makes it if it is the first to be asked; only this takes a lock. Tiles are made from their position alone, so
/// that heights do not depend on who asked first. The base keeps tiles up to the limit of its layers and never drops
/// one; beyond the limit, a borrowed terrain makes tiles of its own.
#ifndef GR_TERRAIN_SHARE_H
#define GR_TERRAIN_SHARE_H

#include "grouser/terrain.h"

typedef struct GrTerrainShare GrTerrainShare;

/// Takes over `base`, also when it fails: NULL when out of memory.
GrTerrainShare *gr_terrain_share_create(GrTerrain *base);

/// Ends the caller's use. The share lives until the last borrowed terrain is freed.
void gr_terrain_share_release(GrTerrainShare *share);

/// A terrain with the layers of the base at this time; free it with gr_terrain_free(). NULL when out of memory.
GrTerrain *gr_terrain_borrow(GrTerrainShare *share);

/// Bytes of the tiles that the base has in memory.
size_t gr_terrain_share_memory(GrTerrainShare *share);

#endif

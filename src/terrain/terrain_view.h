/// Other ways to a terrain: a second look at it, and one terrain for many worlds.
#ifndef GR_TERRAIN_VIEW_H
#define GR_TERRAIN_VIEW_H

#include "grouser/terrain.h"

// A second look at a terrain, with tiles of its own: any part of the map can be read without displacing the tiles that
// a simulation needs, and coarsely, so that a large map is read quickly.

typedef struct GrTerrainView GrTerrainView;

/// A view for heights that are `cell` apart [m]: of a layer with finer nodes every n-th is read, n = floor(cell /
/// spacing). Layers that are in memory as a whole are shared. NULL when out of memory. Not while another thread loads
/// tiles of the terrain, which must live longer.
GrTerrainView *gr_terrain_view_open(const GrTerrain *terrain, double cell);
void gr_terrain_view_close(GrTerrainView *view);

/// How many nodes would be read for all of a box of this size [m].
double gr_terrain_view_cost(const GrTerrain *terrain, double cell, double width, double height);

/// Smallest spacing of nodes of all layers [m]; INFINITY: there are none.
double gr_terrain_finest_cell(const GrTerrain *terrain);

/// For gr_terrain_prefetch() and queries.
GrTerrain *gr_terrain_view_terrain(GrTerrainView *view);

// One terrain for many worlds in several threads: a base that is made once, and borrowed terrains that show it.
//
//     gr_terrain_share_create(base)  ->  GrTerrainShare  --gr_terrain_borrow-->  GrTerrain, one for each world
//
// Every borrowed terrain has its own table of tiles, so that queries need no lock. A missing tile comes from the base,
// which makes it if it is the first to be asked; only this takes a lock. Tiles are made from their position alone, so
// that heights do not depend on who asked first. The base keeps tiles up to the limit of its layers and never drops
// one; beyond the limit, a borrowed terrain makes tiles of its own.

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

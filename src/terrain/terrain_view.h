/// A second look at a terrain, with tiles of its own: any part of the map can be read without displacing the tiles that
/// a simulation needs, and coarsely, so that a large map is read quickly.
#ifndef GR_TERRAIN_VIEW_H
#define GR_TERRAIN_VIEW_H

#include "grouser/terrain.h"

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

#endif

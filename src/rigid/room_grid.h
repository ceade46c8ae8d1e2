/// Grid over circles on the ground that are known before the shapes in them: built once, queried often.
///
/// A circle is in the cell of its centre, so that a query also looks at cells that are one reach away. Circles of very
/// different sizes would make that distance long for all of them; they are in levels of similar size, each with its own
/// grid. Time to build and memory grow linearly with the count.
#ifndef GR_ROOM_GRID_H
#define GR_ROOM_GRID_H

#include "convex.h"

enum { GR_ROOM_LEVELS = 8 };

typedef struct GrRoom {
    double x, y, reach; ///< centre and radius [m]
    int item;
} GrRoom;

/// Cells in rows from the south, of which the rooms follow each other:
///
///     starts:  | cell 0 | cell 1 | ... | cell nx - 1 | cell nx | ...      rooms of cell k: starts[k] .. starts[k + 1]
typedef struct GrRoomLevel {
    double x0, y0, per_cell, reach; ///< reach: the largest
    int nx, ny;
    int *starts;   ///< [nx ny + 1]
    GrRoom *rooms; ///< not owned: part of those of the grid
} GrRoomLevel;

typedef struct GrRoomGrid {
    GrRoom *rooms;
    GrRoomLevel levels[GR_ROOM_LEVELS];
    int level_count;
} GrRoomGrid;

/// False when out of memory. `room` gives centre and reach of an item.
typedef GrRoom (*GrRoomFn)(void *context, int item);
bool gr_room_grid_create(GrRoomGrid *grid, int count, GrRoomFn room, void *context);
void gr_room_grid_free(GrRoomGrid *grid);

/// Walks over the rooms whose squares overlap a box, seen from above, each once.
///
///     GrRoomWalk walk = gr_room_walk(&grid, &box);
///     for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) { ... }
typedef struct GrRoomWalk {
    const GrRoomGrid *grid;
    double x_lower, y_lower, x_upper, y_upper;
    int level;                ///< the next one
    int i0, i1, j, j1;        ///< cells of this level: columns, next row, last row
    const GrRoomLevel *now;   ///< NULL: before the first level
    const GrRoom *at, *after; ///< of this row
} GrRoomWalk;

GrRoomWalk gr_room_walk(const GrRoomGrid *grid, const GrBounds *box);
const GrRoom *gr_room_next(GrRoomWalk *walk);

#endif

#include "room_grid.h"

#include "alloc.h"

#include <string.h>

/// The first level has reaches above this [m]; each of the others up to this ratio smaller ones, the last all that are
/// left.
static const double FIRST_LEVEL = 10, LEVEL_RATIO = 3;
/// Mean number of rooms in a cell.
static const double ROOMS_PER_CELL = 2;

static int level_of(double reach)
{
    int level = 0;
    double least = FIRST_LEVEL;
    while (level < GR_ROOM_LEVELS - 1 && reach < least) {
        least /= LEVEL_RATIO;
        level++;
    }
    return level;
}

/// What is known of a level before its cells.
typedef struct Census {
    double x_lower, y_lower, x_upper, y_upper, reach;
    int count;
} Census;

static void count_in(Census *c, GrRoom room)
{
    c->x_lower = c->count > 0 ? fmin(c->x_lower, room.x) : room.x;
    c->y_lower = c->count > 0 ? fmin(c->y_lower, room.y) : room.y;
    c->x_upper = c->count > 0 ? fmax(c->x_upper, room.x) : room.x;
    c->y_upper = c->count > 0 ? fmax(c->y_upper, room.y) : room.y;
    c->reach = fmax(c->reach, room.reach);
    c->count++;
}

/// Cells no smaller than the reach, so that a query looks at the neighbours of a cell only.
static bool make_cells(GrRoomLevel *level, const Census *c)
{
    const double width = c->x_upper - c->x_lower, height = c->y_upper - c->y_lower;
    const double longest = fmax(width, height), cells = c->count / ROOMS_PER_CELL;
    // rooms in one line have no more cells than those in a square
    const double cell = fmax(fmax(c->reach, sqrt(width * height / cells)), fmax(longest / cells, 1e-9));
    *level = (GrRoomLevel){.x0 = c->x_lower, .y0 = c->y_lower, .per_cell = 1 / cell, .reach = c->reach};
    level->nx = 1 + (int)(width / cell);
    level->ny = 1 + (int)(height / cell);
    level->starts = gr_calloc((size_t)level->nx * (size_t)level->ny + 1, sizeof *level->starts);
    return level->starts != NULL;
}

/// Index of the cell of a coordinate, which may be outside.
static int cell_of(double x, double x0, double per_cell, int count)
{
    const double at = (x - x0) * per_cell;
    return at > 0 ? (at < count ? (int)at : count - 1) : 0;
}

static int *start_of(const GrRoomLevel *level, const GrRoom *room)
{
    const int i = cell_of(room->x, level->x0, level->per_cell, level->nx),
              j = cell_of(room->y, level->y0, level->per_cell, level->ny);
    return &level->starts[j * level->nx + i];
}

/// Counting sort of the rooms into the cells of their levels.
static void fill(GrRoomGrid *grid, int count, GrRoomFn room, void *context, const int *level_at)
{
    for (int i = 0; i < count; i++) {
        const GrRoom r = room(context, i);
        start_of(&grid->levels[level_at[level_of(r.reach)]], &r)[0]++;
    }
    for (int k = 0; k < grid->level_count; k++) { // to the end of each cell
        GrRoomLevel *level = &grid->levels[k];
        for (int c = 1; c <= level->nx * level->ny; c++) {
            level->starts[c] += level->starts[c - 1];
        }
    }
    for (int i = count - 1; i >= 0; i--) { // back to its begin, so that items ascend in a cell
        GrRoom r = room(context, i);
        GrRoomLevel *level = &grid->levels[level_at[level_of(r.reach)]];
        r.item = i;
        level->rooms[--*start_of(level, &r)] = r;
    }
}

bool gr_room_grid_create(GrRoomGrid *grid, int count, GrRoomFn room, void *context)
{
    Census census[GR_ROOM_LEVELS];
    int level_at[GR_ROOM_LEVELS] = {0}, before = 0;
    memset(census, 0, sizeof census);
    *grid = (GrRoomGrid){.rooms = gr_malloc(((size_t)count + 1) * sizeof *grid->rooms)};
    bool made = grid->rooms != NULL;
    for (int i = 0; i < count; i++) {
        const GrRoom r = room(context, i);
        count_in(&census[level_of(r.reach)], r);
    }
    for (int k = 0; k < GR_ROOM_LEVELS && made; k++) {
        if (census[k].count > 0) {
            GrRoomLevel *level = &grid->levels[grid->level_count];
            made = make_cells(level, &census[k]);
            level->rooms = grid->rooms + before;
            before += census[k].count;
            level_at[k] = grid->level_count++;
        }
    }
    if (made) {
        fill(grid, count, room, context, level_at);
    } else {
        gr_room_grid_free(grid);
    }
    return made;
}

void gr_room_grid_free(GrRoomGrid *grid)
{
    for (int k = 0; k < grid->level_count; k++) {
        gr_free(grid->levels[k].starts);
    }
    gr_free(grid->rooms);
    *grid = (GrRoomGrid){0};
}

GrRoomWalk gr_room_walk(const GrRoomGrid *grid, const GrBounds *box)
{
    return (GrRoomWalk){.grid = grid,
                        .x_lower = box->lower.x,
                        .y_lower = box->lower.y,
                        .x_upper = box->upper.x,
                        .y_upper = box->upper.y,
                        .j1 = -1};
}

/// Goes on to the next row or level; false at the end.
static bool go_on(GrRoomWalk *w)
{
    if (w->j > w->j1) {
        if (w->level == w->grid->level_count) {
            return false;
        }
        const GrRoomLevel *level = w->now = &w->grid->levels[w->level++];
        const double far = level->reach * (1 + 1e-9);
        w->i0 = cell_of(w->x_lower - far, level->x0, level->per_cell, level->nx);
        w->i1 = cell_of(w->x_upper + far, level->x0, level->per_cell, level->nx);
        w->j = cell_of(w->y_lower - far, level->y0, level->per_cell, level->ny);
        w->j1 = cell_of(w->y_upper + far, level->y0, level->per_cell, level->ny);
    }
    const int row = w->j++ * w->now->nx;
    w->at = w->now->rooms + w->now->starts[row + w->i0];
    w->after = w->now->rooms + w->now->starts[row + w->i1 + 1];
    return true;
}

const GrRoom *gr_room_next(GrRoomWalk *w)
{
    do {
        for (; w->at < w->after; w->at++) {
            const GrRoom *r = w->at;
            if (r->x - r->reach <= w->x_upper && r->x + r->reach >= w->x_lower && r->y - r->reach <= w->y_upper &&
                r->y + r->reach >= w->y_lower) {
                w->at++;
                return r;
            }
        }
    } while (go_on(w));
    return NULL;
}

/// Cheapest routes over a grid of cells with directed edges: uphill may cost more than downhill, and a cell may be left
/// in a direction in which it cannot be entered.
///
///     cells are numbered row by row from the south-west, cell = j · nx + i      3  2  1
///     an edge leaves a cell for a neighbour in direction k, that is             4  .  0
///     k · 45 deg from east to the left                                          5  6  7
///
/// A* (Hart, Nilsson & Raphael 1968) with the heuristic h = c · d, where c is the lowest cost per metre of any edge and
/// d the length of the shortest way over the grid. A route of length L costs at least c L ≥ c d, so h never
/// overestimates (admissible), and the first route found to the goal is the cheapest. h falls by at most the cost of an
/// edge along it (consistent), so that no cell is visited twice, except for rounding.
///
/// No library: those for graphs are C++; the search is a page.
#ifndef GR_ROUTE_H
#define GR_ROUTE_H

#include "grouser/status.h"

enum { GR_ROUTE_DIRECTIONS = 8 };

/// Steps of a direction in columns and rows.
extern const int gr_route_steps[GR_ROUTE_DIRECTIONS][2];

typedef struct GrRouteGrid {
    int nx, ny;
    double cell;         ///< side of a cell [m]
    const double *costs; ///< [ny · nx][GR_ROUTE_DIRECTIONS] of leaving a cell, 0 or more; NAN or ∞: closed
} GrRouteGrid;

/// Why there is no route.
typedef enum GrRouteEnd {
    GR_ROUTE_FOUND,
    GR_ROUTE_START_CLOSED, ///< no open edge leaves the start
    GR_ROUTE_GOAL_CLOSED,  ///< no open edge leads to the goal
    GR_ROUTE_SEPARATED     ///< the cells that can be reached do not include the goal
} GrRouteEnd;

/// Free with gr_route_free().
typedef struct GrRoute {
    GrRouteEnd end;
    int *cells; ///< [cell_count] from start to goal, owned; NULL: no route
    int cell_count;
    double cost;
    int visited; ///< cells that the search looked at; without a route those that can be reached from the start
    int nearest; ///< of these the one nearest to the goal; with a route the goal
} GrRoute;

/// The cheapest route between two cells. Of equally cheap ones always the same. Having no route is a result, not an
/// error; the status is for lack of memory.
GrStatus gr_route_find(const GrRouteGrid *grid, int start, int goal, GrRoute *out, GrErrorLog *log);
void gr_route_free(GrRoute *route);

/// The cell beyond an edge; −1: off the grid.
int gr_route_neighbour(const GrRouteGrid *grid, int cell, int direction);

/// Length of an edge [m].
double gr_route_length(const GrRouteGrid *grid, int direction);

/// Length of the shortest way over the grid between two cells, with no edge closed [m].
double gr_route_octile(const GrRouteGrid *grid, int a, int b);

/// The direction from a cell to a neighbour; −1: it is none.
int gr_route_direction(const GrRouteGrid *grid, int from, int to);

#endif

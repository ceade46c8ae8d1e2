#include "route.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>

const int gr_route_steps[GR_ROUTE_DIRECTIONS][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                                    {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static const double SQRT2 = 1.4142135623730951;

/// A cell that waits for its turn. A cell may wait several times; only the entry with its present cost counts.
typedef struct Entry {
    double f, h, g; ///< estimated cost of the whole route, of the rest, and cost so far
    int cell;
} Entry;

typedef struct Search {
    const GrRouteGrid *grid;
    int goal;
    double per_metre; ///< lowest of all edges
    double *g;        ///< [cells] lowest cost so far; ∞: not reached
    int *from;        ///< [cells] −1: none
    bool *done;       ///< [cells]
    Entry *heap;
    int count, capacity;
} Search;

int gr_route_neighbour(const GrRouteGrid *grid, int cell, int direction)
{
    const int i = cell % grid->nx + gr_route_steps[direction][0], j = cell / grid->nx + gr_route_steps[direction][1];
    return i >= 0 && i < grid->nx && j >= 0 && j < grid->ny ? j * grid->nx + i : -1;
}

double gr_route_length(const GrRouteGrid *grid, int direction)
{
    return direction % 2 == 0 ? grid->cell : SQRT2 * grid->cell;
}

double gr_route_octile(const GrRouteGrid *grid, int a, int b)
{
    const int dx = abs(a % grid->nx - b % grid->nx), dy = abs(a / grid->nx - b / grid->nx);
    const int longer = dx > dy ? dx : dy, shorter = dx > dy ? dy : dx;
    return grid->cell * (longer - shorter + SQRT2 * shorter);
}

int gr_route_direction(const GrRouteGrid *grid, int from, int to)
{
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        if (gr_route_neighbour(grid, from, k) == to) {
            return k;
        }
    }
    return -1;
}

static double edge(const GrRouteGrid *grid, int cell, int direction)
{
    return grid->costs[cell * GR_ROUTE_DIRECTIONS + direction];
}

/// Of equal estimates first the one nearer to the goal, then the lower number: the order is the same every time.
static bool is_before(const Entry *a, const Entry *b)
{
    return a->f != b->f ? a->f < b->f : a->h != b->h ? a->h < b->h : a->cell < b->cell;
}

static bool push(Search *s, Entry entry)
{
    if (s->count == s->capacity) {
        const int capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        Entry *larger = gr_realloc(s->heap, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        s->heap = larger;
        s->capacity = capacity;
    }
    int at = s->count++;
    while (at > 0 && is_before(&entry, &s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = entry;
    return true;
}

static Entry pop(Search *s)
{
    const Entry top = s->heap[0], last = s->heap[--s->count];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->count) {
            break;
        }
        child += child + 1 < s->count && is_before(&s->heap[child + 1], &s->heap[child]);
        if (!is_before(&s->heap[child], &last)) {
            break;
        }
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return top;
}

static double lowest_per_metre(const GrRouteGrid *grid)
{
    double lowest = INFINITY;
    for (int cell = 0; cell < grid->nx * grid->ny; cell++) {
        for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
            const double cost = edge(grid, cell, k);
            if (isfinite(cost) && gr_route_neighbour(grid, cell, k) >= 0) {
                lowest = fmin(lowest, cost / gr_route_length(grid, k));
            }
        }
    }
    return isfinite(lowest) ? lowest : 0;
}

static bool reach(Search *s, int cell, int from, double g)
{
    s->g[cell] = g;
    s->from[cell] = from;
    s->done[cell] = false; // rounding may improve a cell again
    const double h = s->per_metre * gr_route_octile(s->grid, cell, s->goal);
    return push(s, (Entry){g + h, h, g, cell});
}

/// Until the goal is reached, or nothing more can be. False: out of memory.
static bool search(Search *s, int start, GrRoute *out)
{
    double nearest = INFINITY;
    bool ok = reach(s, start, -1, 0);
    while (ok && s->count > 0) {
        const Entry entry = pop(s);
        const int cell = entry.cell;
        if (s->done[cell] || entry.g > s->g[cell]) {
            continue;
        }
        s->done[cell] = true;
        out->visited++;
        const double distance = gr_route_octile(s->grid, cell, s->goal);
        if (distance < nearest) {
            nearest = distance;
            out->nearest = cell;
        }
        if (cell == s->goal) {
            break;
        }
        for (int k = 0; k < GR_ROUTE_DIRECTIONS && ok; k++) {
            const int next = gr_route_neighbour(s->grid, cell, k);
            const double g = s->g[cell] + edge(s->grid, cell, k); // NAN compares false
            if (next >= 0 && g < s->g[next]) {
                ok = reach(s, next, cell, g);
            }
        }
    }
    return ok;
}

static bool list_cells(const Search *s, int start, GrRoute *out)
{
    int count = 1;
    for (int cell = s->goal; cell != start; cell = s->from[cell]) {
        count++;
    }
    out->cells = gr_calloc((size_t)count, sizeof *out->cells);
    if (out->cells == NULL) {
        return false;
    }
    out->cell_count = count;
    out->cost = s->g[s->goal];
    for (int cell = s->goal, i = count - 1; i >= 0; cell = s->from[cell], i--) {
        out->cells[i] = cell;
    }
    return true;
}

static GrRouteEnd why_none(const GrRouteGrid *grid, int start, int goal)
{
    bool leaves = false, enters = false;
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        const int behind = gr_route_neighbour(grid, goal, (k + 4) % GR_ROUTE_DIRECTIONS);
        leaves = leaves || (gr_route_neighbour(grid, start, k) >= 0 && isfinite(edge(grid, start, k)));
        enters = enters || (behind >= 0 && isfinite(edge(grid, behind, k)));
    }
    return !leaves ? GR_ROUTE_START_CLOSED : !enters ? GR_ROUTE_GOAL_CLOSED : GR_ROUTE_SEPARATED;
}

GrStatus gr_route_find(const GrRouteGrid *grid, int start, int goal, GrRoute *out, GrErrorLog *log)
{
    const size_t cells = (size_t)grid->nx * (size_t)grid->ny;
    Search s = {.grid = grid,
                .goal = goal,
                .per_metre = lowest_per_metre(grid),
                .g = gr_malloc(cells * sizeof *s.g),
                .from = gr_malloc(cells * sizeof *s.from),
                .done = gr_calloc(cells, sizeof *s.done)};
    *out = (GrRoute){.nearest = start};
    bool ok = s.g != NULL && s.from != NULL && s.done != NULL;
    for (size_t i = 0; i < cells && ok; i++) {
        s.g[i] = INFINITY;
        s.from[i] = -1;
    }
    ok = ok && search(&s, start, out);
    if (ok && isfinite(s.g[goal])) {
        ok = list_cells(&s, start, out);
    } else if (ok) {
        out->end = why_none(grid, start, goal);
    }
    gr_free(s.g);
    gr_free(s.from);
    gr_free(s.done);
    gr_free(s.heap);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_route_free(GrRoute *route)
{
    gr_free(route->cells);
    *route = (GrRoute){0};
}

/// Routes over the ground of a map: costs of the grid's edges, the cheapest way, and fewer way-points for it.
#include "alloc.h"
#include "elementary.h"
#include "go.h"
#include "list.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

/// A straight piece may replace a part of the way that costs this much less; more where the way-points would not fit
/// into a row of the study.
static const double STRAIGHT[] = {1.03, 1.1, 1.3, 2};
enum { STRAIGHTS = sizeof STRAIGHT / sizeof STRAIGHT[0], POINTS_MOST = 56 };
static const double BLOCKED_ANGLE = 70 * GR_DEGREE; // a blocked place may be passed at other headings

static double heading_of(int direction)
{
    return direction * GR_PI / 4;
}

static int cell_count(const GrGo *go)
{
    return go->t.grid.nx * go->t.grid.ny;
}

static GrGoEdge look(const GrGo *go, double x, double y, double heading)
{
    const GrGoSpot spot = gr_go_spot(&go->ground, x, y, heading);
    return (GrGoEdge){(float)spot.share, (float)gr_go_spot_effort(&go->ground, &spot)};
}

GrStatus gr_go_plan_prepare(GrGo *go, GrErrorLog *log)
{
    const int count = cell_count(go) * GR_ROUTE_DIRECTIONS;
    GrGoEdge *centres = gr_calloc((size_t)count, sizeof *centres);
    go->edges = gr_calloc((size_t)count, sizeof *go->edges);
    for (int i = 0; i < count && centres != NULL; i++) {
        double at[2];
        gr_traverse_centre(&go->t, i / GR_ROUTE_DIRECTIONS, at);
        centres[i] = look(go, at[0], at[1], heading_of(i % GR_ROUTE_DIRECTIONS));
    }
    for (int i = 0; i < count && centres != NULL && go->edges != NULL; i++) {
        const int k = i % GR_ROUTE_DIRECTIONS, next = gr_route_neighbour(&go->t.grid, i / GR_ROUTE_DIRECTIONS, k);
        go->edges[i] = (GrGoEdge){INFINITY, 1};
        if (next >= 0) {
            double a[2], b[2];
            gr_traverse_centre(&go->t, i / GR_ROUTE_DIRECTIONS, a);
            gr_traverse_centre(&go->t, next, b);
            const GrGoEdge middle = look(go, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, heading_of(k));
            const GrGoEdge *from = &centres[i], *to = &centres[next * GR_ROUTE_DIRECTIONS + k];
            go->edges[i].share = fmaxf(middle.share, fmaxf(from->share, to->share));
            go->edges[i].effort = middle.effort / 2 + (from->effort + to->effort) / 4;
        }
    }
    const bool ok = centres != NULL && go->edges != NULL;
    gr_free(centres);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

bool gr_go_has_way(const GrGo *go, const double at[2], GrGoSpot *best, double *heading)
{
    *best = (GrGoSpot){.hazard = GR_GO_EDGE, .share = INFINITY};
    *heading = 0;
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        const double step = go->t.grid.cell;
        const double ahead[2] = {at[0] + step * gr_cos(heading_of(k)), at[1] + step * gr_sin(heading_of(k))};
        const GrGoSpot here = gr_go_spot(&go->ground, at[0], at[1], heading_of(k));
        const GrGoSpot next = gr_go_spot(&go->ground, ahead[0], ahead[1], heading_of(k));
        const GrGoSpot *worse = here.share >= next.share ? &here : &next;
        if (worse->share < best->share) {
            *best = *worse;
            *heading = heading_of(k);
        }
    }
    return best->share <= 1;
}

// ---- the way

static bool is_blocked(const GrGoBlock *blocks, int count, double x, double y, double heading)
{
    for (int i = 0; i < count; i++) {
        if (gr_cos(heading - blocks[i].heading) > gr_cos(BLOCKED_ANGLE) &&
            gr_hypot(x - blocks[i].at[0], y - blocks[i].at[1]) < blocks[i].radius) {
            return true;
        }
    }
    return false;
}

/// A plan while it is made.
typedef struct Plan {
    const GrGo *go;
    const GrGoBlock *blocks;
    int block_count;
    double care;
    bool forced;
    double (*chain)[2]; ///< [count] start, middles of cells, goal
    double *sum;        ///< [count] cost up to each
    double *most;       ///< [count] largest share of the piece that ends there
    int count;
} Plan;

static double *make_costs(const Plan *p)
{
    const GrGo *go = p->go;
    const int count = cell_count(go) * GR_ROUTE_DIRECTIONS;
    double *costs = gr_malloc((size_t)count * sizeof *costs);
    for (int i = 0; i < count && costs != NULL; i++) {
        const int k = i % GR_ROUTE_DIRECTIONS;
        const GrGoEdge *e = &go->edges[i];
        double at[2];
        gr_traverse_centre(&go->t, i / GR_ROUTE_DIRECTIONS, at);
        const double half = 0.5 * gr_route_length(&go->t.grid, k);
        at[0] += half * gr_cos(heading_of(k));
        at[1] += half * gr_sin(heading_of(k));
        costs[i] = NAN;
        if (!isinf(e->share) && (p->forced || e->share <= 1) &&
            !is_blocked(p->blocks, p->block_count, at[0], at[1], heading_of(k))) {
            costs[i] = 2 * half * gr_go_cost(e->effort, e->share, p->care);
        }
    }
    return costs;
}

/// Cost of a straight piece; INFINITY: it is blocked, off the map, or beyond a share of the limits.
static double piece_cost(const Plan *p, const double a[2], const double b[2], double allowed, double *most)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = gr_hypot(dx, dy), heading = gr_atan2(dy, dx);
    const int steps = 1 + (int)ceil(length / (0.5 * p->go->t.grid.cell));
    double sum = 0;
    *most = 0;
    for (int i = 0; i <= steps && length > 0; i++) {
        const double x = a[0] + dx * i / steps, y = a[1] + dy * i / steps;
        const GrGoSpot spot = gr_go_spot(&p->go->ground, x, y, heading);
        if (spot.share > allowed || is_blocked(p->blocks, p->block_count, x, y, heading)) {
            return INFINITY;
        }
        const double weight = (i == 0 || i == steps ? 0.5 : 1) * length / steps;
        *most = fmax(*most, spot.share);
        sum += weight * gr_go_cost(gr_go_spot_effort(&p->go->ground, &spot), spot.share, p->care);
    }
    return sum;
}

static bool lay_chain(Plan *p, const GrRoute *route)
{
    const GrGo *go = p->go;
    const int n = route->cell_count > 2 ? route->cell_count : 2;
    p->chain = gr_calloc((size_t)n, sizeof *p->chain);
    p->sum = gr_calloc((size_t)n, sizeof *p->sum);
    p->most = gr_calloc((size_t)n, sizeof *p->most);
    if (p->chain == NULL || p->sum == NULL || p->most == NULL) {
        return false;
    }
    p->count = n;
    for (int i = 1; i + 1 < n; i++) {
        gr_traverse_centre(&go->t, route->cells[i], p->chain[i]);
    }
    memcpy(p->chain[0], go->start.at, sizeof p->chain[0]);
    memcpy(p->chain[n - 1], go->goal.at, sizeof p->chain[0]);
    for (int i = 1; i < n; i++) {
        const double cost = piece_cost(p, p->chain[i - 1], p->chain[i], INFINITY, &p->most[i]);
        p->sum[i] = p->sum[i - 1] + (isfinite(cost) ? cost : 0);
    }
    return true;
}

/// Whether the straight piece from one point of the chain to another may replace what is between them.
static bool may_replace(const Plan *p, int from, int to, double factor)
{
    double allowed = 1, most;
    for (int i = from + 1; i <= to; i++) {
        allowed = fmax(allowed, p->most[i]);
    }
    return piece_cost(p, p->chain[from], p->chain[to], allowed, &most) <= factor * (p->sum[to] - p->sum[from]);
}

/// The point that a straight piece reaches from `from`: ever longer ones are tried, then those between.
static int farthest(const Plan *p, int from, double factor)
{
    int good = from + 1, step = 2;
    while (from + step < p->count && may_replace(p, from, from + step, factor)) {
        good = from + step;
        step *= 2;
    }
    int bad = from + step < p->count ? from + step : p->count;
    while (bad - good > 1) {
        const int middle = (good + bad) / 2;
        *(may_replace(p, from, middle, factor) ? &good : &bad) = middle;
    }
    return good;
}

static GrStatus lay_points(const Plan *p, GrGoTry *out, GrErrorLog *log)
{
    out->points = gr_calloc((size_t)p->count, sizeof *out->points);
    if (out->points == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int k = 0; k < STRAIGHTS; k++) {
        out->point_count = 0;
        for (int at = 0; at + 1 < p->count;) {
            at = farthest(p, at, STRAIGHT[k]);
            memcpy(out->points[out->point_count++], p->chain[at], sizeof p->chain[at]);
        }
        if (out->point_count <= POINTS_MOST) {
            return GR_OK;
        }
    }
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mission.go.cell_m"},
                        "a route has %d turns, too many for a row of the study: larger cells give fewer",
                        out->point_count);
}

/// Length, worst place, expected time and energy.
static void judge(const Plan *p, GrGoTry *out)
{
    const GrGo *go = p->go;
    const double *a = go->start.at;
    out->worst.spot = (GrGoSpot){.share = -1};
    for (int k = 0; k < out->point_count; k++) {
        const double *b = out->points[k], dx = b[0] - a[0], dy = b[1] - a[1], length = gr_hypot(dx, dy);
        const int steps = 1 + (int)ceil(length / (0.5 * go->t.grid.cell));
        for (int i = 0; i < steps; i++) {
            const double at[2] = {a[0] + dx * (i + 0.5) / steps, a[1] + dy * (i + 0.5) / steps};
            const GrGoSpot spot = gr_go_spot(&go->ground, at[0], at[1], gr_atan2(dy, dx));
            out->energy += spot.cost.energy * length / steps;
            out->time += spot.cost.time * length / steps;
            if (spot.share > out->worst.spot.share) {
                out->worst = (GrGoPlace){{at[0], at[1]}, spot};
            }
        }
        out->length += length;
        a = b;
    }
}

GrStatus gr_go_plan(const GrGo *go, const GrGoBlock *blocks, int block_count, double care, bool forced, GrGoTry *out,
                    GrErrorLog *log)
{
    Plan p = {.go = go, .blocks = blocks, .block_count = block_count, .care = care, .forced = forced};
    GrRouteGrid grid = go->t.grid;
    GrRoute route = {0};
    double *costs = make_costs(&p);
    *out = (GrGoTry){.forced = forced};
    grid.costs = costs;
    GrStatus status = costs != NULL ? gr_route_find(&grid, gr_traverse_cell(&go->t, go->start.at),
                                                    gr_traverse_cell(&go->t, go->goal.at), &route, log)
                                    : gr_out_of_memory(log, NULL);
    if (status == GR_OK && route.end == GR_ROUTE_FOUND) {
        status = lay_chain(&p, &route) ? lay_points(&p, out, log) : gr_out_of_memory(log, NULL);
        if (status == GR_OK && out->points != NULL) {
            judge(&p, out);
        }
    }
    gr_route_free(&route);
    gr_free(costs);
    gr_free(p.chain);
    gr_free(p.sum);
    gr_free(p.most);
    return status;
}

// ---- what can be reached, and the barrier

GrStatus gr_go_reach(const GrGo *go, GrGoAnswer *answer, GrErrorLog *log)
{
    const int cells = cell_count(go), goal = gr_traverse_cell(&go->t, go->goal.at);
    int *queue = gr_calloc((size_t)cells, sizeof *queue), head = 0, tail = 0;
    gr_free(answer->reached);
    answer->reached = gr_calloc((size_t)cells, sizeof *answer->reached);
    if (queue == NULL || answer->reached == NULL) {
        gr_free(queue);
        return gr_out_of_memory(log, NULL);
    }
    queue[tail++] = gr_traverse_cell(&go->t, go->start.at);
    answer->reached[queue[0]] = true;
    int nearest = queue[0];
    while (head < tail) {
        const int cell = queue[head++];
        nearest =
            gr_route_octile(&go->t.grid, cell, goal) < gr_route_octile(&go->t.grid, nearest, goal) ? cell : nearest;
        for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
            const int next = gr_route_neighbour(&go->t.grid, cell, k);
            if (next >= 0 && !answer->reached[next] && go->edges[cell * GR_ROUTE_DIRECTIONS + k].share <= 1) {
                answer->reached[next] = true;
                queue[tail++] = next;
            }
        }
    }
    gr_traverse_centre(&go->t, nearest, answer->nearest);
    gr_free(queue);
    return GR_OK;
}

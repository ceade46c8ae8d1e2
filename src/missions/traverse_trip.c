#include "traverse_trip.h"

#include "alloc.h"
#include "elementary.h"
#include "hash.h"
#include "list.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIR_TRIES = 200, STEPS_PER_CELL = 40 };
static const double LEAST_DISTANCE = 3; // between the ends of a pair [cells]

void gr_traverse_trips_free(GrTraverseTrips *trips)
{
    for (int i = 0; i < trips->count; i++) {
        gr_route_free(&trips->items[i].route);
        gr_free(trips->items[i].points);
    }
    gr_free(trips->items);
    gr_free(trips->runs);
    *trips = (GrTraverseTrips){0};
}

/// Way-points of a route: middles of the cells where it turns, then the goal itself. The first and the last cell are
/// not passed in their middle, but at the start and the goal.
static bool lay_points(const GrTraverse *t, GrTraverseTrip *trip)
{
    const int n = trip->route.cell_count;
    trip->points = gr_calloc((size_t)(n > 0 ? n : 1), sizeof *trip->points);
    if (trip->points == NULL) {
        return false;
    }
    for (int i = 1; i + 1 < n; i++) {
        const int *cells = trip->route.cells;
        const int before = gr_route_direction(&t->grid, cells[i - 1], cells[i]);
        const int after = gr_route_direction(&t->grid, cells[i], cells[i + 1]);
        if (before != after || i == 1 || i + 2 == n) {
            gr_traverse_centre(t, cells[i], trip->points[trip->point_count++]);
        }
    }
    memcpy(trip->points[trip->point_count++], trip->to, sizeof trip->to);
    const double *last = trip->from;
    for (int i = 0; i < trip->point_count; i++) {
        trip->length += gr_hypot(trip->points[i][0] - last[0], trip->points[i][1] - last[1]);
        last = trip->points[i];
    }
    return true;
}

/// Sums over the edges of a route. Its drives arrive with the share of worlds in which all its legs do: legs of one
/// world share soil and rocks, so that their failures are not independent, and a product would be too low.
static void predict_route(const GrTraverse *t, const GrTraverseMap *map, GrTraverseTrip *trip)
{
    const size_t edges = (size_t)(t->grid.nx * t->grid.ny) * GR_ROUTE_DIRECTIONS;
    double length = 0;
    trip->predicted = (GrTraverseFigures){0};
    trip->worlds = t->worlds;
    for (int w = 0; w < t->worlds; w++) {
        bool all = true;
        for (int i = 1; i < trip->route.cell_count; i++) {
            const int from = trip->route.cells[i - 1];
            const int k = gr_route_direction(&t->grid, from, trip->route.cells[i]);
            all = all && map->arrived[(size_t)w * edges + (size_t)(from * GR_ROUTE_DIRECTIONS + k)];
        }
        trip->chained += all;
    }
    for (int i = 1; i < trip->route.cell_count; i++) {
        const int from = trip->route.cells[i - 1];
        const int k = gr_route_direction(&t->grid, from, trip->route.cells[i]);
        const GrTraverseEdge *e = &map->edges[from * GR_ROUTE_DIRECTIONS + k];
        const double metres = gr_route_length(&t->grid, k);
        trip->predicted.energy += e->energy * metres;
        trip->predicted.time += e->time * metres;
        trip->predicted.slip += e->slip * metres;
        length += metres;
    }
    // the way-points are a little shorter or longer than the edges
    trip->predicted.energy *= trip->length / length;
    trip->predicted.time *= trip->length / length;
    trip->predicted.slip /= length;
    trip->predicted.arrival = (double)trip->chained / t->worlds;
}

/// What driving through a cell in a direction costs per metre: half of the way belongs to the leg that enters the cell,
/// half to the one that leaves it. Adds `metres` of it; arrivals count as independent.
static void add_metres(const GrTraverse *t, const GrTraverseMap *map, const int edge[2], double metres, double *risk,
                       GrTraverseFigures *sum)
{
    const int behind = gr_route_neighbour(&t->grid, edge[0], (edge[1] + 4) % GR_ROUTE_DIRECTIONS);
    const int cells[2] = {edge[0], behind};
    double energy = 0, time = 0, slip = 0, log_p = 0;
    int driven = 0;
    for (int i = 0; i < 2; i++) {
        const GrTraverseEdge *e = cells[i] >= 0 ? &map->edges[cells[i] * GR_ROUTE_DIRECTIONS + edge[1]] : NULL;
        if (e != NULL && e->count > 0) {
            log_p += gr_log(gr_traverse_probability(map, e));
            energy += e->energy; // NAN: what never arrived has no cost
            time += e->time;
            slip += e->slip;
            driven++;
        }
    }
    const double share = driven > 0 ? metres / driven : (double)NAN;
    sum->energy += share * energy;
    sum->time += share * time;
    sum->slip += share * slip;
    *risk -= driven > 0 ? metres * log_p / driven / gr_route_length(&t->grid, edge[1]) : (double)NAN;
}

/// Along a straight line the costs of the two nearest directions are interpolated.
static void predict_straight(const GrTraverse *t, const GrTraverseMap *map, GrTraverseTrip *trip)
{
    const double dx = trip->to[0] - trip->from[0], dy = trip->to[1] - trip->from[1];
    const int steps = (int)ceil(trip->length / t->grid.cell * STEPS_PER_CELL);
    const int spacing = GR_ROUTE_DIRECTIONS / t->directions;
    double turn = gr_atan2(dy, dx) / (2 * GR_PI) * t->directions;
    turn += turn < 0 ? t->directions : 0;
    const int low = (int)floor(turn);
    const double shares[2] = {1 - (turn - low), turn - low}, step = trip->length / steps;
    GrTraverseFigures sum = {0};
    double risk = 0;
    for (int i = 0; i < steps; i++) {
        const double at[2] = {trip->from[0] + dx * (i + 0.5) / steps, trip->from[1] + dy * (i + 0.5) / steps};
        const int cell = gr_traverse_cell(t, at);
        for (int j = 0; j < 2; j++) {
            const int edge[2] = {cell, (low + j) % t->directions * spacing};
            if (shares[j] > 1e-9) {
                add_metres(t, map, edge, shares[j] * step, &risk, &sum);
            }
        }
    }
    sum.slip /= trip->length;
    sum.arrival = gr_exp(-risk);
    trip->predicted = sum;
}

/// Edges with a common cost.
static double *make_costs(const GrTraverse *t, const GrTraverseMap *map, const double *weights)
{
    const int edges = t->grid.nx * t->grid.ny * GR_ROUTE_DIRECTIONS;
    double *costs = gr_malloc((size_t)edges * sizeof *costs);
    for (int i = 0; i < edges && costs != NULL; i++) {
        costs[i] = gr_traverse_edge_cost(t, map, i, weights);
    }
    return costs;
}

static int find_same(const GrTraverseTrips *trips, const GrTraverseTrip *trip)
{
    for (int i = 0; i < trips->count; i++) {
        const GrTraverseTrip *other = &trips->items[i];
        if (other->pair == trip->pair && other->point_count == trip->point_count && other->points != NULL &&
            memcmp(other->points, trip->points, sizeof *trip->points * (size_t)trip->point_count) == 0) {
            return i;
        }
    }
    return -1;
}

/// Plans one trip. `costs`: NULL for a straight one.
static GrStatus add_trip(GrTraverseTrips *trips, const GrTraverseMap *map, const double *costs, GrTraverseTrip trip,
                         GrErrorLog *log)
{
    const GrTraverse *t = trips->traverse;
    GrRouteGrid grid = t->grid;
    GrStatus status = GR_OK;
    trip.predicted = trip.measured = (GrTraverseFigures){NAN, NAN, NAN, NAN};
    trip.same = -1;
    if (costs != NULL) {
        grid.costs = costs;
        status = gr_route_find(&grid, gr_traverse_cell(t, trip.from), gr_traverse_cell(t, trip.to), &trip.route, log);
    }
    if (status == GR_OK && trip.route.end == GR_ROUTE_FOUND) {
        status = lay_points(t, &trip) ? GR_OK : gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK && trip.points != NULL) {
        costs != NULL ? predict_route(t, map, &trip) : predict_straight(t, map, &trip);
        trip.same = find_same(trips, &trip);
    }
    const GrTraverseDrive drive = {{trip.from[0], trip.from[1]}, (const double(*)[2])trip.points, trip.point_count, 1};
    GrRow row;
    if (status == GR_OK && trip.points != NULL && !gr_traverse_row(t, trips->campaign, &drive, 0, &row)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mission.traverse.cell_m"},
                              "a route has %d turns, too many for a row of the study: larger cells give fewer",
                              trip.point_count);
    }
    if (gr_list_add(&trips->items, &trips->count, &trip, sizeof trip) < 0) {
        gr_route_free(&trip.route);
        gr_free(trip.points);
        status = gr_out_of_memory(log, NULL);
    }
    return status;
}

static GrStatus add_runs(GrTraverseTrips *trips, int first, uint64_t world, int count, GrErrorLog *log)
{
    for (int i = first; i < trips->count; i++) {
        for (int w = 0; w < count && trips->items[i].points != NULL && trips->items[i].same < 0; w++) {
            const GrTraverseRun run = {i, world + (uint64_t)w};
            if (gr_list_add(&trips->runs, &trips->run_count, &run, sizeof run) < 0) {
                return gr_out_of_memory(log, NULL);
            }
        }
    }
    return GR_OK;
}

/// Ends of a random pair, in cells with ground and some cells apart. False: none were found.
static bool draw_pair(const GrTraverse *t, uint64_t seed, int pair, double from[2], double to[2])
{
    static const uint64_t STREAM = 0x7061697273u;
    const uint64_t base = gr_hash_join(gr_hash_join(STREAM, seed), (uint64_t)pair);
    for (uint64_t n = 0; n < PAIR_TRIES; n++) {
        double u[4];
        for (uint64_t i = 0; i < 4; i++) {
            u[i] = gr_hash_unit(gr_hash_join(gr_hash_join(base, n), i));
        }
        for (int i = 0; i < 2; i++) {
            const double low = i == 0 ? t->x0 : t->y0, size = (i == 0 ? t->grid.nx : t->grid.ny) * t->grid.cell;
            from[i] = low + u[i] * size;
            to[i] = low + u[2 + i] * size;
        }
        const int a = gr_traverse_cell(t, from), b = gr_traverse_cell(t, to);
        if (a >= 0 && b >= 0 && t->has_ground[a] && t->has_ground[b] &&
            gr_hypot(to[0] - from[0], to[1] - from[1]) >= LEAST_DISTANCE * t->grid.cell) {
            return true;
        }
    }
    return false;
}

/// Straight and by the first aim, each pair in a world of its own as far as there are some.
static GrStatus add_pairs(GrTraverseTrips *trips, const GrTraverseMap *map, const double *costs, GrErrorLog *log)
{
    const GrTraverse *t = trips->traverse;
    GrStatus status = GR_OK;
    for (int i = 0; i < t->pairs && status == GR_OK; i++) {
        GrTraverseTrip trip = {.aim = -1, .pair = i};
        if (!draw_pair(t, trips->campaign->seed, i, trip.from, trip.to)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mission.traverse.pairs"},
                                "no start and goal that are %g cells apart were found: make the area larger",
                                LEAST_DISTANCE);
        }
        const int first = trips->count;
        status = add_trip(trips, map, NULL, trip, log);
        trip.aim = 0;
        status = status == GR_OK ? add_trip(trips, map, costs, trip, log) : status;
        status = status == GR_OK ? add_runs(trips, first, (uint64_t)(i % t->drives), 1, log) : status;
    }
    return status;
}

GrStatus gr_traverse_trips_make(const GrTraverse *t, const GrCampaign *campaign, const GrTraverseMap *map,
                                GrTraverseTrips *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    *out = (GrTraverseTrips){.traverse = t, .campaign = campaign};
    GrTraverseTrip trip = {.pair = -1, .from = {t->from[0], t->from[1]}, .to = {t->to[0], t->to[1]}};
    for (int i = -1; i < t->aim_count && t->has_ends && status == GR_OK; i++) {
        double *costs = i >= 0 ? make_costs(t, map, t->aims[i].weights) : NULL;
        trip.aim = i;
        status = i >= 0 && costs == NULL ? gr_out_of_memory(log, NULL) : add_trip(out, map, costs, trip, log);
        gr_free(costs);
    }
    status = status == GR_OK ? add_runs(out, 0, 0, t->drives, log) : status;
    if (status == GR_OK && t->pairs > 0) {
        double *costs = make_costs(t, map, t->aims[0].weights);
        status = costs != NULL ? add_pairs(out, map, costs, log) : gr_out_of_memory(log, NULL);
        gr_free(costs);
    }
    return status;
}

void gr_traverse_trip_row(const GrTraverseTrips *trips, int trip, uint64_t world, GrRow *out)
{
    const GrTraverseTrip *i = &trips->items[trip];
    const GrTraverseDrive drive = {{i->from[0], i->from[1]}, (const double(*)[2])i->points, i->point_count, i->length};
    gr_traverse_row(trips->traverse, trips->campaign, &drive, world, out);
}

static void batch_row(void *context, uint64_t index, GrRow *out)
{
    const GrTraverseTrips *trips = context;
    gr_traverse_trip_row(trips, trips->runs[index].trip, trips->runs[index].world, out);
}

GrBatch gr_traverse_trips_batch(const GrTraverseTrips *trips)
{
    return (GrBatch){.count = (uint64_t)trips->run_count, .context = (void *)(uintptr_t)trips, .row = batch_row};
}

/// Notes how a drive failed. Near its ends, where a cell says nothing of single places, start or goal are to blame.
static void note_failure(const GrTraverse *t, const GrResult *result, GrTraverseTrip *trip)
{
    const double x = result->metrics[t->measures[GR_TRAVERSE_END_X]],
                 y = result->metrics[t->measures[GR_TRAVERSE_END_Y]], near = t->grid.cell / 2;
    const bool started = isfinite(x) && isfinite(y); // what could not be placed has no end
    trip->start_blocked += !started || gr_hypot(x - trip->from[0], y - trip->from[1]) < near;
    trip->goal_blocked += started && gr_hypot(x - trip->to[0], y - trip->to[1]) < near;
    if (trip->outcome[0] == '\0') {
        gr_text_copy(trip->outcome, sizeof trip->outcome, result->outcome);
        trip->end[0] = started ? x : trip->from[0];
        trip->end[1] = started ? y : trip->from[1];
        trip->time = started ? result->metrics[t->measures[GR_TRAVERSE_USED_TIME]] : 0;
    }
}

void gr_traverse_trips_measure(GrTraverseTrips *trips, GrStudy *study)
{
    const GrTraverse *t = trips->traverse;
    for (int i = 0; i < trips->count; i++) {
        trips->items[i].count = trips->items[i].arrived = 0;
        trips->items[i].start_blocked = trips->items[i].goal_blocked = 0;
        trips->items[i].outcome[0] = '\0';
        trips->items[i].measured = (GrTraverseFigures){0};
    }
    for (int i = 0; i < trips->run_count; i++) {
        GrTraverseTrip *trip = &trips->items[trips->runs[i].trip];
        GrRow row;
        GrResult result;
        gr_traverse_trip_row(trips, trips->runs[i].trip, trips->runs[i].world, &row);
        if (!gr_study_has(study, row.key, &result)) {
            continue;
        }
        trip->count++;
        if (gr_traverse_arrived(t, &result, trip->to)) {
            trip->arrived++;
            trip->measured.energy += result.metrics[t->measures[GR_TRAVERSE_USED_ENERGY]];
            trip->measured.time += result.metrics[t->measures[GR_TRAVERSE_USED_TIME]];
            trip->measured.slip += result.metrics[t->measures[GR_TRAVERSE_MEAN_SLIP]];
        } else {
            note_failure(t, &result, trip);
        }
    }
    for (int i = 0; i < trips->count; i++) {
        GrTraverseTrip *trip = &trips->items[i];
        const double n = trip->arrived > 0 ? trip->arrived : (double)NAN;
        GrTraverseFigures *m = &trip->measured;
        *m = (GrTraverseFigures){trip->count > 0 ? (double)trip->arrived / trip->count : (double)NAN, m->energy / n,
                                 m->time / n, m->slip / n};
        if (trip->same >= 0) {
            const GrTraverseTrip *twin = &trips->items[trip->same];
            trip->measured = twin->measured;
            trip->count = twin->count;
            trip->arrived = twin->arrived;
            trip->start_blocked = twin->start_blocked;
            trip->goal_blocked = twin->goal_blocked;
            memcpy(trip->outcome, twin->outcome, sizeof trip->outcome);
            memcpy(trip->end, twin->end, sizeof trip->end);
            trip->time = twin->time;
        }
    }
}

GrTraversePairs gr_traverse_pairs_count(const GrTraverseTrips *trips)
{
    GrTraversePairs p = {.straight_energy = 0};
    for (int i = 0; i + 1 < trips->count; i++) {
        const GrTraverseTrip *a = &trips->items[i], *b = &trips->items[i + 1];
        if (a->pair < 0 || b->pair != a->pair) {
            continue;
        }
        p.count++;
        p.no_route += b->points == NULL;
        p.straight += a->arrived > 0;
        p.routed += b->arrived > 0;
        if (a->arrived > 0 && b->arrived > 0) {
            p.both++;
            p.straight_energy += a->measured.energy;
            p.energy += b->measured.energy;
            p.straight_time += a->measured.time;
            p.time += b->measured.time;
        }
    }
    const double n = p.both > 0 ? p.both : (double)NAN;
    p.straight_energy /= n;
    p.energy /= n;
    p.straight_time /= n;
    p.time /= n;
    return p;
}

static bool is_enough(const GrTraverse *t, double arrival)
{
    return arrival > 0 && arrival >= t->open_above;
}

bool gr_traverse_arrives(const GrTraverseTrips *trips, int trip)
{
    const GrTraverseTrip *item = &trips->items[trip];
    return item->points != NULL && item->aim >= 0 && is_enough(trips->traverse, item->predicted.arrival) &&
           (item->count == 0 || is_enough(trips->traverse, item->measured.arrival));
}

/// Of a route whose legs or drives do not arrive often enough.
static void give_reason(const GrTraverse *t, const GrTraverseTrip *item, char out[GR_TRAVERSE_REASON])
{
    const bool driven = item->count > 0 && !is_enough(t, item->measured.arrival);
    const bool start = driven && 2 * item->start_blocked >= item->count,
               goal = driven && 2 * item->goal_blocked >= item->count;
    const int arrived = driven ? item->arrived : item->chained, of = driven ? item->count : item->worlds;
    char how[200] = "";
    if (driven) {
        const double *end = goal && !start ? item->to : item->from;
        gr_print(how, sizeof how, "%s: %s after %.3g s, %.2f m from the %s",
                 start  ? "; the start is blocked"
                 : goal ? "; the goal is blocked"
                        : "; the first that fails",
                 item->outcome, item->time, gr_hypot(item->end[0] - end[0], item->end[1] - end[1]),
                 goal && !start ? "goal" : "start");
    }
    gr_print(out, GR_TRAVERSE_REASON, "not handed over: %s in %d of %d world%s, open_above asks for %.3g %%%s; try %s",
             driven ? "driven, it arrives" : "all its legs arrive", driven ? item->arrived : item->chained, of,
             of == 1 ? "" : "s", 100 * t->open_above, how,
             start         ? "another `from`"
             : goal        ? "another `to`"
             : arrived > 0 ? "`routes: [risk]`, smaller cells or a lower `open_above`"
                           : "`routes: [risk]` or smaller cells");
}

void gr_traverse_reason(const GrTraverseTrips *trips, int trip, char out[GR_TRAVERSE_REASON])
{
    const GrTraverseTrip *item = &trips->items[trip];
    double at[2];
    out[0] = '\0';
    switch (item->route.end) {
    case GR_ROUTE_FOUND:
        if (item->aim >= 0 && item->points != NULL && !gr_traverse_arrives(trips, trip)) {
            give_reason(trips->traverse, item, out);
        }
        break;
    case GR_ROUTE_START_CLOSED:
        snprintf(out, GR_TRAVERSE_REASON,
                 "no route: the start is blocked: no direction out of its cell is passable; try another `from` or "
                 "smaller cells");
        break;
    case GR_ROUTE_GOAL_CLOSED:
        snprintf(out, GR_TRAVERSE_REASON,
                 "no route: the goal is blocked: no direction into its cell is passable; try another `to` or smaller "
                 "cells");
        break;
    case GR_ROUTE_SEPARATED:
        gr_traverse_centre(trips->traverse, item->route.nearest, at);
        gr_print(out, GR_TRAVERSE_REASON,
                 "no route: %d of %d cells can be reached, the one nearest to the goal at (%.4g, %.4g); try smaller "
                 "cells, eight directions or a larger area",
                 item->route.visited, trips->traverse->grid.nx * trips->traverse->grid.ny, at[0], at[1]);
        break;
    }
}

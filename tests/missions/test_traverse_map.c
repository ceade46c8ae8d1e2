/// Traverses without driving: rows of legs chain up, probabilities against quadrature, predictions on uniform maps in
/// closed form.
#include "alloc.h"
#include "subjects.h"
#include "test.h"
#include "traverse_trip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char TEXT[] = "run: {scenario: gradeability, set: [\"drive={speed_mps: 0.1, path: [[2, 0]]}\"]}\n"
                           "vary: {\"soil:phi\": {from: 30, to: 40}}\n"
                           "sample: {method: sobol, count: 2}\n"
                           "mission: {traverse: {cell_m: 4, area: [-10, 3, 22, 23], from: [-9, 4], to: [21, 22],\n"
                           "  routes: [energy, risk, {distance: 1}]}}\n";
static const double ROUNDING = 1e-12, MILLIMETRE = 1e-3; // the texts of rows are rounded to it

static void load(GrCampaign *c)
{
    GrErrorLog log = {0};
    if (gr_campaign_parse(TEXT, "test.yaml", &gr_campaign_kinds, c, &log) != GR_OK) {
        print_error("%s\n", log.items[0].text);
        fail();
    }
}

/// A map on which every leg costs the same per metre and arrives.
static void make_map(const GrTraverse *t, GrTraverseMap *map)
{
    const size_t cells = (size_t)(t->grid.nx * t->grid.ny), edges = cells * GR_ROUTE_DIRECTIONS;
    *map = (GrTraverseMap){.edges = gr_calloc(edges, sizeof *map->edges),
                           .cells = gr_calloc(cells, sizeof *map->cells),
                           .arrived = gr_calloc(edges * (size_t)t->worlds, sizeof *map->arrived)};
    for (int i = 0; i < t->leg_count; i++) {
        map->edges[t->legs[i]] =
            (GrTraverseEdge){.count = t->worlds, .arrived = t->worlds, .energy = 7, .time = 11, .slip = 0.2};
        for (int w = 0; w < t->worlds; w++) {
            map->arrived[(size_t)w * edges + (size_t)t->legs[i]] = true;
        }
    }
    map->count = map->total = gr_traverse_size(t);
    map->arrivals = (int)map->count;
}

/// A leg starts in its cell, ends where the legs of the neighbour start, and worlds differ in place and soil.
static void legs_chain(void **state)
{
    (void)state;
    GrCampaign c;
    load(&c);
    const GrTraverse *t = c.mission;
    assert_int_equal(t->grid.nx, 8);
    assert_int_equal(t->grid.ny, 5);
    // interior cells have eight neighbours, those of a side five, those of a corner three
    assert_int_equal(t->leg_count, 6 * 3 * 8 + 2 * (6 + 3) * 5 + 4 * 3);
    static GrRow row, other;
    double first[2];
    gr_traverse_place(t, &c, 0, 0, first);
    for (uint64_t i = 0; i < gr_traverse_size(t); i++) {
        const uint64_t world = i / (uint64_t)t->leg_count;
        const int leg = t->legs[i % (uint64_t)t->leg_count], cell = leg / GR_ROUTE_DIRECTIONS;
        double place[2], next[2], goal[2];
        gr_traverse_leg_row(t, &c, i, &row);
        gr_traverse_place(t, &c, cell, world, place);
        gr_traverse_place(t, &c, gr_route_neighbour(&t->grid, cell, leg % GR_ROUTE_DIRECTIONS), world, next);
        assert_int_equal(gr_traverse_cell(t, place), cell);
        assert_near(row.numbers[t->variables[GR_TRAVERSE_X]], place[0], MILLIMETRE);
        assert_near(row.numbers[t->variables[GR_TRAVERSE_Y]], place[1], MILLIMETRE);
        const char *path = row.values[t->variables[GR_TRAVERSE_PATH]].text;
        char *end;
        assert_int_equal(strncmp(path, "[[", 2), 0);
        goal[0] = strtod(path + 2, &end);
        goal[1] = strtod(end + 1, &end);
        assert_string_equal(end, "]]");
        assert_near(goal[0], next[0], MILLIMETRE);
        assert_near(goal[1], next[1], MILLIMETRE);
        const double heading = row.numbers[t->variables[GR_TRAVERSE_HEADING]];
        assert_near(remainder(heading - 45 * (leg % GR_ROUTE_DIRECTIONS), 360), 0, MILLIMETRE);
    }
    gr_traverse_leg_row(t, &c, 0, &row);
    gr_traverse_leg_row(t, &c, (uint64_t)t->leg_count, &other);
    for (int i = 0; i < 3; i++) { // soil:phi, start.x_m, start.y_m
        assert_true(row.numbers[i] != other.numbers[i]);
    }
    assert_true(row.key != other.key);
    gr_campaign_free(&c);
}

/// Mean of p under the density p^(a−1) (1−p)^(b−1), by the midpoint rule in u of p = sin² u, which removes the poles.
static double beta_mean(double a, double b)
{
    enum { STEPS = 200000 };
    double mass = 0, moment = 0;
    for (int i = 0; i < STEPS; i++) {
        const double u = (i + 0.5) / STEPS * GR_PI / 2, p = sin(u) * sin(u);
        const double weight = pow(sin(u), 2 * a - 1) * pow(cos(u), 2 * b - 1);
        mass += weight;
        moment += p * weight;
    }
    return moment / mass;
}

/// The probability of an edge is the posterior mean of a beta prior with the mean of the map and the weight of one leg.
static void probabilities(void **state)
{
    (void)state;
    static const double QUADRATURE = 1e-3; // the prior is steep at 1
    const GrTraverseMap map = {.count = 999, .arrivals = 799};
    const double mean = 799.5 / 1000;
    for (int n = 1; n <= 8; n++) {
        for (int s = 0; s <= n; s++) {
            const GrTraverseEdge edge = {.count = n, .arrived = s};
            const double p = gr_traverse_probability(&map, &edge);
            assert_near(p, beta_mean(s + mean, n - s + 1 - mean), QUADRATURE);
            assert_true(p > 0 && p < 1); // never certain, never impossible
        }
    }
    assert_true(isnan(gr_traverse_probability(&map, &(GrTraverseEdge){0})));
}

/// On a uniform map a route costs its length, and the straight line costs its own.
static void uniform_map(void **state)
{
    (void)state;
    GrCampaign c;
    GrTraverseMap map;
    GrTraverseTrips trips;
    load(&c);
    const GrTraverse *t = c.mission;
    make_map(t, &map);
    assert_int_equal(gr_traverse_trips_make(t, &c, &map, &trips, NULL), GR_OK);
    assert_int_equal(trips.count, 4); // straight, energy, risk, distance
    const double straight = hypot(30, 18);
    assert_near(trips.items[0].length, straight, ROUNDING * straight);
    for (int i = 0; i < trips.count; i++) {
        const GrTraverseTrip *trip = &trips.items[i];
        assert_near(trip->predicted.energy, 7 * trip->length, 7 * ROUNDING * trip->length);
        assert_near(trip->predicted.time, 11 * trip->length, 11 * ROUNDING * trip->length);
        assert_near(trip->predicted.slip, 0.2, ROUNDING);
        assert_true(trip->length >= straight * (1 - ROUNDING));
        if (i > 0) { // four diagonal steps and three straight ones: no route is shorter
            assert_int_equal(trip->route.cell_count, 8);
            assert_near(trip->predicted.arrival, 1, 0);
        }
    }
    gr_traverse_trips_free(&trips);
    gr_traverse_map_free(&map);
    gr_campaign_free(&c);
}

/// Legs that fail in different worlds along a route: it arrives in no world, although each edge is as likely as not.
static void failures_of_worlds(void **state)
{
    (void)state;
    GrCampaign c;
    GrTraverseMap map;
    GrTraverseTrips trips;
    load(&c);
    GrTraverse *t = c.mission;
    const size_t edges = (size_t)(t->grid.nx * t->grid.ny) * GR_ROUTE_DIRECTIONS;
    make_map(t, &map);
    assert_int_equal(gr_traverse_trips_make(t, &c, &map, &trips, NULL), GR_OK);
    int broken[2];
    for (int i = 0; i < 2; i++) { // the first two edges of the route of least energy
        const int *cells = trips.items[1].route.cells + i;
        broken[i] = cells[0] * GR_ROUTE_DIRECTIONS + gr_route_direction(&t->grid, cells[0], cells[1]);
    }
    gr_traverse_trips_free(&trips);
    gr_traverse_map_free(&map);
    for (int same = 0; same < 2; same++) { // in the same world, and in different ones
        make_map(t, &map);
        for (int i = 0; i < 2; i++) {
            map.edges[broken[i]].arrived--;
            map.arrived[(size_t)(same == 1 ? 0 : i) * edges + (size_t)broken[i]] = false;
            map.arrivals--;
        }
        assert_int_equal(gr_traverse_trips_make(t, &c, &map, &trips, NULL), GR_OK);
        const GrTraverseTrip *energy = &trips.items[1], *risk = &trips.items[2];
        assert_int_equal(energy->worlds, 2); // energy does not mind, and takes the same way
        assert_int_equal(energy->chained, same);
        assert_int_equal(risk->chained, 2); // least risk avoids both
        gr_traverse_trips_free(&trips);
        t->open_above = 0.6; // one of two is too few: closed
        const double weights[GR_TRAVERSE_COST_COUNT] = {1};
        assert_true(isnan(gr_traverse_edge_cost(t, &map, broken[0], weights)));
        t->open_above = 0.5;
        assert_near(gr_traverse_edge_cost(t, &map, broken[0], weights),
                    7 * gr_route_length(&t->grid, broken[0] % GR_ROUTE_DIRECTIONS), ROUNDING);
        gr_traverse_map_free(&map);
    }
    gr_campaign_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_chain),
        cmocka_unit_test(probabilities),
        cmocka_unit_test(uniform_map),
        cmocka_unit_test(failures_of_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

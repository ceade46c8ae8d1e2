/// Routes over a grid: against a brute-force search, closed forms, and grids without a route.
#include "route.h"

#include "random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { NX = 13, NY = 9, CELLS = NX * NY };
static const double ROUNDING = 1e-12; // of sums of some tens of costs, relative

typedef struct Field {
    double costs[CELLS][GR_ROUTE_DIRECTIONS];
    GrRouteGrid grid;
} Field;

static void make_uniform(Field *f, double per_metre)
{
    f->grid = (GrRouteGrid){NX, NY, 2, &f->costs[0][0]};
    for (int i = 0; i < CELLS; i++) {
        for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
            f->costs[i][k] = per_metre * gr_route_length(&f->grid, k);
        }
    }
}

/// Lowest costs from a cell to all others: edges are relaxed until nothing improves (Bellman & Ford).
static void brute_force(const Field *f, int start, double lowest[CELLS])
{
    for (int i = 0; i < CELLS; i++) {
        lowest[i] = i == start ? 0 : INFINITY;
    }
    for (bool improved = true; improved;) {
        improved = false;
        for (int i = 0; i < CELLS; i++) {
            for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
                const int x = i % NX + gr_route_steps[k][0], y = i / NX + gr_route_steps[k][1];
                if (x < 0 || x >= NX || y < 0 || y >= NY || !isfinite(f->costs[i][k])) {
                    continue;
                }
                if (lowest[i] + f->costs[i][k] < lowest[y * NX + x]) {
                    lowest[y * NX + x] = lowest[i] + f->costs[i][k];
                    improved = true;
                }
            }
        }
    }
}

/// The cells of a route are neighbours, and its cost is the sum of its edges.
static void check_route(const Field *f, const GrRoute *route, int start, int goal)
{
    double sum = 0;
    assert_int_equal(route->cells[0], start);
    assert_int_equal(route->cells[route->cell_count - 1], goal);
    for (int i = 1; i < route->cell_count; i++) {
        const int k = gr_route_direction(&f->grid, route->cells[i - 1], route->cells[i]);
        assert_in_range(k, 0, GR_ROUTE_DIRECTIONS - 1);
        sum += f->costs[route->cells[i - 1]][k];
    }
    assert_true(fabs(sum - route->cost) <= ROUNDING * sum);
}

/// Random directed costs over four decades, also zero, a part of the edges closed: the same cost as by brute force.
static void test_random_fields(void **state)
{
    (void)state;
    int without = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Field f;
        double lowest[CELLS];
        GrRandom random = gr_random_stream(seed, "route");
        make_uniform(&f, 1);
        const double closed = gr_random_uniform(&random, 0, 0.8);
        for (int i = 0; i < CELLS; i++) {
            for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
                const double factor = pow(10, gr_random_uniform(&random, -2, 2));
                const double draw = gr_random_unit(&random);
                f.costs[i][k] = draw < closed                  ? (seed % 2 == 0 ? (double)NAN : (double)INFINITY)
                                : seed % 5 == 0 && draw > 0.95 ? 0
                                                               : factor * f.costs[i][k];
            }
        }
        const int start = (int)gr_random_below(&random, CELLS);
        brute_force(&f, start, lowest);
        int reachable = 0;
        for (int i = 0; i < CELLS; i++) {
            reachable += isfinite(lowest[i]);
        }
        for (int goal = 0; goal < CELLS; goal++) {
            GrRoute route, again;
            assert_int_equal(gr_route_find(&f.grid, start, goal, &route, NULL), GR_OK);
            assert_int_equal(route.end == GR_ROUTE_FOUND, isfinite(lowest[goal]));
            if (route.end == GR_ROUTE_FOUND) {
                assert_true(fabs(route.cost - lowest[goal]) <= ROUNDING * lowest[goal]);
                check_route(&f, &route, start, goal);
                assert_int_equal(gr_route_find(&f.grid, start, goal, &again, NULL), GR_OK);
                assert_int_equal(again.cell_count, route.cell_count);
                assert_memory_equal(again.cells, route.cells, sizeof *route.cells * (size_t)route.cell_count);
                gr_route_free(&again);
            } else {
                assert_null(route.cells);
                assert_int_equal(route.visited, reachable);
                without++;
            }
            gr_route_free(&route);
        }
    }
    assert_in_range(without, 100, 60 * CELLS - 100); // both cases occur
}

/// On a uniform field the cheapest route is as long as the octile distance, and A* visits little more than the route.
static void test_uniform(void **state)
{
    (void)state;
    Field f;
    make_uniform(&f, 3);
    for (int goal = 0; goal < CELLS; goal++) {
        const int start = 4 * NX + 2, dx = abs(goal % NX - 2), dy = abs(goal / NX - 4);
        const double octile = 2 * (fmax(dx, dy) + (sqrt(2) - 1) * fmin(dx, dy));
        GrRoute route;
        assert_int_equal(gr_route_find(&f.grid, start, goal, &route, NULL), GR_OK);
        assert_true(fabs(route.cost - 3 * octile) <= ROUNDING * 3 * octile);
        assert_int_equal(route.cell_count, 1 + (dx > dy ? dx : dy));
        assert_true(fabs(gr_route_octile(&f.grid, start, goal) - octile) <= ROUNDING * octile);
        check_route(&f, &route, start, goal);
        gr_route_free(&route);
    }
}

/// Against the wind the way costs ten times as much: there and back differ.
static void test_directed(void **state)
{
    (void)state;
    Field f;
    make_uniform(&f, 1);
    for (int i = 0; i < CELLS; i++) {
        for (int k = 3; k <= 5; k++) {
            f.costs[i][k] *= 10;
        }
    }
    const int west = 4 * NX, east = 4 * NX + NX - 1;
    GrRoute there, back;
    assert_int_equal(gr_route_find(&f.grid, west, east, &there, NULL), GR_OK);
    assert_int_equal(gr_route_find(&f.grid, east, west, &back, NULL), GR_OK);
    assert_true(fabs(there.cost - 2 * (NX - 1)) <= ROUNDING * there.cost);
    assert_true(fabs(back.cost - 20 * (NX - 1)) <= ROUNDING * back.cost);
    gr_route_free(&there);
    gr_route_free(&back);
}

/// A wall without and with a gap.
static void test_wall(void **state)
{
    (void)state;
    Field f;
    make_uniform(&f, 1);
    const int wall = 6, gap = 7, start = 1 * NX + 1, goal = 1 * NX + 11;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < NY; j++) {
            for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
                const double open = gr_route_length(&f.grid, k);
                f.costs[j * NX + wall][k] = pass == 1 && j == gap ? open : (double)NAN;
            }
        }
        GrRoute route;
        assert_int_equal(gr_route_find(&f.grid, start, goal, &route, NULL), GR_OK);
        bool through = false;
        for (int i = 0; i < route.cell_count; i++) {
            through = through || route.cells[i] == gap * NX + wall;
        }
        assert_int_equal(through, pass == 1);
        assert_int_equal(route.end, pass == 1 ? GR_ROUTE_FOUND : GR_ROUTE_SEPARATED);
        if (pass == 0) { // all cells up to the wall, whose cells can be entered and not left
            assert_int_equal(route.visited, NY * (wall + 1));
            assert_int_equal(route.nearest, 1 * NX + wall);
        }
        gr_route_free(&route);
    }
}

static void test_closed_ends(void **state)
{
    (void)state;
    Field f;
    GrRoute route;
    const int a = 4 * NX + 4, b = 4 * NX + 9;
    make_uniform(&f, 1);
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        f.costs[a][k] = NAN;
    }
    assert_int_equal(gr_route_find(&f.grid, a, b, &route, NULL), GR_OK);
    assert_int_equal(route.end, GR_ROUTE_START_CLOSED);
    gr_route_free(&route);
    make_uniform(&f, 1);
    for (int k = 0; k < GR_ROUTE_DIRECTIONS; k++) {
        f.costs[gr_route_neighbour(&f.grid, b, k)][(k + 4) % GR_ROUTE_DIRECTIONS] = INFINITY;
    }
    assert_int_equal(gr_route_find(&f.grid, a, b, &route, NULL), GR_OK);
    assert_int_equal(route.end, GR_ROUTE_GOAL_CLOSED);
    gr_route_free(&route);
    assert_int_equal(gr_route_find(&f.grid, a, a, &route, NULL), GR_OK); // already there
    assert_int_equal(route.cell_count, 1);
    assert_true(route.cost == 0);
    gr_route_free(&route);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_fields), cmocka_unit_test(test_uniform),     cmocka_unit_test(test_directed),
        cmocka_unit_test(test_wall),          cmocka_unit_test(test_closed_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

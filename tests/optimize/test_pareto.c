/// Dominance: fronts against their definition, crowding of a known front, hypervolume against counting.
#include "pareto.h"

#include "random.h"
#include "test.h"

enum { COUNT = 60 };

/// Points with few distinct values, so that there are ties; a third is infeasible, some have no values.
static void random_points(uint64_t seed, double values[COUNT][3], GrParetoPoint *points)
{
    GrRandom random = gr_random_stream(seed, "pareto");
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            values[i][k] = (double)gr_random_below(&random, 6);
        }
        const double violation = (double)gr_random_below(&random, 3);
        points[i] = (GrParetoPoint){.values = values[i], .violation = gr_random_below(&random, 3) == 0 ? violation : 0};
    }
    points[7].violation = INFINITY;
    points[8].violation = INFINITY;
}

/// A point of front k > 0 is dominated by one of front k − 1 and by none of its own or of a later front.
static void test_fronts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double values[COUNT][3];
        GrParetoPoint points[COUNT];
        int order[COUNT], seen[COUNT] = {0};
        const int objectives = 1 + (int)(seed % 3);
        random_points(seed, values, points);
        gr_pareto_sort(points, COUNT, objectives, order);
        for (int i = 0; i < COUNT; i++) {
            bool has_reason = points[i].front == 0;
            for (int j = 0; j < COUNT; j++) {
                const bool is_dominated = gr_pareto_dominates(&points[j], &points[i], objectives);
                assert_false(is_dominated && gr_pareto_dominates(&points[i], &points[j], objectives));
                assert_false(is_dominated && points[j].front >= points[i].front);
                has_reason = has_reason || (is_dominated && points[j].front == points[i].front - 1);
            }
            assert_true(has_reason);
            assert_int_equal(seen[order[i]]++, 0);
            if (i > 0) {
                const GrParetoPoint *a = &points[order[i - 1]], *b = &points[order[i]];
                assert_true(a->front < b->front || (a->front == b->front && a->crowding >= b->crowding));
            }
        }
    }
}

static void test_crowding(void **state)
{
    (void)state;
    const double values[4][2] = {{0, 10}, {1, 6}, {4, 5}, {10, 0}};
    GrParetoPoint points[4];
    int order[4];
    for (int i = 0; i < 4; i++) {
        points[i] = (GrParetoPoint){.values = values[i]};
    }
    gr_pareto_sort(points, 4, 2, order);
    assert_true(isinf(points[0].crowding) && isinf(points[3].crowding));
    assert_near(points[1].crowding, 0.4 + 0.5, 1e-15); // (4 − 0)/10 + (10 − 5)/10
    assert_near(points[2].crowding, 0.9 + 0.6, 1e-15);
    const int expected[4] = {0, 3, 2, 1};
    assert_memory_equal(order, expected, sizeof order);
}

/// Unit squares under a staircase, counted.
static void test_hypervolume(void **state)
{
    (void)state;
    const double values[][3] = {{1, 7, 0}, {2, 4, 0}, {2, 5, 0}, {5, 3, 0}, {6, 6, 0}, {11, 0, 0}};
    const double reference[2] = {10, 8};
    int squares = 0;
    for (int x = 0; x < 10; x++) {
        for (int y = 0; y < 8; y++) {
            bool is_dominated = false;
            for (int i = 0; i < 6; i++) {
                is_dominated = is_dominated || (values[i][0] <= x && values[i][1] <= y);
            }
            squares += is_dominated;
        }
    }
    assert_near(gr_pareto_hypervolume(values[0], 3, 6, reference), squares, 1e-12);
}

/// (0.2, 0.3) is 0.36 from the ideal point, the ends 1 and (0.5, 0.1) 0.51; scale and offset change nothing.
static void test_balanced(void **state)
{
    (void)state;
    const double front[][2] = {{0, 1}, {0.2, 0.3}, {0.5, 0.1}, {1, 0}};
    double scaled[4][3];
    for (int i = 0; i < 4; i++) {
        scaled[i][0] = 1000 * front[i][0] - 7;
        scaled[i][1] = 0.01 * front[i][1] + 3;
        scaled[i][2] = i; // a constraint
    }
    assert_int_equal(gr_pareto_balanced(front[0], 2, 4, 2), 1);
    assert_int_equal(gr_pareto_balanced(scaled[0], 3, 4, 2), 1);
    assert_int_equal(gr_pareto_balanced(front[0], 2, 1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fronts),
        cmocka_unit_test(test_crowding),
        cmocka_unit_test(test_hypervolume),
        cmocka_unit_test(test_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

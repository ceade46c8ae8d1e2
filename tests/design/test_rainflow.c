/// Rainflow counting against the example of ASTM E1049-85, Fig. 6, and against what any count must keep.
#include "statistics.h"

#include "random.h"
#include "test.h"

enum { LONGEST = 400 };

static double counted(const GrCycle *cycles, int count, double range)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += cycles[i].range == range ? cycles[i].count : 0;
    }
    return sum;
}

/// Table of the standard: ranges 3, 4, 6, 8 and 9 count 0.5, 1.5, 0.5, 1 and 0.5.
static void test_example_of_the_standard(void **state)
{
    (void)state;
    // with values between the reversals, which a recording has
    const double history[] = {-2, -1, 1, 0.5, -3, NAN, 2, 5, 5, 1, -1, 3, 0, -4, 0, 4, -2};
    static const double RANGES[5][2] = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1}, {9, 0.5}};
    const int count = (int)(sizeof history / sizeof history[0]);
    double work[LONGEST], total = 0;
    GrCycle cycles[LONGEST];
    const int found = gr_rainflow(history, count, work, cycles);
    for (int i = 0; i < 5; i++) {
        assert_near(counted(cycles, found, RANGES[i][0]), RANGES[i][1], 0);
    }
    for (int i = 0; i < found; i++) {
        total += cycles[i].count;
        if (cycles[i].count == 1) {
            assert_near(cycles[i].mean, 1, 0); // the full cycle of range 4, between −1 and 3
            assert_near(cycles[i].range, 4, 0);
        }
    }
    assert_near(total, 4, 0);
    // damage by hand: Σ n S³ = 0.5·27 + 1.5·64 + 0.5·216 + 512 + 0.5·729
    assert_near_rel(gr_equivalent_range(cycles, found, 3, 1), pow(13.5 + 96 + 108 + 512 + 364.5, 1 / 3.0), 1e-13);
    assert_near_rel(gr_equivalent_range(cycles, found, 3, 8), pow(13.5 + 96 + 108 + 512 + 364.5, 1 / 3.0) / 2, 1e-13);
}

/// Each reversal-to-reversal range is counted in one half-cycle or twice in a full one: Σ n S is half of the travel.
/// The largest range is that of the history, and the history backwards has the same total.
static void test_counts_keep_the_travel(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "rainflow");
    for (int k = 0; k < 200; k++) {
        double history[LONGEST], back[LONGEST], work[LONGEST], travel = 0, low = INFINITY, high = -INFINITY;
        GrCycle cycles[LONGEST];
        const int count = 2 + (int)gr_random_below(&random, LONGEST - 2);
        for (int i = 0; i < count; i++) {
            history[i] = gr_random_uniform(&random, -1, 1);
            back[count - 1 - i] = history[i];
            travel += i > 0 ? fabs(history[i] - history[i - 1]) : 0;
            low = fmin(low, history[i]), high = fmax(high, history[i]);
        }
        double sums[2] = {0}, largest = 0;
        for (int way = 0; way < 2; way++) {
            const int found = gr_rainflow(way ? back : history, count, work, cycles);
            for (int i = 0; i < found; i++) {
                sums[way] += 2 * cycles[i].count * cycles[i].range;
                largest = fmax(largest, cycles[i].range);
            }
        }
        assert_near_rel(sums[0], travel, 1e-12);
        assert_near_rel(sums[1], travel, 1e-12);
        assert_near(largest, high - low, 0);
    }
}

static void test_nothing_to_count(void **state)
{
    (void)state;
    const double constant[] = {2, 2, 2}, none[] = {NAN, INFINITY};
    double work[3];
    GrCycle cycles[3];
    assert_int_equal(gr_rainflow(constant, 3, work, cycles), 0);
    assert_int_equal(gr_rainflow(none, 2, work, cycles), 0);
    assert_int_equal(gr_rainflow(constant, 0, work, cycles), 0);
    assert_near(gr_equivalent_range(cycles, 0, 3, 1), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_example_of_the_standard),
                                       cmocka_unit_test(test_counts_keep_the_travel),
                                       cmocka_unit_test(test_nothing_to_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

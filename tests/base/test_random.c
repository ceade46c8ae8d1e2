#include "random.h"

#include "test.h"

static void test_streams_repeat_and_differ(void **state)
{
    (void)state;
    GrRandom a = gr_random_stream(7, "rocks");
    GrRandom b = gr_random_stream(7, "rocks");
    GrRandom other_name = gr_random_stream(7, "craters");
    GrRandom other_seed = gr_random_stream(8, "rocks");
    for (int i = 0; i < 100; i++) {
        const uint64_t x = gr_random_u64(&a);
        assert_true(x == gr_random_u64(&b));
        assert_true(x != gr_random_u64(&other_name));
        assert_true(x != gr_random_u64(&other_seed));
    }
}

static void test_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    GrRandom random = gr_random_stream(1, "moments");
    double mean = 0, square = 0, unit = 0;
    int below[7] = {0};
    for (int i = 0; i < N; i++) {
        const double x = gr_random_normal(&random);
        mean += x / N;
        square += x * x / N;
        unit += gr_random_unit(&random) / N;
        below[gr_random_below(&random, 7)]++;
    }
    // four standard deviations of each estimate
    assert_near(mean, 0, 4 / sqrt(N));
    assert_near(square, 1, 4 * sqrt(2.0 / N));
    assert_near(unit, 0.5, 4 * sqrt(1.0 / 12 / N));
    for (int i = 0; i < 7; i++) {
        assert_near(below[i], N / 7.0, 4 * sqrt(N / 7.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_repeat_and_differ),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

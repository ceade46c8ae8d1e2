/// Statistics against small closed cases, SciPy, and the coverage of their intervals.
#include "distribution.h"
#include "statistics.h"

#include "random.h"
#include "test.h"

static void test_moments_and_quantiles(void **state)
{
    (void)state;
    double values[] = {3, NAN, 1, 2, INFINITY, 10};
    const int count = gr_keep_finite(values, 6);
    assert_int_equal(count, 4);
    assert_near(gr_mean(values, count), 4, 1e-15);
    assert_near(gr_standard_deviation(values, count), sqrt(50 / 3.0), 1e-14); // 1 + 9 + 4 + 36
    gr_sort(values, count);
    assert_near(gr_quantile_sorted(values, count, 0.25), 1.75, 1e-15); // place 0.75 between 1 and 2
    assert_near(gr_quantile_sorted(values, count, 0.9), 7.9, 1e-14);   // place 2.7 between 3 and 10
    assert_true(gr_quantile_sorted(values, count, 0) == 1 && gr_quantile_sorted(values, count, 1) == 10);
    assert_true(isnan(gr_mean(values, 0)) && isnan(gr_standard_deviation(values, 1)));
    assert_true(isnan(gr_quantile_sorted(values, 0, 0.5)));
}

/// Bounds of Wilson's interval solve (p − p̂)² = z² p (1 − p) / n.
static void test_wilson(void **state)
{
    (void)state;
    const double z = 1.959963984540054;
    for (int count = 1; count < 40; count += 3) {
        for (int successes = 0; successes <= count; successes++) {
            const GrEstimate e = gr_proportion(successes, count);
            const double p = (double)successes / count;
            assert_near(pow(e.low - p, 2), z * z * e.low * (1 - e.low) / count, 1e-14);
            assert_near(pow(e.high - p, 2), z * z * e.high * (1 - e.high) / count, 1e-14);
            assert_true(e.low <= p && p <= e.high && e.low >= 0 && e.high <= 1);
        }
    }
    assert_true(isnan(gr_proportion(0, 0).value));
}

static double mean_of(const void *context, const double *sorted, int count)
{
    (void)context;
    return gr_mean(sorted, count);
}

static double quantile_of(const void *context, const double *sorted, int count)
{
    return gr_quantile_sorted(sorted, count, *(const double *)context);
}

/// The interval holds the true value in about 95 of 100 samples; limits four standard deviations of that count wide,
/// below 95 for the known undercoverage of percentile intervals.
static void test_bootstrap_coverage(void **state)
{
    (void)state;
    enum { SAMPLES = 400, COUNT = 60 };
    const double median = 0.5;
    int mean_inside = 0, median_inside = 0;
    for (int s = 0; s < SAMPLES; s++) {
        GrRandom random = gr_random_stream((uint64_t)s, "bootstrap");
        double values[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = gr_random_normal(&random);
        }
        GrEstimate e;
        const GrBootstrap bootstrap = {.resamples = 300, .seed = 5};
        assert_int_equal(gr_bootstrap_interval(values, COUNT, mean_of, NULL, bootstrap, &e), GR_OK);
        assert_near(e.value, gr_mean(values, COUNT), 1e-14);
        const GrEstimate before = e;
        const double first = values[0];
        values[0] = values[COUNT - 1];
        values[COUNT - 1] = first;
        assert_int_equal(gr_bootstrap_interval(values, COUNT, mean_of, NULL, bootstrap, &e), GR_OK);
        assert_memory_equal(&e, &before, sizeof e);
        mean_inside += e.low <= 0 && e.high >= 0;
        assert_int_equal(gr_bootstrap_interval(values, COUNT, quantile_of, &median, bootstrap, &e), GR_OK);
        median_inside += e.low <= 0 && e.high >= 0;
    }
    const double four_sigma = 4 * sqrt(SAMPLES * 0.95 * 0.05);
    assert_near(mean_inside, 0.94 * SAMPLES, four_sigma);
    assert_near(median_inside, 0.94 * SAMPLES, four_sigma);
}

static void test_histogram(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = (double)((i * 617) % COUNT); // 0 … 999 in some order
    }
    GrHistogram histogram;
    assert_int_equal(gr_histogram(values, COUNT, &histogram, NULL), GR_OK);
    assert_int_equal(histogram.bin_count, 10); // 999 / (2 · 499.5 / 10)
    for (int i = 0; i < 10; i++) {
        assert_int_equal(histogram.counts[i], 100);
    }
    gr_histogram_free(&histogram);
    const double equal[] = {2, 2, 2};
    assert_int_equal(gr_histogram(equal, 3, &histogram, NULL), GR_OK);
    assert_int_equal(histogram.bin_count, 1);
    assert_int_equal(histogram.counts[0], 3);
    gr_histogram_free(&histogram);
    const double outlier[] = {1, 1, 1, 1, 1, 1, 1, 5};
    assert_int_equal(gr_histogram(outlier, 8, &histogram, NULL), GR_OK);
    assert_int_equal(histogram.bin_count, 4); // Sturges
    assert_int_equal(histogram.counts[3], 1);
    gr_histogram_free(&histogram);
    assert_int_equal(gr_histogram(outlier, 0, &histogram, NULL), GR_OK);
    assert_int_equal(histogram.bin_count, 0);
    gr_histogram_free(&histogram);
}

static void test_rank_correlation(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, cubes[] = {1, 8, 27, 64, 125}, fall[] = {9, 7, 5, 2, -4};
    const double ties[] = {2, 2, 1, 3, 3}, flat[] = {1, 1, 1, 1, 1};
    assert_near(gr_rank_correlation(x, cubes, 5), 1, 1e-15);
    assert_near(gr_rank_correlation(x, fall, 5), -1, 1e-15);
    // ranks 2.5 2.5 1 4.5 4.5: Σ xy = 6, Σ xx = 10, Σ yy = 9
    assert_near(gr_rank_correlation(x, ties, 5), 6 / sqrt(90), 1e-15);
    assert_true(isnan(gr_rank_correlation(x, flat, 5)));
    assert_true(isnan(gr_rank_correlation(x, cubes, 1)));
}

/// Of samples with a normal error: that of the error alone, that of the samples alone, and samples without a value.
static void test_bands(void **state)
{
    (void)state;
    const double equal[] = {5, 5, 5, 5}, lost[] = {3, NAN, 1, 2};
    GrBand band = gr_band_of(equal, 4, 2);
    assert_near(band.low, 5 - 2 * 1.6448536269514722, 1e-9);
    assert_near(band.high, 5 + 2 * 1.6448536269514722, 1e-9);
    double even[101], normal[400];
    for (int i = 0; i <= 100; i++) {
        even[(37 * i) % 101] = i;
    }
    band = gr_band_of(even, 101, 0);
    assert_near(band.low, 5, 1e-12);
    assert_near(band.high, 95, 1e-12);
    // variances of independent normal numbers add
    for (int i = 0; i < 400; i++) {
        normal[i] = 3 * gr_normal_quantile((i + 0.5) / 400);
    }
    assert_near(gr_band_of(normal, 400, 4).high, 5 * 1.6448536269514722, 0.02);
    // a sample without a value is above all others
    assert_near(gr_quantile_of(lost, 4, 0.5, 0), 2.5, 1e-12);
    assert_true(isnan(gr_quantile_of(lost, 4, 0.9, 0)));
    assert_near(gr_quantile_of(lost, 4, 0.5, 1e-9), 2, 1e-6); // half of four are the lower two
    assert_true(isnan(gr_quantile_of(lost, 0, 0.5, 0)));
    // Wilson's interval of 90 %: the shares whose score test gives 1.645
    const GrEstimate share = gr_proportion_banded(28, 32);
    for (int i = 0; i < 2; i++) {
        const double p = i == 0 ? share.low : share.high;
        assert_near(fabs(28.0 / 32 - p) / sqrt(p * (1 - p) / 32), 1.6448536269514722, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands),     cmocka_unit_test(test_moments_and_quantiles),
        cmocka_unit_test(test_wilson),    cmocka_unit_test(test_bootstrap_coverage),
        cmocka_unit_test(test_histogram), cmocka_unit_test(test_rank_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

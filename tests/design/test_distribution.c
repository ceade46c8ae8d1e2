/// Quantiles against values computed with mpmath (50 digits) and SciPy 1.10.1, round trips, the copula, messages.
#include "distribution.h"
#include "sampling.h"
#include "statistics.h"

#include "test.h"

static const double EXACT = 2e-15; // a few units in the last place

static void test_normal_quantiles(void **state)
{
    (void)state;
    static const double mpmath[][2] = {
        {1e-300, -37.047096299361199237},
        {1e-100, -21.273453560965324294},
        {1e-20, -9.2623400897984075796},
        {1e-10, -6.3613409024040561991},
        {1e-05, -4.2648907939228246102},
        {0.01, -2.3263478740408410931},
        {0.07, -1.4757910281791706856},
        {0.074, -1.4466320671589785099},
        {0.076, -1.4325027208258116188},
        {0.1, -1.2815515655446004353},
        {0.3, -0.52440051270804081597},
        {0.499, -0.0025066308995717662317},
        {0.5 - 0x1p-40, -2.2797651350911114627e-12},
        {0.7, 0.52440051270804065631},
        {0.975, 1.9599639845400538556},
        {0.999, 3.0902323061678132778},
    };
    for (size_t i = 0; i < sizeof mpmath / sizeof *mpmath; i++) {
        assert_near_rel(gr_normal_quantile(mpmath[i][0]), mpmath[i][1], 1e-15);
    }
    assert_true(gr_normal_quantile(0.5) == 0);
    assert_true(gr_normal_quantile(0) == -(double)INFINITY);
    assert_true(gr_normal_quantile(1) == (double)INFINITY);
    assert_true(isnan(gr_normal_quantile(NAN)));
}

static void test_normal_round_trip(void **state)
{
    (void)state;
    for (double x = -37; x < 0; x += 0.0137) {
        // the relative error of the quantile, and what rounding of a probability near 1/2 does to x near 0
        assert_near(gr_normal_quantile(gr_normal_probability(x)), x, 1e-15 * fabs(x) + 4e-16);
    }
}

static void test_truncated_normal(void **state)
{
    (void)state;
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_NORMAL);
    d.mean = 3;
    d.deviation = 2;
    assert_near_rel(gr_distribution_quantile(&d, 0.975), 3 + 2 * 1.9599639845400538556, EXACT);
    d.lower = 1; // −1 … 2 standard deviations
    d.upper = 7;
    assert_near_rel(gr_distribution_quantile(&d, 0.3), 3 + 2 * -0.24240381788922682623, EXACT);
    d.lower = 13; // 5 … 8 standard deviations: the upper tail
    d.upper = 19;
    assert_near_rel(gr_distribution_quantile(&d, 0.3), 3 + 2 * 5.068334262835943733, EXACT);
    d.lower = -21; // −12 … −10
    d.upper = -17;
    assert_near_rel(gr_distribution_quantile(&d, 0.7), 3 + 2 * -10.035260039588929593, EXACT);
    assert_true(gr_distribution_quantile(&d, 0) == -21 && gr_distribution_quantile(&d, 1) == -17);
}

static void test_closed_forms(void **state)
{
    (void)state;
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_UNIFORM);
    d.lower = -4;
    d.upper = 6;
    assert_near_rel(gr_distribution_quantile(&d, 0.3), -1.0, EXACT);
    d.kind = GR_DISTRIBUTION_LOG_UNIFORM;
    d.lower = 0.02;
    d.upper = 50;
    assert_near_rel(gr_distribution_quantile(&d, 0.5), 1.0, EXACT);
    assert_near_rel(gr_distribution_quantile(&d, 0.35), 0.30924949471099167, EXACT);
    d = gr_default_distribution(GR_DISTRIBUTION_LOG_NORMAL);
    d.median = 3;
    d.log_deviation = 0.4;
    assert_near_rel(gr_distribution_quantile(&d, 0.9), 3 * exp(0.4 * 1.2815515655446004), EXACT);
    d.lower = 3; // the upper half
    assert_near_rel(gr_distribution_quantile(&d, 0.8), 3 * exp(0.4 * 1.2815515655446004), EXACT);
    d = gr_default_distribution(GR_DISTRIBUTION_TRIANGULAR);
    d.lower = -1;
    d.upper = 3;
    d.mode = 0;
    assert_near_rel(gr_distribution_quantile(&d, 0.2), -0.10557280900008414, 10 * EXACT);
    assert_near_rel(gr_distribution_quantile(&d, 0.8), 1.4508066615170332, EXACT);
    assert_near(gr_distribution_quantile(&d, 0.25), 0, EXACT);
}

/// Bounds near the ends of the range of doubles.
static void test_extreme_bounds(void **state)
{
    (void)state;
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_LOG_UNIFORM);
    d.lower = 1e-300;
    d.upper = 1e300;
    assert_near_rel(gr_distribution_quantile(&d, 0.75), 1e150, 1e-12); // 690 in the exponent times its rounding
    d.kind = GR_DISTRIBUTION_TRIANGULAR;
    d.lower = 0;
    d.mode = 5e299;
    assert_near_rel(gr_distribution_quantile(&d, 0.125), 2.5e299, EXACT);
    assert_near_rel(gr_distribution_quantile(&d, 0.875), 7.5e299, EXACT);
    d.kind = GR_DISTRIBUTION_UNIFORM;
    d.lower = -1.5e308;
    d.upper = 1.5e308;
    assert_int_equal(gr_distribution_check(&d, (GrLocation){0}, NULL), GR_ERROR_VALUE);
}

static void test_beta(void **state)
{
    (void)state;
    static const double mpmath[][4] = {
        {2, 3, 0.1, 0.14255931671003072354},       {0.5, 0.5, 0.01, 0.00024671981713422150993},
        {5, 1, 0.9, 0.97914836236097679447},       {30, 40, 0.5, 0.42788733600559368521},
        {0.3, 7, 1e-6, 1.0476309300880552162e-21}, // the leading term of the series
    };
    for (size_t i = 0; i < sizeof mpmath / sizeof *mpmath; i++) {
        assert_near_rel(gr_beta_quantile(mpmath[i][0], mpmath[i][1], mpmath[i][2]), mpmath[i][3], 1e-13);
    }
    for (double u = 0.001; u < 1; u += 0.0097) {
        assert_near_rel(gr_beta_quantile(1, 1, u), u, EXACT * 10);                        // uniform
        assert_near_rel(gr_beta_quantile(3, 1, u), cbrt(u), EXACT * 10);                  // x^3
        assert_near_rel(gr_beta_quantile(0.5, 0.5, u), pow(sin(u * M_PI / 2), 2), 1e-13); // arcsine
        for (double a = 0.2; a < 2000; a *= 7) {
            assert_near(gr_beta_probability(a, 3, gr_beta_quantile(a, 3, u)), u, 1e-12);
        }
    }
}

static void test_lists(void **state)
{
    (void)state;
    static const double values[] = {4, 2, 9}, weights[] = {1, 0, 3}, ascending[] = {1, 2, 4, 8},
                        at[] = {0, 0.5, 0.6, 1};
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_DISCRETE);
    d.values = values;
    d.count = 3;
    assert_true(gr_distribution_quantile(&d, 0.3) == 4 && gr_distribution_quantile(&d, 0.4) == 2);
    assert_true(gr_distribution_quantile(&d, 0) == 4 && gr_distribution_quantile(&d, 1) == 9);
    d.weights = weights;
    assert_true(gr_distribution_quantile(&d, 0.2499) == 4 && gr_distribution_quantile(&d, 0.25) == 9);
    d.kind = GR_DISTRIBUTION_EMPIRICAL;
    d.values = ascending;
    d.weights = NULL;
    d.count = 4;
    assert_near(gr_distribution_quantile(&d, 0.5), 3, EXACT);
    assert_near(gr_distribution_quantile(&d, 1.5 / 3), 3, EXACT);
    assert_true(gr_distribution_quantile(&d, 0) == 1 && gr_distribution_quantile(&d, 1) == 8);
    d.kind = GR_DISTRIBUTION_TABLE;
    d.weights = at;
    assert_near(gr_distribution_quantile(&d, 0.25), 1.5, EXACT);
    assert_near(gr_distribution_quantile(&d, 0.55), 3, EXACT * 10);
    assert_near(gr_distribution_quantile(&d, 0.8), 6, EXACT);
    assert_true(gr_distribution_quantile(&d, 0) == 1 && gr_distribution_quantile(&d, 1) == 8);
}

/// Quantiles never descend and stay within the bounds, whatever the distribution.
static void test_quantiles_ascend(void **state)
{
    (void)state;
    static const double values[] = {1, 1, 2.5, 7}, probabilities[] = {0, 0.1, 0.7, 1};
    for (int kind = 0; kind < GR_DISTRIBUTION_COUNT; kind++) {
        GrDistribution d = gr_default_distribution((GrDistributionKind)kind);
        d.lower = kind == GR_DISTRIBUTION_NORMAL ? -0.7 : 0.1;
        d.upper = 1.3;
        d.values = values;
        d.weights = kind == GR_DISTRIBUTION_EMPIRICAL ? NULL : probabilities;
        d.count = 4;
        d.alpha = 0.4;
        d.beta = 2.2;
        assert_int_equal(gr_distribution_check(&d, (GrLocation){0}, NULL), GR_OK);
        double before = gr_distribution_quantile(&d, 0);
        for (int i = 1; i <= 4096; i++) {
            const double x = gr_distribution_quantile(&d, i / 4096.0);
            assert_true(isfinite(x) && x >= before);
            assert_true(gr_distribution_info(d.kind)->has_values || (x >= d.lower && x <= d.upper));
            before = x;
        }
        if (!gr_distribution_info(d.kind)->has_values && kind != GR_DISTRIBUTION_NORMAL &&
            kind != GR_DISTRIBUTION_LOG_NORMAL) { // a fixed number
            d.lower = d.upper = d.mode = 0.25;
            assert_int_equal(gr_distribution_check(&d, (GrLocation){0}, NULL), GR_OK);
            assert_true(gr_distribution_quantile(&d, 0.6) == 0.25);
        }
    }
}

/// Rank correlation of a Gaussian copula: 6/π asin(ρ/2) (Kruskal 1958); the margins stay uniform.
static void test_copula(void **state)
{
    (void)state;
    enum { N = 1 << 14 };
    static const double correlations[9] = {1, 0.8, -0.3, 0.8, 1, 0.1, -0.3, 0.1, 1};
    double factor[9];
    assert_int_equal(gr_correlation_factor(3, correlations, factor, (GrLocation){0}, NULL), GR_OK);
    static double u[3][N];
    double mean[3] = {0}, square[3] = {0};
    for (int i = 0; i < N; i++) {
        double p[3];
        gr_sample_point(GR_SAMPLING_SOBOL, (uint64_t)i, N, 3, 11, p);
        gr_correlate(3, factor, p);
        for (int j = 0; j < 3; j++) {
            u[j][i] = p[j];
            mean[j] += p[j] / N;
            square[j] += p[j] * p[j] / N;
        }
    }
    const double tolerance = 0.005; // standard error with independent points: 0.008
    for (int i = 0; i < 3; i++) {
        assert_near(mean[i], 0.5, 1e-3);
        assert_near(square[i], 1 / 3.0, 1e-3);
        for (int j = 0; j < i; j++) {
            assert_near(gr_rank_correlation(u[i], u[j], N), 6 / M_PI * asin(correlations[3 * i + j] / 2), tolerance);
        }
    }
}

static void test_bad_correlations(void **state)
{
    (void)state;
    static const struct {
        double matrix[9];
        const char *text;
    } cases[] = {
        {{1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1}, "not positive definite"},
        {{1, 1, 0, 1, 1, 0, 0, 0, 1}, "not positive definite"},
        {{1, 0.2, 0, 0.3, 1, 0, 0, 0, 1}, "not symmetric"},
        {{1, 0, 0, 0, 0.5, 0, 0, 0, 1}, "must be 1"},
        {{1, 0, 1.5, 0, 1, 0, 1.5, 0, 1}, "-1 to 1"},
        {{1, 0, NAN, 0, 1, 0, NAN, 0, 1}, "symmetric"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GrErrorLog log = {0};
        double factor[9];
        assert_int_equal(gr_correlation_factor(3, cases[i].matrix, factor, (GrLocation){0}, &log), GR_ERROR_VALUE);
        assert_non_null(strstr(log.items[0].text, cases[i].text));
    }
}

static void assert_refused(GrDistribution d, const char *field)
{
    GrErrorLog log = {0};
    assert_int_equal(gr_distribution_check(&d, (GrLocation){.file = "a.yaml", .line = 3, .field = "vary[0]"}, &log),
                     GR_ERROR_VALUE);
    char path[64];
    snprintf(path, sizeof path, "vary[0].%s", field);
    assert_string_equal(log.items[0].field, path);
    assert_int_equal(log.items[0].line, 3);
}

static void test_messages(void **state)
{
    (void)state;
    static const double falling[] = {2, 1}, high[] = {0, 0.9}, none[] = {0, 0};
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_UNIFORM);
    d.lower = 2;
    assert_refused(d, "upper");
    d.upper = NAN;
    assert_refused(d, "upper");
    d = gr_default_distribution(GR_DISTRIBUTION_LOG_UNIFORM);
    assert_refused(d, "lower");
    d = gr_default_distribution(GR_DISTRIBUTION_NORMAL);
    d.deviation = 0;
    assert_refused(d, "deviation");
    d.deviation = 1;
    d.lower = 40;
    assert_refused(d, "lower");
    d = gr_default_distribution(GR_DISTRIBUTION_LOG_NORMAL);
    d.median = -1;
    assert_refused(d, "median");
    d = gr_default_distribution(GR_DISTRIBUTION_TRIANGULAR);
    d.mode = 1.1;
    assert_refused(d, "mode");
    d = gr_default_distribution(GR_DISTRIBUTION_BETA);
    d.beta = 0;
    assert_refused(d, "beta");
    d = gr_default_distribution(GR_DISTRIBUTION_DISCRETE);
    assert_refused(d, "values");
    d.values = falling;
    d.count = 2;
    assert_int_equal(gr_distribution_check(&d, (GrLocation){0}, NULL), GR_OK);
    d.weights = none;
    assert_refused(d, "weights");
    d.kind = GR_DISTRIBUTION_EMPIRICAL;
    assert_refused(d, "values");
    d.kind = GR_DISTRIBUTION_TABLE;
    d.values = high;
    d.weights = high;
    assert_refused(d, "probabilities");
    GrErrorLog log = {0};
    assert_int_equal(gr_distribution_find("lognormal", &log), -1);
    assert_non_null(strstr(log.items[0].text, "log_normal"));
    for (int kind = 0; kind < GR_DISTRIBUTION_COUNT; kind++) {
        assert_int_equal(gr_distribution_find(gr_distribution_info((GrDistributionKind)kind)->name, NULL), kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_quantiles),
        cmocka_unit_test(test_normal_round_trip),
        cmocka_unit_test(test_truncated_normal),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_extreme_bounds),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_quantiles_ascend),
        cmocka_unit_test(test_copula),
        cmocka_unit_test(test_bad_correlations),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

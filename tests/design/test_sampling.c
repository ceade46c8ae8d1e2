/// Sobol' points against SciPy, the net property that scrambling must keep, Latin hypercubes, random points.
#include "sampling.h"

#include "sobol_referee.h"
#include "test.h"

static void test_sobol_points_of_scipy(void **state)
{
    (void)state;
    double p[GR_SOBOL_DIMENSIONS];
    for (int i = 0; i < 64; i++) {
        gr_sobol_point((uint64_t)i, 10, 0, p);
        for (int j = 0; j < 10; j++) {
            assert_true(p[j] == SCIPY_FIRST[i][j] / 64.0);
        }
    }
    gr_sobol_point((1 << 20) + 3, GR_SOBOL_DIMENSIONS, 0, p);
    for (int j = 0; j < GR_SOBOL_DIMENSIONS; j++) {
        assert_true(p[j] == SCIPY_FAR[j] / (double)(1 << 21));
    }
}

/// Every elementary interval of 2^-(a + b) of two dimensions holds one of 2^(a + b) points: the first two dimensions
/// are a (0, m, 2)-net, and nested uniform scrambling maps elementary intervals onto each other (Owen 1995).
static void test_nets(void **state)
{
    (void)state;
    enum { M = 10, N = 1 << M };
    for (uint64_t seed = 0; seed < 5; seed++) {
        for (uint64_t first = 0; first < 3 * N; first += N) {
            static double x[N][2];
            for (int i = 0; i < N; i++) {
                gr_sobol_point(first + (uint64_t)i, 2, seed, x[i]);
            }
            for (int a = 0; a <= M; a++) {
                static unsigned char hit[N];
                memset(hit, 0, sizeof hit);
                for (int i = 0; i < N; i++) {
                    const int cell = (int)(x[i][0] * (1 << a)) << (M - a) | (int)(x[i][1] * (1 << (M - a)));
                    assert_int_equal(hit[cell], 0);
                    hit[cell] = 1;
                }
            }
        }
    }
}

static void test_every_dimension_is_stratified(void **state)
{
    (void)state;
    enum { N = 256 };
    for (uint64_t seed = 0; seed < 2; seed++) {
        static unsigned char hit[GR_SOBOL_DIMENSIONS][N];
        memset(hit, 0, sizeof hit);
        for (int i = 0; i < N; i++) {
            double p[GR_SOBOL_DIMENSIONS];
            gr_sobol_point((uint64_t)i, GR_SOBOL_DIMENSIONS, seed, p);
            for (int j = 0; j < GR_SOBOL_DIMENSIONS; j++) {
                assert_true(p[j] >= 0 && p[j] < 1 && (seed == 0 || p[j] > 0));
                assert_int_equal(hit[j][(int)(p[j] * N)]++, 0);
            }
        }
    }
}

/// A scrambled point is uniform: over seeds, the mean and the variance of one point are those of the uniform
/// distribution, and two dimensions are independent. Unequal seeds make different points.
static void test_scrambling_is_uniform(void **state)
{
    (void)state;
    enum { SEEDS = 40000 };
    double sum[2] = {0}, square = 0, product = 0;
    int low_bits = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double p[2];
        gr_sobol_point(5, 2, seed, p);
        sum[0] += p[0] / SEEDS;
        sum[1] += p[1] / SEEDS;
        square += (p[0] - 0.5) * (p[0] - 0.5) / SEEDS;
        product += (p[0] - 0.5) * (p[1] - 0.5) / SEEDS;
        low_bits += fmod(p[0] * 0x1p40, 1) < 0.5;
    }
    const double four_sigma = 4 / sqrt(SEEDS);
    assert_near(sum[0], 0.5, four_sigma * sqrt(1 / 12.0));
    assert_near(sum[1], 0.5, four_sigma * sqrt(1 / 12.0));
    assert_near(square, 1 / 12.0, four_sigma * sqrt(1 / 180.0));
    assert_near(product, 0, four_sigma / 12);
    assert_near(low_bits, SEEDS / 2.0, 4 * sqrt(SEEDS / 4.0));
}

/// The mean of scrambled points estimates an integral without bias, with an error far below that of random points
/// (variance O(n^-3) for smooth functions, Owen 1997).
static void test_scrambled_integral(void **state)
{
    (void)state;
    enum { N = 1024, SEEDS = 20 };
    double worst = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double mean = 0;
        for (int i = 0; i < N; i++) {
            double p[3];
            gr_sobol_point((uint64_t)i, 3, seed, p);
            mean += p[0] * exp(p[1]) * 3 * p[2] * p[2] / N;
        }
        worst = fmax(worst, fabs(mean - (exp(1) - 1) / 2));
    }
    const double random_error = 1.09 / sqrt(N); // standard deviation of the integrand over √n
    assert_true(worst < random_error / 10);
}

static void test_latin_hypercube_has_one_point_a_slice(void **state)
{
    (void)state;
    enum { DIMENSIONS = 5 };
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 100, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            static unsigned char hit[DIMENSIONS][1000];
            memset(hit, 0, sizeof hit);
            for (uint64_t i = 0; i < counts[c]; i++) {
                double p[DIMENSIONS];
                gr_latin_point(i, counts[c], DIMENSIONS, seed, p);
                for (int j = 0; j < DIMENSIONS; j++) {
                    assert_true(p[j] > 0 && p[j] < 1);
                    assert_int_equal(hit[j][(int)(p[j] * (double)counts[c])]++, 0);
                }
            }
        }
    }
}

/// All 24 permutations of four are equally likely over keys (χ² with 23 degrees of freedom, 1 in 10⁴).
static void test_permutations_are_uniform(void **state)
{
    (void)state;
    enum { KEYS = 24000 };
    int counts[256] = {0};
    for (uint64_t key = 0; key < KEYS; key++) {
        unsigned code = 0;
        for (uint64_t i = 0; i < 4; i++) {
            code = code << 2 | (unsigned)gr_permute(i, 4, key * 77);
        }
        counts[code]++;
    }
    double chi_squared = 0;
    int seen = 0;
    for (int i = 0; i < 256; i++) {
        seen += counts[i] > 0;
        chi_squared += counts[i] > 0 ? pow(counts[i] - KEYS / 24.0, 2) / (KEYS / 24.0) : 0;
    }
    assert_int_equal(seen, 24);
    assert_true(chi_squared < 56.6);
}

static void test_random_points(void **state)
{
    (void)state;
    enum { N = 100000 };
    double mean[2] = {0}, product = 0;
    for (int i = 0; i < N; i++) {
        double p[2];
        gr_sample_point(GR_SAMPLING_RANDOM, (uint64_t)i, N, 2, 9, p);
        mean[0] += p[0] / N;
        mean[1] += p[1] / N;
        product += (p[0] - 0.5) * (p[1] - 0.5) / N;
    }
    assert_near(mean[0], 0.5, 4 / sqrt(12.0 * N));
    assert_near(mean[1], 0.5, 4 / sqrt(12.0 * N));
    assert_near(product, 0, 4 / (12 * sqrt(N)));
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < GR_SAMPLING_COUNT; i++) {
        assert_int_equal(gr_sampling_find(gr_sampling_name((GrSampling)i), NULL), i);
        assert_true(strlen(gr_sampling_text((GrSampling)i)) > 10);
        double p[3], again[3];
        gr_sample_point((GrSampling)i, 3, 10, 3, 4, p);
        gr_sample_point((GrSampling)i, 3, 10, 3, 4, again);
        assert_memory_equal(p, again, sizeof p);
        gr_sample_point((GrSampling)i, 3, 10, 3, 5, again);
        assert_memory_not_equal(p, again, sizeof p);
    }
    GrErrorLog log = {0};
    assert_int_equal(gr_sampling_find("sobel", &log), -1);
    assert_non_null(strstr(log.items[0].text, "sobol"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol_points_of_scipy),
        cmocka_unit_test(test_nets),
        cmocka_unit_test(test_every_dimension_is_stratified),
        cmocka_unit_test(test_scrambling_is_uniform),
        cmocka_unit_test(test_scrambled_integral),
        cmocka_unit_test(test_latin_hypercube_has_one_point_a_slice),
        cmocka_unit_test(test_permutations_are_uniform),
        cmocka_unit_test(test_random_points),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

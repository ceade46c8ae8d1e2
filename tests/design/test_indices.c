/// Sobol' indices and Morris effects of functions with known answers, gradients of polynomials.
#include "indices.h"
#include "sampling.h"

#include "test.h"

#include <stdlib.h>

/// sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1 on −π … π (Ishigami & Homma 1990), at a point of the unit cube.
static double ishigami(const double *u)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = M_PI * (2 * u[i] - 1);
    }
    return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

/// Closed form of its indices with a = 7, b = 0.1: V1 = (1 + b π⁴/5)²/2, V2 = a²/8, V13 = b² π⁸ (1/18 − 1/50).
static void ishigami_indices(double first[3], double total[3])
{
    const double v1 = 0.5 * pow(1 + 0.1 * pow(M_PI, 4) / 5, 2), v2 = 49 / 8.0;
    const double v13 = 0.01 * pow(M_PI, 8) * (1 / 18.0 - 1 / 50.0), v = v1 + v2 + v13;
    const double f[3] = {v1 / v, v2 / v, 0}, t[3] = {(v1 + v13) / v, v2 / v, v13 / v};
    memcpy(first, f, sizeof f);
    memcpy(total, t, sizeof t);
}

/// Values of a plan in a new array.
static double *run_plan(double (*function)(const double *), int k, uint64_t base_count, uint64_t seed)
{
    const uint64_t count = gr_saltelli_count(k, base_count);
    double *values = calloc(count, sizeof *values);
    for (uint64_t row = 0; row < count; row++) {
        double u[GR_SOBOL_DIMENSIONS];
        gr_saltelli_point(row, k, seed, u);
        values[row] = function(u);
    }
    return values;
}

static void test_ishigami(void **state)
{
    (void)state;
    double first[3], total[3];
    ishigami_indices(first, total);
    const struct {
        uint64_t base_count;
        double tolerance;
    } cases[] = {{1 << 12, 0.02}, {1 << 14, 0.01}};
    for (int c = 0; c < 2; c++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            double *values = run_plan(ishigami, 3, cases[c].base_count, seed);
            GrSobolIndex out[3];
            GrSampleUse use;
            assert_int_equal(gr_sobol_indices(values, 3, cases[c].base_count, (GrBootstrap){20, 1}, out, &use, NULL),
                             GR_OK);
            assert_int_equal(use.used, cases[c].base_count);
            assert_near(use.mean, 3.5, 0.05);
            for (int i = 0; i < 3; i++) {
                assert_near(out[i].first.value, first[i], cases[c].tolerance);
                assert_near(out[i].total.value, total[i], cases[c].tolerance);
            }
            free(values);
        }
    }
}

/// The intervals hold the true indices in most samples. They are wider than needed, because the bootstrap takes the
/// even points for random ones; so the share is at least about 95 %.
static void test_coverage(void **state)
{
    (void)state;
    enum { SEEDS = 60, BASE = 512 };
    double first[3], total[3];
    ishigami_indices(first, total);
    int inside = 0;
    double width = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double *values = run_plan(ishigami, 3, BASE, seed);
        GrSobolIndex out[3];
        GrSampleUse use;
        assert_int_equal(gr_sobol_indices(values, 3, BASE, (GrBootstrap){200, seed}, out, &use, NULL), GR_OK);
        for (int i = 0; i < 3; i++) {
            inside += out[i].first.low <= first[i] && first[i] <= out[i].first.high;
            inside += out[i].total.low <= total[i] && total[i] <= out[i].total.high;
            assert_true(out[i].first.low <= out[i].first.high && out[i].total.low <= out[i].total.high);
            width = fmax(width, out[i].first.high - out[i].first.low);
        }
        free(values);
    }
    const double share = inside / (6.0 * SEEDS);
    assert_true(share > 0.95 - 4 * sqrt(0.95 * 0.05 / SEEDS)); // the six of one seed are not independent
    assert_true(width < 0.35); // 4 · 2 / √512: terms b (ab − a) / V with a standard deviation of 2
}

/// Four points of base sample 5 of two variables: a, b, then a with one coordinate of b each.
static void test_plan(void **state)
{
    (void)state;
    double both[4], p[4][2];
    gr_sobol_point(5, 4, 3, both);
    for (int i = 0; i < 4; i++) {
        gr_saltelli_point(4 * 5 + (uint64_t)i, 2, 3, p[i]);
    }
    assert_true(p[0][0] == both[0] && p[0][1] == both[1] && p[1][0] == both[2] && p[1][1] == both[3]);
    assert_true(p[2][0] == both[2] && p[2][1] == both[1] && p[3][0] == both[0] && p[3][1] == both[3]);
    assert_int_equal(gr_saltelli_count(2, 10), 40);
}

static void test_missing_values(void **state)
{
    (void)state;
    enum { BASE = 1 << 12 };
    double first[3], total[3];
    ishigami_indices(first, total);
    double *values = run_plan(ishigami, 3, BASE, 1);
    for (int j = 0; j < BASE; j += 10) { // another column each time, missing at random
        values[5 * j + j % 5] = j % 20 == 0 ? NAN : INFINITY;
    }
    GrSobolIndex out[3];
    GrSampleUse use;
    assert_int_equal(gr_sobol_indices(values, 3, BASE, (GrBootstrap){50, 1}, out, &use, NULL), GR_OK);
    assert_int_equal(use.dropped, (BASE + 9) / 10);
    assert_int_equal(use.used + use.dropped, BASE);
    for (int i = 0; i < 3; i++) {
        // Removing a tenth at random leaves its share of the error of random points.
        assert_near(out[i].first.value, first[i], 0.04);
        assert_near(out[i].total.value, total[i], 0.04);
    }
    for (int j = 0; j < BASE; j++) {
        values[5 * j] = NAN;
    }
    GrErrorLog log = {0};
    assert_int_equal(gr_sobol_indices(values, 3, BASE, gr_default_bootstrap(), out, &use, &log), GR_ERROR_NUMERIC);
    assert_non_null(strstr(log.items[0].text, "0 of 4096"));
    for (int j = 0; j < 5 * BASE; j++) {
        values[j] = 2; // no variance to explain
    }
    assert_int_equal(gr_sobol_indices(values, 3, BASE, (GrBootstrap){10, 1}, out, &use, NULL), GR_OK);
    assert_true(isnan(out[0].first.value) && isnan(out[2].total.high));
    free(values);
}

static void test_morris_plan(void **state)
{
    (void)state;
    enum { K = 6, R = 12 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        GrMorrisDef def = gr_default_morris_def();
        def.variable_count = K;
        def.trajectories = R;
        def.levels = 6;
        def.seed = seed;
        double points[R][K + 1][K];
        assert_int_equal(gr_morris_plan(&def, points[0][0], NULL), GR_OK);
        for (int t = 0; t < R; t++) {
            int changes[K] = {0};
            for (int s = 0; s <= K; s++) {
                int changed = 0;
                for (int i = 0; i < K; i++) {
                    const double level = points[t][s][i] * 5;
                    assert_near(level, round(level), 1e-12);
                    assert_true(level > -1e-12 && level < 5 + 1e-12);
                    if (s > 0 && points[t][s][i] != points[t][s - 1][i]) {
                        assert_near(fabs(points[t][s][i] - points[t][s - 1][i]), 0.6, 1e-12); // p / (2 (p − 1))
                        changed++;
                        changes[i]++;
                    }
                }
                assert_int_equal(changed, s > 0 ? 1 : 0);
            }
            for (int i = 0; i < K; i++) {
                assert_int_equal(changes[i], 1);
            }
        }
    }
}

/// Distance between the trajectories of a plan, by the sum over all pairs of points.
static double spread_of(const double *points, int k, int trajectories)
{
    double sum = 0;
    const int rows = trajectories * (k + 1);
    for (int p = 0; p < rows; p++) {
        for (int q = 0; q < p; q++) {
            double square = 0;
            for (int i = 0; i < k; i++) {
                square += pow(points[p * k + i] - points[q * k + i], 2);
            }
            sum += p / (k + 1) != q / (k + 1) ? sqrt(square) : 0;
        }
    }
    return sum;
}

static void test_chosen_trajectories_are_farther_apart(void **state)
{
    (void)state;
    enum { K = 8, R = 6 };
    for (uint64_t seed = 1; seed <= 10; seed++) {
        GrMorrisDef def = gr_default_morris_def();
        def.variable_count = K;
        def.trajectories = R;
        def.seed = seed;
        double chosen[R * (K + 1) * K], any[R * (K + 1) * K];
        assert_int_equal(gr_morris_plan(&def, chosen, NULL), GR_OK);
        def.candidates = 0;
        assert_int_equal(gr_morris_plan(&def, any, NULL), GR_OK);
        assert_true(spread_of(chosen, K, R) > spread_of(any, K, R));
    }
}

static void run_morris(const GrMorrisDef *def, double (*function)(const double *), const double *points, double *values)
{
    const int k = def->variable_count;
    for (int row = 0; row < def->trajectories * (k + 1); row++) {
        values[row] = function(points + row * k);
    }
}

static double linear(const double *u)
{
    return 3 * u[0] - 2 * u[1] + 0 * u[2] + 7;
}

static double product(const double *u)
{
    return u[0] * u[1] + u[2];
}

/// A linear function has μ equal to its slopes and σ = 0; a missing value drops its trajectory.
static void test_morris_closed_forms(void **state)
{
    (void)state;
    enum { R = 400 };
    GrMorrisDef def = gr_default_morris_def();
    def.variable_count = 3;
    def.trajectories = R;
    def.candidates = 0;
    static double points[R * 4 * 3], values[R * 4];
    GrMorrisEffect out[3];
    GrSampleUse use;
    assert_int_equal(gr_morris_plan(&def, points, NULL), GR_OK);
    run_morris(&def, linear, points, values);
    values[5] = NAN;
    assert_int_equal(gr_morris_effects(&def, points, values, (GrBootstrap){50, 1}, out, &use, NULL), GR_OK);
    assert_int_equal(use.dropped, 1);
    const double slopes[3] = {3, -2, 0};
    for (int i = 0; i < 3; i++) {
        assert_near(out[i].mean, slopes[i], 1e-12);
        assert_near(out[i].absolute.value, fabs(slopes[i]), 1e-12);
        assert_near(out[i].absolute.high - out[i].absolute.low, 0, 1e-12);
        assert_near(out[i].deviation, 0, 1e-12);
    }
    // The effect of u0 in u0 u1 is u1: uniform on the levels 0, 1/3, 2/3, 1, with mean 1/2 and variance 5/36.
    run_morris(&def, product, points, values);
    assert_int_equal(gr_morris_effects(&def, points, values, gr_default_bootstrap(), out, &use, NULL), GR_OK);
    const double sigma = sqrt(5 / 36.0);
    assert_near(out[0].mean, 0.5, 4 * sigma / sqrt(R));
    assert_near(out[0].deviation, sigma, 0.05);
    assert_true(out[0].absolute.low < 0.5 && out[0].absolute.high > 0.5);
    assert_near(out[0].absolute.high - out[0].absolute.low, 2 * 1.96 * sigma / sqrt(R), 0.01);
    assert_near(out[2].mean, 1, 1e-12);
}

/// The test function of Morris (1991) in 20 variables with its fixed coefficients and zero for the random ones: inputs
/// 1 to 10 matter, 11 to 20 do not; 8 to 10 are additive and linear; 1 to 7 are curved or interact.
static double morris_function(const double *u)
{
    double w[20], sum = 0;
    for (int i = 0; i < 20; i++) {
        w[i] = i == 2 || i == 4 || i == 6 ? 2 * (1.1 * u[i] / (u[i] + 0.1) - 0.5) : 2 * (u[i] - 0.5);
    }
    for (int i = 0; i < 20; i++) {
        sum += i < 10 ? 20 * w[i] : 0;
        for (int j = i + 1; j < 6; j++) {
            sum -= 15 * w[i] * w[j];
            for (int l = j + 1; l < 5; l++) {
                sum -= 10 * w[i] * w[j] * w[l];
            }
        }
    }
    return sum + 5 * w[0] * w[1] * w[2] * w[3];
}

static void test_morris_function(void **state)
{
    (void)state;
    enum { K = 20, R = 10 };
    GrMorrisDef def = gr_default_morris_def();
    def.variable_count = K;
    def.trajectories = R;
    def.candidates = 100;
    static double points[R * (K + 1) * K], values[R * (K + 1)];
    GrMorrisEffect out[K];
    GrSampleUse use;
    assert_int_equal(gr_morris_plan(&def, points, NULL), GR_OK);
    run_morris(&def, morris_function, points, values);
    assert_int_equal(gr_morris_effects(&def, points, values, (GrBootstrap){100, 1}, out, &use, NULL), GR_OK);
    for (int i = 0; i < K; i++) {
        if (i >= 10) {
            assert_near(out[i].absolute.value, 0, 1e-9);
        } else {
            assert_true(out[i].absolute.value > 10);
        }
        if (i >= 7 && i < 10) { // slope 2 · 20
            assert_near(out[i].mean, 40, 1e-9);
            assert_near(out[i].deviation, 0, 1e-9);
        } else if (i < 7) {
            assert_true(out[i].deviation > 5);
        }
    }
}

static void test_morris_messages(void **state)
{
    (void)state;
    GrMorrisDef def = gr_default_morris_def();
    double points[1];
    GrErrorLog log = {0};
    def.levels = 5;
    def.trajectories = 1;
    assert_int_equal(gr_morris_plan(&def, points, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 3); // variables, trajectories, levels
    def = gr_default_morris_def();
    def.variable_count = 1;
    def.trajectories = 3;
    double line[6], values[6] = {NAN, 1, 2, NAN, 1, 2};
    GrMorrisEffect out;
    GrSampleUse use;
    assert_int_equal(gr_morris_plan(&def, line, NULL), GR_OK);
    assert_int_equal(gr_morris_effects(&def, line, values, (GrBootstrap){5, 1}, &out, &use, &log), GR_ERROR_NUMERIC);
}

static double parabola(const double *x)
{
    return 2 + 3 * x[0] + 4 * x[0] * x[0] - x[1] + 0.5 * x[1] * x[1];
}

static void test_gradients(void **state)
{
    (void)state;
    const double centre[] = {1, 2}, step[] = {0.1, 0.2}, lower[] = {-5, 1.9}, upper[] = {5, 2.5}, corner[] = {5, 1.9};
    GrGradientDef def = {.variable_count = 2, .centre = centre, .step = step, .lower = lower, .upper = upper};
    double points[5][2], values[5];
    GrGradient out[2];
    assert_int_equal(gr_gradient_plan(&def, points[0], NULL), GR_OK);
    assert_near(points[3][1], 1.9, 1e-15); // clipped
    for (int i = 0; i < 5; i++) {
        values[i] = parabola(points[i]);
    }
    gr_gradient_estimate(&def, values, out);
    assert_near(out[0].slope, 11, 1e-12); // a parabola is exact, with unequal steps too
    assert_near(out[0].curvature, 8, 1e-9);
    assert_near(out[1].slope, 1, 1e-12);
    assert_near(out[1].curvature, 1, 1e-9);
    values[1] = NAN;
    gr_gradient_estimate(&def, values, out);
    assert_near(out[0].slope, 11 + 4 * 0.1, 1e-12); // forward difference
    assert_true(isnan(out[0].curvature));
    values[0] = NAN;
    gr_gradient_estimate(&def, values, out);
    assert_true(isnan(out[0].slope));
    assert_near(out[1].slope, 1.05, 1e-12); // from 1.9 to 2.2, the slope in the middle
    def.centre = corner;
    assert_int_equal(gr_gradient_plan(&def, points[0], NULL), GR_OK);
    for (int i = 0; i < 5; i++) {
        values[i] = parabola(points[i]);
    }
    gr_gradient_estimate(&def, values, out);
    assert_near(out[0].slope, 43 - 4 * 0.1, 1e-10);
    assert_near(out[1].slope, 0.9 + 0.5 * 0.2, 1e-12);
    GrErrorLog log = {0};
    def.step = (const double[]){0.1, 0};
    assert_int_equal(gr_gradient_plan(&def, points[0], &log), GR_ERROR_VALUE);
    assert_non_null(strstr(log.items[0].text, "variable 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ishigami),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_morris_plan),
        cmocka_unit_test(test_chosen_trajectories_are_farther_apart),
        cmocka_unit_test(test_morris_closed_forms),
        cmocka_unit_test(test_morris_function),
        cmocka_unit_test(test_morris_messages),
        cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

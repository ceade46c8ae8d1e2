/// Spread of soils: files, samples and classes.
#include "grouser/soil_file.h"
#include "soil_param.h"
#include "soil_wheel.h"
#include "soil_yaml.h"
#include "test.h"

static const char *const CLASSES[] = {"mars_sand", "mars_drift", "mars_crust", "lunar_mare", "lunar_loose"};
enum { CLASS_COUNT = sizeof CLASSES / sizeof CLASSES[0] };

static void load(const char *name, const char *const *overrides, GrSoilDef *soil, GrSoilSources *sources,
                 GrSoilSpread *spread)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/soils/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_soil_load_spread(path, overrides, soil, sources, spread, NULL), GR_OK);
}

/// What is written is read again: distributions, correlations, errors and range.
static void test_round_trip(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static GrSoilSpread spread, again;
    GrSoilDef soil, same;
    load("mars_sand", NULL, &soil, &sources, &spread);
    spread.kind = GR_SPREAD_FIT;
    spread.distribution[0].lower = 0; // without bounds, as a fit may have it
    spread.distribution[0].upper = (double)INFINITY;
    spread.error[GR_SPREAD_FX] = (GrSpreadError){0.02, 0.01, 0.05};
    spread.range.slip_angle[0] = 0;
    spread.range.slip_angle[1] = 0.785398163397448;
    GrBuffer text = {0};
    GrDocument *document;
    gr_soil_write_yaml(&soil, &sources, &spread, &text);
    assert_int_equal(gr_document_parse(text.data, text.size, "written.yaml", &document, NULL), GR_OK);
    assert_int_equal(gr_soil_read_yaml(document, NULL, &same, NULL, &again), GR_OK);
    gr_document_free(document);
    gr_buffer_free(&text);
    assert_int_equal(again.kind, GR_SPREAD_FIT);
    assert_string_equal(again.source, spread.source);
    assert_int_equal(again.count, spread.count);
    for (int i = 0; i < spread.count; i++) {
        assert_int_equal(again.param[i], spread.param[i]);
        for (int k = 1; k < 10; k++) {
            const double expected = gr_distribution_quantile(&spread.distribution[i], 0.1 * k);
            assert_near(gr_distribution_quantile(&again.distribution[i], 0.1 * k), expected, 1e-5 * fabs(expected));
        }
        for (int j = 0; j < spread.count; j++) {
            assert_near(again.correlation[i][j], spread.correlation[i][j], 1e-9);
        }
    }
    assert_near(again.error[GR_SPREAD_FX].discrepancy, 0.05, 1e-12);
    assert_true(isnan(again.error[GR_SPREAD_FY].residual));
    assert_near(again.range.slip_angle[1], 0.785398163397448, 1e-6);
    assert_true(isnan(again.range.load[0]));
}

/// A value that was changed without its spread would have the bands of another soil: a warning says so. With an
/// override the parameter is not sampled, and there is none.
static void test_value_outside_its_spread(void **state)
{
    (void)state;
    static const char text[] = "title: T\nlaw: wong_reece\nk_c_N_per_m_n1: 0\nk_phi_N_per_m_n2: 1e6\nn0: 1\nc_Pa: 100\n"
                               "phi_deg: 25\nK_x_m: 0.02\nK_y_m: 0.02\na1: 0.4\na2: 0.1\nlambda: 0.1\n"
                               "spread: {source: s, parameters: {phi: {normal: {mean: 40, deviation: 1}}}}\n";
    static const char *const overrides[] = {"phi=25", NULL};
    for (int i = 0; i < 2; i++) {
        GrErrorLog found = {.quiet = true};
        GrDocument *document;
        GrSoilDef soil;
        assert_int_equal(gr_document_parse(text, sizeof text - 1, "soil.yaml", &document, &found), GR_OK);
        assert_int_equal(gr_soil_read_yaml(document, i == 1 ? overrides : NULL, &soil, NULL, NULL), GR_OK);
        gr_document_free(document);
        int warnings = 0;
        for (int k = 0; k < found.count; k++) {
            warnings += strstr(found.items[k].text, "is not in the soil's own spread") != NULL;
        }
        assert_int_equal(warnings, i == 0);
    }
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] / n;
    }
    return sum;
}

static double covariance(const double *x, const double *y, int n)
{
    const double a = mean_of(x, n), b = mean_of(y, n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - a) * (y[i] - b) / n;
    }
    return sum;
}

/// Samples have the means, deviations and correlations of the file; each is a valid soil.
static void test_samples(void **state)
{
    (void)state;
    enum { N = 4000 };
    static GrSoilSources sources;
    static GrSoilSpread spread;
    static double phi[N], ln_c[N], ln_k[N], n0[N];
    GrSoilDef soil;
    load("mars_sand", NULL, &soil, &sources, &spread);
    for (int i = 0; i < N; i++) {
        GrSoilDef sample;
        gr_soil_sample(&spread, &sources, &soil, 7, i, N, &sample);
        assert_int_equal(gr_soil_check(&sample, NULL), GR_OK);
        phi[i] = sample.friction_angle * 180 / 3.14159265358979323846;
        ln_c[i] = log(sample.cohesion);
        ln_k[i] = log(sample.k_phi);
        n0[i] = sample.n0;
    }
    // a normal distribution of 31.5 and 3°, cut off at 25 and 40°
    assert_near(mean_of(phi, N), 31.594, 0.01);
    assert_near(sqrt(covariance(phi, phi, N)), 2.837, 0.02);
    assert_near(sqrt(covariance(ln_k, ln_k, N)), 0.6, 0.02);
    const double r = covariance(ln_k, n0, N) / sqrt(covariance(ln_k, ln_k, N) * covariance(n0, n0, N));
    assert_near(r, 0.48, 0.03);
    const double s = covariance(ln_c, phi, N) / sqrt(covariance(ln_c, ln_c, N) * covariance(phi, phi, N));
    assert_near(s, -0.4, 0.04);
}

/// A parameter that the user sets is known; samples depend on nothing but their arguments.
static void test_overrides(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static GrSoilSpread spread;
    static const char *const overrides[] = {"phi=35", NULL};
    GrSoilDef soil, a, b, c;
    load("mars_sand", overrides, &soil, &sources, &spread);
    gr_soil_sample(&spread, &sources, &soil, 1, 3, 32, &a);
    gr_soil_sample(&spread, &sources, &soil, 1, 3, 32, &b);
    gr_soil_sample(&spread, &sources, &soil, 2, 3, 32, &c);
    assert_true(a.friction_angle == soil.friction_angle);
    assert_true(a.k_phi == b.k_phi && a.k_phi != soil.k_phi && a.k_phi != c.k_phi);
}

/// The numbers of a class are the medians of its distributions, and it digs and ploughs.
static void test_classes(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static GrSoilSpread spread;
    for (int k = 0; k < CLASS_COUNT; k++) {
        GrSoilDef soil;
        load(CLASSES[k], NULL, &soil, &sources, &spread);
        assert_int_equal(spread.kind, GR_SPREAD_CLASS);
        assert_true(soil.slip_sinkage_max > 0 && soil.plough_sinkage > 0 && soil.fit_radius > 0);
        assert_int_equal(soil.gravity_scaling, GR_GRAVITY_DENSITY);
        for (int i = 0; i < spread.count; i++) {
            const double own = gr_soil_param_get(&soil, spread.param[i]);
            print_message("%s %s\n", CLASSES[k], gr_soil_param(spread.param[i])->name);
            assert_near(gr_distribution_quantile(&spread.distribution[i], 0.5), own, 0.03 * own); // cut-off ends
        }
    }
}

/// A soil without a spread has a wide one of what its law reads, and of nothing else.
static void test_unknown(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static GrSoilSpread spread;
    static const char *const names[] = {"ishigami2007", "grc1_loose_rft", "toyoura_sand"};
    for (int k = 0; k < 3; k++) {
        GrSoilDef soil;
        load(names[k], NULL, &soil, &sources, &spread);
        assert_int_equal(spread.kind, GR_SPREAD_UNKNOWN);
        assert_true(spread.count >= 2);
        for (int i = 0; i < spread.count; i++) {
            assert_true(gr_soil_param_used(&soil, spread.param[i], GR_SOIL_USE_ALL));
        }
    }
}

/// Lengths of a soil with a fit_radius grow with the wheel: a wheel twice as large, with eight times the load, sinks
/// twice as deep and pulls eight times as much in soil without cohesion (p = k z, as Slonaker et al. 2017 scale it).
static void test_fit_radius(void **state)
{
    (void)state;
    GrSoilDef soil;
    static GrSoilSources sources;
    static GrSoilSpread spread;
    static const char *const overrides[] = {"c=0", NULL};
    load("mars_sand", overrides, &soil, &sources, &spread);
    GrSoilSteady small, large;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilWheel w;
    wheel.radius = 0.1;
    wheel.width = 0.08;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, NULL), GR_OK);
    assert_int_equal(gr_soil_steady_load(&w, 0.3, 0.2, 60, 0, &small, NULL), GR_OK);
    wheel.radius *= 2;
    wheel.width *= 2;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, NULL), GR_OK);
    assert_int_equal(gr_soil_steady_load(&w, 0.3, 0.2, 480, 0, &large, NULL), GR_OK);
    assert_near(large.sinkage / small.sinkage, 2, 1e-9);
    assert_near(large.f_x / small.f_x, 8, 1e-6);
    assert_near(large.f_y / small.f_y, 8, 1e-6);
    assert_near(large.torque / small.torque, 16, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_outside_its_spread),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_fit_radius),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

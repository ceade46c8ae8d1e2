/// From a campaign file to its runs: grids, samples, comparisons, seeds, correlations, keys.
#include "test.h"

#include "campaign.h"
#include "statistics.h"

#include <math.h>

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario, &gr_subject_function, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};

static void load(const char *text, GrCampaign *out)
{
    GrErrorLog log = {0};
    if (gr_campaign_parse(text, "test.yaml", &KINDS, out, &log) != GR_OK) {
        print_error("%s\n", log.items[0].text);
        fail();
    }
}

static void test_grid(void **state)
{
    (void)state;
    GrCampaign c;
    GrRow row;
    load("run: {function: {f: x + y}}\n"
         "vary: {x: {from: 0, to: 1, count: 3}, y: [5, 7]}\n"
         "compare: {z: [a, b]}\n",
         &c);
    const double xs[] = {0, 0.5, 1}, ys[] = {5, 7};
    assert_int_equal(gr_campaign_size(&c), 12);
    for (uint64_t i = 0; i < 12; i++) { // the last variable changes fastest
        gr_campaign_row(&c, i, &row);
        assert_near(row.numbers[0], xs[i / 4], 0);
        assert_near(row.numbers[1], ys[i / 2 % 2], 0);
        assert_string_equal(row.values[2].text, i % 2 == 0 ? "a" : "b");
        assert_true(isnan(row.numbers[2]));
    }
    assert_string_equal(row.overrides[0], "x=1");
    assert_string_equal(row.overrides[2], "z=b");
    assert_null(row.overrides[3]);
    gr_campaign_free(&c);
}

/// A Latin hypercube has one sample in each of its slices; a log scale has as many in each decade.
static void test_samples(void **state)
{
    (void)state;
    enum { N = 200 };
    GrCampaign c;
    GrRow row;
    int slices[2][N] = {{0}}, decades[3] = {0};
    load("run: {function: {f: x + y}}\n"
         "vary: {x: {from: -1, to: 1}, y: {from: 1, to: 1000, scale: log}, n: {from: 1, to: 6, integer: true}}\n"
         "sample: {method: latin, count: 200, seed: 5}\n",
         &c);
    int dice[7] = {0};
    for (uint64_t i = 0; i < N; i++) {
        gr_campaign_row(&c, i, &row);
        slices[0][(int)((row.numbers[0] + 1) / 2 * N)]++;
        slices[1][(int)(log10(row.numbers[1]) / 3 * N)]++;
        decades[(int)log10(row.numbers[1])]++;
        assert_true(row.numbers[2] >= 1 && row.numbers[2] <= 6 && row.numbers[2] == floor(row.numbers[2]));
        dice[(int)row.numbers[2]]++;
    }
    for (int i = 0; i < N; i++) {
        assert_int_equal(slices[0][i], 1);
        assert_int_equal(slices[1][i], 1);
    }
    for (int i = 1; i <= 6; i++) { // 200 / 6 slices, of which two are cut
        assert_in_range(dice[i], 32, 35);
    }
    assert_in_range(decades[0], 66, 67);
    gr_campaign_free(&c);
}

/// More samples keep those that are there; another seed gives others.
static void test_extension(void **state)
{
    (void)state;
    GrCampaign few, many, other;
    GrRow a, b;
    load("{run: {function: {f: x}}, vary: {x: {from: 0, to: 1}}, sample: {method: sobol, count: 8}}", &few);
    load("{run: {function: {f: x}}, vary: {x: {from: 0, to: 1}}, sample: {method: sobol, count: 64}}", &many);
    load("{run: {function: {f: x}}, vary: {x: {from: 0, to: 1}}, sample: {method: sobol, count: 8, seed: 2}}", &other);
    for (uint64_t i = 0; i < 8; i++) {
        gr_campaign_row(&few, i, &a);
        gr_campaign_row(&many, i, &b);
        assert_true(a.key == b.key);
        gr_campaign_row(&other, i, &b);
        assert_true(a.key != b.key);
    }
    assert_true(few.identity == many.identity);
    gr_campaign_free(&few);
    gr_campaign_free(&many);
    gr_campaign_free(&other);
}

/// More repeats add rows and change none: those of two are among those of three.
static void test_more_repeats(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "run: {function: {f: x + s}}\nvary: {x: [1, 2, 3], s: {seed: true}}\nsample: {repeats: 2}\n",
        "run: {function: {f: x + s}}\nvary: {x: [1, 2, 3], s: {seed: true}}\nsample: {repeats: 3}\n"};
    GrCampaign two, three;
    load(texts[0], &two);
    load(texts[1], &three);
    assert_int_equal(gr_campaign_size(&two), 6);
    assert_int_equal(gr_campaign_size(&three), 9);
    for (uint64_t i = 0; i < 6; i++) {
        GrRow row, other;
        int found = 0;
        gr_campaign_row(&two, i, &row);
        for (uint64_t k = 0; k < 9; k++) {
            gr_campaign_row(&three, k, &other);
            found += row.key == other.key;
        }
        assert_int_equal(found, 1);
    }
    gr_campaign_free(&two);
    gr_campaign_free(&three);
}

/// Compared cases share samples and seeds; repeats share samples and have other seeds.
static void test_seeds(void **state)
{
    (void)state;
    GrCampaign c;
    GrRow row[4];
    load("run: {function: {f: x + s}}\n"
         "vary: {x: {from: 0, to: 1}, s: {seed: true}}\n"
         "compare: {z: [1, 2]}\n"
         "sample: {method: random, count: 10, repeats: 2}\n",
         &c);
    assert_int_equal(gr_campaign_size(&c), 40);
    for (uint64_t i = 0; i < 40; i += 4) {
        for (uint64_t k = 0; k < 4; k++) {
            gr_campaign_row(&c, i + k, &row[k]);
            assert_near(row[k].numbers[0], row[0].numbers[0], 0);
            assert_near(row[k].numbers[1], row[k - k % 2].numbers[1], 0);
            assert_true(row[k].numbers[1] >= 0 && row[k].numbers[1] == floor(row[k].numbers[1]));
        }
        assert_true(row[0].numbers[1] != row[2].numbers[1]);
        assert_true(row[0].key != row[1].key && row[0].key != row[2].key);
    }
    gr_campaign_free(&c);
}

/// The rank correlation of a Gaussian copula is 6/π asin(ρ/2); its standard error with 4000 samples is 0.016.
static void test_correlation(void **state)
{
    (void)state;
    enum { N = 4000 };
    static double x[N], y[N];
    GrCampaign c;
    GrRow row;
    load("run: {function: {f: x + y}}\n"
         "vary: {x: {from: 0, to: 1}, y: {log_normal: {median: 10, log_deviation: 0.3}}, z: {from: 0, to: 1}}\n"
         "correlate: [[x, y, -0.6]]\n"
         "sample: {method: random, count: 4000}\n",
         &c);
    for (uint64_t i = 0; i < N; i++) {
        gr_campaign_row(&c, i, &row);
        x[i] = row.numbers[0];
        y[i] = row.numbers[1];
    }
    assert_near(gr_rank_correlation(x, y, N), 6 / GR_PI * asin(-0.6 / 2), 4 * 0.016);
    gr_sort(y, N);
    assert_near(gr_quantile_sorted(y, N, 0.5), 10, 0.3);
    gr_campaign_free(&c);
}

/// A scenario's paths reach rover and soil; names have the files behind them in their keys.
static void test_scenario(void **state)
{
    (void)state;
    GrCampaign c;
    GrRow row;
    load("run: {scenario: gradeability, set: [stop.time_s=5]}\n"
         "vary: {\"soil:phi\": {from: 25, to: 40, step: 5}, rover: [curiosity_like, rashid_like]}\n"
         "measure: {slip: wheels.slip_mean, top: \"max(x_m)\"}\n",
         &c);
    assert_int_equal(gr_campaign_size(&c), 8);
    gr_campaign_row(&c, 7, &row);
    assert_string_equal(row.overrides[0], "soil:phi=40");
    assert_string_equal(row.overrides[1], "rover=rashid_like");
    assert_true(c.name_hashes[1][0] != c.name_hashes[1][1]);
    assert_int_equal(c.measures.count, 2);
    gr_campaign_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),      cmocka_unit_test(test_more_repeats), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_extension), cmocka_unit_test(test_seeds),        cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

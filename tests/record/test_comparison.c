/// Comparisons: differences on common and independent samples, probabilities, ties, failures, shares, and the verdict.
#include "comparison.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 21 };

static GrComparison of_two(const char *soil_a, const char *soil_b, int sense)
{
    GrComparison c = {.sample_count = N};
    gr_comparison_design(&c, "A", soil_a);
    gr_comparison_design(&c, "B", soil_b);
    gr_comparison_quantity(
        &c, (GrComparedQuantity){.key = "slope_deg", .text = "slope", .unit = "°", .scale = 1, .sense = sense});
    return c;
}

/// B is always 1 above A: on common samples the difference is 1 and nothing else, on independent ones it scatters.
static void test_pairs(void **state)
{
    (void)state;
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = i + 1;
    }
    GrComparison c = of_two("sand", "sand", 1);
    c.values[0][0] = (GrComparedValue){.value = 10, .samples = a};
    c.values[0][1] = (GrComparedValue){.value = 11, .samples = b};
    GrDifference d = gr_comparison_difference(&c, 0, 0, 1);
    assert_near(d.value, 1, 0);
    assert_near(d.band.low, 1, 0);
    assert_near(d.band.high, 1, 0);
    assert_near(d.better, 1, 0);
    assert_near(gr_comparison_difference(&c, 0, 1, 0).better, 0, 0);
    c.soils[1] = "clay";
    d = gr_comparison_difference(&c, 0, 0, 1);
    assert_true(d.band.low < -5 && d.band.high > 5);
    // pairs with b > a: all but those with k + 1 <= i; ties, k + 1 = i, count half
    double wins = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            wins += k + 1 > i ? 1 : k + 1 == i ? 0.5 : 0;
        }
    }
    assert_near(d.better, wins / (N * N), 1e-15);
    c.quantities[0].sense = -1;
    assert_near(gr_comparison_difference(&c, 0, 0, 1).better, 1 - wins / (N * N), 1e-15);
    c.quantities[0].sense = 0;
    assert_true(isnan(gr_comparison_difference(&c, 0, 0, 1).better));
}

/// Equal designs, and those that differ by less than a search can tell.
static void test_ties(void **state)
{
    (void)state;
    double a[N], b[N];
    char text[GR_COMPARED_VERDICT];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = i + 0.01 * (i % 2 == 0 ? 1 : -1);
    }
    GrComparison c = of_two("sand", "sand", 1);
    c.values[0][0] = (GrComparedValue){.value = 10, .samples = a};
    c.values[0][1] = c.values[0][0];
    GrDifference d = gr_comparison_difference(&c, 0, 0, 1);
    assert_near(d.value, 0, 0);
    assert_near(d.better, 0.5, 0);
    gr_comparison_verdict(&c, text, sizeof text);
    assert_string_equal(text, "A and B: no difference in any figure.");
    c.values[0][1] = (GrComparedValue){.value = 10.01, .samples = b};
    c.quantities[0].accuracy = 0.02;
    d = gr_comparison_difference(&c, 0, 0, 1);
    assert_near(d.value, 0, 0);
    assert_near(d.band.high, 0, 0);
    assert_near(d.better, 0.5, 0);
    c.quantities[0].accuracy = 0;
    assert_near(gr_comparison_difference(&c, 0, 0, 1).better, (N + 1) / 2.0 / N, 1e-15);
}

/// A sample without a value has failed; without samples only what is exact has a band.
static void test_failures(void **state)
{
    (void)state;
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i < 5 ? (double)NAN : i;
        b[i] = i < 2 ? (double)NAN : i;
    }
    GrComparison c = of_two("sand", "sand", -1);
    c.values[0][0] = (GrComparedValue){.value = 10, .samples = a};
    c.values[0][1] = (GrComparedValue){.value = 10, .samples = b};
    assert_near(gr_comparison_difference(&c, 0, 0, 1).better, (2 * 0.5 + 3 + 16 * 0.5) / N, 1e-15);
    c = of_two("sand", "sand", -1);
    c.sample_count = 0;
    c.values[0][0].value = 10;
    c.values[0][1].value = 12;
    assert_true(isnan(gr_comparison_difference(&c, 0, 0, 1).better));
    c.quantities[0].of_design = true;
    const GrDifference d = gr_comparison_difference(&c, 0, 0, 1);
    assert_near(d.better, 0, 0);
    assert_near(d.band.low, 2, 0);
    assert_near(d.band.high, 2, 0);
}

/// An error of both, independent: the probability is that of a normal distribution.
static void test_error(void **state)
{
    (void)state;
    GrComparison c = of_two("sand", "sand", 1);
    c.values[0][0] = (GrComparedValue){.value = 10, .error = 3};
    c.values[0][1] = (GrComparedValue){.value = 15, .error = 4};
    const GrDifference d = gr_comparison_difference(&c, 0, 0, 1);
    assert_near(d.better, 0.841344746068543, 1e-9); // one standard deviation of 5
    assert_near(d.band.high - d.band.low, 2 * 1.6448536269514722 * 5, 1e-6);
}

/// Shares: Newcombe's interval (1998), his example 56/70 against 48/80, at 90 % here: wider than the difference of
/// single numbers would be, and symmetric under exchange.
static void test_shares(void **state)
{
    (void)state;
    double a[N] = {0}, b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i < 10;
        b[i] = i < 20;
    }
    GrComparison c = of_two("sand", "sand", 1);
    c.quantities[0].is_share = true;
    c.values[0][0] = (GrComparedValue){.value = 10.0 / N, .samples = a};
    c.values[0][1] = (GrComparedValue){.value = 20.0 / N, .samples = b};
    const GrDifference d = gr_comparison_difference(&c, 0, 0, 1), back = gr_comparison_difference(&c, 0, 1, 0);
    assert_near(d.value, 10.0 / N, 1e-15);
    assert_true(d.band.low > 0.2 && d.band.low < d.value && d.value < d.band.high && d.band.high < 0.7);
    assert_near(back.band.low, -d.band.high, 1e-15);
    assert_near(back.band.high, -d.band.low, 1e-15);
    assert_near(d.better, (10 * 0.5 + 10 * 1 + 1 * 0.5) / N, 1e-15);
}

static void test_verdict(void **state)
{
    (void)state;
    double a[N], b[N], c3[N];
    char text[GR_COMPARED_VERDICT];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = i + 2;
        c3[i] = i + (i % 2 == 0 ? 3 : -1);
    }
    GrComparison c = of_two("sand", "sand", 1);
    const int mass = gr_comparison_quantity(
        &c, (GrComparedQuantity){
                .key = "mass_kg", .text = "mass", .unit = "kg", .scale = 1, .sense = -1, .of_design = true});
    c.values[0][0] = (GrComparedValue){.value = 10, .samples = a};
    c.values[0][1] = (GrComparedValue){.value = 12, .samples = b};
    c.values[mass][0].value = 5;
    c.values[mass][1].value = 6;
    gr_comparison_verdict(&c, text, sizeof text);
    assert_string_equal(text, "B is better in slope: 2 ° more than A. Worse in mass.");
    gr_comparison_design(&c, "C", "sand");
    c.values[0][2] = (GrComparedValue){.value = 13, .samples = c3};
    c.values[mass][2].value = 4;
    gr_comparison_verdict(&c, text, sizeof text);
    assert_non_null(strstr(text, "No clear difference in slope: C 1 ° more than B (90 %: "));
    assert_non_null(strstr(text, " C is best in mass."));
    char small[24];
    gr_comparison_verdict(&c, small, sizeof small); // cut, not beyond its end
    assert_int_equal(strlen(small), sizeof small - 1);
}

/// Energies have one prefix in a row, its band and the verdict; ends of bands without a value are named and explained.
static void test_units(void **state)
{
    (void)state;
    double a[N], b[N];
    char text[GR_COMPARED_VERDICT], *printed = NULL;
    size_t size = 0;
    for (int i = 0; i < N; i++) {
        a[i] = 54300 + 10 * i;
        b[i] = i < 3 ? (double)NAN : a[i] - 20000;
    }
    GrComparison c = {.sample_count = N};
    gr_comparison_design(&c, "A", "sand");
    gr_comparison_design(&c, "B", "sand");
    gr_comparison_quantity(
        &c, (GrComparedQuantity){.key = "electric_J", .text = "energy", .unit = "J", .scale = 1, .sense = -1});
    c.values[0][0] = (GrComparedValue){.value = 54300, .samples = a};
    c.values[0][1] = (GrComparedValue){.value = 34300, .samples = b};
    gr_comparison_verdict(&c, text, sizeof text);
    assert_non_null(strstr(text, "energy: B 20 kJ less than A (90 %: "));
    assert_non_null(strstr(text, "(90 %: no value … 20)"));
    GrPage page = {0};
    gr_comparison_page(&c, &page);
    FILE *file = open_memstream(&printed, &size);
    assert_non_null(file);
    gr_page_print(&page, file);
    fclose(file);
    gr_page_free(&page);
    assert_non_null(strstr(printed, "energy [kJ]"));
    assert_non_null(strstr(printed, "54.3"));
    assert_non_null(strstr(printed, "-20 … no value"));
    assert_non_null(strstr(printed, "no value: on more than 5 % of the samples one of the two fails"));
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),    cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_failures), cmocka_unit_test(test_error),
                                       cmocka_unit_test(test_shares),   cmocka_unit_test(test_verdict),
                                       cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

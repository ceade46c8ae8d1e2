/// grouser fit trace: known lines come back, the printed table gives the lines of the program, bad data is refused.
#include "fit_trace.h"
#include "test.h"

#include <string.h>

static GrTraceFit fit_text(const char *text)
{
    GrTraceData data;
    GrTraceFit fit;
    GrErrorLog log = {0};
    const GrTraceDef wheel = gr_default_trace_def();
    assert_int_equal(gr_trace_data_parse(text, strlen(text), "t.csv", &data, &log), GR_OK);
    assert_int_equal(gr_trace_fit(&data, &wheel, &fit, &log), GR_OK);
    gr_trace_data_free(&data);
    return fit;
}

/// Table 2 of Kamohara et al. 2024, once by its means and once by its ends.
static void test_paper(void **state)
{
    (void)state;
    const GrTraceFit fit = fit_text("load_N,mean_mm,amplitude_mm\n3,-2.5,8\n5,-3.75,8.5\n8.6,-5.25,8.5\n"
                                    "12.9,-7.5,9\n17.9,-9,9\n");
    const GrTraceFit ends = fit_text("load_N,trough_mm,crest_mm\n3,-6.5,1.5\n5,-8,0.5\n8.6,-9.5,-1\n12.9,-12,-3\n"
                                     "17.9,-13.5,-4.5\n");
    const GrTraceDef def = gr_default_trace_def();
    assert_near(fit.def.mean.base, def.mean.base, 0.5e-6);
    assert_near(fit.def.mean.load, def.mean.load, 0.5e-7);
    assert_near(fit.def.swing.base, def.swing.base, 0.5e-6);
    assert_near(fit.def.swing.load, def.swing.load, 0.5e-7);
    assert_near(ends.def.mean.base, fit.def.mean.base, 1e-12);
    assert_near(ends.def.swing.load, fit.def.swing.load, 1e-12);
    assert_near(fit.mean.mean_absolute, 0.2205e-3, 0.1e-6);
    assert_near(fit.swing.mean_absolute, 0.1467e-3, 0.1e-6);
    // No other line is nearer in squares: eqs. 5 and 6 as printed are not.
    const GrTraceLine printed = {-1.32e-3, -0.458e-3, 0};
    static const double loads[] = {3, 5, 8.6, 12.9, 17.9}, means[] = {-2.5, -3.75, -5.25, -7.5, -9};
    double ours = 0, theirs = 0;
    for (int i = 0; i < 5; i++) {
        ours += pow(gr_trace_line_at(&fit.def.mean, loads[i], 0) - 1e-3 * means[i], 2);
        theirs += pow(gr_trace_line_at(&printed, loads[i], 0) - 1e-3 * means[i], 2);
    }
    assert_true(ours < theirs);
    assert_near(fit.def.load_min, 3, 0);
    assert_near(fit.def.load_max, 17.9, 0);
    assert_false(fit.by_slip);
}

static void test_slip(void **state)
{
    (void)state;
    char text[2000] = "slip,load_N,mean_mm,amplitude_mm\n";
    for (int i = 0; i < 12; i++) {
        const double slip = 0.1 * (i % 4), load = 20 + 10 * i;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g,%.17g,%.17g\n", slip, load,
                 -2 - 0.1 * load - 15 * slip, 5 + 0.02 * load - 3 * slip);
    }
    const GrTraceFit fit = fit_text(text);
    assert_true(fit.by_slip);
    assert_near(fit.def.mean.base, -2e-3, 1e-12);
    assert_near(fit.def.mean.load, -0.1e-3, 1e-14);
    assert_near(fit.def.mean.slip, -15e-3, 1e-12);
    assert_near(fit.def.swing.slip, -3e-3, 1e-12);
    assert_near(fit.mean.left_out, 0, 1e-12);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"mean_mm,amplitude_mm\n1,2\n", "there is no column 'load_N'"},
        {"load_N,mean_mm\n1,2\n", "are needed"},
        {"load_N,mean_mm,amplitude_mm\n", "no row"},
        {"load_N,mean_mm,amplitude_mm\n1,x,2\n", "'x' is not a number"},
        {"load_N,mean_mm,amplitude_mm\n0,1,2\n", "out of range"},
        {"load_N,mean_mm,amplitude_mm\n1,1,-2\n", "out of range"},
        {"load_N,mean_mm,amplitude_mm\n1,1,2\n2,1,2\n", "2 traces cannot determine"},
        {"load_N,mean_mm,amplitude_mm\n5,1,2\n5,1,2\n5,1,3\n", "the same load"},
        {"load_N,slip,mean_mm,amplitude_mm\n1,0.1,1,2\n2,0.2,1,2\n3,0.3,1,3\n4,0.4,1,4\n", "cannot be separated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrErrorLog log = {0};
        GrTraceData data;
        GrTraceFit fit;
        const GrTraceDef wheel = gr_default_trace_def();
        GrStatus status = gr_trace_data_parse(cases[i].text, strlen(cases[i].text), "t.csv", &data, &log);
        if (status == GR_OK) {
            status = gr_trace_fit(&data, &wheel, &fit, &log);
            gr_trace_data_free(&data);
        }
        assert_int_not_equal(status, GR_OK);
        if (strstr(log.items[0].text, cases[i].message) == NULL) {
            print_error("%s\nis not about: %s\n", log.items[0].text, cases[i].message);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paper), cmocka_unit_test(test_slip),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

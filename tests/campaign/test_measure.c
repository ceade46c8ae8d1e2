/// Measures: reducers against closed forms of sine waves and ramps, and the arithmetic around them.
#include "test.h"

#include "measure.h"

#include "grouser/vec.h"

#include <math.h>

enum { SAMPLES = 2001 };

static double time_of[SAMPLES], distance[SAMPLES], x[SAMPLES], y[SAMPLES], wave[SAMPLES], pair[2 * SAMPLES];

/// Ten seconds of a sine of amplitude 3, ten whole periods, while the rover drives 0.5 m/s along x.
static void fill(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        time_of[i] = 10.0 * i / (SAMPLES - 1);
        distance[i] = 0.5 * time_of[i];
        x[i] = distance[i];
        y[i] = 0;
        wave[i] = 3 * sin(2 * GR_PI * time_of[i]);
        pair[2 * i] = wave[i];
        pair[2 * i + 1] = 10 * time_of[i];
    }
}

static double reduce(GrReducer reducer, double a, double b, bool both)
{
    const GrTerm term = {.reducer = reducer, .arguments = {a, b}};
    const GrSeriesOf series = {both ? pair : wave, both ? 2 : 1, SAMPLES, time_of, distance, x, y};
    return gr_reduce(&term, &series);
}

static void test_reducers(void **state)
{
    (void)state;
    const double step = 10.0 / (SAMPLES - 1), coarse = 3 * 2 * GR_PI * step; // change from sample to sample
    fill();
    assert_near(reduce(GR_REDUCE_MAX, 0, 0, false), 3, coarse);
    assert_near(reduce(GR_REDUCE_MIN, 0, 0, false), -3, coarse);
    assert_near(reduce(GR_REDUCE_PEAK, 0, 0, false), 3, coarse);
    assert_near(reduce(GR_REDUCE_MEAN, 0, 0, false), 0, 1e-12); // whole periods
    assert_near(reduce(GR_REDUCE_RMS, 0, 0, false), 3 / sqrt(2), 1e-12);
    assert_near(reduce(GR_REDUCE_QUANTILE, 0.75, 0, false), 3 * sin(GR_PI / 4), 2 * coarse); // of the arcsine law
    assert_near(reduce(GR_REDUCE_TIME_ABOVE, 1.5, 0, false), 10.0 / 3, 20 * step);           // sin > 1/2
    assert_near(reduce(GR_REDUCE_AT_TIME, 0.25, 0, false), 3, 1e-9);
    // 1/12 s; the error of linear interpolation is h² f''/8
    assert_near(reduce(GR_REDUCE_AT_DISTANCE, 0.5 / 12, 0, false), 1.5, coarse * coarse / 8);
    assert_near(reduce(GR_REDUCE_AT_PLACE, 0.125, 3, false), 3, coarse);
    assert_near(reduce(GR_REDUCE_FIRST, 0, 0, false), 0, 0);
    assert_near(reduce(GR_REDUCE_LAST, 0, 0, false), 0, 1e-12);
    assert_true(isnan(reduce(GR_REDUCE_AT_TIME, 10.001, 0, false)));
    assert_true(isnan(reduce(GR_REDUCE_AT_DISTANCE, 6, 0, false)));
    // two wheels: the mean of 0 and of a ramp from 0 to 100
    assert_near(reduce(GR_REDUCE_MEAN, 0, 0, true), 25, 1e-9);
    assert_near(reduce(GR_REDUCE_MAX, 0, 0, true), 100, 1e-9);
}

/// Four samples of two wheels, at uneven times, on a path that is not its own mirror image: every reducer by hand.
static void test_reducers_by_hand(void **state)
{
    (void)state;
    static const double times[] = {0, 1, 3, 6}, ways[] = {0, 2, 3, 7}, xs[] = {0, 1, 1, -2}, ys[] = {0, 1, 2, 2};
    static const double values[] = {1, 3, -8, 2, 4, 6, 5, 1};
    // weights 1/2, 3/2, 5/2 and 3/2 s; means over the wheels 2, -3, 5 and 3
    const struct {
        bool given;
        double arguments[GR_TERM_ARGUMENTS], expected;
    } rows[GR_REDUCER_COUNT] = {
        [GR_REDUCE_MIN] = {true, {0}, -8},
        [GR_REDUCE_MAX] = {true, {0}, 6},
        [GR_REDUCE_PEAK] = {true, {0}, 8},
        [GR_REDUCE_MEAN] = {true, {0}, (0.5 * 4 - 1.5 * 6 + 2.5 * 10 + 1.5 * 6) / 12},
        [GR_REDUCE_RMS] = {true, {0}, sqrt((0.5 * 10 + 1.5 * 68 + 2.5 * 52 + 1.5 * 26) / 12)},
        [GR_REDUCE_FIRST] = {true, {0}, 2},
        [GR_REDUCE_LAST] = {true, {0}, 3},
        [GR_REDUCE_QUANTILE] = {true, {0.5}, 2.5},
        [GR_REDUCE_AT_TIME] = {true, {2.5}, 3},       // three quarters of the way from -3 to 5
        [GR_REDUCE_AT_DISTANCE] = {true, {2.25}, -1}, // a quarter
        [GR_REDUCE_AT_PLACE] = {true, {1.2, 1.9}, 5}, // the third sample; with a sign or an axis wrong, another
        [GR_REDUCE_TIME_ABOVE] = {true, {3.5}, 3.25}, // two wheels for 2.5 s and one for 1.5 s, a wheel's mean
    };
    for (int i = 0; i < GR_REDUCER_COUNT; i++) {
        GrTerm term = {.reducer = (GrReducer)i};
        memcpy(term.arguments, rows[i].arguments, sizeof term.arguments);
        const GrSeriesOf series = {values, 2, 4, times, ways, xs, ys};
        print_message("%s\n", gr_reducer_name((GrReducer)i));
        assert_true(rows[i].given); // a new reducer needs a row
        assert_near(gr_reduce(&term, &series), rows[i].expected, 1e-14);
    }
}

/// Values a = 2 and w.b = 5; a channel c.
static bool has(void *context, const char *name, bool channel)
{
    (void)context;
    return channel ? strcmp(name, "c") == 0 || strcmp(name, "*.slip") == 0
                   : strcmp(name, "a") == 0 || strcmp(name, "w.b") == 0;
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    (void)context, (void)capacity;
    names[0] = channel ? "c" : "a";
    names[1] = channel ? "*.slip" : "w.b";
    return 2;
}

static const char *const VARIABLES[] = {"soil:phi", "a.b[0]", NULL};
static const GrMeasureNames NAMES = {VARIABLES, NULL, has, list};

static GrDocument *document(GrErrorLog *log)
{
    GrDocument *made;
    assert_int_equal(gr_document_parse("m: x", 4, "test.yaml", &made, log), GR_OK);
    return made;
}

static double value_of(const char *text)
{
    GrErrorLog log = {0};
    GrDocument *d = document(&log);
    GrMeasures measures = {0};
    assert_int_equal(gr_measures_add(&measures, "m", text, &NAMES, d->root->first), GR_OK);
    double terms[GR_MEASURE_TERMS];
    for (int i = 0; i < measures.term_count; i++) { // a is 2, w.b is 5, reducers are 10 and more
        terms[i] = strcmp(measures.terms[i].name, "a") == 0     ? 2
                   : strcmp(measures.terms[i].name, "w.b") == 0 ? 5
                                                                : 10 + measures.terms[i].arguments[0];
    }
    const double value = gr_measure_value(&measures, 0, terms);
    gr_document_free(d);
    return value;
}

static void test_expressions(void **state)
{
    (void)state;
    assert_near(value_of("a"), 2, 0);
    assert_near(value_of("w.b/a"), 2.5, 0);
    assert_near(value_of("max(c)"), 10, 0);
    assert_near(value_of("max(a, w.b)"), 5, 0); // of two values it is arithmetic
    assert_near(value_of("2*quantile( *.slip , 0.5 ) - 1e1"), 11, 1e-12);
    assert_near(value_of("{soil:phi} + {a.b[0]}"), 20, 0); // 10 each, see above
    assert_near(value_of("sqrt(w.b - 1) + pi*0"), 2, 1e-12);
    assert_true(isnan(value_of("sqrt(a - w.b)")));
}

static void refuse(const char *text, const char *message)
{
    GrErrorLog log = {0};
    GrDocument *d = document(&log);
    GrMeasures measures = {0};
    assert_int_not_equal(gr_measures_add(&measures, "m", text, &NAMES, d->root->first), GR_OK);
    assert_int_equal(measures.count, 0);
    assert_int_equal(log.error_count, 1);
    if (strstr(log.items[0].text, message) == NULL) {
        print_error("'%s': expected '%s', found '%s'\n", text, message, log.items[0].text);
        fail();
    }
    gr_document_free(d);
}

static void test_errors(void **state)
{
    (void)state;
    refuse("w.c", "unknown value 'w.c'; did you mean 'w.b'?");
    refuse("max(d)", "unknown channel 'd'; did you mean 'c'?");
    refuse("c + 1", "'c' is a channel: use it inside a reducer, such as max(c)");
    refuse("quantile(c)", "quantile needs a number here");
    refuse("max(c, 3)", "expected ')'");
    refuse("{soil:ph}", "'soil:ph' is not a variable of this campaign with numbers; did you mean 'soil:phi'?");
    refuse("{soil:phi", "has no end");
    refuse("a +", "'a +'");
    refuse("a w.b", "'a w.b'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reducers),
        cmocka_unit_test(test_reducers_by_hand),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "plot.h"

#include "chart.h"
#include "test.h"
#include "xml_check.h"

#include <stdlib.h>

static void check_axis(double lower, double upper, int wanted)
{
    const GrAxis axis = gr_axis_make(lower, upper, wanted, true);
    assert_true(axis.lower < axis.upper);
    assert_true(axis.tick_count >= 2 && axis.tick_count <= wanted + 3);
    assert_near(axis.ticks[0], axis.lower, 1e-9 * axis.step);
    assert_near(axis.ticks[axis.tick_count - 1], axis.upper, 1e-9 * axis.step);
    if (isfinite(lower) && isfinite(upper)) {
        assert_true(axis.lower <= lower + 1e-6 * axis.step && axis.upper >= upper - 1e-6 * axis.step);
    }
}

static void test_ticks(void **state)
{
    (void)state;
    const double ranges[][2] = {{0, 1},     {-0.8, 0.9},    {3, 3},          {0, 0},           {1e-9, 2e-9},
                                {-5e7, 12}, {0.999, 1.001}, {-1e300, 1e300}, {0, (double)NAN}, {1, -1}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        for (int wanted = 2; wanted <= 12; wanted++) {
            check_axis(ranges[i][0], ranges[i][1], wanted);
        }
    }
}

static void test_tick_labels(void **state)
{
    (void)state;
    char label[GR_NUMBER_SIZE];
    const GrAxis axis = gr_axis_make(-0.4, 0.4, 8, true);
    gr_axis_label(&axis, axis.ticks[0], label);
    assert_string_equal(label, "\xe2\x88\x92"
                               "0.4");
    gr_axis_label(&axis, axis.ticks[4], label);
    assert_string_equal(label, "0.0");
    const GrAxis large = gr_axis_make(0, 2e9, 4, true);
    gr_axis_label(&large, 5e8, label);
    assert_string_equal(label, "500000000");
    assert_near(gr_axis_round_length(0.79), 0.5, 1e-15);
    assert_near(gr_axis_round_length(2), 2, 1e-15);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *c = strstr(text, part); c != NULL; c = strstr(c + 1, part)) {
        count++;
    }
    return count;
}

/// Noise far below what matters stays a flat line: no tick of a panel with a least span shows a negative exponent.
static void test_least_span(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3}, y[] = {1e-14, -2e-14, 3e-14, 0};
    const GrSeries series = {.x = x, .y = y, .count = 4};
    const GrPanel panel = {.series = &series, .series_count = 1, .y_least = 1e-3};
    const GrPlot plot = {.panels = &panel, .panel_count = 1};
    GrBuffer svg = {0};
    assert_int_equal(gr_plot_write(&plot, &svg), GR_OK);
    assert_null(strstr(svg.data, "e-1"));
    assert_non_null(strstr(svg.data, ">0.000")); // ticks of tenths of the least span
    gr_buffer_free(&svg);
}

/// Data in all four corners leave no room inside: the legend stands above the frame, whose border is a rectangle.
static void test_legend_hides_nothing(void **state)
{
    (void)state;
    const double x[] = {0.5, 0.1, 0.1, 0.9, 0.9}, y[] = {0.5, 0.05, 0.95, 0.05, 0.95};
    const GrSeries crowded = {.name = "measured", .kind = GR_SERIES_POINTS, .x = x, .y = y, .count = 5};
    const GrSeries empty = {.name = "measured", .kind = GR_SERIES_POINTS, .x = x, .y = y, .count = 1};
    const GrSeries *const cases[] = {&crowded, &empty};
    double text[2], frame[2];
    for (int i = 0; i < 2; i++) {
        const GrPanel panel = {.series = cases[i], .series_count = 1, .x_upper = 1, .y_upper = 1};
        const GrPlot plot = {.panels = &panel, .panel_count = 1};
        GrBuffer svg = {0};
        assert_int_equal(gr_plot_write(&plot, &svg), GR_OK);
        const char *rect = strstr(svg.data, "<rect x"), *name = strstr(svg.data, ">measured<");
        while (rect != NULL && strstr(rect, "#444") != NULL && strstr(rect, "#444") > strchr(rect, '>')) {
            rect = strstr(rect + 1, "<rect x");
        }
        assert_non_null(rect);
        assert_non_null(name);
        while (strncmp(name, "<text", 5) != 0) {
            name--;
        }
        frame[i] = strtod(strstr(rect, "y=\"") + 3, NULL);
        text[i] = strtod(strstr(name, "y=\"") + 3, NULL);
        gr_buffer_free(&svg);
    }
    assert_true(text[0] < frame[0]); // above
    assert_true(text[1] > frame[1]); // inside, where nothing is hidden
    assert_true(frame[0] > frame[1]);
}

static void test_plot(void **state)
{
    (void)state;
    const double x[] = {0, 0.2, 0.4, 0.6, 0.8};
    const double y[] = {-3, 1, (double)NAN, 12, 14};
    const double measured[] = {-2, 0, 5, 13, (double)INFINITY};
    const GrSeries series[] = {
        {.name = "wong_reece", .x = x, .y = y, .count = 5},
        {.name = "measured <&>", .kind = GR_SERIES_POINTS, .x = x, .y = measured, .count = 5, .color = 1},
    };
    const GrPanel panels[] = {
        {.title = "pull",
         .x_label = "slip [-]",
         .y_label = "force [N]",
         .series = series,
         .series_count = 2,
         .zero_line = true},
        {.series = series, .series_count = 1, .y_lower = -10, .y_upper = 10},
        {.title = "empty"},
    };
    const GrPlot plot = {
        .title = "A \"plot\"", .subtitle = "of nothing", .panels = panels, .panel_count = 3, .columns = 2};
    GrBuffer svg = {0};
    assert_int_equal(gr_plot_write(&plot, &svg), GR_OK);
    assert_true(gr_xml_valid(svg.data));
    assert_int_equal(count_of(svg.data, "<polyline"), 4); // the gap splits the line, in both panels
    assert_int_equal(count_of(svg.data, "<circle"), 5);   // four finite points and the legend's
    assert_null(strstr(svg.data, "nan"));
    assert_null(strstr(svg.data, "inf"));
    assert_non_null(strstr(svg.data, "measured &lt;&amp;&gt;"));
    GrBuffer again = {0};
    assert_int_equal(gr_plot_write(&plot, &again), GR_OK);
    assert_string_equal(svg.data, again.data);
    gr_buffer_free(&svg);
    gr_buffer_free(&again);
}

/// The value of an attribute of the n-th element that begins with `start`, zero-terminated in `out`.
static const char *attribute(const char *svg, const char *start, int n, const char *name, char out[200])
{
    const char *at = strstr(svg, start);
    while (n-- > 0 && at != NULL) {
        at = strstr(at + 1, start);
    }
    assert_non_null(at);
    char key[40];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(at, key);
    assert_non_null(found);
    assert_true(found < strchr(at, '>'));
    snprintf(out, 200, "%.*s", (int)strcspn(found + strlen(key), "\""), found + strlen(key));
    return out;
}

/// A script can read every value back from the drawing: by the attributes of the panel the drawn points map to the data
/// within the rounding of coordinates, and series have their names and colours. Gaps break the band as well.
static void test_values_are_read_back(void **state)
{
    (void)state;
    const double rounding = 0.005; // of drawn coordinates [px]
    const double x[] = {0, 10, 25, 40}, y[] = {0.1, -0.3, 0.25, (double)NAN};
    const double lower[] = {0, -0.4, 0.2, (double)INFINITY}, upper[] = {0.2, -0.1, 0.3, -(double)INFINITY};
    const GrSeries series = {.key = "a & b", .x = x, .y = y, .count = 4, .lower = lower, .upper = upper, .color = 2};
    const GrPanel panel = {.x_label = "time [s]", .y_label = "slip [-]", .series = &series, .series_count = 1};
    GrBuffer svg = {0};
    assert_int_equal(gr_plot_write(&(GrPlot){.panels = &panel, .panel_count = 1}, &svg), GR_OK);
    assert_true(gr_xml_valid(svg.data));
    assert_null(strstr(svg.data, "inf"));
    char text[200], *next = text;
    double frame[8]; // left, top, width, height, x0, x1, y0, y1
    attribute(svg.data, "<g data-plot", 0, "data-plot", text);
    for (int i = 0; i < 8; i++) {
        frame[i] = strtod(next, &next);
    }
    assert_string_equal(attribute(svg.data, "<g data-plot", 0, "data-x", text), "time [s]");
    assert_string_equal(attribute(svg.data, "<g data-plot", 0, "data-y", text), "slip [-]");
    for (int layer = 0; layer < 2; layer++) { // the band and the line
        assert_string_equal(attribute(svg.data, "<g data-series", layer, "data-series", text), "a &amp; b");
        assert_string_equal(attribute(svg.data, "<g data-series", layer, "data-color", text), gr_plot_color(2));
    }
    const struct {
        const char *element;
        const double *expected[2];
        int count;
    } shapes[] = {{"<polyline", {y, NULL}, 3}, {"<polygon", {upper, lower}, 6}};
    for (int k = 0; k < 2; k++) {
        next = text;
        attribute(svg.data, shapes[k].element, 0, "points", text);
        for (int i = 0; i < shapes[k].count; i++) {
            const int point = i < 3 ? i : 5 - i; // the lower side of a band goes back
            const double px = strtod(next, &next), py = strtod(next + 1, &next);
            const double dx = (frame[5] - frame[4]) / frame[2], dy = (frame[7] - frame[6]) / frame[3];
            assert_near(frame[4] + dx * (px - frame[0]), x[point], 2 * rounding * dx + 1e-12);
            assert_near(frame[7] - dy * (py - frame[1]), shapes[k].expected[i / 3][point], 2 * rounding * dy + 1e-12);
        }
        assert_int_equal(*next, '\0'); // what is not finite is not drawn
    }
    gr_buffer_free(&svg);
}

/// Where the text of the only legend of a plot of one line begins [px].
static double legend_x(const double y[2])
{
    const double x[] = {-0.01, 1.01}; // both ends lie outside the axes: only the line between them is visible
    const GrSeries series = {.name = "only", .x = x, .y = y, .count = 2};
    const GrPanel panel = {
        .series = &series, .series_count = 1, .x_lower = 0, .x_upper = 1, .y_lower = 0, .y_upper = 1};
    GrBuffer svg = {0};
    assert_int_equal(gr_plot_write(&(GrPlot){.panels = &panel, .panel_count = 1}, &svg), GR_OK);
    *strstr(svg.data, ">only<") = 0;
    const char *at = svg.data;
    for (const char *c = at; c != NULL; c = strstr(c + 1, "<text x=\"")) {
        at = c;
    }
    const double legend = strtod(at + strlen("<text x=\""), NULL);
    gr_buffer_free(&svg);
    return legend;
}

/// A line between two far points hides no less than many points do.
static void test_legend(void **state)
{
    (void)state;
    const double rising[] = {-0.01, 1.01}, falling[] = {1.01, -0.01};
    assert_true(legend_x(rising) < 200);
    assert_true(legend_x(falling) > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_tick_labels),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_least_span),
        cmocka_unit_test(test_legend_hides_nothing),
        cmocka_unit_test(test_legend),
        cmocka_unit_test(test_values_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

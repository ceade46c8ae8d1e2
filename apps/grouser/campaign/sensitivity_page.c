#include "sensitivity_page.h"

#include "chart.h"
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 720, DIGITS = 3, TOTAL = 3 };

static const char *const FIRST_COLOR = "#0072b2", *const TOTAL_COLOR = "#e69f00";

/// A variable and its place in the order of importance.
typedef struct Ranked {
    int variable;
    double value;
} Ranked;

static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value) - (x->value > y->value)
                                : (x->variable > y->variable) - (x->variable < y->variable);
}

static void order(const GrSensitivitySection *s, int column, Ranked out[GR_CAMPAIGN_VARIABLES])
{
    for (int i = 0; i < s->campaign->variable_count; i++) {
        const double value = fabs(s->lines[i].numbers[column]);
        out[i] = (Ranked){i, isfinite(value) ? value : -1};
    }
    qsort(out, (size_t)s->campaign->variable_count, sizeof out[0], by_value);
}

static const char *path_of(const GrSensitivitySection *s, int variable)
{
    return s->campaign->variables[variable].path;
}

/// A bar from 0 with its interval.
static void draw_index(const double numbers[3], double scale, GrPoint2 at, const char *color, GrBuffer *svg)
{
    char text[120];
    snprintf(text, sizeof text, "%.3g (95 %%: %.3g to %.3g)", numbers[0], numbers[1], numbers[2]);
    if (!isfinite(numbers[0])) {
        return;
    }
    gr_chart_bar(svg, at, (GrPoint2){at.x + scale * numbers[0], at.y + 12}, color, text);
    if (isfinite(numbers[1]) && isfinite(numbers[2])) {
        const double a = at.x + scale * numbers[1], b = at.x + scale * numbers[2], y = at.y + 6;
        const GrSvgStyle style = {.stroke = "#222", .stroke_width = 1.4};
        gr_svg_line(svg, (GrPoint2){a, y}, (GrPoint2){b, y}, style);
        gr_svg_line(svg, (GrPoint2){a, y - 4}, (GrPoint2){a, y + 4}, style);
        gr_svg_line(svg, (GrPoint2){b, y - 4}, (GrPoint2){b, y + 4}, style);
    }
}

static void draw_sobol(const GrSensitivitySection *s, GrBuffer *svg)
{
    const int n = s->campaign->variable_count;
    Ranked ranked[GR_CAMPAIGN_VARIABLES] = {0};
    double least = 0, most = 1;
    order(s, TOTAL, ranked);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < GR_SENSITIVITY_COLUMNS; k++) {
            least = fmin(least, s->lines[i].numbers[k]); // fmin() and fmax() skip NAN
            most = fmax(most, s->lines[i].numbers[k]);
        }
    }
    const double row = 36, left = 210, height = row * n + 44;
    const GrAxis axis = gr_axis_make(least, most, 5, false);
    const double scale = (WIDTH - left - 24) / (axis.upper - axis.lower), zero = left - scale * axis.lower;
    gr_svg_begin(svg, WIDTH, height, "Sobol' indices");
    for (int i = 0; i < axis.tick_count; i++) {
        char label[GR_NUMBER_SIZE];
        const double x = zero + scale * axis.ticks[i];
        gr_axis_label(&axis, axis.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){x, 6}, (GrPoint2){x, height - 30},
                    (GrSvgStyle){.stroke = axis.ticks[i] == 0 ? "#888" : "#e8e8e8"});
        gr_svg_text(svg, (GrPoint2){x, height - 12}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
    for (int i = 0; i < n; i++) {
        const double y = 10 + row * i, *numbers = s->lines[ranked[i].variable].numbers;
        char name[GR_CHART_TEXT];
        gr_chart_shorten(path_of(s, ranked[i].variable), 30, name);
        gr_svg_text(svg, (GrPoint2){left - 10, y + 17}, (GrSvgFont){.anchor = GR_SVG_END}, name);
        draw_index(numbers, scale, (GrPoint2){zero, y}, FIRST_COLOR, svg);
        draw_index(numbers + TOTAL, scale, (GrPoint2){zero, y + 13}, TOTAL_COLOR, svg);
    }
    gr_svg_end(svg);
}

/// Mean absolute effect against the deviation of effects: linear variables lie low, those that interact or bend high.
static void draw_morris(const GrSensitivitySection *s, GrBuffer *svg)
{
    GrChartDef def = {
        .width = WIDTH, .height = 420, .x_label = "mean |effect|", .y_label = "deviation of effects", .right = 60};
    for (int i = 0; i < s->campaign->variable_count; i++) {
        const double *numbers = s->lines[i].numbers;
        def.x[1] = fmax(fmax(def.x[1], numbers[0]), numbers[2]);
        def.y[1] = fmax(def.y[1], numbers[4]);
    }
    def.y[1] *= 1.1; // room for a name
    gr_svg_begin(svg, WIDTH, def.height, "Morris effects");
    const GrChart chart = gr_chart_draw(svg, &def);
    for (int i = 0; i < s->campaign->variable_count; i++) {
        const double *numbers = s->lines[i].numbers;
        if (!isfinite(numbers[0]) || !isfinite(numbers[4])) {
            continue;
        }
        char name[GR_CHART_TEXT], text[GR_VARIABLE_PATH + 80];
        const GrPoint2 at = gr_chart_at(&chart, numbers[0], numbers[4]);
        if (isfinite(numbers[1]) && isfinite(numbers[2])) {
            gr_svg_line(svg, gr_chart_at(&chart, numbers[1], numbers[4]), gr_chart_at(&chart, numbers[2], numbers[4]),
                        (GrSvgStyle){.stroke = "#777", .stroke_width = 1.4});
        }
        snprintf(text, sizeof text, "%s: %.3g, %.3g", path_of(s, i), numbers[0], numbers[4]);
        gr_chart_begin_points(svg, FIRST_COLOR, 1);
        gr_chart_point(svg, at, 4.5, text);
        gr_svg_end_group(svg);
        const bool right = at.x > chart.left + 0.8 * chart.width;
        gr_chart_shorten(path_of(s, i), 26, name);
        gr_svg_text(svg, (GrPoint2){at.x + (right ? -8 : 8), at.y - 7},
                    (GrSvgFont){.anchor = right ? GR_SVG_END : GR_SVG_START}, name);
    }
    gr_svg_end(svg);
}

static void put_table(const GrSensitivitySection *s, GrBuffer *page)
{
    const char *heads[GR_SENSITIVITY_COLUMNS + 1] = {"variable"};
    int columns = 1;
    while (s->heads[columns - 1] != NULL) {
        heads[columns] = s->heads[columns - 1];
        columns++;
    }
    gr_page_begin_table(page, heads, columns, ~1u);
    Ranked ranked[GR_CAMPAIGN_VARIABLES] = {0};
    order(s, s->method == GR_SENSITIVITY_SOBOL ? TOTAL : 0, ranked);
    for (int i = 0; i < s->campaign->variable_count; i++) {
        char texts[GR_SENSITIVITY_COLUMNS][GR_NUMBER_SIZE];
        const char *cells[GR_SENSITIVITY_COLUMNS + 1] = {path_of(s, ranked[i].variable)};
        for (int k = 0; k < columns - 1; k++) {
            const double value = s->lines[ranked[i].variable].numbers[k];
            gr_number_round(value, DIGITS, texts[k]);
            cells[k + 1] = isfinite(value) ? texts[k] : "–";
        }
        gr_page_row(page, cells, columns, ~1u);
    }
    gr_page_end_table(page);
}

void gr_sensitivity_section(const GrSensitivitySection *s, GrBuffer *page)
{
    char title[GR_VARIABLE_PATH + 40];
    GrBuffer svg = {0};
    snprintf(title, sizeof title, "Sensitivity of %s", s->campaign->measures.items[s->measure].name);
    gr_page_section(page, title);
    if (s->use->dropped > 0) {
        char text[120];
        snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " samples left out: a run without a value.",
                 s->use->dropped, s->use->used + s->use->dropped);
        gr_page_paragraph(page, text);
    }
    if (s->method == GR_SENSITIVITY_SOBOL) {
        gr_page_begin_legend(page);
        gr_page_legend(page, FIRST_COLOR, "first order: by the variable alone");
        gr_page_legend(page, TOTAL_COLOR, "total: with its interactions");
        gr_page_end_legend(page);
        draw_sobol(s, &svg);
        gr_page_wide_svg(page, svg.data != NULL ? svg.data : "",
                         "Share of the variance that each variable explains, with 95 % intervals.");
    } else if (s->method == GR_SENSITIVITY_MORRIS) {
        draw_morris(s, &svg);
        gr_page_wide_svg(page, svg.data != NULL ? svg.data : "",
                         "To the right: variables that matter, with 95 % intervals; high: their effect is not the same "
                         "everywhere.");
    } else {
        gr_page_paragraph(page, "Slope and curvature at the medians, per unit of each variable.");
    }
    page->failed = page->failed || svg.failed;
    gr_buffer_free(&svg);
    put_table(s, page);
}

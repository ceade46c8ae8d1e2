#include "study_figures.h"

#include "chart.h"
#include "hash.h"
#include "number.h"
#include "page.h"
#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 440, HEIGHT = 290, BARS = 12, DIGITS = 4, CAPTION = 640, NAME_SIZE = 11, NAMES_MOST = 250 };

static const char *const GOOD = "#0072b2", *const BAD = "#d55e00";

static const char *measure_label(const GrStudyView *view, int measure)
{
    return view->table->columns[view->table->variable_count + measure].label;
}

/// Text of a run under the pointer: its id and values.
static void describe(const GrStudyTable *t, int row, const int *columns, int count, GrBuffer *out)
{
    out->size = 0;
    gr_buffer_printf(out, "run %" PRId64 ":", t->ids[row]);
    for (int i = 0; i < count; i++) {
        const char *text = columns[i] < t->variable_count ? t->texts[row * t->variable_count + columns[i]] : NULL;
        gr_buffer_printf(out, "%s %s", i > 0 ? "," : "",
                         text != NULL ? text : gr_show(gr_study_value(t, row, columns[i]), DIGITS, "").text);
    }
    if (!t->succeeded[row]) {
        gr_buffer_printf(out, " (%s)", t->outcomes[row]);
    }
}

/// A value of 0 or 1, spread a little to the inside so that runs do not hide each other.
static double spread_share(double y, int64_t id)
{
    enum { SALT = 3 };
    const double spread = 0.12 * gr_hash_unit(gr_hash_join(SALT, (uint64_t)id));
    return y > 0.5 ? y - spread : y + spread;
}

static bool is_inside(const GrChart *chart, double x, double y)
{
    const GrPoint2 p = gr_chart_at(chart, x, y);
    const double pixel = 1;
    return p.x >= chart->left - pixel && p.x <= chart->left + chart->width + pixel && p.y >= chart->top - pixel &&
           p.y <= chart->top + chart->height + pixel;
}

/// Draws the shown runs: those that failed in another colour, above the others. A named x is spread within its place.
static void draw_points(const GrStudyView *view, const GrChart *chart, const int columns[2], const GrStudyBins *named,
                        GrBuffer *svg)
{
    const GrStudyTable *t = view->table;
    const double radius = view->shown_count > 400 ? 1.6 : 2.6;
    const int measure = columns[1] - t->variable_count;
    const bool share = measure >= 0 && view->summary->measures[measure].is_share;
    GrBuffer text = {0};
    for (int bad = 0; bad < 2; bad++) {
        gr_chart_begin_points(svg, bad ? BAD : GOOD, view->shown_count > 400 ? 0.35 : 0.6);
        for (int i = 0; i < t->row_count; i++) {
            double x = gr_study_value(t, i, columns[0]);
            double y = gr_study_value(t, i, columns[1]);
            if (share) {
                y = spread_share(y, t->ids[i]);
            }
            if (named != NULL) {
                int k = 0;
                const char *name = gr_study_name(t, i, columns[0]);
                while (k < named->count && strcmp(named->items[k].name, name) != 0) {
                    k++;
                }
                const double spread = gr_hash_unit(gr_hash_join(2, (uint64_t)t->ids[i])) - 0.5;
                x = k < named->count ? k + 0.5 * spread : (double)NAN;
            }
            if (view->shown[i] && t->succeeded[i] == !bad && isfinite(x) && isfinite(y) && is_inside(chart, x, y)) {
                describe(t, i, columns, 2, &text);
                gr_chart_point(svg, gr_chart_at(chart, x, y), radius, text.data != NULL ? text.data : "");
            }
        }
        gr_svg_end_group(svg);
    }
    svg->failed = svg->failed || text.failed;
    gr_buffer_free(&text);
}

static void range_of(const GrStudyTable *t, int column, double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int i = 0; i < t->row_count; i++) {
        const double value = gr_study_value(t, i, column);
        if (isfinite(value)) {
            out[0] = fmin(out[0], value);
            out[1] = fmax(out[1], value);
        }
    }
}

static void draw_mark(GrBuffer *svg, const GrChart *chart, double x, const char *color, const char *dash)
{
    gr_svg_line(svg, (GrPoint2){gr_chart_at(chart, x, 0).x, chart->top},
                (GrPoint2){gr_chart_at(chart, x, 0).x, chart->top + chart->height},
                (GrSvgStyle){.stroke = color, .stroke_width = 1.6, .dash = dash});
}

static void caption_of(const GrMeasureSummary *m, char out[CAPTION])
{
    if (m->is_share) {
        gr_print(out, CAPTION, "%.3g %% of %d runs (95 %% interval, Wilson: %.3g to %.3g %%).", 100 * m->mean, m->count,
                 100 * m->mean_interval.low, 100 * m->mean_interval.high);
        return;
    }
    m->count > 1
        ? snprintf(out, CAPTION,
                   "%d runs: mean %s ± %s (solid; 95 %% interval), median %s, 5 %% below %s, 5 %% above %s (dashed).",
                   m->count, gr_show(m->mean, DIGITS, "").text,
                   gr_show(m->mean_interval.high - m->mean, DIGITS, "").text, gr_show(m->median, DIGITS, "").text,
                   gr_show(m->low, DIGITS, "").text, gr_show(m->high, DIGITS, "").text)
        : snprintf(out, CAPTION, "One run: %s.", gr_show(m->mean, DIGITS, "").text);
}

/// A share as a bar from 0 to 100 % with its interval: what is either so or not has no distribution.
static void draw_share(const GrStudyView *view, int measure, GrPage *page)
{
    enum { SHARE_HEIGHT = 96 };
    const GrMeasureSummary *m = &view->summary->measures[measure];
    const double left = 16, width = WIDTH - 2 * left, top = 26, high = 30, low_x = left + width * m->mean_interval.low,
                 high_x = left + width * m->mean_interval.high, middle = top + high / 2;
    char caption[CAPTION];
    GrBuffer svg = {0};
    gr_svg_begin(&svg, WIDTH, SHARE_HEIGHT, measure_label(view, measure));
    gr_svg_rect(&svg, left, top, width, high, (GrSvgStyle){.fill = "#eee"});
    gr_svg_rect(&svg, left, top, width * m->mean, high, (GrSvgStyle){.fill = "#7fb8d8"});
    gr_svg_line(&svg, (GrPoint2){low_x, middle}, (GrPoint2){high_x, middle},
                (GrSvgStyle){.stroke = "#222", .stroke_width = 2});
    for (int i = 0; i < 2; i++) {
        const double x = i == 0 ? low_x : high_x;
        gr_svg_line(&svg, (GrPoint2){x, top + 6}, (GrPoint2){x, top + high - 6},
                    (GrSvgStyle){.stroke = "#222", .stroke_width = 2});
    }
    for (int i = 0; i <= 4; i++) {
        char label[40];
        snprintf(label, sizeof label, "%d %%", 25 * i);
        gr_svg_text(&svg, (GrPoint2){left + width * i / 4, top + high + 20},
                    (GrSvgFont){.anchor = i == 0   ? GR_SVG_START
                                          : i == 4 ? GR_SVG_END
                                                   : GR_SVG_MIDDLE},
                    label);
    }
    gr_svg_end(&svg);
    caption_of(m, caption);
    gr_page_figure(page, &svg, caption);
}

GrStatus gr_study_histogram(GrStudyView *view, int measure, GrPage *page, GrErrorLog *log)
{
    const GrMeasureSummary *m = &view->summary->measures[measure];
    if (m->count < 1) {
        gr_page_text(page, "No run has a value of this measure.");
        return GR_OK;
    }
    if (m->is_share) {
        draw_share(view, measure, page);
        return GR_OK;
    }
    if (m->count > 1 && !(m->most > m->least)) {
        gr_page_text(page, "%s in all %d runs.", gr_show(m->mean, DIGITS, "").text, m->count);
        return GR_OK;
    }
    GrHistogram h;
    gr_study_column(view->table, view->table->variable_count + measure, view->room);
    const int n = gr_keep_finite(view->room, view->table->row_count);
    GrStatus status = gr_histogram(view->room, n, &h, log);
    if (status != GR_OK) {
        return status;
    }
    int most = 0;
    for (int i = 0; i < h.bin_count; i++) {
        most = h.counts[i] > most ? h.counts[i] : most;
    }
    GrBuffer svg = {0};
    const double end = h.lower + h.bin_count * h.width;
    gr_svg_begin(&svg, WIDTH, HEIGHT, measure_label(view, measure));
    const GrChart chart = gr_chart_draw(&svg, &(GrChartDef){.width = WIDTH,
                                                            .height = HEIGHT,
                                                            .x_label = measure_label(view, measure),
                                                            .y_label = "runs",
                                                            .tight_x = true,
                                                            .x = {h.lower, end > h.lower ? end : h.lower},
                                                            .y = {0, most}});
    for (int i = 0; i < h.bin_count; i++) {
        const double a = h.lower + i * h.width, b = a + h.width;
        char text[120];
        snprintf(text, sizeof text, "%.40s to %.40s: %d runs", gr_show(a, DIGITS, "").text, gr_show(b, DIGITS, "").text,
                 h.counts[i]);
        GrPoint2 p = gr_chart_at(&chart, a, h.counts[i]), q = gr_chart_at(&chart, b, 0);
        q.x = fmax(q.x, p.x + 2) - (q.x - p.x > 4 ? 1 : 0);
        gr_chart_bar(&svg, p, q, "#7fb8d8", text);
    }
    draw_mark(&svg, &chart, m->mean, "#222", NULL);
    if (m->count > 1) {
        draw_mark(&svg, &chart, m->low, BAD, "5 4");
        draw_mark(&svg, &chart, m->median, "#222", "5 4");
        draw_mark(&svg, &chart, m->high, BAD, "5 4");
    }
    gr_svg_end(&svg);
    gr_histogram_free(&h);
    char caption[CAPTION];
    caption_of(m, caption);
    gr_page_figure(page, &svg, caption);
    return GR_OK;
}

/// A bar of a tornado.
typedef struct Bar {
    const char *name;
    double value;
} Bar;

static int by_magnitude(const void *a, const void *b)
{
    const Bar *x = a, *y = b;
    const double p = fabs(x->value), q = fabs(y->value);
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

void gr_study_tornado(const GrStudyView *view, int measure, GrPage *page)
{
    const GrStudyTable *t = view->table;
    Bar bars[GR_CAMPAIGN_VARIABLES];
    int count = 0;
    for (int k = 0; k < t->variable_count && count < GR_CAMPAIGN_VARIABLES; k++) {
        const double value = view->summary->measures[measure].correlations[k];
        if (isfinite(value)) {
            bars[count++] = (Bar){t->columns[k].label, value};
        }
    }
    if (count == 0) {
        return;
    }
    qsort(bars, (size_t)count, sizeof bars[0], by_magnitude);
    const int shown = count < BARS ? count : BARS;
    double names = 0; // the widest one decides the place for them
    for (int i = 0; i < shown; i++) {
        names = fmax(names, gr_svg_text_width(bars[i].name, NAME_SIZE));
    }
    const double row = fmin(fmax((HEIGHT - 50.0) / shown, 24), 38), left = 20 + fmin(names, NAMES_MOST),
                 width = WIDTH - left - 16, top = 14, middle = left + width / 2;
    GrBuffer svg = {0};
    gr_svg_begin(&svg, WIDTH, top + row * shown + 34, "rank correlations");
    for (int i = -2; i <= 2; i++) {
        char label[GR_NUMBER_SIZE];
        const double x = middle + i * width / 4.2;
        gr_print(label, sizeof label, "%s%g", i < 0 ? "−" : "", fabs(i / 2.0));
        gr_svg_line(&svg, (GrPoint2){x, top - 4}, (GrPoint2){x, top + row * shown + 4},
                    (GrSvgStyle){.stroke = i == 0 ? "#888" : "#e8e8e8"});
        gr_svg_text(&svg, (GrPoint2){x, top + row * shown + 20}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"},
                    label);
    }
    for (int i = 0; i < shown; i++) {
        const double y = top + row * i, x = middle + 2 * bars[i].value * width / 4.2;
        char name[GR_CHART_TEXT], text[GR_CHART_TEXT + 60], value[40];
        gr_chart_shorten(bars[i].name, 42, name);
        gr_print(value, sizeof value, "%s%.2f", bars[i].value < 0 ? "−" : "", fabs(bars[i].value));
        snprintf(text, sizeof text, "%.190s: %s", bars[i].name, value);
        gr_svg_text(&svg, (GrPoint2){left - 8, y + row / 2 + 4}, (GrSvgFont){.size = NAME_SIZE, .anchor = GR_SVG_END},
                    name);
        gr_chart_bar(&svg, (GrPoint2){middle, y + 3}, (GrPoint2){x, y + row - 3}, bars[i].value < 0 ? BAD : GOOD, text);
        gr_svg_text(&svg, (GrPoint2){bars[i].value < 0 ? middle + 6 : middle - 6, y + row / 2 + 4},
                    (GrSvgFont){.anchor = bars[i].value < 0 ? GR_SVG_START : GR_SVG_END, .color = "#555"}, value);
    }
    gr_svg_end(&svg);
    char caption[CAPTION] =
        "Rank correlation with each variable: 1 where the measure only rises with it, −1 where it only falls.";
    if (shown < count) {
        snprintf(caption, sizeof caption, "Rank correlation with the variables: the %d largest of %d.", shown, count);
    }
    gr_page_figure(page, &svg, caption);
}

static void draw_bins(const GrStudyBins *bins, const GrChart *chart, bool named, GrBuffer *svg)
{
    GrPoint2 band[2 * GR_STUDY_BINS], line[GR_STUDY_BINS];
    for (int i = 0; i < bins->count; i++) {
        const GrStudyBin *b = &bins->items[i];
        const double x = named ? i : b->x;
        line[i] = gr_chart_at(chart, x, b->middle);
        band[i] = gr_chart_at(chart, x, b->high);
        band[2 * bins->count - 1 - i] = gr_chart_at(chart, x, b->low);
        if (named) {
            const GrPoint2 p = gr_chart_at(chart, x - 0.32, b->high), q = gr_chart_at(chart, x + 0.32, b->low);
            gr_svg_rect(svg, p.x, p.y, q.x - p.x, q.y - p.y, (GrSvgStyle){.fill = "#222", .opacity = 0.1});
            gr_svg_line(svg, (GrPoint2){p.x, line[i].y}, (GrPoint2){q.x, line[i].y},
                        (GrSvgStyle){.stroke = "#222", .stroke_width = 2.4});
        }
    }
    if (!named && bins->count > 1) {
        gr_svg_polygon(svg, band, 2 * bins->count, (GrSvgStyle){.fill = "#222", .opacity = 0.1});
        gr_svg_polyline(svg, line, bins->count, (GrSvgStyle){.stroke = "#222", .stroke_width = 2.2});
    }
}

void gr_study_response(const GrStudyView *view, int measure, int variable, const GrStudyBins *bins, GrPage *page)
{
    const GrStudyTable *t = view->table;
    const bool named = bins->count > 0 && bins->items[0].name != NULL;
    const int columns[] = {variable, t->variable_count + measure};
    const char *names[GR_STUDY_BINS];
    GrChartDef def = {.width = WIDTH,
                      .height = HEIGHT,
                      .x_label = t->columns[variable].label,
                      .y_label = measure_label(view, measure),
                      .tight_x = true,
                      .tight_y = true};
    if (bins->count == 0) {
        return;
    }
    for (int i = 0; i < bins->count && named; i++) {
        names[i] = bins->items[i].name;
        def.x_names = names;
        def.x_name_count = bins->count;
    }
    range_of(t, columns[0], def.x);
    range_of(t, columns[1], def.y);
    if (!named && !(def.x[1] > def.x[0])) {
        return;
    }
    if (view->summary->measures[measure].is_share) {
        def.y[0] = 0;
        def.y[1] = 1;
    }
    GrBuffer svg = {0};
    gr_svg_begin(&svg, WIDTH, HEIGHT, measure_label(view, measure));
    const GrChart chart = gr_chart_draw(&svg, &def);
    draw_points(view, &chart, columns, named ? bins : NULL, &svg);
    draw_bins(bins, &chart, named, &svg);
    gr_svg_end(&svg);
    char caption[CAPTION], share[80] = "";
    if (isfinite(bins->share)) {
        gr_print(share, sizeof share, "Alone it explains %.0f %% of the variance. ", 100 * bins->share);
    }
    snprintf(caption, sizeof caption, "%sLine: %s%s.", share,
             view->summary->measures[measure].is_share ? "share of the runs; band: its 95 % interval"
                                                       : "median; band: 5 to 95 %",
             bins->all ? "" : "; only the first names are shown");
    gr_page_figure(page, &svg, caption);
}

/// Colours from `low` to `high` beside a map.
static void draw_key(const GrChart *chart, double low, double high, GrBuffer *svg)
{
    const double x = chart->left + chart->width + 14, step = chart->height / 40;
    for (int i = 0; i < 40; i++) {
        char color[8];
        gr_chart_color((i + 0.5) / 40, color);
        gr_svg_rect(svg, x, chart->top + chart->height - (i + 1) * step, 12, step + 0.5, (GrSvgStyle){.fill = color});
    }
    for (int i = 0; i < 3; i++) {
        char text[120];
        snprintf(text, sizeof text, "%s%s",
                 i == 0   ? "≤ "
                 : i == 2 ? "≥ "
                          : "",
                 gr_show(low + i * (high - low) / 2, 3, "").text);
        gr_svg_text(svg,
                    (GrPoint2){x + 17, chart->top + chart->height * (1 - i / 2.0) +
                                           (i == 0   ? 0
                                            : i == 2 ? 9
                                                     : 4)},
                    (GrSvgFont){0}, text);
    }
}

void gr_study_map(const GrStudyView *view, int measure, const int variables[2], GrPage *page)
{
    const GrStudyTable *t = view->table;
    const GrMeasureSummary *m = &view->summary->measures[measure];
    const int columns[] = {variables[0], variables[1], t->variable_count + measure};
    if (m->count < 2) {
        return;
    }
    GrChartDef def = {.width = WIDTH,
                      .height = 370,
                      .x_label = t->columns[variables[0]].label,
                      .y_label = t->columns[variables[1]].label,
                      .tight_x = true,
                      .tight_y = true,
                      .same_scale = true,
                      .right = 80};
    range_of(t, columns[0], def.x);
    range_of(t, columns[1], def.y);
    GrBuffer svg = {0}, text = {0};
    gr_svg_begin(&svg, WIDTH, def.height, measure_label(view, measure));
    const GrChart chart = gr_chart_draw(&svg, &def);
    for (int i = 0; i < t->row_count; i++) {
        const double x = gr_study_value(t, i, columns[0]), y = gr_study_value(t, i, columns[1]),
                     value = gr_study_value(t, i, columns[2]);
        if (view->shown[i] && isfinite(x) && isfinite(y)) {
            char color[8] = "#999999";
            if (isfinite(value)) {
                gr_chart_color(m->high > m->low ? (value - m->low) / (m->high - m->low) : 0.5, color);
            }
            describe(t, i, columns, 3, &text);
            gr_chart_begin_points(&svg, color, 0.9);
            gr_chart_point(&svg, gr_chart_at(&chart, x, y), 3, text.data != NULL ? text.data : "");
            gr_svg_end_group(&svg);
        }
    }
    draw_key(&chart, m->low, m->high, &svg);
    gr_svg_end(&svg);
    svg.failed = svg.failed || text.failed;
    gr_buffer_free(&text);
    char caption[CAPTION];
    snprintf(caption, sizeof caption,
             "%.200s over the place; colours from 5 %% to 95 %% of its values, grey: no value.",
             measure_label(view, measure));
    gr_page_figure(page, &svg, caption);
}

/// The triangle, or on phones one plot below the other.
static void draw_matrix(const GrStudyView *view, const int *measures, int count, bool narrow, GrBuffer *svg)
{
    const GrStudyTable *t = view->table;
    const double width = narrow ? GR_PAGE_NARROW : count > 3 ? 290 : 380, height = count > 3 ? 230 : 290;
    const int columns_drawn = narrow ? 1 : count - 1, rows = narrow ? count * (count - 1) / 2 : count - 1;
    int row = 0;
    gr_svg_begin(svg, width * columns_drawn, height * rows, "measures against each other");
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i; k++) {
            const int columns[] = {t->variable_count + measures[k], t->variable_count + measures[i]};
            const GrPoint2 at = narrow ? (GrPoint2){0, row++ * height} : (GrPoint2){k * width, (i - 1) * height};
            GrChartDef def = {.at = at,
                              .width = width,
                              .height = height,
                              .x_label = measure_label(view, measures[k]),
                              .y_label = measure_label(view, measures[i]),
                              .tight_x = true,
                              .tight_y = true};
            range_of(t, columns[0], def.x);
            range_of(t, columns[1], def.y);
            const GrChart chart = gr_chart_draw(svg, &def);
            draw_points(view, &chart, columns, NULL, svg);
        }
    }
    gr_svg_end(svg);
}

void gr_study_matrix(const GrStudyView *view, const int *measures, int count, GrPage *page)
{
    GrBuffer svg[2] = {0};
    draw_matrix(view, measures, count, false, &svg[0]);
    draw_matrix(view, measures, count, true, &svg[1]);
    gr_page_map(page, svg, NULL);
}

/// The range of the front and half of it on each side, for failed runs may lie far away; no more than all runs need.
static void range_of_front(const GrStudyTable *t, int column, const bool *is_front, double out[2])
{
    double all[2];
    range_of(t, column, all);
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int i = 0; i < t->row_count; i++) {
        if (is_front[i]) {
            out[0] = fmin(out[0], gr_study_value(t, i, column));
            out[1] = fmax(out[1], gr_study_value(t, i, column));
        }
    }
    const double margin = out[1] > out[0] ? 0.5 * (out[1] - out[0]) : (double)INFINITY;
    out[0] = fmax(all[0], out[0] - margin);
    out[1] = fmin(all[1], out[1] + margin);
}

void gr_study_front(const GrStudyView *view, const int measures[2], const bool *is_front, GrPage *page)
{
    const GrStudyTable *t = view->table;
    const int columns[] = {t->variable_count + measures[0], t->variable_count + measures[1]};
    GrChartDef def = {.width = WIDTH,
                      .height = 320,
                      .x_label = measure_label(view, measures[0]),
                      .y_label = measure_label(view, measures[1]),
                      .tight_x = true,
                      .tight_y = true};
    range_of_front(t, columns[0], is_front, def.x);
    range_of_front(t, columns[1], is_front, def.y);
    GrBuffer svg = {0}, text = {0};
    gr_svg_begin(&svg, def.width, def.height, "Pareto front");
    const GrChart chart = gr_chart_draw(&svg, &def);
    draw_points(view, &chart, columns, NULL, &svg);
    gr_chart_begin_points(&svg, "#009e73", 1);
    for (int i = 0; i < t->row_count; i++) {
        const double x = gr_study_value(t, i, columns[0]), y = gr_study_value(t, i, columns[1]);
        if (is_front[i] && isfinite(x) && isfinite(y)) {
            describe(t, i, columns, 2, &text);
            gr_chart_point(&svg, gr_chart_at(&chart, x, y), 3.4, text.data != NULL ? text.data : "");
        }
    }
    gr_svg_end_group(&svg);
    gr_svg_end(&svg);
    svg.failed = svg.failed || text.failed;
    gr_buffer_free(&text);
    gr_page_figure(page, &svg, "Green: the front that the search found; blue: other runs nearby; red: failed ones.");
}

#include "placement_page.h"

#include "alloc.h"
#include "chart.h"
#include "ground_window.h"
#include "out_of_memory.h"
#include "page.h"
#include "plot.h"
#include "study_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the places of landers on the shaded ground

enum { MAP_WIDTH = 640, MAP_HEIGHT = 560, NARROW_HEIGHT = 320, PIXELS = 420, STEPS = 40 };

/// Colours end at this margin [standard deviations].
static const double FARTHEST = 2;

/// From red (outside) by light grey (at the limit) to blue (within).
static void margin_color(double margin, char out[8])
{
    static const double ends[3][3] = {{178, 24, 43}, {247, 247, 247}, {33, 102, 172}};
    const double m = fmax(-1, fmin(1, margin / FARTHEST)), t = fabs(m);
    const double *end = ends[m < 0 ? 0 : 2];
    int rgb[3];
    for (int i = 0; i < 3; i++) {
        rgb[i] = (int)(ends[1][i] + t * (end[i] - ends[1][i]));
    }
    snprintf(out, 8, "#%02x%02x%02x", rgb[0] & 0xFF, rgb[1] & 0xFF, rgb[2] & 0xFF);
}

static int find_column(const GrStudyTable *t, const char *name)
{
    for (int i = 0; i < t->variable_count; i++) {
        if (strcmp(t->columns[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void draw_ground(const GrChart *chart, GrPlacer *placer, GrBuffer *svg)
{
    const GrSite site = gr_placer_site(placer);
    const GrGroundPicture ground = {.terrain = site.terrain, .box = gr_placer_box(placer), .most = PIXELS};
    GrPicture picture;
    GrErrorLog ignored = {.quiet = true};
    // a map that does not fit into memory has no picture; its places are drawn all the same
    if (site.terrain == NULL ||
        gr_terrain_prefetch((GrTerrain *)(uintptr_t)site.terrain, ground.box, &ignored) != GR_OK ||
        gr_ground_picture_render(&ground, &picture, &ignored) != GR_OK) {
        return;
    }
    for (int i = 0; i < site.rock_count; i++) {
        gr_picture_dome(&picture, site.rocks[i].x, site.rocks[i].y, site.rocks[i].diameter);
    }
    const GrPoint2 a = gr_chart_at(chart, picture.box.x_lower, picture.box.y_upper);
    const GrPoint2 b = gr_chart_at(chart, picture.box.x_upper, picture.box.y_lower);
    gr_svg_picture(svg, &picture, (GrSvgFrame){a, b.x - a.x, b.y - a.y});
    gr_free(picture.pixels);
}

static void draw_key(const GrChart *chart, GrBuffer *svg)
{
    const double x = chart->left + chart->width + 16, height = chart->height * 0.6, step = height / STEPS;
    static const char *const texts[] = {"≤ −2 σ", "limit", "≥ 2 σ"};
    for (int i = 0; i < STEPS; i++) {
        char color[8];
        margin_color(FARTHEST * (2 * (i + 0.5) / STEPS - 1), color);
        gr_svg_rect(svg, x, chart->top + height - (i + 1) * step, 12, step + 0.5, (GrSvgStyle){.fill = color});
    }
    gr_svg_rect(svg, x, chart->top, 12, height, (GrSvgStyle){.stroke = "#555", .stroke_width = 0.7});
    for (int i = 0; i < 3; i++) {
        const double y = chart->top + height * (1 - i / 2.0) + (i == 0 ? 0 : i == 2 ? 9 : 4);
        gr_svg_text(svg, (GrPoint2){x + 17, y}, (GrSvgFont){0}, texts[i]);
    }
}

static void draw_places(const GrShares *s, const int columns[2], const GrChart *chart, GrBuffer *svg)
{
    const double radius = s->count > 2000 ? 1.6 : s->count > 400 ? 2.6 : 3.6;
    double deviations[GR_CAMPAIGN_WISHES];
    gr_placement_deviations(s, deviations);
    for (int row = 0; row < s->count; row++) {
        const double x = gr_study_value(s->table, row, columns[0]), y = gr_study_value(s->table, row, columns[1]);
        const double margin = gr_placement_margin(s, deviations, row);
        char color[8], text[160];
        if (!isfinite(x) || !isfinite(y)) {
            continue;
        }
        margin_color(margin, color);
        snprintf(text, sizeof text, "run %" PRId64 ": %s, margin %.2g σ", s->table->ids[row], s->table->outcomes[row],
                 margin);
        gr_buffer_printf(svg, "<g stroke=\"#222\" stroke-width=\"%s\" fill=\"%s\">", margin < 0 ? "0.9" : "0.4", color);
        gr_chart_point(svg, gr_chart_at(chart, x, y), radius, text);
        gr_svg_end_group(svg);
    }
}

static void draw_map(const GrShares *s, GrPlacer *placer, const int columns[2], bool narrow, GrBuffer *svg)
{
    const GrBox2 box = gr_placer_box(placer);
    const GrChartDef def = {.width = narrow ? GR_PAGE_NARROW : MAP_WIDTH,
                            .height = narrow ? NARROW_HEIGHT : MAP_HEIGHT,
                            .x_label = "x [m]",
                            .y_label = "y [m]",
                            .x = {box.x_lower, box.x_upper},
                            .y = {box.y_lower, box.y_upper},
                            .tight_x = true,
                            .tight_y = true,
                            .same_scale = true,
                            .right = narrow ? 72 : 90};
    gr_svg_begin(svg, def.width, def.height, "places");
    const GrChart chart = gr_chart_draw(svg, &def);
    draw_ground(&chart, placer, svg);
    draw_places(s, columns, &chart, svg);
    draw_key(&chart, svg);
    gr_svg_end(svg);
}

void gr_placement_map(const GrShares *s, GrPlacer *placer, GrPage *page)
{
    const int columns[2] = {find_column(s->table, "x_m"), find_column(s->table, "y_m")};
    if (columns[0] < 0 || columns[1] < 0) {
        return;
    }
    GrBuffer svg[2] = {0};
    draw_map(s, placer, columns, false, &svg[0]);
    draw_map(s, placer, columns, true, &svg[1]);
    gr_page_map(page, svg,
                "The places, coloured by their smallest margin to a limit, in standard deviations of that measure: "
                "blue within, red outside. Point at one to see its run.");
}

// ---- distributions and convergence of the measures that have limits

enum { WIDTH = 500, HEIGHT = 310, POINTS = 80, FEWEST = 10, CAPTION = 400 };

static const char *const INSIDE = "#7fb8d8", *const OUTSIDE = "#e8a27c", *const LIMIT = "#d55e00",
                         *const EXTREME = "#555";

/// Whether an earlier goal has the same measure.
static bool is_repeated(const GrShares *s, int goal)
{
    for (int i = 0; i < goal; i++) {
        if (s->columns[i] == s->columns[goal]) {
            return true;
        }
    }
    return false;
}

/// Whether a value keeps all limits of a column.
static bool keeps(const GrShares *s, int column, double value)
{
    bool all = true;
    for (int i = 0; i < s->goal_count; i++) {
        const double margin = s->goals[i].wish == GR_WISH_ABOVE ? value - s->goals[i].limit : s->goals[i].limit - value;
        all = all && (s->columns[i] != column || margin >= 0);
    }
    return all;
}

static void mark(GrBuffer *svg, const GrChart *chart, double x, GrSvgStyle style, const char *text)
{
    const double at = gr_chart_at(chart, x, 0).x;
    const bool right = at > chart->left + chart->width / 2;
    gr_svg_line(svg, (GrPoint2){at, chart->top}, (GrPoint2){at, chart->top + chart->height}, style);
    const double width = gr_svg_text_width(text, 12) + 4, y = chart->top + (style.dash != NULL ? 18 : 2);
    gr_svg_rect(svg, right ? at - width - 3 : at + 3, y, width, 16, (GrSvgStyle){.fill = "#fff", .opacity = 0.85});
    gr_svg_text(svg, (GrPoint2){at + (right ? -5 : 5), chart->top + (style.dash != NULL ? 30 : 14)},
                (GrSvgFont){.anchor = right ? GR_SVG_END : GR_SVG_START, .color = style.stroke}, text);
}

static void draw_bars(const GrShares *s, int column, const GrHistogram *h, const GrChart *chart, GrBuffer *svg)
{
    for (int i = 0; i < h->bin_count; i++) {
        const double a = h->lower + i * h->width, b = a + h->width;
        char text[120];
        snprintf(text, sizeof text, "%.4g to %.4g: %d runs", a, b, h->counts[i]);
        GrPoint2 p = gr_chart_at(chart, a, h->counts[i]), q = gr_chart_at(chart, b, 0);
        q.x = fmax(q.x, p.x + 2) - (q.x - p.x > 4 ? 1 : 0);
        gr_chart_bar(svg, p, q, keeps(s, column, 0.5 * (a + b)) ? INSIDE : OUTSIDE, text);
    }
}

static void draw_histogram(const GrShares *s, int column, const GrHistogram *h, const double extremes[2], GrBuffer *svg)
{
    const char *name = s->table->columns[column].name;
    int most = 0;
    double x[2] = {h->lower, h->lower + h->bin_count * h->width};
    for (int i = 0; i < h->bin_count; i++) {
        most = h->counts[i] > most ? h->counts[i] : most;
    }
    for (int i = 0; i < s->goal_count; i++) {
        x[0] = s->columns[i] == column ? fmin(x[0], s->goals[i].limit) : x[0];
        x[1] = s->columns[i] == column ? fmax(x[1], s->goals[i].limit) : x[1];
    }
    gr_svg_begin(svg, WIDTH, HEIGHT, name);
    const GrChart chart = gr_chart_draw(svg, &(GrChartDef){.width = WIDTH,
                                                           .height = HEIGHT,
                                                           .x_label = s->table->columns[column].label,
                                                           .y_label = "runs",
                                                           .tight_x = true,
                                                           .x = {x[0], x[1]},
                                                           .y = {0, 1.15 * most}});
    draw_bars(s, column, h, &chart, svg);
    for (int i = 0; i < s->goal_count; i++) {
        if (s->columns[i] == column) {
            char text[64];
            const bool above = s->goals[i].wish == GR_WISH_ABOVE;
            snprintf(text, sizeof text, "limit %.4g", s->goals[i].limit);
            mark(svg, &chart, s->goals[i].limit, (GrSvgStyle){.stroke = LIMIT, .stroke_width = 2}, text);
            snprintf(text, sizeof text, "%s %.4g", above ? "smallest" : "largest", extremes[!above]);
            mark(svg, &chart, extremes[!above], (GrSvgStyle){.stroke = EXTREME, .dash = "4 3"}, text);
        }
    }
    gr_svg_end(svg);
}

GrStatus gr_placement_histograms(const GrShares *s, GrPage *page, GrErrorLog *log)
{
    double *values = gr_calloc((size_t)s->count + 1, sizeof *values);
    GrStatus status = values != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    for (int i = 0; values != NULL && i < s->goal_count && status == GR_OK; i++) {
        GrHistogram h;
        if (is_repeated(s, i)) {
            continue;
        }
        gr_study_column(s->table, s->columns[i], values);
        const int n = gr_keep_finite(values, s->count);
        if (n < 2) {
            continue;
        }
        status = gr_histogram(values, n, &h, log);
        if (status == GR_OK) {
            GrBuffer svg = {0};
            char caption[CAPTION];
            gr_sort(values, n);
            draw_histogram(s, s->columns[i], &h, (double[]){values[0], values[n - 1]}, &svg);
            snprintf(caption, sizeof caption,
                     "%d placements: median %.4g, 5 %% below %.4g, 5 %% above %.4g, 1 %% above %.4g.", n,
                     gr_quantile_sorted(values, n, 0.5), gr_quantile_sorted(values, n, 0.05),
                     gr_quantile_sorted(values, n, 0.95), gr_quantile_sorted(values, n, 0.99));
            gr_page_figure(page, &svg, caption);
            gr_histogram_free(&h);
        }
    }
    gr_free(values);
    return status;
}

/// Numbers of runs from FEWEST to all, evenly on a logarithmic scale; returns how many.
static int choose_counts(int count, double *out)
{
    int points = 0;
    for (int k = 0; k < POINTS; k++) {
        const double n = floor(FEWEST * pow((double)count / FEWEST, k / (POINTS - 1.0)) + 0.5);
        if (points == 0 || n > out[points - 1]) {
            out[points++] = n;
        }
    }
    return points;
}

static void put_plot(const GrSeries *series, int count, const char *label, const char *caption, GrPage *page)
{
    const GrPanel panel = {.x_label = "runs", .y_label = label, .series = series, .series_count = count};
    const GrPlot plot = {.panels = &panel, .panel_count = 1, .panel_width = WIDTH, .panel_height = HEIGHT};
    GrBuffer svg = {0};
    gr_plot_write(&plot, &svg); // a failure is remembered in the buffer
    gr_page_figure(page, &svg, caption);
}

static void put_share(const GrShares *s, const double *counts, int points, GrPage *page)
{
    double share[POINTS], low[POINTS], high[POINTS];
    int inside = 0, row = 0;
    for (int k = 0; k < points; k++) {
        for (; row < (int)counts[k]; row++) {
            inside += gr_shares_holds(s, row);
        }
        const GrEstimate e = gr_proportion(inside, row);
        share[k] = 100 * e.value;
        low[k] = 100 * e.low;
        high[k] = 100 * e.high;
    }
    const GrSeries series = {.name = "within all limits",
                             .kind = GR_SERIES_LINE,
                             .x = counts,
                             .y = share,
                             .lower = low,
                             .upper = high,
                             .count = points};
    put_plot(&series, 1, "share [%]", "Share of the first n runs within all limits; band: 95 % interval (Wilson).",
             page);
}

/// Quantiles of the first n runs.
static void put_quantiles(const GrShares *s, int column, const double *counts, int points, GrPage *page)
{
    static const double parts[3] = {0.05, 0.5, 0.95};
    static const char *const names[3] = {"5 %", "median", "95 %"};
    double values[3][POINTS];
    GrSeries series[3];
    double *sorted = gr_calloc((size_t)s->count + 1, sizeof *sorted);
    page->failed = page->failed || sorted == NULL;
    if (sorted == NULL) {
        return;
    }
    for (int k = 0; k < points; k++) {
        const int n = (int)counts[k];
        for (int row = 0; row < n; row++) {
            sorted[row] = gr_study_value(s->table, row, column);
        }
        const int kept = gr_keep_finite(sorted, n);
        gr_sort(sorted, kept);
        for (int q = 0; q < 3; q++) {
            values[q][k] = kept > 0 ? gr_quantile_sorted(sorted, kept, parts[q]) : (double)NAN;
        }
    }
    for (int q = 0; q < 3; q++) {
        series[q] = (GrSeries){
            .name = names[q], .kind = GR_SERIES_LINE, .x = counts, .y = values[q], .count = points, .color = q + 1};
    }
    gr_free(sorted);
    put_plot(series, 3, s->table->columns[column].label, "Quantiles of the first n runs.", page);
}

void gr_placement_convergence(const GrShares *s, GrPage *page)
{
    double counts[POINTS];
    if (s->count < 2 * FEWEST) {
        return;
    }
    const int points = choose_counts(s->count, counts);
    put_share(s, counts, points, page);
    for (int i = 0; i < s->goal_count; i++) {
        if (!is_repeated(s, i)) {
            put_quantiles(s, s->columns[i], counts, points, page);
        }
    }
}

void gr_placement_deviations(const GrShares *s, double *deviations)
{
    for (int i = 0; i < s->goal_count; i++) {
        double sum = 0, squares = 0, n = 0;
        for (int row = 0; row < s->count; row++) {
            const double margin = gr_shares_margin(s, row, i);
            if (isfinite(margin)) {
                sum += margin;
                n++;
            }
        }
        for (int row = 0; row < s->count; row++) {
            const double off = gr_shares_margin(s, row, i) - sum / n;
            squares += isfinite(off) ? off * off : 0;
        }
        deviations[i] = n > 1 && squares > 0 ? sqrt(squares / (n - 1)) : 1;
    }
}

double gr_placement_margin(const GrShares *s, const double *deviations, int row)
{
    double least = s->table->succeeded[row] ? (double)INFINITY : (double)-INFINITY;
    for (int i = 0; i < s->goal_count; i++) {
        const double margin = gr_shares_margin(s, row, i) / deviations[i];
        least = isnan(margin) ? (double)-INFINITY : fmin(least, margin);
    }
    return least;
}

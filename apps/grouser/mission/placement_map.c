/// The places of landers on the shaded ground.
#include "placement_page.h"

#include "alloc.h"
#include "chart.h"
#include "ground_picture.h"
#include "out_of_memory.h"
#include "page.h"
#include "study_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 560, PIXELS = 420, STEPS = 40 };

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

GrStatus gr_placement_map(const GrShares *s, GrPlacer *placer, GrBuffer *page, GrErrorLog *log)
{
    const int columns[2] = {find_column(s->table, "x_m"), find_column(s->table, "y_m")};
    const GrBox2 box = gr_placer_box(placer);
    if (columns[0] < 0 || columns[1] < 0) {
        return GR_OK;
    }
    GrBuffer svg = {0};
    gr_svg_begin(&svg, WIDTH, HEIGHT, "places");
    const GrChartDef def = {.width = WIDTH,
                            .height = HEIGHT,
                            .x_label = "x_m",
                            .y_label = "y_m",
                            .x = {box.x_lower, box.x_upper},
                            .y = {box.y_lower, box.y_upper},
                            .tight_x = true,
                            .tight_y = true,
                            .same_scale = true,
                            .right = 90};
    const GrChart chart = gr_chart_draw(&svg, &def);
    draw_ground(&chart, placer, &svg);
    draw_places(s, columns, &chart, &svg);
    draw_key(&chart, &svg);
    gr_svg_end(&svg);
    if (svg.failed) {
        gr_buffer_free(&svg);
        return gr_out_of_memory(log, NULL);
    }
    gr_page_wide_svg(
        page, svg.data,
        "The places, coloured by their smallest margin to a limit, in standard deviations of that measure: "
        "blue within, red outside. Point at one to see its run.");
    gr_buffer_free(&svg);
    return GR_OK;
}

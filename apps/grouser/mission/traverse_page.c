/// The page of a traverse: maps of what the legs cost over shaded ground, the routes, and how they were driven.
#include "alloc.h"
#include "chart.h"
#include "ground_window.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "plot.h"
#include "traverse_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 520, WIDE = 900, KEY = 92, PICTURE = 420, WEDGE_CELLS = 900, CELLS_DRAWN = 10000 };
static const double ACCURACY = 0.01; // of a value, and of slip
static const char *const BLOCKED = "#b2182b", *const UNKNOWN = "#8a8a8a";

/// A map figure: the chart and what lies under its cells.
typedef struct Figure {
    const GrTraverseAnswer *answer;
    GrChart chart;
    double low, high; ///< of the colours
    bool logarithm;   ///< even steps of colour are even ratios
    bool clipped;     ///< some values are beyond the colours
    bool blocked, unknown;
} Figure;

/// Grey, since colours show the results.
static void make_grey(GrPicture *picture)
{
    for (int i = 0; i < picture->width * picture->height; i++) {
        unsigned char *p = picture->pixels + 3 * (size_t)i;
        const unsigned char grey = (unsigned char)((299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000);
        p[0] = p[1] = p[2] = grey;
    }
}

void gr_traverse_draw_ground(const GrTraverse *t, const GrChart *chart, const char *id, bool first,
                             void (*tint)(const void *context, GrPicture *picture), const void *context, GrBuffer *svg)
{
    const GrGroundPicture ground = {
        .terrain = t->terrain,
        .box = {t->x0, t->y0, t->x0 + t->grid.nx * t->grid.cell, t->y0 + t->grid.ny * t->grid.cell},
        .most = PICTURE};
    GrPicture picture;
    if (!first) {
        gr_buffer_printf(svg, "<use href=\"#%s\"/>\n", id);
        return;
    }
    if (t->terrain == NULL || gr_terrain_prefetch(t->terrain, ground.box, NULL) != GR_OK ||
        gr_ground_picture_render(&ground, &picture, NULL) != GR_OK) {
        return;
    }
    make_grey(&picture);
    if (tint != NULL) {
        tint(context, &picture);
    }
    const GrPoint2 a = gr_chart_at(chart, picture.box.x_lower, picture.box.y_upper);
    const GrPoint2 b = gr_chart_at(chart, picture.box.x_upper, picture.box.y_lower);
    gr_buffer_printf(svg, "<g id=\"%s\">\n", id);
    gr_svg_picture(svg, &picture, (GrSvgFrame){a, b.x - a.x, b.y - a.y});
    gr_svg_end_group(svg);
    gr_free(picture.pixels);
}

/// Where the line from the middle of a cell at an angle leaves it, in cells.
static void on_border(double angle, double out[2])
{
    const double c = cos(angle), s = sin(angle), scale = 0.5 / fmax(fabs(c), fabs(s));
    out[0] = scale * c;
    out[1] = scale * s;
}

static void color_of(const Figure *f, const GrTraverseEdge *e, GrTraverseField field, char out[8])
{
    const double value = gr_traverse_shown(e, field);
    if (e->count == 0 || !isfinite(value)) {
        snprintf(out, 8, "%s", e->count == 0 ? UNKNOWN : BLOCKED);
    } else {
        const double part =
            f->logarithm ? log(value / f->low) / log(f->high / f->low) : (value - f->low) / (f->high - f->low);
        gr_chart_color(f->high > f->low ? part : 0.5, out);
    }
}

double gr_traverse_shown(const GrTraverseEdge *e, GrTraverseField field)
{
    const bool part = field == GR_TRAVERSE_FIELD_SUCCESS || field == GR_TRAVERSE_FIELD_SLIP;
    return (part ? 100 : 1) * gr_traverse_field(e, field);
}

const char *gr_traverse_shown_unit(GrTraverseField field)
{
    const char *unit = gr_traverse_fields[field].unit;
    return unit[0] != '\0' ? unit : "%";
}

/// The part of a cell that faces one direction.
static void draw_wedge(const Figure *f, int cell, int k, GrTraverseField field, GrBuffer *svg)
{
    const GrTraverse *t = f->answer->traverse;
    const int spacing = GR_ROUTE_DIRECTIONS / t->directions;
    const GrTraverseEdge *e = &f->answer->map->edges[cell * GR_ROUTE_DIRECTIONS + k];
    const double angles[] = {k - 0.5 * spacing, k, k + 0.5 * spacing};
    GrPoint2 points[4];
    double centre[2];
    char color[8];
    gr_traverse_centre(t, cell, centre);
    points[0] = gr_chart_at(&f->chart, centre[0], centre[1]);
    for (int i = 0; i < 3; i++) {
        double out[2];
        on_border(angles[i] * GR_PI / 4, out);
        points[1 + i] = gr_chart_at(&f->chart, centre[0] + out[0] * t->grid.cell, centre[1] + out[1] * t->grid.cell);
    }
    if (gr_route_neighbour(&t->grid, cell, k) < 0) {
        return; // nowhere to drive: the ground shows
    }
    color_of(f, e, field, color);
    gr_svg_polygon(svg, points, 4, (GrSvgStyle){.fill = color, .opacity = 0.72});
}

static void describe_cell(const Figure *f, int cell, GrTraverseField field, GrBuffer *svg)
{
    const GrTraverse *t = f->answer->traverse;
    const GrTraverseEdge *e = &f->answer->map->cells[cell];
    const double half = t->grid.cell / 2;
    char number[GR_NUMBER_SIZE], text[200];
    double at[2];
    gr_traverse_centre(t, cell, at);
    const GrPoint2 a = gr_chart_at(&f->chart, at[0] - half, at[1] + half),
                   b = gr_chart_at(&f->chart, at[0] + half, at[1] - half);
    gr_number_round(gr_traverse_shown(e, field), 3, number);
    snprintf(text, sizeof text, "(%.5g, %.5g): %s %s; %d of %d legs arrived", at[0], at[1],
             isfinite(gr_traverse_shown(e, field)) ? number : "no data", gr_traverse_shown_unit(field), e->arrived,
             e->count);
    gr_buffer_puts(svg, "<g opacity=\"0\">");
    gr_chart_bar(svg, a, b, "#fff", text);
    gr_buffer_puts(svg, "</g>\n");
}

static void draw_cell(const Figure *f, int cell, GrTraverseField field, GrBuffer *svg)
{
    const GrTraverse *t = f->answer->traverse;
    const double half = t->grid.cell / 2;
    char color[8];
    double at[2];
    gr_traverse_centre(t, cell, at);
    const GrPoint2 a = gr_chart_at(&f->chart, at[0] - half, at[1] + half),
                   b = gr_chart_at(&f->chart, at[0] + half, at[1] - half);
    color_of(f, &f->answer->map->cells[cell], field, color);
    gr_svg_rect(svg, a.x, a.y, b.x - a.x, b.y - a.y, (GrSvgStyle){.fill = color, .opacity = 0.72});
}

/// Colours with their values, and what has none.
static void draw_key(const Figure *f, GrTraverseField field, GrBuffer *svg)
{
    const double x = f->chart.left + f->chart.width + 16, top = f->chart.top + 24, height = f->chart.height * 0.55;
    const int steps = 40;
    gr_svg_text(svg, (GrPoint2){x, f->chart.top + 9}, (GrSvgFont){.bold = true}, gr_traverse_shown_unit(field));
    for (int i = 0; i < steps; i++) {
        char color[8];
        gr_chart_color((i + 0.5) / steps, color);
        gr_svg_rect(svg, x, top + height * (1 - (i + 1.0) / steps), 14, height / steps + 0.5,
                    (GrSvgStyle){.fill = color});
    }
    for (int i = 0; i < 3; i++) {
        char number[GR_NUMBER_SIZE], text[GR_NUMBER_SIZE + 8];
        const double middle = f->logarithm ? sqrt(f->low * f->high) : (f->low + f->high) / 2;
        gr_number_round(i == 0 ? f->low : i == 1 ? middle : f->high, 3, number);
        snprintf(text, sizeof text, "%s%s", !f->clipped || i == 1 ? "" : i == 0 ? "≤ " : "≥ ", number);
        gr_svg_text(svg, (GrPoint2){x + 20, top + height * (1 - i / 2.0) + 4}, (GrSvgFont){0}, text);
    }
    const char *const colors[] = {BLOCKED, UNKNOWN}, *const names[] = {"none arrived", "no leg"};
    const bool used[] = {f->blocked, f->unknown};
    double y = top + height + 22;
    for (int i = 0; i < 2; i++) {
        if (used[i]) {
            gr_svg_rect(svg, x, y, 14, 12, (GrSvgStyle){.fill = colors[i]});
            gr_svg_text(svg, (GrPoint2){x + 18, y + 10}, (GrSvgFont){.size = 11}, names[i]);
            y += 20;
        }
    }
}

/// The range of colours: 2 to 98 % of all cells, or of all directions where they are drawn.
static GrStatus range_of(Figure *f, GrTraverseField field, bool wedges, GrErrorLog *log)
{
    const GrTraverse *t = f->answer->traverse;
    const int count = t->grid.nx * t->grid.ny * (wedges ? GR_ROUTE_DIRECTIONS : 1);
    double *values = gr_malloc((size_t)count * sizeof *values);
    if (values == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count; i++) {
        const GrTraverseEdge *e = wedges ? &f->answer->map->edges[i] : &f->answer->map->cells[i];
        const int cell = wedges ? i / GR_ROUTE_DIRECTIONS : i, k = i % GR_ROUTE_DIRECTIONS;
        const bool drawn =
            !wedges || (k % (GR_ROUTE_DIRECTIONS / t->directions) == 0 && gr_route_neighbour(&t->grid, cell, k) >= 0);
        values[i] = gr_traverse_shown(e, field);
        f->unknown = f->unknown || (drawn && e->count == 0);
        f->blocked = f->blocked || (e->count > 0 && !isfinite(values[i]));
    }
    const int finite = gr_keep_finite(values, count);
    gr_sort(values, finite);
    f->low = 0;
    f->high = 100;
    if (finite > 0 && field != GR_TRAVERSE_FIELD_SUCCESS) {
        f->low = gr_quantile_sorted(values, finite, 0.02);
        f->high = gr_quantile_sorted(values, finite, 0.98);
        const double least = ACCURACY * (field == GR_TRAVERSE_FIELD_SLIP ? 100 : fabs(f->high)) / 2;
        if (f->high - f->low < 2 * least) { // colours of less would show noise
            const double middle = (f->low + f->high) / 2;
            f->low = middle - least;
            f->high = middle + least;
        }
        f->logarithm = f->low > 0 && f->high > 8 * f->low && f->high < 100 * f->low;
        f->clipped = values[0] < f->low || values[finite - 1] > f->high;
    }
    gr_free(values);
    return GR_OK;
}

GrChart gr_traverse_draw_frame(const GrTraverse *t, double width, double below, GrBuffer *svg, const char *title)
{
    const double right = below > 0 ? 16 : KEY, inside = width - 70 - right;
    const double height = fmin(inside * t->grid.ny / t->grid.nx, 1.3 * inside) + 58;
    gr_svg_begin(svg, width, height + below, title);
    return gr_chart_draw(svg, &(GrChartDef){.width = width,
                                            .height = height,
                                            .x_label = "x (east) [m]",
                                            .y_label = "y (north) [m]",
                                            .x = {t->x0, t->x0 + t->grid.nx * t->grid.cell},
                                            .y = {t->y0, t->y0 + t->grid.ny * t->grid.cell},
                                            .tight_x = true,
                                            .tight_y = true,
                                            .same_scale = true,
                                            .right = right});
}

static GrStatus put_map(const GrTraverseAnswer *a, GrTraverseField field, bool first, GrPage *page, GrErrorLog *log)
{
    const GrTraverse *t = a->traverse;
    const int cells = t->grid.nx * t->grid.ny;
    const bool wedges = cells <= WEDGE_CELLS;
    GrBuffer svg = {0};
    Figure f = {.answer = a};
    f.chart = gr_traverse_draw_frame(t, WIDTH, 0, &svg, gr_traverse_fields[field].text);
    const GrStatus status = range_of(&f, field, wedges, log);
    gr_traverse_draw_ground(t, &f.chart, "traverse-ground", first, NULL, NULL, &svg);
    for (int cell = 0; cell < cells; cell++) {
        for (int k = 0; wedges && k < GR_ROUTE_DIRECTIONS; k += GR_ROUTE_DIRECTIONS / t->directions) {
            draw_wedge(&f, cell, k, field, &svg);
        }
        if (wedges) {
            describe_cell(&f, cell, field, &svg);
        } else {
            draw_cell(&f, cell, field, &svg);
        }
    }
    draw_key(&f, field, &svg);
    gr_svg_end(&svg);
    char caption[200];
    snprintf(caption, sizeof caption, "%c%s%s.", gr_traverse_fields[field].text[0] - 'a' + 'A',
             gr_traverse_fields[field].text + 1,
             field == GR_TRAVERSE_FIELD_ENERGY || field == GR_TRAVERSE_FIELD_TIME ? " made good" : "");
    gr_page_figure(page, &svg, caption);
    return status;
}

void gr_traverse_draw_end(const GrChart *chart, const double at[2], const char *text, GrBuffer *svg)
{
    const GrPoint2 p = gr_chart_at(chart, at[0], at[1]);
    gr_svg_circle(svg, p, 9, (GrSvgStyle){.fill = "#fff", .stroke = "#222", .stroke_width = 1.2});
    gr_svg_text(svg, (GrPoint2){p.x, p.y + 4}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .bold = true}, text);
}

enum { KEY_ROW = 18 };

GrMapKey gr_map_key(const GrChart *chart, bool below)
{
    return (GrMapKey){.at = below ? (GrPoint2){chart->left, chart->top + chart->height + 58}
                                  : (GrPoint2){chart->left + chart->width + 10, chart->top + 12},
                      .below = below};
}

double gr_map_key_height(int entries)
{
    const int rows = (entries + 1) / 2;
    return KEY_ROW * rows;
}

GrPoint2 gr_map_key_next(GrMapKey *key)
{
    const int i = key->count++, row = key->below ? i / 2 : i;
    return key->below ? (GrPoint2){key->at.x + 150 * (i % 2), key->at.y + KEY_ROW * row}
                      : (GrPoint2){key->at.x, key->at.y + KEY_ROW * row};
}

static void key_text(GrPoint2 at, const char *text, GrBuffer *svg)
{
    gr_svg_text(svg, (GrPoint2){at.x + 21, at.y}, (GrSvgFont){.size = 11}, text);
}

void gr_map_key_line(GrMapKey *key, GrSvgStyle line, const char *text, GrBuffer *svg)
{
    const GrPoint2 at = gr_map_key_next(key);
    gr_svg_line(svg, (GrPoint2){at.x, at.y - 4}, (GrPoint2){at.x + 16, at.y - 4}, line);
    key_text(at, text, svg);
}

void gr_map_key_area(GrMapKey *key, const char *fill, const char *text, GrBuffer *svg)
{
    const GrPoint2 at = gr_map_key_next(key);
    gr_svg_rect(svg, at.x, at.y - 10, 16, 12, (GrSvgStyle){.fill = fill, .opacity = 0.75});
    key_text(at, text, svg);
}

static void draw_trip(const Figure *f, const GrTraverseTrip *trip, int number, GrBuffer *svg)
{
    GrPoint2 *points = gr_calloc((size_t)trip->point_count + 1, sizeof *points);
    if (points == NULL) {
        return;
    }
    // routes over the same cells lie side by side
    const double shift = 2.4 * number;
    points[0] = gr_chart_at(&f->chart, trip->from[0], trip->from[1]);
    for (int i = 0; i < trip->point_count; i++) {
        points[i + 1] = gr_chart_at(&f->chart, trip->points[i][0], trip->points[i][1]);
        if (i + 1 < trip->point_count) {
            points[i + 1].x += shift;
            points[i + 1].y += shift;
        }
    }
    gr_svg_polyline(svg, points, trip->point_count + 1,
                    (GrSvgStyle){.stroke = "#fff", .stroke_width = 5.5, .opacity = 0.8});
    gr_svg_polyline(
        svg, points, trip->point_count + 1,
        (GrSvgStyle){.stroke = gr_plot_color(number + 1), .stroke_width = 3.2, .dash = trip->aim < 0 ? "8 6" : NULL});
    gr_free(points);
}

static bool is_drawn(const GrTraverseTrip *trip)
{
    return trip->pair < 0 && trip->points != NULL;
}

/// Routes over the ground, with the cells that are hard to cross.
static void draw_routes(const GrTraverseAnswer *a, bool narrow, GrBuffer *svg)
{
    const GrTraverse *t = a->traverse;
    Figure f = {.answer = a};
    int entries = 1;
    for (int i = 0; i < a->trips->count; i++) {
        entries += is_drawn(&a->trips->items[i]);
    }
    f.chart = gr_traverse_draw_frame(t, narrow ? GR_PAGE_NARROW : WIDE, narrow ? gr_map_key_height(entries) : 0, svg,
                                     "Routes");
    gr_traverse_draw_ground(t, &f.chart, narrow ? "traverse-ground-narrow" : "traverse-ground-wide", true, NULL, NULL,
                            svg);
    for (int cell = 0; cell < t->grid.nx * t->grid.ny; cell++) {
        const double share = gr_traverse_field(&a->map->cells[cell], GR_TRAVERSE_FIELD_SUCCESS),
                     half = t->grid.cell / 2;
        double at[2];
        gr_traverse_centre(t, cell, at);
        const GrPoint2 p = gr_chart_at(&f.chart, at[0] - half, at[1] + half),
                       q = gr_chart_at(&f.chart, at[0] + half, at[1] - half);
        if (share < 0.995) {
            gr_svg_rect(svg, p.x, p.y, q.x - p.x, q.y - p.y,
                        (GrSvgStyle){.fill = BLOCKED, .opacity = fmax(0.05, 0.75 * (1 - share))});
        }
    }
    GrMapKey key = gr_map_key(&f.chart, narrow);
    for (int i = 0; i < a->trips->count; i++) {
        const GrTraverseTrip *trip = &a->trips->items[i];
        if (is_drawn(trip)) {
            char name[GR_CHART_TEXT];
            draw_trip(&f, trip, trip->aim + 1, svg);
            gr_chart_shorten(gr_traverse_trip_name(t, trip), 10, name);
            gr_map_key_line(&key,
                            (GrSvgStyle){.stroke = gr_plot_color(trip->aim + 2),
                                         .stroke_width = 3.2,
                                         .dash = trip->aim < 0 ? "5 3" : NULL},
                            name, svg);
        }
    }
    gr_map_key_area(&key, BLOCKED, "legs fail", svg);
    gr_traverse_draw_end(&f.chart, t->from, "A", svg);
    gr_traverse_draw_end(&f.chart, t->to, "B", svg);
    gr_svg_end(svg);
}

static void put_route_map(const GrTraverseAnswer *a, GrPage *page)
{
    GrBuffer svg[2] = {0};
    draw_routes(a, false, &svg[0]);
    draw_routes(a, true, &svg[1]);
    gr_page_map(page, svg, "Routes over the map; the redder a cell, the more of its legs failed.");
}

void gr_traverse_table_routes(const GrTraverseAnswer *a, GrTable *out)
{
    gr_table_heads(out, "route|>length [m]|>arrives [%]|>arrived|>energy [J]|>driven [J]|>time [s]|>driven [s]|>mean "
                        "slip [%]|>driven [%]");
    for (int i = 0; i < a->trips->count; i++) {
        const GrTraverseTrip *trip = &a->trips->items[i];
        const GrTraverseFigures *p = &trip->predicted, *m = &trip->measured;
        if (trip->pair < 0 && trip->points != NULL) {
            gr_table_text(out, gr_traverse_trip_name(a->traverse, trip));
            gr_table_value(out, trip->length);
            gr_table_number(out, 100 * p->arrival, 3);
            gr_table_printf(out, "%d of %d", trip->arrived, trip->count);
            gr_table_values(out, (const double[]){p->energy, m->energy, p->time, m->time, 100 * p->slip, 100 * m->slip},
                            6);
        }
    }
}

void gr_traverse_table_pairs(const GrTraversePairs *p, GrTable *out)
{
    gr_table_heads(out, "|>arrived|>share [%]|>95 % interval|>energy [J]|>time [s]");
    for (int i = 0; i < 2; i++) {
        const int arrived = i == 0 ? p->straight : p->routed;
        const GrEstimate e = gr_proportion(arrived, p->count);
        gr_table_text(out, i == 0 ? "straight" : "by route");
        gr_table_printf(out, "%d of %d", arrived, p->count);
        gr_table_number(out, 100 * e.value, 3);
        gr_table_printf(out, "%.3g to %.3g", 100 * e.low, 100 * e.high);
        gr_table_value(out, i == 0 ? p->straight_energy : p->energy);
        gr_table_value(out, i == 0 ? p->straight_time : p->time);
    }
}

static void put_routes(const GrTraverseAnswer *a, GrPage *page)
{
    GrTable table = {0};
    gr_page_section(page, "Routes");
    gr_page_text(page,
                 "From A (%g, %g) to B (%g, %g). Energy, time and slip: predicted from the legs, and the mean of the "
                 "drives that arrived.",
                 a->traverse->from[0], a->traverse->from[1], a->traverse->to[0], a->traverse->to[1]);
    put_route_map(a, page);
    gr_traverse_table_routes(a, &table);
    gr_page_table(page, &table);
    for (int i = 0; i < a->trips->count; i++) {
        char reason[GR_TRAVERSE_REASON];
        gr_traverse_reason(a->trips, i, reason);
        if (reason[0] != '\0' && a->trips->items[i].pair < 0) {
            gr_page_text(page, "%s: %s.", gr_traverse_trip_name(a->traverse, &a->trips->items[i]), reason);
        }
    }
}

static void put_pairs(const GrTraverseAnswer *a, GrPage *page)
{
    const GrTraversePairs p = gr_traverse_pairs_count(a->trips);
    GrTable table = {0};
    gr_page_section(page, "Random starts and goals");
    gr_page_text(page,
                 "%d pair%s driven straight and by the route of least %s, in the same world. %d without a route count "
                 "as not arrived. Energy and time are means of the %d that arrive either way.",
                 p.count, p.count == 1 ? "" : "s", a->traverse->aims[0].name, p.no_route, p.both);
    gr_traverse_table_pairs(&p, &table);
    gr_page_table(page, &table);
}

/// The share of legs that arrive, and of each way from A to B whether it does.
static void put_cards(const GrTraverseAnswer *a, const GrStudyPage *study, GrPage *page)
{
    const GrEstimate share = gr_proportion(a->map->arrivals, (int)a->map->count);
    char note[160];
    snprintf(note, sizeof note, "%d of %d; 95 %% interval %s %%", a->map->arrivals, (int)a->map->count,
             gr_show_range(100 * share.low, 100 * share.high, 3).text);
    if (a->map->count > 0) {
        gr_page_card(page, "legs that arrive", gr_show(100 * share.value, 3, "%").text, note);
    }
    for (int i = 0; a->trips != NULL && i < a->trips->count; i++) {
        const GrTraverseTrip *trip = &a->trips->items[i];
        if (is_drawn(trip)) {
            char name[GR_CHART_TEXT];
            snprintf(name, sizeof name, trip->aim < 0 ? "from A to B, %s" : "from A to B, least %s",
                     gr_traverse_trip_name(a->traverse, trip));
            gr_print(note, sizeof note, "%.4g m; expected by its legs: %.3g %%", trip->length,
                     100 * trip->predicted.arrival);
            char value[40];
            snprintf(value, sizeof value, "%d of %d", trip->arrived, trip->count);
            gr_page_card(page, name, value, note);
        }
    }
    gr_study_page_run_cards(study, page);
}

GrStatus gr_traverse_page(const GrTraverseAnswer *a, const GrStudyPage *study, GrPage *page, GrErrorLog *log)
{
    static const GrTraverseField fields[] = {GR_TRAVERSE_FIELD_SUCCESS, GR_TRAVERSE_FIELD_ENERGY,
                                             GR_TRAVERSE_FIELD_TIME, GR_TRAVERSE_FIELD_SLIP};
    const GrTraverse *t = a->traverse;
    const GrEstimate share = gr_proportion(a->map->arrivals, (int)a->map->count);
    GrStatus status = GR_OK;
    put_cards(a, study, page);
    gr_page_section(page, "Where it can drive");
    gr_page_text(page, "%d x %d cells of %g m. %d of %d legs arrived: %.1f %% (95 %% interval %.1f to %.1f %%). %s",
                 t->grid.nx, t->grid.ny, t->grid.cell, a->map->arrivals, (int)a->map->count, 100 * share.value,
                 100 * share.low, 100 * share.high,
                 t->grid.nx * t->grid.ny <= WEDGE_CELLS
                     ? "Each part of a cell is the drive out of the cell in that direction."
                     : "A cell has the mean over its directions; those are in the table and the GeoTIFF.");
    if (t->grid.nx * t->grid.ny > CELLS_DRAWN) {
        gr_page_text(page, "The map has too many cells to be drawn here.");
    } else {
        for (size_t i = 0; i < sizeof fields / sizeof fields[0] && status == GR_OK; i++) {
            status = put_map(a, fields[i], i == 0, page, log);
        }
    }
    if (status == GR_OK && a->trips != NULL && t->has_ends) {
        put_routes(a, page);
    }
    if (status == GR_OK && a->trips != NULL && t->pairs > 0) {
        put_pairs(a, page);
    }
    return status;
}

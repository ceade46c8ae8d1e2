/// The page of the mission `go`: the answer, the map with what stops the rover, the routes, and what they cost.
#include "alloc.h"
#include "elementary.h"
#include "go_answer.h"
#include "number.h"
#include "plot.h"
#include "traverse_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 900 };
static const unsigned char HARD[3] = {253, 174, 97}, CLOSED[3] = {178, 24, 43}, APART[3] = {69, 117, 180};
static const double HARD_ABOVE = 0.6; // share of a limit from which the map is coloured

static const char *hex(const unsigned char color[3], char out[8])
{
    snprintf(out, 8, "#%02x%02x%02x", color[0], color[1], color[2]);
    return out;
}

static void mix(unsigned char *pixel, const unsigned char color[3], double share)
{
    for (int i = 0; i < 3; i++) {
        pixel[i] = (unsigned char)(pixel[i] + share * (color[i] - pixel[i]));
    }
}

/// Colours what is hard or closed in the best direction, and what cannot be reached.
static void tint(const void *context, GrPicture *picture)
{
    const GrGoReport *r = context;
    const GrGo *go = r->go;
    for (int k = 0; k < picture->width * picture->height; k++) {
        const int i = k % picture->width, j = k / picture->width;
        const GrBox2 *b = &picture->box;
        const double at[2] = {b->x_lower + (b->x_upper - b->x_lower) * (i + 0.5) / picture->width,
                              b->y_upper - (b->y_upper - b->y_lower) * (j + 0.5) / picture->height};
        const int cell = gr_traverse_cell(&go->t, at);
        double share = INFINITY;
        for (int n = 0; n < GR_ROUTE_DIRECTIONS && cell >= 0; n++) {
            share = fmin(share, (double)go->edges[cell * GR_ROUTE_DIRECTIONS + n].share);
        }
        unsigned char *pixel = picture->pixels + 3 * (size_t)k;
        if (share > 1 && cell >= 0) {
            mix(pixel, CLOSED, 0.5);
        } else if (cell >= 0 && r->answer->reached != NULL && !r->answer->reached[cell]) {
            mix(pixel, APART, 0.35);
        } else if (share > HARD_ABOVE && cell >= 0) {
            mix(pixel, HARD, 0.6 * (share - HARD_ABOVE) / (1 - HARD_ABOVE));
        }
    }
}

static void draw_line(const GrChart *chart, const double from[2], const double (*points)[2], int count,
                      GrSvgStyle style, GrBuffer *svg)
{
    GrPoint2 *line = gr_calloc((size_t)count + 1, sizeof *line);
    if (line == NULL) {
        return;
    }
    line[0] = gr_chart_at(chart, from[0], from[1]);
    for (int i = 0; i < count; i++) {
        line[i + 1] = gr_chart_at(chart, points[i][0], points[i][1]);
    }
    gr_svg_polyline(svg, line, count + 1, style);
    gr_free(line);
}

/// A cross where a drive ended.
static void draw_cross(const GrChart *chart, const double at[2], GrBuffer *svg)
{
    const GrPoint2 p = gr_chart_at(chart, at[0], at[1]);
    const double s = 6;
    for (int i = 0; i < 2; i++) {
        const GrSvgStyle style = {.stroke = i == 0 ? "#fff" : "#b2182b", .stroke_width = i == 0 ? 5 : 2.4};
        gr_svg_line(svg, (GrPoint2){p.x - s, p.y - s}, (GrPoint2){p.x + s, p.y + s}, style);
        gr_svg_line(svg, (GrPoint2){p.x - s, p.y + s}, (GrPoint2){p.x + s, p.y - s}, style);
    }
}

static void draw_key(const GrGoReport *r, const GrChart *chart, bool below, GrBuffer *svg)
{
    GrMapKey key = gr_map_key(chart, below);
    char color[8];
    for (int i = 0; i < r->answer->count; i++) {
        char name[24];
        const bool best = i == r->answer->best;
        snprintf(name, sizeof name, "route %d", i + 1);
        gr_map_key_line(&key,
                        (GrSvgStyle){.stroke = best ? "#1a1a1a" : gr_plot_color(i + 1), .stroke_width = best ? 4 : 2},
                        name, svg);
    }
    gr_map_key_area(&key, hex(HARD, color), "near a limit", svg);
    gr_map_key_area(&key, hex(CLOSED, color), "impassable", svg);
    if (r->answer->reached != NULL) {
        gr_map_key_area(&key, hex(APART, color), "cut off", svg);
    }
    gr_svg_text(svg, gr_map_key_next(&key), (GrSvgFont){.size = 11}, "× drive ended");
}

static void draw_map(const GrGoReport *r, bool narrow, GrBuffer *svg)
{
    const GrGo *go = r->go;
    const GrGoAnswer *a = r->answer;
    const int entries = a->count + (a->reached != NULL ? 4 : 3);
    const GrChart chart = gr_traverse_draw_frame(
        &go->t, narrow ? GR_PAGE_NARROW : WIDE, narrow ? gr_map_key_height(entries) : 0, svg, "Routes over the ground");
    gr_traverse_draw_ground(&go->t, &chart, narrow ? "go-narrow-ground" : "go-ground", true, tint, r, svg);
    gr_svg_begin_clip(svg, narrow ? "go-narrow-frame" : "go-frame", chart.left, chart.top, chart.width, chart.height);
    const double straight[1][2] = {{go->goal.asked[0], go->goal.asked[1]}};
    draw_line(&chart, go->start.asked, straight, 1, (GrSvgStyle){.stroke = "#fff", .stroke_width = 1.5, .dash = "6 5"},
              svg);
    for (int pass = 0; pass < 2; pass++) { // the best one on top
        for (int i = 0; i < a->count; i++) {
            const GrGoTry *item = &a->tries[i];
            if ((i == a->best) == (pass == 1)) {
                draw_line(&chart, go->start.at, (const double(*)[2])item->points, item->point_count,
                          (GrSvgStyle){.stroke = "#fff", .stroke_width = pass == 1 ? 6.5 : 4, .opacity = 0.8}, svg);
                draw_line(&chart, go->start.at, (const double(*)[2])item->points, item->point_count,
                          (GrSvgStyle){.stroke = pass == 1 ? "#1a1a1a" : gr_plot_color(i + 1),
                                       .stroke_width = pass == 1 ? 3.6 : 2},
                          svg);
            }
        }
    }
    for (int i = 0; i < a->count; i++) {
        if (a->tries[i].outcome[0] != '\0') {
            draw_cross(&chart, a->tries[i].end, svg);
        }
    }
    gr_traverse_draw_end(&chart, go->start.stands ? go->start.at : go->start.asked, "A", svg);
    gr_traverse_draw_end(&chart, go->goal.stands ? go->goal.at : go->goal.asked, "B", svg);
    if (a->best >= 0 && a->tries[a->best].worst.spot.hazard != GR_GO_NONE) {
        gr_traverse_draw_end(&chart, a->separated ? a->barrier.at : a->tries[a->best].worst.at, "!", svg);
    }
    gr_svg_end_group(svg);
    draw_key(r, &chart, narrow, svg);
    gr_svg_end(svg);
}

static void put_map(const GrGoReport *r, GrPage *page)
{
    GrBuffer svg[2] = {0};
    draw_map(r, false, &svg[0]);
    draw_map(r, true, &svg[1]);
    gr_page_map(page, svg,
                r->answer->separated
                    ? "From A to B. ! is the weakest place of the barrier; dashed: the straight line."
                    : "From A to B. ! is the worst place of the best route; dashed: the straight line.");
}

static void put_cards(const GrGoReport *r, GrPage *page)
{
    const GrGoAnswer *a = r->answer;
    const GrGoTry *best = a->best >= 0 ? &a->tries[a->best] : NULL;
    char note[120];
    if (!a->done) {
        gr_page_card(page, "answer", "not yet", "routes are being driven");
        return;
    }
    gr_page_card(page, "answer", gr_go_verdict_name(a->verdict), "");
    if (best == NULL) {
        return;
    }
    snprintf(note, sizeof note, "%d of %d worlds; 95 %% interval %.0f … %.0f %%", best->arrived, best->count,
             100 * a->chance.low, 100 * a->chance.high);
    gr_page_card(page, "chance to arrive", gr_show(100 * a->chance.value, 3, "%").text, note);
    if (best->arrived > 0) {
        gr_page_card(page, "energy of the motors", gr_show(best->used_energy.value / 3600, 3, "Wh").text,
                     gr_show_range(best->used_energy.low / 3600, best->used_energy.high / 3600, 3).text);
        gr_page_card(page, "time", gr_show(best->used_time.value / 60, 3, "min").text,
                     gr_show_range(best->used_time.low / 60, best->used_time.high / 60, 3).text);
    }
    gr_page_card(page, "length", gr_show(best->length, 4, "m").text, "");
}

/// The names of the files without those of folders: they lie beside the page.
static void put_files(const GrGoReport *r, GrPage *page)
{
    static const char *const ends[][2] = {{"_route.yaml", "the route as a scenario"},
                                          {"_route.csv", "way-points as CSV"},
                                          {"_route.geojson", "the route as GeoJSON"}};
    const char *slash = strrchr(r->study, '/'), *name = slash != NULL ? slash + 1 : r->study;
    const char *dot = strrchr(name, '.');
    const int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    char file[GR_FILE_PATH_SIZE];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(file, sizeof file, "%.*s%s", length, name, ends[i][0]);
        gr_page_link(page, file, ends[i][1]);
    }
    char path[GR_FILE_PATH_SIZE];
    GrErrorLog quiet = {.quiet = true};
    if (gr_go_file_path(r->study, "_route.run/replay.html", path, &quiet) == GR_OK && gr_file_exists(path)) {
        snprintf(file, sizeof file, "%.*s_route.run/replay.html", length, name);
        gr_page_link_place(page, file, r->answer->tries[r->answer->best].worst.at, "the worst place in 3D");
    }
    gr_page_text(page, "grouser run %.*s_route.yaml drives it again.", length, name);
}

static void put_costs(const GrGoReport *r, GrPage *page)
{
    const GrRoverShape *s = &r->go->ground.shape;
    const GrRoverCosts *c = &r->go->ground.costs[0];
    GrTable table = {0};
    gr_page_section(page, "What the rover holds");
    gr_page_text(
        page,
        "Measured in drives on planes of the soils of the worlds: slopes of %.3g° uphill, %.3g° across and %.3g° "
        "downhill (in four of five worlds), a step of %.3g m; clearance %.3g m. Routes are planned in cells of "
        "%.3g m, on heights %.3g m apart.",
        c->steepest[0] / GR_DEGREE, c->steepest[1] / GR_DEGREE, c->steepest[2] / GR_DEGREE, s->step, s->clearance,
        r->go->t.grid.cell, r->go->ground.frame.dx);
    gr_go_table_costs(r, &table);
    gr_page_table(page, &table);
}

GrStatus gr_go_page(const GrGoReport *r, GrPage *page, GrErrorLog *log)
{
    (void)log;
    char text[GR_GO_TEXT];
    GrTable table = {0};
    put_cards(r, page);
    if (r->answer->done) {
        gr_go_say(r, text);
        gr_page_text(page, "%s", text);
    }
    put_map(r, page);
    if (r->answer->done && r->answer->verdict == GR_GO_ARRIVES) {
        put_files(r, page);
    }
    gr_page_section(page, "Routes");
    gr_page_text(page,
                 "Each route is driven in two worlds, and in all %d if it arrives in one of these; the next one goes "
                 "around the places where drives ended. Straight ahead the rover arrives in %d of %d%s%s.",
                 r->go->t.worlds, r->straight.arrived, r->straight.count, r->straight.outcome[0] != '\0' ? ": " : "",
                 r->straight.outcome);
    gr_go_table_tries(r, &table);
    gr_page_table(page, &table);
    put_costs(r, page);
    return GR_OK;
}

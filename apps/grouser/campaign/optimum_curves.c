/// The part of an optimum's page that says why it is the best: its goals along each variable, the others at the
/// optimum.
#include "optimum_curves.h"

#include "chart.h"
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 5, WIDTH = 500, HEIGHT = 310 };

static const char *const FEASIBLE = "#0072b2", *const INFEASIBLE = "#d55e00", *const BEST = "#009e73";

/// A limit counts as reached within this part of itself.
static const double REACHED = 0.005;

static bool is_limit(const GrGoal *goal)
{
    return goal->wish == GR_WISH_BELOW || goal->wish == GR_WISH_ABOVE;
}

/// A point of a curve.
typedef struct CurvePoint {
    double x, y;
    bool feasible;
    char text[GR_VARIABLE_TEXT];
} CurvePoint;

static CurvePoint curve_point(const GrOptimumReport *r, const GrGoal *goal, int coordinate, int index)
{
    const GrSearch *s = &r->search;
    const int at = coordinate * r->curve_length + index, variable = s->variable[coordinate];
    double values[GR_CAMPAIGN_WISHES + 1];
    GrRow row;
    gr_search_row(s, r->curve_points + (size_t)at * (size_t)s->dimension, 0, &row);
    gr_search_values(s, &r->curves[at], values);
    CurvePoint p = {.x = row.numbers[variable], .y = r->curves[at].metrics[goal->measure], .feasible = true};
    if (isnan(p.x)) { // a name: its place in the list
        p.x = r->curve_points[(size_t)at * (size_t)s->dimension + (size_t)coordinate];
    }
    for (int g = 0; g < s->constraint_count; g++) {
        p.feasible = p.feasible && values[s->objective_count + g] <= 0;
    }
    snprintf(p.text, sizeof p.text, "%.150s", row.values[variable].text);
    return p;
}

/// The best point on the curve of a coordinate.
static CurvePoint best_point(const GrOptimumReport *r, const GrGoal *goal, int coordinate)
{
    GrRow row;
    gr_optimum_row(r, r->chosen, &row);
    const double x = row.numbers[r->search.variable[coordinate]];
    return (CurvePoint){.x = isnan(x) ? r->optimum.points[r->chosen * r->search.dimension + coordinate] : x,
                        .y = r->best[r->chosen].metrics[goal->measure],
                        .feasible = !(r->optimum.violations[r->chosen] > 0),
                        .text = "best"};
}

static void draw_piece(const GrChart *chart, const CurvePoint *a, const CurvePoint *b, GrBuffer *svg)
{
    if (isfinite(a->y) && isfinite(b->y)) {
        gr_svg_line(svg, gr_chart_at(chart, a->x, a->y), gr_chart_at(chart, b->x, b->y),
                    a->feasible && b->feasible ? (GrSvgStyle){.stroke = FEASIBLE, .stroke_width = 2.2}
                                               : (GrSvgStyle){.stroke = "#999", .dash = "5 4"});
    }
}

static void draw_curve_point(const GrChart *chart, const CurvePoint *p, bool is_best, GrBuffer *svg)
{
    char text[GR_VARIABLE_TEXT + 80], number[GR_NUMBER_SIZE];
    gr_number_round(p->y, DIGITS, number);
    snprintf(text, sizeof text, "%s: %s%s", p->text, number, p->feasible ? "" : " (outside the limits)");
    if (isfinite(p->y)) {
        gr_chart_begin_points(svg, is_best ? BEST : p->feasible ? FEASIBLE : INFEASIBLE, 1);
        gr_chart_point(svg, gr_chart_at(chart, p->x, p->y), is_best ? 5 : 3, text);
        gr_svg_end_group(svg);
    }
}

/// The line passes the best point, too; the points are in ascending order.
static void draw_curve(const GrOptimumReport *r, const GrGoal *goal, int coordinate, const GrChart *chart,
                       GrBuffer *svg)
{
    const CurvePoint best = best_point(r, goal, coordinate);
    for (int k = 1; k < r->curve_length; k++) {
        const CurvePoint a = curve_point(r, goal, coordinate, k - 1), b = curve_point(r, goal, coordinate, k);
        const bool between = a.x < best.x && best.x < b.x;
        draw_piece(chart, &a, between ? &best : &b, svg);
        if (between) {
            draw_piece(chart, &best, &b, svg);
        }
    }
    for (int k = 0; k < r->curve_length; k++) {
        const CurvePoint p = curve_point(r, goal, coordinate, k);
        draw_curve_point(chart, &p, false, svg);
    }
    draw_curve_point(chart, &best, true, svg);
}

static void put_curve(const GrOptimumReport *r, const GrGoal *goal, int coordinate, GrBuffer *page)
{
    const GrCampaign *c = r->campaign;
    const CurvePoint best = best_point(r, goal, coordinate);
    GrChartDef def = {.width = WIDTH,
                      .height = HEIGHT,
                      .x_label = c->variables[r->search.variable[coordinate]].path,
                      .y_label = c->measures.items[goal->measure].name,
                      .tight_x = true,
                      .tight_y = true,
                      .x = {best.x, best.x},
                      .y = {best.y, best.y}};
    for (int k = 0; k < r->curve_length; k++) {
        const CurvePoint p = curve_point(r, goal, coordinate, k);
        def.x[0] = fmin(def.x[0], p.x);
        def.x[1] = fmax(def.x[1], p.x);
        def.y[0] = fmin(def.y[0], p.y); // fmin() and fmax() skip NAN
        def.y[1] = fmax(def.y[1], p.y);
    }
    if (is_limit(goal)) {
        def.y[0] = fmin(def.y[0], goal->limit);
        def.y[1] = fmax(def.y[1], goal->limit);
    }
    GrBuffer svg = {0};
    gr_svg_begin(&svg, WIDTH, HEIGHT, "one variable alone");
    const GrChart chart = gr_chart_draw(&svg, &def);
    if (is_limit(goal)) {
        gr_svg_line(&svg, gr_chart_at(&chart, def.x[0], goal->limit), gr_chart_at(&chart, def.x[1], goal->limit),
                    (GrSvgStyle){.stroke = INFEASIBLE, .stroke_width = 1.5, .dash = "7 4"});
    }
    draw_curve(r, goal, coordinate, &chart, &svg);
    gr_svg_end(&svg);
    page->failed = page->failed || svg.failed;
    if (!svg.failed) {
        gr_page_svg(page, svg.data, NULL);
    }
    gr_buffer_free(&svg);
}

void gr_optimum_row(const GrOptimumReport *r, int point, GrRow *row)
{
    gr_search_row(&r->search, r->optimum.points + (size_t)point * (size_t)r->search.dimension, 0, row);
}

/// The limits that the optimum has reached: they hold it, and loosening them makes it better.
static void put_reached(const GrOptimumReport *r, GrBuffer *page)
{
    const GrCampaign *c = r->campaign;
    GrBuffer text = {0};
    int count = 0;
    for (int i = 0; i < c->search.goal_count; i++) {
        const GrGoal *goal = &c->search.goals[i];
        const double value = r->best[r->chosen].metrics[goal->measure];
        if (is_limit(goal) && fabs(value - goal->limit) <= REACHED * fabs(goal->limit)) {
            gr_buffer_printf(&text, "%s%s (%.4g, limit %.4g)",
                             count++ > 0 ? ", " : "Limits reached at the best point: ",
                             c->measures.items[goal->measure].name, value, goal->limit);
        }
    }
    gr_buffer_puts(&text, count > 0 ? ". Only a looser one of these allows something better." : "");
    page->failed = page->failed || text.failed;
    if (count > 0 && !text.failed) {
        gr_page_paragraph(page, text.data);
    }
    gr_buffer_free(&text);
}

void gr_optimum_curves(const GrOptimumReport *r, GrBuffer *page)
{
    const GrSearchPlan *plan = &r->campaign->search;
    gr_page_section(page, "Each variable alone through its range");
    gr_page_paragraph(page, r->search.objective_count > 1
                                ? "The others are those of the balanced point of the front (green), the nearest to the "
                                  "best value of every objective. Blue: within all limits; red: outside. Dashed: the "
                                  "limit."
                                : "The others at the best point (green). Blue: within all limits; red: outside. "
                                  "Dashed: the limit.");
    if (r->search.objective_count == 1) {
        put_reached(r, page);
    }
    for (int goal = 0; goal < plan->goal_count; goal++) {
        gr_page_begin_plots(page);
        for (int i = 0; i < r->search.dimension; i++) {
            put_curve(r, &plan->goals[goal], i, page);
        }
        gr_page_end_plots(page);
    }
}

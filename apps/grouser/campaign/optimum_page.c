/// The page of `grouser optimize`: the best values, convergence, the Pareto front, and what each variable does alone;
/// then the page of the study with all runs of the search.
#include "optimize.h"

#include "alloc.h"
#include "chart.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "plot.h"
#include "study_figures.h"
#include "study_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the goals along each variable, through the best point

enum { DIGITS = 4, WIDTH = 440, HEIGHT = 290 };

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
    char text[GR_VARIABLE_TEXT + 140];
    snprintf(text, sizeof text, "%s: %s%s", p->text, gr_show(p->y, DIGITS, "").text,
             p->feasible ? "" : " (outside the limits)");
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

static void put_curve(const GrOptimumReport *r, const GrGoal *goal, int coordinate, GrPage *page)
{
    const GrCampaign *c = r->campaign;
    const CurvePoint best = best_point(r, goal, coordinate);
    char x_label[GR_LABEL_SIZE], y_label[GR_LABEL_SIZE];
    GrChartDef def = {.width = WIDTH,
                      .height = HEIGHT,
                      .x_label = gr_label_of(c->variables[r->search.variable[coordinate]].path, x_label),
                      .y_label = gr_label_of(c->measures.items[goal->measure].name, y_label),
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
    gr_page_figure(page, &svg, NULL);
}

void gr_optimum_row(const GrOptimumReport *r, int point, GrRow *row)
{
    gr_search_row(&r->search, r->optimum.points + (size_t)point * (size_t)r->search.dimension, 0, row);
}

/// The limits that the optimum has reached: they hold it, and loosening them makes it better.
static void put_reached(const GrOptimumReport *r, GrPage *page)
{
    const GrCampaign *c = r->campaign;
    GrBuffer text = {0};
    int count = 0;
    for (int i = 0; i < c->search.goal_count; i++) {
        const GrGoal *goal = &c->search.goals[i];
        const double value = r->best[r->chosen].metrics[goal->measure];
        if (is_limit(goal) && fabs(value - goal->limit) <= REACHED * fabs(goal->limit)) {
            char words[GR_LABEL_SIZE + GR_NUMBER_SIZE];
            gr_buffer_printf(&text, "%s%s", count++ > 0 ? ", " : "Limits reached at the best point: ",
                             gr_label_limit(c->measures.items[goal->measure].name, goal->wish == GR_WISH_BELOW,
                                            goal->limit, words, sizeof words));
        }
    }
    gr_buffer_puts(&text, count > 0 ? ". Only a looser one of these allows something better." : "");
    page->failed = page->failed || text.failed;
    if (count > 0 && !text.failed) {
        gr_page_text(page, "%s", text.data);
    }
    gr_buffer_free(&text);
}

/// Adds the section to a page.
static void optimum_curves(const GrOptimumReport *r, GrPage *page)
{
    const GrSearchPlan *plan = &r->campaign->search;
    gr_page_section(page, "Each variable alone through its range");
    gr_page_text(page, "%s",
                 r->search.objective_count > 1
                     ? "The others are those of the balanced point of the front (green), the nearest to the "
                       "best value of every objective. Blue: within all limits; red: outside. Dashed: the "
                       "limit."
                     : "The others at the best point (green). Blue: within all limits; red: outside. "
                       "Dashed: the limit.");
    if (r->search.objective_count == 1) {
        put_reached(r, page);
    }
    for (int goal = 0; goal < plan->goal_count; goal++) {
        for (int i = 0; i < r->search.dimension; i++) {
            put_curve(r, &plan->goals[goal], i, page);
        }
    }
}

// ---- the page

enum { ROWS = 12, COLUMNS = 24 };

/// The run of the study with the values of a point; −1: none.
static int find_run(const GrStudyTable *t, const GrRow *row)
{
    for (int i = 0; i < t->row_count; i++) {
        bool same = true;
        for (int k = 0; k < row->count && k < t->variable_count && same; k++) {
            const char *text = t->texts[(size_t)i * (size_t)t->variable_count + (size_t)k];
            same = text != NULL ? strcmp(text, row->values[k].text) == 0 : gr_study_value(t, i, k) == row->numbers[k];
        }
        if (same) {
            return i;
        }
    }
    return -1;
}

/// The design first: its goals, its variables, what it has of each limit.
static void put_cards(const GrOptimumReport *r, const GrStudyPage *def, GrPage *page)
{
    const GrCampaign *c = r->campaign;
    const bool several = r->search.objective_count > 1, feasible = !(r->optimum.violations[r->chosen] > 0);
    char words[GR_LABEL_SIZE], note[GR_LABEL_SIZE];
    const char *unit;
    GrRow row;
    gr_optimum_row(r, r->chosen, &row);
    gr_page_card(page, "answer",
                 several    ? "a balanced design"
                 : feasible ? "the best design"
                            : "no design",
                 !gr_optimum_has_limits(r) ? NULL
                 : feasible                ? "keeps all limits"
                                           : "keeps all limits; the nearest one:");
    for (int limits = 0; limits < 2; limits++) {
        for (int i = 0; i < c->search.goal_count; i++) {
            const GrGoal *goal = &c->search.goals[i];
            if (is_limit(goal) == (limits == 1)) {
                unit = gr_label_words(c->measures.items[goal->measure].name, words);
                snprintf(note, sizeof note, "%s%s%s", gr_optimum_wish(goal->wish), limits == 1 ? " " : "",
                         limits == 1 ? gr_show(goal->limit, 6, unit).text : "");
                gr_page_card(page, words, gr_show(r->best[r->chosen].metrics[goal->measure], DIGITS, unit).text, note);
            }
        }
        for (int i = 0; i < row.count && limits == 0; i++) {
            unit = gr_label_words(row.paths[i], words);
            gr_page_card(page, words,
                         isnan(row.numbers[i]) ? row.values[i].text : gr_show(row.numbers[i], DIGITS, unit).text, NULL);
        }
    }
    gr_study_page_run_cards(def, page);
}

/// What else is known of the best point, and the command that repeats it.
static void put_best(const GrOptimumReport *r, const GrStudyPage *def, GrPage *page)
{
    const GrCampaign *c = r->campaign;
    GrRow row;
    gr_optimum_row(r, 0, &row);
    gr_page_section(page, "The best design");
    for (int i = 0; i < c->measures.count; i++) {
        char words[GR_LABEL_SIZE];
        const char *unit = gr_label_words(c->measures.items[i].name, words);
        bool has_card = false;
        for (int k = 0; k < c->search.goal_count; k++) {
            has_card = has_card || c->search.goals[k].measure == i;
        }
        if (!has_card) {
            gr_page_fact(page, words, "%s", gr_show(r->best[0].metrics[i], DIGITS, unit).text);
        }
    }
    gr_page_fact(page, "outcome", "%s", r->best[0].outcome);
    const int run = find_run(def->table, &row);
    if (run >= 0 && def->table->of_scenario) {
        GrBuffer command = {0};
        gr_study_page_command(def->path, def->table->ids[run], &command);
        gr_page_fact(page, "repeat with", "%s", command.data != NULL ? command.data : "");
        page->failed = page->failed || command.failed;
        gr_buffer_free(&command);
    }
}

/// The best value as steps: x, values within the limits, values outside.
typedef struct Steps {
    double *x, *within, *outside; ///< [count] x is owned
    int count;
    bool logarithm, any_outside;
} Steps;

static bool make_steps(const GrOptimum *o, double sign, Steps *out)
{
    const int n = o->history_count;
    const size_t room = 2 * (size_t)n + 1;
    double least = INFINITY, most = -INFINITY;
    *out = (Steps){.x = gr_calloc(3 * room, sizeof(double))};
    if (out->x == NULL) {
        return false;
    }
    out->within = out->x + room;
    out->outside = out->within + room;
    for (int i = 0; i < n; i++) {
        least = fmin(least, sign * o->history[i].value);
        most = fmax(most, sign * o->history[i].value);
    }
    out->logarithm = least > 0 && most / least > 300;
    for (int i = 0; i < n; i++) {
        const double value = out->logarithm ? log10(sign * o->history[i].value) : sign * o->history[i].value;
        const bool feasible = !(o->history[i].violation > 0);
        out->any_outside = out->any_outside || !feasible;
        for (int k = 0; k < (i + 1 < n ? 2 : 1); k++) {
            out->x[out->count] = o->history[i + k].evaluations;
            out->within[out->count] = feasible ? value : (double)NAN;
            out->outside[out->count++] = feasible ? (double)NAN : value;
        }
    }
    return true;
}

static GrStatus put_convergence(const GrOptimumReport *r, GrPage *page, GrErrorLog *log)
{
    const GrGoal *goal = &r->campaign->search.goals[0];
    Steps steps;
    if (!make_steps(&r->optimum, goal->wish == GR_WISH_MAXIMIZE ? -1 : 1, &steps)) {
        return gr_out_of_memory(log, NULL);
    }
    char label[GR_VARIABLE_PATH + 20], text[200], name[GR_LABEL_SIZE];
    snprintf(label, sizeof label, steps.logarithm ? "log10(%s)" : "%s",
             gr_label_of(r->campaign->measures.items[goal->measure].name, name));
    snprintf(text, sizeof text, "%s, %d evaluations; %s.", gr_optimizer_method(r->def.method)->name,
             r->optimum.evaluations, gr_optimum_stop_text(r->optimum.stop));
    const GrSeries series[] = {{.name = steps.any_outside ? "best within the limits" : NULL,
                                .key = "best",
                                .x = steps.x,
                                .y = steps.within,
                                .count = steps.count},
                               {.name = "best so far, outside the limits",
                                .kind = GR_SERIES_DASHED,
                                .x = steps.x,
                                .y = steps.outside,
                                .count = steps.count,
                                .color = 6}};
    const GrPanel panel = {
        .x_label = "evaluations", .y_label = label, .series = series, .series_count = steps.any_outside ? 2 : 1};
    gr_page_section(page, "Convergence");
    gr_page_panels(page, &panel, 1, text);
    gr_free(steps.x);
    return GR_OK;
}

/// Table of points of the front, evenly chosen along the first objective.
static void put_front_rows(const GrOptimumReport *r, const GrStudyPage *def, GrPage *page)
{
    const GrCampaign *c = r->campaign;
    const int points = r->optimum.point_count, shown = points < ROWS ? points : ROWS;
    GrTable table = {0};
    gr_table_heads(&table, ">run");
    for (int i = 0; i < c->measures.count && table.column_count < COLUMNS; i++) {
        gr_table_column(&table, c->measures.items[i].name, GR_RIGHT);
    }
    const int measures = table.column_count - 1;
    for (int i = 0; i < c->variable_count && table.column_count < COLUMNS; i++) {
        gr_table_column(&table, c->variables[i].path, GR_RIGHT);
    }
    for (int k = 0; k < shown; k++) {
        const int point = shown > 1 ? k * (points - 1) / (shown - 1) : 0;
        GrRow row;
        gr_optimum_row(r, point, &row);
        const int run = find_run(def->table, &row);
        gr_table_printf(&table, run >= 0 ? "%" PRId64 : "–", run >= 0 ? def->table->ids[run] : 0);
        for (int i = 1; i < table.column_count; i++) {
            const int variable = i - 1 - measures;
            const double value = variable < 0 ? r->best[point].metrics[i - 1] : row.numbers[variable];
            variable >= 0 && isnan(value) ? gr_table_text(&table, row.values[variable].text)
                                          : gr_table_number(&table, value, DIGITS);
        }
    }
    gr_page_table(page, &table);
}

static GrStatus put_front(const GrOptimumReport *r, const GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    const GrCampaign *c = r->campaign;
    bool *is_front = gr_calloc((size_t)def->table->row_count + 1, sizeof *is_front);
    if (is_front == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < r->optimum.point_count; i++) {
        GrRow row;
        gr_optimum_row(r, i, &row);
        const int run = find_run(def->table, &row);
        if (run >= 0) {
            is_front[run] = true;
        }
    }
    int objectives[GR_CAMPAIGN_WISHES], count = 0;
    for (int i = 0; i < c->search.goal_count; i++) {
        if (c->search.goals[i].wish == GR_WISH_MINIMIZE || c->search.goals[i].wish == GR_WISH_MAXIMIZE) {
            objectives[count++] = c->search.goals[i].measure;
        }
    }
    gr_page_section(page, "Pareto front, %d point%s", r->optimum.point_count, r->optimum.point_count == 1 ? "" : "s");
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i; k++) {
            gr_study_front(&def->view, (const int[]){objectives[k], objectives[i]}, is_front, page);
        }
    }
    put_front_rows(r, def, page);
    gr_free(is_front);
    return GR_OK;
}

GrStatus gr_optimum_put(const GrOptimumReport *r, GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    char text[GR_OPTIMUM_ANSWER];
    gr_optimum_answer(r, text, sizeof text);
    put_cards(r, def, page);
    gr_page_text(page, "%s", text);
    if (r->search.objective_count > 1) {
        status = put_front(r, def, page, log);
    } else {
        put_best(r, def, page);
    }
    status = status == GR_OK ? put_convergence(r, page, log) : status;
    optimum_curves(r, page);
    gr_page_section(page, "All runs of the search");
    gr_page_text(page, "A search does not sample its variables evenly: shares, means and correlations below "
                       "describe where it looked.");
    return status;
}

static GrStatus put_sections(void *context, GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    return gr_optimum_put(context, def, page, log);
}

GrStatus gr_optimum_page(const GrOptimumReport *report, GrErrorLog *log)
{
    return gr_campaign_job_page(report->job, (GrStudySections){(void *)(uintptr_t)report, put_sections, true}, log);
}

#include "run_report.h"

#include "alloc.h"
#include "model_data.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "plot.h"
#include "run_bands.h"
#include "run_field.h"
#include "run_map.h"
#include "ruts_raster.h"
#include "trust_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 64, CELL = 64 };
static const double DEG = 1 / GR_DEGREE, PANEL_WIDTH = 560, PANEL_HEIGHT = 260, LINE = 1.3;

#define NO_BREAK "\u00a0" // keeps a number and its unit on one line

/// A number with its unit, rounded for display.
static const char *show(double value, int digits, const char *unit, char out[CELL])
{
    char number[GR_NUMBER_SIZE];
    if (isnan(value)) {
        snprintf(out, CELL, "–");
        return out;
    }
    gr_number_round(value, digits, number);
    snprintf(out, CELL, "%s%s%s", number, unit[0] != '\0' ? NO_BREAK : "", unit);
    return out;
}

/// Time in readable form: "95 s", "1 h 12 min".
static const char *show_time(double seconds, char out[CELL])
{
    if (seconds < 600) {
        return show(seconds, 3, "s", out);
    }
    const long minutes = lround(seconds / 60);
    if (minutes < 60) {
        snprintf(out, CELL, "%ld min", minutes);
    } else {
        snprintf(out, CELL, "%ld h %ld min", minutes / 60, minutes % 60);
    }
    return out;
}

static void put_tiles(GrBuffer *page, const GrRunSummary *s)
{
    char a[CELL], b[CELL], note[2 * CELL], outcome[CELL];
    snprintf(outcome, sizeof outcome, "%s", gr_outcome_name(s->outcome));
    for (char *c = outcome; *c != '\0'; c++) { // "reached_goal" becomes "reached goal"
        *c = *c == '_' ? ' ' : *c;
    }
    gr_page_begin_tiles(page);
    gr_page_tile(page, "outcome", outcome, s->cause[0] != '\0' ? s->cause : gr_outcome_text(s->outcome));
    gr_page_tile(page, "simulated time", show_time(s->time, a), s->time < 600 ? NULL : show(s->time, 5, "s", b));
    snprintf(note, sizeof note, "mean speed %s", show(s->time > 0 ? 100 * s->distance / s->time : 0, 3, "cm/s", b));
    gr_page_tile(page, "distance", show(s->distance, 4, "m", a), note);
    snprintf(note, sizeof note, "%s, without recovery", show(s->energy_per_metre, 4, "J/m", b));
    gr_page_tile(page, "motor energy", show(s->energy.electric, 4, "J", a), note);
    snprintf(note, sizeof note, "roll %s", show(DEG * s->roll_max, 3, "deg", b));
    gr_page_tile(page, "largest pitch", show(DEG * s->pitch_max, 3, "deg", a), note);
    snprintf(note, sizeof note, "wall time %s", show(s->wall_time, 3, "s", b));
    gr_page_tile(page, "real-time factor", show(s->real_time_factor, 3, "", a), note);
    gr_page_end_tiles(page);
}

/// One line of a panel.
typedef struct Line {
    int quantity;     ///< of the history
    const char *name; ///< for the legend; NULL: the colour is explained elsewhere
    const char *key;  ///< for the script of the page, where there is no name
} Line;

typedef struct Figure {
    const char *title, *label;
    double least; ///< the axis spans at least this: smaller changes are noise
    Line lines[SERIES_MAX];
    int line_count;
} Figure;

static void add_line(Figure *figure, Line line)
{
    if (figure->line_count < SERIES_MAX) {
        figure->lines[figure->line_count++] = line;
    }
}

static bool is_shown(const GrRunReport *report, const GrRunField *field)
{
    switch (field->plot.condition) {
    case GR_LINE_WITH_PATH:
        return report->def->path_count > 0;
    case GR_LINE_IF_NOT_ZERO:
        return gr_field_number(field, &report->summary->energy) != 0;
    case GR_LINE_ALWAYS:
        break;
    }
    return true;
}

/// A figure with the lines of all quantities that name it.
static Figure make_figure(const GrRunReport *report, GrFigure which)
{
    enum { PLACES = 4 };
    const GrRunHistory *h = report->history;
    const GrFigureRow *row = &gr_figures[which];
    Figure figure = {.title = row->title, .label = row->label, .least = row->least};
    for (int place = 0; place < PLACES; place++) {
        for (int i = 0; i < h->quantity_count; i++) {
            const GrFieldPlot *plot = &h->quantities[i].field->plot;
            if (plot->figure == which && plot->place == place && is_shown(report, h->quantities[i].field)) {
                const GrHistoryQuantity *q = &h->quantities[i];
                const bool wheel = q->owner == GR_OWNER_WHEEL;
                add_line(&figure,
                         (Line){i, plot->line, wheel ? gr_model_wheel_name(report->def->model, q->index) : row->title});
            }
        }
    }
    return figure;
}

/// Legend above the panels, where it hides no data.
static void put_line_legend(GrBuffer *page, const Figure *figure)
{
    if (figure->line_count == 0 || figure->lines[0].name == NULL) {
        return;
    }
    gr_page_begin_legend(page);
    for (int i = 0; i < figure->line_count; i++) {
        gr_page_legend(page, gr_plot_color(i + 1), figure->lines[i].name);
    }
    gr_page_end_legend(page);
}

/// Plots of a section are side by side where there is room. Each is drawn against time and against distance, and the
/// reader chooses (gr_page_switch()).
static void begin_plots(GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"plots\">\n");
}

static void end_plots(GrBuffer *page)
{
    gr_buffer_puts(page, "</div>\n");
}

static void put_panel(GrBuffer *page, const GrRunHistory *h, const Figure *figure, bool by_distance,
                      GrHistoryBand *bands)
{
    GrSeries series[SERIES_MAX];
    GrBuffer svg = {0};
    for (int i = 0; i < figure->line_count; i++) {
        const Line *line = &figure->lines[i];
        GrHistoryBand *band = &bands[i];
        gr_run_history_band(h, line->quantity, by_distance, band);
        series[i] = (GrSeries){.key = line->name != NULL ? line->name : line->key,
                               .x = band->x,
                               .y = band->mean,
                               .lower = band->lower,
                               .upper = band->upper,
                               .count = band->count,
                               .width = LINE};
    }
    const GrPanel panel = {.title = figure->title,
                           .x_label = by_distance ? "distance [m]" : "time [s]",
                           .y_label = figure->label,
                           .series = series,
                           .series_count = figure->line_count,
                           .zero_line = true,
                           .y_least = figure->least,
                           .x_upper = by_distance ? h->distance[h->count - 1][1] : h->time[h->count - 1][1]};
    const GrPlot plot = {.panels = &panel, .panel_count = 1, .panel_width = PANEL_WIDTH, .panel_height = PANEL_HEIGHT};
    if (gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_choice(page, by_distance ? "distance" : "time", svg.data);
    } else {
        page->failed = true;
    }
    gr_buffer_free(&svg);
}

static void put_figure(GrBuffer *page, const GrRunHistory *h, const Figure *figure)
{
    GrHistoryBand *bands = gr_malloc(sizeof *bands * ((size_t)figure->line_count + 1));
    if (bands == NULL) {
        page->failed = true;
        return;
    }
    gr_buffer_puts(page, "<div>\n");
    put_line_legend(page, figure);
    put_panel(page, h, figure, false, bands);
    put_panel(page, h, figure, true, bands);
    gr_buffer_puts(page, "</div>\n");
    gr_free(bands);
}

static void put_wheel_legend(GrBuffer *page, const GrModel *model)
{
    gr_page_begin_legend(page);
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        gr_page_legend(page, gr_plot_color(i + 1), gr_model_wheel_name(model, i));
    }
    gr_page_end_legend(page);
}

/// The figures of a section side by side, but for those that the caller makes itself.
static void put_section_figures(GrBuffer *page, const GrRunReport *report, GrFigureSection section)
{
    begin_plots(page);
    for (int i = GR_FIGURE_NONE + 1; i < GR_FIGURE_COUNT; i++) {
        if (gr_figures[i].section == section) {
            Figure figure = make_figure(report, (GrFigure)i);
            if (i == GR_FIGURE_RESIDUAL) { // a residual below a millionth of the energy flow is rounding
                figure.least += 1e-6 * (report->summary->energy.electric + fabs(report->summary->energy.soil));
            }
            if (figure.line_count > 0) { // light and battery are not in every run
                put_figure(page, report->history, &figure);
            }
        }
    }
    end_plots(page);
}

static void put_wheel_figures(GrBuffer *page, const GrRunReport *report)
{
    gr_page_section(page, "Wheels");
    put_wheel_legend(page, report->def->model);
    put_section_figures(page, report, GR_SECTION_WHEELS);
    gr_page_paragraph(
        page,
        "Lines are means over intervals of the run; bands span the lowest to the highest value in each interval.");
}

static void put_states(GrBuffer *page, const GrRunReport *report)
{
    gr_page_section(page, "Contact states");
    gr_page_begin_legend(page);
    for (int i = 0; i < gr_wheel_state_count(); i++) {
        if (gr_state_seen(report->history, i)) {
            gr_page_legend(page, gr_state_color(i), gr_wheel_state_text(i));
        }
    }
    gr_page_end_legend(page);
    gr_buffer_puts(page, "<div class=\"plots\"><div>\n");
    for (int side = 0; side < 2; side++) {
        GrBuffer svg = {0};
        if (gr_state_bands_draw(report->history, report->def->model, side == 1, &svg) == GR_OK) {
            gr_page_choice(page, side == 1 ? "distance" : "time", svg.data);
        } else {
            page->failed = true;
        }
        gr_buffer_free(&svg);
    }
    gr_buffer_puts(page, "</div></div>\n");
}

/// Plots of free and steering joints. Wheel axles are left out: their angle only grows.
static void put_joint_figures(GrBuffer *page, const GrRunReport *report)
{
    static const struct {
        GrJointRole role;
        const char *title;
    } ROLES[] = {{GR_ROLE_PASSIVE, "suspension"}, {GR_ROLE_STEER, "steering"}, {GR_ROLE_WALK, "walking legs"}};
    const GrModel *m = report->def->model;
    const GrFigureRow *row = &gr_figures[GR_FIGURE_JOINT_ANGLE];
    const GrRunHistory *h = report->history;
    bool begun = false;
    for (size_t k = 0; k < sizeof ROLES / sizeof ROLES[0]; k++) {
        Figure figure = {.title = ROLES[k].title, .label = row->label, .least = row->least};
        for (int i = 0; i < h->quantity_count; i++) {
            const GrHistoryQuantity *q = &h->quantities[i];
            if (q->field->plot.figure == GR_FIGURE_JOINT_ANGLE && gr_model_joint_role(m, q->index) == ROLES[k].role) {
                add_line(&figure, (Line){i, gr_model_joint_name(m, q->index), NULL});
            }
        }
        if (figure.line_count > 0) {
            if (!begun) {
                gr_page_section(page, "Joints");
                begin_plots(page);
                begun = true;
            }
            put_figure(page, report->history, &figure);
        }
    }
    if (begun) {
        end_plots(page);
    }
}

/// Largest torque as a percentage of the motor's limit; NAN: the motor has none.
static double torque_used(const GrRunReport *report, int wheel)
{
    const GrRoverDef *rover = report->def->rover;
    for (int i = 0; rover != NULL && i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->role == GR_ROLE_DRIVE && joint->child == rover->wheels[wheel].body) {
            const double limit = joint->motor.torque_limit;
            return isfinite(limit) ? 100 * report->summary->wheels[wheel].torque_max / limit : (double)NAN;
        }
    }
    return (double)NAN;
}

static void put_wheel_table(GrBuffer *page, const GrRunReport *report)
{
    static const char *const HEADS[] = {"wheel",      "slip, mean", "largest",      "sinkage, mean", "largest",
                                        "load, mean", "largest",    "torque, mean", "largest",       "of its limit",
                                        "work, net",  "chatter",    "airborne"};
    enum { COLUMNS = sizeof HEADS / sizeof HEADS[0] };
    const unsigned numeric = ~1u;
    gr_page_begin_table(page, HEADS, COLUMNS, numeric);
    for (int i = 0; i < report->summary->wheel_count; i++) {
        const GrWheelSummary *w = &report->summary->wheels[i];
        char text[COLUMNS][CELL];
        const char *cells[COLUMNS] = {gr_model_wheel_name(report->def->model, i),
                                      show(w->slip_mean, 3, "", text[1]),
                                      show(w->slip_max, 3, "", text[2]),
                                      show(1000 * w->sinkage_mean, 3, "mm", text[3]),
                                      show(1000 * w->sinkage_max, 3, "mm", text[4]),
                                      show(w->load_mean, 4, "N", text[5]),
                                      show(w->load_max, 4, "N", text[6]),
                                      show(w->torque_mean, 3, "N" NO_BREAK "m", text[7]),
                                      show(w->torque_max, 3, "N" NO_BREAK "m", text[8]),
                                      show(torque_used(report, i), 3, "%", text[9]),
                                      show(w->energy, 4, "J", text[10]),
                                      show(w->chatter, 3, "/s", text[11]),
                                      show(100 * w->airborne, 3, "%", text[12])};
        gr_page_row(page, cells, COLUMNS, numeric);
    }
    gr_page_end_table(page);
}

static void put_supply(GrBuffer *page, const GrSupplySummary *s)
{
    static const char *const HEADS[] = {"light and battery", ""};
    if (!s->given) {
        return;
    }
    const struct {
        const char *name;
        double value;
        const char *unit;
        bool battery;
    } rows[] = {{"Sun in sight, mean over the time", 100 * s->light_mean, "%", false},
                {"longest time in the dark", s->dark_longest / 3600, "h", false},
                {"energy of the panel, used or stored", s->solar / 3600, "Wh", false},
                {"energy of the panel while the battery was full", s->wasted / 3600, "Wh", true},
                {"consumed", s->load / 3600, "Wh", false},
                {"of that, drives", s->drives / 3600, "Wh", false},
                {"battery at the start", s->charge_start / 3600, "Wh", true},
                {"battery at the end", s->charge_end / 3600, "Wh", true},
                {"least in the battery", s->charge_min / 3600, "Wh", true},
                {"capacity of the battery", s->capacity / 3600, "Wh", true}};
    gr_page_begin_table(page, HEADS, 2, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char value[CELL];
        const char *cells[] = {rows[i].name, show(rows[i].value, 4, rows[i].unit, value)};
        if (s->capacity > 0 || !rows[i].battery) {
            gr_page_row(page, cells, 2, 2);
        }
    }
    gr_page_end_table(page);
}

static void put_localisation(GrBuffer *page, const GrRunSummary *summary)
{
    static const char *const HEADS[] = {"localisation by the rover's own sensors", ""};
    const GrLocalisationSummary *s = &summary->localisation;
    if (!s->given) {
        return;
    }
    const double share = summary->distance > 0 ? 100 * s->end.error / summary->distance : (double)NAN;
    const struct {
        const char *name;
        double value;
        const char *unit;
    } rows[] = {{"error at the end, horizontal", s->end.error, "m"},
                {"of the distance", share, "%"},
                {"3 sigma that the filter expects", 3 * s->end.sigma, "m"},
                {"largest error", s->error_max, "m"},
                {"error, root mean square over the time", s->error_rms, "m"},
                {"error of the height at the end", s->end.error_up, "m"},
                {"error of the heading at the end", s->end.heading_error / GR_DEGREE, "deg"},
                {"time with an error above 3 sigma", 100 * s->beyond, "%"},
                {"normalised squared error, mean (3 is expected)", s->nees_mean, ""},
                {"age of the estimate", s->end.delay, "s"},
                {"numbers rejected as too far from the estimate", (double)s->rejected, ""}};
    gr_page_begin_table(page, HEADS, 2, 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char value[CELL];
        const char *cells[] = {rows[i].name, show(rows[i].value, 4, rows[i].unit, value)};
        gr_page_row(page, cells, 2, 2);
    }
    gr_page_end_table(page);
}

static void put_energy(GrBuffer *page, const GrRunReport *report)
{
    const GrEnergySample *e = &report->summary->energy;
    gr_page_section(page, "Power and energy");
    put_section_figures(page, report, GR_SECTION_ENERGY);

    static const char *const HEADS[] = {"where the motor energy went", "", "part of it"};
    const struct {
        const char *name;
        double value;
    } rows[] = {{"motor energy: work of the motors while they drive", e->electric},
                {"absorbed by braking motors, not recovered", e->braking},
                {"stored as motion, height and in springs", e->mechanical},
                {"lost in soil and contacts", e->soil},
                {"lost in flexible wheels", e->wheels},
                {"lost in joints", e->joints},
                {"work on the towed load", e->pull},
                {"residual: what the integration adds or loses", e->residual}};
    const double rounding = 1e-12 * (fabs(e->electric) + fabs(e->braking) + fabs(e->mechanical) + fabs(e->soil));
    gr_page_begin_table(page, HEADS, 3, 6);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char value[CELL], part[CELL];
        const double joules = fabs(rows[i].value) < rounding ? 0 : rows[i].value;
        const double share = e->electric > 0 ? 100 * joules / e->electric : (double)NAN;
        const char *cells[] = {rows[i].name, show(joules, 4, "J", value), show(share, 3, "%", part)};
        gr_page_row(page, cells, 3, 6);
    }
    gr_page_end_table(page);
    put_supply(page, &report->summary->supply);
}

static void put_warnings(GrBuffer *page, const GrRunSummary *s)
{
    static const char *const HEADS[] = {"warning", "steps", "first at"};
    gr_page_section(page, "Warnings");
    if (s->warning_count == 0) {
        gr_page_paragraph(page, "None.");
        return;
    }
    gr_page_begin_table(page, HEADS, 3, 6);
    for (int i = 0; i < s->warning_count; i++) {
        char count[CELL], first[CELL];
        snprintf(count, sizeof count, "%ld", s->warnings[i].count);
        const char *cells[] = {s->warnings[i].text, count, show(s->warnings[i].first, 4, "s", first)};
        gr_page_row(page, cells, 3, 6);
    }
    gr_page_end_table(page);
}

static void put_self_contacts(GrBuffer *page, const GrRunSummary *s)
{
    static const char *const HEADS[] = {"own parts in contact", "first at", "for", "largest force"};
    if (s->self_contact_count == 0) {
        return;
    }
    gr_page_section(page, "Contact between own parts");
    gr_page_begin_table(page, HEADS, 4, 14);
    for (int i = 0; i < s->self_contact_count; i++) {
        const GrSelfContact *c = &s->self_contacts[i];
        char pair[2 * GR_NAME_SIZE + 8], first[CELL], time[CELL], force[CELL];
        snprintf(pair, sizeof pair, "%s - %s", c->a, c->b);
        const char *cells[] = {pair, show(c->first, 4, "s", first), show(c->time, 4, "s", time),
                               show(c->force_max, 4, "N", force)};
        gr_page_row(page, cells, 4, 14);
    }
    gr_page_end_table(page);
}

static void put_facts(GrBuffer *page, const GrRunReport *report)
{
    const GrRunSummary *s = report->summary;
    char text[3 * CELL], a[CELL], b[CELL];
    gr_page_section(page, "The run");
    gr_page_begin_facts(page);
    gr_page_fact(page, "rover", gr_model_name(report->def->model));
    snprintf(text, sizeof text, "%s up, %s down", show(s->climb, 3, "m", a), show(s->descent, 3, "m", b));
    gr_page_fact(page, "climb", text);
    gr_page_fact(page, "straight line from start to end", show(s->progress, 4, "m", a));
    if (report->def->path_count > 0) {
        snprintf(text, sizeof text, "%d of %d", s->way_points_reached, report->def->path_count);
        gr_page_fact(page, "way-points reached", text);
        gr_page_fact(page, "largest distance from the path", show(s->cross_track_max, 3, "m", a));
    }
    gr_page_fact(page, "error of odometry at the end", show(s->odometry_error, 3, "m", a));
    snprintf(text, sizeof text, "%ld of %s to %s", s->steps, show(s->step_min, 3, "s", a),
             show(s->step_max, 3, "s", b));
    gr_page_fact(page, "steps", text);
    if (s->outcome != GR_OUTCOME_RUNNING) {
        snprintf(text, sizeof text, "%016" PRIx64, s->state_hash);
        gr_page_fact(page, "hash of the last state", text);
    }
    gr_page_end_facts(page);
}

static void put_map(GrBuffer *page, const GrRunReport *report, GrErrorLog *log)
{
    GrBuffer svg = {0};
    gr_page_section(page, "Map");
    if (gr_run_map_draw(report->def, report->track, &svg, log) == GR_OK) {
        gr_page_wide_svg(page, svg.data, "S: start, E: end, numbers: way-points, dashed: the path. North is up.");
    } else {
        page->failed = true;
    }
    gr_buffer_free(&svg);
}

/// Arrivals at the way-points of the path.
static void put_way_points(GrBuffer *page, const GrRunSummary *s)
{
    static const char *const HEADS[] = {"way-point", "at x, y", "asked for",       "there at",
                                        "late by",   "nearest", "distance so far", "outcome"};
    enum { COLUMNS = sizeof HEADS / sizeof HEADS[0] };
    const unsigned numeric = 0x7e; // all but the first and the last
    if (s->way_point_count == 0) {
        return;
    }
    gr_page_section(page, "Way-points");
    gr_page_begin_table(page, HEADS, COLUMNS, numeric);
    for (int i = 0; i < s->way_point_count; i++) {
        const GrArrival *a = &s->way_points[i];
        char text[COLUMNS][CELL], x[CELL], y[CELL];
        snprintf(text[0], CELL, "%d", i + 1);
        snprintf(text[1], CELL, "%.20s,%s%.20s" NO_BREAK "m", show(a->point.x, 5, "", x), NO_BREAK,
                 show(a->point.y, 5, "", y));
        const char *cells[COLUMNS] = {text[0],
                                      text[1],
                                      show(a->point.time, 5, "s", text[2]),
                                      show(a->time, 5, "s", text[3]),
                                      show(a->time - a->point.time, 3, "s", text[4]),
                                      show(a->off, 3, "m", text[5]),
                                      show(a->distance, 4, "m", text[6]),
                                      gr_arrival_text(a->state)};
        gr_page_row(page, cells, COLUMNS, numeric);
    }
    gr_page_end_table(page);
}

/// Changes of the ground by the wheels.
static void put_ruts(GrBuffer *page, const GrRunReport *report, GrErrorLog *log)
{
    const GrRuts *ruts = report->def->ruts;
    if (ruts == NULL) {
        return;
    }
    const GrRutsExtent extent = gr_ruts_extent(ruts);
    char a[CELL];
    GrBuffer svg = {0};
    gr_page_section(page, "Ruts");
    if (gr_run_map_close_up(report->def, report->track, &svg, log) == GR_OK) {
        gr_page_wide_svg(page, svg.data, "The ground at the end of the run, where the rover was last.");
    } else {
        page->failed = true;
    }
    gr_buffer_free(&svg);
    gr_page_begin_facts(page);
    gr_page_fact(page, "deepest", show(-1000 * extent.deepest, 3, "mm", a));
    gr_page_fact(page, "highest above the original ground", show(1000 * extent.highest, 3, "mm", a));
    gr_page_fact(page, "ground that changed", show(extent.area, 3, "m²", a));
    gr_page_fact(page, "cells", show(1000 * gr_ruts_def(ruts)->cell, 3, "mm", a));
    gr_page_end_facts(page);
}

/// Scenario, rover, soils and gravity.
static void put_heading(GrBuffer *page, const GrRecordDef *def)
{
    const bool titled = def->title != NULL && def->title[0] != '\0';
    const char *name = def->name != NULL ? def->name : "run";
    GrBuffer about = {0};
    gr_buffer_printf(&about, "%s%s%s on ", titled ? name : "", titled ? ": " : "", gr_model_name(def->model));
    for (int i = 0; i < def->soil_count; i++) {
        gr_buffer_printf(&about, "%s%s", i > 0 ? ", " : "", def->soil_names[i]);
    }
    gr_buffer_printf(&about, "%s, gravity %.4g m/s²", def->soil_count == 0 ? "hard ground" : "",
                     gr_norm(def->model->tree.gravity));
    gr_page_begin(page, titled ? def->title : name, about.data);
    page->failed = page->failed || about.failed;
    gr_buffer_free(&about);
}

/// A replay is there once the run has ended.
static bool has_replay(const GrRunReport *report)
{
    return report->def->replay_page != NULL && report->summary->outcome != GR_OUTCOME_RUNNING;
}

/// The replay's file and the time at every distance, for the links of the plots.
static void put_replay_times(GrBuffer *page, const GrRunReport *report)
{
    enum { DECIMALS = 3 };
    const GrRunHistory *h = report->history;
    if (!has_replay(report) || h->count == 0) {
        return;
    }
    gr_buffer_puts(page, "<script type=\"application/json\" id=\"replay\">{\"page\":\"");
    gr_page_url(page, report->def->replay_page);
    gr_buffer_puts(page, "\",\"times\":[");
    for (int i = 0; i < 2 * h->count; i++) {
        gr_buffer_puts(page, i == 0 ? "[" : ",[");
        gr_buffer_fixed(page, h->distance[i / 2][i % 2], DECIMALS);
        gr_buffer_puts(page, ",");
        gr_buffer_fixed(page, h->time[i / 2][i % 2], DECIMALS);
        gr_buffer_puts(page, "]");
    }
    gr_buffer_puts(page, "]}</script>\n");
}

GrStatus gr_run_report_write(const GrRunReport *report, GrBuffer *page, GrErrorLog *log)
{
    const GrRecordDef *def = report->def;
    put_heading(page, def);
    put_tiles(page, report->summary);
    if (has_replay(report)) {
        gr_page_link(page, def->replay_page, "Open the run in 3D");
    }
    if (def->bands != NULL && def->bands->samples > 0) {
        gr_run_bands_page(def->bands, report->summary, page);
    }
    gr_trust_page(page, NULL, def->trust);
    if (report->summary->outcome == GR_OUTCOME_RUNNING) {
        gr_page_paragraph(page, "The run was still in progress when this was written, or was interrupted.");
    }
    if (report->history->count > 0) {
        put_map(page, report, log);
        put_way_points(page, report->summary);
        put_ruts(page, report, log);
        gr_page_switch(page, "plots against", "time", "time", "distance", "distance");
        put_wheel_figures(page, report);
        put_states(page, report);
        put_wheel_table(page, report);
        put_energy(page, report);
        gr_page_section(page, "Rover");
        put_section_figures(page, report, GR_SECTION_ROVER);
        put_localisation(page, report->summary);
        put_joint_figures(page, report);
    }
    put_self_contacts(page, report->summary);
    put_warnings(page, report->summary);
    put_facts(page, report);
    if (def->input != NULL) {
        gr_page_section(page, "Input");
        gr_page_verbatim(page, def->input);
    }
    put_replay_times(page, report);
    gr_page_end(page);
    return page->failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

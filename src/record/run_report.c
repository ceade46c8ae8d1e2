#include "run_report.h"

#include "alloc.h"
#include "channel.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "page.h"
#include "run_map.h"
#include "run_tables.h"
#include "ruts_raster.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SERIES_MAX = 64, CELL = 64 };
static const double DEG = 1 / GR_DEGREE, PANEL_WIDTH = 420, PANEL_HEIGHT = 230, LINE = 1.3;

/// Time in readable form: "95 s", "1 h 12 min".
static GrShown show_time(double seconds)
{
    GrShown out = gr_show(seconds, 3, "s");
    const long minutes = lround(seconds / 60);
    if (seconds >= 600) {
        snprintf(out.text, sizeof out.text, minutes < 60 ? "%ld min" : "%ld h %ld min",
                 minutes < 60 ? minutes : minutes / 60, minutes % 60);
    }
    return out;
}

static void put_cards(GrPage *page, const GrRunSummary *s)
{
    char note[128], outcome[CELL];
    snprintf(outcome, sizeof outcome, "%s", gr_outcome_name(s->outcome));
    for (char *c = outcome; *c != '\0'; c++) { // "reached_goal" becomes "reached goal"
        *c = *c == '_' ? ' ' : *c;
    }
    gr_page_card(page, "outcome", outcome, s->cause[0] != '\0' ? s->cause : gr_outcome_text(s->outcome));
    gr_page_card(page, "simulated time", show_time(s->time).text, s->time < 600 ? NULL : gr_show(s->time, 5, "s").text);
    snprintf(note, sizeof note, "mean speed %s",
             gr_show(s->time > 0 ? 100 * s->distance / s->time : 0, 3, "cm/s").text);
    gr_page_card(page, "distance", gr_show(s->distance, 4, "m").text, note);
    snprintf(note, sizeof note, "mechanical, %s, without recovery",
             gr_show(gr_without_noise(s->energy_per_metre, 1e-9), 4, "J/m").text);
    gr_page_card(page, "motor energy", gr_show(gr_without_noise(s->energy.electric, 1e-9), 4, "J").text, note);
    snprintf(note, sizeof note, "roll %s", gr_show(s->roll_max > 1e-9 ? DEG * s->roll_max : 0, 3, "°").text);
    gr_page_card(page, "largest pitch", gr_show(DEG * s->pitch_max, 3, "°").text, note);
    snprintf(note, sizeof note, "wall time %s", gr_show(s->wall_time, 3, "s").text);
    gr_page_card(page, "real-time factor", gr_show(s->real_time_factor, 3, "").text, note);
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

static bool is_shown(const GrRunReport *report, const GrChannelRow *row)
{
    switch (row->plot.condition) {
    case GR_LINE_WITH_PATH:
        return report->def->path_count > 0;
    case GR_LINE_WITH_SOILS:
        return report->def->soil_count > 1;
    case GR_LINE_IF_NOT_ZERO:
        return *(const double *)(const void *)((const char *)&report->summary->energy + row->offset) != 0;
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
            const GrChannel *q = &h->quantities[i].channel;
            const GrChannelPlot *plot = &q->row->plot;
            if (plot->figure == which && plot->place == place && is_shown(report, q->row)) {
                const bool wheel = q->owner == GR_OWNER_WHEEL;
                add_line(&figure,
                         (Line){i, plot->line, wheel ? gr_model_wheel_name(report->def->model, q->index) : row->title});
            }
        }
    }
    return figure;
}

static void draw_figure(const GrRunHistory *h, const Figure *figure, bool by_distance, GrHistoryBand *bands,
                        GrBuffer *svg)
{
    GrSeries series[SERIES_MAX];
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
    gr_plot_write(&plot, svg); // a failure is remembered in the buffer
}

/// Legends of lines stand above the plot, where they hide no data.
static void put_figure(GrPage *page, const GrRunHistory *h, const Figure *figure)
{
    GrHistoryBand *bands = gr_malloc(sizeof *bands * ((size_t)figure->line_count + 1));
    GrTable legend = {0};
    GrBuffer by_time = {.failed = bands == NULL}, by_distance = {0};
    gr_table_heads(&legend, "|");
    for (int i = 0; i < figure->line_count && bands != NULL; i++) {
        if (figure->lines[0].name != NULL) {
            gr_table_text(&legend, gr_plot_color(i + 1));
            gr_table_text(&legend, figure->lines[i].name);
        }
    }
    if (bands != NULL) {
        draw_figure(h, figure, false, bands, &by_time);
        draw_figure(h, figure, true, bands, &by_distance);
    }
    gr_page_choice(page, &legend, &by_time, &by_distance);
    gr_free(bands);
}

/// The figures of a section side by side.
static void put_section_figures(GrPage *page, const GrRunReport *report, GrFigureSection section)
{
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
}

static void put_wheel_figures(GrPage *page, const GrRunReport *report)
{
    const GrModel *model = report->def->model;
    gr_page_section(page, "Wheels");
    for (int i = 0; i < gr_model_wheel_count(model); i++) {
        gr_page_legend(page, gr_plot_color(i + 1), gr_model_wheel_name(model, i));
    }
    put_section_figures(page, report, GR_SECTION_WHEELS);
    gr_page_text(
        page,
        "Lines are means over intervals of the run; bands span the lowest to the highest value in each interval.");
}

static void put_states(GrPage *page, const GrRunReport *report)
{
    GrBuffer svg[2] = {0};
    GrTable none = {0};
    gr_page_section(page, "Contact states");
    for (int i = 0; i < gr_wheel_state_count(); i++) {
        if (gr_state_seen(report->history, i)) {
            gr_page_legend(page, gr_state_color(i), gr_wheel_state_text(i));
        }
    }
    for (int side = 0; side < 2; side++) {
        gr_state_bands_draw(report->history, report->def->model, side == 1, &svg[side]);
    }
    gr_page_choice(page, &none, &svg[0], &svg[1]);
    GrTable table = {0};
    gr_run_table_states(report->def->model, report->summary, &table);
    if (gr_table_row_count(&table) > 0) {
        gr_page_text(
            page,
            "Columns of wheels: share of the time in percent. Counted in every step, so that states that last one "
            "step, as first contacts do, are there.");
        gr_page_table(page, &table);
    } else {
        gr_table_free(&table);
    }
}

/// Plots of free and steering joints. Wheel axles are left out: their angle only grows.
static void put_joint_figures(GrPage *page, const GrRunReport *report)
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
            const GrChannel *q = &h->quantities[i].channel;
            if (q->row->plot.figure == GR_FIGURE_JOINT_ANGLE && gr_model_joint_role(m, q->index) == ROLES[k].role) {
                add_line(&figure, (Line){i, gr_model_joint_name(m, q->index), NULL});
            }
        }
        if (figure.line_count > 0) {
            if (!begun) {
                gr_page_section(page, "Joints");
            }
            begun = true;
            put_figure(page, report->history, &figure);
        }
    }
}

static void put_wheel_table(GrPage *page, const GrRunReport *report)
{
    GrTable table = {0};
    gr_run_table_wheels(report->def->model, report->summary, report->def->rover, &table);
    gr_page_table(page, &table);
}

/// A number with its name.
typedef struct Row {
    const char *name;
    double value;
    const char *unit;
    bool left_out;
} Row;

static void put_rows(GrPage *page, const char *head, const Row *rows, size_t count)
{
    GrTable table = {0};
    gr_table_column(&table, head, GR_LEFT);
    gr_table_column(&table, "", GR_RIGHT);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].left_out) {
            gr_table_text(&table, rows[i].name);
            gr_table_text(&table, gr_show(rows[i].value, 4, rows[i].unit).text);
        }
    }
    gr_page_table(page, &table);
}

static void put_supply(GrPage *page, const GrSupplySummary *s)
{
    const double hour = 3600;
    const bool none = !(s->capacity > 0);
    const Row rows[] = {{"Sun in sight, mean over the time", 100 * s->light_mean, "%", false},
                        {"longest time in the dark", s->dark_longest / hour, "h", false},
                        {"energy of the panel, used or stored", s->solar / hour, "Wh", false},
                        {"energy of the panel while the battery was full", s->wasted / hour, "Wh", none},
                        {"consumed", s->load / hour, "Wh", false},
                        {"of that, drives", s->drives / hour, "Wh", false},
                        {"battery at the start", s->charge_start / hour, "Wh", none},
                        {"battery at the end", s->charge_end / hour, "Wh", none},
                        {"least in the battery", s->charge_min / hour, "Wh", none},
                        {"capacity of the battery", s->capacity / hour, "Wh", none}};
    if (s->given) {
        put_rows(page, "light and battery", rows, sizeof rows / sizeof rows[0]);
    }
}

static void put_localisation(GrPage *page, const GrRunSummary *summary)
{
    const GrLocalisationSummary *s = &summary->localisation;
    const double share = summary->distance > 0 ? 100 * s->end.error / summary->distance : (double)NAN;
    const Row rows[] = {{"error at the end, horizontal", s->end.error, "m", false},
                        {"of the distance", share, "%", false},
                        {"3 sigma of the filter", 3 * s->end.sigma, "m", false},
                        {"largest error", s->error_max, "m", false},
                        {"error, root mean square over the time", s->error_rms, "m", false},
                        {"error of the height at the end", s->end.error_up, "m", false},
                        {"error of the heading at the end", s->end.heading_error / GR_DEGREE, "°", false},
                        {"time with an error above 3 sigma", 100 * s->beyond, "%", false},
                        {"normalised squared error, mean (3 is expected)", s->nees_mean, "", false},
                        {"age of the estimate", s->end.delay, "s", false},
                        {"numbers rejected as too far from the estimate", (double)s->rejected, "", false}};
    if (s->given) {
        put_rows(page, "localisation by the rover's own sensors", rows, sizeof rows / sizeof rows[0]);
    }
}

static void put_energy(GrPage *page, const GrRunReport *report)
{
    const GrEnergySample *e = &report->summary->energy;
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
    GrTable table = {0};
    gr_page_section(page, "Power and energy");
    put_section_figures(page, report, GR_SECTION_ENERGY);
    gr_table_heads(&table, "where the motor energy went|>[J]|>part of it [%]");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double joules = fabs(rows[i].value) < rounding ? 0 : rows[i].value;
        gr_table_text(&table, rows[i].name);
        gr_table_value(&table, joules);
        gr_table_number(&table, e->electric > 0 ? 100 * joules / e->electric : (double)NAN, 3);
    }
    gr_page_table(page, &table);
    put_supply(page, &report->summary->supply);
}

static void put_warnings(GrPage *page, const GrRunSummary *s)
{
    GrTable table = {0};
    gr_page_section(page, "Warnings");
    gr_table_heads(&table, "warning|>steps|>first at [s]");
    for (int i = 0; i < s->warning_count; i++) {
        gr_table_text(&table, s->warnings[i].text);
        gr_table_printf(&table, "%ld", s->warnings[i].count);
        gr_table_value(&table, s->warnings[i].first);
    }
    if (s->warning_count == 0) {
        gr_page_text(page, "None.");
        gr_table_free(&table);
    } else {
        gr_page_table(page, &table);
    }
}

static void put_self_contacts(GrPage *page, const GrRunSummary *s)
{
    GrTable table = {0};
    if (s->self_contact_count > 0) {
        gr_page_section(page, "Contact between own bodies");
        gr_run_table_self_contacts(s, &table);
        gr_page_table(page, &table);
    }
}

static void put_facts(GrPage *page, const GrRunReport *report)
{
    const GrRunSummary *s = report->summary;
    gr_page_section(page, "The run");
    gr_page_fact(page, "rover", "%s", gr_model_name(report->def->model));
    gr_page_fact(page, "climb", "%s up, %s down", gr_show(s->climb, 3, "m").text, gr_show(s->descent, 3, "m").text);
    gr_page_fact(page, "straight line from start to end", "%s", gr_show(s->progress, 4, "m").text);
    if (report->def->path_count > 0) {
        gr_page_fact(page, "way-points reached", "%d of %d", s->way_points_reached, report->def->path_count);
        gr_page_fact(page, "largest distance from the path", "%s", gr_show(s->cross_track_max, 3, "m").text);
    }
    gr_page_fact(page, "error of odometry at the end", "%s", gr_show(s->odometry_error, 3, "m").text);
    gr_page_fact(page, "steps", "%ld of %s to %s", s->steps, gr_show(s->step_min, 3, "s").text,
                 gr_show(s->step_max, 3, "s").text);
    if (s->outcome != GR_OUTCOME_RUNNING) {
        gr_page_fact(page, "hash of the last state", "%016" PRIx64, s->state_hash);
    }
}

static void put_map(GrPage *page, const GrRunReport *report, GrErrorLog *log)
{
    GrBuffer svg[2] = {0};
    gr_page_section(page, "Map");
    gr_run_map_draw(report->def, report->track, svg, log); // a failure is remembered in the buffers
    gr_page_map(page, svg, "S: start, E: end, numbers: way-points, dashed: the path. North is up.");
}

/// Arrivals at the way-points of the path.
static void put_way_points(GrPage *page, const GrRunSummary *s)
{
    GrTable table = {0};
    if (s->way_point_count > 0) {
        gr_page_section(page, "Way-points");
        gr_run_table_way_points(s, s->way_point_count, &table);
        gr_page_table(page, &table);
    }
}

/// Changes of the ground by the wheels.
static void put_ruts(GrPage *page, const GrRunReport *report, GrErrorLog *log)
{
    const GrRuts *ruts = report->def->ruts;
    if (ruts == NULL) {
        return;
    }
    const GrRutsExtent extent = gr_ruts_extent(ruts);
    GrBuffer svg[2] = {0};
    gr_page_section(page, "Ruts");
    gr_run_map_close_up(report->def, report->track, svg, log);
    gr_page_map(page, svg, "The ground at the end of the run, where the rover was last.");
    gr_page_fact(page, "deepest", "%s", gr_show(-1000 * extent.deepest, 3, "mm").text);
    gr_page_fact(page, "highest above the original ground", "%s", gr_show(1000 * extent.highest, 3, "mm").text);
    gr_page_fact(page, "ground that changed", "%s", gr_show(extent.area, 3, "m²").text);
    gr_page_fact(page, "cells", "%s", gr_show(1000 * gr_ruts_def(ruts)->cell, 3, "mm").text);
}

/// Scenario, rover, soils and gravity.
static void put_heading(GrPage *page, const GrRecordDef *def)
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
static void put_replay_times(GrPage *page, const GrRunReport *report)
{
    enum { DECIMALS = 3 };
    const GrRunHistory *h = report->history;
    GrBuffer data = {0};
    if (!has_replay(report) || h->count == 0) {
        return;
    }
    gr_buffer_puts(&data, "<script type=\"application/json\" id=\"replay\">{\"page\":\"");
    gr_page_url(&data, report->def->replay_page);
    gr_buffer_puts(&data, "\",\"times\":[");
    for (int i = 0; i < 2 * h->count; i++) {
        gr_buffer_puts(&data, i == 0 ? "[" : ",[");
        gr_buffer_fixed(&data, h->distance[i / 2][i % 2], DECIMALS);
        gr_buffer_puts(&data, ",");
        gr_buffer_fixed(&data, h->time[i / 2][i % 2], DECIMALS);
        gr_buffer_puts(&data, "]");
    }
    gr_buffer_puts(&data, "]}</script>\n");
    gr_page_markup(page, &data);
}

static void describe(const GrRunReport *report, GrPage *page, GrErrorLog *log)
{
    const GrRecordDef *def = report->def;
    put_heading(page, def);
    put_cards(page, report->summary);
    if (has_replay(report)) {
        gr_page_link(page, def->replay_page, "Open the run in 3D");
    }
    if (def->bands != NULL && def->bands->samples > 0) {
        gr_run_bands_page(def->bands, report->summary, page);
    }
    gr_trust_page(page, NULL, def->trust);
    if (report->summary->outcome == GR_OUTCOME_RUNNING) {
        gr_page_text(page, "The run was still in progress when this was written, or was interrupted.");
    }
    if (report->history->count > 0) {
        put_map(page, report, log);
        put_way_points(page, report->summary);
        put_ruts(page, report, log);
        gr_page_switch(page);
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
        gr_page_input(page, def->input);
    }
    put_replay_times(page, report);
}

GrStatus gr_run_report_write(const GrRunReport *report, GrBuffer *out, GrErrorLog *log)
{
    GrPage page = {0};
    describe(report, &page, log);
    gr_page_html(&page, out);
    gr_page_free(&page);
    return out->failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

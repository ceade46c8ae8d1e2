#include "sensitivity.h"

#include "alloc.h"
#include "campaign_job.h"
#include "chart.h"
#include "command.h"
#include "json.h"
#include "out_of_memory.h"
#include "report.h"
#include "subjects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the page

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

static const GrSensitivityLine *lines_of(const GrAnalysis *a, int measure)
{
    return a->lines + (size_t)measure * (size_t)a->dimension;
}

static void order(const GrAnalysis *a, int measure, int column, Ranked out[GR_CAMPAIGN_VARIABLES])
{
    for (int i = 0; i < a->dimension; i++) {
        const double value = fabs(lines_of(a, measure)[i].numbers[column]);
        out[i] = (Ranked){i, isfinite(value) ? value : -1};
    }
    qsort(out, (size_t)a->dimension, sizeof out[0], by_value);
}

static const char *path_of(const GrAnalysis *a, int variable)
{
    return a->campaign->variables[variable].path;
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

static void draw_sobol(const GrAnalysis *a, int measure, bool narrow, GrBuffer *svg)
{
    const int n = a->dimension;
    Ranked ranked[GR_CAMPAIGN_VARIABLES] = {0};
    double least = 0, most = 1;
    order(a, measure, TOTAL, ranked);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < GR_SENSITIVITY_COLUMNS; k++) {
            least = fmin(least, lines_of(a, measure)[i].numbers[k]); // fmin() and fmax() skip NAN
            most = fmax(most, lines_of(a, measure)[i].numbers[k]);
        }
    }
    const double row = 36, width = narrow ? GR_PAGE_NARROW : WIDTH, left = narrow ? 136 : 210, height = row * n + 44;
    const GrAxis axis = gr_axis_make(least, most, 5, false);
    const double scale = (width - left - 24) / (axis.upper - axis.lower), zero = left - scale * axis.lower;
    gr_svg_begin(svg, width, height, "Sobol' indices");
    for (int i = 0; i < axis.tick_count; i++) {
        char label[GR_NUMBER_SIZE];
        const double x = zero + scale * axis.ticks[i];
        gr_axis_label(&axis, axis.ticks[i], label);
        gr_svg_line(svg, (GrPoint2){x, 6}, (GrPoint2){x, height - 30},
                    (GrSvgStyle){.stroke = axis.ticks[i] == 0 ? "#888" : "#e8e8e8"});
        gr_svg_text(svg, (GrPoint2){x, height - 12}, (GrSvgFont){.anchor = GR_SVG_MIDDLE, .color = "#333"}, label);
    }
    for (int i = 0; i < n; i++) {
        const double y = 10 + row * i, *numbers = lines_of(a, measure)[ranked[i].variable].numbers;
        char name[GR_CHART_TEXT], label[GR_LABEL_SIZE];
        gr_chart_shorten(gr_label_of(path_of(a, ranked[i].variable), label), narrow ? 19 : 30, name);
        gr_svg_text(svg, (GrPoint2){left - 10, y + 17}, (GrSvgFont){.anchor = GR_SVG_END}, name);
        draw_index(numbers, scale, (GrPoint2){zero, y}, FIRST_COLOR, svg);
        draw_index(numbers + TOTAL, scale, (GrPoint2){zero, y + 13}, TOTAL_COLOR, svg);
    }
    gr_svg_end(svg);
}

/// Mean absolute effect against the deviation of effects: linear variables lie low, those that interact or bend high.
static void draw_morris(const GrAnalysis *a, int measure, bool narrow, GrBuffer *svg)
{
    GrChartDef def = {.width = narrow ? GR_PAGE_NARROW : WIDTH,
                      .height = narrow ? 320 : 420,
                      .x_label = "mean |effect|",
                      .y_label = "deviation of effects",
                      .right = narrow ? 10 : 60};
    for (int i = 0; i < a->dimension; i++) {
        const double *numbers = lines_of(a, measure)[i].numbers;
        def.x[1] = fmax(fmax(def.x[1], numbers[0]), numbers[2]);
        def.y[1] = fmax(def.y[1], numbers[4]);
    }
    def.y[1] *= 1.1; // room for a name
    gr_svg_begin(svg, def.width, def.height, "Morris effects");
    const GrChart chart = gr_chart_draw(svg, &def);
    for (int i = 0; i < a->dimension; i++) {
        const double *numbers = lines_of(a, measure)[i].numbers;
        if (!isfinite(numbers[0]) || !isfinite(numbers[4])) {
            continue;
        }
        char name[GR_CHART_TEXT], text[GR_VARIABLE_PATH + 80], label[GR_LABEL_SIZE];
        const GrPoint2 at = gr_chart_at(&chart, numbers[0], numbers[4]);
        if (isfinite(numbers[1]) && isfinite(numbers[2])) {
            gr_svg_line(svg, gr_chart_at(&chart, numbers[1], numbers[4]), gr_chart_at(&chart, numbers[2], numbers[4]),
                        (GrSvgStyle){.stroke = "#777", .stroke_width = 1.4});
        }
        snprintf(text, sizeof text, "%s: %.3g, %.3g", path_of(a, i), numbers[0], numbers[4]);
        gr_chart_begin_points(svg, FIRST_COLOR, 1);
        gr_chart_point(svg, at, 4.5, text);
        gr_svg_end_group(svg);
        const bool right = at.x > chart.left + (narrow ? 0.5 : 0.8) * chart.width;
        gr_chart_shorten(gr_label_of(path_of(a, i), label), 26, name);
        gr_svg_text(svg, (GrPoint2){at.x + (right ? -8 : 8), at.y - 7},
                    (GrSvgFont){.anchor = right ? GR_SVG_END : GR_SVG_START}, name);
    }
    gr_svg_end(svg);
}

/// Sensitivities of a measure; `ranked`: the variables in the order of their importance.
static GrTable table_of(const GrAnalysis *a, int measure, bool ranked)
{
    static const GrColumn SOBOL[] = {{"first", "first order", 1, DIGITS}, {"first_low", "low", 1, DIGITS},
                                     {"first_high", "high", 1, DIGITS},   {"total", "total", 1, DIGITS},
                                     {"total_low", "low", 1, DIGITS},     {"total_high", "high", 1, DIGITS}};
    static const GrColumn MORRIS[] = {{"absolute", "mean |effect|", 1, DIGITS},
                                      {"absolute_low", "low", 1, DIGITS},
                                      {"absolute_high", "high", 1, DIGITS},
                                      {"mean", "mean effect", 1, DIGITS},
                                      {"deviation", "deviation", 1, DIGITS}};
    static const GrColumn LOCAL[] = {{"slope", "slope", 1, DIGITS}, {"curvature", "curvature", 1, DIGITS}};
    const bool sobol = a->plan.method == GR_SENSITIVITY_SOBOL, morris = a->plan.method == GR_SENSITIVITY_MORRIS;
    const int count = sobol ? 6 : morris ? 5 : 2;
    GrTable table = {0};
    Ranked order_of[GR_CAMPAIGN_VARIABLES] = {0};
    order(a, measure, sobol ? TOTAL : 0, order_of);
    gr_table_columns(&table, &(GrColumn){"path", "variable", 0, 0}, 1);
    gr_table_columns(&table, sobol ? SOBOL : morris ? MORRIS : LOCAL, count);
    for (int i = 0; i < a->dimension; i++) {
        const int variable = ranked ? order_of[i].variable : i;
        gr_table_text(&table, path_of(a, variable));
        gr_table_values(&table, lines_of(a, measure)[variable].numbers, count);
    }
    return table;
}

/// The variable that matters most, and the one after it, in words; "": the method does not rank.
static void say_first(const GrAnalysis *a, int measure, char *out, size_t size)
{
    const bool sobol = a->plan.method == GR_SENSITIVITY_SOBOL;
    const int from = sobol ? TOTAL : 0;
    Ranked order_of[GR_CAMPAIGN_VARIABLES] = {0};
    size_t used = 0;
    order(a, measure, from, order_of);
    out[0] = '\0';
    for (int i = 0; i < a->dimension && i < 2 && a->plan.method != GR_SENSITIVITY_LOCAL && used < size; i++) {
        const double *numbers = lines_of(a, measure)[order_of[i].variable].numbers + from;
        char label[GR_LABEL_SIZE];
        gr_label_of(path_of(a, order_of[i].variable), label);
        char *unit = strstr(label, " [");
        if (unit != NULL) {
            *unit = '\0';
        }
        if (!isfinite(numbers[0])) {
            return;
        }
        if (i == 0) {
            used = (size_t)snprintf(
                out, size, "%.100s depends most on %.100s: ", a->campaign->measures.items[measure].name, label);
        } else {
            used += (size_t)snprintf(out + used, size - used, ", then on %.100s: ", label);
        }
        if (used < size) {
            const double scale = sobol ? 100 : 1;
            used += (size_t)snprintf(
                out + used, size - used, sobol ? "%s %% of its variance (95 %%: %s)" : "%s (95 %%: %s)",
                gr_show(scale * numbers[0], 3, "").text, gr_show_range(scale * numbers[1], scale * numbers[2], 3).text);
        }
    }
}

/// What the page shows of a measure and the terminal prints.
static void put_measure(const GrAnalysis *a, int measure, GrPage *page)
{
    const GrSampleUse *use = &a->uses[measure];
    char first[400];
    GrTable table = table_of(a, measure, true);
    GrBuffer svg[2] = {0};
    gr_page_section(page, "Sensitivity of %s", a->campaign->measures.items[measure].name);
    say_first(a, measure, first, sizeof first);
    if (first[0] != '\0') {
        gr_page_text(page, "%s.", first);
    }
    if (use->dropped > 0) {
        gr_page_text(page, "%" PRIu64 " of %" PRIu64 " samples left out: a run without a value.", use->dropped,
                     use->used + use->dropped);
    }
    if (a->plan.method == GR_SENSITIVITY_SOBOL) {
        gr_page_legend(page, FIRST_COLOR, "first order: by the variable alone");
        gr_page_legend(page, TOTAL_COLOR, "total: with its interactions");
        draw_sobol(a, measure, false, &svg[0]);
        draw_sobol(a, measure, true, &svg[1]);
        gr_page_map(page, svg, "Share of the variance that each variable explains, with 95 % intervals.");
    } else if (a->plan.method == GR_SENSITIVITY_MORRIS) {
        draw_morris(a, measure, false, &svg[0]);
        draw_morris(a, measure, true, &svg[1]);
        gr_page_map(page, svg,
                    "To the right: variables that matter, with 95 % intervals; high: their effect is not the same "
                    "everywhere.");
    } else {
        gr_page_text(page, "Slope and curvature at the medians, per unit of each variable.");
    }
    gr_page_table(page, &table);
}

// ---- the analysis

void gr_analysis_end(GrAnalysis *a)
{
    gr_free(a->points);
    gr_free(a->centre);
    gr_free(a->results);
    gr_free(a->values);
    gr_free(a->lines);
}

static GrGradientDef gradient(const GrAnalysis *a)
{
    return (GrGradientDef){.variable_count = a->dimension, .centre = a->centre, .step = a->step};
}

/// Every variable must be independent and varied.
static GrStatus check(const GrCampaign *c)
{
    if (c->compare_count > 0) {
        return gr_node_error(c->variables[c->variable_count - 1].node, GR_ERROR_FIELD,
                             "a sensitivity analysis has no `compare`: move it to `vary`, or run it once for each");
    }
    if (c->correlation != NULL) {
        return gr_node_error(gr_node_find(c->document->root, "correlate"), GR_ERROR_FIELD,
                             "shares of the variance are defined for independent variables only: remove `correlate`");
    }
    return c->plan == GR_PLAN_TABLE
               ? gr_node_error(c->document->root, GR_ERROR_FIELD, "a table of cases has no ranges to vary over")
               : GR_OK;
}

static GrStatus plan_runs(GrAnalysis *a, const GrCampaign *c, GrErrorLog *log)
{
    *a = (GrAnalysis){.campaign = c, .plan = c->sensitivity, .dimension = c->variable_count};
    const size_t n = (size_t)a->dimension;
    switch (a->plan.method) {
    case GR_SENSITIVITY_SOBOL:
        a->count = gr_saltelli_count(a->dimension, (uint64_t)a->plan.count);
        break;
    case GR_SENSITIVITY_MORRIS:
        a->morris = gr_default_morris_def();
        a->morris.variable_count = a->dimension;
        a->morris.trajectories = a->plan.count;
        a->morris.candidates = a->plan.count <= 100 ? 10 * a->plan.count : 0;
        a->morris.seed = c->seed;
        a->count = (uint64_t)a->plan.count * (n + 1);
        break;
    case GR_SENSITIVITY_LOCAL:
        a->count = 2 * n + 1;
        break;
    }
    a->results = gr_calloc((size_t)a->count, sizeof *a->results);
    a->values = gr_calloc((size_t)a->count, sizeof *a->values);
    a->centre = gr_calloc(2 * n, sizeof *a->centre);
    a->points = a->plan.method != GR_SENSITIVITY_SOBOL ? gr_calloc((size_t)a->count * n, sizeof *a->points) : NULL;
    a->lines = gr_calloc((size_t)c->measures.count * n + 1, sizeof *a->lines);
    if (a->results == NULL || a->values == NULL || a->lines == NULL || a->centre == NULL ||
        (a->points == NULL && a->plan.method != GR_SENSITIVITY_SOBOL)) {
        return gr_out_of_memory(log, NULL);
    }
    a->step = a->centre + n;
    for (size_t i = 0; i < n; i++) {
        a->centre[i] = 0.5;
        a->step[i] = a->plan.step;
    }
    const GrGradientDef local = gradient(a);
    return a->plan.method == GR_SENSITIVITY_MORRIS  ? gr_morris_plan(&a->morris, a->points, log)
           : a->plan.method == GR_SENSITIVITY_LOCAL ? gr_gradient_plan(&local, a->points, log)
                                                    : GR_OK;
}

GrStatus gr_analysis_begin(GrAnalysis *a, const GrCampaign *campaign, GrErrorLog *log)
{
    *a = (GrAnalysis){.campaign = campaign};
    const GrStatus status = check(campaign);
    return status == GR_OK ? plan_runs(a, campaign, log) : status;
}

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const GrAnalysis *a = context;
    double room[GR_CAMPAIGN_VARIABLES];
    const double *u = room;
    if (a->points != NULL) {
        u = a->points + index * (uint64_t)a->dimension;
    } else {
        gr_saltelli_point(index, a->dimension, a->campaign->seed, room);
    }
    gr_row_sample(a->campaign, u, out);
    gr_row_finish(a->campaign, out);
}

/// All runs; the analysis holds the results.
static GrBatch analysis_batch(GrAnalysis *a)
{
    return (GrBatch){.count = a->count, .context = a, .row = make_row, .results = a->results};
}

bool gr_analysis_look_up(GrAnalysis *a, GrStudy *study)
{
    bool all = true;
    for (uint64_t i = 0; i < a->count && all; i++) {
        GrRow row;
        make_row(a, i, &row);
        all = gr_study_has(study, row.key, &a->results[i]);
    }
    return all;
}

/// Slopes per unit of the variable itself, not of the unit cube. Names have none.
static void scale_gradient(const GrAnalysis *a, int variable, GrSensitivityLine *line)
{
    GrRow low, high;
    make_row((void *)(uintptr_t)a, 1 + 2 * (uint64_t)variable, &low);
    make_row((void *)(uintptr_t)a, 2 + 2 * (uint64_t)variable, &high);
    const double width = high.numbers[variable] - low.numbers[variable], factor = 2 * a->step[variable] / width;
    line->numbers[0] *= width != 0 ? factor : (double)NAN;
    line->numbers[1] *= width != 0 ? factor * factor : (double)NAN;
}

GrStatus gr_analysis_evaluate(GrAnalysis *a, int measure, GrErrorLog *log)
{
    const int n = a->dimension;
    GrSensitivityLine *lines = a->lines + (size_t)measure * (size_t)n;
    GrSampleUse *use = &a->uses[measure];
    GrSobolIndex sobol[GR_CAMPAIGN_VARIABLES];
    GrMorrisEffect morris[GR_CAMPAIGN_VARIABLES];
    GrGradient local[GR_CAMPAIGN_VARIABLES];
    GrStatus status = GR_OK;
    *use = (GrSampleUse){.used = a->count};
    for (uint64_t i = 0; i < a->count; i++) {
        a->values[i] = a->results[i].metrics[measure];
    }
    switch (a->plan.method) {
    case GR_SENSITIVITY_SOBOL:
        status = gr_sobol_indices(a->values, n, (uint64_t)a->plan.count, gr_default_bootstrap(), sobol, use, log);
        for (int i = 0; i < n && status == GR_OK; i++) {
            lines[i] = (GrSensitivityLine){{sobol[i].first.value, sobol[i].first.low, sobol[i].first.high,
                                            sobol[i].total.value, sobol[i].total.low, sobol[i].total.high}};
        }
        break;
    case GR_SENSITIVITY_MORRIS:
        status = gr_morris_effects(&a->morris, a->points, a->values, gr_default_bootstrap(), morris, use, log);
        for (int i = 0; i < n && status == GR_OK; i++) {
            lines[i] = (GrSensitivityLine){{morris[i].absolute.value, morris[i].absolute.low, morris[i].absolute.high,
                                            morris[i].mean, morris[i].deviation}};
        }
        break;
    case GR_SENSITIVITY_LOCAL: {
        const GrGradientDef def = gradient(a);
        gr_gradient_estimate(&def, a->values, local);
        for (int i = 0; i < n; i++) {
            lines[i] = (GrSensitivityLine){{local[i].slope, local[i].curvature}};
            scale_gradient(a, i, &lines[i]);
        }
        break;
    }
    }
    return status;
}

/// On what each measure depends most.
static void put_cards(const GrAnalysis *a, const GrStudyPage *def, GrPage *page)
{
    const bool sobol = a->plan.method == GR_SENSITIVITY_SOBOL;
    for (int i = 0; i < a->campaign->measures.count && a->plan.method != GR_SENSITIVITY_LOCAL; i++) {
        Ranked order_of[GR_CAMPAIGN_VARIABLES] = {0};
        char name[GR_LABEL_SIZE + 40], words[GR_LABEL_SIZE], note[140];
        order(a, i, sobol ? TOTAL : 0, order_of);
        const double effect = lines_of(a, i)[order_of[0].variable].numbers[sobol ? TOTAL : 0];
        gr_label_words(a->campaign->measures.items[i].name, words);
        snprintf(name, sizeof name, "%s depends most on", words);
        gr_label_words(path_of(a, order_of[0].variable), words);
        snprintf(note, sizeof note, sobol ? "%s %% of its variance" : "mean effect %s",
                 gr_show((sobol ? 100 : 1) * effect, 3, "").text);
        if (isfinite(effect)) {
            gr_page_card(page, name, words, note);
        }
    }
    gr_study_page_run_cards(def, page);
}

void gr_analysis_put(const GrAnalysis *a, const GrStudyPage *study, GrPage *page)
{
    if (study != NULL) {
        put_cards(a, study, page);
    }
    for (int i = 0; i < a->campaign->measures.count; i++) {
        put_measure(a, i, page);
    }
}

// ---- the command

static GrStatus put_sections(void *context, GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    (void)log;
    gr_analysis_put(context, def, page);
    return GR_OK;
}

static void write_json(const GrAnalysis *a, GrJson *json)
{
    const GrCampaign *c = a->campaign;
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "name", c->name);
    gr_json_begin_object(json, "measures");
    for (int i = 0; i < c->measures.count; i++) {
        GrTable table = table_of(a, i, false);
        gr_json_begin_object(json, c->measures.items[i].name);
        gr_json_integer(json, "samples", (long long)a->uses[i].used);
        gr_json_integer(json, "left_out", (long long)a->uses[i].dropped);
        gr_table_json(&table, "variables", json);
        gr_table_free(&table);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_end(json);
}

static GrStatus report(GrAnalysis *a, GrCampaignJob *job, bool as_json, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < a->campaign->measures.count && status == GR_OK; i++) {
        status = gr_analysis_evaluate(a, i, log);
    }
    if (status == GR_OK && as_json) {
        GrJson json = gr_json_to_file(stdout, true);
        write_json(a, &json);
        status = gr_json_finish(&json);
    } else if (status == GR_OK) {
        GrPage page = {0};
        char first[400];
        say_first(a, 0, first, sizeof first);
        gr_analysis_put(a, NULL, &page);
        printf(first[0] != '\0' ? "%s.\n\n" : "%s", first);
        gr_campaign_job_print(job, stdout);
        fputc('\n', stdout);
        gr_page_print(&page, stdout);
        gr_page_free(&page);
    }
    status = status == GR_OK ? gr_campaign_job_page(job, (GrStudySections){a, put_sections, true}, log) : status;
    if (status == GR_OK && !as_json) {
        printf("\nwrote %s, %s\n", job->study_path, job->page_path);
    }
    return status;
}

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS];
    const char *arguments[1];
    int exit_code;
    gr_campaign_options(&o, options);
    if (gr_options_parse(&gr_command_sensitivity, options, GR_CAMPAIGN_OPTIONS, argc, argv, arguments, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    GrAnalysis a = {0};
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &gr_campaign_kinds, &o, &log);
    status = status == GR_OK ? gr_analysis_begin(&a, &job.campaign, &log) : status;
    status = status == GR_OK ? gr_campaign_job_link(&job, &o, &log) : status;
    const GrBatch batch = analysis_batch(&a);
    if (status == GR_OK && o.dry_run) {
        printf("%" PRIu64 " runs\n", a.count);
    } else if (status == GR_OK && gr_campaign_job_serves(&job)) {
        status = gr_campaign_job_serve(&job, &o, &log);
    } else if (status == GR_OK) {
        status = gr_campaign_job_open(&job, &o, &log);
        status = status == GR_OK ? gr_campaign_job_run(&job, &batch, &interrupted, &log) : status;
        status = status == GR_OK && !interrupted ? report(&a, &job, o.json, &log) : status;
        if (interrupted) {
            printf("stopped; the same command goes on with %s\n", job.study_path);
        }
    }
    gr_report_log(&log);
    gr_analysis_end(&a);
    return gr_campaign_job_end(&job, status, interrupted);
}

const GrCommand gr_command_sensitivity = {
    .name = "sensitivity",
    .summary = "which variables of a campaign matter, and how much",
    .usage = "sensitivity CAMPAIGN [-o STUDY] [-j N] [--device D] [--html FILE] [--serve [PORT]] [--dry-run] "
             "[--resume] [--json]",
    .details = "Sobol' indices (the share of a measure's variance that each variable explains), Morris screening (the "
               "mean\neffect of each variable, with few runs) or slopes at the medians, as the section `sensitivity` "
               "of the\ncampaign says.",
    .example = "  grouser sensitivity slope.yaml",
    .run = run,
    .arguments = "@campaigns",
};

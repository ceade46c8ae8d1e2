#include "optimize.h"

#include "alloc.h"
#include "campaign_job.h"
#include "command.h"
#include "file.h"
#include "json.h"
#include "number.h"
#include "out_of_memory.h"
#include "pareto.h"
#include "report.h"
#include "rover_write.h"
#include "subjects.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the search

enum { CURVE_POINTS = 11 };

/// What the optimiser's evaluations need.
typedef struct Search {
    GrOptimumSource source;
    const GrSearch *search;
    GrEvaluations evaluations; ///< of the present batch
} Search;

static void make_row(void *context, uint64_t index, GrRow *out)
{
    const Search *s = context;
    const GrEvaluations *e = &s->evaluations;
    gr_search_row(s->search, e->points + index * (uint64_t)s->search->dimension, e->replicates[index], out);
}

static GrStatus evaluate(void *context, const GrEvaluations *batch, double *values, GrErrorLog *log)
{
    Search *s = context;
    GrResult *results = gr_calloc((size_t)batch->count, sizeof *results);
    if (results == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s->evaluations = *batch;
    const GrBatch rows = {.count = (uint64_t)batch->count, .context = s, .row = make_row, .results = results};
    const GrStatus status = s->source.run(s->source.context, &rows, log);
    const int width = s->search->objective_count + s->search->constraint_count;
    for (int i = 0; i < batch->count && status == GR_OK; i++) {
        gr_search_values(s->search, &results[i], values + (size_t)i * (size_t)width);
    }
    gr_free(results);
    return status;
}

/// Results at points that are not part of the search: the best ones, and curves through the best one.
static GrStatus fetch(Search *s, const double *points, int count, GrResult *results, GrErrorLog *log)
{
    int *zeros = gr_calloc((size_t)count + 1, sizeof *zeros);
    if (zeros == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s->evaluations = (GrEvaluations){.count = count, .points = points, .replicates = zeros};
    const GrBatch rows = {.count = (uint64_t)count, .context = s, .row = make_row, .results = results};
    const GrStatus status = s->source.run(s->source.context, &rows, log);
    s->evaluations = (GrEvaluations){0};
    gr_free(zeros);
    return status;
}

/// Points along each coordinate through `best`.
static void lay_curves(const GrSearch *search, const double *best, double *points)
{
    const int n = search->dimension;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < CURVE_POINTS; k++) {
            double *point = points + (size_t)(i * CURVE_POINTS + k) * (size_t)n;
            memcpy(point, best, (size_t)n * sizeof *point);
            const double at = search->lower[i] + (search->upper[i] - search->lower[i]) * k / (CURVE_POINTS - 1);
            point[i] = search->integer[i] ? rint(at) : at;
        }
    }
}

static GrStatus explain(Search *s, GrOptimumReport *report, GrErrorLog *log)
{
    const GrOptimum *optimum = &report->optimum;
    const int n = s->search->dimension, curves = n * CURVE_POINTS;
    double *points = gr_calloc((size_t)curves * (size_t)n + 1, sizeof *points);
    report->best = gr_calloc((size_t)optimum->point_count + 1, sizeof *report->best);
    report->curves = gr_calloc((size_t)curves + 1, sizeof *report->curves);
    report->curve_points = points;
    report->curve_length = CURVE_POINTS;
    if (points == NULL || report->best == NULL || report->curves == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    report->chosen =
        gr_pareto_balanced(optimum->values, optimum->value_count, optimum->point_count, s->search->objective_count);
    lay_curves(s->search, optimum->points + (size_t)report->chosen * (size_t)n, points);
    GrStatus status = fetch(s, optimum->points, optimum->point_count, report->best, log);
    return status == GR_OK ? fetch(s, points, curves, report->curves, log) : status;
}

GrStatus gr_optimum_begin(const GrCampaign *campaign, GrOptimumReport *out, GrErrorLog *log)
{
    *out = (GrOptimumReport){.campaign = campaign};
    const GrStatus status = gr_search_make(campaign, &out->search);
    out->def = gr_search_def(&out->search);
    return status == GR_OK ? gr_optimizer_check(&out->def, log) : status;
}

static GrStatus optimum_find(GrOptimumReport *report, GrOptimumSource source, GrErrorLog *log)
{
    Search s = {.source = source, .search = &report->search};
    const GrStatus status = gr_optimize(&report->def, (GrEvaluator){&s, evaluate}, &report->optimum, log);
    return status == GR_OK && report->optimum.point_count > 0 ? explain(&s, report, log) : status;
}

void gr_optimum_end(GrOptimumReport *report)
{
    gr_free(report->best);
    gr_free(report->curves);
    gr_free(report->curve_points);
    gr_optimum_free(&report->optimum);
}

static GrStatus look_up(void *context, const GrBatch *batch, GrErrorLog *log)
{
    (void)log;
    for (uint64_t i = 0; i < batch->count; i++) {
        GrRow row;
        batch->row(batch->context, i, &row);
        if (!gr_study_has(context, row.key, &batch->results[i])) {
            return GR_ERROR_NOT_CONVERGED;
        }
    }
    return GR_OK;
}

GrStatus gr_optimum_look_up(GrOptimumReport *report, GrStudy *study, GrErrorLog *log)
{
    return optimum_find(report, (GrOptimumSource){study, look_up}, log);
}

// ---- the answer

const char *gr_optimum_wish(GrWish wish)
{
    static const char *const texts[] = {"minimized", "maximized", "below", "above"};
    return texts[wish];
}

bool gr_optimum_has_limits(const GrOptimumReport *r)
{
    bool any = false;
    for (int i = 0; i < r->campaign->search.goal_count; i++) {
        any = any || r->campaign->search.goals[i].wish >= GR_WISH_BELOW;
    }
    return any;
}

/// "torque = 2.003 N m where torque < 2 N m is asked for, missed by 0.16 %" of each limit that the chosen design does
/// not keep.
static void say_missed(const GrOptimumReport *r, char *out, size_t size)
{
    const GrCampaign *c = r->campaign;
    const GrResult *result = &r->best[r->chosen];
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < c->search.goal_count && used < size; i++) {
        const GrGoal *goal = &c->search.goals[i];
        const double value = result->metrics[goal->measure], sign = goal->wish == GR_WISH_BELOW ? 1 : -1;
        const double missed = sign * (value - goal->limit);
        if ((goal->wish == GR_WISH_BELOW || goal->wish == GR_WISH_ABOVE) && !(missed <= 0)) {
            const char *name = c->measures.items[goal->measure].name;
            char is[GR_LABEL_SIZE + GR_NUMBER_SIZE], asked[GR_LABEL_SIZE + GR_NUMBER_SIZE];
            used +=
                (size_t)snprintf(out + used, size - used, "%s%.100s where %.100s is asked for", used > 0 ? "; " : "",
                                 gr_label_value(name, value, "no value", is, sizeof is),
                                 gr_label_limit(name, goal->wish == GR_WISH_BELOW, goal->limit, asked, sizeof asked));
            if (used < size && goal->limit != 0 && isfinite(missed)) {
                used += (size_t)snprintf(out + used, size - used, ", missed by %s %%",
                                         gr_show(100 * missed / fabs(goal->limit), 2, "").text);
            }
        }
    }
    if (!c->search.allow_failed && !result->succeeded && used < size) {
        snprintf(out + used, size - used, "%sits run failed (%.40s)", used > 0 ? "; " : "", result->outcome);
    }
}

void gr_optimum_answer(const GrOptimumReport *r, char *out, size_t size)
{
    const GrCampaign *c = r->campaign;
    GrRow row;
    size_t used = 0;
    gr_optimum_row(r, r->chosen, &row);
    if (r->optimum.violations[r->chosen] > 0) {
        char missed[GR_OPTIMUM_ANSWER / 2];
        say_missed(r, missed, sizeof missed);
        used = (size_t)snprintf(out, size, "No design keeps all limits. The nearest one: %s. At ", missed);
    } else {
        const GrGoal *goal = &c->search.goals[0];
        char words[GR_LABEL_SIZE + GR_NUMBER_SIZE];
        used = (size_t)snprintf(out, size, "%s design%s: %.100s (%s), at ",
                                r->search.objective_count > 1 ? "A balanced" : "The best",
                                gr_optimum_has_limits(r) ? " keeps all limits" : "",
                                gr_label_value(c->measures.items[goal->measure].name,
                                               r->best[r->chosen].metrics[goal->measure], "", words, sizeof words),
                                gr_optimum_wish(goal->wish));
    }
    for (int i = 0; i < row.count && used < size; i++) {
        char words[GR_LABEL_SIZE + GR_NUMBER_SIZE];
        used += (size_t)snprintf(out + used, size - used, "%s%.100s", i > 0 ? ", " : "",
                                 gr_label_value(row.paths[i], row.numbers[i], row.values[i].text, words, sizeof words));
    }
    if (used < size) {
        snprintf(out + used, size - used, ".");
    }
}

// ---- text, JSON and the scenario of the best run

enum { DIGITS = 4, FRONT_ROWS = 12 };

static void print_best(const GrOptimumReport *r, FILE *file)
{
    const GrCampaign *c = r->campaign;
    GrTable table = {.indent = 2};
    GrRow row;
    gr_optimum_row(r, r->chosen, &row);
    gr_table_heads(&table, "|>|");
    for (int i = 0; i < row.count; i++) {
        gr_table_text(&table, row.paths[i]);
        isnan(row.numbers[i]) ? gr_table_text(&table, row.values[i].text)
                              : gr_table_number(&table, row.numbers[i], DIGITS);
        gr_table_text(&table, "");
    }
    for (int i = 0; i < c->measures.count; i++) {
        char wish[80] = "";
        for (int k = 0; k < c->search.goal_count; k++) {
            const GrGoal *goal = &c->search.goals[k];
            const bool limit = goal->wish == GR_WISH_BELOW || goal->wish == GR_WISH_ABOVE;
            if (goal->measure == i) {
                limit ? snprintf(wish, sizeof wish, "%s %.6g", gr_optimum_wish(goal->wish), goal->limit)
                      : snprintf(wish, sizeof wish, "%s", gr_optimum_wish(goal->wish));
            }
        }
        gr_table_text(&table, c->measures.items[i].name);
        gr_table_number(&table, r->best[0].metrics[i], DIGITS);
        gr_table_text(&table, wish);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Points of the front, evenly chosen along the first objective.
static void print_front(const GrOptimumReport *r, FILE *file)
{
    const GrCampaign *c = r->campaign;
    const int count = r->optimum.point_count, shown = count < FRONT_ROWS ? count : FRONT_ROWS;
    GrTable table = {.indent = 2};
    int columns = 0;
    for (int i = 0; i < c->variable_count && columns < GR_TABLE_COLUMNS; i++, columns++) {
        gr_table_column(&table, c->variables[i].path, GR_RIGHT);
    }
    for (int i = 0; i < c->measures.count && columns < GR_TABLE_COLUMNS; i++, columns++) {
        gr_table_column(&table, c->measures.items[i].name, GR_RIGHT);
    }
    for (int k = 0; k < shown; k++) {
        const int point = shown > 1 ? k * (count - 1) / (shown - 1) : 0;
        GrRow row;
        gr_optimum_row(r, point, &row);
        for (int i = 0; i < columns; i++) {
            const bool variable = i < c->variable_count;
            if (variable && isnan(row.numbers[i])) {
                gr_table_text(&table, row.values[i].text);
            } else {
                gr_table_number(&table, variable ? row.numbers[i] : r->best[point].metrics[i - c->variable_count],
                                DIGITS);
            }
        }
    }
    fprintf(file, "Pareto front, %d of %d points\n", shown, count);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// What the first objective does when one variable moves through its range alone.
static void print_curves(const GrOptimumReport *r, FILE *file)
{
    const GrCampaign *c = r->campaign;
    const GrGoal *goal = &c->search.goals[0];
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "variable|>best|>from|>to|>least|>most|>feasible");
    for (int i = 0; i < r->search.dimension; i++) {
        double least = INFINITY, most = -INFINITY, values[GR_CAMPAIGN_WISHES + 1];
        int feasible = 0;
        GrRow best, first, last;
        gr_optimum_row(r, r->chosen, &best);
        const double *points = r->curve_points + (size_t)(i * r->curve_length) * (size_t)r->search.dimension;
        gr_search_row(&r->search, points, 0, &first);
        gr_search_row(&r->search, points + (size_t)(r->curve_length - 1) * (size_t)r->search.dimension, 0, &last);
        for (int k = 0; k < r->curve_length; k++) {
            const GrResult *result = &r->curves[i * r->curve_length + k];
            bool ok = true;
            gr_search_values(&r->search, result, values);
            for (int g = 0; g < r->search.constraint_count; g++) {
                ok = ok && values[r->search.objective_count + g] <= 0;
            }
            feasible += ok;
            least = fmin(least, result->metrics[goal->measure]);
            most = fmax(most, result->metrics[goal->measure]);
        }
        const int variable = r->search.variable[i];
        gr_table_text(&table, c->variables[variable].path);
        isnan(best.numbers[variable]) ? gr_table_printf(&table, "%.12s", best.values[variable].text)
                                      : gr_table_number(&table, best.numbers[variable], DIGITS);
        gr_table_printf(&table, "%.12s", first.values[variable].text);
        gr_table_printf(&table, "%.12s", last.values[variable].text);
        gr_table_number(&table, least, DIGITS);
        gr_table_number(&table, most, DIGITS);
        gr_table_printf(&table, "%d of %d", feasible, r->curve_length);
    }
    fprintf(file, "each variable alone through its range, the others at the %s: %s\n",
            r->search.objective_count > 1 ? "balanced point" : "best", c->measures.items[goal->measure].name);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Whether the search varies the rover itself.
static bool varies_rover(const GrCampaign *c)
{
    bool found = false;
    for (int i = 0; i < c->variable_count; i++) {
        found = found || strncmp(c->variables[i].path, "rover:", strlen("rover:")) == 0;
    }
    return found;
}

/// Writes the rover of the best run as a rover file. `path` becomes "" where there is none.
static GrStatus write_rover(const GrOptimumReport *r, char *path, size_t size, GrErrorLog *log)
{
    const GrCampaign *c = r->campaign;
    const char *overrides[GR_SUBJECT_OVERRIDES];
    GrRow row;
    path[0] = '\0';
    if (c->kind->scenario == NULL || !varies_rover(c)) {
        return GR_OK;
    }
    gr_optimum_row(r, r->chosen, &row);
    const GrCase one = gr_row_case(&row);
    const char *scenario = c->kind->scenario(c->subject, &one, overrides, GR_SUBJECT_OVERRIDES);
    GrBuffer text = {0};
    GrErrorLog why = {.quiet = true};
    gr_buffer_printf(&text, "# The rover of the best run of the campaign %s.\n", c->name);
    for (int i = 0; scenario != NULL && overrides[i] != NULL; i++) {
        if (strncmp(overrides[i], "rover", strlen("rover")) == 0) {
            gr_buffer_printf(&text, "#   %s\n", overrides[i]);
        }
    }
    GrStatus status = scenario != NULL ? gr_scenario_write_rover(scenario, overrides, &text, &why) : GR_ERROR_MEMORY;
    if (status == GR_ERROR_UNSUPPORTED && why.count > 0) { // the scenario of the best run has it all the same
        gr_warning_add(log, (GrLocation){.file = why.items[0].file}, "%s", why.items[0].text);
        status = GR_OK;
    } else if (status == GR_OK) {
        snprintf(path, size, "%s_best_rover.yaml", c->name);
        status = text.failed ? gr_out_of_memory(log, path) : gr_file_write(path, text.data, text.size, log);
    }
    gr_buffer_free(&text);
    return status;
}

/// The best run as a scenario file; `path` is empty where the campaign runs something else.
static GrStatus write_best(const GrOptimumReport *r, char *path, size_t size, GrErrorLog *log)
{
    const GrCampaign *c = r->campaign;
    char comment[200];
    GrRow row;
    path[0] = '\0';
    if (c->kind->scenario == NULL) {
        return GR_OK;
    }
    gr_optimum_row(r, r->chosen, &row);
    snprintf(comment, sizeof comment,
             r->search.objective_count > 1 ? "A balanced run of the campaign %.80s."
                                           : "The best run of the campaign %.80s.",
             c->name);
    snprintf(path, size, "%s_best.yaml", c->name);
    return gr_case_scenario_write(c, &row, comment, path, log);
}

static void put_point(const GrOptimumReport *r, int point, GrJson *json)
{
    const GrCampaign *c = r->campaign;
    GrRow row;
    gr_optimum_row(r, point, &row);
    gr_json_begin_object(json, NULL);
    for (int i = 0; i < row.count; i++) {
        isnan(row.numbers[i]) ? gr_json_string(json, row.paths[i], row.values[i].text)
                              : gr_json_number(json, row.paths[i], row.numbers[i]);
    }
    for (int i = 0; i < c->measures.count; i++) {
        gr_json_number(json, c->measures.items[i].name, r->best[point].metrics[i]);
    }
    gr_json_number(json, "violation", r->optimum.violations[point]);
    gr_json_string(json, "outcome", r->best[point].outcome);
    gr_json_end(json);
}

/// Each limit, and by how much the chosen design misses it.
static void put_limits(const GrOptimumReport *r, GrJson *json)
{
    const GrCampaign *c = r->campaign;
    gr_json_begin_array(json, "limits");
    for (int i = 0; i < c->search.goal_count; i++) {
        const GrGoal *goal = &c->search.goals[i];
        if (goal->wish == GR_WISH_BELOW || goal->wish == GR_WISH_ABOVE) {
            const double value = r->best[r->chosen].metrics[goal->measure];
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "measure", c->measures.items[goal->measure].name);
            gr_json_number(json, goal->wish == GR_WISH_BELOW ? "below" : "above", goal->limit);
            gr_json_number(json, "value", value);
            gr_json_number(json, "missed_by",
                           fmax(goal->wish == GR_WISH_BELOW ? value - goal->limit : goal->limit - value, 0));
            gr_json_end(json);
        }
    }
    gr_json_end(json);
}

static GrStatus print_json(const GrOptimumReport *r)
{
    GrJson json = gr_json_to_file(stdout, true);
    char text[GR_OPTIMUM_ANSWER];
    gr_optimum_answer(r, text, sizeof text);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "verdict", text);
    gr_json_bool(&json, "feasible", !(r->optimum.violations[r->chosen] > 0));
    put_limits(r, &json);
    gr_json_string(&json, "name", r->campaign->name);
    gr_json_string(&json, "method", gr_optimizer_method(r->def.method)->name);
    gr_json_integer(&json, "evaluations", r->optimum.evaluations);
    gr_json_string(&json, "stop", gr_optimum_stop_name(r->optimum.stop));
    gr_json_begin_array(&json, "best");
    for (int i = 0; i < r->optimum.point_count; i++) {
        put_point(r, i, &json);
    }
    gr_json_end(&json);
    gr_json_begin_array(&json, "history");
    for (int i = 0; i < r->optimum.history_count; i++) {
        const GrOptimumStep *step = &r->optimum.history[i];
        gr_json_begin_object(&json, NULL);
        gr_json_integer(&json, "evaluations", step->evaluations);
        gr_json_number(&json, "value", step->value);
        gr_json_number(&json, "violation", step->violation);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    return gr_json_finish(&json);
}

static GrStatus optimum_report(const GrOptimumReport *r, const GrCampaignOptions *o, GrErrorLog *log)
{
    FILE *file = o->json ? stderr : stdout;
    char path[GR_FILE_PATH_SIZE], rover[GR_FILE_PATH_SIZE], text[GR_OPTIMUM_ANSWER];
    if (r->optimum.point_count > 0) {
        gr_optimum_answer(r, text, sizeof text);
        fprintf(file, "%s\n\n", text);
    }
    gr_campaign_job_print(r->job, file);
    fprintf(file, "%s: %d evaluations; %s\n\n", gr_optimizer_method(r->def.method)->name, r->optimum.evaluations,
            gr_optimum_stop_text(r->optimum.stop));
    if (r->optimum.point_count == 0) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0}, "no run gave a number for the objective");
    }
    if (r->search.objective_count > 1) {
        print_front(r, file);
    } else {
        print_best(r, file);
    }
    fprintf(file, "\n");
    print_curves(r, file);
    GrStatus status = write_best(r, path, sizeof path, log);
    status = status == GR_OK ? write_rover(r, rover, sizeof rover, log) : status;
    status = status == GR_OK ? gr_optimum_page(r, log) : status;
    if (status == GR_OK) {
        fprintf(file, "\nwrote %s%s%s%s%s, %s\n", r->job->study_path, path[0] != '\0' ? ", " : "", path,
                rover[0] != '\0' ? ", " : "", rover, r->job->page_path);
    }
    return status == GR_OK && o->json ? print_json(r) : status;
}

// ---- the command

/// Runs the batches of the search.
typedef struct Runs {
    GrCampaignJob *job;
    bool interrupted;
} Runs;

static GrStatus run_batch(void *context, const GrBatch *batch, GrErrorLog *log)
{
    Runs *runs = context;
    const GrStatus status = gr_campaign_job_run(runs->job, batch, &runs->interrupted, log);
    return runs->interrupted ? GR_ERROR_NOT_CONVERGED : status;
}

static GrStatus search_best(GrCampaignJob *job, const GrCampaignOptions *o, bool *interrupted, GrErrorLog *log)
{
    GrOptimumReport report;
    GrStatus status = gr_optimum_begin(&job->campaign, &report, log);
    if (status == GR_OK && o->dry_run) {
        printf("at most %d runs, %s\n", report.def.budget, gr_optimizer_method(report.def.method)->name);
        return GR_OK;
    }
    status = status == GR_OK ? gr_campaign_job_link(job, o, log) : status;
    if (status == GR_OK && gr_campaign_job_serves(job)) {
        return gr_campaign_job_serve(job, o, log);
    }
    status = status == GR_OK ? gr_campaign_job_open(job, o, log) : status;
    if (status != GR_OK) {
        return status;
    }
    job->expected = (uint64_t)report.def.budget;
    report.job = job;
    Runs runs = {.job = job};
    status = optimum_find(&report, (GrOptimumSource){&runs, run_batch}, log);
    *interrupted = runs.interrupted;
    if (status == GR_OK) {
        status = optimum_report(&report, o, log);
    }
    gr_optimum_end(&report);
    return runs.interrupted ? GR_OK : status;
}

static int run(int argc, char **argv)
{
    GrCampaignOptions o;
    GrOption options[GR_CAMPAIGN_OPTIONS];
    const char *arguments[1];
    int exit_code;
    gr_campaign_options(&o, options);
    if (gr_options_parse(&gr_command_optimize, options, GR_CAMPAIGN_OPTIONS, argc, argv, arguments, 1, 1, &exit_code) <
        0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrCampaignJob job;
    bool interrupted = false;
    GrStatus status = gr_campaign_job_load(&job, arguments[0], &gr_campaign_kinds, &o, &log);
    if (status == GR_OK && !job.campaign.search.given) {
        status = gr_error_add(&log, GR_ERROR_FIELD, (GrLocation){.file = arguments[0]},
                              "the section `optimize` is missing: what to minimize or maximize");
    }
    status = status == GR_OK ? search_best(&job, &o, &interrupted, &log) : status;
    if (interrupted) {
        printf("stopped; the same command goes on with %s\n", job.study_path);
    }
    gr_report_log(&log);
    return gr_campaign_job_end(&job, status, interrupted);
}

const GrCommand gr_command_optimize = {
    .name = "optimize",
    .summary = "search for the best values of a campaign's variables",
    .usage = "optimize CAMPAIGN [-o STUDY] [-j N] [--device D] [--html FILE] [--serve [PORT]] [--dry-run] [--resume] "
             "[--json]",
    .details =
        "Minimizes or maximizes measures of a campaign within limits (its section `optimize`), and prints the best "
        "values,\nhow the search converged, and what happens when each variable changes alone. Several "
        "objectives give a\nPareto front. Every run is stored; a search that was interrupted goes on when the same "
        "command is given\nagain.",
    .example = "  grouser optimize wheel.yaml\n"
               "  grouser optimize wheel.yaml -j 4 --json",
    .run = run,
    .arguments = "@campaigns",
};

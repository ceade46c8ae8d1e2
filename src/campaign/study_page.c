#include "study_page.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "study_figures.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Measures with figures; the others are in the table only.
enum { GR_STUDY_PAGE_MEASURES = 12 };

// ---- tables of the runs to look at, each with the command that repeats it

enum { EXTREMES = 3, FAILURES = 20, RUN_COLUMNS = 6, RUN_DIGITS = 5 };

/// The command up to the run's id.
static void put_command(const char *path, GrBuffer *out)
{
    bool plain = path[0] != '\0' && path[0] != '-';
    for (const char *c = path; *c != '\0'; c++) {
        plain = plain && (isalnum((unsigned char)*c) || strchr("_-./+@%", *c) != NULL);
    }
    gr_buffer_puts(out, "grouser run --from ");
    if (plain) {
        gr_buffer_puts(out, path);
    } else { // as a shell reads it
        gr_buffer_puts(out, path[0] == '-' ? "./'" : "'");
        for (const char *c = path; *c != '\0'; c++) {
            *c == '\'' ? gr_buffer_puts(out, "'\\''") : gr_buffer_add(out, c, 1);
        }
        gr_buffer_puts(out, "'");
    }
    gr_buffer_puts(out, ":");
}

void gr_study_page_command(const char *path, int64_t id, GrBuffer *out)
{
    put_command(path, out);
    gr_buffer_printf(out, "%" PRId64, id);
}

/// Tells the script of the page (study.js) that its dots are runs, and the command that repeats them.
static void study_page_mark(const GrStudyPage *def, GrBuffer *page)
{
    GrBuffer command = {0};
    if (def->table->of_scenario) {
        put_command(def->path, &command);
    }
    gr_buffer_puts(page, "<div hidden=\"hidden\" id=\"study\" data-command=\"");
    gr_buffer_xml(page, command.data != NULL ? command.data : "");
    gr_buffer_printf(page, "\"%s></div>\n", def->running ? " data-running=\"1\"" : "");
    page->failed = page->failed || command.failed;
    gr_buffer_free(&command);
}

/// "soil:phi 38.2, rover rashid_like"
static void put_values(const GrStudyTable *t, int row, GrBuffer *out)
{
    for (int k = 0; k < t->variable_count; k++) {
        const char *text = t->texts[row * t->variable_count + k];
        char number[GR_NUMBER_SIZE];
        gr_number_round(gr_study_value(t, row, k), RUN_DIGITS, number);
        gr_buffer_printf(out, "%s%s %s", k > 0 ? ", " : "", t->columns[k].name, text != NULL ? text : number);
    }
}

/// A row of the table: why it is listed, then the run.
static void put_run(const GrStudyPage *def, int row, const char *why, const char *value, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    char id[32];
    GrBuffer values = {0}, command = {0};
    snprintf(id, sizeof id, "%" PRId64, t->ids[row]);
    put_values(t, row, &values);
    if (t->of_scenario) {
        gr_study_page_command(def->path, t->ids[row], &command);
    }
    const char *const cells[RUN_COLUMNS] = {why,
                                            value,
                                            id,
                                            values.data != NULL ? values.data : "",
                                            t->outcomes[row],
                                            command.data != NULL ? command.data : ""};
    gr_page_row(page, cells, t->of_scenario ? RUN_COLUMNS : RUN_COLUMNS - 1, 6);
    page->failed = page->failed || values.failed || command.failed;
    gr_buffer_free(&values);
    gr_buffer_free(&command);
}

static void begin_table(const GrStudyPage *def, const char *first, const char *second, GrBuffer *page)
{
    const char *const heads[RUN_COLUMNS] = {first, second, "run", "variables", "outcome", "repeat with"};
    gr_page_begin_table(page, heads, def->table->of_scenario ? RUN_COLUMNS : RUN_COLUMNS - 1, 6);
}

/// A run and its value of a measure.
typedef struct Ranked {
    double value;
    int row;
} Ranked;

static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->row > y->row) - (x->row < y->row);
}

/// The runs with the least and the most of a measure.
static void put_extremes(const GrStudyPage *def, int measure, Ranked *ranked, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    const GrStudyColumn *column = &t->columns[t->variable_count + measure];
    int n = 0;
    for (int i = 0; i < t->row_count; i++) {
        const double value = gr_study_value(t, i, t->variable_count + measure);
        if (isfinite(value)) {
            ranked[n++] = (Ranked){value, i};
        }
    }
    qsort(ranked, (size_t)n, sizeof *ranked, by_value);
    for (int i = 0; i < n; i++) {
        if (i >= EXTREMES && i < n - EXTREMES) {
            continue;
        }
        char why[GR_VARIABLE_PATH + 20], value[GR_NUMBER_SIZE];
        snprintf(why, sizeof why, "%s %s", i < (n + 1) / 2 ? "least" : "most", column->name);
        gr_number_round(ranked[i].value, RUN_DIGITS, value);
        put_run(def, ranked[i].row, why, value, page);
    }
}

static void put_failures(const GrStudyPage *def, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    int failed = 0;
    for (int i = 0; i < t->row_count; i++) {
        failed += !t->succeeded[i];
    }
    if (failed == 0) {
        return;
    }
    gr_page_section(page, "Failed runs");
    if (failed > FAILURES) {
        char text[120];
        snprintf(text, sizeof text, "The first %d of %d.", (int)FAILURES, failed);
        gr_page_paragraph(page, text);
    }
    begin_table(def, "cause", "warnings", page);
    for (int i = 0, shown = 0; i < t->row_count && shown < FAILURES; i++) {
        if (!t->succeeded[i]) {
            char warnings[20];
            snprintf(warnings, sizeof warnings, "%d", t->warnings[i]);
            put_run(def, i, t->causes[i], warnings, page);
            shown++;
        }
    }
    gr_page_end_table(page);
}

/// Runs to look at: extremes of each measure, and failures.
static GrStatus study_page_runs(const GrStudyPage *def, GrBuffer *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    Ranked *ranked = gr_calloc((size_t)t->row_count + 1, sizeof *ranked);
    if (ranked == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    if (t->of_scenario) {
        gr_page_begin_commands(page);
    }
    gr_page_section(page, "Extreme runs");
    begin_table(def, "why", "value", page);
    for (int i = 0; i < t->measure_count && i < GR_STUDY_PAGE_MEASURES; i++) {
        put_extremes(def, i, ranked, page);
    }
    gr_page_end_table(page);
    put_failures(def, page);
    if (t->of_scenario) {
        gr_page_end_commands(page);
    }
    gr_free(ranked);
    return GR_OK;
}

// ---- the page

enum { VARIABLES_SHOWN = 8, PAGE_POINTS = 16000, LEAST_POINTS = 60, DIGITS = 4 };

/// Coordinates: variables of the same path that end in x_m and y_m.
static bool find_place(const GrStudyTable *t, int out[2])
{
    for (int i = 0; i < t->variable_count; i++) {
        const char *x = t->columns[i].name;
        const size_t n = strlen(x);
        if (n < 3 || strcmp(x + n - 3, "x_m") != 0 || (n > 3 && strchr("._:", x[n - 4]) == NULL)) {
            continue;
        }
        for (int k = 0; k < t->variable_count; k++) {
            const char *y = t->columns[k].name;
            if (strlen(y) == n && strncmp(x, y, n - 3) == 0 && strcmp(y + n - 3, "y_m") == 0) {
                out[0] = i;
                out[1] = k;
                return true;
            }
        }
    }
    return false;
}

/// Measures that vary, for the scatter matrix.
static int list_varying(const GrStudyPage *def, int out[GR_STUDY_MATRIX])
{
    int count = 0;
    for (int i = 0; i < def->summary->measure_count && count < GR_STUDY_MATRIX; i++) {
        const GrMeasureSummary *m = &def->summary->measures[i];
        if (m->count > 1 && m->most > m->least) {
            out[count++] = i;
        }
    }
    return count;
}

/// As many points for each figure that the page stays small.
static int points_per_figure(const GrStudyPage *def)
{
    const GrStudyTable *t = def->table;
    int place[2], varying[GR_STUDY_MATRIX];
    const int measures = t->measure_count < GR_STUDY_PAGE_MEASURES ? t->measure_count : GR_STUDY_PAGE_MEASURES;
    const int variables = t->variable_count < VARIABLES_SHOWN ? t->variable_count : VARIABLES_SHOWN;
    const int matrix = list_varying(def, varying);
    const int figures = measures * (variables + (find_place(t, place) ? 2 : 0)) + matrix * (matrix - 1) / 2 + 1;
    const int points = PAGE_POINTS / figures;
    return points < LEAST_POINTS ? LEAST_POINTS : points > GR_STUDY_POINTS ? GR_STUDY_POINTS : points;
}

static void put_tiles(const GrStudyPage *def, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    char runs[40], note[80], share[40] = "–", interval[80] = "";
    int good = 0;
    double busy = 0;
    for (int i = 0; i < t->row_count; i++) {
        good += t->succeeded[i];
        busy += t->wall[i];
    }
    snprintf(runs, sizeof runs, "%d", t->row_count);
    snprintf(note, sizeof note, "%d more planned", t->planned);
    if (t->row_count > 0) {
        const GrEstimate e = gr_proportion(good, t->row_count);
        gr_print(share, sizeof share, "%.3g %%", 100 * e.value);
        gr_print(interval, sizeof interval, "95 %% interval: %.3g to %.3g %%", 100 * e.low, 100 * e.high);
    }
    char time[40];
    gr_print(time, sizeof time, busy < 120 ? "%.3g s" : "%.3g min", busy < 120 ? busy : busy / 60);
    gr_page_begin_tiles(page);
    gr_page_tile(page, "runs", runs, t->planned > 0 ? note : NULL);
    gr_page_tile(page, "without failure", share, interval);
    gr_page_tile(page, "processor time", time, NULL);
    gr_page_tile(page, "made by grouser", t->version, NULL);
    gr_page_end_tiles(page);
}

static GrStatus begin(GrStudyPage *def, GrBuffer *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    const GrStatus status = gr_study_view_begin(&def->view, t, def->summary, points_per_figure(def), log);
    char subtitle[GR_FILE_PATH_SIZE + GR_NAME_SIZE + 80];
    snprintf(subtitle, sizeof subtitle, "campaign %s, study %s%s", t->name, def->path,
             def->running ? "; still running: this page renews itself" : "");
    gr_page_begin_study(page, t->title[0] != '\0' ? t->title : t->name, subtitle, def->running);
    study_page_mark(def, page);
    put_tiles(def, page);
    return status;
}

static void put_outcomes(const GrStudyPage *def, GrBuffer *page)
{
    static const char *const heads[] = {"outcome", "runs", "share [%]", "95 % interval"};
    gr_page_section(page, "Outcomes");
    gr_page_begin_table(page, heads, 4, 14);
    for (int i = 0; i < def->summary->outcome_count; i++) {
        const GrOutcomeCount *o = &def->summary->outcomes[i];
        const GrEstimate e = gr_proportion(o->count, def->table->row_count);
        char runs[20], share[20], interval[60];
        snprintf(runs, sizeof runs, "%d", o->count);
        gr_print(share, sizeof share, "%.3g", 100 * e.value);
        gr_print(interval, sizeof interval, "%.3g to %.3g", 100 * e.low, 100 * e.high);
        const char *const cells[] = {o->name, runs, share, interval};
        gr_page_row(page, cells, 4, 14);
    }
    gr_page_end_table(page);
}

static void put_measures(const GrStudyPage *def, GrBuffer *page)
{
    static const char *const heads[] = {"measure", "expression", "runs",   "mean", "± 95 %", "deviation",
                                        "least",   "5 %",        "median", "95 %", "most"};
    enum { COLUMNS = sizeof heads / sizeof heads[0], NUMBERS = 8, NUMERIC = 0x7FC };
    gr_page_section(page, "Measures");
    gr_page_begin_table(page, heads, COLUMNS, NUMERIC);
    for (int i = 0; i < def->summary->measure_count; i++) {
        const GrMeasureSummary *m = &def->summary->measures[i];
        const GrStudyColumn *column = &def->table->columns[def->table->variable_count + i];
        const double numbers[NUMBERS] = {
            m->mean, m->mean_interval.high - m->mean, m->deviation, m->least, m->low, m->median, m->high, m->most};
        char texts[NUMBERS][GR_NUMBER_SIZE], runs[20];
        snprintf(runs, sizeof runs, "%d", m->count);
        const char *cells[COLUMNS] = {column->name, column->text, runs};
        for (int k = 0; k < NUMBERS; k++) {
            gr_number_round(numbers[k], DIGITS, texts[k]);
            cells[k + 3] = isfinite(numbers[k]) ? texts[k] : "–";
        }
        gr_page_row(page, cells, COLUMNS, NUMERIC);
    }
    gr_page_end_table(page);
}

/// A variable and how much of a measure's variance it explains.
typedef struct Influence {
    int variable;
    double share;
    GrStudyBins bins;
} Influence;

static int by_share(const void *a, const void *b)
{
    const Influence *x = a, *y = b;
    const double p = isfinite(x->share) ? x->share : -1, q = isfinite(y->share) ? y->share : -1;
    return p != q ? (p < q) - (p > q) : (x->variable > y->variable) - (x->variable < y->variable);
}

/// Responses to the variables that matter most.
static void put_responses(GrStudyPage *def, int measure, GrBuffer *page)
{
    static const GrStudyBins none = {.all = true};
    Influence items[GR_CAMPAIGN_VARIABLES] = {0};
    int count = 0;
    for (int k = 0; k < def->table->variable_count && count < GR_CAMPAIGN_VARIABLES; k++) {
        if (!def->table->columns[k].is_seed) {
            Influence *item = &items[count++];
            *item = (Influence){.variable = k, .bins = none};
            gr_study_bin(&def->view, measure, k, &item->bins);
            item->share = item->bins.share;
        }
    }
    qsort(items, (size_t)count, sizeof items[0], by_share);
    for (int k = 0; k < count && k < VARIABLES_SHOWN; k++) {
        gr_study_response(&def->view, measure, items[k].variable, &items[k].bins, page);
    }
}

static GrStatus put_measure(GrStudyPage *def, int measure, GrBuffer *page, GrErrorLog *log)
{
    const GrStudyColumn *column = &def->table->columns[def->table->variable_count + measure];
    int place[2];
    gr_page_section(page, column->name);
    if (column->text[0] != '\0' && strcmp(column->text, column->name) != 0) {
        gr_page_paragraph(page, column->text);
    }
    gr_page_begin_plots(page);
    const GrStatus status = gr_study_histogram(&def->view, measure, page, log);
    if (def->summary->measures[measure].count > 1) {
        gr_study_tornado(&def->view, measure, page);
        if (find_place(def->table, place)) {
            gr_study_map(&def->view, measure, place, page);
        }
        put_responses(def, measure, page);
    }
    gr_page_end_plots(page);
    return status;
}

/// What of the study the figures leave out.
static void put_limits(const GrStudyPage *def, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    char text[400];
    if (def->view.shown_count < t->row_count) {
        snprintf(text, sizeof text,
                 "Figures show %d of %d runs as points, always the same; curves, bands, histograms and tables are "
                 "of all runs.",
                 def->view.shown_count, t->row_count);
        gr_page_paragraph(page, text);
    }
    if (t->variable_count > VARIABLES_SHOWN) {
        snprintf(text, sizeof text, "Each measure is drawn against the %d of %d variables that explain most of it.",
                 (int)VARIABLES_SHOWN, t->variable_count);
        gr_page_paragraph(page, text);
    }
    if (t->measure_count > GR_STUDY_PAGE_MEASURES) {
        snprintf(text, sizeof text, "Figures are of the first %d of %d measures.", (int)GR_STUDY_PAGE_MEASURES,
                 t->measure_count);
        gr_page_paragraph(page, text);
    }
    gr_page_paragraph(page, t->of_scenario
                                ? "Click a dot to see its run in all figures and the command that repeats it. Blue: "
                                  "without failure; red: failed."
                                : "Click a dot to see its run in all figures. Blue: without failure; red: failed.");
}

static GrStatus put_results(GrStudyPage *def, GrBuffer *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    GrStatus status = GR_OK;
    if (t->row_count == 0) {
        gr_page_paragraph(page, "No run has finished yet.");
        return GR_OK;
    }
    put_outcomes(def, page);
    put_measures(def, page);
    put_limits(def, page);
    for (int i = 0; i < t->measure_count && i < GR_STUDY_PAGE_MEASURES && status == GR_OK; i++) {
        status = put_measure(def, i, page, log);
    }
    int varying[GR_STUDY_MATRIX];
    const int count = list_varying(def, varying);
    if (count > 1) {
        gr_page_section(page, "Measures against each other");
        gr_study_matrix(&def->view, varying, count, page);
    }
    return status == GR_OK ? study_page_runs(def, page, log) : status;
}

GrStatus gr_study_page_make(const char *path, bool running, GrStudySections sections, GrBuffer *page, GrErrorLog *log)
{
    GrStudyTable table = {0};
    GrStudySummary summary = {0};
    GrStudy *study = gr_study_read(path, log);
    GrStatus status = study != NULL ? gr_study_table(study, &table, log) : GR_ERROR_FILE;
    gr_study_close(study);
    status = status == GR_OK ? gr_study_summarise(&table, &summary, log) : status;
    if (status == GR_OK) {
        GrStudyPage def = {.table = &table, .summary = &summary, .path = path, .running = running};
        status = begin(&def, page, log);
        status = status == GR_OK && sections.put != NULL ? sections.put(sections.context, &def, page, log) : status;
        status = status == GR_OK ? put_results(&def, page, log) : status;
        gr_page_end(page);
        gr_study_view_end(&def.view);
        status = status == GR_OK && page->failed ? gr_out_of_memory(log, NULL) : status;
    }
    gr_study_summary_free(&summary);
    gr_study_table_free(&table);
    return status;
}

GrStatus gr_study_page_write(const char *path, bool running, GrStudySections sections, const char *file,
                             GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = gr_study_page_make(path, running, sections, &page, log);
    status = status == GR_OK ? gr_file_write(file, page.data, page.size, log) : status;
    gr_buffer_free(&page);
    return status;
}

#include "study_page.h"

#include "file.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "study_figures.h"
#include "study_page_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    gr_study_page_mark(def, page);
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
    return status == GR_OK ? gr_study_page_runs(def, page, log) : status;
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

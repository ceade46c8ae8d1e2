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

enum { EXTREMES = 3, FAILURES = 20, RUN_DIGITS = 5, DESIGN_DIGITS = 4 };

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
static void study_page_mark(const GrStudyPage *def, GrPage *page)
{
    GrBuffer command = {0}, mark = {0};
    if (def->table->of_scenario) {
        put_command(def->path, &command);
    }
    gr_buffer_puts(&mark, "<div hidden=\"hidden\" id=\"study\" data-command=\"");
    gr_buffer_xml(&mark, command.data != NULL ? command.data : "");
    gr_buffer_printf(&mark, "\"%s></div>\n", def->running ? " data-running=\"1\"" : "");
    mark.failed = mark.failed || command.failed;
    gr_page_markup(page, &mark);
    gr_buffer_free(&command);
}

/// "soil:phi 38.2, rover rashid_like"
static void put_values(const GrStudyTable *t, int row, GrBuffer *out)
{
    for (int k = 0; k < t->variable_count; k++) {
        const char *text = t->texts[row * t->variable_count + k];
        gr_buffer_printf(out, "%s%s %s", k > 0 ? ", " : "", t->columns[k].name,
                         text != NULL ? text : gr_show(gr_study_value(t, row, k), RUN_DIGITS, "").text);
    }
}

/// A row of the table: why it is listed, then the run.
static void put_run(const GrStudyPage *def, int row, const char *why, double value, GrTable *table)
{
    const GrStudyTable *t = def->table;
    GrBuffer values = {0}, command = {0};
    put_values(t, row, &values);
    gr_table_text(table, why);
    gr_table_number(table, value, RUN_DIGITS);
    gr_table_printf(table, "%" PRId64, t->ids[row]);
    gr_table_text(table, values.data != NULL ? values.data : "");
    gr_table_text(table, t->outcomes[row]);
    if (t->of_scenario) {
        gr_study_page_command(def->path, t->ids[row], &command);
        gr_table_text(table, command.data != NULL ? command.data : "");
    }
    table->failed = table->failed || values.failed || command.failed;
    gr_buffer_free(&values);
    gr_buffer_free(&command);
}

static const char *heads_of(const GrStudyPage *def)
{
    return def->table->of_scenario ? ">run|variables|outcome|!repeat with" : ">run|variables|outcome";
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
static void put_extremes(const GrStudyPage *def, int measure, Ranked *ranked, GrTable *table)
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
        if (i < EXTREMES || i >= n - EXTREMES) {
            char why[GR_VARIABLE_PATH + 20];
            snprintf(why, sizeof why, "%s %s", i < (n + 1) / 2 ? "least" : "most", column->name);
            put_run(def, ranked[i].row, why, ranked[i].value, table);
        }
    }
}

static void put_failures(const GrStudyPage *def, GrPage *page)
{
    const GrStudyTable *t = def->table;
    GrTable table = {0};
    int failed = 0;
    gr_table_heads(&table, "cause|>warnings");
    gr_table_heads(&table, heads_of(def));
    for (int i = 0; i < t->row_count; i++) {
        failed += !t->succeeded[i];
        if (!t->succeeded[i] && failed <= FAILURES) {
            put_run(def, i, t->causes[i], t->warnings[i], &table);
        }
    }
    if (failed == 0) {
        gr_table_free(&table);
        return;
    }
    gr_page_section(page, "Failed runs");
    if (failed > FAILURES) {
        gr_page_text(page, "The first %d of %d.", (int)FAILURES, failed);
    }
    gr_page_table(page, &table);
}

/// Runs to look at: extremes of each measure, and failures.
static GrStatus study_page_runs(const GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    GrTable table = {0};
    Ranked *ranked = gr_calloc((size_t)t->row_count + 1, sizeof *ranked);
    if (ranked == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    gr_page_section(page, "Extreme runs");
    gr_table_heads(&table, "why|>value");
    gr_table_heads(&table, heads_of(def));
    for (int i = 0; i < t->measure_count && i < GR_STUDY_PAGE_MEASURES; i++) {
        put_extremes(def, i, ranked, &table);
    }
    gr_page_table(page, &table);
    put_failures(def, page);
    gr_free(ranked);
    return GR_OK;
}

// ---- the page

enum { VARIABLES_SHOWN = 8, PAGE_POINTS = 16000, LEAST_POINTS = 60 };

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
    const int figures = measures * (variables + (find_place(t, place) ? 2 : 0)) + matrix * (matrix - 1) + 1;
    const int points = PAGE_POINTS / figures;
    return points < LEAST_POINTS ? LEAST_POINTS : points > GR_STUDY_POINTS ? GR_STUDY_POINTS : points;
}

static void put_share_tile(const char *name, GrEstimate e, GrPage *page)
{
    char share[40], interval[80] = "";
    gr_print(share, sizeof share, "%.3g %%", 100 * e.value);
    if (!isnan(e.low)) {
        gr_print(interval, sizeof interval, "95 %% interval: %.3g to %.3g %%", 100 * e.low, 100 * e.high);
    }
    gr_page_card(page, name, share, interval);
}

void gr_study_page_run_cards(const GrStudyPage *def, GrPage *page)
{
    const GrStudyTable *t = def->table;
    char runs[40], planned[40] = "", note[80];
    int failed = 0;
    double busy = 0;
    for (int i = 0; i < t->row_count; i++) {
        failed += !t->succeeded[i];
        busy += t->wall[i];
    }
    snprintf(runs, sizeof runs, "%d", t->row_count);
    if (t->planned > 0) {
        snprintf(planned, sizeof planned, ", %d more planned", t->planned);
    }
    snprintf(note, sizeof note, "%d failed%s", failed, planned);
    gr_page_card(page, "runs", runs, note);
    gr_page_card(page, "processor time", busy < 120 ? gr_show(busy, 3, "s").text : gr_show(busy / 60, 3, "min").text,
                 NULL);
}

/// The answer first. How many runs failed is no answer where runs have limits to keep.
static void put_tiles(const GrStudyPage *def, const GrStudyAnswer *answer, GrPage *page)
{
    const GrStudyTable *t = def->table;
    int good = 0;
    for (int i = 0; i < t->row_count; i++) {
        good += t->succeeded[i];
    }
    if (t->row_count > 0 && t->question.count > 0) {
        if (strcmp(answer->word, "share") != 0) {
            const bool least = !isnan(t->question.at_least);
            char asked[80];
            gr_print(asked, sizeof asked, "at %s %.3g %% asked for", least ? "least" : "most",
                     100 * (least ? t->question.at_least : t->question.at_most));
            gr_page_card(page, "answer", answer->word, asked);
        }
        put_share_tile(t->question.count > 1 ? "within all limits" : t->question.words, answer->share, page);
    } else if (t->measure_count > 0 && def->summary->measures[0].is_share && def->summary->measures[0].count > 0) {
        const GrMeasureSummary *m = &def->summary->measures[0];
        put_share_tile(t->columns[t->variable_count].name,
                       (GrEstimate){m->mean, m->mean_interval.low, m->mean_interval.high}, page);
    } else if (t->row_count > 0) {
        put_share_tile("runs without failure", gr_proportion(good, t->row_count), page);
    }
    gr_study_page_run_cards(def, page);
}

/// The answer in words, and what it depends on.
static void put_answer(const GrStudyPage *def, const GrStudyAnswer *answer, GrPage *page)
{
    const GrStudyTable *t = def->table;
    if (t->row_count == 0) {
        return;
    }
    gr_page_text(page, "%s.", answer->text);
    if (answer->drivers[0] != '\0') {
        gr_page_text(page, "%s.", answer->drivers);
        gr_page_section(page, "What decides it");
        gr_study_tornado(&def->view, answer->measure, page);
    }
}

/// `answered`: a section of another author follows with the answer.
static GrStatus begin(GrStudyPage *def, bool answered, GrPage *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    const GrStatus status = gr_study_view_begin(&def->view, t, def->summary, points_per_figure(def), log);
    char subtitle[GR_FILE_PATH_SIZE + GR_NAME_SIZE + 200];
    snprintf(subtitle, sizeof subtitle, "campaign %s, study %s, made by grouser %.100s%s", t->name, def->path,
             t->version, def->running ? "; still running: this page renews itself" : "");
    gr_page_begin(page, t->title[0] != '\0' ? t->title : t->name, subtitle);
    page->of_study = true;
    page->running = def->running;
    study_page_mark(def, page);
    if (answered) {
        return status;
    }
    GrStudyAnswer answer;
    gr_study_answer(t, def->summary, &answer);
    put_tiles(def, &answer, page);
    if (status == GR_OK) {
        put_answer(def, &answer, page);
    }
    return status;
}

void gr_study_table_outcomes(const GrStudyTable *t, const GrStudySummary *summary, GrTable *out)
{
    gr_table_heads(out, "outcome|>runs|>share [%]|>95 % interval");
    for (int i = 0; i < summary->outcome_count; i++) {
        const GrOutcomeCount *o = &summary->outcomes[i];
        const GrEstimate e = gr_proportion(o->count, t->row_count);
        gr_table_text(out, o->name);
        gr_table_printf(out, "%d", o->count);
        gr_table_number(out, 100 * e.value, 3);
        gr_table_printf(out, "%.3g to %.3g", 100 * e.low, 100 * e.high);
    }
}

void gr_study_table_measures(const GrStudyTable *t, const GrStudySummary *summary, bool expressions, GrTable *out)
{
    gr_table_heads(out, expressions ? "measure|expression" : "measure");
    gr_table_heads(out, ">runs|>mean|>± 95 %|>deviation|>least|>5 %|>median|>95 %|>most");
    for (int i = 0; i < summary->measure_count; i++) {
        const GrMeasureSummary *m = &summary->measures[i];
        const GrStudyColumn *column = &t->columns[t->variable_count + i];
        const double numbers[] = {
            m->mean, m->mean_interval.high - m->mean, m->deviation, m->least, m->low, m->median, m->high, m->most};
        gr_table_text(out, column->name);
        if (expressions) {
            gr_table_text(out, column->text);
        }
        gr_table_printf(out, "%d", m->count);
        gr_table_values(out, numbers, sizeof numbers / sizeof numbers[0]);
    }
}

void gr_study_say_samples(const char *prediction, bool designs, char *out, size_t size)
{
    char errors[80] = "";
    if (prediction != NULL) {
        snprintf(errors, sizeof errors, "the errors of their fits (%s)", prediction);
    }
    designs ? snprintf(out, size, "On the soils as their files say, and bands of 90 %% over their samples%s%s.",
                       prediction != NULL ? " and " : "", errors)
            : snprintf(out, size, "Samples of the soils have %s.", errors);
}

void gr_study_table_designs(const GrStudyTable *t, const GrStudyBands *b, GrTable *out)
{
    const int columns = t->variable_count + t->measure_count;
    const bool tell = t->prediction != NULL; // which designs are on soils with a fit
    const int last = columns < GR_TABLE_COLUMNS - 2 ? columns : GR_TABLE_COLUMNS - 2;
    for (int k = 0; k < last; k++) {
        if (k != b->variable) {
            gr_table_column(out, t->columns[k].name, k < t->variable_count ? GR_LEFT : GR_RIGHT);
        }
    }
    gr_table_heads(out, tell ? ">succeeds|prediction" : ">succeeds");
    for (int i = 0; i < b->design_count && i < GR_STUDY_DESIGNS; i++) {
        const GrStudyDesign *d = &b->designs[i];
        for (int k = 0; k < last; k++) {
            const char *text = k < t->variable_count ? t->texts[d->row * t->variable_count + k] : NULL;
            if (k >= t->variable_count) {
                const GrBand band = d->bands[k - t->variable_count];
                if (isnan(band.low) || isnan(band.high)) { // samples lack the measure
                    gr_table_printf(out, "%s (no band)",
                                    gr_show(gr_study_design_value(t, d, k - t->variable_count), 3, "").text);
                    continue;
                }
                if (!(band.low < band.high)) { // no sample changes it
                    gr_table_number(out, gr_study_design_value(t, d, k - t->variable_count), 3);
                    continue;
                }
                gr_table_printf(out, "%s (%s)", gr_show(gr_study_design_value(t, d, k - t->variable_count), 3, "").text,
                                gr_show_range(band.low, band.high, 3).text);
            } else if (k != b->variable && text != NULL) {
                gr_table_text(out, text);
            } else if (k != b->variable) {
                gr_table_number(out, gr_study_value(t, d->row, k), DESIGN_DIGITS);
            }
        }
        gr_table_printf(out, "%d of %d", d->succeeded, d->samples);
        if (tell) {
            gr_table_text(out, d->prediction != NULL ? d->prediction : "");
        }
    }
}

/// The designs of a study with samples of its soils.
static GrStatus put_designs(const GrStudyTable *t, GrPage *page, GrErrorLog *log)
{
    GrStudyBands bands;
    char text[GR_STUDY_SAMPLES_TEXT];
    const GrStatus status = gr_study_bands(t, &bands, log);
    if (status == GR_OK && bands.variable >= 0) {
        GrTable table = {0};
        gr_study_table_designs(t, &bands, &table);
        gr_page_section(page, "Designs");
        gr_study_say_samples(t->prediction, true, text, sizeof text);
        gr_page_text(page, "%s", text);
        gr_page_table(page, &table);
        if (bands.design_count > GR_STUDY_DESIGNS) {
            gr_page_text(page, "And %d more; grouser campaign export --bands has all.",
                         bands.design_count - GR_STUDY_DESIGNS);
        }
    } else if (status == GR_OK && t->prediction != NULL) {
        gr_study_say_samples(t->prediction, false, text, sizeof text);
        gr_page_text(page, "%s", text);
    }
    gr_study_bands_free(&bands);
    return status;
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
static void put_responses(GrStudyPage *def, int measure, GrPage *page)
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

static GrStatus put_measure(GrStudyPage *def, int measure, GrPage *page, GrErrorLog *log)
{
    const GrStudyColumn *column = &def->table->columns[def->table->variable_count + measure];
    int place[2];
    gr_page_section(page, "%s", column->name);
    if (column->text[0] != '\0' && strcmp(column->text, column->name) != 0) {
        gr_page_text(page, "%s", column->text);
    }
    const GrMeasureSummary *m = &def->summary->measures[measure];
    const GrStatus status = gr_study_histogram(&def->view, measure, page, log);
    if (m->count > 1 && m->most > m->least) { // else nothing changes it
        gr_study_tornado(&def->view, measure, page);
        if (find_place(def->table, place) && !def->table->columns[place[0]].is_seed) {
            gr_study_map(&def->view, measure, place, page);
        }
        put_responses(def, measure, page);
    }
    return status;
}

/// What of the study the figures leave out.
static void put_limits(const GrStudyPage *def, GrPage *page)
{
    const GrStudyTable *t = def->table;
    if (def->view.shown_count < t->row_count) {
        gr_page_text(page,
                     "Figures show %d of %d runs as points, always the same; curves, bands, histograms and tables are "
                     "of all runs.",
                     def->view.shown_count, t->row_count);
    }
    if (t->variable_count > VARIABLES_SHOWN) {
        gr_page_text(page, "Each measure is drawn against the %d of %d variables that explain most of it.",
                     (int)VARIABLES_SHOWN, t->variable_count);
    }
    if (t->measure_count > GR_STUDY_PAGE_MEASURES) {
        gr_page_text(page, "Figures are of the first %d of %d measures.", (int)GR_STUDY_PAGE_MEASURES,
                     t->measure_count);
    }
    gr_page_text(page, "Click a dot to see its run in all figures%s. Blue: without failure; red: failed.",
                 t->of_scenario ? " and the command that repeats it" : "");
}

static GrStatus put_results(GrStudyPage *def, GrPage *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    GrStatus status = GR_OK;
    if (t->row_count == 0) {
        gr_page_text(page, "No run has finished yet.");
        return GR_OK;
    }
    GrTable outcomes = {0}, measures = {0};
    gr_study_table_outcomes(t, def->summary, &outcomes);
    gr_study_table_measures(t, def->summary, true, &measures);
    status = put_designs(t, page, log);
    gr_page_section(page, "Outcomes");
    gr_page_table(page, &outcomes);
    gr_page_section(page, "Measures");
    gr_page_table(page, &measures);
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

GrStatus gr_study_page_make(const char *path, bool running, GrStudySections sections, GrBuffer *out, GrErrorLog *log)
{
    GrStudyTable table = {0};
    GrStudySummary summary = {0};
    GrStudy *study = gr_study_read(path, log);
    GrStatus status = study != NULL ? gr_study_table(study, &table, log) : GR_ERROR_FILE;
    gr_study_close(study);
    status = status == GR_OK ? gr_study_summarise(&table, &summary, log) : status;
    if (status == GR_OK) {
        GrStudyPage def = {.table = &table, .summary = &summary, .path = path, .running = running};
        GrPage page = {0};
        status = begin(&def, sections.answers, &page, log);
        status = status == GR_OK && sections.put != NULL ? sections.put(sections.context, &def, &page, log) : status;
        status = status == GR_OK ? put_results(&def, &page, log) : status;
        gr_study_view_end(&def.view);
        gr_page_html(&page, out);
        gr_page_free(&page);
        status = status == GR_OK && out->failed ? gr_out_of_memory(log, NULL) : status;
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

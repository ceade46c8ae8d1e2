#include "trial_report.h"

#include "alloc.h"
#include "check.h"
#include "file.h"
#include "json.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "table.h"
#include "text.h"
#include "trial_compare.h"
#include "trust_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void gr_trial_report_free(GrTrialReport *report)
{
    for (int p = 0; p < report->panel_count; p++) {
        for (int k = 0; k < report->panels[p].panel.series_count; k++) {
            gr_free(report->panels[p].values[k]);
        }
    }
    gr_free(report->cells);
    *report = (GrTrialReport){0};
}

void gr_trial_title(GrTrialReport *report, const char *title, const char *format, ...)
{
    va_list arguments;
    gr_text_copy(report->title, sizeof report->title, title);
    va_start(arguments, format);
    vsnprintf(report->about, sizeof report->about, format, arguments);
    va_end(arguments);
}

void gr_trial_verdict(GrTrialReport *report, const char *format, ...)
{
    size_t at = strlen(report->verdict);
    va_list arguments;
    va_start(arguments, format);
    if (at > 0 && at + 2 < sizeof report->verdict) {
        report->verdict[at++] = ' ';
    }
    vsnprintf(report->verdict + at, sizeof report->verdict - at, format, arguments);
    va_end(arguments);
}

static GrTrialFact *add_fact(GrTrialReport *report, const char *key, const char *label)
{
    GR_CHECK(report->fact_count < GR_TRIAL_FACTS);
    GrTrialFact *fact = &report->facts[report->fact_count++];
    *fact = (GrTrialFact){.key = key};
    gr_text_copy(fact->label, sizeof fact->label, label);
    return fact;
}

void gr_trial_fact(GrTrialReport *report, const char *key, const char *label, const char *unit, double scale,
                   double value)
{
    GrTrialFact *fact = add_fact(report, key, label);
    fact->unit = unit;
    fact->scale = scale;
    fact->value = value;
}

void gr_trial_at_least(GrTrialReport *report)
{
    report->facts[report->fact_count - 1].at_least = true;
}

/// "29.4 °", "at least 35 °".
static const char *print_fact(const GrTrialFact *fact, char out[GR_TRIAL_TEXT * 2])
{
    char number[GR_NUMBER_SIZE];
    gr_number_round(fact->scale * fact->value, 4, number);
    snprintf(out, GR_TRIAL_TEXT * 2, "%s%s%s%s", fact->at_least ? "at least " : "", isnan(fact->value) ? "–" : number,
             fact->unit[0] != '\0' ? " " : "", fact->unit);
    return out;
}

void gr_trial_fact_text(GrTrialReport *report, const char *key, const char *label, const char *text)
{
    GrTrialFact *fact = add_fact(report, key, label);
    fact->is_text = true;
    gr_text_copy(fact->text, sizeof fact->text, text);
}

void gr_trial_column(GrTrialReport *report, const char *key, const char *head, double scale)
{
    GR_CHECK(report->column_count < GR_TRIAL_COLUMNS);
    report->columns[report->column_count++] = (GrTrialColumn){key, head, scale};
}

void gr_trial_column_text(GrTrialReport *report, const char *key, const char *head)
{
    gr_trial_column(report, key, head, 0);
}

static GrTrialCell *add_cell(GrTrialReport *report)
{
    if (report->cell_count == report->cell_capacity) {
        const int capacity = report->cell_capacity > 0 ? 2 * report->cell_capacity : 256;
        GrTrialCell *cells = gr_realloc(report->cells, sizeof *cells * (size_t)capacity);
        if (cells == NULL) {
            report->failed = true;
            return NULL;
        }
        report->cells = cells;
        report->cell_capacity = capacity;
    }
    GrTrialCell *cell = &report->cells[report->cell_count++];
    *cell = (GrTrialCell){0};
    return cell;
}

void gr_trial_cell_bound(GrTrialReport *report, double value, bool at_least)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        cell->number = value;
        cell->at_least = at_least;
    }
}

void gr_trial_cell(GrTrialReport *report, double value)
{
    gr_trial_cell_bound(report, value, false);
}

void gr_trial_cell_slip(GrTrialReport *report, double slip, bool slides)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        slides = slides || fabs(slip) > 1;
        cell->number = slides ? (double)NAN : slip;
        cell->shown = slides ? "slides" : NULL;
    }
}

void gr_trial_cell_copy(GrTrialReport *report, const GrTrialCell *from)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        *cell = *from;
    }
}

void gr_trial_cell_text(GrTrialReport *report, const char *text)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        gr_text_copy(cell->text, sizeof cell->text, text);
    }
}

void gr_trial_cell_name(GrTrialReport *report, const char *name, const char *shown)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        gr_text_copy(cell->text, sizeof cell->text, name);
        cell->shown = shown;
    }
}

int gr_trial_panel(GrTrialReport *report, const char *title, const char *x_label, const char *y_label)
{
    GR_CHECK(report->panel_count < GR_TRIAL_PANELS);
    GrTrialPanel *panel = &report->panels[report->panel_count];
    panel->panel =
        (GrPanel){.title = title, .x_label = x_label, .y_label = y_label, .series = panel->series, .zero_line = true};
    return report->panel_count++;
}

/// Number of pieces of a curve that a picture of this size can resolve.
enum { CURVE_PIECES = 600 };

/// Whether a curve has more points than can be resolved, and only one y for each x.
static bool is_crowded(const double *x, int count)
{
    bool forward = count > 2 * CURVE_PIECES;
    for (int i = 1; i < count && forward; i++) {
        forward = x[i] >= x[i - 1];
    }
    return forward;
}

/// Keeps the lowest and the highest point of each piece, in their order: no peak is lost. Returns their number, at most
/// `count`.
static int thin_curve(const double *x, const double *y, int count, double *to_x, double *to_y)
{
    int kept = 0;
    for (int k = 0; k < CURVE_PIECES; k++) {
        const int from = (int)((long long)count * k / CURVE_PIECES),
                  end = (int)((long long)count * (k + 1) / CURVE_PIECES);
        int low = from, high = from;
        for (int i = from + 1; i < end; i++) {
            low = y[i] < y[low] ? i : low;
            high = y[i] > y[high] ? i : high;
        }
        const int first = low < high ? low : high, second = low < high ? high : low;
        to_x[kept] = x[first];
        to_y[kept++] = y[first];
        if (second != first) {
            to_x[kept] = x[second];
            to_y[kept++] = y[second];
        }
    }
    return kept;
}

void gr_trial_curve(GrTrialReport *report, int number, const char *name, GrSeriesKind kind, const double *x,
                    const double *y, int count)
{
    GrTrialPanel *panel = &report->panels[number];
    const int at = panel->panel.series_count;
    double *copy = gr_calloc(2 * (size_t)count + 1, sizeof *copy);
    GR_CHECK(at < GR_TRIAL_CURVES);
    if (copy == NULL) {
        report->failed = true;
        return;
    }
    int kept = count;
    if (kind == GR_SERIES_LINE && is_crowded(x, count)) {
        kept = thin_curve(x, y, count, copy, copy + count);
    } else {
        memcpy(copy, x, sizeof *x * (size_t)count);
        memcpy(copy + count, y, sizeof *y * (size_t)count);
    }
    panel->values[at] = copy;
    gr_text_copy(panel->names[at], GR_TRIAL_TEXT, name);
    panel->series[at] = (GrSeries){
        .name = name[0] != '\0' ? panel->names[at] : NULL, .kind = kind, .x = copy, .y = copy + count, .count = kept};
    panel->panel.series_count++;
}

static int row_count(const GrTrialReport *report)
{
    return report->column_count > 0 ? report->cell_count / report->column_count : 0;
}

static const GrTrialCell *cell_at(const GrTrialReport *report, int row, int column)
{
    return &report->cells[row * report->column_count + column];
}

/// A number of the table in its displayed unit; rounding residues of zero are shown as 0. JSON and CSV have the exact
/// value.
static double number_at(const GrTrialReport *report, int row, int column)
{
    const double value = report->columns[column].scale * cell_at(report, row, column)->number;
    return fabs(value) < 1e-6 ? 0 : value;
}

enum { NUMBER = GR_NUMBER_SIZE + sizeof "≥ " };

/// "29.4", "≥ 35".
static const char *print_number(const GrTrialReport *report, int row, int column, char out[NUMBER])
{
    char number[GR_NUMBER_SIZE];
    const GrTrialCell *cell = cell_at(report, row, column);
    const double value = number_at(report, row, column);
    const char *none = cell->shown != NULL ? cell->shown : "–";
    gr_number_round(value, 4, number);
    snprintf(out, NUMBER, "%s%s", cell->at_least ? "≥ " : "", isnan(value) ? none : number);
    return out;
}

static const char *shown_at(const GrTrialReport *report, int row, int column)
{
    const GrTrialCell *cell = cell_at(report, row, column);
    return cell->shown != NULL ? cell->shown : cell->text;
}

static void print_facts(const GrTrialReport *report, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        char text[GR_TRIAL_TEXT * 2];
        if (fact->label[0] != '\0') {
            gr_table_text(&table, fact->label);
            gr_table_text(&table, fact->is_text ? fact->text : print_fact(fact, text));
        }
    }
    if (table.cell_count > 0) {
        gr_table_print(&table, file);
    }
    gr_table_free(&table);
}

static void print_rows(const GrTrialReport *report, FILE *file)
{
    GrTable table = {.indent = 2};
    for (int k = 0; k < report->column_count; k++) {
        if (report->columns[k].head != NULL) {
            gr_table_column(&table, report->columns[k].head, report->columns[k].scale == 0 ? GR_LEFT : GR_RIGHT);
        }
    }
    for (int i = 0; i < row_count(report); i++) {
        for (int k = 0; k < report->column_count; k++) {
            const GrTrialColumn *column = &report->columns[k];
            if (column->head != NULL && column->scale == 0) {
                gr_table_text(&table, shown_at(report, i, k));
            } else if (column->head != NULL) {
                char number[NUMBER];
                gr_table_text(&table, print_number(report, i, k, number));
            }
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Whether a case has a statement on trust that differs from that of the case before.
static bool has_own_trust(const GrTrialReport *report, int part)
{
    const GrTrust *trust = report->parts[part].report->trust;
    const GrTrust *before = part > 0 ? report->parts[part - 1].report->trust : NULL;
    return trust != NULL && (before == NULL || strcmp(trust->line, before->line) != 0);
}

static void print(const GrTrialReport *report, FILE *file)
{
    bool shown = false;
    for (int i = 0; i < report->fact_count; i++) {
        shown = shown || report->facts[i].label[0] != '\0';
    }
    fprintf(file, "%s\n", report->about);
    if (report->cases != NULL) {
        print_rows(report->cases, file);
        fputs("\n", file);
    }
    print_facts(report, file);
    if (row_count(report) > 0) {
        fputs(shown ? "\n" : "", file);
        print_rows(report, file);
    }
    if (report->verdict[0] != '\0') {
        fprintf(file, "\n  %s\n", report->verdict);
    }
    for (int k = 0; k < report->part_count; k++) {
        const GrTrialCompared *part = &report->parts[k];
        fprintf(file, "\n  %s: %s\n", part->label, part->report->verdict);
        if (has_own_trust(report, k)) {
            fprintf(file, "  trust: %s\n", part->report->trust->line);
        }
    }
    if (report->trust != NULL) {
        fprintf(file, "\ntrust: %s\n", report->trust->line);
    }
}

static void json_rows(const GrTrialReport *report, GrJson *json)
{
    gr_json_begin_array(json, report->rows != NULL ? report->rows : "points");
    for (int i = 0; i < row_count(report); i++) {
        gr_json_begin_object(json, NULL);
        for (int k = 0; k < report->column_count; k++) {
            const GrTrialColumn *column = &report->columns[k];
            if (column->scale == 0) {
                gr_json_string(json, column->key, cell_at(report, i, k)->text);
            } else {
                gr_json_number(json, column->key, cell_at(report, i, k)->number);
            }
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

/// Writes one report into the open JSON object.
static void json_report(const GrTrialReport *report, GrJson *json)
{
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        if (fact->is_text) {
            gr_json_string(json, fact->key, fact->text);
        } else {
            gr_json_number(json, fact->key, fact->value);
            if (fact->at_least) {
                char key[GR_TRIAL_TEXT];
                snprintf(key, sizeof key, "%s_at_least", fact->key);
                gr_json_bool(json, key, true);
            }
        }
    }
    json_rows(report, json);
    gr_trust_json(json, "trust", report->trust);
}

void gr_trial_json(const GrTrialReport *report, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    if (report->part_count == 0) {
        json_report(report, &json);
    } else {
        const GrTrialFact *test = &report->parts[0].report->facts[0]; // the first fact of every report
        gr_json_string(&json, test->key, test->text);
        gr_json_begin_array(&json, "cases");
        for (int k = 0; k < report->part_count; k++) {
            gr_json_begin_object(&json, NULL);
            gr_json_string(&json, "case", report->parts[k].label);
            json_report(report->parts[k].report, &json);
            gr_json_end(&json);
        }
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_finish(&json);
}

static void write_csv(const GrTrialReport *report, GrBuffer *csv)
{
    for (int k = 0; k < report->column_count; k++) {
        gr_buffer_printf(csv, "%s%s", k > 0 ? "," : "", report->columns[k].key);
    }
    gr_buffer_puts(csv, "\n");
    for (int i = 0; i < row_count(report); i++) {
        for (int k = 0; k < report->column_count; k++) {
            const GrTrialCell *cell = cell_at(report, i, k);
            gr_buffer_puts(csv, k > 0 ? "," : "");
            if (report->columns[k].scale == 0) {
                gr_buffer_puts(csv, cell->text);
            } else if (isfinite(cell->number)) {
                gr_buffer_number(csv, cell->number);
            }
        }
        gr_buffer_puts(csv, "\n");
    }
}

static void write_svg(const GrTrialReport *report, GrBuffer *svg)
{
    GrPanel panels[GR_TRIAL_PANELS];
    for (int p = 0; p < report->panel_count; p++) {
        panels[p] = report->panels[p].panel;
        panels[p].series = report->panels[p].series;
    }
    const GrPlot plot = {.title = report->title,
                         .subtitle = report->about,
                         .panels = panels,
                         .panel_count = report->panel_count,
                         .columns = report->panel_count > 1 ? 2 : 1,
                         .panel_width = report->square ? 560 : 460,
                         .panel_height = report->square ? 560 : 300};
    gr_plot_write(&plot, svg); // a failure is remembered in the buffer
}

static void page_facts(const GrTrialReport *report, GrBuffer *page)
{
    gr_page_begin_facts(page);
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        char text[GR_TRIAL_TEXT * 2];
        if (fact->label[0] != '\0') {
            gr_page_fact(page, fact->label, fact->is_text ? fact->text : print_fact(fact, text));
        }
    }
    gr_page_end_facts(page);
}

static void page_rows(const GrTrialReport *report, GrBuffer *page)
{
    const char *heads[GR_TRIAL_COLUMNS], *row[GR_TRIAL_COLUMNS];
    char numbers[GR_TRIAL_COLUMNS][NUMBER];
    unsigned numeric = 0;
    int count = 0;
    for (int k = 0; k < report->column_count; k++) {
        if (report->columns[k].head != NULL) {
            numeric |= report->columns[k].scale != 0 ? 1u << count : 0;
            heads[count++] = report->columns[k].head;
        }
    }
    gr_page_begin_table(page, heads, count, numeric);
    for (int i = 0; i < row_count(report); i++) {
        int at = 0;
        for (int k = 0; k < report->column_count; k++) {
            const GrTrialColumn *column = &report->columns[k];
            if (column->head == NULL) {
                continue;
            }
            row[at] = column->scale == 0 ? shown_at(report, i, k) : print_number(report, i, k, numbers[at]);
            at++;
        }
        gr_page_row(page, row, count, numeric);
    }
    gr_page_end_table(page);
}

/// Every panel is a separate drawing, so that they are stacked on a narrow screen.
static void page_panels(const GrTrialReport *report, GrBuffer *page)
{
    gr_buffer_puts(page, "<div class=\"plots\">\n");
    for (int p = 0; p < report->panel_count; p++) {
        GrPanel panel = report->panels[p].panel;
        panel.series = report->panels[p].series;
        const GrPlot plot = {
            .panels = &panel, .panel_count = 1, .panel_width = 560, .panel_height = report->square ? 560 : 300};
        GrBuffer svg = {0};
        if (gr_plot_write(&plot, &svg) == GR_OK) {
            gr_page_svg(page, svg.data, NULL);
        } else {
            page->failed = true;
        }
        gr_buffer_free(&svg);
    }
    gr_buffer_puts(page, "</div>\n");
}

static void write_page(const GrTrialReport *report, GrBuffer *page)
{
    gr_page_begin(page, report->title, report->about);
    if (report->cases != NULL) {
        page_rows(report->cases, page);
    }
    for (int k = 0; k < report->part_count; k++) {
        char text[sizeof report->verdict + 200];
        snprintf(text, sizeof text, "%s: %s", report->parts[k].label, report->parts[k].report->verdict);
        gr_page_paragraph(page, text);
    }
    if (report->part_count == 0) {
        gr_page_paragraph(page, report->verdict);
        gr_trust_page(page, NULL, report->trust);
    }
    if (report->panel_count > 0) {
        page_panels(report, page);
    }
    if (report->not_drawn > 0) {
        char text[120];
        snprintf(text, sizeof text, "%d curves are not drawn: a plot has room for %d.", report->not_drawn,
                 (int)GR_TRIAL_CURVES);
        gr_page_paragraph(page, text);
    }
    for (int k = 0; k < report->part_count; k++) {
        if (has_own_trust(report, k)) {
            char label[GR_TRIAL_TEXT * 2];
            int last = k; // last of the following cases with the same statement
            while (last + 1 < report->part_count && !has_own_trust(report, last + 1)) {
                last++;
            }
            snprintf(label, sizeof label, last > k ? "%s to %s" : "%s", report->parts[k].label,
                     report->parts[last].label);
            gr_trust_page(page, label, report->parts[k].report->trust);
        }
    }
    gr_page_section(page, "Numbers");
    page_facts(report, page);
    if (row_count(report) > 0) {
        page_rows(report, page);
    }
    gr_page_end(page);
}

GrStatus gr_trial_say(const GrTrialReport *report, const GrTrialOutputs *outputs, GrErrorLog *log)
{
    const struct {
        const char *path;
        void (*write)(const GrTrialReport *report, GrBuffer *out);
    } files[] = {{outputs->html, write_page}, {outputs->svg, write_svg}, {outputs->csv, write_csv}};
    if (report->failed) {
        return gr_out_of_memory(log, NULL);
    }
    (outputs->json ? gr_trial_json : print)(report, stdout);
    GrStatus status = GR_OK;
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        if (files[i].path == NULL) {
            continue;
        }
        GrBuffer buffer = {0};
        files[i].write(report, &buffer);
        status =
            buffer.failed ? gr_out_of_memory(log, NULL) : gr_file_write(files[i].path, buffer.data, buffer.size, log);
        gr_buffer_free(&buffer);
        if (status == GR_OK) {
            fprintf(outputs->json ? stderr : stdout, "wrote %s\n", files[i].path);
        }
    }
    return status;
}

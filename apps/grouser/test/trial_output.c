/// Output of test reports: terminal, JSON, CSV, SVG and HTML.
#include "trial_report.h"

#include "file.h"
#include "json.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "table.h"
#include "trust_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int row_count(const GrTrialReport *report)
{
    return report->column_count > 0 ? report->cell_count / report->column_count : 0;
}

/// "29.4 °", "at least 35 °", "14.8 ° (90 %: 11.2 … 18.9)".
static const char *print_fact(const GrTrialFact *fact, char out[GR_TRIAL_TEXT * 2])
{
    char number[GR_NUMBER_SIZE];
    const bool banded = !isnan(fact->low) && !isnan(fact->value);
    gr_number_round(fact->scale * fact->value, banded ? 3 : 4, number);
    const int used = snprintf(out, GR_TRIAL_TEXT * 2, "%s%s%s%s", fact->at_least ? "at least " : "",
                              isnan(fact->value) ? "–" : number, fact->unit[0] != '\0' ? " " : "", fact->unit);
    if (banded) {
        char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        gr_number_round(fact->scale * fact->low, 3, low);
        gr_number_round(fact->scale * fact->high, 3, high);
        snprintf(out + used, (size_t)(GR_TRIAL_TEXT * 2 - used), " (90 %%: %s … %s%s)", low, fact->open ? "≥ " : "",
                 isnan(fact->high) ? "∞" : high);
    }
    return out;
}

/// The verdict with {N} replaced by fact N.
static const char *print_verdict(const GrTrialReport *report, char out[sizeof report->verdict])
{
    size_t used = 0;
    const char *at = report->verdict;
    while (*at != '\0' && used + 1 < sizeof report->verdict) {
        char *end;
        const long number = *at == '{' ? strtol(at + 1, &end, 10) : -1;
        char text[GR_TRIAL_TEXT * 2] = {*at, '\0'};
        const bool names = number >= 0 && number < report->fact_count && *end == '}';
        if (names) {
            print_fact(&report->facts[number], text);
        }
        used += (size_t)snprintf(out + used, sizeof report->verdict - used, "%s", text);
        at = names ? end + 1 : at + 1;
    }
    out[used < sizeof report->verdict ? used : sizeof report->verdict - 1] = '\0';
    return out;
}

/// Whether some cell of the column has a band.
static bool has_band(const GrTrialReport *report, int column)
{
    bool any = false;
    for (int i = column; i < report->cell_count; i += report->column_count) {
        any = any || !isnan(report->cells[i].low);
    }
    return any;
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
        for (int k = 0; k < report->column_count && !gr_trial_is_left_out(report, i); k++) {
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

static void print_doubts(const GrTrialReport *report, const char *indent, FILE *file)
{
    for (const char *at = report->doubts; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        fprintf(file, "%sdoubtful: %.*s\n", at == report->doubts && indent[0] == '\0' ? "\n" : indent,
                (int)strcspn(at, "\n"), at);
    }
}

static void print(const GrTrialReport *report, FILE *file)
{
    bool shown = false;
    for (int i = 0; i < report->fact_count; i++) {
        shown = shown || report->facts[i].label[0] != '\0';
    }
    char verdict[sizeof report->verdict];
    if (report->verdict[0] != '\0') {
        fprintf(file, "%s\n\n", print_verdict(report, verdict));
    }
    fprintf(file, "%s", report->about);
    if (report->sample_count > 0) {
        fprintf(file, "; bands: 5 to 95 %% of %d samples of the soil", report->sample_count);
    }
    fputs("\n", file);
    if (report->cases != NULL) {
        print_rows(report->cases, file);
        fputs("\n", file);
    }
    print_facts(report, file);
    if (row_count(report) > 0) {
        fputs(shown ? "\n" : "", file);
        print_rows(report, file);
    }
    print_doubts(report, "", file);
    for (int k = 0; k < report->part_count; k++) {
        const GrTrialCompared *part = &report->parts[k];
        fprintf(file, "\n  %s: %s\n", part->label, print_verdict(part->report, verdict));
        print_doubts(part->report, "  ", file);
        if (has_own_trust(report, k)) {
            fprintf(file, "  trust: %s\n", part->report->trust->line);
        }
    }
    if (report->trust != NULL) {
        fprintf(file, "\ntrust: %s\n", report->trust->line);
    }
}

static void json_band(GrJson *json, const char *key, double low, double high)
{
    char name[GR_TRIAL_TEXT];
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, high);
}

static void json_rows(const GrTrialReport *report, GrJson *json)
{
    gr_json_begin_array(json, report->rows != NULL ? report->rows : "points");
    for (int i = 0; i < row_count(report); i++) {
        if (gr_trial_is_left_out(report, i)) {
            continue;
        }
        gr_json_begin_object(json, NULL);
        for (int k = 0; k < report->column_count; k++) {
            const GrTrialColumn *column = &report->columns[k];
            const GrTrialCell *cell = cell_at(report, i, k);
            if (column->scale == 0) {
                gr_json_string(json, column->key, cell->text);
            } else {
                gr_json_number(json, column->key, cell->number);
            }
            if (has_band(report, k)) {
                json_band(json, column->key, cell->low, cell->high);
            }
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void json_fact(const GrTrialFact *fact, GrJson *json)
{
    if (fact->is_text) {
        gr_json_string(json, fact->key, fact->text);
        return;
    }
    gr_json_number(json, fact->key, fact->value);
    if (fact->samples != NULL) {
        json_band(json, fact->key, fact->low, fact->high);
    }
    if (fact->at_least) {
        char key[GR_TRIAL_TEXT];
        snprintf(key, sizeof key, "%s_at_least", fact->key);
        gr_json_bool(json, key, true);
    }
}

/// Writes the facts of one list, which follow each other, as an array; returns the fact after them.
static int json_list(const GrTrialReport *report, int first, GrJson *json)
{
    const char *list = report->facts[first].list;
    int i = first;
    gr_json_begin_array(json, list);
    while (i < report->fact_count && report->facts[i].list == list) {
        const double at = report->facts[i].at;
        gr_json_begin_object(json, NULL);
        gr_json_number(json, report->facts[i].at_key, at);
        for (; i < report->fact_count && report->facts[i].list == list && report->facts[i].at == at; i++) {
            json_fact(&report->facts[i], json);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
    return i;
}

/// Writes one report into the open JSON object.
static void json_report(const GrTrialReport *report, GrJson *json)
{
    char verdict[sizeof report->verdict];
    for (int i = 0; i < report->fact_count;) {
        if (report->facts[i].list != NULL) {
            i = json_list(report, i, json);
        } else {
            json_fact(&report->facts[i++], json);
        }
    }
    gr_json_string(json, "verdict", print_verdict(report, verdict));
    gr_json_begin_array(json, "doubts");
    for (const char *at = report->doubts; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[sizeof report->doubts];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        gr_json_string(json, NULL, line);
    }
    gr_json_end(json);
    if (report->sample_count > 0) {
        gr_json_integer(json, "uncertainty_samples", report->sample_count);
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
        const char *key = report->columns[k].key;
        gr_buffer_printf(csv, "%s%s", k > 0 ? "," : "", key);
        if (has_band(report, k)) {
            gr_buffer_printf(csv, ",%s_low,%s_high", key, key);
        }
    }
    gr_buffer_puts(csv, "\n");
    for (int i = 0; i < row_count(report); i++) {
        for (int k = 0; k < report->column_count && !gr_trial_is_left_out(report, i); k++) {
            const GrTrialCell *cell = cell_at(report, i, k);
            const double numbers[] = {cell->number, cell->low, cell->high};
            gr_buffer_puts(csv, k > 0 ? "," : "");
            if (report->columns[k].scale == 0) {
                gr_buffer_puts(csv, cell->text);
                continue;
            }
            for (int n = 0; n < (has_band(report, k) ? 3 : 1); n++) {
                gr_buffer_puts(csv, n > 0 ? "," : "");
                if (isfinite(numbers[n])) {
                    gr_buffer_number(csv, numbers[n]);
                }
            }
        }
        gr_buffer_puts(csv, gr_trial_is_left_out(report, i) ? "" : "\n");
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
        for (int k = 0; k < report->column_count && !gr_trial_is_left_out(report, i); k++) {
            const GrTrialColumn *column = &report->columns[k];
            if (column->head == NULL) {
                continue;
            }
            row[at] = column->scale == 0 ? shown_at(report, i, k) : print_number(report, i, k, numbers[at]);
            at++;
        }
        if (at > 0) {
            gr_page_row(page, row, count, numeric);
        }
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

/// The facts that the verdict names, large.
static void page_tiles(const GrTrialReport *report, GrBuffer *page)
{
    gr_page_begin_tiles(page);
    for (const char *at = strchr(report->verdict, '{'); at != NULL; at = strchr(at + 1, '{')) {
        const long number = strtol(at + 1, NULL, 10);
        if (number >= 0 && number < report->fact_count) {
            char text[GR_TRIAL_TEXT * 2], *band = NULL;
            print_fact(&report->facts[number], text);
            band = strstr(text, " (");
            if (band != NULL) {
                *band = '\0';
                band[strlen(band + 1)] = '\0'; // without the last parenthesis
            }
            gr_page_tile(page, report->facts[number].label, text, band != NULL ? band + 2 : NULL);
        }
    }
    gr_page_end_tiles(page);
}

/// The verdict, and why it may be wrong.
static void page_answer(const GrTrialReport *report, GrBuffer *page)
{
    char verdict[sizeof report->verdict];
    if (strchr(report->verdict, '{') != NULL) {
        page_tiles(report, page);
    }
    gr_page_paragraph(page, print_verdict(report, verdict));
    if (report->sample_count > 0) {
        char text[120];
        snprintf(text, sizeof text, "Ranges and bands: 5 to 95 %% of %d samples of the soil.", report->sample_count);
        gr_page_paragraph(page, text);
    }
    if (report->doubts[0] != '\0') {
        gr_page_begin_box(page, "Doubtful");
        for (const char *at = report->doubts; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
            char line[sizeof report->doubts];
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            gr_page_paragraph(page, line);
        }
        gr_page_end_box(page);
    }
}

static void write_page(const GrTrialReport *report, GrBuffer *page)
{
    gr_page_begin(page, report->title, report->about);
    if (report->cases != NULL) {
        page_rows(report->cases, page);
    }
    for (int k = 0; k < report->part_count; k++) {
        char text[sizeof report->verdict + 200], verdict[sizeof report->verdict];
        snprintf(text, sizeof text, "%s: %s", report->parts[k].label, print_verdict(report->parts[k].report, verdict));
        gr_page_paragraph(page, text);
    }
    if (report->part_count == 0) {
        page_answer(report, page);
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
